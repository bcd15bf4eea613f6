//! Blocks whose pages must be moved because they are old, have many bit errors, or are read often.
//!
//! Data are older in a block whose first page was programmed earlier, so one list of blocks in the order of their first
//! programs gives the next block that becomes too old. A block that is due stands in a second list until its pages are
//! moved, or it is erased. Both lists are chains through the blocks: each change is O(1).

use crate::address::{BlockId, Geometry, Ppn};
use crate::due::DueBlock;
use crate::operation::Cause;
use crate::time::Ns;
use alloc::{vec, vec::Vec};

/// Age, bit errors and reads from which on the valid pages of a block are due to be moved. Without any: never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefreshLimits {
    /// Time since the program of the block's first page, s: 1 or more.
    pub age_s: Option<u32>,
    /// Bit errors of a codeword of 1 KiB, as a read of any of its pages finds them: 1 or more.
    pub bits_per_kib: Option<u32>,
    /// Reads of the block since its erase, copies and repeated reads included: 1 or more.
    pub block_reads: Option<u32>,
}

impl RefreshLimits {
    /// True if no block is ever due.
    pub fn are_off(&self) -> bool {
        *self == Self::default()
    }
}

/// Blocks that were due, as counts so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefreshCounts {
    /// Blocks that were too old, or had too many bit errors.
    pub refresh: u64,
    /// Blocks that were read too often.
    pub reclaim: u64,
    /// Of both, those that are due now.
    pub waiting: u64,
}

const NONE: u32 = u32::MAX;
const NS_PER_S: Ns = 1_000_000_000;

/// Place of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In no list: erased, or its pages have been moved.
    Nowhere,
    /// Programmed and not due: in the list by age, if ages are limited.
    Young,
    /// Due, for this cause.
    Due(Cause),
}

#[derive(Clone, Copy, Debug)]
struct Block {
    before: u32,
    after: u32,
    reads: u32,
    place: Place,
    /// Time of the first program.
    programmed_ns: Ns,
}

/// A chain of blocks.
#[derive(Clone, Copy, Debug)]
struct Chain {
    first: u32,
    last: u32,
}

impl Chain {
    const EMPTY: Self = Self { first: NONE, last: NONE };

    fn push(&mut self, blocks: &mut [Block], at: u32) {
        (blocks[at as usize].before, blocks[at as usize].after) = (self.last, NONE);
        match self.last {
            NONE => self.first = at,
            last => blocks[last as usize].after = at,
        }
        self.last = at;
    }

    fn remove(&mut self, blocks: &mut [Block], at: u32) {
        let Block { before, after, .. } = blocks[at as usize];
        match before {
            NONE => self.first = after,
            before => blocks[before as usize].after = after,
        }
        match after {
            NONE => self.last = before,
            after => blocks[after as usize].before = before,
        }
    }
}

/// Which blocks are due. State: 24 bytes per block.
#[derive(Clone, Debug)]
pub(super) struct Refresh {
    limits: RefreshLimits,
    geometry: Geometry,
    blocks: Vec<Block>,
    young: Chain,
    due: Chain,
    /// Age of all data when the clock first shows a time.
    initial_ns: Ns,
    now_ns: Ns,
    counts: RefreshCounts,
}

impl Refresh {
    /// No block is programmed yet; all data that are before the first time shown will be `initial_s` old then.
    pub(super) fn new(limits: RefreshLimits, geometry: &Geometry, initial_s: u32) -> Self {
        let (before, after) = (NONE, NONE);
        let block = Block { before, after, reads: 0, place: Place::Nowhere, programmed_ns: 0 };
        Self {
            limits,
            geometry: *geometry,
            blocks: vec![block; geometry.blocks() as usize],
            young: Chain::EMPTY,
            due: Chain::EMPTY,
            initial_ns: Ns::from(initial_s) * NS_PER_S,
            now_ns: 0,
            counts: RefreshCounts::default(),
        }
    }

    pub(super) fn counts(&self) -> RefreshCounts {
        self.counts
    }

    /// Reads of a block since its erase.
    pub(super) fn reads(&self, block: BlockId) -> u32 {
        self.blocks.get(block.0 as usize).map_or(0, |block| block.reads)
    }

    pub(super) fn set_now_ns(&mut self, now_ns: Ns) {
        self.now_ns = self.now_ns.max(now_ns.saturating_add(self.initial_ns));
    }

