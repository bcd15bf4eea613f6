//! The suites on page-mapped schemes that write to several units in turns, with shared and with split frontiers.

use crate::{passed_and_worn_out, passes, scheme as preset_of};
use flash::faults::PowerCut;
use flash::{AnyArray, Array, Flash, Lpn, Store};
use ftl::{FrontierSharing, FtlError, Guarantee, Plan, Preset, SchemeConfig, VictimKind, registry};
use ftlkit_testkit::checks::Failure;
use ftlkit_testkit::conformance::{
    Case, Faults, accepted, logical_pages, page_mapped, spread, variants, with_idle,
};
use ftlkit_testkit::depth::{in_turns, whole};
use ftlkit_testkit::driver::Medium;
use ftlkit_testkit::exhaustive::{Proof, Refutation, Search, prove_by, prove_planned};
use ftlkit_testkit::operations::{Pattern, operations};
use ftlkit_testkit::power_cut::{self, Tally, every_cut, storm};
use ftlkit_testkit::projection::ByUnits;
use ftlkit_testkit::run::{End, Run};
use ftlkit_testkit::shape::{CHANNEL_SHAPES, SHAPES, Shape};
use ftlkit_testkit::shared::Shared;
use ftlkit_testkit::watched::Watched;
use proptest::prelude::*;

/// Channels, ways, dies and planes, and the allocation order.
type Units = ([u16; 4], &'static str);

const UNITS: &[Units] = &[
    ([2, 1, 1, 1], "cwdp"),
    ([3, 1, 1, 1], "cwdp"),
    ([2, 2, 1, 1], "wcdp"),
    ([1, 3, 1, 2], "pwdc"),
    ([2, 1, 3, 1], "dcwp"),
];

/// Just enough blocks for two, three and six units, and more.
const ROOMY: &[Shape] = &[
    Shape::new(5, 4, 1),
    Shape::new(7, 5, 2),
    Shape::new(13, 4, 3),
    Shape::new(16, 8, 3),
    Shape::new(33, 16, 8),
];

fn every_scheme_of(patterns: &[Pattern]) {
    for preset in page_mapped() {
        let mut passed = 0;
        for (of_units, (counts, order)) in UNITS.iter().enumerate() {
            for (of_variant, scheme) in variants(preset).into_iter().enumerate() {
                let scheme = spread(scheme, *counts, order);
                let shapes = [ROOMY, SHAPES].map(|shapes| accepted(&scheme, shapes, 0));
                // Each variant takes each shape with some units.
                for shape in in_turns(shapes.into_iter().flatten(), 3, of_units + of_variant) {
                    for pattern in patterns {
                        passes(&Case::new(scheme.clone(), shape, *pattern, 1, 2000));
                        passed += 1;
                    }
                }
            }
        }
        println!("{}: {passed} cases passed", preset.name);
        assert!(passed >= 13 * patterns.len(), "{}: {passed}", preset.name);
    }
}

#[test]
fn every_scheme_and_setting_in_turns_even() {
    every_scheme_of(&[Pattern::Uniform, Pattern::HotCold, Pattern::Interleaved]);
}

#[test]
fn every_scheme_and_setting_in_turns_adversarial() {
    every_scheme_of(&[Pattern::FillThenOverwrite, Pattern::SpreadInvalidation]);
}

#[test]
fn every_scheme_and_setting_in_turns_trims() {
    every_scheme_of(&[Pattern::Sequential, Pattern::TrimStorm]);
}

/// The smallest arrays with room for this number of units, with shared and with split frontiers.
fn tight(units: u16) -> [Shape; 5] {
    let units = u32::from(units);
    let (shared, split) = (2 * units + 1, 3 * units + 2);
    [
        Shape::new(shared, 3, 1),
        Shape::new(shared, 4, 2),
        Shape::new(shared + 2, 5, 2),
        Shape::new(split, 4, 2),
        Shape::new(split + 1, 6, 2),
    ]
}

/// The scheme with shared and with split frontiers.
fn both(scheme: &SchemeConfig) -> [SchemeConfig; 2] {
    [FrontierSharing::Shared, FrontierSharing::Split]
        .map(|frontiers| SchemeConfig { frontiers: Some(frontiers), ..scheme.clone() })
}

/// The preset with idle collection, with shared and with split frontiers.
fn each_way(preset: &'static Preset) -> Vec<SchemeConfig> {
    both(&with_idle(preset)).into()
}

fn all_with_frontiers() -> Vec<&'static Preset> {
    let presets = registry::REGISTRY.iter().copied();
    presets.filter(|preset| preset.settings.contains(&"frontiers")).collect()
}

