//! The conformance suite on every scheme of the registry below every write buffer.

use crate::{guarantee, passed_and_worn_out, passes};
use ftl::registry::{REGISTRY, by_name};
use ftl::{BUFFER_POLICIES, BufferPolicy, BufferSettings, BufferUnit, SchemeConfig};
use ftlkit_testkit::buffers::{buffered, described, every_buffer, small};
use ftlkit_testkit::checks::Worst;
use ftlkit_testkit::conformance::{Case, Faults, accepted};
use ftlkit_testkit::operations::Pattern;
use ftlkit_testkit::shape::{CHANNEL_SHAPES, SHAPES, Shape};

/// Each buffer above each scheme, with shape and pattern changing from case to case. So each scheme meets each shape
/// and each pattern.
#[test]
fn every_buffer_above_every_scheme() {
    const SHAPES_EACH: usize = 3;
    let mut passed = 0;
    for preset in REGISTRY {
        let shapes = accepted(&SchemeConfig::preset(preset), SHAPES, 0);
        let buffers = every_buffer(preset, &SHAPES[1]).len();
        for at in 0..buffers * SHAPES_EACH {
            let shape = shapes[at % shapes.len()];
            let buffer = every_buffer(preset, &shape)[at % buffers];
            for pattern in [at, at + 3].map(|at| Pattern::ALL[at % Pattern::ALL.len()]) {
                let case = Case::new(buffered(preset, buffer), shape, pattern, at as u64, 2000);
                passes(&case);
                passed += 1;
            }
        }
    }
    println!("{passed} cases passed");
    assert!(passed >= REGISTRY.len() * BUFFER_POLICIES.len() * SHAPES_EACH);
}

/// Failing programs and erases in evictions, collections and padding.
#[test]
fn failing_programs_and_erases_below_buffers() {
    let shapes = [Shape::new(36, 8, 3), Shape::new(40, 8, 8), Shape::new(60, 16, 8)];
    for preset in REGISTRY {
        let bare = SchemeConfig { spare_blocks: 24, ..SchemeConfig::preset(preset) };
        let shape = accepted(&bare, &shapes, 0)[0];
        let cases =
            every_buffer(preset, &shape).into_iter().enumerate().flat_map(|(at, buffer)| {
                let scheme = SchemeConfig { buffer, ..bare.clone() };
                let faults = Faults { programs_per_million: 400, erases_per_million: 500 };
                [at, at + 2].map(|at| Pattern::ALL[at % Pattern::ALL.len()]).map(|pattern| {
                    let case = Case::new(scheme.clone(), shape, pattern, at as u64, 2500);
                    Case { faults, ..case }
                })
            });
        let [passed, worn_out] = passed_and_worn_out(cases);
        println!("{}: {passed} cases passed, {worn_out} wore out", preset.name);
        assert!(worn_out * 5 < passed, "{}: {worn_out} of {passed} wore out", preset.name);
    }
}

/// The bound with a buffer is the scheme's own bound, once per page of a unit. The suite checks each task against it,
/// and the observed worst case comes near it.
#[test]
fn lazy_rtgc_keeps_its_bound_below_a_buffer() {
    let preset = by_name("lazy-rtgc").unwrap();
    let shape = Shape::new(24, 8, 3);
    let bare = guarantee(&SchemeConfig::preset(preset), &shape);
    let response = bare.response_ns.unwrap();
    let read = bare.read_ns.unwrap();
    let page = small(BufferPolicy::LRU, Some(BufferUnit::Page), &shape);
    let pi = u64::from(shape.pages_per_block);
    let fab = small(BufferPolicy::FAB, None, &shape);
    let bplru = small(BufferPolicy::BPLRU, None, &shape);
    let promised = [
        (page, 1, 0),
        (BufferSettings { reads: Some(true), ..page }, 1, 1),
        (fab, pi, 0),
        (bplru, pi, pi - 1),
        (BufferSettings { reads: Some(true), ..bplru }, pi, pi),
    ];
    for (buffer, responses, reads) in promised {
        for aware in [false, true] {
            let buffer = BufferSettings { aware: Some(aware), ..buffer };
            let scheme = buffered(preset, buffer);
            let promise = guarantee(&scheme, &shape);
            let bound = response * responses + read * reads;
            assert_eq!(promise.response_ns, Some(bound), "{}", described(&buffer));
            assert_eq!(promise.step_ns, bare.step_ns.map(|step| step * responses));
            assert!(promise.real_time && promise.volatile);
            let mut worst = Worst::default();
            for pattern in Pattern::ALL {
                worst.merge(&passes(&Case::new(scheme.clone(), shape, pattern, 7, 6000)));
            }
            println!("{}: response {} of {bound} ns", described(&buffer), worst.response_ns);
            assert!(worst.response_ns * 3 > bound, "{}: {worst:?}", described(&buffer));
        }
    }
}

/// Programs of pages from a buffer break up runs of copies and may take longer than a copy. α allows for that, and so
/// do the worst cases of whole blocks.
#[test]
fn collectors_that_take_dirty_pages_keep_their_bounds_on_channels() {
    for name in ["lazy-rtgc", "page-level", "fsr"] {
        let preset = by_name(name).unwrap();
        let mut nearest = 0.0_f64;
        for shape in CHANNEL_SHAPES.iter().filter(|shape| shape.pages_per_block < 64) {
            for policy in [BufferPolicy::LRU, BufferPolicy::THREE_REGION] {
                let buffer = small(policy, Some(BufferUnit::Page), shape);
                let scheme = buffered(preset, BufferSettings { aware: Some(true), ..buffer });
                let bound = guarantee(&scheme, shape).step_ns.unwrap();
                for pattern in Pattern::ALL {
                    let worst = passes(&Case::new(scheme.clone(), *shape, pattern, 5, 3000));
                    nearest = nearest.max(worst.step_ns as f64 / bound as f64);
                }
            }
        }
        println!("{name}: steps up to {nearest:.3} of their bound");
        assert!(nearest > 0.9, "{name}: {nearest}");
    }
}
