//! Levelling of operations: address translation, and swaps after erases.

use super::blocks::Blocks;
use super::choice::Choice;
use super::places::BlockMap;
use super::rule::WearRule;
use crate::address::{BlockId, Geometry, Lpn, Ppn};
use crate::error::FlashError;
use crate::event::{Event, Item};
use crate::interface::{Flash, Probe};
use crate::oob::Oob;
use crate::operation::Cause;
use alloc::{vec, vec::Vec};

/// State of a [`WearLevel`](super::WearLevel) that has a rule.
#[derive(Clone, Debug)]
pub(super) struct Levelling {
    pub(super) rule: WearRule,
    pub(super) places: BlockMap,
    pub(super) blocks: Blocks,
    pub(super) choice: Choice,
    classes: u32,
    seed: u64,
    pub(super) swaps: u64,
    pub(super) given_up: u64,
    /// Buffers of a run: its source pages, and their LPNs.
    run: Vec<Ppn>,
    lpns: Vec<Lpn>,
}

impl Levelling {
    pub(super) fn new(rule: WearRule, geometry: &Geometry, classes: u32, seed: u64) -> Self {
        let (blocks, pages) = (geometry.blocks(), geometry.pages_per_block() as usize);
        let classes = classes.clamp(1, blocks);
        Self {
            rule,
            places: BlockMap::new(blocks),
            blocks: Blocks::new(blocks),
            choice: Choice::new(rule, blocks, classes, seed),
            classes,
            seed,
            swaps: 0,
            given_up: 0,
            run: Vec::with_capacity(pages),
            lpns: vec![Lpn(0); pages],
        }
    }

    /// Resets the state as after a power-up: the block map is the identity.
    pub(super) fn restart(&mut self, geometry: &Geometry) {
        let blocks = geometry.blocks();
        self.places = BlockMap::new(blocks);
        self.blocks = Blocks::new(blocks);
        self.choice = Choice::new(self.rule, blocks, self.classes, self.seed);
    }

    /// Translates the addresses of an error for the scheme.
    #[inline]
    pub(super) fn told<F: Flash, T>(
        &self,
        flash: &F,
        result: Result<T, FlashError>,
    ) -> Result<T, FlashError> {
        result.map_err(|error| self.places.outer_error(flash.geometry(), error))
    }

    pub(super) fn program<F: Flash>(
        &mut self,
        flash: &mut F,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        let to = self.places.physical_page(flash.geometry(), ppn);
        let result = flash.program(to, oob, data, cause);
        self.note_program(flash, to, Some(oob), result.err());
        self.told(flash, result)
    }

    pub(super) fn copy<F: Flash>(
        &mut self,
        flash: &mut F,
        from: Ppn,
        to: Ppn,
        seq: u64,
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        let from = self.places.physical_page(flash.geometry(), from);
        let to = self.places.physical_page(flash.geometry(), to);
        let result = flash.copy(from, to, seq, cause);
        self.note_program(flash, to, result.ok(), result.err());
        self.told(flash, result)
    }

    /// Records a page that was programmed, or whose program failed.
    fn note_program<F: Flash>(
        &mut self,
        flash: &F,
        to: Ppn,
        oob: Option<Oob>,
        error: Option<FlashError>,
    ) {
        match (oob, error) {
            (Some(oob), None) => {
                let (block, page) = flash.geometry().split(to);
                if self.blocks.programmed(block, page, Some(oob.kind)) {
                    self.choice.add(flash, block);
                } else {
                    self.note_pinned(flash, block);
                }
            }
            (_, Some(FlashError::ProgramFailed(failed))) => self.note_failed(flash, failed),
            _ => {}
        }
    }

    #[cold]
    fn note_failed<F: Flash>(&mut self, flash: &F, failed: Ppn) {
        let (block, page) = flash.geometry().split(failed);
        self.blocks.failed(block, page);
        self.choice.remove(flash, block);
    }

    /// Withdraws a block that may no longer be moved.
    #[inline]
    fn note_pinned<F: Flash>(&mut self, flash: &F, block: BlockId) {
        if self.blocks.movable(block).is_none() {
            self.choice.remove(flash, block);
        }
    }

    pub(super) fn copy_run<F: Flash>(
        &mut self,
        flash: &mut F,
        from: &[Ppn],
        to: Ppn,
        seq: u64,
        cause: Cause,
        lpns: &mut [Lpn],
    ) -> Result<(), (usize, FlashError)> {
        let geometry = *flash.geometry();
        let mut run = core::mem::take(&mut self.run);
        run.clear();
        run.extend(from.iter().map(|ppn| self.places.physical_page(&geometry, *ppn)));
        let to = self.places.physical_page(&geometry, to);
        let result = flash.copy_run(&run, to, seq, cause, lpns);
        self.run = run;
        let done = result.map_or_else(|(done, _)| done, |()| from.len());
        for page in (to.0..).take(done) {
            let (block, page) = geometry.split(Ppn(page));
            if self.blocks.programmed(block, page, None) {
                self.choice.add(flash, block);
            }
        }
        if done > 0 {
            self.note_pinned(flash, geometry.block_of(to));
        }
        if let Err((_, FlashError::ProgramFailed(failed))) = result {
            self.note_failed(flash, failed);
        }
        result.map_err(|(at, error)| (at, self.places.outer_error(&geometry, error)))
    }

