//! The suites on schemes with an SLC cache: contents, bounds and accounts, power cuts, failing blocks, wear levelling,
//! write buffers, several units.

use crate::{passed_and_worn_out, passes, scheme};
use flash::faults::ProgramEraseFailure;
use flash::{AnyArray, BlockId, Cause, Flash, FlashError, Lpn, Operation as Op, Store, WearRule};
use ftl::{
    BufferPolicy, BufferSettings, FrontierSharing, FtlError, SchemeConfig, SlcCacheState, SlcSize,
    Start, VictimKind, WhenFull, registry,
};
use ftlkit_testkit::bench::{AnyScheme, array_of, bench, bench_of};
use ftlkit_testkit::conformance::{Case, Faults, accepted, spread, variants};
use ftlkit_testkit::operations::Pattern;
use ftlkit_testkit::power_cut::{self, Tally, every_cut, storm};
use ftlkit_testkit::shape::{SLC_SHAPES, Shape};

const SIZES: [SlcSize; 3] = [SlcSize::Static(100_000), SlcSize::Static(350_000), SlcSize::Dynamic];
const FULL: [WhenFull; 2] = [WhenFull::Direct, WhenFull::Fold];
const PRESETS: [&str; 2] = ["page-level", "fsr"];

/// The preset with each size of the cache and each destination of writes that find it full.
fn each(name: &str) -> Vec<SchemeConfig> {
    let plain = SchemeConfig { idle_collection: true, ..scheme(name) };
    let with =
        |(size, full)| SchemeConfig { slc: Some(size), slc_full: Some(full), ..plain.clone() };
    SIZES.into_iter().flat_map(|size| FULL.map(|full| (size, full))).map(with).collect()
}

fn each_of_all() -> Vec<SchemeConfig> {
    PRESETS.into_iter().flat_map(each).collect()
}

fn both(scheme: &SchemeConfig) -> [SchemeConfig; 2] {
    [FrontierSharing::Shared, FrontierSharing::Split]
        .map(|frontiers| SchemeConfig { frontiers: Some(frontiers), ..scheme.clone() })
}

#[test]
fn every_size_on_every_shape() {
    let mut passed = 0;
    for scheme in each_of_all().iter().flat_map(both) {
        for shape in accepted(&scheme, SLC_SHAPES, 0) {
            for pattern in Pattern::ALL {
                passes(&Case::new(scheme.clone(), shape, pattern, 1, 3000));
                passed += 1;
            }
        }
    }
    println!("{passed} cases passed");
    assert!(passed > 900, "{passed}");
}

#[test]
fn every_victim_policy_and_buffer() {
    let mut passed = 0;
    let lru = |aware| BufferSettings {
        policy: Some(Some(BufferPolicy::LRU)),
        aware: Some(aware),
        ..BufferSettings::default()
    };
    for scheme in each("page-level") {
        let victims = VictimKind::each(3)
            .map(|victim| SchemeConfig { victim: Some(victim), ..scheme.clone() });
        let buffers =
            [false, true].map(|aware| SchemeConfig { buffer: lru(aware), ..scheme.clone() });
        for scheme in victims.chain(buffers) {
            for shape in accepted(&scheme, &SLC_SHAPES[3..6], 0) {
                for pattern in [Pattern::Uniform, Pattern::SpreadInvalidation, Pattern::TrimStorm] {
                    passes(&Case::new(scheme.clone(), shape, pattern, 2, 2500));
                    passed += 1;
                }
            }
        }
    }
    assert!(passed > 150, "{passed}");
}

/// Just enough blocks for a few units, and more.
const ROOMY: [Shape; 4] = [
    Shape::new(13, 4, 1).with_bits(2),
    Shape::new(17, 6, 2).with_bits(3),
    Shape::new(24, 8, 8).with_bits(4),
    Shape::new(40, 9, 3).with_bits(3),
];

#[test]
fn several_units() {
    let mut passed = 0;
    for scheme in each_of_all().iter().flat_map(both) {
        for (counts, order) in
            [([2, 1, 1, 1], "cwdp"), ([2, 2, 1, 1], "wcdp"), ([1, 3, 1, 2], "pdwc")]
        {
            let scheme = spread(scheme.clone(), counts, order);
            for shape in accepted(&scheme, &ROOMY, 0) {
                for pattern in Pattern::ALL {
                    passes(&Case::new(scheme.clone(), shape, pattern, 3, 2500));
                    passed += 1;
                }
            }
        }
    }
    println!("{passed} cases passed");
    assert!(passed > 400, "{passed}");
}

