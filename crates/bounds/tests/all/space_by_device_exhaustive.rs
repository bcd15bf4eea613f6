//! The space condition where copies take one time within a device and another between two: small arrays on
//! channels of some devices, every order of writes, overwrites, trims, idle erases and power cuts, to exhaustion.
//!
//! As in `space_exhaustive.rs` only counts matter, but a device at a time. Which free block is opened next, which of
//! equal victims is taken, which device's spare block is bad: every way is gone. Devices with as many blocks
//! may change names.

use flash::{Copies, CopyPath, CopyTimes, Part};
use ftlkit_bounds::lazy_rtgc::{Space, WholeArray};
use std::collections::HashSet;

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Device {
    /// Blocks that are not bad.
    blocks: u32,
    free_blocks: u32,
    /// Valid pages of each full block, ascending, the victim apart.
    full: Vec<u32>,
    /// The frontier's programmed and valid pages, where it is here.
    frontier: Option<(u32, u32)>,
    /// Valid pages that the victim still holds, and its α, where it is here.
    victim: Option<(u32, u32)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    devices: Vec<Device>,
    /// A step ran behind the last write.
    stepped: bool,
}

/// What went wrong.
#[derive(Debug, PartialEq, Eq)]
enum Broken {
    NoFreePage,
    /// Of a victim on another device than the frontier, or on the same.
    Victim {
        far: bool,
        valid: u32,
    },
}

struct Array {
    pages: u32,
    space: Space,
    cuts: bool,
    /// Victims are held against their bound.
    bounded: bool,
}

impl State {
    fn place<T>(&self, of: impl Fn(&Device) -> Option<T>) -> Option<(usize, T)> {
        self.devices.iter().enumerate().find_map(|(at, device)| Some((at, of(device)?)))
    }

    fn sort(mut self) -> Self {
        self.devices.iter_mut().for_each(|device| device.full.sort_unstable());
        self.devices.sort_unstable();
        self
    }

    fn valid_pages(&self) -> u32 {
        let of = |device: &Device| {
            device.full.iter().sum::<u32>()
                + device.frontier.map_or(0, |(_, valid)| valid)
                + device.victim.map_or(0, |(valid, _)| valid)
        };
        self.devices.iter().map(of).sum()
    }
}

impl Array {
    fn free_pages(&self, s: &State) -> u32 {
        let of = |device: &Device| {
            device.free_blocks * self.pages
                + device.frontier.map_or(0, |(programmed, _)| self.pages - programmed)
        };
        s.devices.iter().map(of).sum()
    }

    /// One page more is programmed, valid or (torn) not; in whichever free block, where one must be opened.
    fn program(&self, s: &State, valid: u32) -> Result<Vec<State>, Broken> {
        if let Some((at, (programmed, before))) = s.place(|device| device.frontier) {
            let mut next = s.clone();
            next.devices[at].frontier = Some((programmed + 1, before + valid));
            if programmed + 1 == self.pages {
                next.devices[at].frontier = None;
                next.devices[at].full.push(before + valid);
                next.devices[at].full.sort_unstable();
            }
            return Ok(vec![next]);
        }
        let mut all = Vec::new();
        for at in (0..s.devices.len()).filter(|at| s.devices[*at].free_blocks > 0) {
            let mut next = s.clone();
            next.devices[at].free_blocks -= 1;
            next.devices[at].frontier = Some((0, 0));
            all.extend(self.program(&next, valid)?);
        }
        if all.is_empty() { Err(Broken::NoFreePage) } else { Ok(all) }
    }

    fn alpha(&self, far: bool) -> u32 {
        if far { self.space.alpha_far } else { self.space.alpha }
    }

    /// Every victim that may be taken: of the least used-up pages.
    fn take(&self, s: &State) -> Result<Vec<State>, Broken> {
        let frontier = s.place(|device| device.frontier).map(|(at, _)| at);
        let candidate = |at: usize| {
            let valid = *s.devices[at].full.first()?;
            // Without a frontier no page is free, and a victim can only be erased.
            let far = frontier != Some(at);
            let used_up = match (valid, self.alpha(far)) {
                (0, _) => 0,
                (_, 0) => u32::MAX,
                (valid, alpha) => valid + valid.div_ceil(alpha),
            };
            Some((used_up, far, valid, at))
        };
        let candidates: Vec<_> = (0..s.devices.len()).filter_map(candidate).collect();
        let least = candidates.iter().map(|(used_up, ..)| *used_up).min();
        let mut all = Vec::new();
        for (used_up, far, valid, at) in candidates {
            if Some(used_up) != least {
                continue;
            }
            if self.bounded && valid > self.space.victim_valid_of(far) {
                return Err(Broken::Victim { far, valid });
            }
            let mut next = s.clone();
            next.devices[at].full.remove(0);
            next.devices[at].victim = Some((valid, self.alpha(far).max(1)));
            all.push(next);
        }
        Ok(all)
    }

