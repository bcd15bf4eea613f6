//! How many operations a second the channels schedule: 8 channels of 4 ways, some loads and policies, in a closed
//! loop of 256 operations outstanding.
//!
//! `cargo run --release -p ftlkit-flash --example channels_speed`

use ftlkit_flash::channels::{
    Channels, Command, DieAddress, PageAddress, Pages, Policy, Request, Timing, Topology, share_ppm,
};
use ftlkit_flash::parts;
use std::time::Instant;

const TOPOLOGY: Topology = Topology {
    channels: 8,
    ways: 4,
    dies: 1,
    planes: 2,
    blocks_per_plane: 2048,
    pages_per_block: 128,
    paired_blocks: true,
};
const OPERATIONS: u64 = 4_000_000;
const OUTSTANDING: u64 = 256;

/// What the `n`th operation of a load is.
type Load = fn(u64) -> Request;

fn request(n: u64, command: Command, pages: Pages) -> Request {
    // Dies by a multiplicative hash: no order that the arbiter could profit from.
    let hash = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let die = DieAddress { channel: (hash % 8) as u16, way: (hash / 8 % 4) as u16, die: 0 };
    Request { arrival_ns: 0, tag: n, die, command, pages, repair_ns: 0 }
}

fn reads(n: u64) -> Request {
    request(n, Command::Read, Pages::one((n % 4096) as u32, (n % 128) as u32))
}

fn mixed(n: u64) -> Request {
    let pages = Pages::one((n % 4096) as u32, (n % 128) as u32);
    let command = match n % 100 {
        0 => Command::Erase,
        even if even % 2 == 0 => Command::Read,
        _ => Command::Program,
    };
    request(n, command, pages)
}

fn cached(n: u64) -> Request {
    request(n, Command::CacheProgram, Pages::one(0, (n % 128) as u32))
}

fn two_planes(n: u64) -> Request {
    let (block, page) = (0, (n % 128) as u32);
    let pages = [PageAddress { block, page }, PageAddress { block: block + 1, page }];
    request(n, Command::CacheProgram, Pages::of(&pages).expect("two planes"))
}

fn main() {
    let loads: [(&str, Load); 4] = [
        ("reads", reads),
        ("reads, programs, erases", mixed),
        ("cache programs", cached),
        ("cache programs, two planes", two_planes),
    ];
    println!(
        "{:<28}{:<12}{:>12}{:>10}{:>10}",
        "load", "policy", "million op/s", "ns/op", "bus use"
    );
    for (name, load) in loads {
        for policy in Policy::ALL {
            let timing = Timing::of(&parts::DDT_MLC).expect("the part gives its bus cycles");
            let mut channels = Channels::new(TOPOLOGY, timing, policy).expect("a fair topology");
            channels.reserve(OUTSTANDING as usize);
            let begin = Instant::now();
            run(&mut channels, load);
            let elapsed = begin.elapsed().as_secs_f64();
            let busy = (0..8).filter_map(|channel| channels.bus_use(channel));
            let busy: u64 = busy.map(|bus| bus.busy_ns()).sum();
            println!(
                "{name:<28}{:<12}{:>12.2}{:>10.1}{:>9.1}%",
                policy.name(),
                OPERATIONS as f64 / elapsed / 1e6,
                elapsed * 1e9 / OPERATIONS as f64,
                share_ppm(busy / 8, channels.last_done_ns()) as f64 / 1e4,
            );
        }
    }
}

fn run(channels: &mut Channels, load: Load) {
    for n in 0..OUTSTANDING {
        channels.submit(&load(n)).expect("the load keeps the rules");
    }
    let mut next = OUTSTANDING;
    while let Some(done) = channels.next_completion() {
        if next < OPERATIONS {
            let request = Request { arrival_ns: done.done_ns, ..load(next) };
            channels.submit(&request).expect("the load keeps the rules");
            next += 1;
        }
    }
}
