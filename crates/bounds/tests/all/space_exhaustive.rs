//! Space condition of Lazy-RTGC on small arrays of one device.

use crate::space_model::{Array, Broken};
use flash::Part;
use ftlkit_bounds::lazy_rtgc::{self, Space};

/// A part with `pages` per block, on which `alpha` copies fit into a step.
fn small(pages: u32, alpha: u64) -> Part {
    crate::common::part(1, 9, 10 * alpha, pages)
}

fn victim(valid: u32) -> Broken {
    Broken::Victim { far: false, valid }
}

fn explore(pages: u32, blocks: u32, space: Space, cuts: u32) -> Result<usize, Broken> {
    Array { pages, space, cuts, bounded: true }.explore(&[blocks])
}

/// Explores without cuts, and lets victims exceed their bound.
fn unbounded(pages: u32, blocks: u32, space: Space) -> Result<usize, Broken> {
    Array { pages, space, cuts: 0, bounded: false }.explore(&[blocks])
}

#[test]
fn no_order_of_requests_breaks_the_promise() {
    let mut states = 0;
    for (pages, alpha, blocks) in [
        (2, 1, 3),
        (2, 1, 6),
        (3, 1, 4),
        (4, 1, 2),
        (4, 1, 5),
        (4, 2, 5),
        (5, 2, 5),
        (6, 1, 4),
        (6, 3, 5),
        (8, 3, 2),
        (8, 3, 4),
        (8, 7, 4),
        (8, 3, 7),
        (10, 4, 3),
        (12, 5, 5),
        (16, 8, 4),
    ] {
        let part = small(pages, alpha);
        let most = lazy_rtgc::space(&part, blocks).unwrap();
        for logical in [most.logical_pages, most.logical_pages / 2, 1] {
            let space = lazy_rtgc::space_for(&part, blocks, logical.max(1)).unwrap();
            let reached = explore(pages, blocks, space, 1);
            states += reached
                .unwrap_or_else(|broken| panic!("π {pages} N {blocks} {space:?}: {broken:?}"));
        }
    }
    println!("{states} states");
    assert!(states > 100_000, "{states}");
}

#[test]
fn two_logical_pages_more_break_it() {
    // One more than Λ still holds, since the page just written lies in the frontier. The bound does not rely
    // on it.
    for (pages, alpha, blocks) in [(4, 1, 3), (4, 2, 4), (8, 3, 3)] {
        let most = lazy_rtgc::space(&small(pages, alpha), blocks).unwrap();
        let with = |more| {
            let space = Space { logical_pages: most.logical_pages + more, ..most };
            explore(pages, blocks, space, 0)
        };
        assert!(with(1).is_ok());
        assert_eq!(with(2), Err(victim(most.victim_valid + 1)), "π {pages} N {blocks}");
    }
}

#[test]
fn a_threshold_one_page_lower_runs_dry() {
    for (pages, alpha, blocks) in [(4, 1, 3), (8, 3, 3)] {
        let most = lazy_rtgc::space(&small(pages, alpha), blocks).unwrap();
        let space = Space { threshold_pages: most.threshold_pages - 1, ..most };
        assert_eq!(unbounded(pages, blocks, space), Err(Broken::NoFreePage));
    }
}

#[test]
fn each_page_above_the_threshold_pays_for_one_more_cut() {
    // λ = 3, ρ_th = 5 of 8 pages, so 3 pages are in reserve.
    let (pages, blocks) = (8, 3);
    let least = lazy_rtgc::space_for(&small(pages, 3), blocks, 7).unwrap();
    assert_eq!(least.threshold_pages, 5);
    for reserve in 0..=3 {
        let space = Space { threshold_pages: least.threshold_pages + reserve, ..least };
        assert!(explore(pages, blocks, space, 1 + reserve).is_ok(), "{reserve}");
        let broken = explore(pages, blocks, space, 2 + reserve);
        assert_eq!(broken, Err(Broken::NoFreePage), "{reserve}");
    }
}

#[test]
fn theorem_4_3_fails_on_few_blocks() {
    let (pages, blocks, logical_pages) = (8, 4, 16);
    let part = small(pages, 7);
    let victim_valid = lazy_rtgc::victim_valid_of_pages(&part, logical_pages, pages * blocks);
    assert_eq!(victim_valid, 4);
    let steps = lazy_rtgc::steps(&part, victim_valid).unwrap();
    let threshold_pages = victim_valid + steps;
    let (alpha, alpha_far) = (7, 7);
    let space = Space { logical_pages, victim_valid, steps, threshold_pages, alpha, alpha_far };
    assert_eq!(explore(pages, blocks, space, 0), Err(victim(5)));
    // The paper's count is not merely off: if it is trusted, a write finds no free page.
    assert_eq!(unbounded(pages, blocks, space), Err(Broken::NoFreePage));
    // Our condition for the same logical pages.
    assert_eq!(lazy_rtgc::space_for(&part, blocks, logical_pages).unwrap().victim_valid, 5);
}
