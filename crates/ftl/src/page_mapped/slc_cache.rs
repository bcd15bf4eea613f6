//! State of an SLC cache: its open blocks, those that are full, and what they hold.
//!
//! Blocks of the cache come from the free blocks that all pages share, so a block is now in SLC mode and now in the
//! part's own mode. Each unit has one open block of the cache; host pages go to them in turns of one page, as to any
//! frontier. A block that is full waits in the order in which it was filled, and is folded in that order.
//!
//! Let N blocks be neither spare nor bad, c of them in SLC mode, and V logical pages in use, each of which is valid in
//! one place. The cache opens a block only if
//!
//! ```text
//! static, C blocks:   c + 1 <= C, and as many blocks are free as are set aside: C - c
//! dynamic:            V + (c + 1)π <= Λ_max, and enough pages stay free that nothing must be collected
//! ```
//!
//! where Λ_max is the most that a scheme exports on N blocks without a cache. So the N − c blocks that are not in SLC
//! mode always have room for all V pages, by the scheme's own proof for as many blocks. A write in the part's own
//! mode, of the host or of a fold, is one of that proof's writes: it collects first, as if the blocks of the cache
//! were not there. With a static cache C − c free blocks are counted as used for that end.

use super::frontiers::{Frontier, Frontiers};
use crate::slc_cache::{SlcLog, SlcPlan, SlcSize};
use alloc::{collections::VecDeque, vec, vec::Vec};
use flash::{BlockId, Geometry};

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct SlcCache {
    pub(crate) plan: SlcPlan,
    /// Open block of each unit, in the order of turns.
    open: Vec<Option<Frontier>>,
    /// Place of the unit whose turn is next.
    at: usize,
    /// Full blocks, the longest full first.
    full: VecDeque<BlockId>,
    /// The block that is being folded, and the page at which that continues.
    pub(crate) folding: Option<(BlockId, u32)>,
    /// c: blocks in SLC mode.
    blocks: u32,
    /// Pages that can be programmed in its open blocks.
    room: u64,
    /// V: logical pages in use.
    pub(crate) in_use: u64,
    pub(crate) log: SlcLog,
}

impl SlcCache {
    pub(crate) fn new(plan: SlcPlan, units: u64) -> Self {
        Self {
            plan,
            open: vec![None; units as usize],
            at: 0,
            full: VecDeque::new(),
            folding: None,
            blocks: 0,
            room: 0,
            in_use: 0,
            log: SlcLog::default(),
        }
    }

    /// c: blocks in SLC mode.
    pub(crate) fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Pages that can be programmed in its open blocks.
    pub(crate) fn room(&self) -> u64 {
        self.room
    }

    /// Free blocks that are counted as used: those of a static cache.
    pub(crate) fn set_aside(&self) -> u32 {
        match self.plan.size {
            SlcSize::Static(_) => self.plan.blocks.saturating_sub(self.blocks),
            SlcSize::Dynamic => 0,
        }
    }

    /// True if `blocks` blocks may be in SLC mode beside `in_use` logical pages in use.
    pub(crate) fn allows(&self, blocks: u32, in_use: u64, pages_per_block: u32) -> bool {
        match self.plan.size {
            SlcSize::Static(_) => blocks <= self.plan.blocks,
            SlcSize::Dynamic => {
                in_use + u64::from(blocks) * u64::from(pages_per_block) <= self.plan.room_pages
            }
        }
    }

    /// The open block that takes the next page, if there is one. Its turn is not over until
    /// [`SlcCache::programmed`].
    pub(crate) fn current(&self) -> Option<Frontier> {
        self.open[self.at]
    }

