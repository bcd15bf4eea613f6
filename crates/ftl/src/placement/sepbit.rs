//! SepBIT: pages with like times of invalidation together, inferred from lifespans.
//!
//! ```text
//! l = mean lifespan of the last 16 blocks of class 0 that were collected; at first infinite
//! write:  class 0 if the version that it overwrites lived for less than l host writes, else class 1
//! copy:   from class 0 to class 2; otherwise by age: below 4l class 3, below 16l class 4, else class 5
//! ```
//!
//! The lifespan of a block is counted from its opening to its collection. A write that overwrites nothing of known time
//! goes to class 1. A copy of unknown age goes to class 5: it was written before the last mount.
//!
//! Deviation: the paper keeps the pages written last in a queue of l entries, and takes a write for short-lived if its page
//! is in the queue. Here the time of each page is kept instead, which gives the same answer for 4 bytes per logical page,
//! however long l becomes.
//!
//! Work: none besides the times: l is a register. A block of class 0 that is collected writes 1 (the sum of lifespans).
//!
//! Source: Q. Wang, J. Li, P. P. C. Lee et al., Separating data via block invalidation time inference for write
//! amplification reduction in log-structured storage, FAST 2022, Algorithm 1.

use super::interface::{CollectedBlock, PlacedCopy, PlacedWrite, Placement};
use super::policy::{ByState, Classes, PlacementPolicy, Places, Times};
use crate::victim_work::Accesses;
use alloc::boxed::Box;

/// Blocks of class 0 over whose lifespans the mean is taken.
const BLOCKS: u32 = 16;

/// Declaration of this policy.
pub(super) static POLICY: PlacementPolicy = PlacementPolicy {
    name: "sepbit",
    numbers: &[],
    summary: "six classes by inferred time of invalidation: two of host writes, four of copies",
    source: "Wang et al., FAST 2022, Algorithm 1",
    after_mount: "classes of blocks are found again; times and the mean lifespan are forgotten and learnt anew",
    victims: &[],
    places: Places::ByState(ByState {
        classes: |_| Classes { hosts: 2, count: 6 },
        times: Times::OfPages,
        future: false,
        controller_bytes: |_| 24,
        make: |_| Box::new(SepBit::default()),
    }),
};

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct SepBit {
    /// Mean lifespan; `None` as long as it is infinite.
    mean: Option<u64>,
    /// Sum and number of the lifespans since the mean was taken.
    sum: u64,
    collected: u32,
    work: Accesses,
}

impl SepBit {
    /// True if the time is below `factor` mean lifespans.
    #[inline]
    fn is_below(&self, time: u32, factor: u64) -> bool {
        self.mean.is_none_or(|mean| u64::from(time) < factor * mean)
    }
}

impl Placement for SepBit {
    #[inline]
    fn of_write(&mut self, write: &PlacedWrite) -> usize {
        match write.lifespan {
            Some(lifespan) if self.is_below(lifespan, 1) => 0,
            _ => 1,
        }
    }

    #[inline]
    fn of_copy(&mut self, copy: &PlacedCopy) -> usize {
        match copy.age {
            _ if copy.from == 0 => 2,
            Some(age) if self.is_below(age, 4) => 3,
            Some(age) if self.is_below(age, 16) => 4,
            _ => 5,
        }
    }

    fn collected(&mut self, block: &CollectedBlock) {
        let (0, Some(lifespan)) = (block.class, block.lifespan) else { return };
        self.sum += u64::from(lifespan);
        self.collected += 1;
        self.work += Accesses::new(0, 1);
        if self.collected == BLOCKS {
            self.mean = Some(self.sum / u64::from(BLOCKS));
            (self.sum, self.collected) = (0, 0);
        }
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
    use flash::Lpn;

    fn write(policy: &mut SepBit, lifespan: Option<u32>) -> usize {
        policy.of_write(&PlacedWrite {
            lpn: Lpn(0),
            lifespan,
            left: None,
            from: Some(1),
            from_age: None,
        })
    }

    fn copy(policy: &mut SepBit, age: Option<u32>, from: usize) -> usize {
        policy.of_copy(&PlacedCopy { lpn: Some(Lpn(0)), age, left: None, from })
    }

    #[test]
    fn classes_by_hand() {
        let mut policy = SepBit::default();
        // Infinite at first: all that overwrites something of known time is short-lived.
        assert_eq!([None, Some(u32::MAX)].map(|lifespan| write(&mut policy, lifespan)), [1, 0]);
        assert_eq!(copy(&mut policy, Some(u32::MAX), 1), 3);
        // Sixteen blocks of class 0, of 100 writes on average; others and unknown ones do not count.
        for at in 0..16 {
            assert_eq!(policy.mean, None);
            let lifespan = Some(if at % 2 == 0 { 50 } else { 150 });
            policy.collected(&CollectedBlock { class: 0, lifespan });
            policy.collected(&CollectedBlock { class: 0, lifespan: None });
            policy.collected(&CollectedBlock { class: 1, lifespan: Some(9) });
        }
        assert_eq!(policy.work(), Accesses::new(0, 16));
        assert_eq!([99, 100].map(|lifespan| write(&mut policy, Some(lifespan))), [0, 1]);
        let ages = [Some(399), Some(400), Some(1599), Some(1600), None];
        assert_eq!(ages.map(|age| copy(&mut policy, age, 1)), [3, 4, 4, 5, 5]);
        assert_eq!(ages.map(|age| copy(&mut policy, age, 5)), [3, 4, 4, 5, 5]);
        assert_eq!(ages.map(|age| copy(&mut policy, age, 0)), [2; 5]);
        // The next mean is of the next sixteen alone.
        (0..16).for_each(|_| policy.collected(&CollectedBlock { class: 0, lifespan: Some(7) }));
        assert_eq!(policy.mean, Some(7));
    }
}