    /// Records a program of a page.
    pub(super) fn programmed(&mut self, ppn: Ppn) {
        let at = self.geometry.block_of(ppn).0;
        let Some(block) = self.blocks.get_mut(at as usize) else { return };
        if block.place == Place::Nowhere {
            (block.place, block.programmed_ns) = (Place::Young, self.now_ns);
            self.young.push(&mut self.blocks, at);
        }
    }

    /// Records reads of a page whose worst codeword has these bit errors.
    pub(super) fn read(&mut self, ppn: Ppn, times: u32, bits: u64) {
        let at = self.geometry.block_of(ppn).0;
        let Some(block) = self.blocks.get_mut(at as usize) else { return };
        block.reads = block.reads.saturating_add(times);
        if block.place != Place::Young {
            return;
        }
        if self.limits.bits_per_kib.is_some_and(|limit| bits >= limit.into()) {
            self.make_due(at, Cause::Refresh);
        } else if self.limits.block_reads.is_some_and(|limit| block.reads >= limit) {
            self.make_due(at, Cause::ReadReclaim);
        }
    }

    /// Records an erase.
    pub(super) fn erased(&mut self, block: BlockId) {
        self.leave(block);
        if let Some(block) = self.blocks.get_mut(block.0 as usize) {
            block.reads = 0;
        }
    }

    /// Takes a block out of its list.
    fn leave(&mut self, block: BlockId) {
        let Some(place) = self.blocks.get(block.0 as usize).map(|block| block.place) else {
            return;
        };
        match place {
            Place::Nowhere => {}
            Place::Young => self.young.remove(&mut self.blocks, block.0),
            Place::Due(_) => {
                self.due.remove(&mut self.blocks, block.0);
                self.counts.waiting -= 1;
            }
        }
        self.blocks[block.0 as usize].place = Place::Nowhere;
    }

    fn make_due(&mut self, at: u32, cause: Cause) {
        self.leave(BlockId(at));
        self.blocks[at as usize].place = Place::Due(cause);
        self.due.push(&mut self.blocks, at);
        self.counts.waiting += 1;
        match cause {
            Cause::ReadReclaim => self.counts.reclaim += 1,
            _ => self.counts.refresh += 1,
        }
    }

    /// The block that has been due for longest.
    pub(super) fn due_block(&mut self) -> Option<DueBlock> {
        if let Some(age_s) = self.limits.age_s {
            let limit_ns = Ns::from(age_s) * NS_PER_S;
            while let Some(oldest) = self.blocks.get(self.young.first as usize)
                && self.now_ns - oldest.programmed_ns >= limit_ns
            {
                self.make_due(self.young.first, Cause::Refresh);
            }
        }
        let first = self.blocks.get(self.due.first as usize)?;
        let Place::Due(cause) = first.place else { return None };
        Some(DueBlock { block: BlockId(self.due.first), cause })
    }

    /// Time of the host's clock from which on [`Refresh::due_block`] finds one; [`Ns::MAX`] if only reads can bring one.
    pub(super) fn next_due_ns(&self) -> Ns {
        if self.due.first != NONE {
            return 0;
        }
        match (self.limits.age_s, self.blocks.get(self.young.first as usize)) {
            (Some(age_s), Some(oldest)) => {
                let old_ns = oldest.programmed_ns.saturating_add(Ns::from(age_s) * NS_PER_S);
                old_ns.saturating_sub(self.initial_ns)
            }
            _ => Ns::MAX,
        }
    }

