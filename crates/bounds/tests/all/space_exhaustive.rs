//! The space condition of Lazy-RTGC on small arrays: every order of writes, overwrites, trims, idle
//! erases and power cuts, to exhaustion.
//!
//! Which logical page lies where does not matter, only how many valid pages each block holds: an adversary
//! may overwrite any. So a state is the valid count of each full block (sorted), the frontier's fill and
//! valid count, the victim's remaining valid pages and the number of free blocks.

use flash::Part;
use ftlkit_bounds::lazy_rtgc::{self, Space};
use std::collections::HashSet;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    /// Valid pages of each full block, ascending, the victim apart.
    full: Vec<u32>,
    /// The frontier's programmed and valid pages.
    frontier: Option<(u32, u32)>,
    /// Valid pages that the victim still holds.
    victim: Option<u32>,
    free_blocks: u32,
    /// A step ran behind the last write.
    stepped: bool,
}

/// What went wrong.
#[derive(Debug, PartialEq, Eq)]
enum Broken {
    NoFreePage,
    Victim(u32),
}

struct Array {
    pages: u32,
    space: Space,
    /// How often the power may be cut in one collection, the mounts that finish it included.
    cuts: u32,
}

impl Array {
    fn free_pages(&self, s: &State) -> u32 {
        s.free_blocks * self.pages + s.frontier.map_or(0, |(programmed, _)| self.pages - programmed)
    }

    fn valid_pages(&self, s: &State) -> u32 {
        s.full.iter().sum::<u32>() + s.frontier.map_or(0, |(_, v)| v) + s.victim.unwrap_or(0)
    }

    fn program(&self, s: &mut State) -> Result<(), Broken> {
        let (programmed, valid) = match s.frontier {
            Some(frontier) => frontier,
            None if s.free_blocks == 0 => return Err(Broken::NoFreePage),
            None => {
                s.free_blocks -= 1;
                (0, 0)
            }
        };
        s.frontier = Some((programmed + 1, valid + 1));
        if programmed + 1 == self.pages {
            s.frontier = None;
            s.full.push(valid + 1);
            s.full.sort_unstable();
        }
        Ok(())
    }

    /// The step that rides behind a write.
    fn after_write(&self, s: &mut State) -> Result<(), Broken> {
        if s.victim.is_none() && self.free_pages(s) < self.space.threshold_pages {
            let valid = s.full.remove(0);
            if valid > self.space.victim_valid {
                return Err(Broken::Victim(valid));
            }
            s.victim = Some(valid);
        }
        s.stepped = s.victim.is_some();
        match s.victim {
            Some(0) => {
                s.victim = None;
                s.free_blocks += 1;
            }
            Some(valid) => {
                for left in (valid.saturating_sub(self.space.alpha)..valid).rev() {
                    self.program(s)?;
                    s.victim = Some(left);
                }
            }
            None => {}
        }
        Ok(())
    }

    /// Every state in which one more page has become invalid, by overwrite or trim.
    fn invalidated(&self, s: &State) -> Vec<State> {
        let mut all = Vec::new();
        for i in 0..s.full.len() {
            if s.full[i] > 0 && (i == 0 || s.full[i - 1] != s.full[i]) {
                let mut next = s.clone();
                next.full[i] -= 1;
                all.push(next);
            }
        }
        if let Some((programmed, valid)) = s.frontier.filter(|(_, valid)| *valid > 0) {
            all.push(State { frontier: Some((programmed, valid - 1)), ..s.clone() });
        }
        if let Some(valid) = s.victim.filter(|valid| *valid > 0) {
            all.push(State { victim: Some(valid - 1), ..s.clone() });
        }
        all
    }

    fn next(&self, s: &State) -> Result<Vec<State>, Broken> {
        let trimmed = self.invalidated(s);
        let mut all = Vec::new();
        // An overwrite programs first, then the old page is invalid; the order matters to no count but
        // the frontier's, which is programmed in either case.
        let mut written = trimmed.clone();
        if self.valid_pages(s) < self.space.logical_pages {
            written.push(s.clone());
        }
        for mut next in written {
            self.program(&mut next)?;
            self.after_write(&mut next)?;
            all.push(next);
        }
        if !s.stepped && s.full.first() == Some(&0) {
            let mut next = s.clone();
            next.full.remove(0);
            next.free_blocks += 1;
            next.stepped = true;
            all.push(next);
        }
        all.extend(trimmed);
        Ok(all)
    }

    /// Every state after a power cut during a host write or the step behind it, and the mount that
    /// finishes the collection. The page being programmed is torn: used up, and holds nothing.
    fn after_cut(&self, s: &State) -> Result<Vec<State>, Broken> {
        let mut all = vec![self.mounted(self.torn(s)?)?];
        // Between the page and the step, and after each copy of the step.
        for mut next in self.invalidated(s) {
            self.program(&mut next)?;
            if next.victim.is_none() && self.free_pages(&next) < self.space.threshold_pages {
                next.victim = Some(next.full.remove(0));
            }
            all.push(self.mounted(next.clone())?);
            let valid = next.victim.unwrap_or(0);
            for left in (valid.saturating_sub(self.space.alpha)..valid).rev() {
                all.push(self.mounted(self.torn(&next)?)?);
                self.program(&mut next)?;
                next.victim = Some(left);
                all.push(self.mounted(next.clone())?);
            }
        }
        Ok(all)
    }

