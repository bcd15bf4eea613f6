//! The random log: log blocks with pages of any logical block, in the order of their writes.

use super::associated::Associations;
use super::sequential::Sequential;
use crate::dirty_pages::DirtyPages;
use crate::error::FtlError;
use crate::events;
use crate::inspection::{BlockUse, List, Uses};
use crate::layout::LogVictim;
use crate::log_block::stamp::Role;
use crate::log_block::{LogBlockCore, NONE, Room, ScannedBlock, Survey, Tail, stamp};
use crate::telemetry::MergeKind;
use alloc::{collections::VecDeque, vec, vec::Vec};
use flash::{BlockId, Event, Geometry, Item, Lpn, Ns, Ppn, Probe};

/// A block of the random log.
#[derive(Clone, Copy, Debug)]
pub(super) struct RandomBlock {
    pub(super) block: BlockId,
    /// Pages programmed, or failed to program.
    pub(super) written: u32,
    seq: u64,
    /// Index of the block's part of `lpns`, in blocks.
    pub(super) slot: u32,
}

/// The random log; see the header of `fast.rs`.
#[derive(Clone, Debug)]
pub(super) struct RandomLog {
    /// Log blocks, the oldest first; only the youngest is open.
    pub(super) blocks: VecDeque<RandomBlock>,
    /// K.
    limit: u32,
    victim: LogVictim,
    /// C_p·(1 + α) of Eq. 5, ns.
    pub(super) saved_ns: Ns,
    /// LPN of each page, π per slot.
    lpns: Vec<u32>,
    free_slots: Vec<u32>,
    /// Tables of the search for the cheapest victim; `None` for round robin.
    pub(super) associations: Option<Associations>,
    /// Δ of each log block, by its slot.
    pub(super) deltas: Vec<i64>,
    pages_per_block: u32,
}

impl RandomLog {
    pub(super) fn new(
        geometry: &Geometry,
        logical_pages: u32,
        limit: u32,
        victim: LogVictim,
        saved_ns: Ns,
    ) -> Self {
        let pages_per_block = geometry.pages_per_block();
        let mut log = Self {
            blocks: VecDeque::with_capacity(limit as usize),
            limit,
            victim,
            saved_ns,
            lpns: Vec::new(),
            free_slots: Vec::new(),
            associations: None,
            deltas: Vec::new(),
            pages_per_block,
        };
        log.add_slots(limit);
        if victim == LogVictim::LeastCost {
            let logical_blocks = logical_pages.div_ceil(pages_per_block);
            log.associations = Some(Associations::new(geometry.blocks(), logical_blocks, limit));
            log.deltas = vec![0; limit as usize];
        }
        log
    }

    fn add_slots(&mut self, slots: u32) {
        let first = self.lpns.len() as u32 / self.pages_per_block;
        self.lpns.resize(((first + slots) * self.pages_per_block) as usize, NONE);
        self.free_slots.extend((first..first + slots).rev());
    }

    /// LPN and PPN of each page of a block.
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

