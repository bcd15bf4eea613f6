//! SFS: groups of pages by hotness, around centres that are found again and again.
//!
//! ```text
//! hotness = writes of the page / host writes since the last of them
//! write:  of a page that overwrites nothing: group 0; else, as a copy, the group whose centre is nearest
//! centres: after every 1/64 of the array's blocks collected, three rounds of means of the nearest hotnesses, over the last
//!          512 pages that were placed; the hottest is that of group 0
//! ```
//!
//! Six groups, of which the first is the hottest. All of them take host writes.
//!
//! Deviations: the paper clusters the hotnesses of segments, which are means over their valid pages, at each collection. Here
//! a sample of pages stands for them, which takes no sums per block. As in SepBIT's simulator (SFS.java) host writes are placed
//! like copies, and a group without members gets the centre 0. Counts end at 65,535.
//!
//! Work: a write or copy reads 6 (centres) and 1 (count), and writes 1 (sample); a write writes its count as well. Finding
//! centres reads 3 × 512 × 6 and writes 6.
//!
//! Source: C. Min, K. Kim, H. Cho, S.-W. Lee, Y. I. Eom, SFS: random write considered harmful in solid state drives, FAST 2012.

use super::interface::{CollectedBlock, PlacedCopy, PlacedWrite, Placement};
use super::policy::{ByState, Classes, PlacementPolicy, Places, Times};
use crate::victim_work::Accesses;
use alloc::{boxed::Box, vec, vec::Vec};
use core::cmp::Reverse;

/// Number of groups.
const GROUPS: usize = 6;

/// Pages of the sample.
const SAMPLE: usize = 512;

/// Rounds in which centres are found.
const ROUNDS: usize = 3;

/// Declaration of this policy.
pub(super) static POLICY: PlacementPolicy = PlacementPolicy {
    name: "sfs",
    numbers: &[],
    summary: "six groups by writes per time, around centres of a sample of pages",
    source: "Min et al., FAST 2012",
    after_mount: "classes of blocks are found again; times, counts and centres are learnt anew",
    victims: &[],
    places: Places::ByState(ByState {
        classes: |_| Classes { hosts: GROUPS, count: GROUPS },
        times: Times::OfPages,
        future: false,
        controller_bytes: |space| {
            2 * u64::from(space.logical_pages) + 8 * (SAMPLE + GROUPS) as u64 + 16
        },
        make: |space| Box::new(Sfs::new(space.logical_pages, space.blocks)),
    }),
};

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Sfs {
    counts: Vec<u16>,
    /// Hotnesses of the pages placed last, in a circle.
    sample: Vec<u64>,
    next: usize,
    centres: [u64; GROUPS],
    /// Blocks collected since centres were found, and between two times.
    collected: u32,
    period: u32,
    work: Accesses,
}

impl Sfs {
    fn new(logical_pages: u32, blocks: u32) -> Self {
        Self {
            counts: vec![0; logical_pages as usize],
            sample: Vec::with_capacity(SAMPLE),
            next: 0,
            centres: [0; GROUPS],
            collected: 0,
            period: (blocks / 64).max(1),
            work: Accesses::default(),
        }
    }

    /// Writes per 2³² host writes.
    #[inline]
    fn hotness(count: u16, time: u32) -> u64 {
        (u64::from(count) << 32) / u64::from(time.max(1))
    }

    /// Group of a page, which becomes part of the sample.
    #[inline]
    fn place(&mut self, hotness: u64) -> usize {
        if self.sample.len() < SAMPLE {
            self.sample.push(hotness);
        } else {
            self.sample[self.next] = hotness;
            self.next = (self.next + 1) % SAMPLE;
        }
        self.work += Accesses::new(GROUPS as u64 + 1, 1);
        nearest(&self.centres, hotness)
    }

    /// Finds the centres of the sample.
    #[cold]
    fn find_centres(&mut self) {
        if self.sample.len() <= GROUPS {
            return;
        }
        // Centres that have not been found yet begin at ranks of the sample: equal ones would stay equal.
        if self.centres == [0; GROUPS] {
            let mut ranked = self.sample.clone();
            ranked.sort_unstable();
            for (at, centre) in self.centres.iter_mut().rev().enumerate() {
                *centre = ranked[(2 * at + 1) * ranked.len() / (2 * GROUPS)];
            }
        }
        for _ in 0..ROUNDS {
            let mut sums = [(0u128, 0u128); GROUPS];
            for hotness in &self.sample {
                let (sum, members) = &mut sums[nearest(&self.centres, *hotness)];
                *sum += u128::from(*hotness);
                *members += 1;
            }
            self.centres = sums.map(|(sum, members)| sum.checked_div(members).unwrap_or(0) as u64);
        }
        self.centres.sort_unstable_by_key(|centre| Reverse(*centre));
        let read = (ROUNDS * self.sample.len() * GROUPS) as u64;
        self.work += Accesses::new(read, GROUPS as u64);
    }
}

