//! Lazy-RTGC's bound, proved on small arrays by a search of all states that any request sequence reaches. If one
//! block too many is counted, the search finds the sequence that exceeds the bound.

use crate::{guarantee, plan, scheme};
use bounds::lazy_rtgc::{Space, WholeArray};
use flash::{Flash, Store};
use ftl::{
    CollectionKind, CopiesPerStep, FrontierSharing, FtlError, Layout, Plan, SchemeConfig,
    VictimKind, registry,
};
use ftlkit_testkit::checks::Failure;
use ftlkit_testkit::conformance::logical_pages;
use ftlkit_testkit::exhaustive::{Proof, Refutation, Search, prove, prove_planned};
use ftlkit_testkit::projection::ByBlocks;
use ftlkit_testkit::shape::Shape;

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

/// Tens of thousands of states per shape.
const LARGER_SHAPES: &[Shape] = &[Shape::new(6, 8, 3), Shape::new(8, 6, 2), Shape::new(7, 7, 1)];

#[test]
fn no_sequence_of_requests_breaks_lazy_rtgc() {
    for shape in SHAPES.iter().chain(LARGER_SHAPES) {
        let plain = scheme("lazy-rtgc");
        let in_a_row = 4 * shape.pages_per_block;
        let found =
            proof(&plain, *shape, Search { writes_in_a_row: in_a_row, ..Search::default() });
        // A few steps are shorter, since copies do not fill them.
        assert!(found.reached_in_a_row > 0, "{shape}: {found}");
        let idle = SchemeConfig { idle_collection: true, ..plain };
        proof(&idle, *shape, Search { idle: true, ..Search::default() });
    }
}

/// Fewer logical pages lower the threshold; the bound is equally tight with each number.
#[test]
fn nor_with_any_smaller_logical_space() {
    for shape in [Shape::new(4, 6, 2), Shape::new(4, 7, 1), Shape::new(3, 9, 3)] {
        let most = logical_pages(&scheme("lazy-rtgc"), &shape, 0).unwrap();
        for pages in 1..=most {
            let config = SchemeConfig { logical_pages: Some(pages), ..scheme("lazy-rtgc") };
            let in_a_row = 4 * shape.pages_per_block;
            proof(&config, shape, Search { writes_in_a_row: in_a_row, ..Search::default() });
        }
    }
}

#[test]
fn nor_page_level_and_fsr() {
    for name in ["page-level", "fsr"] {
        for shape in [Shape::new(3, 4, 1), Shape::new(4, 6, 2), Shape::new(5, 5, 1)] {
            let idle = SchemeConfig { idle_collection: true, ..scheme(name) };
            // Whole blocks are collected before the write, so the choice among equal victims distinguishes pages of
            // one kind. Every page is tried.
            let every = Search { every_page: true, ..Search::default() };
            proof(&scheme(name), shape, every);
            proof(&idle, shape, Search { idle: true, ..every });
            // With one frontier the writes between two victims are known, and several if a victim gains more than a page.
            let shared = SchemeConfig { frontiers: Some(FrontierSharing::Shared), ..scheme(name) };
            let pages = logical_pages(&shared, &shape, 0).unwrap() * 3 / 5;
            let in_a_row = Search { writes_in_a_row: 4 * shape.pages_per_block, ..every };
            proof(&shared, shape, in_a_row);
            let smaller = SchemeConfig { logical_pages: Some(pages), ..shared };
            let found = proof(&smaller, shape, in_a_row);
            assert!(found.reached_in_a_row > 0, "{name} on {shape}: {found}");
        }
    }
}

/// Collection that goes on until blocks are back takes several victims per write: as many as promised, and no more.
#[test]
fn nor_a_refill_whose_bound_is_tight() {
    for (shape, refill, pages) in
        [(Shape::new(4, 4, 1), 1, 6), (Shape::new(5, 4, 1), 1, 8), (Shape::new(5, 3, 1), 2, 5)]
    {
        let frontiers = Some(FrontierSharing::Shared);
        let config = SchemeConfig {
            refill: Some(refill),
            logical_pages: Some(pages),
            frontiers,
            ..scheme("page-level")
        };
        let seen = proof(&config, shape, Search { every_page: true, ..Search::default() });
        let promised = guarantee(&config, &shape);
        assert!(
            promised.step_ns > guarantee(&SchemeConfig { refill: None, ..config }, &shape).step_ns
        );
        assert_eq!(Some(seen.worst.step_ns), promised.step_ns, "{shape}");
    }
}

