//! DAC: regions by how often a page is written. Each write moves a page one region up, each copy one down.
//!
//! ```text
//! write:  region of the overwritten version + 1, at most the last; a page that overwrites nothing goes to region 0
//! copy:   region of the block that it comes from - 1, at least 0
//! ```
//!
//! Six regions, of which the last is the hottest. All of them take host writes.
//!
//! Deviation: the paper also asks how long a page has been in its region before it moves it. As in the comparisons of
//! SepBIT (FAST 2022), each write and each copy moves it.
//!
//! Work: none of its own; the class of a block is read by the frame around it.
//!
//! Source: M.-L. Chiang, P. C. H. Lee, R.-C. Chang, Using data clustering to improve cleaning performance for flash memory,
//! Software: Practice and Experience 29(3), 1999.

use super::interface::{PlacedCopy, PlacedWrite, Placement};
use super::policy::{ByState, Classes, PlacementPolicy, Places, Times};
use crate::victim_work::Accesses;
use alloc::boxed::Box;

/// Number of regions.
const REGIONS: usize = 6;

/// Declaration of this policy.
pub(super) static POLICY: PlacementPolicy = PlacementPolicy {
    name: "dac",
    numbers: &[],
    summary: "six regions: each write moves a page one up, each copy one down",
    source: "Chiang, Lee, Chang, Software: Practice and Experience 29(3), 1999",
    after_mount: "all of its state is the class of each block, which is found again",
    victims: &[],
    places: Places::ByState(ByState {
        classes: |_| Classes { hosts: REGIONS, count: REGIONS },
        times: Times::No,
        future: false,
        controller_bytes: |_| 0,
        make: |_| Box::new(Dac),
    }),
};

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Dac;

impl Placement for Dac {
    #[inline]
    fn of_write(&mut self, write: &PlacedWrite) -> usize {
        write.from.map_or(0, |region| (region + 1).min(REGIONS - 1))
    }

    #[inline]
    fn of_copy(&mut self, copy: &PlacedCopy) -> usize {
        copy.from.saturating_sub(1)
    }

    fn work(&self) -> Accesses {
        Accesses::default()
    }

    fn heap_bytes(&self) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flash::Lpn;

    #[test]
    fn regions_by_hand() {
        let write = |from| {
            Dac.of_write(&PlacedWrite {
                lpn: Lpn(0),
                lifespan: None,
                left: None,
                from,
                from_age: None,
            })
        };
        assert_eq!([None, Some(0), Some(3), Some(5)].map(write), [0, 1, 4, 5]);
        let copy = |from| Dac.of_copy(&PlacedCopy { lpn: None, age: None, left: None, from });
        assert_eq!([0, 1, 5].map(copy), [0, 0, 4]);
    }
}
