//! The suites over all schemes of the registry, and tests of single schemes.

/// One test per scheme of the registry, so that they run in parallel and a failure names its scheme.
macro_rules! of_each_scheme {
    ($tests:ident: $check:ident) => {
        crate::of_each_scheme! { $tests: $check,
            page_level 0, fsr 1, lazy_rtgc 2, two_level_gc 3, nftl 4, gftl 5, gftl_threshold 6, gftl_priority 7,
            rftl 8, dftl 9, lazy_rtgc_on_demand 10, bast 11, fast 12, ba_gc 13, superblock 14
        }
    };
    ($tests:ident: $check:ident, $($name:ident $at:literal),*) => {
        mod $tests {
            use super::$check;
            use ftl::registry::REGISTRY;

            $(
                #[test]
                fn $name() {
                    $check(REGISTRY[$at]);
                }
            )*

            #[test]
            fn of_all_there_are() {
                let tests = [$(stringify!($name)),*];
                assert_eq!(tests.len(), REGISTRY.len(), "a scheme has no test: add a line to `of_each_scheme!`");
            }
        }
    };
}
pub(crate) use of_each_scheme;

mod bit_errors;
mod buffers;
mod conformance;
mod exhaustive;
mod frontiers;
mod in_a_row;
mod nftl_rftl;
mod observer;
mod own;
mod placement;
mod power_cut;
mod reclaim_groups;
mod refresh;
mod sabotage;
mod search;
mod slc_cache;
mod spares_used_up;
mod two_level_gc;
mod victims_cut;
mod wear_levelling;
mod whole_space;
mod write_amplification;
mod zns;

use ftl::{Guarantee, Plan, SchemeConfig, registry};
use ftlkit_testkit::checks::Worst;
use ftlkit_testkit::conformance::{Case, Verdict, conform};
use ftlkit_testkit::shape::Shape;
use proptest::prelude::ProptestConfig;

/// The preset with this name, without overrides.
fn scheme(name: &str) -> SchemeConfig {
    SchemeConfig::preset(registry::by_name(name).unwrap())
}

/// The scheme's plan for a sound array of this shape.
fn plan(config: &SchemeConfig, shape: &Shape) -> Plan {
    registry::plan(config, &shape.part(), &shape.geometry(), shape.blocks).unwrap()
}

fn guarantee(config: &SchemeConfig, shape: &Shape) -> Guarantee {
    plan(config, shape).guarantee
}

fn passes(case: &Case) -> Worst {
    conform(case).unwrap_or_else(|verdict| panic!("{verdict}"))
}

/// Number of cases that passed, and number of those that wore out.
fn passed_and_worn_out(cases: impl IntoIterator<Item = Case>) -> [u32; 2] {
    let mut counts = [0; 2];
    for case in cases {
        match conform(&case) {
            Ok(_) => counts[0] += 1,
            Err(Verdict::WornOut { .. }) => counts[1] += 1,
            Err(verdict) => panic!("{verdict}"),
        }
    }
    counts
}

/// A number of random cases. A failure prints its input and leaves no file.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}