    pub(super) fn mark_bad<F: Flash>(
        &mut self,
        flash: &mut F,
        block: BlockId,
    ) -> Result<(), FlashError> {
        let block = self.places.physical(block);
        if block.0 < flash.geometry().blocks() {
            self.blocks.pin(block);
            self.choice.remove(flash, block);
        }
        flash.mark_bad(block)
    }

    /// Erases a block. If the rule says so, it moves another block's data to it; the other block is then erased
    /// and takes its place.
    pub(super) fn erase<F: Probe>(
        &mut self,
        flash: &mut F,
        block: BlockId,
        cause: Cause,
    ) -> Result<(), FlashError> {
        let worn = self.places.physical(block);
        if worn.0 >= flash.geometry().blocks() {
            return flash.erase(worn, cause);
        }
        let result = self.erase_physical(flash, worn, cause);
        let suspect = self.told(flash, result)?;
        // A mount may erase blocks before it knows the whole contents of flash.
        if suspect || cause == Cause::Mount {
            return Ok(());
        }
        match self.choice.choose(flash, &self.blocks, worn) {
            None => Ok(()),
            Some(cold) => self.swap(flash, worn, cold),
        }
    }

    /// Erases a physical block. Returns true if a program had failed in it.
    fn erase_physical<F: Flash>(
        &mut self,
        flash: &mut F,
        block: BlockId,
        cause: Cause,
    ) -> Result<bool, FlashError> {
        self.choice.remove(flash, block);
        self.blocks.pin(block);
        flash.erase(block, cause)?;
        self.choice.erased(block);
        Ok(self.blocks.erased(block))
    }

    /// Moves the data of `cold` to `worn`, which is erased, then erases `cold` and swaps both. After any
    /// failure the data are still in one of them. The block that the scheme wanted erased is then erased or
    /// reported as failed.
    fn swap<F: Probe>(
        &mut self,
        flash: &mut F,
        worn: BlockId,
        cold: BlockId,
    ) -> Result<(), FlashError> {
        let Some(pages) = self.blocks.movable(cold) else { return Ok(()) };
        flash.event(&Event::new(
            "wear-swap",
            "wear levelling: the data of block {cold} move to block {worn}, and the two change places",
            &[("cold", Item::Block(cold)), ("worn", Item::Block(worn))],
        ));
        let geometry = *flash.geometry();
        let first = geometry.ppn(cold, 0).0;
        self.run.clear();
        self.run.extend((first..first + pages).map(Ppn));
        let lpns = &mut self.lpns[..pages as usize];
        let to = geometry.ppn(worn, 0);
        if flash.is_slc(cold) {
            flash.set_slc(worn, true)?;
        }
        match flash.copy_run(&self.run, to, Oob::KEEP_SEQ, Cause::WearLevel, lpns) {
            Ok(()) => self.finish(flash, worn, cold),
            Err((copied, FlashError::Uncorrectable(_))) => {
                // The lost page must not become readable or go unnoticed, so the whole block stays in place.
                self.given_up += 1;
                self.choice.remove(flash, cold);
                self.blocks.pin(cold);
                if copied == 0 {
                    return flash.set_slc(worn, false);
                }
                let erased = self.erase_physical(flash, worn, Cause::WearLevel);
                self.told(flash, erased).map(|_| ())
            }
            Err((_, FlashError::ProgramFailed(failed))) => {
                self.given_up += 1;
                self.note_failed(flash, failed);
                Err(FlashError::EraseFailed(self.places.outer(worn)))
            }
            Err((_, error)) => Err(self.places.outer_error(&geometry, error)),
        }
    }

    fn finish<F: Flash>(
        &mut self,
        flash: &mut F,
        worn: BlockId,
        cold: BlockId,
    ) -> Result<(), FlashError> {
        self.swaps += 1;
        self.blocks.moved(cold, worn);
        self.choice.add(flash, worn);
        self.places.swap(worn, cold);
        let erased = self.erase_physical(flash, cold, Cause::WearLevel);
        self.told(flash, erased).map(|_| ())
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.places.heap_bytes()
            + self.blocks.heap_bytes()
            + self.choice.heap_bytes()
            + (self.run.capacity() + self.lpns.capacity()) * 4
    }
}
