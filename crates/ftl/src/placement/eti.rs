//! ETI: temperatures of extents of logical pages, which split where they are written in part.
//!
//! ```text
//! write of an extent's part:  the part becomes an extent of its own, while fewer than 1,024 exist; its count + 1, at most 15
//! every 4,096 requests:       counts are halved; neighbours of equal count, or both below 4, become one
//! class:  write: 0 for a count of 4 or more, else 1; copy: 2
//! ```
//!
//! A request is a run of writes of consecutive pages. It counts when the next one begins, since pages come one by one.
//!
//! Deviations: as SepBIT's simulator realises it (ETI.java), copies have a class of their own. There a request counts before
//! its own pages are placed, here behind them.
//!
//! Work: a write reads 10 entries (the search for its extent); a request writes 2 for each extent that it touches; a halving
//! reads and writes all extents.
//!
//! Source: M. Shafaei, P. Desnoyers, J. Fitzpatrick, Write amplification reduction in flash-based SSDs through extent-based
//! temperature identification, HotStorage 2016.

use super::interface::{PlacedCopy, PlacedWrite, Placement};
use super::policy::{ByState, Classes, PlacementPolicy, Places, Times};
use crate::victim_work::Accesses;
use alloc::{boxed::Box, vec::Vec};

/// Most extents.
const EXTENTS: usize = 1024;

/// Entries read by a search among so many extents.
const SEARCH: u64 = 10;

/// Requests between two halvings.
const PERIOD: u32 = 4096;

/// Largest count, and the least of a hot extent.
const MOST: u8 = 15;
const HOT: u8 = 4;

/// Declaration of this policy.
pub(super) static POLICY: PlacementPolicy = PlacementPolicy {
    name: "eti",
    numbers: &[],
    summary: "hot and cold host writes by the temperature of extents, and copies",
    source: "Shafaei, Desnoyers, Fitzpatrick, HotStorage 2016",
    after_mount: "classes of blocks are found again; temperatures are learnt anew",
    victims: &[],
    places: Places::ByState(ByState {
        classes: |_| Classes { hosts: 2, count: 3 },
        times: Times::No,
        future: false,
        controller_bytes: |_| 5 * EXTENTS as u64 + 12,
        make: |_| Box::new(Eti::new()),
    }),
};

/// Pages from `first` to the next extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    first: u32,
    count: u8,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Eti {
    /// In order of their pages; the first begins at page 0.
    extents: Vec<Extent>,
    /// First page of the request that goes on, and one past its last.
    request: [u32; 2],
    requests: u32,
    work: Accesses,
}

impl Eti {
    fn new() -> Self {
        let mut extents = Vec::with_capacity(EXTENTS);
        extents.push(Extent { first: 0, count: 0 });
        Self { extents, request: [0; 2], requests: 0, work: Accesses::default() }
    }

    /// Index of the extent that holds this page.
    #[inline]
    fn at(&self, page: u32) -> usize {
        self.extents.partition_point(|extent| extent.first <= page).saturating_sub(1)
    }

    /// Counts a request for pages from `from` to before `to`.
    #[cold]
    fn count(&mut self, [from, to]: [u32; 2]) {
        self.requests += 1;
        if self.requests >= PERIOD {
            self.requests = 0;
            self.halve();
        }
        let mut next = from;
        while next < to {
            let at = self.at(next);
            let end = self.extents.get(at + 1).map_or(u32::MAX, |extent| extent.first);
            let stop = end.min(to);
            self.count_part(at, [next, stop], end);
            self.work += Accesses::new(SEARCH, 2);
            next = stop;
        }
    }

