//! Longer runs of the suites than the tests have time for.
//!
//! ```text
//! cargo run --release -p ftlkit-testkit --example soak -- conformance [SEED [CASES]] [SCHEME]
//! cargo run --release -p ftlkit-testkit --example soak -- power-cut   [SEED [CASES]] [SCHEME]
//! cargo run --release -p ftlkit-testkit --example soak -- storm       [SEED [CASES]] [SCHEME]
//! cargo run --release -p ftlkit-testkit --example soak -- exhaustive  BLOCKS PAGES ALPHA
//! cargo run --release -p ftlkit-testkit --example soak -- exhaustive-on-demand BLOCKS PAGES ALPHA LOGICAL THRESHOLD ENTRIES
//! ```
//!
//! The first three draw CASES (default 1000) random cases over all schemes, or over the settings of one: the first from SEED
//! (default 1), the next from SEED + 1, and so on. A failure names the seed that draws it again. `exhaustive`
//! searches one array for `lazy-rtgc`, with and without idle time; `exhaustive-on-demand` one of 8-byte pages for
//! `lazy-rtgc-on-demand`, with a table of ENTRIES that is written back from THRESHOLD dirty ones on. The exit code is 1 where anything failed.

use flash::Store;
use ftl::registry::{REGISTRY, by_name};
use ftl::{Preset, SchemeConfig};
use ftlkit_testkit::buffers::every_buffer;
use ftlkit_testkit::conformance::{self, conform};
use ftlkit_testkit::exhaustive::{OnDemandTable, Search, prove};
use ftlkit_testkit::operations::Pattern;
use ftlkit_testkit::power_cut::{self, every_cut, storm};
use ftlkit_testkit::shape::Shape;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::process::ExitCode;

