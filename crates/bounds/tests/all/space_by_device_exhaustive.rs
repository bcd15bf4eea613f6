//! The space condition with different copy times within a device and between two devices.
//!
//! The arrays are small, on channels of several devices. Spare blocks are bad in every distribution over the
//! devices.

use crate::space_model::{Array, Broken};
use flash::{Copies, CopyPath, CopyTimes, Part};
use ftlkit_bounds::lazy_rtgc::{Space, WholeArray};
use std::collections::HashSet;

/// A part with `pages` per block, `ways` devices, and α for copies within a device and between two.
fn part(pages: u32, ways: u32, [near, far]: [u32; 2]) -> Part {
    let plain = crate::common::part(1, 9, 100, pages);
    let times = |path, alpha: u32| CopyTimes {
        path,
        cache_program: false,
        fetch_ns: 0,
        load_ns: 0,
        prog_ns: plain.t_bers_ns.checked_div(alpha.into()).unwrap_or(plain.t_bers_ns + 1),
        repair_ns: 0,
    };
    let (near, far) = (times(CopyPath::Lcb, near), times(CopyPath::Gcb, far));
    Part { copies: Some(Copies { ways, near, far, most_corrected_bytes: 0 }), ..plain }
}

/// One array: pages per block, usable blocks, bad spare blocks, devices, both α.
#[derive(Clone, Copy, Debug)]
struct Case(u32, u32, u32, u32, [u32; 2]);

impl Case {
    fn space(&self, logical_pages: Option<u32>) -> Space {
        let Self(pages, blocks, spare_blocks, ways, alpha) = *self;
        let array = WholeArray { blocks, spare_blocks, from_buffer: false };
        let space = array.space(&part(pages, ways, alpha), logical_pages).unwrap();
        assert_eq!([space.alpha, space.alpha_far], alpha);
        space
    }

    /// Good blocks per device, for every choice of the spare blocks as the bad ones.
    fn devices(&self) -> Vec<Vec<u32>> {
        let Self(_, blocks, bad, ways, _) = *self;
        let all = blocks + bad;
        let whole: Vec<u32> =
            (0..ways).map(|device| all / ways + u32::from(device < all % ways)).collect();
        let mut ways_to = HashSet::from([whole]);
        for _ in 0..bad {
            let with_one_less = |devices: &Vec<u32>| {
                let at = (0..devices.len()).filter(|at| devices[*at] > 0);
                let less = |at: usize| {
                    let mut devices = devices.clone();
                    devices[at] -= 1;
                    devices.sort_unstable();
                    devices
                };
                at.map(less).collect::<Vec<_>>()
            };
            ways_to = ways_to.iter().flat_map(with_one_less).collect();
        }
        ways_to.into_iter().collect()
    }

    /// Explores with the given space: the total number of states, or the first violation.
    fn explore(&self, space: Space, cuts: u32, bounded: bool) -> Result<usize, Broken> {
        let array = Array { pages: self.0, space, cuts, bounded };
        self.devices().iter().map(|devices| array.explore(devices)).sum()
    }
}

const CASES: &[Case] = &[
    Case(4, 4, 0, 2, [1, 3]),
    Case(4, 4, 0, 2, [3, 1]),
    Case(4, 5, 0, 2, [1, 3]),
    Case(4, 5, 0, 2, [3, 1]),
    Case(4, 5, 0, 3, [1, 2]),
    Case(4, 5, 0, 3, [2, 1]),
    Case(4, 5, 0, 4, [1, 3]),
    Case(4, 5, 0, 4, [3, 1]),
    Case(4, 3, 0, 4, [1, 3]),
    Case(5, 4, 0, 2, [1, 4]),
    Case(5, 4, 0, 3, [4, 1]),
    Case(6, 4, 0, 2, [1, 5]),
    Case(6, 4, 0, 2, [5, 1]),
    Case(6, 4, 0, 3, [2, 5]),
    Case(4, 5, 0, 2, [0, 2]),
    Case(4, 5, 0, 2, [2, 0]),
    Case(5, 4, 0, 3, [0, 4]),
    Case(5, 4, 0, 3, [3, 0]),
    Case(4, 4, 1, 2, [1, 3]),
    Case(4, 4, 1, 2, [3, 1]),
    Case(4, 4, 1, 3, [3, 1]),
    Case(4, 4, 2, 2, [3, 1]),
    Case(5, 3, 2, 2, [1, 4]),
];

