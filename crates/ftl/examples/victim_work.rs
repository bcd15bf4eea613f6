//! Entries that each victim policy reads and writes a victim, by the number of blocks: uniform and hot/cold writes, on an
//! array that greedy brought to its steady state.
//!
//! `cargo run --release -p ftlkit-ftl --example victim_work -- [log2 of most blocks, 10 to 22] [share in percent]`

use flash::parts::EVALUATION_SLC;
use flash::{Array, Cause, Geometry, Lpn, Serial, Store};
use ftlkit_ftl::registry::{self, Visitor, by_name};
use ftlkit_ftl::{Scheme, SchemeConfig, VictimKind};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::time::Instant;

const PAGES_PER_BLOCK: u32 = 64;
/// Victims that are measured.
const VICTIMS: u64 = 800;

/// What is written.
#[derive(Clone, Copy, Debug)]
enum Writes {
    Uniform,
    /// 80 % of the writes to 20 % of the pages.
    HotCold,
}

impl Writes {
    fn next(self, pages: u32, random: &mut Pcg64) -> Lpn {
        let hot = pages / 5;
        Lpn(match self {
            Self::Uniform => random.random_range(0..pages),
            Self::HotCold if random.random_bool(0.8) => random.random_range(0..hot),
            Self::HotCold => random.random_range(hot..pages),
        })
    }
}

/// Fills the array and writes it over so often.
struct Age(Writes, u32);

impl Visitor<Serial<Array>> for Age {
    type Output = Serial<Array>;

    fn visit<S: Scheme<Flash = Serial<Array>> + Clone>(self, mut scheme: S) -> Serial<Array> {
        let Self(writes, rounds) = self;
        let pages = scheme.logical_pages();
        let mut random = Pcg64::seed_from_u64(1);
        for lpn in 0..pages {
            scheme.write(Lpn(lpn), &[]).unwrap();
        }
        for _ in 0..u64::from(pages) * u64::from(rounds) {
            scheme.write(writes.next(pages, &mut random), &[]).unwrap();
        }
        scheme.into_flash()
    }
}

/// Writes until the policy's lists are what it makes of them, then measures.
struct Measure {
    writes: Writes,
    warm_up: u64,
}

/// Of the measured part.
struct Measured {
    a_victim: [f64; 3],
    waf: f64,
    /// All its time here, a write.
    ns_a_write: f64,
}

impl Visitor<Serial<Array>> for Measure {
    type Output = Measured;

    fn visit<S: Scheme<Flash = Serial<Array>> + Clone>(self, mut scheme: S) -> Measured {
        let pages = scheme.logical_pages();
        let mut random = Pcg64::seed_from_u64(2);
        for _ in 0..self.warm_up {
            scheme.write(self.writes.next(pages, &mut random), &[]).unwrap();
        }
        scheme.restart_collections();
        let before = *scheme.flash().counts();
        let (start, mut writes) = (Instant::now(), 0);
        while scheme.collections().finished < VICTIMS {
            scheme.write(self.writes.next(pages, &mut random), &[]).unwrap();
            writes += 1;
        }
        let ns_a_write = start.elapsed().as_nanos() as f64 / f64::from(writes);
        let done = scheme.flash().counts().since(&before);
        let host = done.pages_programmed(Cause::Host) as f64;
        let waf = (host + done.pages_programmed(Cause::Collection) as f64) / host;
        let victims = scheme.collections().finished as f64;
        let work = scheme.victim_work().expect("a page-mapped scheme counts it");
        let each = [work.invalidated, work.filled, work.chosen];
        Measured { a_victim: each.map(|work| work.total() as f64 / victims), waf, ns_a_write }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u32>());
    let most = arguments.next().map_or(14, |log| log.expect("log2 of the most blocks"));
    let share = arguments.next().map_or(85, |share| share.expect("a share in percent"));
    println!("{share} % of {PAGES_PER_BLOCK} pages a block; entries read and written a victim");
    println!(
        "{:9}{:>8}  {:20}{:>12}{:>10}{:>12}{:>12}{:>8}{:>10}",
        "writes", "blocks", "policy", "invalidated", "filled", "chosen", "all", "WAF", "ns/write"
    );
    for writes in [Writes::Uniform, Writes::HotCold] {
        for blocks in (10..=most.min(22)).step_by(2).map(|log| 1 << log) {
            table(writes, blocks, share);
        }
    }
}

fn table(writes: Writes, blocks: u32, share: u32) {
    let geometry = Geometry::new(blocks, PAGES_PER_BLOCK, EVALUATION_SLC.page_bytes).unwrap();
    let array = Serial::new(Array::new(geometry, EVALUATION_SLC.clone(), Store::Metadata));
    let logical_pages =
        (u64::from(blocks) * u64::from(PAGES_PER_BLOCK) * u64::from(share) / 100) as u32;
    let config = SchemeConfig {
        logical_pages: Some(logical_pages),
        ..SchemeConfig::preset(by_name("page-level").unwrap())
    };
    let aged = registry::format(&config, array, Age(writes, 3)).unwrap();
    for kind in VictimKind::each(8) {
        let config = SchemeConfig { victim: Some(kind), ..config.clone() };
        // A search of all is greedy, so there is nothing to get used to.
        let warm_up = match kind {
            VictimKind::GreedyScan(_) => 0,
            _ => u64::from(logical_pages),
        };
        let Measured { a_victim: [invalidated, filled, chosen], waf, ns_a_write } =
            registry::mount(&config, aged.clone(), Measure { writes, warm_up }).unwrap();
        let (writes, all) = (format!("{writes:?}"), invalidated + filled + chosen);
        println!(
            "{writes:9}{blocks:8}  {:20}{invalidated:12.1}{filled:10.1}{chosen:12.1}{all:12.1}{waf:8.3}{ns_a_write:10.0}",
            kind.to_string()
        );
    }
}