fn cut_case(scheme: SchemeConfig, shape: Shape, pattern: Pattern, seed: u64) -> power_cut::Case {
    power_cut::Case { operations: 110, ..power_cut::Case::new(scheme, shape, pattern, seed) }
}

fn all_pass<T>(verdicts: impl Iterator<Item = Result<T, power_cut::Verdict>>) -> Vec<T> {
    verdicts.map(|verdict| verdict.unwrap_or_else(|verdict| panic!("{verdict}"))).collect()
}

/// The preset with its own victim policy, and with policies that have state of their own, if it accepts them.
fn cut_schemes(preset: &'static Preset, shape: &Shape) -> Vec<SchemeConfig> {
    let plain = with_idle(preset);
    let kinds = [None, Some(VictimKind::COST_BENEFIT), Some(VictimKind::TWO_LEVEL_LIST)];
    let schemes = kinds.map(|victim| SchemeConfig { victim, ..plain.clone() });
    let works = |scheme: &SchemeConfig| !accepted(scheme, &[*shape], 0).is_empty();
    let few = if preset.name == "page-level" { 3 } else { 1 };
    schemes.into_iter().filter(works).take(few).collect()
}

#[test]
fn a_cut_at_every_operation_loses_nothing() {
    let mut total = Tally::default();
    for preset in page_mapped() {
        for units in [1, 2, 3] {
            for shape in tight(units) {
                let schemes = cut_schemes(preset, &shape);
                for scheme in schemes.iter().flat_map(both) {
                    let scheme = spread(scheme, [units, 1, 1, 1], "cwdp");
                    let patterns = [
                        Pattern::Uniform,
                        Pattern::FillThenOverwrite,
                        Pattern::SpreadInvalidation,
                        Pattern::TrimStorm,
                    ];
                    if accepted(&scheme, &[shape], 0).is_empty() {
                        continue;
                    }
                    let cases = patterns.map(|pattern| cut_case(scheme.clone(), shape, pattern, 1));
                    for tally in all_pass(cases.iter().map(every_cut)) {
                        total.add(&tally);
                    }
                }
            }
        }
    }
    println!("{total:?}");
    assert!(total.cuts == total.changes * 2 && total.changes > 10_000 && total.lost == 0);
    assert!(total.mount_cuts > total.cuts / 4);
}

#[test]
fn cuts_in_quick_succession_lose_nothing() {
    let mut stormed = 0;
    for preset in page_mapped() {
        for ((counts, order), shape) in UNITS.iter().zip([
            Shape::new(7, 6, 2),
            Shape::new(9, 5, 3),
            Shape::new(13, 6, 2),
            Shape::new(17, 4, 1),
            Shape::new(15, 8, 3),
        ]) {
            for scheme in each_way(preset) {
                let scheme = spread(scheme, *counts, order);
                let units = scheme.allocation.units();
                let larger = Shape { blocks: shape.blocks + units + 1, ..shape };
                // With collection in steps, split frontiers take that many more blocks.
                let shape = accepted(&scheme, &[shape, larger], 0)[0];
                let seeds = (0..24).map(|seed| {
                    let pattern = [Pattern::Uniform, Pattern::FillThenOverwrite][seed as usize % 2];
                    let case = cut_case(scheme.clone(), shape, pattern, seed);
                    storm(&power_cut::Case { operations: 600, ..case }, 40)
                });
                assert!(all_pass(seeds).into_iter().all(|cuts| cuts > 5));
                stormed += 1;
            }
        }
    }
    assert_eq!(stormed, page_mapped().len() * UNITS.len() * 2);
}

