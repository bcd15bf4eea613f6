//! Page-mapped schemes whose writes go in turns to several units of an array, through the suites.

use crate::{passed_and_worn_out, passes, scheme as preset_of};
use flash::faults::PowerCut;
use flash::{AnyArray, Array, Flash, Lpn, Store};
use ftl::{FtlError, Plan, Preset, SchemeConfig, VictimKind, registry};
use ftlkit_testkit::checks::Failure;
use ftlkit_testkit::conformance::{
    Case, Faults, accepted, logical_pages, page_mapped, spread, variants, with_idle,
};
use ftlkit_testkit::driver::Medium;
use ftlkit_testkit::exhaustive::{
    Proof, Refutation, Search, search_by_units, search_by_units_planned,
};
use ftlkit_testkit::operations::{Pattern, operations};
use ftlkit_testkit::power_cut::{self, Tally, every_cut, storm};
use ftlkit_testkit::run::{End, Run};
use ftlkit_testkit::shape::{CHANNEL_SHAPES, SHAPES, Shape};
use ftlkit_testkit::shared::Shared;
use ftlkit_testkit::watched::Watched;
use proptest::prelude::*;

/// Channels, ways, dies and planes, and the order of turns.
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
        for (counts, order) in UNITS {
            for scheme in variants(preset) {
                let scheme = spread(scheme, *counts, order);
                for shape in
                    accepted(&scheme, ROOMY, 0).into_iter().chain(accepted(&scheme, SHAPES, 0))
                {
                    for pattern in patterns {
                        passes(&Case::new(scheme.clone(), shape, *pattern, 1, 2000));
                        passed += 1;
                    }
                }
            }
        }
        println!("{}: {passed} cases passed", preset.name);
        assert!(passed >= 40 * patterns.len(), "{}: {passed}", preset.name);
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

/// The smallest arrays on which so many units find room.
fn tight(units: u16) -> [Shape; 3] {
    let least = 2 * u32::from(units) + 1;
    [Shape::new(least, 3, 1), Shape::new(least, 4, 2), Shape::new(least + 2, 5, 2)]
}

fn cut_case(scheme: SchemeConfig, shape: Shape, pattern: Pattern, seed: u64) -> power_cut::Case {
    power_cut::Case { operations: 110, ..power_cut::Case::new(scheme, shape, pattern, seed) }
}

fn all_pass<T>(verdicts: impl Iterator<Item = Result<T, power_cut::Verdict>>) -> Vec<T> {
    verdicts.map(|verdict| verdict.unwrap_or_else(|verdict| panic!("{verdict}"))).collect()
}