/// The bound on a victim's valid pages is reached, not only kept.
#[test]
fn the_bound_on_victims_is_tight() {
    for shape in SHAPES {
        let proof = proof(&scheme("lazy-rtgc"), *shape, Search::default());
        let promised = guarantee(&scheme("lazy-rtgc"), shape).victim_valid;
        assert_eq!(Some(proof.worst.victim_valid), promised, "{shape}");
    }
}

/// Tests the argument that few states stand for all. One page per kind finds the same states as every page, and
/// states with one projection continue alike.
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

/// Theorem 4.3 counts all N blocks as full of data, although one is free when a victim is taken. With the threshold
/// derived from it, Λ = 16 on four blocks of eight pages exceeds the bound, and the search must find that.
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
        prove_planned(&config, &plan, shape.array(Store::Metadata, &[]), search, &ByBlocks)
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

    // Its consequence: a write finds the array full with one page more than allowed.
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

/// Small arrays on channels whose devices have equal numbers of blocks or not. Either copy path may allow more copies
/// per step.
const CHANNELS: &[Shape] = &[
    Shape::new(3, 4, 1).on(2, 1, 3),
    Shape::new(4, 4, 1).on(2, 3, 1),
    Shape::new(4, 6, 2).on(2, 1, 5),
    Shape::new(5, 4, 2).on(2, 1, 3),
    Shape::new(5, 4, 2).on(2, 3, 1),
    Shape::new(5, 4, 1).on(3, 1, 2),
    Shape::new(5, 5, 1).on(3, 4, 1),
    Shape::new(5, 5, 1).on(4, 1, 4),
    Shape::new(6, 4, 1).on(4, 3, 1),
    Shape::new(4, 8, 3).on(3, 2, 7),
    Shape::new(5, 4, 1).on(2, 0, 2),
    Shape::new(5, 4, 1).on(2, 2, 0),
    Shape::new(4, 4, 1).on(8, 1, 3),
];

fn space(shape: &Shape, spare_blocks: u32, logical_pages: Option<u32>) -> Space {
    let array =
        WholeArray { blocks: shape.blocks - spare_blocks, spare_blocks, from_buffer: false };
    array.space(&shape.part(), logical_pages).unwrap()
}

/// Two copy paths: no step exceeds an erase, although each path may take a full step. The largest victims of each
/// path stay within their bounds, and some reach them.
#[test]
fn no_sequence_of_requests_breaks_two_ways_of_copying() {
    let mut at_their_bounds = 0;
    for shape in CHANNELS {
        let space = space(shape, 0, None);
        let in_a_row = Search { writes_in_a_row: 4 * shape.pages_per_block, ..Search::default() };
        let proof = proof(&scheme("lazy-rtgc"), *shape, in_a_row);
        let bounds = [false, true].map(|far| space.victim_valid_of(far));
        let seen = proof.worst.victim_valid_by_way;
        println!("  victims {seen:?} of {bounds:?}");
        assert!(seen[0] <= bounds[0] && seen[1] <= bounds[1], "{shape}: {seen:?} of {bounds:?}");
        at_their_bounds += u32::from(seen[0] == bounds[0]) + u32::from(seen[1] == bounds[1]);
        let t_bers_ns = shape.part().t_bers_ns;
        assert_eq!(proof.worst.step_ns, t_bers_ns, "{shape}");
    }
    println!("{at_their_bounds} of {} bounds are reached", 2 * CHANNELS.len());
    assert!(at_their_bounds > CHANNELS.len() as u32);
}

#[test]
fn nor_two_ways_of_copying_with_a_smaller_logical_space_or_a_bad_block() {
    for shape in [Shape::new(4, 6, 2).on(2, 1, 5), Shape::new(5, 4, 2).on(3, 3, 1)] {
        let most = logical_pages(&scheme("lazy-rtgc"), &shape, 0).unwrap();
        for pages in 1..=most {
            let config = SchemeConfig { logical_pages: Some(pages), ..scheme("lazy-rtgc") };
            proof(&config, shape, Search::default());
        }
    }
    let config = SchemeConfig { spare_blocks: 1, ..scheme("lazy-rtgc") };
    for shape in [Shape::new(5, 4, 2).on(2, 1, 3), Shape::new(6, 4, 2).on(2, 3, 1)] {
        for bad in 0..shape.blocks {
            let array = shape.array(Store::Metadata, &[bad]);
            let writes_in_a_row = 4 * shape.pages_per_block;
            match prove(&config, array, Search { writes_in_a_row, ..Search::default() }) {
                Ok(proof) => println!("{shape}, block {bad} bad: {proof}"),
                Err(refutation) => panic!("{shape}, block {bad} bad: {refutation}"),
            }
        }
    }
}