/// Cuts in close succession, so that most pages of some blocks are torn. With a spare block kept free, writes
/// succeed.
#[test]
fn torn_pages_in_a_row_leave_each_unit_in_order() {
    for preset in page_mapped() {
        for units in [1, 2, 3] {
            for scheme in each_way(preset) {
                let scheme = SchemeConfig { spare_blocks: 1, ..scheme };
                let scheme = spread(scheme, [1, 1, 1, units], "pcwd");
                let shape = Shape::new(3 * u32::from(units) + 4, 6, 2);
                let seeds = (0..40).map(|seed| {
                    let case = cut_case(scheme.clone(), shape, Pattern::HotCold, seed);
                    storm(&power_cut::Case { operations: 500, torn_in_a_row: 3, ..case }, 6)
                });
                assert!(all_pass(seeds).into_iter().all(|cuts| cuts > 50));
            }
        }
    }
}

#[test]
fn failing_programs_and_erases() {
    for preset in page_mapped() {
        let arrays =
            [(1, Shape::new(36, 8, 3)), (2, Shape::new(40, 8, 3)), (3, Shape::new(42, 6, 2))];
        let cases = arrays.into_iter().flat_map(|(units, shape)| {
            let schemes = both(&SchemeConfig { spare_blocks: 24, ..SchemeConfig::preset(preset) });
            let schemes = schemes.map(|scheme| spread(scheme, [units, 1, 1, 1], "cwdp"));
            let faults = Faults { programs_per_million: 600, erases_per_million: 500 };
            let seeds = (0..12).flat_map(|seed| Pattern::ALL.map(|pattern| (seed, pattern)));
            seeds.flat_map(move |(seed, pattern)| {
                schemes.clone().map(|scheme| {
                    let case = Case::new(scheme, shape, pattern, seed, 3000);
                    Case { faults, ..case }
                })
            })
        });
        let [passed, worn_out] = passed_and_worn_out(cases);
        println!("{}: {passed} cases passed, {worn_out} wore out", preset.name);
        assert!(worn_out * 20 < passed, "{}: {worn_out} of {passed} wore out", preset.name);
    }
}

/// A unit with only bad blocks is skipped, and so is one with fewer good blocks than the others.
#[test]
fn units_without_good_blocks() {
    for preset in page_mapped() {
        for bad in [vec![1, 5, 9, 13], vec![0, 4, 8], vec![2, 3, 6, 7]] {
            for pattern in Pattern::ALL {
                for scheme in both(&SchemeConfig::preset(preset)) {
                    let scheme = SchemeConfig { spare_blocks: 4, ..scheme };
                    let scheme = spread(scheme, [2, 2, 1, 1], "wcdp");
                    let case = Case::new(scheme, Shape::new(20, 8, 3), pattern, 2, 3000);
                    passes(&Case { bad: bad.clone(), ..case });
                }
            }
        }
    }
}

/// Two copy paths, either of which may be faster: the copies of a victim use both, one at a time.
#[test]
fn on_channels_whose_copies_go_two_ways() {
    for preset in page_mapped() {
        let mut passed = 0;
        for (counts, order) in UNITS {
            for scheme in variants(preset) {
                let scheme = spread(scheme, *counts, order);
                for shape in accepted(&scheme, CHANNEL_SHAPES, 0) {
                    for pattern in [Pattern::Uniform, Pattern::SpreadInvalidation] {
                        passes(&Case::new(scheme.clone(), shape, pattern, 1, 1500));
                        passed += 1;
                    }
                }
            }
        }
        println!("{}: {passed} cases passed", preset.name);
        assert!(passed >= 9, "{}: {passed}", preset.name);
    }
}

/// States by what is in each unit.
fn by_units(config: &SchemeConfig) -> ByUnits {
    ByUnits { units: config.allocation.units() }
}

fn searched(
    name: &str,
    frontiers: FrontierSharing,
    shape: Shape,
    units: u16,
    search: Search,
) -> Proof {
    let plain = SchemeConfig { frontiers: Some(frontiers), ..preset_of(name) };
    let config = spread(plain, [units, 1, 1, 1], "cwdp");
    match prove_by(&config, shape.array(Store::Metadata, &[]), search, &by_units(&config)) {
        Ok(proof) => {
            println!("{name} on {shape}, {units} units: {proof}");
            proof
        }
        Err(refutation) => panic!("{name} on {shape}, {units} units: {refutation}"),
    }
}