const USAGE: &str = "soak conformance|power-cut|storm [SEED [CASES]] [SCHEME], or soak exhaustive BLOCKS PAGES ALPHA, or soak exhaustive-on-demand BLOCKS PAGES ALPHA LOGICAL THRESHOLD ENTRIES";

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let named =
        arguments.last().filter(|_| arguments.len() > 1).and_then(|name| by_name(name).ok());
    let presets = named.map_or(REGISTRY.to_vec(), |preset| vec![preset]);
    arguments.truncate(arguments.len() - usize::from(named.is_some()));
    let numbers: Result<Vec<u32>, _> = arguments.iter().skip(1).map(|n| n.parse()).collect();
    let passed = match (arguments.first().map(String::as_str), numbers.as_deref()) {
        (Some("exhaustive"), Ok(&[blocks, pages, alpha])) => {
            exhaustive(Shape::new(blocks, pages, alpha))
        }
        (
            Some("exhaustive-on-demand"),
            Ok(&[blocks, pages, alpha, logical_pages, dirty_threshold, entries]),
        ) => {
            let shape = Shape::new(blocks, pages, alpha);
            on_demand(OnDemandTable {
                shape,
                page_bytes: 8,
                logical_pages,
                dirty_threshold,
                entries,
            })
        }
        (Some(suite), Ok(numbers)) if numbers.len() <= 2 => {
            let seed = numbers.first().copied().unwrap_or(1);
            let cases = numbers.get(1).copied().unwrap_or(1000);
            match suite {
                "conformance" => soak(seed, cases, &presets, conformance_case),
                "power-cut" => soak(seed, cases, &presets, power_cut_case),
                "storm" => soak(seed, cases, &presets, storm_case),
                _ => return usage(),
            }
        }
        _ => return usage(),
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

/// The schemes to draw from.
type Presets<'a> = &'a [&'static Preset];

/// The result of one case; passes and refusals have no text.
type CaseResult = Result<(), String>;

fn soak(
    seed: u32,
    cases: u32,
    presets: Presets,
    case: fn(&mut Pcg64, Presets) -> CaseResult,
) -> bool {
    let mut failures = 0;
    for seed in seed..seed.saturating_add(cases) {
        if let Err(failure) = case(&mut Pcg64::seed_from_u64(seed.into()), presets) {
            println!("seed {seed}: {failure}");
            failures += 1;
        }
    }
    println!("{cases} cases from seed {seed}: {failures} failed");
    failures == 0
}

/// A preset, or a variant with one setting changed. One in three spreads its writes over several units, half of these as
/// reclaim groups where the placement follows streams.
fn scheme(random: &mut Pcg64, presets: Presets) -> SchemeConfig {
    let variants = conformance::variants(presets[random.random_range(0..presets.len())]);
    let scheme = variants[random.random_range(0..variants.len())].clone();
    if random.random_range(0..3) > 0 {
        return scheme;
    }
    let counts = [3, 2, 2, 2].map(|most| random.random_range(1..=most));
    let orders = ["cwdp", "wcdp", "pdwc", "dcpw"];
    let scheme = conformance::spread(scheme, counts, orders[random.random_range(0..orders.len())]);
    SchemeConfig { reclaim_groups: random.random(), ..scheme }
}

/// A shape that the scheme can work on, if a hundred tries find one.
fn shape(random: &mut Pcg64, scheme: &SchemeConfig, most_blocks: u32, most_pages: u32) -> Shape {
    let mut draw = || {
        Shape::new(
            random.random_range(3..=most_blocks),
            random.random_range(3..=most_pages),
            random.random_range(1..=8),
        )
        .with_bits(if scheme.slc.is_some() { random.random_range(2..=4) } else { 1 })
    };
    let accepted = |shape: &Shape| conformance::logical_pages(scheme, shape, 0).is_ok();
    let first = draw();
    std::iter::once(first).chain((0..100).map(|_| draw())).find(accepted).unwrap_or(first)
}

/// Adds a write buffer to half of the schemes.
fn perhaps_buffered(random: &mut Pcg64, scheme: SchemeConfig, shape: &Shape) -> SchemeConfig {
    if random.random_bool(0.5) {
        return scheme;
    }
    let buffers = every_buffer(scheme.preset, shape);
    SchemeConfig { buffer: buffers[random.random_range(0..buffers.len())], ..scheme }
}

fn pattern(random: &mut Pcg64) -> Pattern {
    Pattern::ALL[random.random_range(0..Pattern::ALL.len())]
}

fn conformance_case(random: &mut Pcg64, presets: Presets) -> CaseResult {
    let scheme = scheme(random, presets);
    let shape = shape(random, &scheme, 40, 70);
    let scheme = perhaps_buffered(random, scheme, &shape);
    let case = conformance::Case::new(scheme, shape, pattern(random), random.random(), 20_000);
    match conform(&case) {
        Ok(_) | Err(conformance::Verdict::Refused(_)) => Ok(()),
        Err(verdict) => Err(verdict.to_string()),
    }
}

fn cut_case(random: &mut Pcg64, presets: Presets, operations: usize) -> power_cut::Case {
    let scheme = scheme(random, presets);
    let shape = shape(random, &scheme, 16, 12);
    let scheme = perhaps_buffered(random, scheme, &shape);
    let (pattern, seed) = (pattern(random), random.random());
    power_cut::Case {
        operations,
        shutdown: random.random(),
        go_on: 100,
        trims_may_fill: true,
        ..power_cut::Case::new(scheme, shape, pattern, seed)
    }
}

fn power_cut_case(random: &mut Pcg64, presets: Presets) -> CaseResult {
    said(every_cut(&cut_case(random, presets, 250)))
}

fn storm_case(random: &mut Pcg64, presets: Presets) -> CaseResult {
    said(storm(&cut_case(random, presets, 2000), 60))
}

fn said<T>(verdict: Result<T, power_cut::Verdict>) -> CaseResult {
    match verdict {
        Ok(_) | Err(power_cut::Verdict::Refused(_)) => Ok(()),
        Err(verdict) => Err(verdict.to_string()),
    }
}

fn exhaustive(shape: Shape) -> bool {
    let lazy = SchemeConfig::preset(by_name("lazy-rtgc").expect("lazy-rtgc is registered"));
    [false, true].into_iter().all(|idle| {
        let config = SchemeConfig { idle_collection: idle, ..lazy.clone() };
        let search = Search { idle, most_states: 40_000_000, ..Search::default() };
        match prove(&config, shape.array(Store::Metadata, &[]), search) {
            Ok(proof) => {
                println!("lazy-rtgc on {shape}, idle {idle}: {proof}");
                true
            }
            Err(refutation) => {
                println!("lazy-rtgc on {shape}, idle {idle}: {refutation}");
                false
            }
        }
    })
}

fn on_demand(table: OnDemandTable) -> bool {
    let search = Search { most_states: 40_000_000, ..Search::default() };
    let proof = table.prove(search);
    match &proof {
        Ok(proof) => println!("lazy-rtgc-on-demand, {table:?}: {proof}"),
        Err(refutation) => println!("lazy-rtgc-on-demand, {table:?}: {refutation}"),
    }
    proof.is_ok()
}
