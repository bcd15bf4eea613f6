//! Completions that are known and not delivered, in order of time.
//!
//! Buses are granted in order of time, and operations of a kind take the same time after their last tenure. So their
//! completions mostly become known in order, and each kind has a lane: a queue. What belongs far before the end of its lane,
//! as after a suspension, goes to a heap. The next completion is the earliest of the fronts.

use crate::time::Ns;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Lanes: reads, programs, erases.
const LANES: usize = 3;
/// The front of the heap, behind those of the lanes.
const HEAP: usize = LANES;

/// Completions of a lane that one passes that belongs before them: several buses may be granted at one time.
const MOST_PASSED: usize = 16;

/// A completion, in order of time, and of submission for equal times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Planned {
    pub(super) done_ns: Ns,
    /// Submission number.
    pub(super) serial: u64,
    /// The pending operation.
    pub(super) entry: u32,
    /// The lower half of its tag.
    pub(super) tag: u32,
}

/// A completion that is taken. Two numbers, so that it passes through registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) done_ns: Ns,
    /// The pending operation, and above it the lower half of its tag.
    bits: u64,
}

impl Taken {
    /// No completion.
    const NONE: Self = Self { done_ns: Ns::MAX, bits: u64::MAX };

    #[inline(always)]
    fn of(planned: &Planned) -> Self {
        let Planned { done_ns, entry, tag, .. } = *planned;
        Self { done_ns, bits: u64::from(tag) << 32 | u64::from(entry) }
    }

    #[inline(always)]
    pub(super) fn entry(self) -> u32 {
        self.bits as u32
    }

    #[inline(always)]
    pub(super) fn tag(self) -> u32 {
        (self.bits >> 32) as u32
    }
}

/// Time and tag of no completion.
const NOTHING: (Ns, u32) = (Ns::MAX, u32::MAX);

/// Least entries of a lane that are taken before the others move into their room.
const TAKEN: usize = 64;

/// A queue of completions, which seldom has more than one of each die. Simpler than a ring, so that taking one costs little.
#[derive(Clone, Debug, Default)]
struct Lane {
    planned: Vec<Planned>,
    /// Entries before this one are taken.
    head: usize,
}

impl Lane {
    #[inline(always)]
    fn front(&self) -> Option<&Planned> {
        self.planned.get(self.head)
    }

    /// Takes the front. Returns it, and the time and the tag of the next; [`NOTHING`] if there is none.
    #[inline(always)]
    fn pop(&mut self) -> (Taken, (Ns, u32)) {
        let Some(taken) = self.front().map(Taken::of) else { return (Taken::NONE, NOTHING) };
        self.head += 1;
        if self.head >= TAKEN {
            self.move_up();
        }
        let next = self.planned.get(self.head).map_or(NOTHING, |next| (next.done_ns, next.tag));
        (taken, next)
    }

    /// Moves what waits into the room of what was taken, unless that would be more than has been taken.
    #[inline(never)]
    fn move_up(&mut self) {
        if self.head >= self.planned.len() / 2 {
            self.planned.drain(..self.head);
            self.head = 0;
        }
    }
}

/// The known completions.
#[derive(Clone, Debug)]
pub(super) struct Completions {
    lanes: [Lane; LANES],
    others: BinaryHeap<Reverse<Planned>>,
    /// Time of the first of each lane and of the heap; [`Ns::MAX`] if there is none.
    fronts_ns: [Ns; LANES + 1],
    /// The earliest front.
    first: usize,
    first_ns: Ns,
    /// Tag of the one behind the last taken from a lane, in that lane.
    behind: u32,
}

impl Default for Completions {
    fn default() -> Self {
        Self {
            lanes: Default::default(),
            others: BinaryHeap::new(),
            fronts_ns: [Ns::MAX; LANES + 1],
            first: 0,
            first_ns: Ns::MAX,
            behind: u32::MAX,
        }
    }
}

impl Completions {
    /// Adds a completion of a lane.
    #[inline(always)]
    pub(super) fn push(&mut self, lane: usize, planned: Planned) {
        let queue = &mut self.lanes[lane].planned;
        // Of a lane without a front, the last entry is taken.
        if self.fronts_ns[lane] != Ns::MAX
            && queue.last().is_some_and(|last| last.done_ns < planned.done_ns)
        {
            queue.push(planned);
        } else {
            // By its parts: if it were passed by reference, the compiler would store it to the stack above as well.
            let Planned { done_ns, serial, entry, tag } = planned;
            self.push_between(lane, (done_ns, serial), entry, tag);
        }
    }

    /// Adds a completion to an empty lane, or one that belongs before the end of its lane, or at the time of its last.
    #[inline(never)]
    fn push_between(&mut self, lane: usize, (done_ns, serial): (Ns, u64), entry: u32, tag: u32) {
        let planned = Planned { done_ns, serial, entry, tag };
        let Lane { planned: queue, head } = &mut self.lanes[lane];
        let waiting = queue[*head..].iter().rev();
        let behind = waiting.take(MOST_PASSED).take_while(|last| **last > planned).count();
        if behind == MOST_PASSED {
            self.others.push(Reverse(planned));
            return self.look_aside();
        }
        let at = queue.len() - behind;
        queue.insert(at, planned);
        if at == *head {
            self.fronts_ns[lane] = planned.done_ns;
            self.choose();
        }
    }

    /// Brings the front of the heap up to date.
    #[cold]
    fn look_aside(&mut self) {
        self.fronts_ns[HEAP] = self.others.peek().map_or(Ns::MAX, |Reverse(first)| first.done_ns);
        self.choose();
    }