fn cut_case(scheme: SchemeConfig, shape: Shape, pattern: Pattern, seed: u64) -> power_cut::Case {
    power_cut::Case { operations: 110, ..power_cut::Case::new(scheme, shape, pattern, seed) }
}

#[test]
fn a_cut_at_every_operation_loses_nothing() {
    let patterns = [
        Pattern::Uniform,
        Pattern::FillThenOverwrite,
        Pattern::SpreadInvalidation,
        Pattern::TrimStorm,
    ];
    let mut total = Tally::default();
    for scheme in each_of_all() {
        for units in [1, 2] {
            let scheme = spread(scheme.clone(), [units, 1, 1, 1], "cwdp");
            for shape in accepted(&scheme, &[SLC_SHAPES[1], SLC_SHAPES[2], ROOMY[0]], 0) {
                for pattern in patterns {
                    let case = cut_case(scheme.clone(), shape, pattern, 1);
                    total.add(&every_cut(&case).unwrap_or_else(|verdict| panic!("{verdict}")));
                }
            }
        }
    }
    println!("{total:?}");
    assert!(total.cuts == total.changes * 2 && total.changes > 10_000 && total.lost == 0);
    assert!(total.mount_cuts > 0);
}

#[test]
fn cuts_in_quick_succession_lose_nothing() {
    for scheme in each_of_all() {
        for (units, shape) in [(1, SLC_SHAPES[4]), (3, ROOMY[1])] {
            let scheme = spread(scheme.clone(), [units, 1, 1, 1], "cwdp");
            if accepted(&scheme, &[shape], 0).is_empty() {
                continue;
            }
            for seed in 0..24 {
                let pattern = [Pattern::Uniform, Pattern::FillThenOverwrite][seed as usize % 2];
                let case = cut_case(scheme.clone(), shape, pattern, seed);
                let case = power_cut::Case { operations: 600, ..case };
                let cuts = storm(&case, 40).unwrap_or_else(|verdict| panic!("{verdict}"));
                assert!(cuts > 5, "{cuts}");
            }
        }
    }
}

#[test]
fn bad_and_failing_blocks() {
    let mut cases = Vec::new();
    for scheme in each_of_all() {
        let scheme = SchemeConfig { spare_blocks: 12, ..scheme };
        for shape in accepted(&scheme, &[Shape::new(40, 9, 3).with_bits(3)], 2) {
            for seed in 0..4 {
                let case = Case::new(scheme.clone(), shape, Pattern::HotCold, seed, 3000);
                let faults = Faults { programs_per_million: 600, erases_per_million: 600 };
                cases.push(Case { bad: vec![2, 9], faults, ..case });
            }
        }
    }
    let all = cases.len() as u32;
    let [passed, worn_out] = passed_and_worn_out(cases);
    println!("{passed} passed, {worn_out} wore out");
    assert!(all >= 40 && passed > all / 2, "{passed} of {all}");
}

#[test]
fn static_wear_levelling_moves_blocks_in_slc_mode_as_they_are() {
    let rules = [
        WearRule::Gap(1),
        WearRule::Gap(6),
        WearRule::BlockErasingTable { threshold: 2, set_bits: 0 },
    ];
    let mut passed = 0;
    for scheme in each_of_all() {
        for rule in rules {
            let scheme = SchemeConfig { static_wear: Some(rule), ..scheme.clone() };
            for shape in accepted(&scheme, &[SLC_SHAPES[2], SLC_SHAPES[4]], 0) {
                for pattern in [Pattern::HotCold, Pattern::FillThenOverwrite, Pattern::TrimStorm] {
                    passes(&Case::new(scheme.clone(), shape, pattern, 3, 1500));
                    passed += 1;
                }
            }
        }
        let rule = WearRule::Gap(1);
        let scheme = SchemeConfig { static_wear: Some(rule), ..scheme };
        for shape in accepted(&scheme, &[SLC_SHAPES[2]], 0) {
            let case = cut_case(scheme.clone(), shape, Pattern::HotCold, 1);
            let case = power_cut::Case { operations: 60, go_on: 60, ..case };
            every_cut(&case).unwrap_or_else(|verdict| panic!("{verdict}"));
        }
    }
    assert!(passed > 100, "{passed}");
}