#[test]
fn no_sequence_of_requests_that_was_searched_breaks_a_promise() {
    for (shape, units) in [
        (Shape::new(5, 3, 1), 2),
        (Shape::new(5, 4, 1), 2),
        (Shape::new(5, 5, 2), 2),
        (Shape::new(6, 4, 2), 2),
        (Shape::new(7, 3, 1), 3),
    ] {
        let every = Search { every_page: true, most_operations: 14, ..Search::default() };
        for name in ["lazy-rtgc", "page-level"] {
            searched(name, FrontierSharing::Shared, shape, units, Search::default());
            searched(name, FrontierSharing::Shared, shape, units, every);
        }
    }
}

/// Also with one unit, which has two frontiers.
#[test]
fn nor_with_split_frontiers() {
    let split = FrontierSharing::Split;
    let few = Search::default();
    for (shape, units) in [
        (Shape::new(4, 4, 1), 1),
        (Shape::new(5, 5, 2), 1),
        (Shape::new(5, 4, 1), 2),
        (Shape::new(6, 4, 2), 2),
    ] {
        let every = Search { every_page: true, most_operations: 14, ..few };
        searched("page-level", split, shape, units, few);
        searched("page-level", split, shape, units, every);
    }
    for (shape, units) in [
        (Shape::new(5, 4, 1), 1),
        (Shape::new(6, 5, 2), 1),
        (Shape::new(8, 3, 1), 2),
        (Shape::new(8, 4, 1), 2),
        (Shape::new(9, 3, 2), 2),
        (Shape::new(9, 4, 2), 2),
    ] {
        // 17 million transitions.
        if (shape.blocks, shape.pages_per_block) == (9, 4) && !whole() {
            continue;
        }
        let every = Search { every_page: true, most_operations: 14, ..few };
        searched("lazy-rtgc", split, shape, units, few);
        searched("lazy-rtgc", split, shape, units, every);
    }
}

/// A faulty plan that takes partly written and free blocks for full ones at the start of collection. It is made for
/// one unit and all blocks, and only starts collection earlier. Its victims exceed the bound on valid pages, and it
/// fills the array.
#[test]
fn counting_the_blocks_of_other_units_as_full_is_found_out() {
    let preset = registry::by_name("lazy-rtgc").unwrap();
    let config = spread(SchemeConfig::preset(preset), [2, 1, 1, 1], "cwdp");
    let shape = Shape::new(5, 4, 1);
    let search = |plan: &Plan, ignore_victim_bound| {
        let search = Search { ignore_victim_bound, ..Search::default() };
        let array = shape.array(Store::Metadata, &[]);
        prove_planned(&config, plan, array, search, &by_units(&config))
    };
    let planned = |config: &SchemeConfig| {
        registry::plan(config, &shape.part(), &shape.geometry(), shape.blocks).unwrap()
    };
    let sound = planned(&config);
    assert!(search(&sound, false).is_ok());
    let one_unit = planned(&SchemeConfig::preset(preset));
    let spoilt = Plan { threshold_pages: sound.threshold_pages, ..one_unit };
    let Err(Refutation::Broken { failure, operations }) = search(&spoilt, false) else {
        panic!("not found out");
    };
    println!("{failure}, by {operations:?}");
    assert!(matches!(failure, Failure::Promise { what: "valid pages", .. }), "{failure}");
    let Err(Refutation::Broken { failure, operations }) =
        search(&Plan { logical_pages: 14, ..spoilt }, true)
    else {
        panic!("the array never fills");
    };
    println!("{failure}, by {operations:?}");
    assert!(matches!(failure, Failure::Scheme { error: FtlError::Full { .. }, .. }), "{failure}");
}