    /// Returns the next page of the log; merges if there is none.
    #[inline]
    pub(super) fn room<F: Probe>(
        &mut self,
        core: &mut LogBlockCore<F>,
        sequential: &mut Option<Sequential>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<Room, FtlError> {
        loop {
            if let Some(open) = self.open_block(core) {
                let RandomBlock { block, written: page, seq, .. } = *open;
                return Ok(Room { block, page, seq, role: Role::Random });
            }
            let closed = u32::from(sequential.is_none());
            if self.blocks.len() < self.limit as usize && core.has_block_for_log(closed) {
                let block = core.take()?;
                events::opened_for_all(&mut core.flash, block, BlockUse::LOG);
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
        if let Some(associations) = &mut self.associations {
            associations.joined(block, slot);
        }
    }

    /// The youngest block, if its next page may be programmed: block opening time plus page offset must give the page's
    /// time.
    #[inline]
    fn open_block<F: Probe>(&self, core: &LogBlockCore<F>) -> Option<&RandomBlock> {
        self.blocks.back().filter(|open| {
            open.written < self.pages_per_block
                && stamp::time(open.seq) + u64::from(open.written) == core.clock.now()
                && !core.pool.has_failed(open.block)
        })
    }

    /// Counts the next page of the youngest block as programmed, or as failed.
    #[inline]
    pub(super) fn used<F: Probe>(&mut self, core: &mut LogBlockCore<F>, lpn: Lpn, failed: bool) {
        if let Some(open) = self.blocks.back_mut() {
            let at = open.slot * self.pages_per_block + open.written;
            self.lpns[at as usize] = if failed { NONE } else { lpn.0 };
            open.written += 1;
            core.clock.tick();
            if !failed && let Some(associations) = &mut self.associations {
                associations.add(core.split(lpn).0, open.slot);
            }
        }
    }

    /// Notes that the newest version of a page becomes invalid.
    #[inline]
    pub(super) fn invalidate<F: Probe>(&mut self, core: &LogBlockCore<F>, lpn: Lpn) {
        if let Some(associations) = &mut self.associations
            && core.is_logged(lpn)
        {
            associations.doubt(core.split(lpn).0);
        }
    }

    /// [`LogBlockCore::merge`]: afterwards no log block has a valid page of the logical block.
    pub(super) fn merge<F: Probe>(
        &mut self,
        core: &mut LogBlockCore<F>,
        logical: u32,
        tail: Option<Tail>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        let merged = core.merge(logical, tail, buffer);
        if let Some(associations) = &mut self.associations {
            match merged {
                Ok(()) => associations.clear(logical),
                Err(_) => associations.doubt(logical),
            }
        }
        merged
    }

    /// Merges every logical block that has a valid page in the victim, and erases it.
    pub(super) fn collect<F: Probe>(
        &mut self,
        core: &mut LogBlockCore<F>,
        sequential: &mut Option<Sequential>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        let geometry = *core.flash.geometry();
        let at = match self.victim {
            LogVictim::RoundRobin => 0,
            LogVictim::LeastCost => self.cheapest(core, buffer),
        };
        let Some(victim) = self.blocks.get(at).copied() else { return Err(core.full()) };
        let is_valid = |core: &LogBlockCore<F>, (lpn, ppn): (u32, Ppn)| core.is_logged_at(lpn, ppn);
        let valid = self.pages(&geometry, &victim).filter(|page| is_valid(core, *page)).count();
        events::victim(&mut core.flash, victim.block, valid as u32, events::why::LOG_FULL);
        let first = (victim.slot * self.pages_per_block) as usize;
        for page in 0..victim.written {
            let lpn = self.lpns[first + page as usize];
            if is_valid(core, (lpn, geometry.ppn(victim.block, page))) {
                let (logical, _) = core.split(Lpn(lpn));
                let tail = sequential.take_if(|sequential| sequential.logical == logical);
                self.merge(core, logical, tail.map(|sequential| sequential.tail), buffer)?;
            }
        }
        self.blocks.remove(at);
        self.free_slots.push(victim.slot);
        if let Some(associations) = &mut self.associations {
            associations.left(victim.block);
        }
        // A random log block never becomes a data block, so the merge is full.
        core.merging = MergeKind::Full;
        core.flash.event(&Event::new(
            "log-block-merged",
            "all logical blocks in log block {log} are merged: it is erased",
            &[("log", Item::Block(victim.block))],
        ));
        core.give_up(victim.block, victim.written, valid as u32)
    }

    /// Adds the log blocks that a mount found, the oldest first.
    pub(super) fn mount<F: Probe>(
        &mut self,
        core: &mut LogBlockCore<F>,
        survey: &Survey,
        found: &[ScannedBlock],
    ) {
        let geometry = *core.flash.geometry();
        for ScannedBlock { block, seq, written, .. } in found.iter().copied() {
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

    /// Builds the associations of log blocks and logical blocks, after a mount has mapped all pages.
    pub(super) fn associate<F: Probe>(&mut self, core: &LogBlockCore<F>) {
        if self.victim != LogVictim::LeastCost {
            return;
        }
        // There are more than K log blocks if the array was written with a larger K.
        let slots = self.lpns.len() as u32 / self.pages_per_block;
        let blocks = core.flash.geometry().blocks();
        let mut associations = Associations::new(blocks, core.logical_blocks(), slots);
        for RandomBlock { block, slot, .. } in &self.blocks {
            associations.joined(*block, *slot);
        }
        (0..core.logical_blocks()).for_each(|logical| associations.doubt(logical));
        associations.settle(core);
        self.associations = Some(associations);
        self.deltas = vec![0; slots as usize];
    }

    /// Log blocks: their uses, and lists.
    pub(super) fn inspect(&self, uses: &mut Uses) -> Vec<List> {
        let blocks = self.blocks.iter().map(|log| log.block);
        uses.all(blocks.clone(), BlockUse::LOG);
        let help = "Log blocks of all logical blocks, the oldest first; only the youngest is open.";
        let mut lists =
            vec![List::of_blocks("log blocks", help, blocks).holding(self.limit.into())];
        if let Some(associations) = &self.associations {
            let help = "Each log block, and the logical blocks that may have a valid page in it.";
            let of_log = |log: &RandomBlock| {
                let owners = associations.with(log.slot).map(Item::LogicalBlock);
                core::iter::once(Item::Block(log.block)).chain(owners).collect::<Vec<_>>()
            };
            let items = self.blocks.iter().flat_map(of_log).collect();
            lists.push(List::new("associated logical blocks", help, items));
        }
        lists
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<RandomBlock>()
            + (self.lpns.capacity() + self.free_slots.capacity()) * 4
            + self.associations.as_ref().map_or(0, Associations::heap_bytes)
            + self.deltas.capacity() * 8
    }
}
