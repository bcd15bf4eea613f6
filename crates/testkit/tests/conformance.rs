//! Every scheme of the registry, through the conformance suite.

use flash::Store;
use flash::faults::PowerCut;
use ftl::registry::REGISTRY;
use ftl::{FtlError, Preset, SchemeConfig, VictimKind};
use ftlkit_testkit::checks::{Failure, Worst};
use ftlkit_testkit::conformance::{Case, Faults, Verdict, conform, logical_pages};
use ftlkit_testkit::driver::Medium;
use ftlkit_testkit::operations::{Pattern, operations};
use ftlkit_testkit::run::{End, Run};
use ftlkit_testkit::shape::Shape;
use ftlkit_testkit::shared::Shared;
use proptest::prelude::*;

const TINY: &[Shape] = &[
    Shape::new(3, 2, 1),
    Shape::new(4, 4, 1),
    Shape::new(4, 6, 2),
    Shape::new(5, 8, 3),
    Shape::new(7, 6, 8),
    Shape::new(6, 16, 8),
    Shape::new(10, 16, 2),
    Shape::new(4, 192, 8),
    Shape::new(9, 64, 8),
];

fn passes(case: &Case) -> Worst {
    conform(case).unwrap_or_else(|verdict| panic!("{verdict}"))
}

/// The preset as it is, and with all that may differ from it.
fn variants(preset: &'static Preset) -> Vec<SchemeConfig> {
    let plain = SchemeConfig::preset(preset);
    let idle = SchemeConfig { idle_collection: true, ..plain.clone() };
    let victims = [VictimKind::Fifo, VictimKind::Random, VictimKind::Choices(3)];
    let with = |victim| SchemeConfig { victim: Some(victim), ..plain.clone() };
    [plain.clone(), idle].into_iter().chain(victims.map(with)).collect()
}

#[test]
fn every_scheme_on_tiny_arrays() {
    let (mut passed, mut refused) = (0, 0);
    for scheme in REGISTRY.iter().flat_map(variants) {
        for shape in TINY {
            for pattern in Pattern::ALL {
                let case = Case::new(scheme.clone(), *shape, pattern, 1, 4000);
                match conform(&case) {
                    Ok(_) => passed += 1,
                    Err(Verdict::Refused(error)) => {
                        assert!(error.to_string().contains(scheme.preset.name), "{error}");
                        refused += 1;
                    }
                    Err(verdict) => panic!("{verdict}"),
                }
            }
        }
    }
    println!("{passed} cases passed, {refused} refused");
    assert!(passed > refused);
}

/// Every preset as it is must run on every one of these, or the suite would test nothing.
#[test]
fn no_preset_refuses_an_ordinary_array() {
    for preset in REGISTRY {
        for shape in &TINY[1..] {
            let pages = logical_pages(&SchemeConfig::preset(preset), shape, 0);
            assert!(pages.is_ok(), "{} on {shape}: {pages:?}", preset.name);
        }
    }
}

#[test]
fn every_scheme_on_a_large_array() {
    for preset in REGISTRY {
        for pattern in [Pattern::FillThenOverwrite, Pattern::SpreadInvalidation] {
            let shape = Shape::new(1024, 256, 8);
            let case = Case::new(SchemeConfig::preset(preset), shape, pattern, 5, 700_000);
            let worst = passes(&case);
            assert!(worst.step_ns > 0, "{case}: never collected");
        }
    }
}

#[test]
fn bad_blocks_from_the_factory() {
    for preset in REGISTRY {
        for (bad, spare_blocks) in [(vec![0], 1), (vec![2, 3], 2), (vec![9], 2)] {
            for pattern in Pattern::ALL {
                let scheme = SchemeConfig { spare_blocks, ..SchemeConfig::preset(preset) };
                let case = Case::new(scheme, Shape::new(10, 8, 3), pattern, 2, 3000);
                passes(&Case { bad: bad.clone(), ..case });
            }
        }
    }
}

#[test]
fn more_bad_blocks_than_spare_ones_are_refused() {
    for preset in REGISTRY {
        let scheme = SchemeConfig { spare_blocks: 1, ..SchemeConfig::preset(preset) };
        let case = Case::new(scheme, Shape::new(10, 8, 3), Pattern::Uniform, 1, 10);
        let verdict = conform(&Case { bad: vec![1, 2], ..case });
        assert!(matches!(verdict, Err(Verdict::Refused(_))), "{}: {verdict:?}", preset.name);
    }
}

#[test]
fn failing_programs_and_erases() {
    for preset in REGISTRY {
        for seed in 0..8 {
            for pattern in Pattern::ALL {
                let scheme = SchemeConfig { spare_blocks: 12, ..SchemeConfig::preset(preset) };
                let case = Case::new(scheme, Shape::new(24, 8, 3), pattern, seed, 3000);
                let faults = Faults { programs_per_million: 800, erases_per_million: 1000 };
                passes(&Case { faults, ..case });
            }
        }
    }
}

#[test]
fn what_cannot_work_is_refused_clearly() {
    let shapes = [Shape::new(1, 4, 1), Shape::new(2, 4, 1), Shape::new(3, 4, 0)];
    for preset in REGISTRY {
        for shape in shapes {
            match logical_pages(&SchemeConfig::preset(preset), &shape, 0) {
                Ok(pages) => assert!(pages > 0, "{} on {shape}", preset.name),
                Err(error) => {
                    let text = error.to_string();
                    assert!(matches!(error, ftl::FtlError::Config { .. }), "{text}");
                }
            }
        }
        let many = SchemeConfig { spare_blocks: 4000, ..SchemeConfig::preset(preset) };
        assert!(logical_pages(&many, &Shape::new(5, 4, 1), 0).is_err());
        let all = SchemeConfig { logical_pages: Some(20), ..SchemeConfig::preset(preset) };
        assert!(logical_pages(&all, &Shape::new(5, 4, 1), 0).is_err());
        let none = SchemeConfig { logical_pages: Some(0), ..SchemeConfig::preset(preset) };
        assert!(logical_pages(&none, &Shape::new(5, 4, 1), 0).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any operations, the power cut anywhere: shrunk to the shortest list that fails.
    #[test]
    fn any_operations_and_any_cut(
        operations in operations(250),
        scheme in 0..REGISTRY.len(),
        shape in 1..6usize,
        idle_collection: bool,
        after in 0..300u64,
        torn: bool,
    ) {
        let scheme = SchemeConfig { idle_collection, ..SchemeConfig::preset(&REGISTRY[scheme]) };
        let pages = logical_pages(&scheme, &TINY[shape], 0).unwrap();
        let mut run = Run::new(scheme, pages, operations, Medium::Sound).accounts_every(7);
        let mut array = PowerCut::new(TINY[shape].array(Store::All, &[]));
        array.cut_after(after, torn);
        let array = Shared::new(array);
        if matches!(run.go(array.clone()), Ok(End::Finished(_))) {
            return Ok(());
        }
        prop_assert!(array.with(|array| array.is_off()), "failed before the cut");
        array.with(PowerCut::restore);
        match run.go(array) {
            Ok(End::Finished(_)) => {}
            // Trims that the cut made forgotten may have taken the room that was counted on.
            Err(Failure::Scheme { error: FtlError::Full { .. }, .. }) if run.trims() > 0 => {}
            other => prop_assert!(false, "{other:?}"),
        }
    }
}
