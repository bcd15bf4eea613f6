//! Bounds of schemes that are not page-mapped in RAM: proved on tiny arrays by every request sequence, and attacked
//! on larger ones.

use crate::guarantee;
use flash::{Array, Flash, Lpn, Store};
use ftl::{CollectionRam, Enqueue, FtlError, RftlTrigger, SchemeConfig, WriteQueue, registry};
use ftlkit_testkit::beam::{self, Attack, Reached};
use ftlkit_testkit::checks::Failure;
use ftlkit_testkit::conformance::{Described, logical_pages};
use ftlkit_testkit::depth::whole;
use ftlkit_testkit::exhaustive::{
    OnDemandTable, Proof, Refutation, Search, prove_by, prove_by_history,
};
use ftlkit_testkit::operations::Operation;
use ftlkit_testkit::projection::{ByHistory, ByState};
use ftlkit_testkit::shape::{CHANNEL_SHAPES, Shape};
use ftlkit_testkit::suite;

fn scheme(name: &str, logical_pages: u32) -> SchemeConfig {
    let preset = registry::by_name(name).unwrap();
    SchemeConfig { logical_pages: Some(logical_pages), ..SchemeConfig::preset(preset) }
}

/// RFTL with both triggers.
fn rftl(logical_pages: u32) -> [SchemeConfig; 2] {
    [RftlTrigger::PrimaryFull, RftlTrigger::Late]
        .map(|trigger| SchemeConfig { trigger: Some(trigger), ..scheme("rftl", logical_pages) })
}

/// The smallest array with blocks of this size on which the scheme can work.
fn smallest(config: &SchemeConfig, pages_per_block: u32, alpha: u32) -> Shape {
    let mut shapes = (3..200).map(|blocks| Shape::new(blocks, pages_per_block, alpha));
    shapes.find(|shape| logical_pages(config, shape, 0).is_ok()).unwrap()
}

fn search(config: &SchemeConfig, shape: Shape, search: Search) -> Result<Proof, Refutation> {
    let array = shape.array(Store::Metadata, &[]);
    prove_by_history(config, array, search, ByHistory { group_pages: shape.pages_per_block })
}

fn proof(config: &SchemeConfig, shape: Shape, how: Search) -> Proof {
    match search(config, shape, how) {
        Ok(proof) => {
            println!("{} on {shape}: {proof}", Described(config));
            proof
        }
        Err(refutation) => panic!("{} on {shape}: {refutation}", Described(config)),
    }
}

const PLAIN: Search = Search {
    trims: false,
    idle: false,
    every_page: false,
    check_projection: false,
    some_ways: false,
    ignore_victim_bound: false,
    flush: false,
    writes_in_a_row: 0,
    most_states: 1_000_000,
    most_operations: u32::MAX,
};

#[test]
fn no_sequence_of_requests_breaks_nftl() {
    let nftl = |pages, folds, blocks, pages_per_block| {
        let config = SchemeConfig { folds: Some(folds), ..scheme("nftl", pages) };
        let array = Shape::new(blocks, pages_per_block, 1).array(Store::Metadata, &[]);
        proof_by_state(&config, array, Search { trims: true, ..PLAIN });
    };
    nftl(2, 1, 3, 2);
    nftl(4, 1, 4, 2);
    nftl(4, 1, 5, 2);
    nftl(3, 1, 3, 3);
    nftl(4, 2, 6, 2);
    if whole() {
        nftl(6, 1, 4, 3);
        nftl(6, 2, 6, 2);
    }
}

fn proof_by_state(config: &SchemeConfig, array: Array, search: Search) -> Proof {
    let geometry = array.geometry();
    let [blocks, pages, bytes] =
        [geometry.blocks(), geometry.pages_per_block(), geometry.page_bytes()];
    let on = format!("{} on {blocks}x{pages} pages of {bytes} bytes", Described(config));
    match prove_by(config, array, search, &ByState) {
        Ok(proof) => {
            println!("{on}: {proof}");
            assert!(proof.whole && proof.worst.step_ns > 0, "{proof}");
            proof
        }
        Err(refutation) => panic!("{on}: {refutation}"),
    }
}

const GFTL: [&str; 3] = ["gftl", "gftl-priority", "gftl-threshold"];

/// As many logical blocks of so many pages on the smallest array for them.
fn gftl(name: &str, blocks: u32, pages_per_block: u32, alpha: u32, search: Search) -> Proof {
    gftl_of(&scheme(name, blocks * pages_per_block), pages_per_block, alpha, search)
}

fn gftl_of(config: &SchemeConfig, pages_per_block: u32, alpha: u32, search: Search) -> Proof {
    let shape = smallest(config, pages_per_block, alpha);
    proof_by_state(config, shape.array(Store::Metadata, &[]), search)
}

