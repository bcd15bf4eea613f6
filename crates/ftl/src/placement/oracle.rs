//! Oracle: pages of like remaining lifetimes together, by knowledge of the run's future.
//!
//! ```text
//! r = host writes until the page becomes invalid, known from an earlier replay of the same run
//! write, copy:  class c of 8, c = the number of halvings of Λ by which r lies below it, counted from the last class:
//!               class 0 below Λ/64, class 1 below Λ/32, …, class 6 below Λ, class 7 from Λ on, and never
//! ```
//!
//! Λ is the number of logical pages. No policy that has to infer lifetimes can be told more. It is a yardstick for others,
//! and no proof of a minimum: with more open blocks, or with another choice of victims, less may be possible.
//!
//! The future is that of the host writes since the format or mount ([`Future`](super::Future)). A version written before,
//! or beyond its end, goes to the last class.
//!
//! Deviation: SepBIT's placement with future knowledge takes classes of one block's length each. With blocks of hundreds of
//! pages nearly all writes then go to the last class. Classes that double reach across all lifetimes.
//!
//! Work: none of its own; the frame around it reads and writes the time at which each page becomes invalid.
//!
//! Source: future knowledge as in Q. Wang, J. Li, P. P. C. Lee et al., Separating data via block invalidation time inference
//! for write amplification reduction in log-structured storage, FAST 2022, §2.3 and FK of its simulator.

use super::interface::{PlacedCopy, PlacedWrite, Placement};
use super::policy::{ByState, Classes, PlacementPolicy, Places, Times};
use crate::victim_work::Accesses;
use alloc::boxed::Box;

/// Number of classes.
const CLASSES: usize = 8;

/// Declaration of this policy.
pub(super) static POLICY: PlacementPolicy = PlacementPolicy {
    name: "oracle",
    numbers: &[],
    summary: "eight classes by the known time of invalidation; simulated runs only, replayed once before",
    source: "Wang et al., FAST 2022, §2.3 (future knowledge)",
    after_mount: "classes of blocks are found again; the future of pages written before it is not known",
    victims: &[],
    places: Places::ByState(ByState {
        classes: |_| Classes { hosts: CLASSES, count: CLASSES },
        times: Times::No,
        future: true,
        controller_bytes: |_| 8,
        make: |space| Box::new(Oracle { logical_pages: space.logical_pages.max(1) }),
    }),
};

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Oracle {
    logical_pages: u32,
}

impl Oracle {
    #[inline]
    fn class(&self, left: Option<u32>) -> usize {
        let Some(left) = left else { return CLASSES - 1 };
        // 0 below the smallest step, else 1 more with each doubling.
        let steps = (u64::from(left) << (CLASSES - 2)) / u64::from(self.logical_pages);
        ((u64::BITS - steps.leading_zeros()) as usize).min(CLASSES - 1)
    }
}

impl Placement for Oracle {
    #[inline]
    fn of_write(&mut self, write: &PlacedWrite) -> usize {
        self.class(write.left)
    }

    #[inline]
    fn of_copy(&mut self, copy: &PlacedCopy) -> usize {
        self.class(copy.left)
    }

    fn work(&self) -> Accesses {
        Accesses::default()
    }

    fn heap_bytes(&self) -> usize {
        size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flash::Lpn;

    #[test]
    fn classes_by_hand() {
        let mut oracle = Oracle { logical_pages: 6400 };
        let lefts = [Some(1), Some(99), Some(100), Some(199), Some(200), Some(3199), Some(3200)];
        let write =
            |left| PlacedWrite { lpn: Lpn(0), lifespan: None, left, from: None, from_age: None };
        assert_eq!(lefts.map(|left| oracle.of_write(&write(left))), [0, 0, 1, 1, 2, 5, 6]);
        let copy = |left| PlacedCopy { lpn: None, age: None, left, from: 0 };
        let lefts = [Some(99), Some(6399), Some(6400), Some(u32::MAX), None];
        assert_eq!(lefts.map(|left| oracle.of_copy(&copy(left))), [0, 6, 7, 7, 7]);
    }
}