/// The preset, and kinds of victims with state of their own where it takes them.
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
        for units in [2, 3] {
            for shape in tight(units) {
                for scheme in cut_schemes(preset, &shape) {
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
    for preset in page_mapped() {
        for ((counts, order), shape) in UNITS.iter().zip([
            Shape::new(7, 6, 2),
            Shape::new(9, 5, 3),
            Shape::new(13, 6, 2),
            Shape::new(17, 4, 1),
            Shape::new(15, 8, 3),
        ]) {
            let scheme = spread(with_idle(preset), *counts, order);
            let seeds = (0..24).map(|seed| {
                let pattern = [Pattern::Uniform, Pattern::FillThenOverwrite][seed as usize % 2];
                let case = cut_case(scheme.clone(), shape, pattern, seed);
                storm(&power_cut::Case { operations: 600, ..case }, 40)
            });
            assert!(all_pass(seeds).into_iter().all(|cuts| cuts > 5));
        }
    }
}

/// Cuts one after another, so close that most pages of some blocks are torn: with a spare block kept free, writes
/// go on.
#[test]
fn torn_pages_in_a_row_leave_each_unit_in_order() {
    for preset in page_mapped() {
        for units in [2, 3] {
            let scheme = SchemeConfig { spare_blocks: 1, ..with_idle(preset) };
            let scheme = spread(scheme, [1, 1, 1, units], "pcwd");
            let shape = Shape::new(2 * u32::from(units) + 3, 6, 2);
            let seeds = (0..40).map(|seed| {
                let case = cut_case(scheme.clone(), shape, Pattern::HotCold, seed);
                storm(&power_cut::Case { operations: 500, torn_in_a_row: 3, ..case }, 6)
            });
            assert!(all_pass(seeds).into_iter().all(|cuts| cuts > 50));
        }
    }
}

#[test]
fn failing_programs_and_erases() {
    for preset in page_mapped() {
        let arrays = [(2, Shape::new(40, 8, 3)), (3, Shape::new(42, 6, 2))];
        let cases = arrays.into_iter().flat_map(|(units, shape)| {
            let scheme = SchemeConfig { spare_blocks: 24, ..SchemeConfig::preset(preset) };
            let scheme = spread(scheme, [units, 1, 1, 1], "cwdp");
            let faults = Faults { programs_per_million: 600, erases_per_million: 500 };
            let seeds = (0..12).flat_map(|seed| Pattern::ALL.map(|pattern| (seed, pattern)));
            seeds.map(move |(seed, pattern)| {
                let case = Case::new(scheme.clone(), shape, pattern, seed, 3000);
                Case { faults, ..case }
            })
        });
        let [passed, worn_out] = passed_and_worn_out(cases);
        println!("{}: {passed} cases passed, {worn_out} wore out", preset.name);
        assert!(worn_out * 20 < passed, "{}: {worn_out} of {passed} wore out", preset.name);
    }
}

/// A unit all of whose blocks are bad is passed over, and so is one that has fewer than the others.
#[test]
fn units_without_good_blocks() {
    for preset in page_mapped() {
        for bad in [vec![1, 5, 9, 13], vec![0, 4, 8], vec![2, 3, 6, 7]] {
            for pattern in Pattern::ALL {
                let scheme = SchemeConfig { spare_blocks: 4, ..SchemeConfig::preset(preset) };
                let scheme = spread(scheme, [2, 2, 1, 1], "wcdp");
                let case = Case::new(scheme, Shape::new(16, 8, 3), pattern, 2, 3000);
                passes(&Case { bad: bad.clone(), ..case });
            }
        }
    }
}

/// Copies go two ways, the one or the other quicker: a victim's go both, one at a time.
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

fn searched(name: &str, shape: Shape, units: u16, search: Search) -> Proof {
    let preset = registry::by_name(name).unwrap();
    let config = spread(SchemeConfig::preset(preset), [units, 1, 1, 1], "cwdp");
    match search_by_units(&config, shape.array(Store::Metadata, &[]), search) {
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
            searched(name, shape, units, Search::default());
            searched(name, shape, units, every);
        }
    }
}

/// Blocks that are partly written or free when collection starts, taken for full ones: a plan for one unit and all the
/// blocks, with collection only begun earlier, has victims of more valid pages than it promises, and fills the array.
#[test]
fn counting_the_blocks_of_other_units_as_full_is_found_out() {
    let preset = registry::by_name("lazy-rtgc").unwrap();
    let config = spread(SchemeConfig::preset(preset), [2, 1, 1, 1], "cwdp");
    let shape = Shape::new(5, 4, 1);
    let search = |plan: &Plan, ignore_victim_bound| {
        let search = Search { ignore_victim_bound, ..Search::default() };
        search_by_units_planned(&config, plan, shape.array(Store::Metadata, &[]), search)
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
        let scheme = spread(SchemeConfig::preset(preset), [3, 2, 1, 1], "cwdp");
        let Err(FtlError::Config { setting, reason, .. }) = plan(&scheme) else {
            panic!("{}: six units on 12 blocks", preset.name);
        };
        assert!(setting == "channels" && reason.contains("at least 13"), "{reason}");
        assert!(reason.contains("enough for 5 units"), "{reason}");
        let most = spread(SchemeConfig::preset(preset), [u16::MAX; 4], "cwdp");
        assert!(matches!(plan(&most), Err(FtlError::Config { setting: "channels", .. })));
        // Five find room; what is exported is that of 12 - 2 * 4 blocks and one unit, collected 4 blocks earlier.
        let five = plan(&spread(scheme.clone(), [5, 1, 1, 1], "cwdp")).unwrap();
        let few = Shape { blocks: 4, ..shape };
        let one = registry::plan(&SchemeConfig::preset(preset), &few.part(), &few.geometry(), 4);
        let one = one.unwrap();
        assert_eq!(five.logical_pages, one.logical_pages, "{}", preset.name);
        assert_eq!(five.threshold_pages, one.threshold_pages + 4 * 8);
        assert_eq!(five.guarantee, one.guarantee);
        assert_eq!(five.ram.other, one.ram.other + 5 * 16);
        let too_many = SchemeConfig { logical_pages: Some(12 * 8), ..scheme };
        let Err(FtlError::Config { setting, .. }) = plan(&spread(too_many, [5, 1, 1, 1], "cwdp"))
        else {
            panic!("{}: all pages exported", preset.name);
        };
        assert_eq!(setting, "logical share");
    }
}

/// Schemes of other families have frontiers of their own kind.
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

/// Writes so many pages one after another, and tells in which blocks they are.
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

#[test]
fn an_array_written_in_other_turns_is_not_mounted() {
    let shape = Shape::new(48, 8, 8);
    let fsr = preset_of("fsr");
    let of = |(counts, order): &Units| spread(fsr.clone(), *counts, order);
    let all: Vec<SchemeConfig> = UNITS.iter().map(of).chain([fsr.clone()]).collect();
    for scheme in &all {
        let (array, _) = fill(scheme, shape.array(Store::Metadata, &[]), 100);
        for other in &all {
            match registry::mount(other, AnyArray::new(array.clone())) {
                Ok(_) => assert_eq!(scheme, other),
                Err(FtlError::Mount(reason)) => {
                    assert!(scheme != other && reason.contains("allocation"), "{reason}");
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::cases(200))]

    /// Any operations, the power cut anywhere, twice.
    #[test]
    fn any_operations_and_any_cuts(
        operations in operations(250),
        preset: prop::sample::Index,
        units: prop::sample::Index,
        shape: prop::sample::Index,
        cuts in [(0..300u64, any::<bool>()), (0..30u64, any::<bool>())],
    ) {
        let presets = page_mapped();
        let (counts, order) = UNITS[units.index(UNITS.len())];
        let scheme = spread(with_idle(presets[preset.index(presets.len())]), counts, order);
        let shapes = accepted(&scheme, ROOMY, 0);
        let shape = shapes[shape.index(shapes.len())];
        let pages = logical_pages(&scheme, &shape, 0).unwrap();
        let mut run = Run::new(scheme, pages, operations, Medium::Sound).accounts_every(7);
        let array = Shared::new(PowerCut::new(shape.array(Store::All, &[])));
        for (after, torn) in cuts {
            array.with(|array| array.cut_after(after, torn));
            match run.go(array.clone()) {
                Ok(End::Finished) => return Ok(()),
                // Trims that a cut made forgotten may have taken the room that was counted on.
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
