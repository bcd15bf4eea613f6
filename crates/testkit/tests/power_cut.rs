//! Every scheme of the registry, its power cut at every single operation.

use ftl::SchemeConfig;
use ftl::registry::REGISTRY;
use ftlkit_testkit::operations::Pattern;
use ftlkit_testkit::power_cut::{Case, Tally, every_cut, storm};
use ftlkit_testkit::shape::Shape;

fn case(scheme: usize, shape: Shape, pattern: Pattern, seed: u64) -> Case {
    let scheme = SchemeConfig { idle_collection: true, ..SchemeConfig::preset(&REGISTRY[scheme]) };
    Case { scheme, shape, pattern, seed, operations: 160, go_on: 120 }
}

#[test]
fn a_cut_at_every_operation_loses_nothing() {
    let shapes = [Shape::new(4, 4, 1), Shape::new(5, 8, 3), Shape::new(4, 6, 8)];
    let patterns = [
        Pattern::Uniform,
        Pattern::FillThenOverwrite,
        Pattern::SpreadInvalidation,
        Pattern::TrimStorm,
    ];
    for scheme in 0..REGISTRY.len() {
        let mut tally = Tally::default();
        for shape in shapes {
            for pattern in patterns {
                let done = every_cut(&case(scheme, shape, pattern, 1));
                tally.add(&done.unwrap_or_else(|verdict| panic!("{verdict}")));
            }
        }
        println!("{}: {tally:?}", REGISTRY[scheme].name);
        assert!(tally.cuts == tally.changes * 2 && tally.changes > 1000);
    }
}

#[test]
fn cuts_in_quick_succession_lose_nothing() {
    for scheme in 0..REGISTRY.len() {
        for seed in 0..40 {
            let long = Case {
                operations: 600,
                ..case(scheme, Shape::new(6, 8, 3), Pattern::Uniform, seed)
            };
            let cuts = storm(&long, 40).unwrap_or_else(|verdict| panic!("{verdict}"));
            assert!(cuts > 5, "{long}: {cuts} cuts");
        }
    }
}