/// RAM in every state of a collection, and a block queued when it is full or with the first page beyond it. With α = 1 the
/// host writes pages whose turn has passed, and a flush puts pages in the queue whose turn is still to come.
#[test]
fn nor_with_ram_in_every_state_of_a_collection() {
    for (name, enqueue) in
        [("gftl", Enqueue::Full), ("gftl", Enqueue::Overflow), (GFTL[1], Enqueue::Overflow)]
    {
        let config = |pages| SchemeConfig {
            collection_ram: Some(CollectionRam::Collection),
            enqueue: Some(enqueue),
            ..scheme(name, pages)
        };
        gftl_of(&config(4), 2, 1, PLAIN);
        gftl_of(&config(2), 2, 1, Search { trims: true, flush: true, ..PLAIN });
        for alpha in if whole() { &[1, 2, 8][..] } else { &[2, 8] } {
            let alpha = *alpha;
            gftl_of(&config(3), 3, alpha, Search { trims: true, flush: true, ..PLAIN });
        }
    }
}

/// Two logical blocks, so that one waits in the collection queue while the other is collected. With α = 1 a step programs one
/// page, so that host writes come between; with 8 a whole block.
#[test]
fn no_sequence_of_requests_breaks_gftl() {
    for name in GFTL {
        gftl(name, 2, 2, 1, PLAIN);
        gftl(name, 1, 3, 1, Search { trims: true, flush: true, ..PLAIN });
        gftl(name, 1, 3, 8, Search { trims: true, flush: true, ..PLAIN });
    }
}

const ALL: Search = Search { trims: true, idle: true, flush: true, ..PLAIN };

#[test]
fn no_sequence_of_requests_breaks_lazy_rtgc_on_demand() {
    let on_demand = |logical_pages| SchemeConfig {
        idle_collection: true,
        ..scheme("lazy-rtgc-on-demand", logical_pages)
    };
    // All entries in one translation page.
    for (shape, pages) in [(Shape::new(7, 6, 2), 5), (Shape::new(5, 8, 4), 4)] {
        proof_by_state(&on_demand(pages), shape.array(Store::Metadata, &[]), ALL);
    }
    // One to three translation pages, the last one half full.
    for pages in 1..=5 {
        proof_by_state(&on_demand(pages), Shape::new(6, 4, 2).array_of(8), ALL);
    }
}

/// Every entry of the map fits the planned table of an array as small as these, so that none is written back. With lower
/// thresholds write-back and collection of translation blocks compete; with an entry less than the map has, the search finds
/// a write that waits for a translation page to be written.
#[test]
fn no_sequence_of_requests_breaks_lazy_rtgc_on_demand_while_it_writes_back() {
    let shape = Shape::new(6, 4, 2);
    let table = |dirty_threshold, entries| OnDemandTable {
        shape,
        page_bytes: 8,
        logical_pages: 4,
        dirty_threshold,
        entries,
    };
    for dirty_threshold in 1..=4 {
        match table(dirty_threshold, 4).prove(ALL) {
            Ok(proof) => println!("written back from {dirty_threshold} dirty entries on: {proof}"),
            Err(refutation) => panic!("{dirty_threshold}: {refutation}"),
        }
    }
    for dirty_threshold in 1..=3 {
        match table(dirty_threshold, 3).prove(ALL) {
            Err(Refutation::Broken { failure: Failure::Promise { what, .. }, operations }) => {
                println!("3 entries, threshold {dirty_threshold}: {what} by {operations:?}");
            }
            other => panic!("{dirty_threshold}: {other:?}"),
        }
    }
}

/// Steps and blocks belong to one logical block, so one logical block stands for all.
#[test]
fn no_sequence_of_requests_breaks_rftl() {
    for config in rftl(5) {
        let whole = proof(&config, smallest(&config, 5, 8), PLAIN);
        assert!(whole.whole && whole.worst.step_ns > 0, "{whole}");
    }
}

/// Tests the argument that states with one projection continue alike, for each scheme that is searched by it.
#[test]
fn states_of_one_projection_go_on_alike() {
    let checked = Search { check_projection: true, some_ways: !whole(), ..PLAIN };
    for (pages, shape) in [(4, Shape::new(4, 2, 1)), (2, Shape::new(3, 2, 1))] {
        let checked = Search { trims: true, ..checked };
        proof_by_state(&scheme("nftl", pages), shape.array(Store::Metadata, &[]), checked);
    }
    for config in rftl(5) {
        assert!(proof(&config, smallest(&config, 5, 8), checked).whole);
    }
    gftl("gftl", 1, 3, 1, Search { trims: true, ..checked });
    for name in GFTL {
        gftl(name, 1, 2, 1, Search { trims: true, flush: true, ..checked });
    }
    let on_demand = SchemeConfig { idle_collection: true, ..scheme("lazy-rtgc-on-demand", 4) };
    let checked = Search { some_ways: checked.some_ways, check_projection: true, ..ALL };
    proof_by_state(&on_demand, Shape::new(6, 4, 2).array_of(8), checked);
    // Two logical blocks as far as it takes until one waits for the other.
    let config = scheme("gftl", 4);
    let array = smallest(&config, 2, 1).array(Store::Metadata, &[]);
    let first = Search { check_projection: true, most_operations: 10, ..PLAIN };
    match prove_by(&config, array, first, &ByState) {
        Ok(proof) => println!("gftl, two logical blocks: {proof}"),
        Err(refutation) => panic!("{refutation}"),
    }
}

