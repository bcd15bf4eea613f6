//! MultiLog: logs by update frequency. A copy moves a page one log down; a write that comes early moves it one up.
//!
//! ```text
//! write:  of a page in log c, overwritten after u host writes. With e = valid pages of c × valid share of its victims / 2:
//!         to log c - 1 with the probability (e - u) / e, else to c; a page that overwrites nothing goes to log 0
//! copy:   from log c to c + 1, up to the last log in use; from that one to a new log once it holds a block's pages
//! ```
//!
//! Six logs, of which the first is the hottest. All of them take host writes. The log of a page is the class of its block.
//!
//! Deviations: as SepBIT's simulator realises it (MultiLog.java). Draws come from a generator of fixed seed. A page that was
//! placed in another log for want of room belongs to that log.
//!
//! Work: a write reads and writes 2 (valid pages of two logs), a copy likewise; a collected block writes 1.
//!
//! Source: R. Stoica, A. Ailamaki, Improving flash write performance by using update frequency, PVLDB 6(9), 2013.

use super::interface::{CollectedBlock, PlacedCopy, PlacedWrite, Placement};
use super::policy::{ByState, Classes, PlacementPolicy, Places, Times};
use crate::victim_work::Accesses;
use alloc::boxed::Box;
use flash::Lpn;

/// Number of logs.
const LOGS: usize = 6;

/// Declaration of this policy.
pub(super) static POLICY: PlacementPolicy = PlacementPolicy {
    name: "multilog",
    numbers: &[],
    summary: "six logs by update frequency: a copy moves a page one down, an early write one up",
    source: "Stoica, Ailamaki, PVLDB 6(9), 2013",
    after_mount: "classes of blocks are found again; times and valid pages of logs are learnt anew",
    victims: &[],
    places: Places::ByState(ByState {
        classes: |_| Classes { hosts: LOGS, count: LOGS },
        times: Times::OfPages,
        future: false,
        controller_bytes: |_| LOGS as u64 * 24 + 16,
        make: |space| Box::new(MultiLog::new(space.pages_per_block)),
    }),
};

/// One log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Log {
    /// Valid pages.
    valid: u64,
    /// Pages of its victims, and those of them that were copied.
    collected: u64,
    copied: u64,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct MultiLog {
    logs: [Log; LOGS],
    /// Last log in use.
    last: usize,
    pages_per_block: u64,
    random: u64,
    work: Accesses,
}

impl MultiLog {
    fn new(pages_per_block: u32) -> Self {
        Self {
            logs: [Log::default(); LOGS],
            last: 0,
            pages_per_block: pages_per_block.into(),
            random: 0x9e37_79b9_7f4a_7c15,
            work: Accesses::default(),
        }
    }

    /// Draws a number below `below` (xorshift).
    #[inline]
    fn draw(&mut self, below: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        ((u128::from(self.random) * u128::from(below)) >> 64) as u64
    }

    /// Expected host writes between two of a page of this log; 0 until a block of it was collected.
    #[inline]
    fn expected(&self, log: usize) -> u64 {
        let Log { valid, collected, copied } = self.logs[log];
        (valid * copied).checked_div(collected).unwrap_or(0) / 2
    }

    #[inline]
    fn moves(&mut self, from: Option<usize>, to: usize) {
        if let Some(from) = from {
            self.logs[from].valid = self.logs[from].valid.saturating_sub(1);
        }
        self.logs[to].valid += 1;
        self.work += Accesses::new(2, 2);
    }
}

impl Placement for MultiLog {
    #[inline]
    fn of_write(&mut self, write: &PlacedWrite) -> usize {
        let to = match write.from {
            None | Some(0) => 0,
            Some(log) => {
                let expected = self.expected(log);
                let early = expected.saturating_sub(write.lifespan.map_or(u64::MAX, u64::from));
                if early > 0 && self.draw(expected) < early { log - 1 } else { log }
            }
        };
        self.moves(write.from, to);
        to
    }

    #[inline]
    fn of_copy(&mut self, copy: &PlacedCopy) -> usize {
        let from = copy.from;
        self.last = self.last.max(from);
        let mut to = from;
        if from < self.last {
            to += 1;
        } else if from + 1 < LOGS && self.logs[from].valid >= self.pages_per_block {
            to += 1;
            self.last = to;
        }
        self.logs[from].copied += 1;
        self.moves(Some(from), to);
        to
    }

    fn trimmed(&mut self, _lpn: Lpn, from: usize) {
        self.logs[from].valid = self.logs[from].valid.saturating_sub(1);
        self.work += Accesses::new(1, 1);
    }

    fn collected(&mut self, block: &CollectedBlock) {
        self.logs[block.class].collected += self.pages_per_block;
        self.work += Accesses::new(0, 1);
    }

    fn work(&self) -> Accesses {
        self.work
    }

    fn heap_bytes(&self) -> usize {
        size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(policy: &mut MultiLog, lifespan: u32, from: Option<usize>) -> usize {
        let lifespan = Some(lifespan);
        policy.of_write(&PlacedWrite { lpn: Lpn(0), lifespan, left: None, from, from_age: None })
    }

    fn copy(policy: &mut MultiLog, from: usize) -> usize {
        policy.of_copy(&PlacedCopy { lpn: None, age: None, left: None, from })
    }

    #[test]
    fn logs_by_hand() {
        let mut policy = MultiLog::new(4);
        assert_eq!([(); 3].map(|()| write(&mut policy, 0, None)), [0; 3]);
        // The first log has fewer pages than a block, then as many.
        assert_eq!(copy(&mut policy, 0), 0);
        write(&mut policy, 0, None);
        assert_eq!((copy(&mut policy, 0), policy.last), (1, 1));
        assert_eq!([(); 3].map(|()| copy(&mut policy, 0)), [1; 3]);
        assert_eq!([policy.logs[0].valid, policy.logs[1].valid], [0, 4]);
        // No block of log 1 was collected: nothing is expected, and no write is early.
        assert_eq!(write(&mut policy, 0, Some(1)), 1);
        (0..400).for_each(|_| policy.moves(None, 1));
        policy.logs[1].copied = 2;
        policy.collected(&CollectedBlock { class: 1, lifespan: None });
        // 404 × 2/4 / 2 = 101; a write after 0 is early for certain, one after 101 not at all.
        assert_eq!(policy.expected(1), 101);
        assert_eq!((write(&mut policy, 0, Some(1)), policy.logs[1].valid), (0, 403));
        assert_eq!(write(&mut policy, 101, Some(1)), 1);
        // One after half of that every other time.
        let up = (0..1000).filter(|_| {
            policy.logs[1].valid = 404;
            write(&mut policy, 50, Some(1)) == 0
        });
        let up = up.count();
        assert!((450..570).contains(&up), "{up}");
        policy.trimmed(Lpn(0), 1);
        assert!(policy.logs[1].valid < 404);
    }
}