#[test]
fn no_order_of_requests_breaks_the_promise() {
    let mut states = 0;
    for case in CASES {
        let most = case.space(None).logical_pages;
        for logical in [most, most * 2 / 3, most / 3] {
            let space = case.space(Some(logical.max(1)));
            assert!(space.threshold_pages <= case.0);
            states += case
                .explore(space, 1, true)
                .unwrap_or_else(|broken| panic!("{case:?} {space:?}: {broken:?}"));
        }
    }
    println!("{states} states");
    assert!(states > 100_000, "{states}");
}

/// As with one way of copying, one page more still holds, since the page just written lies in the frontier.
///
/// With two more, some victim exceeds what its α allows, or a write finds no page.
#[test]
fn two_logical_pages_more_break_it() {
    for case in CASES {
        let most = case.space(None);
        let with = |more| Space { logical_pages: most.logical_pages + more, ..most };
        assert!(case.explore(with(1), 0, true).is_ok(), "{case:?}");
        let broken = case.explore(with(2), 0, true);
        assert!(matches!(broken, Err(Broken::Victim { .. })), "{case:?}: {broken:?}");
    }
}

/// A victim beyond its bound is a real failure: the array runs out of free pages.
#[test]
fn beyond_the_bound_the_array_runs_dry() {
    for case in [Case(4, 4, 0, 2, [1, 3]), Case(4, 5, 0, 2, [3, 1]), Case(6, 4, 0, 2, [1, 5])] {
        let most = case.space(None);
        assert_eq!(most.threshold_pages, case.0, "{case:?}");
        let more = Space { logical_pages: most.logical_pages + 2, ..most };
        assert_eq!(case.explore(more, 0, false), Err(Broken::NoFreePage), "{case:?}");
    }
}

/// Too optimistic: assuming the better way for all copies, or ignoring that devices may differ by one block.
#[test]
fn every_part_of_the_minimum_counts() {
    for Case(pages, blocks, spare, ways, [near, far]) in CASES.iter().copied() {
        let case = Case(pages, blocks, spare, ways, [near, far]);
        let sound = case.space(None);
        let best = Case(pages, blocks, spare, ways, [near.max(far); 2]).space(None);
        assert!(best.logical_pages >= sound.logical_pages, "{case:?}");
        if best.logical_pages > sound.logical_pages + 1 {
            let counted = Space { logical_pages: best.logical_pages, ..sound };
            let broken = case.explore(counted, 0, true);
            assert!(matches!(broken, Err(Broken::Victim { .. })), "{case:?}: {broken:?}");
        }
    }
    // Five blocks on two devices: the frontier's device may have two or three.
    let case = Case(4, 5, 0, 2, [1, 3]);
    let [near, far] = [false, true].map(|far| case.space(None).victim_valid_of(far) + 1);
    assert_eq!(case.space(None).logical_pages, 2 * near + 2 * far - 1);
    let evenly = Space { logical_pages: near + 3 * far + 1, ..case.space(None) };
    assert!(matches!(case.explore(evenly, 0, true), Err(Broken::Victim { .. })));
}

/// If the next lower threshold suffices for one page less, it suffices for this number too (see above).
#[test]
fn a_threshold_one_page_lower_runs_dry() {
    let mut tight = 0;
    for case in CASES {
        let most = case.space(None);
        let less = case.space(Some(most.logical_pages - 1));
        if less.threshold_pages == most.threshold_pages {
            let space = Space { threshold_pages: most.threshold_pages - 1, ..most };
            let broken = case.explore(space, 0, false);
            assert_eq!(broken, Err(Broken::NoFreePage), "{case:?}");
            tight += 1;
        }
    }
    assert!(tight >= CASES.len() / 2, "{tight}");
}

/// Selecting the block with the fewest valid pages, with the α common to both ways, does not suffice either.
#[test]
fn the_way_of_the_victim_counts() {
    for case in [Case(4, 4, 0, 2, [1, 3]), Case(6, 4, 0, 2, [1, 5]), Case(6, 4, 0, 3, [2, 5])] {
        let sound = case.space(None);
        let least = sound.alpha.min(sound.alpha_far);
        let unaware = Space { alpha: least, alpha_far: least, ..sound };
        let broken = case.explore(unaware, 0, false);
        assert_eq!(broken, Err(Broken::NoFreePage), "{case:?}");
    }
}