fn on(scheme: &SchemeConfig, shape: Shape) -> Box<AnyScheme> {
    registry::format(scheme, bench(shape.array(Store::All, &[]))).unwrap()
}

/// Pages programmed by the host in SLC mode and in the part's own, seen from the log.
fn cache(scheme: &AnyScheme) -> SlcCacheState {
    scheme.telemetry().slc_cache.unwrap()
}

fn write_all(scheme: &mut AnyScheme, pages: std::ops::Range<u32>) {
    let bytes = vec![1; 32];
    pages.for_each(|lpn| scheme.write(Lpn(lpn), Some(&bytes)).unwrap());
}

const TLC: Shape = Shape::new(20, 9, 8).with_bits(3);

fn with(size: SlcSize, full: WhenFull) -> SchemeConfig {
    SchemeConfig { slc: Some(size), slc_full: Some(full), ..scheme("page-level") }
}

/// Four of twenty blocks hold three pages each: twelve pages of the host, then writes go to the part's own mode.
#[test]
fn a_static_cache_takes_what_it_has_room_for_and_idle_time_empties_it() {
    let mut device = on(&with(SlcSize::Static(200_000), WhenFull::Direct), TLC);
    assert_eq!(device.logical_pages(), (20 - 4 - 1) * 9 - 1);
    write_all(&mut *device, 0..12);
    assert_eq!((cache(&*device).blocks, cache(&*device).log.written), (4, 12));
    write_all(&mut *device, 12..20);
    assert_eq!((cache(&*device).log.written, cache(&*device).log.direct), (12, 8));
    assert!(device.idles_on());
    let mut steps = 0;
    while device.idle().unwrap() {
        steps += 1;
    }
    let state = cache(&*device);
    assert_eq!((state.blocks, state.log.folded, state.log.folded_idle), (0, 4, 4));
    assert_eq!((state.log.moved, steps, device.idles_on()), (12, 8, false));
    let counts = *bench_of(&*device).counts();
    assert_eq!((counts.get(Op::Copy, Cause::Fold), counts.get(Op::Erase, Cause::Fold)), (12, 4));
    write_all(&mut *device, 0..12);
    assert_eq!(cache(&*device).log.written, 24);
}

/// With `fold` a write waits for room, and every page of the host is programmed in the cache.
#[test]
fn writes_may_wait_for_the_cache() {
    let mut device = on(&with(SlcSize::Static(200_000), WhenFull::Fold), TLC);
    let pages = device.logical_pages();
    write_all(&mut *device, 0..pages);
    let state = cache(&*device);
    assert_eq!((state.log.written, state.log.direct), (pages.into(), 0));
    let held = u64::from(state.blocks) * 3 - state.free_pages;
    assert_eq!(state.log.moved + held, u64::from(pages));
    let counts = *bench_of(&*device).counts();
    assert_eq!(counts.get(Op::Copy, Cause::FoldOnWrite), state.log.moved);
}

/// Blocks in SLC mode and pages in use share the space: the cache shrinks as the device fills, to nothing.
#[test]
fn a_dynamic_cache_shrinks_as_the_device_fills() {
    let mut device = on(&with(SlcSize::Dynamic, WhenFull::Direct), TLC);
    let pages = device.logical_pages();
    assert_eq!(pages, (20 - 1) * 9 - 1);
    let mut blocks = Vec::new();
    for lpn in 0..pages {
        write_all(&mut *device, lpn..lpn + 1);
        let state = cache(&*device);
        // An allowance of Λ − V pages, nine for each block.
        assert!(u64::from(state.blocks) * 9 + u64::from(lpn + 1) <= u64::from(pages), "{lpn}");
        blocks.push(state.blocks);
    }
    let most = blocks.iter().max().copied().unwrap();
    // (Λ − 3c) / 9 = c: an empty device takes a quarter of its pages in SLC mode.
    assert_eq!((most, blocks.last()), (14, Some(&0)));
    assert_eq!(cache(&*device).log.most_blocks, 14);
    // Trims give room back, and idle time makes free blocks of it.
    (0..pages / 2).for_each(|lpn| device.trim(Lpn(lpn)).unwrap());
    while device.idle().unwrap() {}
    let before = cache(&*device).log.written;
    write_all(&mut *device, 0..pages / 8);
    assert_eq!(cache(&*device).log.written, before + u64::from(pages / 8));
}