    /// A page programmed that holds nothing.
    fn torn(&self, s: &State) -> Result<State, Broken> {
        let mut next = s.clone();
        self.program(&mut next)?;
        match &mut next.frontier {
            Some((_, valid)) => *valid -= 1,
            // It was the frontier's last page, and the block the last to become full.
            None => {
                let valid = s.frontier.map_or(0, |(_, valid)| valid);
                let at = next.full.iter().position(|v| *v == valid + 1).unwrap();
                next.full[at] = valid;
                next.full.sort_unstable();
            }
        }
        Ok(next)
    }

    /// Collects whole blocks until collection need not run; each cut but the first tears a copy of it.
    fn mounted(&self, mut s: State) -> Result<State, Broken> {
        s.full.extend(s.victim.take());
        s.full.sort_unstable();
        s.stepped = false;
        if self.free_pages(&s) < self.space.threshold_pages && s.full[0] > 0 {
            for _ in 1..self.cuts {
                s = self.torn(&s)?;
            }
        }
        while self.free_pages(&s) < self.space.threshold_pages {
            for _ in 0..s.full.remove(0) {
                self.program(&mut s)?;
            }
            s.free_blocks += 1;
        }
        Ok(s)
    }

    /// All states that can be reached, or the first broken promise.
    fn explore(&self, blocks: u32) -> Result<usize, Broken> {
        let start = State {
            full: Vec::new(),
            frontier: None,
            victim: None,
            free_blocks: blocks,
            stepped: false,
        };
        let mut seen = HashSet::from([start.clone()]);
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            let cut = if self.cuts > 0 { self.after_cut(&state)? } else { Vec::new() };
            for next in self.next(&state)?.into_iter().chain(cut) {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        Ok(seen.len())
    }
}

/// A part with so many pages a block on which α copies fit into a step.
fn small(pages: u32, alpha: u64) -> Part {
    crate::common::part(1, 9, 10 * alpha, pages)
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
            let reached = Array { pages, space, cuts: 1 }.explore(blocks);
            states += reached
                .unwrap_or_else(|broken| panic!("π {pages} N {blocks} {space:?}: {broken:?}"));
        }
    }
    println!("{states} states");
    assert!(states > 100_000, "{states}");
}

#[test]
fn two_logical_pages_more_break_it() {
    // One more than Λ still holds, since the page just written lies in the frontier; that page is not
    // counted on.
    for (pages, alpha, blocks) in [(4, 1, 3), (4, 2, 4), (8, 3, 3)] {
        let most = lazy_rtgc::space(&small(pages, alpha), blocks).unwrap();
        let with = |more| Array {
            pages,
            cuts: 0,
            space: Space { logical_pages: most.logical_pages + more, ..most },
        };
        assert!(with(1).explore(blocks).is_ok());
        let broken = with(2).explore(blocks).unwrap_err();
        assert_eq!(broken, Broken::Victim(most.victim_valid + 1), "π {pages} N {blocks}");
    }
}

#[test]
fn a_threshold_one_page_lower_runs_dry() {
    for (pages, alpha, blocks) in [(4, 1, 3), (8, 3, 3)] {
        let most = lazy_rtgc::space(&small(pages, alpha), blocks).unwrap();
        let space = Space { threshold_pages: most.threshold_pages - 1, ..most };
        assert_eq!(Array { pages, space, cuts: 0 }.explore(blocks), Err(Broken::NoFreePage));
    }
}

#[test]
fn each_page_above_the_threshold_pays_for_one_more_cut() {
    // λ = 3, ρ_th = 5 of 8 pages: 3 in reserve.
    let (pages, blocks) = (8, 3);
    let least = lazy_rtgc::space_for(&small(pages, 3), blocks, 7).unwrap();
    assert_eq!(least.threshold_pages, 5);
    for reserve in 0..=3 {
        let space = Space { threshold_pages: least.threshold_pages + reserve, ..least };
        assert!(Array { pages, space, cuts: 1 + reserve }.explore(blocks).is_ok(), "{reserve}");
        let broken = Array { pages, space, cuts: 2 + reserve }.explore(blocks);
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
    assert_eq!(Array { pages, space, cuts: 0 }.explore(blocks), Err(Broken::Victim(5)));
    // Nor is it only the count: taken as true, it lets writes find no free page.
    let blind = Space { victim_valid: pages, ..space };
    assert_eq!(Array { pages, space: blind, cuts: 0 }.explore(blocks), Err(Broken::NoFreePage));
    // Ours for the same logical pages.
    assert_eq!(lazy_rtgc::space_for(&part, blocks, logical_pages).unwrap().victim_valid, 5);
}
