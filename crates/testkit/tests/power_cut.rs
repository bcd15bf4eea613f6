//! Every scheme of the registry, its power cut at every single operation.

use ftl::registry::{self, REGISTRY, by_name};
use ftl::{BufferPolicy, BufferSettings, BufferUnit, SchemeConfig, VictimKind};
use ftlkit_testkit::buffers::small;
use ftlkit_testkit::conformance::{Described, accepted, logical_pages, with_idle};
use ftlkit_testkit::operations::Pattern;
use ftlkit_testkit::power_cut::{Case, Tally, Verdict, changes, every_cut, storm};
use ftlkit_testkit::shape::{CHANNEL_SHAPES, SHAPES, Shape};

/// Writes must go on after any cut, except where trims were forgotten in it.
fn case(name: &str, shape: Shape, pattern: Pattern, seed: u64) -> Case {
    Case {
        scheme: with_idle(by_name(name).unwrap()),
        shape,
        pattern,
        seed,
        operations: 160,
        go_on: 120,
        torn_in_a_row: 1,
        shutdown: false,
        trims_may_fill: matches!(pattern, Pattern::Uniform | Pattern::TrimStorm),
    }
}

/// Runs all, then says what failed: one line each, enough to do it again.
fn all_pass<T>(verdicts: impl Iterator<Item = Result<T, Verdict>>) -> Vec<T> {
    let mut passed = Vec::new();
    let mut failed = Vec::new();
    for verdict in verdicts {
        match verdict {
            Ok(tally) => passed.push(tally),
            Err(verdict) => failed.push(verdict.to_string()),
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {} failed:\n{}",
        failed.len(),
        failed.len() + passed.len(),
        failed.join("\n")
    );
    passed
}

/// The three smallest of [`SHAPES`] that the scheme can work on and that have pages to lose.
fn shapes(scheme: &SchemeConfig) -> Vec<Shape> {
    let mut shapes = accepted(scheme, &SHAPES[1..], 0);
    shapes.sort_by_key(|shape| shape.blocks * shape.pages_per_block);
    shapes.truncate(3);
    assert_eq!(shapes.len(), 3, "{} runs on {shapes:?} only", Described(scheme));
    shapes
}

/// With one spare block kept free, neither forgotten trims nor pages torn in a row leave a write without
/// room.
#[test]
fn a_spare_block_makes_up_for_forgotten_trims_and_torn_pages() {
    let shapes = [Shape::new(6, 4, 1), Shape::new(6, 8, 3), Shape::new(6, 6, 8)];
    let page_mapped = ["page-level", "fsr", "lazy-rtgc"];
    let cases = page_mapped.iter().flat_map(|name| {
        shapes.iter().flat_map(move |shape| {
            (1..=20).map(move |seed| {
                let plain = case(name, *shape, Pattern::TrimStorm, seed);
                let scheme = SchemeConfig { spare_blocks: 1, ..plain.scheme };
                Case { scheme, operations: 600, torn_in_a_row: 3, trims_may_fill: false, ..plain }
            })
        })
    });
    all_pass(cases.map(|case| storm(&case, 40)));
}

/// The smallest of [`SHAPES`] on which the scheme exports four blocks' worth of pages: orders among logical
/// blocks, and among translation pages, are at stake there.
fn roomy_shape(scheme: &SchemeConfig) -> Shape {
    let mut shapes = accepted(scheme, &SHAPES[1..], 0);
    shapes.retain(|shape| {
        logical_pages(scheme, shape, 0).is_ok_and(|pages| pages >= 4 * shape.pages_per_block)
    });
    let smallest = shapes.into_iter().min_by_key(|shape| shape.blocks * shape.pages_per_block);
    smallest.unwrap_or_else(|| panic!("{} has no roomy shape", Described(scheme)))
}

/// The preset, and, where it caches a map on flash, with a cache that is too small for the whole map, so that
/// translation pages are written and collected. One page-mapped scheme is tried with each kind of victims that
/// has state of its own.
fn schemes(name: &str) -> Vec<SchemeConfig> {
    let plain = with_idle(by_name(name).unwrap());
    if name == "page-level" {
        let victims = [
            VictimKind::Greedy,
            VictimKind::GreedyScan(3),
            VictimKind::CostBenefit,
            VictimKind::TwoLevelList,
            VictimKind::WindowedGreedy(3),
        ];
        let with = |victim| SchemeConfig { victim: Some(victim), ..plain.clone() };
        return victims.map(with).to_vec();
    }
    let small = SchemeConfig { cmt_bytes: Some(64), ..plain.clone() };
    if plain.preset.settings.contains(&"cmt") { vec![plain, small] } else { vec![plain] }
}

/// With fewer operations where a scheme makes many changes of each: the cost goes with their square.
fn fitted(mut case: Case) -> Case {
    while case.operations > 80 && changes(&case).is_ok_and(|changes| changes > 700) {
        case.operations = case.operations * 4 / 5;
    }
    case
}

/// Whether it may lose what was not flushed.
fn is_volatile(scheme: &SchemeConfig) -> bool {
    let shape = roomy_shape(scheme);
    let plan = registry::plan(scheme, &shape.part(), &shape.geometry(), shape.blocks);
    plan.unwrap().guarantee.volatile
}

fn cut_everywhere(name: &str) {
    let patterns = [
        Pattern::Uniform,
        Pattern::FillThenOverwrite,
        Pattern::SpreadInvalidation,
        Pattern::TrimStorm,
    ];
    let cases = schemes(name).into_iter().flat_map(|scheme| {
        let shapes = shapes(&scheme);
        // What is held in RAM is written again there and changes no array: it takes more operations.
        let operations = if is_volatile(&scheme) { 480 } else { 160 };
        patterns.map(|pattern| {
            let scheme = scheme.clone();
            let of = move |shape| {
                let scheme = scheme.clone();
                fitted(Case { scheme, operations, ..case(name, shape, pattern, 1) })
            };
            shapes.clone().into_iter().map(of)
        })
    });
    let cases = cases.flatten();
    let mut total = Tally::default();
    for tally in all_pass(cases.map(|case| every_cut(&case))) {
        total.add(&tally);
    }
    println!("{name}: {total:?}");
    assert!(total.cuts == total.changes * 2 && total.changes > 1000);
    assert!(total.lost == 0 || is_volatile(&SchemeConfig::preset(by_name(name).unwrap())));
}

fn cut_in_quick_succession(name: &str) {
    let patterns = [Pattern::Uniform, Pattern::FillThenOverwrite];
    let cases = schemes(name).into_iter().flat_map(|scheme| {
        let shape = roomy_shape(&scheme);
        patterns.map(|pattern| {
            let scheme = scheme.clone();
            (0..12).map(move |seed| {
                let scheme = scheme.clone();
                Case { scheme, operations: 600, ..case(name, shape, pattern, seed) }
            })
        })
    });
    let cases = cases.flatten();
    for cuts in all_pass(cases.map(|case| storm(&case, 40))) {
        assert!(cuts > 5, "only {cuts} cuts");
    }
}

macro_rules! schemes {
    ($($module:ident: $name:literal),*) => {
        $(mod $module {
            #[test]
            fn a_cut_at_every_operation_loses_nothing() {
                super::cut_everywhere($name);
            }

            #[test]
            fn cuts_in_quick_succession_lose_nothing() {
                super::cut_in_quick_succession($name);
            }
        })*

        #[test]
        fn every_scheme_of_the_registry_is_here() {
            let names: Vec<&str> = REGISTRY.iter().map(|preset| preset.name).collect();
            assert_eq!(names, [$($name),*]);
        }
    };
}

schemes!(
    page_level: "page-level",
    fsr: "fsr",
    lazy_rtgc: "lazy-rtgc",
    two_level_gc: "2lgc",
    nftl: "nftl",
    gftl: "gftl",
    gftl_threshold: "gftl-threshold",
    gftl_priority: "gftl-priority",
    rftl: "rftl",
    dftl: "dftl",
    lazy_rtgc_on_demand: "lazy-rtgc-on-demand",
    bast: "bast",
    fast: "fast",
    ba_gc: "ba-gc",
    superblock: "superblock"
);

/// Copies go two ways: a mount takes the block with fewest valid pages, whichever way its copies go.
#[test]
fn cuts_on_channels_lose_nothing() {
    let patterns = [
        Pattern::Uniform,
        Pattern::FillThenOverwrite,
        Pattern::SpreadInvalidation,
        Pattern::TrimStorm,
    ];
    let mut total = Tally::default();
    for shape in &CHANNEL_SHAPES[..4] {
        let cases = patterns.map(|pattern| fitted(case("lazy-rtgc", *shape, pattern, 1)));
        for tally in all_pass(cases.into_iter().map(|case| every_cut(&case))) {
            total.add(&tally);
        }
        let seeds = (0..12).map(|seed| {
            let plain = case("lazy-rtgc", *shape, Pattern::FillThenOverwrite, seed);
            storm(&Case { operations: 600, ..plain }, 40)
        });
        assert!(all_pass(seeds).into_iter().all(|cuts| cuts > 5));
    }
    println!("{total:?}");
    assert!(total.cuts == total.changes * 2 && total.changes > 2000 && total.lost == 0);
}

/// A scheme below a buffer of a few units.
struct Below {
    name: &'static str,
    policy: BufferPolicy,
    unit: Option<BufferUnit>,
    aware: bool,
}

impl Below {
    const fn new(name: &'static str, policy: BufferPolicy) -> Self {
        Self { name, policy, unit: None, aware: false }
    }

    /// Collectors take dirty pages along.
    const fn aware(self) -> Self {
        Self { aware: true, ..self }
    }

    fn scheme(&self, shape: &Shape) -> SchemeConfig {
        let aware = self.aware.then_some(true);
        let buffer = BufferSettings { aware, ..small(self.policy, self.unit, shape) };
        SchemeConfig { buffer, ..with_idle(by_name(self.name).unwrap()) }
    }

    /// Workloads of so many operations on the smallest arrays that have pages to lose, and on a roomy one.
    fn cases(&self, patterns: &[Pattern], operations: usize) -> Vec<Case> {
        let plain = with_idle(by_name(self.name).unwrap());
        let shapes = [shapes(&plain)[0], roomy_shape(&plain)];
        let of = |shape: Shape| {
            let of = move |pattern: &Pattern| Case {
                scheme: self.scheme(&shape),
                shutdown: true,
                operations,
                ..case(self.name, shape, *pattern, 1)
            };
            patterns.iter().map(of)
        };
        shapes.into_iter().flat_map(of).collect()
    }

    fn cut_everywhere(&self) {
        let patterns = [Pattern::Uniform, Pattern::HotCold, Pattern::Interleaved];
        let cases = self.cases(&patterns, 160).into_iter().map(fitted);
        let mut total = Tally::default();
        for tally in all_pass(cases.map(|case| every_cut(&case))) {
            total.add(&tally);
        }
        println!("{} below {}: {total:?}", self.name, self.policy.name());
        assert!(total.cuts == total.changes * 2 && total.changes > 250);
        // What may be lost is, or the suite would not have tried.
        assert!(total.lost > 0 && total.in_shutdowns > 0);
    }

    fn cut_in_quick_succession(&self) {
        let patterns = [Pattern::Uniform, Pattern::FillThenOverwrite];
        let cases = self.cases(&patterns, 600).into_iter();
        let cases = cases.flat_map(|case| (0..8).map(move |seed| Case { seed, ..case.clone() }));
        for cuts in all_pass(cases.map(|case| storm(&case, 40))) {
            assert!(cuts > 1, "only {cuts} cuts");
        }
    }
}

/// As it is with buffers: a cut takes what is neither flushed, nor forced, nor older than 30 s, and nothing
/// else.
macro_rules! buffers {
    ($($module:ident: $below:expr),*) => {
        $(mod $module {
            use super::*;

            #[test]
            fn a_cut_at_every_operation_loses_what_is_not_flushed_only() {
                ($below).cut_everywhere();
            }

            #[test]
            fn cuts_in_quick_succession_lose_what_is_not_flushed_only() {
                ($below).cut_in_quick_succession();
            }
        })*
    };
}

buffers!(
    page_level_below_lru: Below::new("page-level", BufferPolicy::Lru).aware(),
    lazy_rtgc_below_lru: Below::new("lazy-rtgc", BufferPolicy::Lru).aware(),
    fast_below_bplru: Below::new("fast", BufferPolicy::Bplru),
    fast_below_fab: Below::new("fast", BufferPolicy::Fab),
    ba_gc_below_its_own: Below::new("ba-gc", BufferPolicy::ThreeRegion).aware(),
    dftl_below_cflru: Below::new("dftl", BufferPolicy::Cflru),
    gftl_below_three_region: Below::new("gftl", BufferPolicy::ThreeRegion)
);

/// Few operations, so that the shutdown is the most of what is cut.
#[test]
fn a_cut_in_a_shutdown_loses_what_is_not_flushed_only() {
    let mut total = Tally::default();
    for (name, policy) in [
        ("lazy-rtgc", BufferPolicy::Cflru),
        ("superblock", BufferPolicy::Lru),
        ("bast", BufferPolicy::Fab),
        ("gftl", BufferPolicy::Bplru),
    ] {
        let below = Below::new(name, policy);
        let cases = (1..6).flat_map(|at| below.cases(&[Pattern::HotCold], at * 7));
        for tally in all_pass(cases.map(|case| every_cut(&case))) {
            total.add(&tally);
        }
    }
    println!("{total:?}");
    assert!(total.in_shutdowns * 4 > total.cuts && total.lost > 0);
}