/// What a cache is said to take is what it takes, on an empty device, one in part in use and a full one.
#[test]
fn a_cache_takes_as_many_pages_as_are_told() {
    for (size, bits) in
        [(SlcSize::Static(200_000), 3), (SlcSize::Dynamic, 2), (SlcSize::Dynamic, 3)]
    {
        for used in [0, 1, 20, 80, u32::MAX] {
            let mut device =
                on(&with(size, WhenFull::Direct), Shape::new(20, 9, 8).with_bits(bits));
            let pages = device.logical_pages();
            let used = used.min(pages);
            write_all(&mut *device, 0..used);
            while device.idle().unwrap() {}
            device.restart_telemetry();
            let SlcCacheState { plan, log, blocks, free_pages } = cache(&*device);
            // An open block is not folded.
            let block = u64::from(plan.block_pages);
            let held = u64::from(blocks) * block - free_pages;
            let told = plan.fillable_pages(log.in_use, pages.into(), 9);
            let mut taken = 0;
            for n in 0..pages {
                let lpn = (used + n) % pages;
                write_all(&mut *device, lpn..lpn + 1);
                let log = cache(&*device).log;
                if log.direct + log.folded > 0 {
                    break;
                }
                taken = log.written;
            }
            assert_eq!(log.in_use, u64::from(used));
            // A dynamic cache also leaves the blocks free that collection needs.
            let near = if size == SlcSize::Dynamic { 2 * block } else { 0 };
            let what =
                format!("{size:?}, {bits} bits, {used} in use: {taken} and {held} of {told}");
            assert!((told.saturating_sub(near)..=told).contains(&(taken + held)), "{what}");
        }
    }
}

/// An array is mounted without a cache, with a smaller one and with a larger one, and holds what it held.
#[test]
fn an_array_may_be_mounted_with_another_cache() {
    let sizes = [
        None,
        Some(SlcSize::Static(50_000)),
        Some(SlcSize::Static(400_000)),
        Some(SlcSize::Dynamic),
    ];
    for first in sizes {
        for second in sizes {
            let config = |slc| SchemeConfig {
                slc,
                logical_pages: Some(90),
                spare_blocks: 1,
                ..scheme("page-level")
            };
            let mut device = on(&config(first), TLC);
            for round in 0..3 {
                let bytes = vec![round; 32];
                (round.into()..90).for_each(|lpn| device.write(Lpn(lpn), Some(&bytes)).unwrap());
            }
            let array = array_of(device);
            let mut device = registry::mount(&config(second), bench(array)).unwrap();
            for lpn in 0..90 {
                let mut bytes = vec![9; 32];
                device.read(Lpn(lpn), Some(&mut bytes)).unwrap();
                assert_eq!(u32::from(bytes[0]), lpn.min(2), "{first:?} to {second:?}: {lpn}");
            }
            for _ in 0..4 {
                write_all(&mut *device, 0..90);
            }
            while device.idle().unwrap() {}
            if let Some(SlcSize::Static(share)) = second {
                assert!(
                    cache(&*device).blocks <= 19 * share / 1_000_000,
                    "{first:?} to {second:?}"
                );
            }
        }
    }
}

/// The mode that was set before a power cut, with nothing programmed, does not outlive the next start.
#[test]
fn a_mode_without_a_page_ends_with_the_start() {
    for start in [Start::Format, Start::Mount] {
        let mut array = TLC.array(Store::All, &[]);
        (0..20).for_each(|block| array.set_slc(BlockId(block), true).unwrap());
        let plain = scheme("page-level");
        let array = bench(array);
        let mut device = match start {
            Start::Format => registry::format(&plain, array).unwrap(),
            Start::Mount => registry::mount(&plain, array).unwrap(),
        };
        for _ in 0..3 {
            let pages = device.logical_pages();
            write_all(&mut *device, 0..pages);
        }
    }
}