#[test]
fn too_few_blocks_and_too_many_pages_are_refused() {
    let shape = Shape::new(12, 8, 3);
    for preset in page_mapped() {
        let plan = |scheme: &SchemeConfig| {
            registry::plan(scheme, &shape.part(), &shape.geometry(), shape.blocks)
        };
        let frontiers = Some(FrontierSharing::Shared);
        let shared = SchemeConfig { frontiers, ..SchemeConfig::preset(preset) };
        let scheme = spread(shared.clone(), [3, 2, 1, 1], "cwdp");
        let Err(FtlError::Config { setting, reason, .. }) = plan(&scheme) else {
            panic!("{}: six units on 12 blocks", preset.name);
        };
        assert!(setting == "channels" && reason.contains("at least 13"), "{reason}");
        assert!(reason.contains("enough for 5 units"), "{reason}");
        let most = spread(shared.clone(), [u16::MAX; 4], "cwdp");
        assert!(matches!(plan(&most), Err(FtlError::Config { setting: "channels", .. })));
        // Five units have room. The exported space is that of 12 − 2 × 4 blocks and one unit, collected 4 blocks
        // earlier.
        let five = plan(&spread(scheme.clone(), [5, 1, 1, 1], "cwdp")).unwrap();
        let few = Shape { blocks: 4, ..shape };
        let one = registry::plan(&shared, &few.part(), &few.geometry(), 4);
        let one = one.unwrap();
        assert_eq!(five.logical_pages, one.logical_pages, "{}", preset.name);
        assert_eq!(five.threshold_pages, one.threshold_pages + 4 * 8);
        // Of units nothing is known of collections in a row.
        assert_eq!(five.guarantee, Guarantee { collections: None, ..one.guarantee });
        assert_eq!(five.ram.other, one.ram.other + 5 * 16);
        let too_many = SchemeConfig { logical_pages: Some(12 * 8), ..scheme };
        let Err(FtlError::Config { setting, .. }) = plan(&spread(too_many, [5, 1, 1, 1], "cwdp"))
        else {
            panic!("{}: all pages exported", preset.name);
        };
        assert_eq!(setting, "logical share");
    }
}

