//! The host's hint: a class per stream, as the placement handles of flexible data placement (FDP).
//!
//! ```text
//! write:  stream s of handles 0 .. K - 1 to class s; no stream, and a stream without a handle, to class 0
//! copy:   stream          to the class of the block that it comes from (persistently isolated)
//!         stream-initial  to class K, which all handles share (initially isolated)
//! ```
//!
//! A stream is the number that a request names. A class opens its first block with its first page, so handles that nobody
//! uses hold no block.
//!
//! Deviations: a page that collection takes from a write buffer, where its newest version is, goes where the copy of its
//! old version would have gone. A mount does not know the stream of a page in a block of shared copies; it has no use of it.
//!
//! Work: none of its own; the class of a block is read by the frame around it.
//!
//! Source: NVM Express, Technical Proposal 4146, Flexible Data Placement, 2022.

use super::interface::{PlacedCopy, PlacedWrite, Placement};
use super::policy::{ByState, Classes, PlacementPolicy, Places, Times};
use crate::victim_work::Accesses;
use crate::victims::{MOST_NUMBERS, PolicyNumber};
use alloc::boxed::Box;

/// Most handles: a class each, and one for shared copies.
pub const MOST_HANDLES: u16 = 15;

/// Handles of a device if none are asked for.
pub const HANDLES: u16 = 8;

static NUMBERS: &[PolicyNumber] = &[PolicyNumber::count('K', MOST_HANDLES, Some(HANDLES))];

const SOURCE: &str = "NVM Express, Technical Proposal 4146, 2022";

/// Declaration of the policy whose copies stay with their stream.
pub static STREAM: PlacementPolicy = PlacementPolicy {
    name: "stream",
    numbers: NUMBERS,
    summary: "a class for each of K - 1 streams of the host and one for other writes; copies stay in their class",
    source: SOURCE,
    after_mount: "all of its state is the class of each block, which is found again",
    victims: &[],
    places: Places::ByState(ByState {
        classes: |numbers| {
            let handles = usize::from(numbers[0]);
            Classes { hosts: handles, count: handles.max(2) }
        },
        times: Times::No,
        future: false,
        controller_bytes: |_| 0,
        make: |space| Box::new(Stream::new(space.numbers, None)),
    }),
};

/// Declaration of the policy whose copies share one class.
pub static STREAM_INITIAL: PlacementPolicy = PlacementPolicy {
    name: "stream-initial",
    numbers: NUMBERS,
    summary: "as stream, but the copies of all streams share one class more",
    source: SOURCE,
    after_mount: "all of its state is the class of each block, which is found again",
    victims: &[],
    places: Places::ByState(ByState {
        classes: |numbers| {
            let handles = usize::from(numbers[0]);
            Classes { hosts: handles, count: handles + 1 }
        },
        times: Times::No,
        future: false,
        controller_bytes: |_| 0,
        make: |space| Box::new(Stream::new(space.numbers, Some(space.numbers[0]))),
    }),
};

/// See the module.
#[derive(Clone, Debug)]
struct Stream {
    handles: usize,
    /// Class of the writes from here on.
    now: usize,
    /// Class of all copies, if they share one.
    shared: Option<usize>,
}

impl Stream {
    fn new(numbers: [u16; MOST_NUMBERS], shared: Option<u16>) -> Self {
        Self { handles: numbers[0].into(), now: 0, shared: shared.map(usize::from) }
    }
}

impl Placement for Stream {
    fn handles(&self) -> Option<usize> {
        Some(self.handles)
    }

    fn stream(&mut self, stream: u8) {
        let stream = usize::from(stream);
        self.now = if stream < self.handles { stream } else { 0 };
    }

    #[inline]
    fn of_write(&mut self, _write: &PlacedWrite) -> usize {
        self.now
    }

    #[inline]
    fn of_copy(&mut self, copy: &PlacedCopy) -> usize {
        self.shared.unwrap_or(copy.from)
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
    fn classes_by_hand() {
        let write = |policy: &mut Stream, stream| {
            policy.stream(stream);
            policy.of_write(&PlacedWrite {
                lpn: Lpn(0),
                lifespan: None,
                left: None,
                from: Some(2),
                from_age: None,
            })
        };
        let copy = |policy: &mut Stream, from| {
            policy.of_copy(&PlacedCopy { lpn: Some(Lpn(0)), age: None, left: None, from })
        };
        for (shared, copies) in [(None, [0, 3, 4]), (Some(4), [4, 4, 4])] {
            let mut policy = Stream::new([4, 0, 0], shared);
            let streams = [0, 1, 3, 4, 255, 2].map(|stream| write(&mut policy, stream));
            assert_eq!(streams, [0, 1, 3, 0, 0, 2], "streams without a handle go to the first");
            assert_eq!([0, 3, 4].map(|from| copy(&mut policy, from)), copies);
        }
    }
}
