//! Every scheme of the registry above an array whose wear is levelled.

use flash::{BlockId, Cause, Flash, Operation as FlashOperation, Store, WearRule};
use ftl::registry::{self, REGISTRY, Visitor, by_name};
use ftl::{BufferSettings, FtlError, Scheme, SchemeConfig};
use ftlkit_testkit::conformance::{
    Case, Described, Faults, Verdict, accepted, conform, logical_pages, with_idle,
};
use ftlkit_testkit::driver::{Bench, bench_for, into_array};
use ftlkit_testkit::operations::Pattern;
use ftlkit_testkit::power_cut;
use ftlkit_testkit::shape::{SHAPES, Shape};

const RULES: [WearRule; 3] =
    [WearRule::Gap(1), WearRule::Gap(6), WearRule::BlockErasingTable { threshold: 2, set_bits: 0 }];

fn levelled(name: &str, rule: WearRule) -> SchemeConfig {
    // A buffer would leave few operations to level.
    let buffer = BufferSettings { policy: Some(None), ..BufferSettings::default() };
    SchemeConfig { static_wear: Some(rule), buffer, ..with_idle(by_name(name).unwrap()) }
}

/// The smallest array that the scheme can work on and that has pages to lose, and the smallest on which it exports
/// three blocks' worth of pages.
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

/// Small arrays, where a swap is due behind most erases: contents, promises and accounts.
#[test]
fn every_scheme_conforms() {
    for preset in REGISTRY {
        let mut passed = 0;
        for rule in RULES {
            let scheme = levelled(preset.name, rule);
            for shape in shapes(&scheme) {
                for pattern in [Pattern::HotCold, Pattern::FillThenOverwrite, Pattern::TrimStorm] {
                    let case = Case::new(scheme.clone(), shape, pattern, 3, 1500);
                    conform(&case).unwrap_or_else(|verdict| panic!("{verdict}"));
                    passed += 1;
                }
            }
        }
        println!("{}: {passed} cases passed", preset.name);
    }
}

/// An erase behind which a full block is moved takes as long as is promised, to the nanosecond.
#[test]
fn the_bound_of_a_step_is_reached() {
    let scheme = levelled("lazy-rtgc", WearRule::Gap(1));
    let shape = Shape::new(24, 16, 8);
    let part = shape.part();
    let worst = conform(&Case::new(scheme, shape, Pattern::HotCold, 1, 8000)).unwrap();
    assert_eq!(worst.step_ns, part.t_bers_ns + flash::wear_level::swap_ns(&part));
}

/// Programs and erases fail, those of swaps among them.
#[test]
fn failing_programs_and_erases_lose_nothing() {
    for preset in REGISTRY {
        let (mut passed, mut worn_out) = (0, 0);
        for seed in 0..3 {
            let rule = RULES[seed as usize % RULES.len()];
            let scheme = SchemeConfig { spare_blocks: 24, ..levelled(preset.name, rule) };
            let shapes = accepted(&scheme, &[Shape::new(40, 8, 8), Shape::new(60, 16, 8)], 0);
            let case = Case::new(scheme, shapes[0], Pattern::HotCold, seed, 2000);
            let faults = Faults { programs_per_million: 400, erases_per_million: 500 };
            match conform(&Case { faults, ..case }) {
                Ok(_) => passed += 1,
                Err(Verdict::WornOut { .. }) => worn_out += 1,
                Err(verdict) => panic!("{verdict}"),
            }
        }
        println!("{}: {passed} passed, {worn_out} wore out", preset.name);
    }
}

fn cut_case(
    scheme: SchemeConfig,
    shape: Shape,
    pattern: Pattern,
    operations: usize,
) -> power_cut::Case {
    power_cut::Case {
        scheme,
        shape,
        pattern,
        seed: 1,
        operations,
        go_on: 60,
        torn_in_a_row: 1,
        shutdown: false,
        trims_may_fill: matches!(pattern, Pattern::Uniform | Pattern::TrimStorm),
    }
}

/// The power fails at every program, copy and erase, those of swaps among them, and in the mounts that follow.
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

/// One cut after another, mounts among them.
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

/// Least and most erases of a block after a hot and cold workload, and copies for levelling.
struct Wear(u32);

impl Visitor<Bench<flash::Array>> for Wear {
    type Output = Result<([u32; 2], u64), FtlError>;

    fn visit<S: Scheme<Flash = Bench<flash::Array>> + Clone>(self, mut scheme: S) -> Self::Output {
        let pages = scheme.logical_pages();
        (0..pages).try_for_each(|lpn| scheme.write(flash::Lpn(lpn), &[]))?;
        // A sixteenth of the pages take all writes.
        for write in 0..self.0 {
            scheme.write(flash::Lpn(write * 7 % (pages / 16).max(1)), &[])?;
        }
        let copies = scheme.flash().counts().get(FlashOperation::Copy, Cause::WearLevel);
        let array = into_array(scheme.into_flash());
        let erases = (0..array.geometry().blocks()).map(|block| array.erase_count(BlockId(block)));
        Ok(([erases.clone().min().unwrap_or(0), erases.max().unwrap_or(0)], copies))
    }
}

fn wear(name: &str, rule: Option<WearRule>, writes: u32) -> ([u32; 2], u64) {
    let scheme = SchemeConfig { static_wear: rule, ..SchemeConfig::preset(by_name(name).unwrap()) };
    let array = Shape::new(64, 16, 8).array(Store::Metadata, &[]);
    registry::format(&scheme, bench_for(&scheme, array), Wear(writes)).unwrap().unwrap()
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
