//! Programs, copies and erases of both areas, and the spare blocks they share.

use crate::error::FtlError;
use crate::page_mapped::free_blocks::FreeBlocks;
use crate::page_mapped::frontiers::Purpose;
use crate::page_mapped::space::{RUN, Run, Space};
use crate::victims::Greedy;
use flash::{BlockId, Cause, FlashError, Geometry, Lpn, Oob, PageKind, Ppn, Probe};

/// A space with greedy victim selection.
pub(super) type Area = Space<Greedy>;

/// Pages moved by one run of copies: LPN (or number of the translation page) and new PPN.
#[derive(Debug)]
pub(super) struct Moved {
    pages: [(Lpn, Ppn); RUN],
    count: usize,
    /// Pages that could not be read, the first so many.
    lost: [Ppn; RUN],
    lost_count: usize,
}

impl Moved {
    pub(super) fn new() -> Self {
        Self { pages: [(Lpn(0), Ppn(0)); RUN], count: 0, lost: [Ppn(0); RUN], lost_count: 0 }
    }

    #[inline]
    pub(super) fn pages(&self) -> &[(Lpn, Ppn)] {
        &self.pages[..self.count]
    }

    /// Takes a page that could not be read.
    pub(super) fn next_lost(&mut self) -> Option<Ppn> {
        let last = self.lost_count.checked_sub(1)?;
        // First come first.
        let first = self.lost[0];
        self.lost.copy_within(1..=last, 0);
        self.lost_count = last;
        Some(first)
    }
}

/// An array and its spare blocks.
///
/// A failed program costs the remaining pages of the open block. A spare block replaces it at once.
/// Collection keeps one more block free until the failed block is collected, since that frees nothing. If
/// an erase fails, a spare block replaces the bad one.
#[derive(Clone, Debug)]
pub(super) struct Medium<F> {
    pub(super) flash: F,
    pub(super) spares: FreeBlocks,
}

impl<F: Probe> Medium<F> {
    #[inline]
    pub(super) fn geometry(&self) -> &Geometry {
        self.flash.geometry()
    }

    /// Gives an erased block to an area.
    fn add_free(&self, area: &mut Area, block: BlockId) {
        area.add_free(self.flash.geometry(), block, self.flash.erase_count(block));
    }

    /// Adds an erased block to the spare ones.
    pub(super) fn add_erased(&mut self, block: BlockId) {
        self.spares.push(block, self.flash.erase_count(block));
    }

    /// Gives an area a spare block for good, if there is one.
    pub(super) fn add_block(&mut self, area: &mut Area) {
        if let Some(block) = self.spares.pop() {
            self.add_free(area, block);
        }
    }

    /// Lends an area a spare block, if there is one.
    #[cold]
    pub(super) fn add_spare(&mut self, area: &mut Area) {
        if let Some(block) = self.spares.pop() {
            self.add_free(area, block);
            area.add_spare(self.flash.geometry());
        }
    }

    #[cold]
    fn abandon_frontier(&mut self, area: &mut Area) {
        area.abandon_frontier(self.flash.geometry());
        self.add_spare(area);
    }

    /// Programs the area's next page.
    #[inline]
    pub(super) fn program(
        &mut self,
        area: &mut Area,
        lpn: Lpn,
        kind: PageKind,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<Ppn, FtlError> {
        loop {
            let (ppn, _, seq) = area.room(self.flash.geometry(), Purpose::Host)?;
            match self.flash.program(ppn, Oob { lpn, kind, seq }, data, cause) {
                Ok(()) => {
                    area.use_room(1);
                    return Ok(ppn);
                }
                Err(FlashError::ProgramFailed(_)) => self.abandon_frontier(area),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Copies a run of a victim's pages to the area's frontier and records their new PPNs. The copied pages
    /// become invalid in the victim.
    #[inline]
    pub(super) fn copy(
        &mut self,
        area: &mut Area,
        run: &Run,
        cause: Cause,
        moved: &mut Moved,
    ) -> Result<(), FtlError> {
        let cause = area.cause(cause);
        let mut lpns = [Lpn(0); RUN];
        let mut left = run.pages();
        (moved.count, moved.lost_count) = (0, 0);
        let Some(first) = left.first() else { return Ok(()) };
        let purpose = Purpose::CopiesOf(self.flash.geometry().block_of(*first));
        while !left.is_empty() {
            let (to, room, seq) = area.room(self.flash.geometry(), purpose)?;
            let from = &left[..left.len().min(room as usize)];
            let result = self.flash.copy_run(from, to, seq, cause, &mut lpns[..from.len()]);
            let done = result.map_or_else(|(done, _)| done, |()| from.len());
            for (at, (lpn, from)) in lpns[..done].iter().zip(from).enumerate() {
                moved.pages[moved.count] = (*lpn, Ppn(to.0 + at as u32));
                moved.count += 1;
                self.copied(area, *from);
            }
            area.use_room(done as u32);
            left = &left[done..];
            match result {
                Ok(()) => {}
                Err((_, FlashError::ProgramFailed(_))) => self.abandon_frontier(area),
                Err((_, FlashError::Uncorrectable(_))) => {
                    self.copied(area, left[0]);
                    moved.lost[moved.lost_count] = left[0];
                    moved.lost_count += 1;
                    left = &left[1..];
                }
                Err((_, error)) => return Err(error.into()),
            }
        }
        Ok(())
    }

    #[inline]
    fn copied(&self, area: &mut Area, from: Ppn) {
        let (block, page) = self.flash.geometry().split(from);
        area.blocks.clear(block, page);
    }

    /// Erases a block without valid pages and frees it, or replaces it if the erase made it bad.
    pub(super) fn reclaim(
        &mut self,
        area: &mut Area,
        block: BlockId,
        cause: Cause,
    ) -> Result<(), FtlError> {
        // A block with a failed program was replaced at that time.
        let made_up_for = area.retiring.contains(block.0);
        let had_spare = area.spare_blocks() > 0;
        area.reclaim(&mut self.flash, block, cause)?;
        match (self.flash.is_bad(block) && !made_up_for, had_spare) {
            (true, true) => self.add_spare(area),
            (true, false) => self.add_block(area),
            (false, _) => {}
        }
        Ok(())
    }
}
