//! Lazy-RTGC on small arrays: exhaustive over all orders of writes, overwrites, trims, idle erases and power
//! cuts.
//!
//! The position of each logical page does not matter, because an adversary may overwrite any.
//! Only the number of valid pages per block of each device does.
//! A state is the sorted valid counts of the full blocks, the frontier's fill and valid count, the victim's
//! remaining valid pages and the number of free blocks.
//! The search follows every choice of the next free block and among equal victims.
//! Devices with the same number of blocks are interchangeable.

use ftlkit_bounds::lazy_rtgc::Space;
use std::collections::HashSet;

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Device {
    /// Blocks that are not bad.
    blocks: u32,
    free_blocks: u32,
    /// Valid pages of each full block, ascending, without the victim.
    full: Vec<u32>,
    /// The frontier's programmed and valid pages, if it is on this device.
    frontier: Option<(u32, u32)>,
    /// The victim's remaining valid pages and its α, if it is on this device.
    victim: Option<(u32, u32)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    devices: Vec<Device>,
    /// A step ran after the last write.
    stepped: bool,
}

/// A violation of the bound.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    NoFreePage,
    /// Victim with too many valid pages, on another device than the frontier or on the same.
    Victim {
        far: bool,
        valid: u32,
    },
}

pub(crate) struct Array {
    pub(crate) pages: u32,
    pub(crate) space: Space,
    /// Power cuts allowed per collection, including the mounts that finish it.
    pub(crate) cuts: u32,
    /// True if victims are checked against their bound.
    pub(crate) bounded: bool,
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

    /// Programs one page, valid or not (torn). If a block must be opened, every free block is tried.
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

    /// Every possible victim: those that use up the fewest pages.
    fn take(&self, s: &State) -> Result<Vec<State>, Broken> {
        let frontier = s.place(|device| device.frontier).map(|(at, _)| at);
        let candidate = |at: usize| {
            let valid = *s.devices[at].full.first()?;
            // Without a frontier no page is free, so a victim can only be erased.
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

    /// Copies one page of the victim.
    fn copy(&self, s: &State) -> Result<Vec<State>, Broken> {
        let mut copied = self.program(s, 1)?;
        for next in &mut copied {
            let (at, (valid, alpha)) = next.place(|device| device.victim).unwrap();
            next.devices[at].victim = Some((valid - 1, alpha));
        }
        Ok(copied)
    }

    /// The step after a write, with every state in between.
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

    /// Every state with one more invalid page, by overwrite or trim.
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
        if self.cuts > 0 {
            all.extend(self.mounted(vec![s.clone()])?);
            all.extend(self.mounted(self.program(s, 0)?)?);
        }
        let mut written = trimmed.clone();
        if s.valid_pages() < self.space.logical_pages {
            written.push(s.clone());
        }
        for before in &written {
            if self.cuts > 0 {
                all.extend(self.mounted(self.program(before, 0)?)?);
            }
            for next in self.program(before, 1)? {
                let (ends, on_the_way) = self.after_write(&next)?;
                if self.cuts > 0 {
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

    /// All successors of the states after one more page, valid or torn.
    fn programmed(&self, states: &[State], valid: u32) -> Result<Vec<State>, Broken> {
        let programmed: Result<Vec<_>, _> =
            states.iter().map(|state| self.program(state, valid)).collect();
        Ok(programmed?.into_iter().flatten().collect())
    }

    /// Mounts: collect the full blocks with the fewest valid pages, near or far, until no collection is
    /// needed.
    ///
    /// Each cut except the first tears a copy of the mount.
    fn mounted(&self, states: Vec<State>) -> Result<Vec<State>, Broken> {
        let (mut open, mut done) = (Vec::new(), Vec::new());
        for mut s in states {
            s.stepped = false;
            for device in &mut s.devices {
                device.full.extend(device.victim.take().map(|(valid, _)| valid));
                device.full.sort_unstable();
            }
            let copies = s.devices.iter().all(|device| device.full.first() != Some(&0));
            let mut states = vec![s];
            if copies && self.free_pages(&states[0]) < self.space.threshold_pages {
                for _ in 1..self.cuts {
                    states = self.programmed(&states, 0)?;
                }
            }
            open.extend(states);
        }
        while let Some(s) = open.pop() {
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
                    states = self.programmed(&states, 1)?;
                }
                for mut next in states {
                    next.devices[at].free_blocks += 1;
                    open.push(next);
                }
            }
        }
        Ok(done)
    }

    /// All states reachable from erased devices with these numbers of blocks, or the first violation.
    pub(crate) fn explore(&self, devices: &[u32]) -> Result<usize, Broken> {
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