    /// Passes the turn to the first unit from the present one on that has an open block, or a free one if the cache
    /// `opens` one. Opens that block. Returns its frontier, and whether it was opened.
    pub(crate) fn advance(
        &mut self,
        frontiers: &mut Frontiers,
        geometry: &Geometry,
        opens: bool,
    ) -> Option<(Frontier, bool)> {
        let units = self.open.len();
        let mut places = (self.at..units).chain(0..self.at);
        let place =
            places.find(|at| self.open[*at].is_some() || opens && frontiers.has_free(*at))?;
        self.at = place;
        if let Some(frontier) = self.open[place] {
            return Some((frontier, false));
        }
        let block = frontiers.take_free(place)?;
        let next = geometry.ppn(block, 0).0;
        let frontier = Frontier { block, next, end: next + self.plan.block_pages };
        self.blocks += 1;
        self.log.most_blocks = self.log.most_blocks.max(self.blocks);
        self.put(place, frontier);
        Some((frontier, true))
    }

    fn put(&mut self, place: usize, frontier: Frontier) {
        self.open[place] = Some(frontier);
        self.room += u64::from(frontier.room());
    }

    /// Records that the next page of the block whose turn it is is programmed, and ends the turn.
    pub(crate) fn programmed(&mut self) {
        self.room -= 1;
        let open = &mut self.open[self.at];
        if let Some(frontier) = open {
            frontier.next += 1;
            if frontier.next == frontier.end {
                self.full.push_back(frontier.block);
                *open = None;
            }
        }
        self.pass();
    }

    fn pass(&mut self) {
        self.at = if self.at + 1 == self.open.len() { 0 } else { self.at + 1 };
    }

    /// Closes the block whose turn it is, after a failed program, and ends the turn.
    pub(crate) fn abandon(&mut self) -> Option<Frontier> {
        let closed = self.close(self.at);
        self.pass();
        closed
    }

    fn close(&mut self, place: usize) -> Option<Frontier> {
        let frontier = self.open[place].take()?;
        self.room -= u64::from(frontier.room());
        self.full.push_back(frontier.block);
        Some(frontier)
    }

    /// Closes an open block, so that it can be folded. Returns its frontier.
    pub(crate) fn close_one(&mut self) -> Option<Frontier> {
        let place = self.open.iter().position(Option::is_some)?;
        self.close(place)
    }

    /// Adds a block that a mount found in SLC mode. It is continued if it is partly written and its unit has no open
    /// block; if not, it counts as full. Returns true if it is continued.
    pub(crate) fn found(&mut self, place: usize, frontier: Frontier, continued: bool) -> bool {
        self.blocks += 1;
        self.log.most_blocks = self.log.most_blocks.max(self.blocks);
        if continued && frontier.room() > 0 && self.open[place].is_none() {
            self.put(place, frontier);
            return true;
        }
        self.full.push_back(frontier.block);
        false
    }

    /// True if there is a block to fold.
    pub(crate) fn has_full(&self) -> bool {
        self.folding.is_some() || !self.full.is_empty()
    }

    /// The block to fold, and the page at which to go on.
    pub(crate) fn next_to_fold(&mut self) -> Option<(BlockId, u32)> {
        if self.folding.is_none() {
            self.folding = self.full.pop_front().map(|block| (block, 0));
        }
        self.folding
    }

    /// Records that the block that was folded is erased.
    pub(crate) fn folded(&mut self) {
        self.folding = None;
        self.blocks -= 1;
        self.log.folded += 1;
    }

    /// Full blocks, the longest full first; without the one that is being folded.
    pub(crate) fn full(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.full.iter().copied()
    }

    /// Open blocks.
    pub(crate) fn open(&self) -> impl Iterator<Item = Frontier> + '_ {
        self.open.iter().flatten().copied()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        size_of::<Self>()
            + self.open.capacity() * size_of::<Option<Frontier>>()
            + self.full.capacity() * 4
    }
}

/// RAM of a controller for a cache of at most `blocks` blocks, on an array of `all` blocks of `units` units, bytes: the
/// list of full blocks (4 bytes each), a bit per block for its mode, and a frontier per unit (16 bytes).
pub(crate) fn ram_bytes(blocks: u32, all: u32, units: u32) -> u64 {
    u64::from(blocks) * 4 + u64::from(all).div_ceil(8) + u64::from(units) * 16
}
