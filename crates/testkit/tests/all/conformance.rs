//! The conformance suite on every scheme of the registry.

use crate::{guarantee, passed_and_worn_out, passes};
use flash::Store;
use flash::faults::PowerCut;
use ftl::registry::{REGISTRY, by_name};
use ftl::{FtlError, Preset, SchemeConfig};
use ftlkit_testkit::buffers::every_buffer;
use ftlkit_testkit::checks::Failure;
use ftlkit_testkit::conformance::{
    Case, Described, Faults, Verdict, accepted, conform, logical_pages, variants, with_idle,
};
use ftlkit_testkit::driver::Medium;
use ftlkit_testkit::operations::{Pattern, operations};
use ftlkit_testkit::run::{End, Run};
use ftlkit_testkit::shape::{CHANNEL_SHAPES, SHAPES, Shape, shapes_for};
use ftlkit_testkit::shared::Shared;
use ftlkit_testkit::suite;
use proptest::prelude::*;

/// Number of [`SHAPES`] on which each preset must be able to work.
const LEAST_SHAPES: usize = 5;

/// The first of the shapes on which the scheme can work.
fn first(scheme: &SchemeConfig, shapes: &[Shape], bad: u32) -> Shape {
    let accepted = accepted(scheme, shapes, bad);
    *accepted.first().unwrap_or_else(|| panic!("{} runs on none of {shapes:?}", Described(scheme)))
}

/// Ten blocks if that is enough, else more.
const ROOMY: &[Shape] =
    &[Shape::new(10, 8, 3), Shape::new(16, 8, 8), Shape::new(24, 16, 8), Shape::new(48, 16, 8)];

#[test]
fn every_scheme_and_setting_on_small_arrays() {
    let schemes: Vec<_> = REGISTRY.iter().copied().flat_map(variants).collect();
    let passed = suite::conformance(&schemes).unwrap_or_else(|failed| panic!("{failed}"));
    println!("{} schemes: {passed}", schemes.len());
}

/// Arrays with two copy paths: either may be the faster one, and faster or slower than a read and a program. Every
/// bound allows for them.
fn on_channels(preset: &'static Preset) {
    let (mut passed, mut nearest) = (0, 0.0_f64);
    for scheme in variants(preset) {
        for shape in accepted(&scheme, CHANNEL_SHAPES, 0) {
            let promised = guarantee(&scheme, &shape).response_ns;
            for pattern in
                [Pattern::Uniform, Pattern::FillThenOverwrite, Pattern::SpreadInvalidation]
            {
                let worst = passes(&Case::new(scheme.clone(), shape, pattern, 1, 2500));
                let share = |bound| worst.response_ns as f64 / bound as f64;
                nearest = promised.map_or(nearest, |ns| nearest.max(share(ns)));
                passed += 1;
            }
        }
    }
    println!("{}: {passed} cases passed, response up to {nearest:.3} of its bound", preset.name);
    assert!(passed >= 9, "{}: {passed}", preset.name);
}

crate::of_each_scheme! { every_scheme_and_setting_on_channels: on_channels }

/// Each preset with each of its settings must work on some shapes, or the suite would test nothing.
#[test]
fn no_preset_refuses_too_many_arrays() {
    for preset in REGISTRY {
        for scheme in variants(preset) {
            let shapes = accepted(&scheme, shapes_for(&scheme), 0);
            let plain = scheme == SchemeConfig::preset(preset);
            if plain {
                let names: Vec<String> = shapes.iter().map(Shape::to_string).collect();
                println!("{} runs on {}: {}", preset.name, shapes.len(), names.join(", "));
            }
            // Small caches and some victim policies may not work on larger arrays; other settings must.
            let least = if scheme.cmt_bytes.is_some() || scheme.victim.is_some() {
                0
            } else {
                LEAST_SHAPES
            };
            assert!(shapes.len() >= least, "{} runs on {shapes:?} only", Described(&scheme));
        }
    }
}

fn on_a_large_array(preset: &'static Preset) {
    for pattern in [Pattern::FillThenOverwrite, Pattern::SpreadInvalidation] {
        // More pages than 16 bits count. Packed map entries cannot count the pages of a block of 256 pages.
        let shapes = [Shape::new(272, 256, 8), Shape::new(272, 255, 8)];
        let scheme = SchemeConfig::preset(preset);
        let case = Case::new(scheme.clone(), first(&scheme, &shapes, 0), pattern, 5, 190_000);
        let worst = passes(&case);
        assert!(worst.step_ns > 0, "{case}: never collected");
    }
}

crate::of_each_scheme! { every_scheme_on_a_large_array: on_a_large_array }

#[test]
fn bad_blocks_from_the_factory() {
    for preset in REGISTRY {
        for (bad, spare_blocks) in [(vec![0], 1), (vec![2, 3], 2), (vec![9], 2)] {
            for pattern in Pattern::ALL {
                let scheme = SchemeConfig { spare_blocks, ..SchemeConfig::preset(preset) };
                let shape = first(&scheme, ROOMY, bad.len() as u32);
                let case = Case::new(scheme, shape, pattern, 2, 3000);
                passes(&Case { bad: bad.clone(), ..case });
            }
        }
    }
}

