//! Every scheme of the registry above an array with static wear levelling.

use crate::{passed_and_worn_out, passes, scheme};
use flash::{AnyArray, BlockId, Cause, Lpn, Operation as FlashOperation, Store, WearRule};
use ftl::registry::{self, REGISTRY, by_name};
use ftl::{BufferSettings, SchemeConfig};
use ftlkit_testkit::bench::{array_of, bench_for, bench_of};
use ftlkit_testkit::conformance::{Case, Described, Faults, accepted, logical_pages, with_idle};
use ftlkit_testkit::operations::Pattern;
use ftlkit_testkit::power_cut;
use ftlkit_testkit::shape::{SHAPES, Shape};

const RULES: [WearRule; 3] =
    [WearRule::Gap(1), WearRule::Gap(6), WearRule::BlockErasingTable { threshold: 2, set_bits: 0 }];

fn levelled(name: &str, rule: WearRule) -> SchemeConfig {
    // With a buffer, few operations would remain to level.
    let buffer = BufferSettings { policy: Some(None), ..BufferSettings::default() };
    SchemeConfig { static_wear: Some(rule), buffer, ..with_idle(by_name(name).unwrap()) }
}

/// The smallest array that the scheme can work on and that has pages to lose. Also the smallest on which it exports
/// at least three blocks of pages.
fn shapes(scheme: &SchemeConfig) -> Vec<Shape> {
    let mut shapes = accepted(scheme, &SHAPES[1..], 0);
    shapes.sort_by_key(|shape| shape.blocks * shape.pages_per_block);
    let is_roomy = |shape: &&Shape| {
        logical_pages(scheme, shape, 0).is_ok_and(|pages| pages >= 3 * shape.pages_per_block)
    };
    let roomy = shapes.iter().find(is_roomy).copied();
    let mut chosen: Vec<Shape> = shapes.first().copied().into_iter().chain(roomy).collect();
    chosen.dedup();
    assert!(!chosen.is_empty(), "{} runs nowhere", Described(scheme));
    chosen
}

/// Contents, bounds and accounts on small arrays, where a swap is due after most erases.
#[test]
fn every_scheme_conforms() {
    for preset in REGISTRY {
        let mut passed = 0;
        for rule in RULES {
            let scheme = levelled(preset.name, rule);
            for shape in shapes(&scheme) {
                for pattern in [Pattern::HotCold, Pattern::FillThenOverwrite, Pattern::TrimStorm] {
                    passes(&Case::new(scheme.clone(), shape, pattern, 3, 1500));
                    passed += 1;
                }
            }
        }
        println!("{}: {passed} cases passed", preset.name);
    }
}

/// An erase followed by the move of a full block reaches the bound of a step to the nanosecond.
#[test]
fn the_bound_of_a_step_is_reached() {
    let scheme = levelled("lazy-rtgc", WearRule::Gap(1));
    let shape = Shape::new(24, 16, 8);
    let part = shape.part();
    let worst = passes(&Case::new(scheme, shape, Pattern::HotCold, 1, 8000));
    assert_eq!(worst.step_ns, part.t_bers_ns + flash::wear_level::swap_ns(&part));
}

/// Failing programs and erases, those of swaps included.
#[test]
fn failing_programs_and_erases_lose_nothing() {
    for preset in REGISTRY {
        let cases = (0..3).map(|seed| {
            let rule = RULES[seed as usize % RULES.len()];
            let scheme = SchemeConfig { spare_blocks: 24, ..levelled(preset.name, rule) };
            let shapes = accepted(&scheme, &[Shape::new(40, 8, 8), Shape::new(60, 16, 8)], 0);
            let case = Case::new(scheme, shapes[0], Pattern::HotCold, seed, 2000);
            let faults = Faults { programs_per_million: 400, erases_per_million: 500 };
            Case { faults, ..case }
        });
        let [passed, worn_out] = passed_and_worn_out(cases);
        println!("{}: {passed} passed, {worn_out} wore out", preset.name);
    }
}