    /// Counts pages of the extent at this index, which ends before page `end`.
    fn count_part(&mut self, at: usize, [from, to]: [u32; 2], end: u32) {
        let Extent { first, count } = self.extents[at];
        let parts = usize::from(first < from) + usize::from(to < end);
        if count == MOST || parts > 0 && self.extents.len() >= EXTENTS - (parts - 1) {
            return;
        }
        if to < end {
            self.extents.insert(at + 1, Extent { first: to, count });
        }
        let hotter = Extent { first: from, count: count + 1 };
        if first < from {
            self.extents.insert(at + 1, hotter);
        } else {
            self.extents[at] = hotter;
        }
    }

    fn halve(&mut self) {
        let all = self.extents.len() as u64;
        self.work += Accesses::new(all, all);
        self.extents.iter_mut().for_each(|extent| extent.count /= 2);
        self.extents.dedup_by(|next, kept| {
            next.count == kept.count || next.count < HOT && kept.count < HOT
        });
    }
}

impl Placement for Eti {
    #[inline]
    fn of_write(&mut self, write: &PlacedWrite) -> usize {
        let page = write.lpn.0;
        if page == self.request[1] && self.request[0] < page {
            self.request[1] = page + 1;
        } else {
            let before = core::mem::replace(&mut self.request, [page, page + 1]);
            if before[0] < before[1] {
                self.count(before);
            }
        }
        self.work += Accesses::new(SEARCH, 0);
        usize::from(self.extents[self.at(page)].count < HOT)
    }

    #[inline]
    fn of_copy(&mut self, _copy: &PlacedCopy) -> usize {
        2
    }

    fn work(&self) -> Accesses {
        self.work
    }

    fn heap_bytes(&self) -> usize {
        self.extents.capacity() * size_of::<Extent>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flash::Lpn;

    fn extents(policy: &Eti) -> Vec<(u32, u8)> {
        policy.extents.iter().map(|extent| (extent.first, extent.count)).collect()
    }

    #[test]
    fn extents_split_where_they_are_written_and_join_when_they_cool() {
        let mut policy = Eti::new();
        policy.count([10, 20]);
        assert_eq!(extents(&policy), [(0, 0), (10, 1), (20, 0)]);
        policy.count([5, 15]);
        assert_eq!(extents(&policy), [(0, 0), (5, 1), (10, 2), (15, 1), (20, 0)]);
        (0..20).for_each(|_| policy.count([10, 15]));
        assert_eq!(policy.extents[2].count, MOST);
        policy.halve();
        assert_eq!(extents(&policy), [(0, 0), (10, 7), (15, 0)]);
        policy.halve();
        policy.halve();
        assert_eq!(extents(&policy), [(0, 0)]);
    }

    #[test]
    fn as_many_extents_as_there_is_room_for() {
        let mut policy = Eti::new();
        (0..2000).for_each(|at| policy.count([4 * at + 1, 4 * at + 2]));
        assert_eq!(policy.extents.len(), EXTENTS - 1);
        // One more fits, two do not.
        policy.count([9000, 9002]);
        assert_eq!(policy.extents.len(), EXTENTS - 1);
        policy.count([9000, u32::MAX]);
        assert_eq!(policy.extents.len(), EXTENTS);
        let capacity = policy.extents.capacity();
        policy.count([9001, u32::MAX]);
        assert_eq!((policy.extents.len(), policy.extents.capacity()), (EXTENTS, capacity));
    }

    #[test]
    fn pages_in_a_row_are_one_request() {
        let mut policy = Eti::new();
        let mut write = |page| {
            let lpn = Lpn(page);
            policy.of_write(&PlacedWrite {
                lpn,
                lifespan: None,
                left: None,
                from: None,
                from_age: None,
            })
        };
        let mut classes = Vec::new();
        for _ in 0..6 {
            (7..10).for_each(|page| classes.push(write(page)));
            write(50);
        }
        // The fifth round follows four requests for the pages.
        assert_eq!(classes.iter().position(|class| *class == 0), Some(12));
        assert_eq!(policy.extents[1], Extent { first: 7, count: 6 });
        assert_eq!(policy.of_copy(&PlacedCopy { lpn: None, age: None, left: None, from: 0 }), 2);
    }
}