    /// One page of the victim is copied.
    fn copy(&self, s: &State) -> Result<Vec<State>, Broken> {
        let mut copied = self.program(s, 1)?;
        for next in &mut copied {
            let (at, (valid, alpha)) = next.place(|device| device.victim).unwrap();
            next.devices[at].victim = Some((valid - 1, alpha));
        }
        Ok(copied)
    }

    /// The step that rides behind a write, with every state in it on the way.
    fn after_write(&self, s: &State) -> Result<(Vec<State>, Vec<State>), Broken> {
        let begins = s.place(|device| device.victim).is_none()
            && self.free_pages(s) < self.space.threshold_pages;
        let begun = if begins { self.take(s)? } else { vec![s.clone()] };
        let (mut ends, mut on_the_way) = (Vec::new(), Vec::new());
        for mut state in begun {
            let victim = state.place(|device| device.victim);
            state.stepped = victim.is_some();
            match victim {
                None => ends.push(state),
                Some((at, (0, _))) => {
                    state.devices[at].victim = None;
                    state.devices[at].free_blocks += 1;
                    ends.push(state);
                }
                Some((_, (valid, alpha))) => {
                    let mut states = vec![state];
                    for _ in 0..valid.min(alpha) {
                        let copied: Result<Vec<_>, _> =
                            states.iter().map(|state| self.copy(state)).collect();
                        on_the_way.append(&mut states);
                        states = copied?.into_iter().flatten().collect();
                    }
                    ends.append(&mut states);
                }
            }
        }
        Ok((ends, on_the_way))
    }

    /// Every state in which one more page has become invalid, by overwrite or trim.
    fn invalidated(&self, s: &State) -> Vec<State> {
        let mut all = Vec::new();
        for (at, device) in s.devices.iter().enumerate() {
            for (i, valid) in device.full.iter().enumerate() {
                if *valid > 0 && (i == 0 || device.full[i - 1] != *valid) {
                    let mut next = s.clone();
                    next.devices[at].full[i] -= 1;
                    all.push(next);
                }
            }
            if let Some((programmed, valid)) = device.frontier.filter(|(_, valid)| *valid > 0) {
                let mut next = s.clone();
                next.devices[at].frontier = Some((programmed, valid - 1));
                all.push(next);
            }
            if let Some((valid, alpha)) = device.victim.filter(|(valid, _)| *valid > 0) {
                let mut next = s.clone();
                next.devices[at].victim = Some((valid - 1, alpha));
                all.push(next);
            }
        }
        all
    }

    fn next(&self, s: &State) -> Result<Vec<State>, Broken> {
        let trimmed = self.invalidated(s);
        let mut all = Vec::new();
        let mut written = trimmed.clone();
        if s.valid_pages() < self.space.logical_pages {
            written.push(s.clone());
        }
        for before in &written {
            if self.cuts {
                all.extend(self.mounted(self.program(before, 0)?)?);
            }
            for next in self.program(before, 1)? {
                let (ends, on_the_way) = self.after_write(&next)?;
                if self.cuts {
                    all.extend(self.mounted(vec![next])?);
                    for way in on_the_way {
                        all.extend(self.mounted(self.program(&way, 0)?)?);
                        all.extend(self.mounted(vec![way])?);
                    }
                }
                all.extend(ends);
            }
        }
        if !s.stepped {
            for (at, device) in s.devices.iter().enumerate() {
                if device.full.first() == Some(&0) {
                    let mut next = s.clone();
                    next.devices[at].full.remove(0);
                    next.devices[at].free_blocks += 1;
                    next.stepped = true;
                    all.push(next);
                }
            }
        }
        all.extend(trimmed);
        Ok(all)
    }

    /// Mounts: collects the full blocks with fewest valid pages, near or far, until collection need not run.
    fn mounted(&self, states: Vec<State>) -> Result<Vec<State>, Broken> {
        let (mut open, mut done) = (states, Vec::new());
        while let Some(mut s) = open.pop() {
            s.stepped = false;
            for device in &mut s.devices {
                device.full.extend(device.victim.take().map(|(valid, _)| valid));
                device.full.sort_unstable();
            }
            if self.free_pages(&s) >= self.space.threshold_pages {
                done.push(s);
                continue;
            }
            let least = s.devices.iter().filter_map(|device| device.full.first()).min().copied();
            for at in 0..s.devices.len() {
                let Some(valid) = s.devices[at].full.first().copied().filter(|v| Some(*v) == least)
                else {
                    continue;
                };
                let mut next = s.clone();
                next.devices[at].full.remove(0);
                let mut states = vec![next];
                for _ in 0..valid {
                    let copied: Result<Vec<_>, _> =
                        states.iter().map(|state| self.program(state, 1)).collect();
                    states = copied?.into_iter().flatten().collect();
                }
                for mut next in states {
                    next.devices[at].free_blocks += 1;
                    open.push(next);
                }
            }
        }
        Ok(done)
    }

