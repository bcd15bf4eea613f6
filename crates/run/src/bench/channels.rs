//! Cost of scheduling flash operations on channels alone, without scheme and array.

use super::drawn::ROUNDS;
use flash::channels::{
    Channels, Command, DieAddress, PageAddress, Pages, Policy, Request, Timing, Topology, share_ppm,
};
use flash::parts;
use serde::Serialize;
use std::time::Instant;

/// 8 channels of 4 ways, of dies with two planes.
const TOPOLOGY: Topology = Topology {
    channels: 8,
    ways: 4,
    dies: 1,
    planes: 2,
    blocks_per_plane: 2048,
    pages_per_block: 128,
    paired_blocks: true,
};

/// Operations per round.
const OPERATIONS: u64 = 1_000_000;

/// Outstanding operations of the closed loop.
const OUTSTANDING: u64 = 256;

/// Result of one load under one policy of the way arbiter.
#[derive(Clone, Debug, Serialize)]
pub struct ChannelsRow {
    /// The load.
    pub load: &'static str,
    /// The way arbiter's policy.
    pub policy: &'static str,
    /// Wall time per operation, ns.
    pub ns_per_op: f64,
    /// Operations per second of wall time.
    pub ops_per_second: f64,
    /// Share of simulated time for which a channel's bus was busy, mean over all channels.
    pub bus_use: f64,
}

/// Returns the `n`th operation of a load.
type Load = fn(u64) -> Request;

/// Measures every load under every policy.
pub fn rows() -> Vec<ChannelsRow> {
    let loads: [(&'static str, Load); 4] = [
        ("reads", reads),
        ("reads, programs, 1 % erases", mixed),
        ("cache programs", cached),
        ("cache programs, two planes", two_planes),
    ];
    let all = loads.into_iter().flat_map(|load| Policy::ALL.map(|policy| (load, policy)));
    all.map(|((name, load), policy)| row(name, load, policy)).collect()
}

fn row(name: &'static str, load: Load, policy: Policy) -> ChannelsRow {
    let mut best = f64::INFINITY;
    let mut bus_use = 0.0;
    for _ in 0..ROUNDS {
        let timing = Timing::of(&parts::DDT_MLC).expect("the part gives its bus cycles");
        let mut channels = Channels::new(TOPOLOGY, timing, policy).expect("a fair topology");
        channels.reserve(OUTSTANDING as usize);
        let begin = Instant::now();
        run(&mut channels, load);
        best = best.min(begin.elapsed().as_nanos() as f64 / OPERATIONS as f64);
        let busy = (0..TOPOLOGY.channels).filter_map(|channel| channels.bus_use(channel));
        let busy: u64 = busy.map(|bus| bus.busy_ns()).sum();
        let mean = busy / u64::from(TOPOLOGY.channels);
        bus_use = share_ppm(mean, channels.last_done_ns()) as f64 / 1e6;
    }
    ChannelsRow {
        load: name,
        policy: policy.name(),
        ns_per_op: best,
        ops_per_second: 1e9 / best,
        bus_use,
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

/// Spreads operations over dies by a multiplicative hash, so that the arbiter cannot benefit from their order.
fn request(n: u64, command: Command, pages: Pages) -> Request {
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
    let page = (n % 128) as u32;
    let pages = [0, 1].map(|block| PageAddress { block, page });
    request(n, Command::CacheProgram, Pages::of(&pages).expect("two planes"))
}