    /// Ends the turn of a block that is due: its valid pages are `moved`, or it waits behind the others.
    pub(super) fn end_turn(&mut self, block: BlockId, moved: bool) {
        let is_due = |block: &Block| matches!(block.place, Place::Due(_));
        if !self.blocks.get(block.0 as usize).is_some_and(is_due) {
            return;
        }
        if moved {
            return self.leave(block);
        }
        self.due.remove(&mut self.blocks, block.0);
        self.due.push(&mut self.blocks, block.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: u32 = 4;

    fn refresh(age_s: Option<u32>, bits_per_kib: Option<u32>, block_reads: Option<u32>) -> Refresh {
        let limits = RefreshLimits { age_s, bits_per_kib, block_reads };
        Refresh::new(limits, &Geometry::new(8, PAGES, 1024).unwrap(), 0)
    }

    fn program(refresh: &mut Refresh, block: u32) {
        refresh.programmed(Ppn(block * PAGES));
    }

    /// The blocks that are due, in turn.
    fn due(refresh: &mut Refresh) -> Vec<(u32, Cause)> {
        let mut all = Vec::new();
        while let Some(DueBlock { block, cause }) = refresh.due_block() {
            all.push((block.0, cause));
            refresh.end_turn(block, true);
        }
        all
    }

    #[test]
    fn blocks_come_in_the_order_of_their_first_programs_at_their_age() {
        let mut refresh = refresh(Some(10), None, None);
        for (at_s, block) in [(0, 3), (2, 1), (2, 3), (5, 2)] {
            refresh.set_now_ns(at_s * NS_PER_S);
            program(&mut refresh, block);
        }
        assert_eq!(refresh.next_due_ns(), 10 * NS_PER_S);
        refresh.set_now_ns(10 * NS_PER_S - 1);
        assert_eq!(refresh.due_block(), None);
        refresh.set_now_ns(12 * NS_PER_S);
        assert_eq!(due(&mut refresh), [(3, Cause::Refresh), (1, Cause::Refresh)]);
        assert_eq!(refresh.next_due_ns(), 15 * NS_PER_S);
        // An erase ends the age; the next program begins one.
        refresh.erased(BlockId(2));
        assert_eq!(refresh.next_due_ns(), Ns::MAX);
        program(&mut refresh, 2);
        assert_eq!(refresh.next_due_ns(), 22 * NS_PER_S);
        assert_eq!(refresh.counts(), RefreshCounts { refresh: 2, reclaim: 0, waiting: 0 });
    }

    #[test]
    fn data_at_the_start_have_the_age_that_is_stated() {
        let limits = RefreshLimits { age_s: Some(10), ..RefreshLimits::default() };
        let mut refresh = Refresh::new(limits, &Geometry::new(8, PAGES, 1024).unwrap(), 7);
        program(&mut refresh, 0);
        assert_eq!(refresh.next_due_ns(), 3 * NS_PER_S);
        refresh.set_now_ns(0);
        program(&mut refresh, 1);
        assert_eq!(refresh.due_block(), None);
        refresh.set_now_ns(3 * NS_PER_S);
        assert_eq!(due(&mut refresh), [(0, Cause::Refresh)]);
        assert_eq!(refresh.next_due_ns(), 10 * NS_PER_S);
    }

    #[test]
    fn reads_and_bit_errors_make_a_block_due_once() {
        let mut refresh = refresh(None, Some(60), Some(5));
        (0..3).for_each(|block| program(&mut refresh, block));
        refresh.read(Ppn(0), 4, 59);
        assert_eq!((refresh.due_block(), refresh.reads(BlockId(0))), (None, 4));
        refresh.read(Ppn(3), 1, 0);
        refresh.read(Ppn(0), 9, 0);
        refresh.read(Ppn(PAGES), 1, 60);
        assert_eq!(refresh.counts(), RefreshCounts { refresh: 1, reclaim: 1, waiting: 2 });
        assert_eq!(due(&mut refresh), [(0, Cause::ReadReclaim), (1, Cause::Refresh)]);
        // What was moved is not due again before its erase.
        refresh.read(Ppn(0), 9, 99);
        assert_eq!(refresh.due_block(), None);
        refresh.erased(BlockId(0));
        assert_eq!(refresh.reads(BlockId(0)), 0);
        program(&mut refresh, 0);
        refresh.read(Ppn(0), 5, 0);
        assert_eq!(due(&mut refresh), [(0, Cause::ReadReclaim)]);
    }

    #[test]
    fn a_block_that_cannot_be_moved_waits_behind_the_others() {
        let mut refresh = refresh(None, None, Some(1));
        for block in 0..3 {
            program(&mut refresh, block);
            refresh.read(Ppn(block * PAGES), 1, 0);
        }
        refresh.end_turn(BlockId(0), false);
        refresh.erased(BlockId(1));
        let reclaim = |block| (block, Cause::ReadReclaim);
        assert_eq!(due(&mut refresh), [reclaim(2), reclaim(0)]);
        assert_eq!(refresh.counts().waiting, 0);
    }
}