#[test]
fn more_bad_blocks_than_spare_ones_are_refused() {
    for preset in REGISTRY {
        let scheme = SchemeConfig { spare_blocks: 1, ..SchemeConfig::preset(preset) };
        let shape = first(&scheme, ROOMY, 1);
        let case = Case::new(scheme, shape, Pattern::Uniform, 1, 10);
        let verdict = conform(&Case { bad: vec![1, 2], ..case });
        assert!(matches!(verdict, Err(Verdict::Refused(_))), "{}: {verdict:?}", preset.name);
    }
}

#[test]
fn failing_programs_and_erases() {
    // Enough spare blocks for schemes that program a page many times over.
    const SPARE_BLOCKS: u32 = 24;
    let shapes = [Shape::new(36, 8, 3), Shape::new(40, 8, 8), Shape::new(60, 16, 8)];
    for preset in REGISTRY {
        let scheme = SchemeConfig { spare_blocks: SPARE_BLOCKS, ..SchemeConfig::preset(preset) };
        let shape = first(&scheme, &shapes, 0);
        let faults = Faults { programs_per_million: 400, erases_per_million: 500 };
        let cases = (0..20).flat_map(|seed| {
            Pattern::ALL.map(|pattern| {
                let case = Case::new(scheme.clone(), shape, pattern, seed, 3000);
                Case { faults, ..case }
            })
        });
        let [passed, worn_out] = passed_and_worn_out(cases);
        println!("{}: {passed} cases passed, {worn_out} wore out", preset.name);
        assert!(worn_out * 20 < passed, "{}: {worn_out} of {passed} wore out", preset.name);
    }
}

/// A failed program in the middle of a collection sends the other copies along another path. There is room for that.
#[test]
fn failing_programs_and_erases_on_channels() {
    let preset = by_name("lazy-rtgc").unwrap();
    let shapes = [Shape::new(36, 8, 3).on(2, 1, 7), Shape::new(38, 8, 3).on(4, 7, 1)];
    let faults = Faults { programs_per_million: 1500, erases_per_million: 500 };
    let scheme = SchemeConfig { spare_blocks: 24, ..SchemeConfig::preset(preset) };
    let cases = shapes.iter().flat_map(|shape| (0..30).map(move |seed| (*shape, seed)));
    let cases = cases.flat_map(|(shape, seed)| {
        Pattern::ALL.map(|pattern| {
            let case = Case::new(scheme.clone(), shape, pattern, seed, 3000);
            Case { faults, ..case }
        })
    });
    let [passed, worn_out] = passed_and_worn_out(cases);
    println!("{passed} cases passed, {worn_out} wore out");
    assert!(worn_out * 20 < passed, "{worn_out} of {passed} wore out");
}

#[test]
fn what_cannot_work_is_refused_clearly() {
    let shapes = [Shape::new(1, 4, 1), Shape::new(2, 4, 1), Shape::new(3, 4, 0)];
    for preset in REGISTRY {
        for shape in shapes {
            match logical_pages(&SchemeConfig::preset(preset), &shape, 0) {
                Ok(pages) => assert!(pages > 0, "{} on {shape}", preset.name),
                Err(error) => assert!(matches!(error, FtlError::Config { .. }), "{error}"),
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
    #![proptest_config(crate::cases(200))]

    /// Random operations with a power cut at a random change; failures are shrunk to the shortest list.
    #[test]
    fn any_operations_and_any_cut(
        operations in operations(250),
        scheme in 0..REGISTRY.len(),
        shape: prop::sample::Index,
        idle_collection: bool,
        buffer in prop::option::of(any::<prop::sample::Index>()),
        after in 0..300u64,
        torn: bool,
    ) {
        let preset = REGISTRY[scheme];
        let scheme = if idle_collection { with_idle(preset) } else { SchemeConfig::preset(preset) };
        let shapes = accepted(&scheme, SHAPES, 0);
        let shape = shapes[shape.index(shapes.len().min(6))];
        let buffers = every_buffer(preset, &shape);
        let scheme = match buffer {
            Some(buffer) => SchemeConfig { buffer: *buffer.get(&buffers), ..scheme },
            None => scheme,
        };
        let pages = logical_pages(&scheme, &shape, 0).unwrap();
        let mut run = Run::new(scheme, pages, operations, Medium::Sound).accounts_every(7);
        let mut array = PowerCut::new(shape.array(Store::All, &[]));
        array.cut_after(after, torn);
        let array = Shared::new(array);
        if matches!(run.go(array.clone()), Ok(End::Finished)) {
            return Ok(());
        }
        prop_assert!(array.with(|array| array.is_off()), "failed before the cut");
        array.with(PowerCut::restore);
        match run.go(array) {
            Ok(End::Finished) => {}
            // Trims that the cut undid may have taken the room that was counted on.
            Err(Failure::Scheme { error: FtlError::Full { .. }, .. }) if run.trims() > 0 => {}
            other => prop_assert!(false, "{other:?}"),
        }
    }
}
