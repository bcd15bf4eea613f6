//! Power cuts at every single operation, on every scheme of the registry.

use ftl::registry::by_name;
use ftl::{
    BUFFER_POLICIES, BufferPolicy, BufferSettings, BufferUnit, FrontierSharing, PlacementKind,
    Preset, SchemeConfig, VictimKind,
};
use ftlkit_testkit::buffers::small;
use ftlkit_testkit::conformance::with_idle;
use ftlkit_testkit::operations::Pattern;
use ftlkit_testkit::power_cut::{Case, Tally, storm};
use ftlkit_testkit::shape::{CHANNEL_SHAPES, Shape};
use ftlkit_testkit::suite::{
    self, all_pass, cut_again_and_again, cut_everywhere, is_volatile, roomy_shape, small_shapes,
};
use std::collections::BTreeSet;

fn case(name: &str, shape: Shape, pattern: Pattern, seed: u64) -> Case {
    Case::new(with_idle(by_name(name).unwrap()), shape, pattern, seed)
}

/// With one spare block kept free, writes find room after undone trims and after torn pages in a row.
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
    let cases: Vec<Case> = cases.collect();
    all_pass(&cases, &|case| storm(case, 40)).unwrap_or_else(|failed| panic!("{failed}"));
}

/// A scheme that is tested with settings beyond those of all schemes.
struct Special {
    name: &'static str,
    why: &'static str,
    schemes: fn(&SchemeConfig) -> Vec<SchemeConfig>,
}

const SPECIAL: &[Special] = &[Special {
    name: "page-level",
    why: "takes every policy: one page-mapped scheme is tried with each that has state of its own",
    schemes: |plain| {
        let victims = [
            VictimKind::GREEDY,
            VictimKind::greedy_scan(3),
            VictimKind::COST_BENEFIT,
            VictimKind::MDC,
            VictimKind::TWO_LEVEL_LIST,
            VictimKind::windowed_greedy(3),
            VictimKind::first_fit(3),
        ];
        let victims = victims.map(|victim| SchemeConfig { victim: Some(victim), ..plain.clone() });
        let placed = PlacementKind::each().flat_map(|kind| {
            let own = kind.policy().victims.iter().copied().map(Some);
            let with = |victim| SchemeConfig { victim, placement: Some(kind), ..plain.clone() };
            [None].into_iter().chain(own).map(with).collect::<Vec<_>>()
        });
        victims.into_iter().chain(placed).collect()
    },
}];

/// The preset. If it caches a map on flash, also with a cache smaller than the map, so that translation pages are
/// written and collected. Special schemes get their own list instead.
fn schemes(preset: &'static Preset) -> Vec<SchemeConfig> {
    let plain = with_idle(preset);
    if let Some(special) = SPECIAL.iter().find(|special| special.name == preset.name) {
        return (special.schemes)(&plain);
    }
    let small = SchemeConfig { cmt_bytes: Some(64), ..plain.clone() };
    let mut schemes = vec![plain];
    if preset.settings.contains(&"cmt") {
        schemes.push(small.clone());
    }
    if preset.settings.contains(&"one_pool") {
        let pooled = SchemeConfig { one_pool: true, ..small };
        if preset.settings.contains(&"frontiers") {
            let frontiers = Some(FrontierSharing::Shared);
            schemes.push(SchemeConfig { frontiers, ..pooled.clone() });
        }
        schemes.push(pooled);
    }
    schemes
}

#[test]
fn what_is_special_is_of_the_registry() {
    for special in SPECIAL {
        let schemes = schemes(by_name(special.name).unwrap());
        assert!(!schemes.is_empty() && !special.why.is_empty(), "{}", special.name);
    }
}

fn cut(preset: &'static Preset) {
    let total = suite::power_cuts(&schemes(preset)).unwrap_or_else(|failed| panic!("{failed}"));
    println!("{}: {total:?}", preset.name);
    assert!(total.cuts == total.changes * 2 && total.changes > 1000, "{}", preset.name);
    // With the other schemes a shutdown changes nothing on flash. The first of these has its own write buffer.
    let writes = ["ba-gc", "gftl", "gftl-priority", "gftl-threshold"].contains(&preset.name);
    assert_eq!(total.in_shutdowns > 0, writes, "{}", preset.name);
    assert!(total.lost == 0 || is_volatile(&SchemeConfig::preset(preset)), "{}", preset.name);
}

crate::of_each_scheme! { cuts_at_every_operation_and_in_quick_succession_lose_nothing: cut }

/// Two copy paths: a mount takes the block with the fewest valid pages, on either path.
#[test]
fn cuts_on_channels_lose_nothing() {
    let patterns = [
        Pattern::Uniform,
        Pattern::FillThenOverwrite,
        Pattern::SpreadInvalidation,
        Pattern::TrimStorm,
    ];
    let shapes = &CHANNEL_SHAPES[..4];
    let of = |seeds: std::ops::Range<u64>, pattern| {
        let of = move |shape: &Shape, seed| case("lazy-rtgc", *shape, pattern, seed);
        let each = move |shape| seeds.clone().map(move |seed| of(shape, seed));
        shapes.iter().flat_map(each)
    };
    let cases: Vec<Case> = patterns.into_iter().flat_map(|pattern| of(1..2, pattern)).collect();
    let total = cut_everywhere(&cases).unwrap_or_else(|failed| panic!("{failed}"));
    println!("{total:?}");
    assert!(total.cuts == total.changes * 2 && total.changes > 2000 && total.lost == 0);
    let long = |case| Case { operations: 600, ..case };
    let cases: Vec<Case> = of(0..12, Pattern::FillThenOverwrite).map(long).collect();
    cut_again_and_again(&cases, 6).unwrap_or_else(|failed| panic!("{failed}"));
}