/// A table of two entries: translation pages are read, written back and collected, and entries are dropped. (It has no real-time
/// bound.)
#[test]
fn nor_do_states_of_a_small_table_go_on_in_different_ways() {
    let config = SchemeConfig { cmt_bytes: Some(16), ..scheme("lazy-rtgc-on-demand", 4) };
    let checked = Search { check_projection: true, ..PLAIN };
    proof_by_state(&config, Shape::new(6, 4, 2).array_of(8), checked);
}

/// Fills the device in order and writes one page of each logical block, so that all wait for collection. Then it
/// writes again and again to the logical block that was collected last, each time to another of its pages. That block
/// waits behind all others, and until its turn comes all these pages stay in the write queue.
fn queued_last(config: &SchemeConfig, shape: Shape) -> Result<Reached, Refutation> {
    let of_block = shape.pages_per_block;
    beam::follow(config, shape.array(Store::Metadata, &[]), 40_000, &mut |history, pages, at| {
        let Lpn(lpn) = history.moved_last().unwrap_or(Lpn(0));
        Operation::Write(match at {
            _ if at < pages => at,
            _ if at - pages < pages / of_block => (at - pages) * of_block,
            _ => lpn / of_block * of_block + at % of_block,
        })
    })
}

/// L = ⌈N(κ+1)/2⌉ holds for the order 0, 1, …, N−1, 0, 1, … that it is derived from, but not for this one. The proven
/// length holds.
#[test]
fn the_printed_write_queue_is_too_short_and_the_proven_one_is_not() {
    for shape in [
        Shape::new(24, 16, 8),
        Shape::new(48, 8, 8),
        Shape::new(40, 16, 2),
        Shape::new(64, 16, 2),
        Shape::new(32, 64, 8),
        Shape::new(128, 64, 8),
    ] {
        let plain = SchemeConfig::preset(registry::by_name("gftl").unwrap());
        let reached = queued_last(&plain, shape);
        let Ok(reached) = reached else { panic!("gftl on {shape}: {reached:?}") };
        println!("gftl on {shape}: {reached}");
        let printed = SchemeConfig { write_queue: Some(WriteQueue::Printed), ..plain };
        match queued_last(&printed, shape) {
            Ok(reached) => panic!("{} on {shape}: {reached}", Described(&printed)),
            Err(Refutation::Broken { failure, operations }) => {
                println!("{} on {shape}: {failure}: {}", Described(&printed), operations.len());
                let full = matches!(failure, Failure::Scheme { error: FtlError::Full { .. }, .. });
                assert!(full, "{failure}");
            }
            Err(refutation) => panic!("{refutation}"),
        }
    }
}

/// Attacks with states that come close to exceeding a bound.
#[test]
fn attacks_break_no_promise() {
    let schemes: Vec<_> =
        registry::REGISTRY.iter().map(|preset| SchemeConfig::preset(preset)).collect();
    match suite::promises(&schemes) {
        Ok(reached) => reached.iter().for_each(|line| println!("{line}")),
        Err(failed) => panic!("{failed}"),
    }
}

/// Two copy paths, each as long as a step may be: the bound holds to the nanosecond, and the worst case occurs.
#[test]
fn attacks_break_no_promise_of_two_ways_of_copying() {
    for name in ["lazy-rtgc", "page-level", "fsr"] {
        let config = SchemeConfig::preset(registry::by_name(name).unwrap());
        // This number of requests fills only small arrays.
        let small = |shape: &&Shape| shape.blocks * shape.pages_per_block < 600;
        for shape in CHANNEL_SHAPES.iter().filter(small) {
            let promised = guarantee(&config, shape);
            let [response, step, victim] = [
                promised.response_ns.unwrap(),
                promised.step_ns.unwrap(),
                promised.victim_valid.unwrap().into(),
            ];
            let attack = Attack {
                width: 8,
                tries: 5,
                operations: 800,
                group_pages: shape.pages_per_block,
                reads: true,
                seed: 1,
            };
            match beam::attack(&config, shape.array(Store::Metadata, &[]), attack) {
                Ok(Reached { worst, free_pages, .. }) => {
                    println!(
                        "{name} on {shape}: response {} of {response} ns, step {} of {step}, victims {:?} of {victim}, {free_pages} free pages",
                        worst.response_ns, worst.step_ns, worst.victim_valid_by_way
                    );
                    assert!(name != "lazy-rtgc" || worst.step_ns == step, "{worst:?}");
                }
                Err(refutation) => panic!("{name} on {shape}: {refutation}"),
            }
        }
    }
}
