use super::scheme::OnDemand;
use super::{collection, core, lean_mount, mount};
use crate::frontier_sharing::FrontierSharing;
use crate::interface::Ftl;
use crate::layout::{CmtEviction, CmtPolicy, Layout, OnDemandLayout, PoolLimits};
use crate::page_mapped;
use crate::plan::Plan;
use crate::preset::SchemeConfig;
use crate::registry::{self, by_name};
use crate::scheme::{AnyScheme, Scheme};
use crate::telemetry::MapCache;
use crate::victims::Victims;
use alloc::{boxed::Box, vec, vec::Vec};
use flash::{
    AnyArray, Array, Cause, Counts, Flash, Geometry, Lpn, Operation, Part, Probe, Serial, Store,
    parts::EVALUATION_SLC,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const PAGE_BYTES: u32 = 32;
/// Entries per translation page.
const A_PAGE: u32 = 8;

type Bench = Serial<Array>;
type Device = AnyScheme;

fn array(blocks: u32, pages_per_block: u32, alpha: u64) -> Bench {
    let copy = EVALUATION_SLC.t_copy_ns();
    let part = Part {
        page_bytes: PAGE_BYTES,
        pages_per_block,
        t_bers_ns: copy * alpha + copy / 2,
        ..EVALUATION_SLC.clone()
    };
    let geometry = Geometry::new(blocks, pages_per_block, PAGE_BYTES).unwrap();
    Serial::new(Array::new(geometry, part, Store::All))
}

fn config(name: &str) -> SchemeConfig {
    SchemeConfig::preset(by_name(name).unwrap())
}

fn layout(config: &SchemeConfig, flash: &Bench) -> (Plan, OnDemandLayout) {
    let geometry = flash.geometry();
    let plan = registry::plan(config, flash.part(), geometry, geometry.blocks()).unwrap();
    let Layout::OnDemand(layout) = plan.layout else { panic!("no map on demand") };
    (plan, layout)
}

/// Results of a run.
struct Left {
    counts: Counts,
    worst_service_ns: u64,
    worst_step_ns: u64,
    cache: Option<MapCache>,
}

fn counts(scheme: &Device) -> Counts {
    *scheme.flash().downcast_ref::<Bench>().unwrap().counts()
}

/// Formats an array and runs writes (negative: trims) after a warm-up that is not measured.
fn written(config: &SchemeConfig, flash: Bench, warm_up: &[u32], measured: &[i64]) -> Left {
    let mut scheme = registry::format(config, AnyArray::new(flash)).unwrap();
    let page = vec![7; PAGE_BYTES as usize];
    for lpn in warm_up {
        scheme.write(Lpn(*lpn), Some(&page)).unwrap();
    }
    let before = counts(&*scheme);
    scheme.restart_telemetry();
    let (mut worst_service_ns, mut worst_step_ns) = (0, 0);
    for lpn in measured {
        let before = scheme.flash().worked();
        match u32::try_from(*lpn) {
            Ok(lpn) => scheme.write(Lpn(lpn), Some(&page)).unwrap(),
            Err(_) => scheme.trim(Lpn((-lpn - 1) as u32)).unwrap(),
        }
        let after = scheme.flash().worked();
        let step_ns = after.steps_ns - before.steps_ns;
        worst_step_ns = worst_step_ns.max(step_ns);
        worst_service_ns = worst_service_ns.max(after.busy_ns - before.busy_ns - step_ns);
    }
    let counts = counts(&*scheme).since(&before);
    Left { counts, worst_service_ns, worst_step_ns, cache: scheme.telemetry().map_cache }
}

fn translation_traffic(counts: &Counts) -> u64 {
    let causes = [Cause::Translation, Cause::WriteBack, Cause::TranslationCollection];
    let of = |cause| Operation::ALL.map(|op| counts.get(op, cause)).iter().sum::<u64>();
    causes.map(of).iter().sum()
}

fn draws(count: usize, pages: u32, seed: u64) -> Vec<u32> {
    let mut random = Pcg64::seed_from_u64(seed);
    (0..count).map(|_| random.random_range(0..pages)).collect()
}

/// Asserts that the data area behaves as the scheme with its map in RAM, with as many blocks and pages.
fn collects_as(name: &str, in_ram: &str, blocks: u32, cmt_bytes: Option<u64>) -> Left {
    let flash = array(blocks, 16, 3);
    let on_demand = SchemeConfig { cmt_bytes, ..config(name) };
    let (plan, layout) = layout(&on_demand, &flash);
    let pages = plan.logical_pages;
    let warm_up: Vec<u32> = (0..pages).chain(draws(4000, pages, 1)).collect();
    let measured: Vec<i64> = draws(20_000, pages, 2).iter().map(|lpn| i64::from(*lpn)).collect();
    let left = written(&on_demand, flash, &warm_up, &measured);
    let same = SchemeConfig { logical_pages: Some(pages), ..config(in_ram) };
    let model = written(&same, array(layout.data_blocks, 16, 3), &warm_up, &measured);
    for operation in [Operation::Copy, Operation::Erase] {
        let of = |counts: &Counts| counts.get(operation, Cause::Collection);
        assert!(of(&model.counts) > 1000);
        assert_eq!(of(&left.counts), of(&model.counts), "{operation:?}");
    }
    left
}

#[test]
fn dftl_with_the_whole_map_cached_is_page_level() {
    let left = collects_as("dftl", "page-level", 40, Some(1 << 20));
    assert_eq!(translation_traffic(&left.counts), 0);
    assert_eq!(left.cache, Some(MapCache { hits: 20_000, misses: 0 }));
}

#[test]
fn dftl_collects_as_page_level_whatever_its_cache() {
    for cmt_bytes in [8, 64, 1000] {
        let left = collects_as("dftl", "page-level", 40, Some(cmt_bytes));
        assert!(translation_traffic(&left.counts) > 1000);
    }
}

#[test]
fn lazy_rtgc_on_demand_collects_as_lazy_rtgc() {
    for cmt_bytes in [None, Some(64), Some(1 << 20)] {
        collects_as("lazy-rtgc-on-demand", "lazy-rtgc", 60, cmt_bytes);
    }
}

/// Sequential writes leave empty data blocks, random ones do not: of one pool, blocks go to translation pages, and come back, so
/// that the emptiest blocks of both kinds are alike. Neither area ever has fewer than it needs, and no block is lost.
#[test]
fn one_pool_gives_blocks_to_the_pages_that_need_them() {
    let spread = draws(6000, 560, 2);
    // All of their mappings are cached, so that translation pages need no room.
    let few: Vec<u32> = (0..6000).map(|n| n % 8).chain(0..560).collect();
    let near: Vec<u32> = (0..6000).map(|n| n % 560).collect();
    let phases = [&few, &spread, &near, &spread];
    // Translation blocks after each phase, and the mean distance between the emptiest blocks during it.
    let run = |one_pool: bool| {
        let logical_pages = Some(560);
        let config =
            SchemeConfig { cmt_bytes: Some(64), logical_pages, one_pool, ..config("dftl") };
        let flash = array(60, 16, 3);
        let (plan, layout) = layout(&config, &flash);
        let home = layout.translation_blocks;
        let mut core = core::OnDemandCore::new(flash, &plan, &layout);
        mount::format(&mut core, &layout).unwrap();
        let mut scheme = OnDemand::new(core, collection::WholeBlock, &plan, false);
        phases.map(|phase| {
            let mut distance = 0;
            for lpn in phase {
                scheme.write(Lpn(*lpn), Some(&bytes_of(1))).unwrap();
                let core = &scheme.core;
                let blocks = core.pool.map_or(home, |pool| {
                    let PoolLimits { least_translation_blocks, most_translation_blocks } =
                        pool.limits;
                    let limits = least_translation_blocks..=most_translation_blocks;
                    assert!(limits.contains(&pool.translation_blocks));
                    pool.translation_blocks
                });
                let areas = [&core.data, &core.translation];
                let held = areas.map(|area| {
                    area.frontiers.free_blocks()
                        + area.frontiers.open().count()
                        + area.victims.candidates().count()
                });
                assert_eq!(held, [60 - blocks as usize, blocks as usize]);
                let [data, translation] =
                    areas.map(|area| Victims::least_valid(&area.victims).unwrap_or(16));
                distance += data.abs_diff(translation);
            }
            let blocks = scheme.core.pool.map_or(home, |pool| pool.translation_blocks);
            (blocks, f64::from(distance) / phase.len() as f64)
        })
    };
    let (apart, pooled) = (run(false), run(true));
    let home = apart[0].0;
    let [_, spread, near, again] = pooled.map(|(blocks, _)| blocks);
    assert!(spread < home && home < near && again < home, "{pooled:?}, {home}");
    for (pooled, apart) in pooled.iter().zip(apart).skip(1) {
        assert!(pooled.1 < apart.1, "{pooled:?} {apart:?}");
    }
}

/// Loads that empty blocks of the one kind, then of the other: no write finds an area without a block.
#[test]
fn one_pool_never_leaves_an_area_without_room() {
    let shared = Some(FrontierSharing::Shared);
    for (name, frontiers, cmt_eviction) in [
        ("dftl", None, None),
        ("dftl", shared, Some(CmtEviction::Mapping)),
        ("lazy-rtgc-on-demand", None, None),
        ("lazy-rtgc-on-demand", None, Some(CmtEviction::Reads)),
        ("lazy-rtgc-on-demand", None, Some(CmtEviction::Mapping)),
    ] {
        for (blocks, pages_per_block, alpha) in
            [(200, 64, 8), (120, 32, 2), (60, 16, 8), (90, 8, 3)]
        {
            for cmt_bytes in [Some(64), Some(1024), None] {
                let config = SchemeConfig {
                    one_pool: true,
                    frontiers,
                    cmt_eviction,
                    cmt_bytes,
                    ..config(name)
                };
                let flash = array(blocks, pages_per_block, alpha);
                let pages = layout(&config, &flash).0.logical_pages;
                let mut scheme = registry::format(&config, AnyArray::new(flash)).unwrap();
                let count = pages as usize;
                // Few pages of the map at first, so that data can have nearly all blocks.
                let few = (0..4 * pages).map(|n| n % 8);
                let orders = [
                    few.collect(),
                    (0..pages).chain(0..pages).chain(0..pages).collect(),
                    draws(count, pages, 1),
                    (0..pages).map(|n| n.wrapping_mul(A_PAGE + 1) % pages).collect(),
                    draws(count, pages / 16, 2),
                    draws(2 * count, pages, 3),
                    (0..pages).collect::<Vec<u32>>(),
                ];
                for (at, lpn) in orders.iter().flatten().enumerate() {
                    let done = scheme.write(Lpn(*lpn), None);
                    assert!(
                        done.is_ok(),
                        "{name} {cmt_eviction:?} {cmt_bytes:?} on {blocks}x{pages_per_block}: {at}: {done:?}"
                    );
                    if at % 3 == 0 {
                        scheme.read(Lpn(at as u32 * 7 % pages), None).unwrap();
                    }
                }
            }
        }
    }
}

/// Write orders that dirty entries of ever-changing translation pages, and cause copies.
fn adversaries(pages: u32, seed: u64) -> [Vec<i64>; 5] {
    let count = 30_000;
    let strided = |stride: u32| {
        let groups = pages.div_ceil(stride);
        let at = move |n: u32| (n % groups) * stride + n / groups % stride;
        (0..).map(at).filter(move |lpn| *lpn < pages).map(i64::from)
    };
    let mut random = Pcg64::seed_from_u64(seed);
    let mut some_trims = Vec::new();
    let mut hot = Vec::new();
    for _ in 0..count {
        let lpn = i64::from(random.random_range(0..pages));
        some_trims.push(if random.random_bool(0.3) { -lpn - 1 } else { lpn });
        hot.push(if random.random_bool(0.9) { lpn % 7 * i64::from(A_PAGE) } else { lpn });
    }
    // One page of each block in turn, in fill order.
    let spread = strided(16).take(count).collect();
    let uniform = draws(count, pages, seed).into_iter().map(i64::from).collect();
    [strided(A_PAGE).take(count).collect(), spread, uniform, some_trims, hot]
}

#[test]
fn no_order_fills_the_table_or_outlasts_a_step() {
    for (blocks, pages_per_block, alpha) in [(40, 16, 3), (24, 8, 3), (32, 16, 8), (30, 64, 8)] {
        let config = config("lazy-rtgc-on-demand");
        let flash = array(blocks, pages_per_block, alpha);
        let (plan, layout) = layout(&config, &flash);
        let steps = layout.steps.unwrap();
        assert!(plan.guarantee.real_time);
        assert!(steps.dirty_threshold < plan.logical_pages, "nothing is ever written back");
        let warm_up: Vec<u32> = (0..plan.logical_pages).collect();
        for seed in 0..4 {
            for measured in adversaries(plan.logical_pages, seed) {
                let left = written(&config, flash.clone(), &warm_up, &measured);
                assert!(left.worst_service_ns <= plan.guarantee.write_ns.unwrap());
                assert!(left.worst_step_ns <= plan.guarantee.step_ns.unwrap());
                // A write-back in the path of a task would count there.
                assert_eq!(left.counts.get(Operation::Program, Cause::Translation), 0);
            }
        }
    }
}

/// Observes the number of dirty entries in the core.
#[test]
fn dirty_entries_stay_within_their_bound_and_come_near_it() {
    let mut merged = Vec::new();
    for merges_map in [false, true] {
        merged.push(most_dirty(&SchemeConfig { merges_map, ..config("lazy-rtgc-on-demand") }));
    }
    assert!(merged[1] < merged[0], "pages written back without and with `merge`: {merged:?}");
}

/// Checks the dirty entries. Returns the translation pages that were written back.
fn most_dirty(config: &SchemeConfig) -> u64 {
    let flash = array(40, 16, 3);
    let (plan, layout) = layout(config, &flash);
    let steps = layout.steps.unwrap();
    let (mut most, mut written_back) = (0, 0);
    for seed in 0..4 {
        for order in adversaries(plan.logical_pages, seed) {
            let mut core = core::OnDemandCore::new(flash.clone(), &plan, &layout);
            mount::format(&mut core, &layout).unwrap();
            let collector = collection::Stepwise::new(steps);
            let mut scheme = OnDemand::new(core, collector, &plan, false);
            for lpn in order {
                match u32::try_from(lpn) {
                    Ok(lpn) => scheme.write(Lpn(lpn), None).unwrap(),
                    Err(_) => scheme.trim(Lpn((-lpn - 1) as u32)).unwrap(),
                }
                most = most.max(scheme.core.cmt.dirty());
            }
            let counts = *scheme.flash().counts();
            written_back += counts.get(Operation::Program, Cause::WriteBack);
        }
    }
    assert!(most <= layout.cmt_entries, "{most} of {}", layout.cmt_entries);
    assert!(most >= steps.dirty_threshold, "{most} never reached {}", steps.dirty_threshold);
    written_back
}

struct Model {
    /// Version that each page reads as. `None`: trimmed before a mount, and may read as anything.
    pages: Vec<Option<u32>>,
    writes: u32,
}

fn bytes_of(version: u32) -> [u8; PAGE_BYTES as usize] {
    let mut bytes = [0; PAGE_BYTES as usize];
    bytes[..4].copy_from_slice(&version.to_le_bytes());
    bytes
}

impl Model {
    /// Runs operations up to a remount and checks every read against the model. Returns the array and the
    /// number of operations.
    fn run(&mut self, mut scheme: Box<Device>, steps: &[(u8, u32)]) -> (AnyArray, usize) {
        let Self { pages, writes } = self;
        let mut done = 0;
        let mut trimmed = vec![false; pages.len()];
        for (what, lpn) in steps {
            let lpn = lpn % pages.len() as u32;
            done += 1;
            match what {
                0..=5 => {
                    *writes += 1;
                    scheme.write(Lpn(lpn), Some(&bytes_of(*writes))).unwrap();
                    (pages[lpn as usize], trimmed[lpn as usize]) = (Some(*writes), false);
                }
                6..=7 => read(&mut *scheme, lpn, pages[lpn as usize]),
                8 => {
                    scheme.trim(Lpn(lpn)).unwrap();
                    (pages[lpn as usize], trimmed[lpn as usize]) = (Some(0), true);
                }
                9 => _ = scheme.idle().unwrap(),
                _ => break,
            }
        }
        for (lpn, expected) in pages.iter_mut().enumerate() {
            read(&mut *scheme, lpn as u32, *expected);
            if trimmed[lpn] {
                *expected = None;
            }
        }
        (scheme.into_flash(), done)
    }
}

fn read<F: Probe>(scheme: &mut dyn Scheme<Flash = F>, lpn: u32, expected: Option<u32>) {
    let mut bytes = [1; PAGE_BYTES as usize];
    let found = scheme.read(Lpn(lpn), Some(&mut bytes)).unwrap();
    if let Some(version) = expected {
        assert_eq!((found, bytes), (version != 0, bytes_of(version)), "LPN {lpn}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..crate::properties::config() })]

    #[test]
    fn reads_what_was_written(
        lazy: bool,
        segmented: bool,
        merges: bool,
        one_pool: bool,
        eviction in 0u8..4,
        cmt_bytes in prop_oneof![Just(None), (8u64..600).prop_map(Some)],
        blocks in 7u32..30,
        steps in proptest::collection::vec((0u8..11, any::<u32>()), 0..1200),
    ) {
        let name = if lazy { "lazy-rtgc-on-demand" } else { "dftl" };
        let cmt_policy = segmented.then_some(CmtPolicy::SegmentedLru);
        let cmt_eviction = match eviction {
            0 => None,
            1 => Some(CmtEviction::Page),
            2 => Some(CmtEviction::Reads),
            _ => Some(CmtEviction::Mapping),
        };
        let config = SchemeConfig {
            cmt_bytes,
            cmt_policy,
            cmt_eviction,
            merges_map: lazy && merges,
            one_pool,
            idle_collection: true,
            ..config(name)
        };
        let flash = array(blocks, 8, 3);
        let geometry = *flash.geometry();
        let plan = registry::plan(&config, flash.part(), &geometry, geometry.blocks());
        // Of one pool, more blocks must stay free than the smallest arrays have.
        prop_assume!(plan.is_ok() || one_pool);
        let Ok(plan) = plan else { return Ok(()) };
        let mut model = Model { pages: vec![Some(0); plan.logical_pages as usize], writes: 0 };
        let mut steps = &steps[..];
        let mut scheme = registry::format(&config, AnyArray::new(flash)).unwrap();
        loop {
            let (array, done) = model.run(scheme, steps);
            steps = &steps[done..];
            if steps.is_empty() {
                break;
            }
            scheme = registry::mount(&config, array).unwrap();
        }
    }
}

/// Eight dirty entries of one translation page are evicted by eight writes, and eight others by eight reads.
#[test]
fn an_eviction_writes_back_as_much_as_is_set() {
    for (eviction, by_writes, by_reads) in
        [(CmtEviction::Page, 1, 1), (CmtEviction::Reads, 1, 8), (CmtEviction::Mapping, 8, 8)]
    {
        let config = SchemeConfig {
            cmt_bytes: Some(64),
            cmt_policy: Some(CmtPolicy::Lru),
            cmt_eviction: Some(eviction),
            ..config("dftl")
        };
        let mut scheme = registry::format(&config, AnyArray::new(array(40, 16, 3))).unwrap();
        let programs = |scheme: &Device| counts(scheme).get(Operation::Program, Cause::Translation);
        let [first, second] = [0..A_PAGE, A_PAGE..2 * A_PAGE];
        second.clone().for_each(|lpn| scheme.write(Lpn(lpn), Some(&bytes_of(lpn + 1))).unwrap());
        assert_eq!(programs(&*scheme), 0, "{eviction:?}");
        first.for_each(|lpn| scheme.write(Lpn(lpn), Some(&bytes_of(lpn + 1))).unwrap());
        assert_eq!(programs(&*scheme), by_writes, "{eviction:?}, writes");
        second.for_each(|lpn| read(&mut *scheme, lpn, Some(lpn + 1)));
        assert_eq!(programs(&*scheme), by_writes + by_reads, "{eviction:?}, reads");
    }
}

#[test]
fn an_unreadable_translation_page_is_made_anew() {
    for name in ["dftl", "lazy-rtgc-on-demand"] {
        let config = SchemeConfig { cmt_bytes: Some(64), ..config(name) };
        let flash = array(24, 8, 3);
        let (plan, layout) = layout(&config, &flash);
        let mut core = core::OnDemandCore::new(flash, &plan, &layout);
        mount::format(&mut core, &layout).unwrap();
        let mut scheme = OnDemand::new(core, collection::WholeBlock, &plan, false);
        for lpn in (0..plan.logical_pages).chain(draws(500, plan.logical_pages, 3)) {
            scheme.write(Lpn(lpn), Some(&bytes_of(lpn + 1))).unwrap();
        }
        for page in scheme.core.directory.clone() {
            if page != u32::MAX {
                scheme.flash_mut().inner_mut().spoil(flash::Ppn(page)).unwrap();
            }
        }
        for lpn in (0..plan.logical_pages).rev() {
            read(&mut scheme, lpn, Some(lpn + 1));
        }
    }
}

#[test]
fn the_map_is_written_back_from_the_threshold_on() {
    let config = config("lazy-rtgc-on-demand");
    let flash = array(40, 16, 3);
    let (_, layout) = layout(&config, &flash);
    let threshold = layout.steps.unwrap().dirty_threshold;
    let mut scheme = registry::format(&config, AnyArray::new(flash)).unwrap();
    // Each write makes one more entry dirty, and no block is collected yet.
    for dirty in 1..=threshold {
        scheme.write(Lpn(dirty - 1), None).unwrap();
        let written_back = counts(&*scheme).get(Operation::Program, Cause::WriteBack);
        assert_eq!(written_back > 0, dirty == threshold, "{dirty} of {threshold} are dirty");
    }
}

/// The only copy of a page becomes unreadable and is collected. The translation page says so, and a mount believes it.
#[test]
fn a_lost_page_is_lost_after_a_mount_too() {
    for name in ["dftl", "lazy-rtgc-on-demand"] {
        let config = SchemeConfig { cmt_bytes: Some(200), ..config(name) };
        let flash = array(24, 8, 3);
        let (plan, _) = layout(&config, &flash);
        let mut scheme = registry::format(&config, AnyArray::new(flash)).unwrap();
        // The last page is never written.
        let pages = plan.logical_pages - 1;
        (0..pages).for_each(|lpn| scheme.write(Lpn(lpn), Some(&bytes_of(1))).unwrap());
        let array = scheme.flash_mut().downcast_mut::<Bench>().unwrap().inner_mut();
        let is_of_page_0 = |ppn: &flash::Ppn| {
            let oob = array.read_oob(*ppn, Cause::Host);
            matches!(oob, Ok(oob) if oob.lpn == Lpn(0) && oob.kind == flash::PageKind::Data)
        };
        let lost = (0..24 * 8).map(flash::Ppn).find(is_of_page_0).unwrap();
        array.spoil(lost).unwrap();
        for lpn in draws(3000, pages - 1, 3) {
            scheme.write(Lpn(lpn + 1), Some(&bytes_of(2))).unwrap();
        }
        assert_eq!(scheme.telemetry().collections.lost_pages, 1, "{name}");
        for mounted in [false, true] {
            if mounted {
                scheme = registry::mount(&config, scheme.into_flash()).unwrap();
            }
            let read = scheme.read(Lpn(0), None);
            assert!(
                matches!(read, Err(crate::FtlError::Flash(flash::FlashError::Uncorrectable(_)))),
                "{name}: {read:?}, mounted: {mounted}"
            );
            assert!(!scheme.read(Lpn(pages), None).unwrap(), "{name}: page {pages} is not lost");
        }
    }
}

/// A translation page and a data page of it are unreadable: what is not found among the OOB areas is lost, not unmapped.
#[test]
fn a_translation_page_made_anew_takes_no_lost_page_for_one_never_written() {
    let config = SchemeConfig { cmt_bytes: Some(64), ..config("dftl") };
    let flash = array(24, 8, 3);
    let (plan, layout) = layout(&config, &flash);
    let mut core = core::OnDemandCore::new(flash, &plan, &layout);
    mount::format(&mut core, &layout).unwrap();
    let mut scheme = OnDemand::new(core, collection::WholeBlock, &plan, false);
    (0..plan.logical_pages).for_each(|lpn| scheme.write(Lpn(lpn), Some(&bytes_of(7))).unwrap());
    let translation = flash::Ppn(scheme.core.directory[0]);
    let array = scheme.flash_mut().inner_mut();
    let is_of_page_0 = |ppn: &flash::Ppn| {
        let oob = array.read_oob(*ppn, Cause::Host);
        matches!(oob, Ok(oob) if oob.lpn == Lpn(0) && oob.kind == flash::PageKind::Data)
    };
    let data = (0..24 * 8).map(flash::Ppn).find(is_of_page_0).unwrap();
    array.spoil(data).unwrap();
    array.spoil(translation).unwrap();
    let read = scheme.read(Lpn(0), None);
    assert!(
        matches!(read, Err(crate::FtlError::Flash(flash::FlashError::Uncorrectable(_)))),
        "{read:?}"
    );
    (1..plan.logical_pages).for_each(|lpn| self::read(&mut scheme, lpn, Some(7)));
}

/// An array mounted with a map in RAM, or without.
fn mounted(
    lean: bool,
    flash: Bench,
    (plan, layout): (&Plan, &OnDemandLayout),
) -> OnDemand<Bench, collection::Stepwise> {
    let steps = layout.steps.unwrap();
    let mut collector = collection::Stepwise::new(steps);
    let mut core = core::OnDemandCore::indexed(flash, plan, layout, lean);
    core.take_in_order();
    core.reserve(layout);
    let mount = if lean { lean_mount::mount } else { mount::mount };
    mount(&mut core, &mut collector, layout).unwrap();
    OnDemand::new(core, collector, plan, false)
}

/// Every entry names a valid page of its logical page, and nothing else is valid.
fn check_valid(scheme: &mut OnDemand<Bench, collection::Stepwise>) {
    let core = &mut scheme.core;
    let (geometry, pages) = (*core.medium.geometry(), core.logical_pages);
    let mut mapped = 0;
    for lpn in (0..pages).map(Lpn) {
        let cached = core.cmt.find(lpn).map(|slot| core.cmt.ppn(slot));
        let at = core.directory[core.cmt.page_of(lpn) as usize];
        let entry = cached.unwrap_or_else(|| {
            let mut bytes = vec![0xff; PAGE_BYTES as usize];
            if at != u32::MAX {
                core.medium.flash.read(flash::Ppn(at), Some(&mut bytes), Cause::Host).unwrap();
            }
            let first = (lpn.0 % A_PAGE) as usize * 4;
            u32::from_le_bytes(bytes[first..first + 4].try_into().unwrap())
        });
        if entry >= page_mapped::core::LOST {
            continue;
        }
        mapped += 1;
        let (block, page) = geometry.split(flash::Ppn(entry));
        assert_eq!(core.data.blocks.next_valid(block, page), Some(page), "{lpn}");
        assert_eq!(core.medium.flash.peek_lpn(flash::Ppn(entry)), Some(lpn));
    }
    let open: u32 = core.data.frontiers.open().map(|open| open.room()).sum();
    let blocks = (0..geometry.blocks()).map(flash::BlockId);
    let valid: u32 = blocks.map(|block| core.data.blocks.valid(block)).sum();
    assert_eq!(valid - open, mapped);
}

/// After writes, trims that were written back, and pages that cannot be read any more.
#[test]
fn a_lean_mount_finds_what_the_other_finds() {
    let config = config("lazy-rtgc-on-demand");
    let flash = array(32, 8, 4);
    let (plan, layout) = layout(&config, &flash);
    let pages = plan.logical_pages;
    let mut rewritten = 0;
    for seed in 0..40 {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut scheme = mounted(seed % 2 == 0, flash.clone(), (&plan, &layout));
        for round in 0..4 {
            for _ in 0..random.random_range(1..4 * pages) {
                let lpn = Lpn(random.random_range(0..pages));
                match random.random_range(0..4) {
                    // In some runs whole translation pages are trimmed.
                    0 if seed % 3 == 0 => (0..A_PAGE)
                        .map(|at| Lpn(lpn.0 / A_PAGE * A_PAGE + at))
                        .filter(|lpn| lpn.0 < pages)
                        .for_each(|lpn| scheme.trim(lpn).unwrap()),
                    _ => scheme.write(lpn, Some(&bytes_of(random.random()))).unwrap(),
                }
            }
            let mut left = scheme.flash().clone();
            let spoils = seed % 4 == 3 && round == 3;
            if spoils {
                for _ in 0..6 {
                    _ = left.inner_mut().spoil(flash::Ppn(random.random_range(0..32 * 8)));
                }
            }
            let mut full = mounted(false, left.clone(), (&plan, &layout));
            let before = left.counts().get(Operation::Program, Cause::Mount);
            scheme = mounted(true, left, (&plan, &layout));
            rewritten += scheme.flash().counts().get(Operation::Program, Cause::Mount) - before;
            for lpn in (0..pages).map(Lpn) {
                let (mut ours, mut theirs) = (bytes_of(0), bytes_of(0));
                let found = scheme.read(lpn, Some(&mut ours));
                let wanted = full.read(lpn, Some(&mut theirs));
                assert_eq!((found, ours), (wanted, theirs), "{seed} {round} {lpn}");
            }
            if !spoils {
                check_valid(&mut scheme);
            }
            assert!(scheme.core.cmt.dirty() <= scheme.core.cmt.capacity());
        }
    }
    assert!(rewritten > 100, "{rewritten}");
}

/// A seal is taken for what it says if nothing was done after it, and for nothing else.
#[test]
fn a_sealed_array_is_mounted_from_its_map() {
    let config = config("lazy-rtgc-on-demand");
    let flash = array(32, 8, 4);
    let (plan, layout) = layout(&config, &flash);
    let pages = plan.logical_pages;
    let (mut clean, mut erased) = (0, 0);
    for seed in 0..120 {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut scheme = mounted(true, flash.clone(), (&plan, &layout));
        scheme.core.seals = true;
        // What was written last, and whether it is there.
        let mut model = vec![(0u32, false); pages as usize];
        for _ in 0..random.random_range(pages..6 * pages) {
            let (lpn, value) = (random.random_range(0..pages), random.random());
            let trims = random.random_range(0..5) == 0;
            if trims {
                scheme.trim(Lpn(lpn)).unwrap();
            } else {
                scheme.write(Lpn(lpn), Some(&bytes_of(value))).unwrap();
            }
            let old = model[lpn as usize].0;
            model[lpn as usize] = (if trims { old } else { value }, !trims);
        }
        scheme.shutdown().unwrap();
        let mut spoiled = None;
        match seed % 6 {
            0 | 1 => {}
            2 => {
                let lpn = random.random_range(0..pages);
                model[lpn as usize] = (7, true);
                scheme.write(Lpn(lpn), Some(&bytes_of(7))).unwrap();
            }
            3 | 4 => {
                for _ in 0..random.random_range(1..30) {
                    let lpn = random.random_range(0..pages);
                    scheme.trim(Lpn(lpn)).unwrap();
                    model[lpn as usize].1 = false;
                    while scheme.core.collect_invalid().unwrap() {
                        erased += 1;
                    }
                }
            }
            _ => spoiled = scheme.core.directory.iter().copied().find(|ppn| *ppn != u32::MAX),
        }
        let mut left = scheme.flash().clone();
        if let Some(page) = spoiled {
            left.inner_mut().spoil(flash::Ppn(page)).unwrap();
        }
        let reads = |flash: &Bench| flash.counts().get(Operation::ReadOob, Cause::Mount);
        let before = reads(&left);
        let mut full = mounted(false, left.clone(), (&plan, &layout));
        scheme = mounted(true, left, (&plan, &layout));
        let is_clean = scheme.core.cmt.dirty() == 0 && reads(scheme.flash()) - before < 160;
        clean += u32::from(is_clean);
        assert!(is_clean || seed % 6 > 1, "{seed}: {}", reads(scheme.flash()) - before);
        assert!(!is_clean || seed % 6 < 5 && seed % 6 != 2, "{seed}");
        for (lpn, (value, is_there)) in (0..pages).map(Lpn).zip(&model) {
            let mut found = bytes_of(0);
            let there = scheme.read(lpn, Some(&mut found)).unwrap();
            // A trimmed page may have come back in any version, if each page was looked at.
            if *is_there || there && is_clean {
                assert_eq!((there, &found), (true, &bytes_of(*value)), "{seed} {lpn}");
            }
            // Trims are remembered, where there is nothing after the seal.
            assert!(there == *is_there || seed % 6 > 1, "{seed} {lpn}");
            let theirs = full.read(lpn, Some(&mut found)).unwrap();
            assert!(theirs || !*is_there, "{seed} {lpn}");
        }
        check_valid(&mut scheme);
        // It goes on as any other.
        for lpn in draws(300, pages, seed) {
            scheme.write(Lpn(lpn), Some(&bytes_of(9))).unwrap();
        }
        check_valid(&mut scheme);
    }
    assert!(clean > 40 && erased > 20, "{clean} {erased}");
}

/// A seal that a mount did not believe, since a block was erased after it, is not believed later either: the numbers of that block
/// would be given again.
#[test]
fn a_seal_that_was_broken_stays_broken() {
    let config = config("lazy-rtgc-on-demand");
    let flash = array(32, 8, 4);
    let (plan, layout) = layout(&config, &flash);
    let pages = plan.logical_pages;
    let mut erased = 0;
    for seed in 0..200u64 {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut scheme = mounted(true, flash.clone(), (&plan, &layout));
        scheme.core.seals = true;
        for _ in 0..random.random_range(8..3 * pages) {
            scheme.write(Lpn(random.random_range(0..pages)), Some(&bytes_of(1))).unwrap();
        }
        scheme.shutdown().unwrap();
        let last = scheme.core.data.frontiers.behind().1.unwrap();
        let geometry = *scheme.core.medium.geometry();
        scheme = mounted(true, scheme.flash().clone(), (&plan, &layout));
        // What is in the last block is trimmed; then it is filled with one page, which is trimmed, too.
        let valid = |page: &u32| scheme.core.data.blocks.next_valid(last, *page) == Some(*page);
        let lpns: Vec<Lpn> = (0..8)
            .filter(valid)
            .filter_map(|page| scheme.core.medium.flash.peek_lpn(geometry.ppn(last, page)))
            .filter(|lpn| lpn.0 < pages)
            .collect();
        for lpn in &lpns {
            scheme.trim(*lpn).unwrap();
            scheme.core.collect_invalid().unwrap();
        }
        let filler = lpns.first().copied().unwrap_or(Lpn(0));
        while scheme.core.data.frontiers.open().next().is_some() {
            scheme.write(filler, Some(&bytes_of(2))).unwrap();
        }
        scheme.trim(filler).unwrap();
        erased += u32::from(scheme.core.collect_invalid().unwrap());
        // By both mounts.
        let mut left = scheme.flash().clone();
        scheme = mounted(seed % 2 == 0, left, (&plan, &layout));
        let mut wrote = vec![];
        for at in 0..random.random_range(1..5u32) {
            let lpn = Lpn((at * 3 + 1) % pages);
            scheme.write(lpn, Some(&bytes_of(7))).unwrap();
            wrote.push(lpn);
        }
        left = scheme.flash().clone();
        for lean in [false, true] {
            let mut scheme = mounted(lean, left.clone(), (&plan, &layout));
            for lpn in &wrote {
                let mut read = bytes_of(0);
                assert!(scheme.read(*lpn, Some(&mut read)).unwrap(), "seed {seed}: {lpn}");
                assert_eq!(read, bytes_of(7), "seed {seed}: {lpn}");
            }
        }
    }
    assert!(erased > 100, "{erased}");
}