/// Arrays on which one pool can give translation pages fewer blocks than two areas do, and many more.
#[test]
fn cuts_with_one_pool_lose_nothing_on_larger_arrays() {
    let patterns = [Pattern::Uniform, Pattern::FillThenOverwrite, Pattern::HotCold];
    let shapes = [Shape::new(40, 16, 2), Shape::new(48, 8, 8), Shape::new(90, 8, 3)];
    let mut cases = Vec::new();
    for (name, frontiers) in
        [("dftl", None), ("dftl", Some(FrontierSharing::Shared)), ("lazy-rtgc-on-demand", None)]
    {
        for (shape, pattern) in
            shapes.iter().flat_map(|shape| patterns.map(|pattern| (*shape, pattern)))
        {
            let plain = case(name, shape, pattern, 1);
            let scheme = SchemeConfig {
                one_pool: true,
                cmt_bytes: Some(64),
                frontiers,
                ..plain.scheme.clone()
            };
            let of =
                |seed| Case { seed, scheme: scheme.clone(), operations: 3000, ..plain.clone() };
            cases.extend((0..6).map(of));
        }
    }
    let cuts = cut_again_and_again(&cases, 20).unwrap_or_else(|failed| panic!("{failed}"));
    println!("{} cases, {cuts} cuts", cases.len());
}

/// A scheme below a buffer of a few units.
struct Below {
    name: &'static str,
    policy: &'static BufferPolicy,
    unit: Option<BufferUnit>,
    aware: bool,
}

impl Below {
    const fn new(name: &'static str, policy: &'static BufferPolicy) -> Self {
        Self { name, policy, unit: None, aware: false }
    }

    /// Lets collectors also write dirty pages of the buffer.
    const fn aware(self) -> Self {
        Self { aware: true, ..self }
    }

    fn scheme(&self, shape: &Shape) -> SchemeConfig {
        let aware = self.aware.then_some(true);
        let buffer = BufferSettings { aware, ..small(self.policy, self.unit, shape) };
        SchemeConfig { buffer, ..with_idle(by_name(self.name).unwrap()) }
    }

    /// Workloads of this length on the smallest array with pages to lose, and on a roomy one.
    fn cases(&self, patterns: &[Pattern], operations: usize) -> Vec<Case> {
        let plain = with_idle(by_name(self.name).unwrap());
        let shapes = [small_shapes(&plain).unwrap()[0], roomy_shape(&plain).unwrap()];
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

    fn cut(&self) {
        let patterns = [Pattern::Uniform, Pattern::HotCold, Pattern::Interleaved];
        let cases = self.cases(&patterns, 160);
        let total = cut_everywhere(&cases).unwrap_or_else(|failed| panic!("{failed}"));
        println!("{} below {}: {total:?}", self.name, self.policy.name);
        assert!(total.cuts == total.changes * 2 && total.changes > 250);
        // Permitted losses must occur, or the suite would not have tested them.
        assert!(total.lost > 0 && total.in_shutdowns > 0);
        let patterns = [Pattern::Uniform, Pattern::FillThenOverwrite];
        let cases = self.cases(&patterns, 600).into_iter();
        let cases = cases.flat_map(|case| (0..8).map(move |seed| Case { seed, ..case.clone() }));
        cut_again_and_again(&cases.collect::<Vec<_>>(), 2)
            .unwrap_or_else(|failed| panic!("{failed}"));
    }
}

/// Schemes below buffers: a cut loses only pages that are neither flushed, nor forced, nor older than 30 s. Each
/// family has a scheme here, and each policy has a row.
const BELOW: [Below; 7] = [
    Below::new("page-level", BufferPolicy::LRU).aware(),
    Below::new("lazy-rtgc", BufferPolicy::LRU).aware(),
    Below::new("fast", BufferPolicy::BPLRU),
    Below::new("fast", BufferPolicy::FAB),
    Below::new("ba-gc", BufferPolicy::THREE_REGION).aware(),
    Below::new("dftl", BufferPolicy::CFLRU),
    Below::new("gftl", BufferPolicy::THREE_REGION),
];

#[test]
fn cuts_below_buffers_lose_what_is_not_flushed_only() {
    let policies: BTreeSet<&str> = BELOW.iter().map(|below| below.policy.name).collect();
    assert_eq!(policies.len(), BUFFER_POLICIES.len());
    BELOW.iter().for_each(Below::cut);
}

/// Few operations, so that most cuts hit the shutdown.
#[test]
fn a_cut_in_a_shutdown_loses_what_is_not_flushed_only() {
    let mut total = Tally::default();
    for (name, policy) in [
        ("lazy-rtgc", BufferPolicy::CFLRU),
        ("superblock", BufferPolicy::LRU),
        ("bast", BufferPolicy::FAB),
        ("gftl", BufferPolicy::BPLRU),
    ] {
        let below = Below::new(name, policy);
        let cases: Vec<Case> =
            (1..6).flat_map(|at| below.cases(&[Pattern::HotCold], at * 7)).collect();
        total.add(&cut_everywhere(&cases).unwrap_or_else(|failed| panic!("{failed}")));
    }
    println!("{total:?}");
    assert!(total.in_shutdowns * 4 > total.cuts && total.lost > 0);
}