    /// Finds the earliest front.
    #[inline]
    fn choose(&mut self) {
        let [a, b, c, d] = self.fronts_ns;
        self.first_ns = a.min(b).min(c.min(d));
        let bits = [a, b, c, d].map(|ns| u32::from(ns == self.first_ns));
        let equal = bits[0] | bits[1] << 1 | bits[2] << 2 | bits[3] << 3;
        self.first = equal.trailing_zeros() as usize % (LANES + 1);
        if !equal.is_power_of_two() {
            self.choose_submitted_first();
        }
    }

    /// As [`Completions::choose`], for equal times.
    #[cold]
    fn choose_submitted_first(&mut self) {
        let fronts = (0..=HEAP).filter_map(|lane| Some((self.front(lane)?, lane)));
        self.first = fronts.min().map_or(0, |(_, lane)| lane);
    }

    /// The first of a lane, or of the heap.
    #[inline]
    fn front(&self, lane: usize) -> Option<&Planned> {
        match self.lanes.get(lane) {
            Some(lane) => lane.front(),
            None => self.others.peek().map(|Reverse(first)| first),
        }
    }

    /// Time of the next completion; [`Ns::MAX`] if there is none.
    #[inline]
    pub(super) fn next_ns(&self) -> Ns {
        self.first_ns
    }

    /// The next completion.
    #[inline]
    pub(super) fn first(&self) -> Option<&Planned> {
        self.front(self.first)
    }

    /// Takes the next completion, of which [`Completions::next_ns`] has told that there is one.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Taken {
        let first = self.first;
        let Some(lane) = self.lanes.get_mut(first) else { return self.pop_aside() };
        let (taken, next) = lane.pop();
        (self.fronts_ns[first], self.behind) = next;
        self.choose();
        taken
    }

    #[cold]
    #[inline(never)]
    fn pop_aside(&mut self) -> Taken {
        let taken = self.others.pop().map_or(Taken::NONE, |Reverse(first)| Taken::of(&first));
        self.look_aside();
        taken
    }

    /// Tag of the completion behind the one taken last from a lane, in that lane; [`u32::MAX`] if none was.
    #[inline]
    pub(super) fn tag_behind(&self) -> u32 {
        self.behind
    }

    /// Reserves room for so many completions.
    pub(super) fn reserve(&mut self, count: usize) {
        for Lane { planned, .. } in &mut self.lanes {
            planned.reserve((2 * count + TAKEN).saturating_sub(planned.len()));
        }
        self.others.reserve(count.saturating_sub(self.others.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    /// Time, operation and tag of the next.
    fn pop(known: &mut Completions) -> Option<(Ns, u32, u32)> {
        let taken = (known.next_ns() < Ns::MAX).then(|| known.pop())?;
        Some((taken.done_ns, taken.entry(), taken.tag()))
    }

    fn told(planned: &Planned) -> (Ns, u32, u32) {
        (planned.done_ns, planned.entry, planned.tag)
    }

    #[test]
    fn completions_come_in_order_whatever_their_lanes() {
        let mut draw = crate::properties::draw();
        let (mut known, mut expected) = (Completions::default(), Vec::new());
        let mut now_ns = 0;
        for serial in 0..5000 {
            let lane = draw(3);
            // Mostly the lane's own time; sometimes sooner, sometimes at the time of others.
            let after_ns = [40, 700, 3000][lane as usize] - 10 * u64::from(draw(20) == 0);
            now_ns += draw(3) * 10;
            let planned = Planned {
                done_ns: now_ns + after_ns,
                serial: serial ^ 1,
                entry: serial as u32,
                tag: !serial as u32,
            };
            known.push(lane as usize, planned);
            expected.push(planned);
            while draw(2) == 0
                && let Some(first) = known.first().copied()
                && first.done_ns <= now_ns
            {
                expected.sort();
                assert_eq!((known.next_ns(), pop(&mut known)), (first.done_ns, Some(told(&first))));
                assert_eq!(expected.remove(0), first);
            }
        }
        expected.sort();
        let rest: Vec<_> = core::iter::from_fn(|| pop(&mut known)).collect();
        assert!(rest.iter().copied().eq(expected.iter().map(told)));
        assert_eq!(known.next_ns(), Ns::MAX);
        assert!(rest.len() > 10 && known.first().is_none());
    }

    /// Times of any order, up to far before the end of a lane, which the heap takes.
    #[test]
    fn completions_of_any_order_come_in_order() {
        let mut draw = crate::properties::draw();
        for span in [3, 40, 400, 4000] {
            let (mut known, mut expected) = (Completions::default(), BTreeSet::new());
            let (mut heap, mut now_ns) = (0, 0);
            for serial in 0..20_000 {
                let done_ns = now_ns + draw(span);
                let entry = serial as u32;
                let tag = !entry;
                let planned = Planned { done_ns, serial: serial ^ (draw(2) * 7), entry, tag };
                known.push(draw(3) as usize, planned);
                expected.insert(planned);
                heap = heap.max(known.others.len());
                while expected.len() > 300 || draw(3) == 0 && !expected.is_empty() {
                    let first = expected.pop_first();
                    assert_eq!(pop(&mut known), first.as_ref().map(told));
                    now_ns = first.map_or(now_ns, |first| first.done_ns);
                }
            }
            let rest = core::iter::from_fn(|| pop(&mut known));
            assert!(rest.eq(expected.iter().map(told)));
            assert!(heap > 10, "span {span}: {heap} in the heap at most");
        }
    }
}