/// The nearest centre; of equally near ones the last.
#[inline]
fn nearest(centres: &[u64; GROUPS], hotness: u64) -> usize {
    let from_last = centres.iter().enumerate().rev();
    let near = from_last.min_by_key(|(_, centre)| centre.abs_diff(hotness));
    near.map_or(0, |(at, _)| at)
}

impl Placement for Sfs {
    #[inline]
    fn of_write(&mut self, write: &PlacedWrite) -> usize {
        let Some(count) = self.counts.get_mut(write.lpn.0 as usize) else { return 0 };
        let before = *count;
        *count = count.saturating_add(1);
        self.work += Accesses::new(0, 1);
        match write.lifespan {
            Some(lifespan) => self.place(Self::hotness(before, lifespan)),
            None => 0,
        }
    }

    #[inline]
    fn of_copy(&mut self, copy: &PlacedCopy) -> usize {
        let count = copy.lpn.and_then(|lpn| self.counts.get(lpn.0 as usize)).copied();
        match (count, copy.age) {
            (Some(count), Some(age)) => self.place(Self::hotness(count, age)),
            // Written before the last mount.
            _ => GROUPS - 1,
        }
    }

    fn collected(&mut self, _block: &CollectedBlock) {
        self.collected += 1;
        if self.collected >= self.period {
            self.collected = 0;
            self.find_centres();
        }
    }

    fn work(&self) -> Accesses {
        self.work
    }

    fn heap_bytes(&self) -> usize {
        self.counts.capacity() * 2 + self.sample.capacity() * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flash::Lpn;

    #[test]
    fn groups_by_hand() {
        let mut policy = Sfs::new(8, 128);
        let write = |policy: &mut Sfs, lpn, lifespan| {
            policy.of_write(&PlacedWrite {
                lpn: Lpn(lpn),
                lifespan,
                left: None,
                from: Some(0),
                from_age: None,
            })
        };
        let copy = |policy: &mut Sfs, lpn, age| {
            policy.of_copy(&PlacedCopy { lpn: Some(Lpn(lpn)), age, left: None, from: 0 })
        };
        let block = CollectedBlock { class: 0, lifespan: None };
        assert_eq!((write(&mut policy, 0, None), copy(&mut policy, 0, None)), (0, 5));
        // A page that is written every 2 writes, and one every 1,000: no centres yet.
        (0..6).for_each(|lpn| _ = write(&mut policy, lpn, None));
        assert_eq!(policy.counts[..3], [2, 1, 1]);
        (0..20).for_each(|_| policy.counts[..2].fill(1));
        for _ in 0..20 {
            policy.counts[..2].fill(1);
            assert_eq!([(0, 2), (1, 1000)].map(|(l, t)| write(&mut policy, l, Some(t))), [5, 5]);
        }
        policy.collected(&block);
        assert_eq!(policy.centres, [0; GROUPS]);
        policy.collected(&block);
        let (hot, cold) = (1 << 31, (1 << 32) / 1000);
        assert_eq!(policy.centres, [hot, cold, 0, 0, 0, 0]);
        policy.counts[..2].fill(1);
        assert_eq!([copy(&mut policy, 0, Some(2)), copy(&mut policy, 1, Some(900))], [0, 1]);
        assert_eq!(copy(&mut policy, 1, Some(1 << 30)), 5);
        policy.counts[1] = 500;
        assert_eq!(copy(&mut policy, 1, Some(1000)), 0);
    }

    #[test]
    fn the_sample_is_of_the_last_pages() {
        let mut policy = Sfs::new(8, 128);
        (0..SAMPLE as u64 + 3).for_each(|hotness| _ = policy.place(hotness));
        assert_eq!((policy.sample.len(), policy.next), (SAMPLE, 3));
        assert_eq!(policy.sample[..4], [512, 513, 514, 3]);
    }
}
