//! What a victim policy is told of erases: each with the count that the array has, and all counts by a mount. Cost-age-times
//! needs it.

use crate::bench::preset;
use flash::parts::EVALUATION_SLC;
use flash::{AnyArray, Array, BlockId, Flash, Geometry, Lpn, Store};
use ftlkit_ftl::victims::{ByGroup, Fifo, ValidPages, VictimPolicy, Victims};
use ftlkit_ftl::{List, Scheme, SchemeConfig, VictimKind, VictimWork, registry};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::cell::RefCell;

thread_local! {
    /// Blocks and counts, in the order in which they were told.
    static TOLD: RefCell<Vec<(u32, u32)>> = const { RefCell::new(Vec::new()) };
}

/// First in, first out; notes what it is told of erases.
#[derive(Clone, Debug)]
struct Noting(Fifo);

impl Victims for Noting {
    fn erased(&mut self, block: BlockId, erases: u32) {
        TOLD.with_borrow_mut(|told| told.push((block.0, erases)));
    }

    fn insert(&mut self, block: BlockId, valid: u32) {
        self.0.insert(block, valid);
    }

    fn invalidated(&mut self, block: BlockId, valid: u32) {
        self.0.invalidated(block, valid);
    }

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.0.take(valid)
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.0.take_least(valid)
    }

    fn work(&self) -> VictimWork {
        self.0.work()
    }

    fn lists(&self) -> Vec<List> {
        self.0.lists()
    }

    fn heap_bytes(&self) -> usize {
        self.0.heap_bytes()
    }

    fn ram_bytes(&self) -> u64 {
        self.0.ram_bytes()
    }
}

static NOTING: VictimPolicy = VictimPolicy {
    name: "noting",
    numbers: &[],
    summary: "the block that was filled first",
    source: "",
    chooses_many: false,
    valid_pages: ValidPages::Gaining,
    controller_bytes: |_| 0,
    make: |of| Box::new(Noting(Fifo::new(of.blocks, of.pages_per_block))),
};

const BLOCKS: u32 = 32;

fn told() -> Vec<(u32, u32)> {
    TOLD.with_borrow_mut(std::mem::take)
}

fn format(victim: VictimKind) -> (SchemeConfig, Box<dyn Scheme<Flash = AnyArray>>) {
    let geometry = Geometry::new(BLOCKS, 16, EVALUATION_SLC.page_bytes).unwrap();
    let array = Array::new(geometry, EVALUATION_SLC.clone(), Store::Metadata);
    let logical_pages = Some(BLOCKS * 16 * 4 / 5);
    let config = SchemeConfig { victim: Some(victim), logical_pages, ..preset("page-level") };
    let scheme = registry::format(&config, AnyArray::new(array)).unwrap();
    (config, scheme)
}

fn counts(flash: &AnyArray) -> Vec<u32> {
    (0..BLOCKS).map(|block| flash.erase_count(BlockId(block))).collect()
}

#[test]
fn a_policy_is_told_each_erase_and_by_a_mount_all_counts() {
    told();
    let (config, mut scheme) = format(NOTING.kind(&[]).unwrap());
    let mut at_format = told();
    at_format.sort_unstable();
    assert_eq!(at_format, (0..BLOCKS).map(|block| (block, 0)).collect::<Vec<_>>());
    let pages = scheme.logical_pages();
    let mut random = Pcg64::seed_from_u64(3);
    (0..pages).for_each(|lpn| scheme.write(Lpn(lpn), None).unwrap());
    (0..4000).for_each(|_| scheme.write(Lpn(random.random_range(0..pages)), None).unwrap());
    let erases = told();
    let mut latest = vec![0; BLOCKS as usize];
    for (block, count) in &erases {
        // One more than before.
        assert_eq!(*count, latest[*block as usize] + 1);
        latest[*block as usize] = *count;
    }
    let flash = scheme.into_flash();
    assert_eq!(latest, counts(&flash));
    assert!(latest.iter().all(|count| *count > 2), "{latest:?}");
    let scheme = registry::mount(&config, flash).unwrap();
    let mut at_mount = told();
    at_mount.sort_unstable();
    let all: Vec<_> = (0..).zip(counts(scheme.flash())).collect();
    assert_eq!(at_mount, all);
}

/// Hot and cold data: cost-age-times wears blocks more evenly than cost-benefit, also over mounts.
#[test]
fn cost_age_times_wears_evenly() {
    let spread = |victim| {
        let (config, mut scheme) = format(victim);
        let pages = scheme.logical_pages();
        let mut random = Pcg64::seed_from_u64(5);
        (0..pages).for_each(|lpn| scheme.write(Lpn(lpn), None).unwrap());
        for _ in 0..8 {
            for _ in 0..5000 {
                let below = if random.random_bool(0.9) { pages / 10 } else { pages };
                scheme.write(Lpn(random.random_range(0..below)), None).unwrap();
            }
            scheme = registry::mount(&config, scheme.into_flash()).unwrap();
        }
        let counts = counts(scheme.flash());
        let mean = counts.iter().map(|count| f64::from(*count)).sum::<f64>() / counts.len() as f64;
        let deviation = counts.iter().map(|count| (f64::from(*count) - mean).powi(2)).sum::<f64>();
        (deviation / counts.len() as f64).sqrt() / mean
    };
    let (even, uneven) = (spread(VictimKind::COST_AGE_TIMES), spread(VictimKind::GREEDY));
    println!("coefficient of variation of erases: cost-age-times {even:.3}, greedy {uneven:.3}");
    assert!(even * 3.0 < uneven, "{even} {uneven}");
}

/// A policy for each reclaim group is told of its own blocks, by their numbers in the group.
#[test]
fn groups_are_told_of_their_blocks() {
    told();
    let mut groups = ByGroup::new(NOTING.kind(&[]).unwrap(), 3, 10, 4, 1);
    for block in [0, 4, 8, 9] {
        groups.erased(BlockId(block), block + 20);
    }
    assert_eq!(told(), [(0, 20), (1, 24), (2, 28), (3, 29)]);
}
