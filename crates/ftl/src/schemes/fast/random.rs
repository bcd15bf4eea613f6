//! The random log: log blocks with pages of any logical block, in the order of their writes.

use super::Sequential;
use crate::{
    DirtyPages, FtlError, LogVictim,
    log_block::{Core, Found, NONE, Room, Survey, stamp, stamp::Role},
};
use alloc::{collections::VecDeque, vec, vec::Vec};
use flash::{BlockId, Flash, Geometry, Lpn, Ppn};

/// One of its blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct RandomBlock {
    pub(super) block: BlockId,
    /// Pages used up.
    pub(super) written: u32,
    seq: u64,
    /// Where the LPNs of its pages are kept.
    slot: u32,
}

/// See the module's page.
#[derive(Clone, Debug)]
pub(super) struct RandomLog {
    /// The oldest first; only the youngest may have erased pages that are still to be programmed.
    pub(super) blocks: VecDeque<RandomBlock>,
    /// K.
    limit: u32,
    victim: LogVictim,
    /// LPN of each page, π a slot.
    lpns: Vec<u32>,
    free_slots: Vec<u32>,
    /// Marks of the logical blocks that were seen in a log block, by the number of the look.
    pub(super) seen: Vec<u32>,
    pub(super) look: u32,
    pages_per_block: u32,
}

impl RandomLog {
    pub(super) fn new(
        geometry: &Geometry,
        logical_pages: u32,
        limit: u32,
        victim: LogVictim,
    ) -> Self {
        let pages_per_block = geometry.pages_per_block();
        let mut log = Self {
            blocks: VecDeque::with_capacity(limit as usize),
            limit,
            victim,
            lpns: Vec::new(),
            free_slots: Vec::new(),
            seen: vec![0; logical_pages.div_ceil(pages_per_block) as usize],
            look: 0,
            pages_per_block,
        };
        log.add_slots(limit);
        log
    }

    fn add_slots(&mut self, slots: u32) {
        let first = self.lpns.len() as u32 / self.pages_per_block;
        self.lpns.resize(((first + slots) * self.pages_per_block) as usize, NONE);
        self.free_slots.extend((first..first + slots).rev());
    }

    /// LPNs and places of the pages of a block.
    pub(super) fn pages(
        &self,
        geometry: &Geometry,
        block: &RandomBlock,
    ) -> impl Iterator<Item = (u32, Ppn)> + use<'_> {
        let first = (block.slot * self.pages_per_block) as usize;
        let lpns = &self.lpns[first..first + block.written as usize];
        let first_ppn = geometry.ppn(block.block, 0).0;
        lpns.iter().copied().zip((first_ppn..).map(Ppn))
    }

    /// The next page of the log; merges where there is none.
    #[inline]
    pub(super) fn room<F: Flash, B: DirtyPages>(
        &mut self,
        core: &mut Core<F>,
        sequential: &mut Option<Sequential>,
        buffer: &mut B,
    ) -> Result<Room, FtlError> {
        loop {
            if let Some(open) = self.open_block(core) {
                let RandomBlock { block, written: page, seq, .. } = *open;
                return Ok(Room { block, page, seq, role: Role::Random });
            }
            let closed = u32::from(sequential.is_none());
            if self.blocks.len() < self.limit as usize && core.has_block_for_log(closed) {
                let block = core.take()?;
                let seq = core.clock.open(Role::Random);
                self.push(block, seq);
            } else {
                self.collect(core, sequential, buffer)?;
            }
        }
    }

    fn push(&mut self, block: BlockId, seq: u64) {
        if self.free_slots.is_empty() {
            self.add_slots(1);
        }
        let slot = self.free_slots.pop().unwrap_or(0);
        self.blocks.push_back(RandomBlock { block, written: 0, seq, slot });
    }

    /// The youngest block, if its next page may be programmed: the place of a page in its block must tell
    /// its time.
    #[inline]
    fn open_block<F: Flash>(&self, core: &Core<F>) -> Option<&RandomBlock> {
        self.blocks.back().filter(|open| {
            open.written < self.pages_per_block
                && stamp::time(open.seq) + u64::from(open.written) == core.clock.now()
                && !core.pool.has_failed(open.block)
        })
    }

    /// The next page of the youngest block is used up.
    #[inline]
    pub(super) fn used<F: Flash>(&mut self, core: &mut Core<F>, lpn: Lpn, failed: bool) {
        if let Some(open) = self.blocks.back_mut() {
            let at = open.slot * self.pages_per_block + open.written;
            self.lpns[at as usize] = if failed { NONE } else { lpn.0 };
            open.written += 1;
            core.clock.tick();
        }
    }

    /// Merges every logical block that has a valid page in the victim, and erases it.
    pub(super) fn collect<F: Flash, B: DirtyPages>(
        &mut self,
        core: &mut Core<F>,
        sequential: &mut Option<Sequential>,
        buffer: &mut B,
    ) -> Result<(), FtlError> {
        let geometry = *core.flash.geometry();
        let at = match self.victim {
            LogVictim::RoundRobin => 0,
            LogVictim::LeastCost => self.cheapest(core, buffer),
        };
        let Some(victim) = self.blocks.get(at).copied() else { return Err(core.full()) };
        let is_valid = |core: &Core<F>, (lpn, ppn): (u32, Ppn)| core.is_logged_at(lpn, ppn);
        let valid = self.pages(&geometry, &victim).filter(|page| is_valid(core, *page)).count();
        for page in self.pages(&geometry, &victim) {
            if is_valid(core, page) {
                let (logical, _) = core.split(Lpn(page.0));
                let tail = sequential.take_if(|sequential| sequential.logical == logical);
                core.merge(logical, tail.map(|sequential| sequential.tail), buffer)?;
            }
        }
        self.blocks.remove(at);
        self.free_slots.push(victim.slot);
        core.give_up(victim.block, victim.written, valid as u32)
    }

    /// Takes over the log blocks that a mount found, the oldest first.
    pub(super) fn mount<F: Flash>(&mut self, core: &mut Core<F>, survey: &Survey, found: &[Found]) {
        let geometry = *core.flash.geometry();
        for Found { block, seq, written, .. } in found.iter().copied() {
            self.push(block, seq);
            let Some(pushed) = self.blocks.back_mut() else { return };
            pushed.written = written;
            let first = (pushed.slot * self.pages_per_block) as usize;
            for (page, lpn) in (0..written).zip(&mut self.lpns[first..]) {
                *lpn = survey.lpn(geometry.ppn(block, page)).map_or(NONE, |lpn| lpn.0);
            }
            let opened = stamp::time(seq);
            core.clock.saw_time(opened + u64::from(written));
            survey.map_log_block(core, block, written, |page, data_seq| {
                opened + u64::from(page) >= stamp::time(data_seq)
            });
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<RandomBlock>()
            + (self.lpns.capacity() + self.free_slots.capacity() + self.seen.capacity()) * 4
    }
}