#[test]
fn the_projection_is_a_bisimulation_on_channels() {
    for shape in [
        Shape::new(3, 4, 1).on(2, 1, 3),
        Shape::new(4, 4, 2).on(3, 3, 1),
        Shape::new(4, 5, 1).on(2, 1, 4),
    ] {
        let every = Search { every_page: true, ..Search::default() };
        let checked = Search { check_projection: true, ..Search::default() };
        let states = proof(&scheme("lazy-rtgc"), shape, Search::default()).states;
        assert_eq!(proof(&scheme("lazy-rtgc"), shape, every).states, states);
        assert_eq!(proof(&scheme("lazy-rtgc"), shape, checked).states, states);
    }
}

/// A proof attempt for a plan with a deliberate fault.
fn spoilt(shape: Shape, spoil: impl FnOnce(&mut Plan)) -> Result<Proof, Refutation> {
    let config = scheme("lazy-rtgc");
    let mut plan = plan(&config, &shape);
    spoil(&mut plan);
    let search = Search { ignore_victim_bound: true, ..Search::default() };
    prove_planned(&config, &plan, shape.array(Store::Metadata, &[]), search, &ByBlocks)
}

fn with_copies(near: u32, far: u32) -> impl FnOnce(&mut Plan) {
    move |plan| {
        let copies = CopiesPerStep { near, far };
        plan.layout = Layout::PageMapped(CollectionKind::Partial(VictimKind::GREEDY, copies));
    }
}

/// Plans that mistake the copy path of victims, or assume one path for all: a step exceeds an erase, or the array
/// fills.
#[test]
fn mistaking_the_way_of_a_victim_is_found_out() {
    let channels = [
        (Shape::new(4, 6, 2), 2, [1, 5]),
        (Shape::new(4, 6, 2), 2, [5, 1]),
        (Shape::new(5, 5, 1), 3, [1, 4]),
    ];
    for (shape, ways, [near, far]) in channels {
        let shape = shape.on(ways, near, far);
        assert!(spoilt(shape, with_copies(near, far)).is_ok());
        for (near, far) in [(far, near), (near.max(far), near.max(far))] {
            let Err(Refutation::Broken { failure, operations }) =
                spoilt(shape, with_copies(near, far))
            else {
                panic!("{shape}: {near} near and {far} far are not found out");
            };
            println!("{shape}, {near} near and {far} far: {failure}, by {operations:?}");
            let step = matches!(failure, Failure::Promise { what: "collection step (ns)", .. });
            assert!(step, "{shape}: {failure}");
        }
    }
    // All copies are counted by the path that allows fewer, so the victim is the block with the fewest valid pages on
    // either path.
    let shape = Shape::new(6, 6, 2).on(2, 1, 5);
    let Err(Refutation::Broken { failure, .. }) = spoilt(shape, with_copies(1, 1)) else {
        panic!("{shape}: one way is not found out");
    };
    println!("{shape}: {failure}");
    assert!(matches!(failure, Failure::Scheme { error: FtlError::Full { .. }, .. }), "{failure}");
}

/// One logical page more still works, as with one copy path, because the page just written is in the frontier. With
/// two more pages some write finds the array full.
#[test]
fn two_logical_pages_more_break_two_ways_of_copying() {
    for shape in CHANNELS {
        let with = |more| spoilt(*shape, |plan: &mut Plan| plan.logical_pages += more);
        assert!(with(1).is_ok(), "{shape}");
        let Err(Refutation::Broken { failure, operations }) = with(2) else {
            panic!("{shape}: two pages more are never too many");
        };
        println!("{shape}, two pages more: {failure}, by {operations:?}");
        let full = matches!(failure, Failure::Scheme { error: FtlError::Full { .. }, .. });
        assert!(full, "{shape}: {failure}");
    }
}