fn cut_case(
    scheme: SchemeConfig,
    shape: Shape,
    pattern: Pattern,
    operations: usize,
) -> power_cut::Case {
    power_cut::Case { operations, go_on: 60, ..power_cut::Case::new(scheme, shape, pattern, 1) }
}

/// Power cuts at every program, copy and erase, those of swaps and of the following mounts included.
#[test]
fn a_cut_at_every_operation_loses_nothing() {
    for preset in REGISTRY {
        let mut total = power_cut::Tally::default();
        for rule in [WearRule::Gap(1), WearRule::BlockErasingTable { threshold: 2, set_bits: 0 }] {
            let scheme = levelled(preset.name, rule);
            let shape = shapes(&scheme)[0];
            for pattern in [Pattern::HotCold, Pattern::FillThenOverwrite] {
                let mut case = cut_case(scheme.clone(), shape, pattern, 120);
                while case.operations > 40
                    && power_cut::changes(&case).is_ok_and(|changes| changes > 300)
                {
                    case.operations = case.operations * 4 / 5;
                }
                match power_cut::every_cut(&case) {
                    Ok(tally) => total.add(&tally),
                    Err(verdict) => panic!("{verdict}"),
                }
            }
        }
        println!("{}: {total:?}", preset.name);
        assert!(total.cuts > 200, "{}: {total:?}", preset.name);
    }
}

/// One cut after another, those in mounts included.
#[test]
fn cuts_in_quick_succession_lose_nothing() {
    for preset in REGISTRY {
        for (seed, rule) in (0..6).zip(RULES.into_iter().cycle()) {
            let scheme = levelled(preset.name, rule);
            let shape = *shapes(&scheme).last().unwrap();
            let case = cut_case(scheme, shape, Pattern::FillThenOverwrite, 400);
            let case = power_cut::Case { seed, ..case };
            power_cut::storm(&case, 40).unwrap_or_else(|verdict| panic!("{verdict}"));
        }
    }
}

/// Least and most erases of a block after a hot and cold workload, and the number of copies for levelling.
fn wear(name: &str, rule: Option<WearRule>, writes: u32) -> ([u32; 2], u64) {
    let config = SchemeConfig { static_wear: rule, ..scheme(name) };
    let shape = Shape::new(64, 16, 8);
    let bench = bench_for(&config, shape.array(Store::Metadata, &[]));
    let mut scheme = registry::format(&config, AnyArray::new(bench)).unwrap();
    let pages = scheme.logical_pages();
    (0..pages).for_each(|lpn| scheme.write(Lpn(lpn), None).unwrap());
    // A sixteenth of the pages take all writes.
    for write in 0..writes {
        scheme.write(Lpn(write * 7 % (pages / 16).max(1)), None).unwrap();
    }
    let copies = bench_of(&*scheme).counts().get(FlashOperation::Copy, Cause::WearLevel);
    let array = array_of(scheme);
    let erases = (0..shape.blocks).map(|block| array.erase_count(BlockId(block)));
    ([erases.clone().min().unwrap_or(0), erases.max().unwrap_or(0)], copies)
}

#[test]
fn wear_spreads_over_cold_blocks_and_does_not_without() {
    for name in ["page-level", "lazy-rtgc", "nftl", "fast"] {
        let (without, copies) = wear(name, None, 60_000);
        assert_eq!(copies, 0);
        for (rule, spread) in [
            (WearRule::Gap(8), 8 + 4),
            (WearRule::BlockErasingTable { threshold: 8, set_bits: 0 }, without[1] * 3 / 4),
        ] {
            let ([least, most], copies) = wear(name, Some(rule), 60_000);
            println!("{name} {rule}: {least} to {most}, {copies} copies; without {without:?}");
            assert!(most - least <= spread && copies > 0, "{name} {rule}: {least} to {most}");
            assert!(most < without[1]);
        }
    }
}