/// The cost of split frontiers: for whole-block collection only more valid pages per victim, else F + 1 blocks.
#[test]
fn the_space_of_split_frontiers() {
    let shape = Shape::new(20, 8, 3);
    for preset in page_mapped() {
        for units in [1, 2, 4] {
            let plan = |scheme: &SchemeConfig, blocks: u32| {
                let shape = Shape { blocks, ..shape };
                let scheme = spread(scheme.clone(), [units, 1, 1, 1], "cwdp");
                registry::plan(&scheme, &shape.part(), &shape.geometry(), blocks)
            };
            let [shared, split] = both(&SchemeConfig::preset(preset));
            let units = u32::from(units);
            let in_steps = ["lazy-rtgc", "2lgc"].contains(&preset.name);
            let fewer = if in_steps { units + 1 } else { 0 };
            let [shared, split] = [plan(&shared, 20 - fewer), plan(&split, 20)].map(Result::unwrap);
            assert_eq!(split.logical_pages, shared.logical_pages, "{}", preset.name);
            let later = split.threshold_pages - shared.threshold_pages;
            assert_eq!(later, if in_steps { 8 } else { 0 });
            assert_eq!(split.ram.other - shared.ram.other, u64::from(units) * 16);
            let [few, more] = [&shared, &split].map(|plan| plan.guarantee.victim_valid.unwrap());
            if in_steps {
                assert_eq!(few, more, "{}", preset.name);
            } else {
                let full = 20 - 3 * units + 1;
                assert_eq!(more, (split.logical_pages / full).min(7), "{}", preset.name);
            }
        }
        let [_, split] = both(&SchemeConfig::preset(preset));
        let few = Shape { blocks: 9, ..shape };
        let config = spread(split, [4, 1, 1, 1], "cwdp");
        let planned = registry::plan(&config, &few.part(), &few.geometry(), 9);
        match planned {
            Ok(_) => assert!(!["lazy-rtgc", "2lgc"].contains(&preset.name)),
            Err(FtlError::Config { setting, reason, .. }) => {
                assert!(setting == "channels" && reason.contains("at least 14"), "{reason}");
                assert!(reason.contains("split") && reason.contains("for 2 units"), "{reason}");
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Schemes without the choice refuse the setting.
#[test]
fn frontiers_are_no_setting_of_others() {
    let shape = Shape::new(48, 8, 8);
    let with = all_with_frontiers();
    assert_eq!(with.len(), page_mapped().len() + 1);
    for preset in registry::REGISTRY.iter().filter(|preset| !with.contains(*preset)) {
        for scheme in both(&SchemeConfig::preset(preset)) {
            let plan = registry::plan(&scheme, &shape.part(), &shape.geometry(), shape.blocks);
            assert!(
                matches!(plan, Err(FtlError::Config { setting: "frontiers", .. })),
                "{}",
                preset.name
            );
        }
    }
}

/// Schemes of other families have their own kind of frontiers.
#[test]
fn other_families_are_not_concerned() {
    let shape = Shape::new(48, 8, 8);
    let mapped = page_mapped();
    for preset in registry::REGISTRY.iter().filter(|preset| !mapped.contains(*preset)) {
        let plain = SchemeConfig::preset(preset);
        let plan = |scheme| registry::plan(scheme, &shape.part(), &shape.geometry(), shape.blocks);
        let in_turns = spread(plain.clone(), [4, 2, 2, 1], "cwdp");
        assert_eq!(plan(&in_turns).unwrap(), plan(&plain).unwrap(), "{}", preset.name);
        passes(&Case::new(in_turns, shape, Pattern::HotCold, 1, 2000));
    }
}

/// Writes this number of pages in order and returns the block of each.
fn fill(config: &SchemeConfig, array: Array, pages: u32) -> (Watched, Vec<u32>) {
    let mut scheme = registry::format(config, AnyArray::new(Watched::new(array))).unwrap();
    (0..pages).for_each(|lpn| scheme.write(Lpn(lpn), None).unwrap());
    let watched: Watched = scheme.into_flash().downcast().unwrap();
    let block = |lpn| watched.geometry().block_of(watched.place(Lpn(lpn)).unwrap()).0;
    let blocks = (0..pages).map(block).collect();
    (watched, blocks)
}

#[test]
fn pages_go_to_the_units_in_turns() {
    let shape = Shape::new(48, 8, 8);
    for (counts, order) in UNITS {
        let scheme = spread(preset_of("fsr"), *counts, order);
        let (_, blocks) = fill(&scheme, shape.array(Store::Metadata, &[]), 200);
        let units = scheme.allocation.units();
        let written: Vec<u32> = blocks.iter().map(|block| block % units).collect();
        let turns = scheme.allocation.turns();
        assert_eq!(written, turns.iter().copied().cycle().take(200).collect::<Vec<_>>());
    }
}

/// Writes random pages until much of the array was collected, and records the newest version of each page.
fn write_at_random(scheme: &mut ftl::AnyScheme, writes: u32, newest: &mut [u64]) {
    let size = scheme.flash().geometry().page_bytes() as usize;
    let mut bytes = vec![0; size];
    let mut state = u64::from(writes) * 2 + 1;
    for write in 0..writes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let lpn = (state >> 33) as usize % newest.len();
        newest[lpn] = (newest[lpn] + 1).max(u64::from(write) << 8);
        bytes[..8].copy_from_slice(&newest[lpn].to_le_bytes());
        scheme.write(Lpn(lpn as u32), Some(&bytes)).unwrap();
    }
}

/// An array can be mounted with any other units, order and frontiers, read back, and written further.
#[test]
fn an_array_written_with_other_units_or_frontiers_is_mounted() {
    let shape = Shape::new(64, 8, 8);
    for preset in all_with_frontiers() {
        let plain = SchemeConfig { logical_pages: Some(200), ..SchemeConfig::preset(preset) };
        let of = |(counts, order): &Units| both(&spread(plain.clone(), *counts, order));
        let all: Vec<SchemeConfig> = UNITS.iter().flat_map(of).chain(both(&plain)).collect();
        for from in &all {
            let array = AnyArray::new(shape.array(Store::All, &[]));
            let mut scheme = registry::format(from, array).unwrap();
            let mut newest = vec![0; 200];
            write_at_random(&mut *scheme, 1500, &mut newest);
            let array: Array = scheme.into_flash().downcast().unwrap();
            for to in &all {
                let mut newest = newest.clone();
                let mut array = array.clone();
                // Two mounts: to the other configuration and back.
                for config in [to, from] {
                    let mut scheme = registry::mount(config, AnyArray::new(array)).unwrap();
                    let mut bytes = vec![0; shape.geometry().page_bytes() as usize];
                    let mut read = |scheme: &mut ftl::AnyScheme, newest: &[u64]| {
                        for (lpn, newest) in (0..).zip(newest) {
                            let written = scheme.read(Lpn(lpn), Some(&mut bytes)).unwrap();
                            assert_eq!(written, *newest > 0, "{} L{lpn}", preset.name);
                            assert!(!written || bytes[..8] == newest.to_le_bytes(), "L{lpn}");
                        }
                    };
                    read(&mut *scheme, &newest);
                    write_at_random(&mut *scheme, 700, &mut newest);
                    read(&mut *scheme, &newest);
                    array = scheme.into_flash().downcast().unwrap();
                }
            }
        }
    }
}

/// Sequential overwrites need no copies once all data written otherwise is overwritten. This holds with split
/// frontiers and any number of units.
#[test]
fn sequential_overwrites_come_to_cost_nothing() {
    let shape = Shape::new(96, 16, 8);
    for preset in ["page-level", "fsr"].map(|name| registry::by_name(name).unwrap()) {
        for units in [1, 2, 4] {
            let copies =
                both(&SchemeConfig { logical_pages: Some(1100), ..SchemeConfig::preset(preset) })
                    .map(|scheme| {
                        let scheme = spread(scheme, [units, 1, 1, 1], "cwdp");
                        let array = AnyArray::new(Watched::new(shape.array(Store::Metadata, &[])));
                        let mut scheme = registry::format(&scheme, array).unwrap();
                        write_at_random(&mut *scheme, 8000, &mut vec![0; 1100]);
                        let lap = |scheme: &mut ftl::AnyScheme| {
                            (0..1100).for_each(|lpn| scheme.write(Lpn(lpn), None).unwrap());
                        };
                        (0..6).for_each(|_| lap(&mut *scheme));
                        scheme.restart_telemetry();
                        lap(&mut *scheme);
                        let log = scheme.telemetry().collections;
                        let valid =
                            (0..).zip(&log.victim_valid).map(|(valid, count)| valid * count);
                        valid.sum::<u64>()
                    });
            println!("{} on {units} units: {copies:?} copies in the last lap", preset.name);
            assert_eq!(copies[1], 0, "{} on {units} units", preset.name);
        }
    }
}

proptest! {
    #![proptest_config(crate::cases(200))]

    /// Random operations with power cuts at two random changes.
    #[test]
    fn any_operations_and_any_cuts(
        operations in operations(250),
        preset: prop::sample::Index,
        units: prop::sample::Index,
        way: prop::sample::Index,
        shape: prop::sample::Index,
        cuts in [(0..300u64, any::<bool>()), (0..30u64, any::<bool>())],
    ) {
        let presets = page_mapped();
        let (counts, order) = UNITS[units.index(UNITS.len())];
        let ways = each_way(presets[preset.index(presets.len())]);
        let scheme = spread(ways[way.index(2)].clone(), counts, order);
        let shapes = accepted(&scheme, ROOMY, 0);
        let shape = shapes[shape.index(shapes.len())];
        let pages = logical_pages(&scheme, &shape, 0).unwrap();
        let mut run = Run::new(scheme, pages, operations, Medium::Sound).accounts_every(7);
        let array = Shared::new(PowerCut::new(shape.array(Store::All, &[])));
        for (after, torn) in cuts {
            array.with(|array| array.cut_after(after, torn));
            match run.go(array.clone()) {
                Ok(End::Finished) => return Ok(()),
                // Trims that a cut undid may have taken the room that was counted on.
                Err(Failure::Scheme { error: FtlError::Full { .. }, .. }) if run.trims() > 0 => return Ok(()),
                Ok(End::PowerOff) => array.with(PowerCut::restore),
                other => prop_assert!(false, "{other:?}"),
            }
        }
        match run.go(array) {
            Ok(End::Finished) => {}
            Err(Failure::Scheme { error: FtlError::Full { .. }, .. }) if run.trims() > 0 => {}
            other => prop_assert!(false, "{other:?}"),
        }
    }
}
