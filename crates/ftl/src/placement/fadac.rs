//! FADaC: classes by how often a page is written, against a fading average of that.
//!
//! ```text
//! write:  count of the page + 1
//! copy:   count of the page - 1, at least 0
//! class:  0 for a count of at most the average, else 1 more for each factor of 10 above it; at most 5
//! average, at each write:  average + (1 - average) / valid pages
//! ```
//!
//! Six classes, of which the last is the hottest. All of them take host writes.
//!
//! Deviations: as SepBIT's simulator realises it (FADaC.java), the average is that of the pages per request and fades over as
//! many requests as pages are valid. A request is one page here. Counts end at 65,535. The average has 32 fractional bits.
//!
//! Work: a write or copy reads and writes 1 (the page's count).
//!
//! Source: K. Kremer, A. Brinkmann, FADaC: a self-adapting data classifier for flash memory, SYSTOR 2019.

use super::interface::{PlacedCopy, PlacedWrite, Placement};
use super::policy::{ByState, Classes, PlacementPolicy, Places, Times};
use crate::victim_work::Accesses;
use alloc::{boxed::Box, vec, vec::Vec};
use flash::Lpn;

/// Number of classes.
const CLASSES: usize = 6;

/// Factor between the counts of two classes.
const FACTOR: u64 = 10;

/// 1 as a fixed-point number.
const ONE: u64 = 1 << 32;

/// Declaration of this policy.
pub(super) static POLICY: PlacementPolicy = PlacementPolicy {
    name: "fadac",
    numbers: &[],
    summary: "six classes by a page's count of writes less copies, against a fading average",
    source: "Kremer, Brinkmann, SYSTOR 2019",
    after_mount: "classes of blocks are found again; counts and the average are learnt anew",
    victims: &[],
    places: Places::ByState(ByState {
        classes: |_| Classes { hosts: CLASSES, count: CLASSES },
        times: Times::No,
        future: false,
        controller_bytes: |space| 2 * u64::from(space.logical_pages) + 16,
        make: |space| Box::new(Fadac::new(space.logical_pages)),
    }),
};

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Fadac {
    counts: Vec<u16>,
    /// Valid pages.
    valid: u64,
    average: u64,
    work: Accesses,
}

impl Fadac {
    fn new(logical_pages: u32) -> Self {
        let counts = vec![0; logical_pages as usize];
        Self { counts, valid: 0, average: 0, work: Accesses::default() }
    }

    #[inline]
    fn class(&self, count: u16) -> usize {
        let count = u64::from(count) * ONE;
        let mut limit = self.average;
        if limit == 0 {
            return 0;
        }
        let mut class = 0;
        while class < CLASSES - 1 && count > limit {
            limit = limit.saturating_mul(FACTOR);
            class += 1;
        }
        class
    }
}

impl Placement for Fadac {
    #[inline]
    fn of_write(&mut self, write: &PlacedWrite) -> usize {
        let parts = [ONE, self.average].map(|of| of.checked_div(self.valid).unwrap_or(0));
        self.average = self.average + parts[0] - parts[1];
        self.valid += u64::from(write.from.is_none());
        self.work += Accesses::new(1, 1);
        let Some(count) = self.counts.get_mut(write.lpn.0 as usize) else { return 0 };
        *count = count.saturating_add(1);
        let count = *count;
        self.class(count)
    }

    #[inline]
    fn of_copy(&mut self, copy: &PlacedCopy) -> usize {
        let Some(count) = copy.lpn.and_then(|lpn| self.counts.get_mut(lpn.0 as usize)) else {
            return 0;
        };
        *count = count.saturating_sub(1);
        let count = *count;
        self.work += Accesses::new(1, 1);
        self.class(count)
    }

    fn trimmed(&mut self, _lpn: Lpn, _from: usize) {
        self.valid = self.valid.saturating_sub(1);
    }

    fn work(&self) -> Accesses {
        self.work
    }

    fn heap_bytes(&self) -> usize {
        self.counts.capacity() * 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_by_hand() {
        let mut policy = Fadac::new(4);
        let write = |policy: &mut Fadac, from| {
            policy.of_write(&PlacedWrite {
                lpn: Lpn(1),
                lifespan: None,
                left: None,
                from,
                from_age: None,
            })
        };
        let copy = |policy: &mut Fadac| {
            policy.of_copy(&PlacedCopy { lpn: Some(Lpn(1)), age: None, left: None, from: 0 })
        };
        // No average yet.
        assert_eq!(write(&mut policy, None), 0);
        // One page is valid: the average is 1 from the next write on.
        assert_eq!([(); 9].map(|()| write(&mut policy, Some(0))), [1; 9]);
        assert_eq!((policy.average, write(&mut policy, Some(1))), (ONE, 2));
        assert_eq!([(); 10].map(|()| copy(&mut policy)), [1, 1, 1, 1, 1, 1, 1, 1, 1, 0]);
        assert_eq!((copy(&mut policy), copy(&mut policy)), (0, 0));
        assert_eq!((0..101).map(|_| write(&mut policy, Some(0))).last(), Some(3));
        assert_eq!(policy.of_copy(&PlacedCopy { lpn: None, age: None, left: None, from: 3 }), 0);
        policy.trimmed(Lpn(1), 0);
        assert_eq!(policy.valid, 0);
        assert_eq!(policy.work(), Accesses::new(124, 124));
    }
}