    /// All states that can be reached from erased devices of so many blocks, or the first broken promise.
    fn explore(&self, devices: &[u32]) -> Result<usize, Broken> {
        let erased =
            |blocks: &u32| Device { blocks: *blocks, free_blocks: *blocks, ..Device::default() };
        let start = State { devices: devices.iter().map(erased).collect(), stepped: false }.sort();
        let mut seen = HashSet::from([start.clone()]);
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            for next in self.next(&state)? {
                let next = next.sort();
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        Ok(seen.len())
    }
}

/// So many pages a block, so many devices, and α of a copy within one and between two.
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

/// One array: pages a block, usable blocks, spare ones that are bad, devices, both α.
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

    /// Good blocks of each device, for every way in which the spare ones are the bad ones.
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

    /// With a space of one's own: the states of all ways, or the first that breaks.
    fn explore(&self, space: Space, cuts: bool, bounded: bool) -> Result<usize, Broken> {
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
                .explore(space, true, true)
                .unwrap_or_else(|broken| panic!("{case:?} {space:?}: {broken:?}"));
        }
    }
    println!("{states} states");
    assert!(states > 100_000, "{states}");
}

/// As where there is one way of copying: one page more still holds, since the page just written lies in the
/// frontier. Of two more, some victim is beyond what its α allows, or a write finds no page.
#[test]
fn two_logical_pages_more_break_it() {
    for case in CASES {
        let most = case.space(None);
        let with = |more| Space { logical_pages: most.logical_pages + more, ..most };
        assert!(case.explore(with(1), false, true).is_ok(), "{case:?}");
        let broken = case.explore(with(2), false, true);
        assert!(matches!(broken, Err(Broken::Victim { .. })), "{case:?}: {broken:?}");
    }
}

/// A victim beyond its bound is no matter of counting: the array runs dry of it.
#[test]
fn beyond_the_bound_the_array_runs_dry() {
    for case in [Case(4, 4, 0, 2, [1, 3]), Case(4, 5, 0, 2, [3, 1]), Case(6, 4, 0, 2, [1, 5])] {
        let most = case.space(None);
        assert_eq!(most.threshold_pages, case.0, "{case:?}");
        let more = Space { logical_pages: most.logical_pages + 2, ..most };
        assert_eq!(case.explore(more, false, false), Err(Broken::NoFreePage), "{case:?}");
    }
}

/// To count on the better way alone, or to leave out that devices may have one block more or less, is too much.
#[test]
fn every_part_of_the_minimum_counts() {
    for Case(pages, blocks, spare, ways, [near, far]) in CASES.iter().copied() {
        let case = Case(pages, blocks, spare, ways, [near, far]);
        let sound = case.space(None);
        let best = Case(pages, blocks, spare, ways, [near.max(far); 2]).space(None);
        assert!(best.logical_pages >= sound.logical_pages, "{case:?}");
        if best.logical_pages > sound.logical_pages + 1 {
            let counted = Space { logical_pages: best.logical_pages, ..sound };
            let broken = case.explore(counted, false, true);
            assert!(matches!(broken, Err(Broken::Victim { .. })), "{case:?}: {broken:?}");
        }
    }
    // Five blocks of two devices: the frontier's may have two or three.
    let case = Case(4, 5, 0, 2, [1, 3]);
    let [near, far] = [false, true].map(|far| case.space(None).victim_valid_of(far) + 1);
    assert_eq!(case.space(None).logical_pages, 2 * near + 2 * far - 1);
    let evenly = Space { logical_pages: near + 3 * far + 1, ..case.space(None) };
    assert!(matches!(case.explore(evenly, false, true), Err(Broken::Victim { .. })));
}

/// Where the next lower threshold does for one page less it does for this one, too: see above.
#[test]
fn a_threshold_one_page_lower_runs_dry() {
    let mut tight = 0;
    for case in CASES {
        let most = case.space(None);
        let less = case.space(Some(most.logical_pages - 1));
        if less.threshold_pages == most.threshold_pages {
            let space = Space { threshold_pages: most.threshold_pages - 1, ..most };
            let broken = case.explore(space, false, false);
            assert_eq!(broken, Err(Broken::NoFreePage), "{case:?}");
            tight += 1;
        }
    }
    assert!(tight >= CASES.len() / 2, "{tight}");
}

/// Nor would it do to take the block with fewest valid pages, whichever way its copies go, at the α that both ways
/// allow.
#[test]
fn the_way_of_the_victim_counts() {
    for case in [Case(4, 4, 0, 2, [1, 3]), Case(6, 4, 0, 2, [1, 5]), Case(6, 4, 0, 3, [2, 5])] {
        let sound = case.space(None);
        let least = sound.alpha.min(sound.alpha_far);
        let unaware = Space { alpha: least, alpha_far: least, ..sound };
        let broken = case.explore(unaware, false, false);
        assert_eq!(broken, Err(Broken::NoFreePage), "{case:?}");
    }
}