#[test]
fn who_cannot_have_a_cache_says_why() {
    let refusal = |config: &SchemeConfig, shape: Shape| {
        let plan = registry::plan(config, &shape.part(), &shape.geometry(), shape.blocks);
        match plan.unwrap_err() {
            FtlError::Config { setting, reason, .. } => format!("{setting} {reason}"),
            error => panic!("{error}"),
        }
    };
    for preset in registry::REGISTRY.iter().filter(|preset| !PRESETS.contains(&preset.name)) {
        let config = SchemeConfig { slc: Some(SlcSize::Dynamic), ..SchemeConfig::preset(preset) };
        let said = refusal(&config, TLC);
        assert!(said.contains("count on blocks of one size"), "{said}");
    }
    let cache = |size| with(size, WhenFull::Direct);
    for (config, shape, expected) in [
        (cache(SlcSize::Dynamic), Shape { bits: 1, ..TLC }, "needs an MLC, TLC or QLC part"),
        (cache(SlcSize::Static(0)), TLC, "more than 0%"),
        (cache(SlcSize::Static(1_000_000)), TLC, "less than 100%"),
        (cache(SlcSize::Static(950_000)), TLC, "sets 19 of 20 non-spare blocks aside"),
        (
            SchemeConfig { slc_full: Some(WhenFull::Fold), ..scheme("page-level") },
            TLC,
            "slc_full needs an SLC cache",
        ),
    ] {
        let said = refusal(&config, shape);
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn the_settings_are_among_the_variants() {
    for name in PRESETS {
        let variants = variants(registry::by_name(name).unwrap());
        assert!(variants.iter().filter(|scheme| scheme.slc.is_some()).count() >= 5);
    }
}

/// Writes until no spare block is left: they are refused then, and what was taken is read.
#[test]
fn a_device_that_takes_no_writes_can_be_read() {
    for config in each_of_all() {
        let (mut refused_in_all, mut read) = (0, 0);
        for seed in 0..20 {
            let mut array = ProgramEraseFailure::new(TLC.array(Store::All, &[]), seed);
            array.fail_programs(3000);
            array.fail_erases(1000);
            let config = SchemeConfig { spare_blocks: seed as u32 % 3 * 2, ..config.clone() };
            let array = AnyArray::new(flash::WearLevel::off(flash::Serial::new(array)));
            let mut device = registry::format(&config, array).unwrap();
            let pages = device.logical_pages();
            let mut versions = vec![vec![0u64]; pages as usize];
            let (mut bytes, mut refused) = (vec![0; 32], 0);
            for version in 1..=4000u64 {
                let lpn = (version * 7919 % u64::from(pages)) as u32;
                bytes[..8].copy_from_slice(&version.to_le_bytes());
                match device.write(Lpn(lpn), Some(&bytes)) {
                    Ok(()) => versions[lpn as usize] = vec![version],
                    Err(FtlError::Full { .. }) => {
                        versions[lpn as usize].push(version);
                        refused += 1;
                    }
                    Err(error) => panic!("write {version}, seed {seed}: {error}"),
                }
                let lpn = (version * 104_729 % u64::from(pages)) as u32;
                device.read(Lpn(lpn), Some(&mut bytes)).unwrap();
                let found = u64::from_le_bytes(bytes[..8].try_into().unwrap());
                assert!(versions[lpn as usize].contains(&found), "page {lpn}, seed {seed}");
                read += 1;
                if refused > 200 {
                    break;
                }
            }
            refused_in_all += refused;
        }
        assert!(read > 1000 && refused_in_all > 0, "{read} read, {refused_in_all} refused");
    }
}

/// The array itself keeps a block in SLC mode to its pages.
#[test]
fn the_array_refuses_what_a_block_in_slc_mode_does_not_hold() {
    let mut array = TLC.array(Store::All, &[]);
    let block = BlockId(3);
    let ppn = |page| TLC.geometry().ppn(block, page);
    array.set_slc(block, true).unwrap();
    let program = |array: &mut flash::Array, page: u32| {
        array.program(ppn(page), flash::Oob::data(Lpn(page), 1), None, Cause::Host)
    };
    (0..3).for_each(|page| program(&mut array, page).unwrap());
    assert_eq!(program(&mut array, 3), Err(FlashError::BeyondSlc { ppn: ppn(3), pages: 3 }));
    let copy = array.copy(ppn(0), ppn(3), 2, Cause::Fold);
    assert_eq!(copy, Err(FlashError::BeyondSlc { ppn: ppn(3), pages: 3 }));
    assert_eq!(array.set_slc(block, false), Err(FlashError::SlcMode(block)));
    assert!(array.is_slc(block));
    array.erase(block, Cause::Fold).unwrap();
    assert!(!array.is_slc(block));
    (0..9).for_each(|page| program(&mut array, page).unwrap());
    let mut slc = Shape { bits: 1, ..TLC }.array(Store::All, &[]);
    assert_eq!(slc.set_slc(block, true), Err(FlashError::SlcMode(block)));
}
