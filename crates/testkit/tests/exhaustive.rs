//! Lazy-RTGC's promise, proved on small arrays by looking at every state that any sequence of requests
//! can lead to; and shown to break, by the sequence that does it, where one block too many is counted.

use flash::{Flash, Store};
use ftl::{FtlError, SchemeConfig, registry};
use ftlkit_testkit::checks::Failure;
use ftlkit_testkit::conformance::logical_pages;
use ftlkit_testkit::exhaustive::{Proof, Refutation, Search, prove, prove_planned};
use ftlkit_testkit::shape::Shape;

fn scheme(name: &str) -> SchemeConfig {
    SchemeConfig::preset(registry::by_name(name).unwrap())
}

fn proof(config: &SchemeConfig, shape: Shape, search: Search) -> Proof {
    match prove(config, shape.array(Store::Metadata, &[]), search) {
        Ok(proof) => {
            let idle = if config.idle_collection { ", idle" } else { "" };
            let pages = logical_pages(config, &shape, 0).unwrap();
            println!("{} on {shape}, {pages} logical pages{idle}: {proof}", config.preset.name);
            proof
        }
        Err(refutation) => panic!("{} on {shape}: {refutation}", config.preset.name),
    }
}

const SHAPES: &[Shape] = &[
    Shape::new(3, 3, 1),
    Shape::new(3, 4, 1),
    Shape::new(3, 8, 3),
    Shape::new(3, 12, 8),
    Shape::new(4, 4, 1),
    Shape::new(4, 6, 2),
    Shape::new(4, 8, 1),
    Shape::new(4, 8, 3),
    Shape::new(5, 4, 2),
    Shape::new(5, 5, 1),
    Shape::new(5, 8, 2),
    Shape::new(6, 6, 2),
    Shape::new(8, 4, 3),
];

/// Tens of thousands of states each.
const LARGER_SHAPES: &[Shape] = &[Shape::new(6, 8, 3), Shape::new(8, 6, 2), Shape::new(7, 7, 1)];

#[test]
fn no_sequence_of_requests_breaks_lazy_rtgc() {
    for shape in SHAPES.iter().chain(LARGER_SHAPES) {
        let plain = scheme("lazy-rtgc");
        proof(&plain, *shape, Search::default());
        let idle = SchemeConfig { idle_collection: true, ..plain };
        proof(&idle, *shape, Search { idle: true, ..Search::default() });
    }
}

/// Fewer logical pages lower the threshold: the promise is as tight for each.
#[test]
fn nor_with_any_smaller_logical_space() {
    for shape in [Shape::new(4, 6, 2), Shape::new(4, 7, 1), Shape::new(3, 9, 3)] {
        let most = logical_pages(&scheme("lazy-rtgc"), &shape, 0).unwrap();
        for pages in 1..=most {
            let config = SchemeConfig { logical_pages: Some(pages), ..scheme("lazy-rtgc") };
            proof(&config, shape, Search::default());
        }
    }
}

#[test]
fn nor_page_level_and_fsr() {
    for name in ["page-level", "fsr"] {
        for shape in [Shape::new(3, 4, 1), Shape::new(4, 6, 2), Shape::new(5, 5, 1)] {
            let idle = SchemeConfig { idle_collection: true, ..scheme(name) };
            // Whole blocks are collected before the write, where ties tell pages of one kind apart: every
            // page is tried.
            let every = Search { every_page: true, ..Search::default() };
            proof(&scheme(name), shape, every);
            proof(&idle, shape, Search { idle: true, ..every });
        }
    }
}

/// The bound on a victim's valid pages is reached, not just kept.
#[test]
fn the_bound_on_victims_is_tight() {
    for shape in SHAPES {
        let plan =
            registry::plan(&scheme("lazy-rtgc"), &shape.part(), &shape.geometry(), shape.blocks)
                .unwrap();
        let proof = proof(&scheme("lazy-rtgc"), *shape, Search::default());
        assert_eq!(Some(proof.worst.victim_valid), plan.guarantee.victim_valid, "{shape}");
    }
}

/// The argument that few states stand for all, tested on the code: one page of a kind finds the same
/// states as every page, and states of one projection go on alike.
#[test]
fn the_projection_is_a_bisimulation() {
    for shape in
        [Shape::new(3, 4, 1), Shape::new(4, 4, 2), Shape::new(3, 6, 2), Shape::new(4, 5, 1)]
    {
        for (name, idle_collection) in [("lazy-rtgc", false), ("lazy-rtgc", true), ("fsr", true)] {
            let config = SchemeConfig { idle_collection, ..scheme(name) };
            let by_kind = Search { idle: idle_collection, ..Search::default() };
            let every = Search { every_page: true, ..by_kind };
            let checked = Search { check_projection: true, ..by_kind };
            let states = proof(&config, shape, by_kind).states;
            assert_eq!(proof(&config, shape, every).states, states);
            assert_eq!(proof(&config, shape, checked).states, states);
        }
    }
}

/// Theorem 4.3 counts all N blocks as full of data, though one is free when a victim is taken. With the
/// threshold that follows from it, Λ = 16 on four blocks of eight pages breaks: the search must find it.
#[test]
fn counting_one_block_too_many_is_found_out() {
    let shape = Shape::new(4, 8, 3);
    let most = logical_pages(&scheme("lazy-rtgc"), &shape, 0).unwrap();
    let sound = SchemeConfig { logical_pages: Some(16), ..scheme("lazy-rtgc") };
    proof(&sound, shape, Search::default());

    let search = |logical_pages, ignore_victim_bound| {
        let config = SchemeConfig { logical_pages: Some(logical_pages), ..scheme("lazy-rtgc") };
        let search = Search { ignore_victim_bound, ..Search::default() };
        let more = Shape { blocks: shape.blocks + 1, ..shape };
        let array = more.array(Store::Metadata, &[]);
        let plan = registry::plan(&config, array.part(), array.geometry(), more.blocks).unwrap();
        prove_planned(&config, &plan, shape.array(Store::Metadata, &[]), search)
    };
    // The theorem's bound itself.
    let Err(Refutation::Broken { failure, operations }) = search(16, false) else {
        panic!("the theorem's bound on victims holds");
    };
    println!("{failure}, by {operations:?}");
    assert!(
        matches!(failure, Failure::Promise { what: "valid pages", seen: 5, bound: 4, .. }),
        "{failure}"
    );

    // What follows from it: a write that finds the array full, at one page more than is allowed.
    let Err(Refutation::Broken { failure, operations }) = search(most + 1, true) else {
        panic!("{} logical pages never fill the array", most + 1);
    };
    println!("{failure}, by {operations:?}");
    assert!(matches!(failure, Failure::Scheme { error: FtlError::Full { .. }, .. }), "{failure}");
}

#[test]
fn a_logical_space_beyond_the_largest_is_refused() {
    for shape in SHAPES {
        let most = logical_pages(&scheme("lazy-rtgc"), shape, 0).unwrap();
        let config = SchemeConfig { logical_pages: Some(most + 1), ..scheme("lazy-rtgc") };
        let refused = prove(&config, shape.array(Store::Metadata, &[]), Search::default());
        let Err(Refutation::Refused(error)) = refused else { panic!("{shape}: not refused") };
        assert!(error.to_string().contains(&most.to_string()), "{error} names the largest: {most}");
    }
}
