//! Plain model of an array, and the steps that the test takes on model and array.

use crate::common::{Found, PAGE, Snapshot};
use ftlkit_flash::{BlockId, FlashError, Oob, PageKind, Ppn, Store};

/// An operation. Pages may be relative to a block's next page, so that most operations succeed.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Program { ppn: ProgramTarget, oob: Oob, data: Option<usize> },
    Copy { from: u32, to: ProgramTarget, seq: u64 },
    Erase(u32),
    Read(u32, Option<usize>),
    ReadOob(u32),
    MarkBad(u32),
    Waste(ProgramTarget),
    HalfErase(u32),
    Spoil(u32),
}

/// A page to be programmed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ProgramTarget {
    /// The next page of a block.
    Next(u32),
    /// Any page, likely the wrong one.
    At(u32),
}

#[derive(Clone, Debug)]
enum Page {
    Erased,
    Lost,
    Holds(Oob, [u8; PAGE]),
}

/// Plain model of an array.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    store: Store,
    per_block: u32,
    pages: Vec<Page>,
    erases: Vec<u32>,
    bad: Vec<bool>,
}

impl Model {
    pub(crate) fn new(blocks: u32, per_block: u32, store: Store) -> Self {
        Self {
            store,
            per_block,
            pages: vec![Page::Erased; (blocks * per_block) as usize],
            erases: vec![0; blocks as usize],
            bad: vec![false; blocks as usize],
        }
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot {
            pages: (0..self.pages.len() as u32).map(|ppn| self.found(ppn)).collect(),
            erases: self.erases.clone(),
            bad: self.bad.clone(),
        }
    }

    pub(crate) fn found(&self, ppn: u32) -> Found {
        match self.pages.get(ppn as usize) {
            None => Err(FlashError::NoSuchPage(Ppn(ppn))),
            Some(Page::Erased) => Err(FlashError::Erased(Ppn(ppn))),
            Some(Page::Lost) => Err(FlashError::Uncorrectable(Ppn(ppn))),
            Some(Page::Holds(oob, bytes)) => Ok((*oob, *bytes)),
        }
    }

    fn block_pages(&self, block: u32) -> std::ops::Range<usize> {
        (block * self.per_block) as usize..((block + 1) * self.per_block) as usize
    }

    /// First erased page of a block, counted within the block.
    fn next(&self, block: u32) -> u32 {
        let pages = &self.pages[self.block_pages(block)];
        let written = pages.iter().filter(|page| !matches!(page, Page::Erased)).count();
        written as u32
    }

    pub(crate) fn place(&self, place: ProgramTarget) -> u32 {
        match place {
            ProgramTarget::At(ppn) => ppn,
            ProgramTarget::Next(block) => block * self.per_block + self.next(block),
        }
    }

    fn may_program(&self, ppn: u32, seq: u64) -> Result<(), FlashError> {
        if ppn as usize >= self.pages.len() {
            return Err(FlashError::NoSuchPage(Ppn(ppn)));
        }
        let block = ppn / self.per_block;
        if self.bad[block as usize] {
            return Err(FlashError::BadBlock(BlockId(block)));
        }
        let next = self.next(block);
        if ppn % self.per_block != next {
            return Err(FlashError::ProgramOrder { ppn: Ppn(ppn), next });
        }
        if seq > Oob::MAX_SEQ { Err(FlashError::Sequence(seq)) } else { Ok(()) }
    }

    fn may_erase(&self, block: u32) -> Result<(), FlashError> {
        match self.bad.get(block as usize) {
            None => Err(FlashError::NoSuchBlock(BlockId(block))),
            Some(true) => Err(FlashError::BadBlock(BlockId(block))),
            Some(false) => Ok(()),
        }
    }

    pub(crate) fn program(
        &mut self,
        ppn: u32,
        oob: Oob,
        data: Option<usize>,
        bytes: [u8; PAGE],
    ) -> Result<(), FlashError> {
        self.may_program(ppn, oob.seq)?;
        let kept = self.store == Store::All || oob.kind != PageKind::Data;
        let bytes = match data {
            Some(PAGE) if kept => bytes,
            None | Some(PAGE) => [0; PAGE],
            Some(found) => {
                return Err(FlashError::PayloadLength { expected: PAGE as u32, found });
            }
        };
        self.pages[ppn as usize] = Page::Holds(oob, bytes);
        Ok(())
    }

    pub(crate) fn copy(&mut self, from: u32, to: u32, seq: u64) -> Result<Oob, FlashError> {
        let (own, bytes) = self.found(from)?;
        let oob = if seq == Oob::KEEP_SEQ { own } else { Oob { seq, ..own } };
        self.may_program(to, oob.seq)?;
        self.pages[to as usize] = Page::Holds(oob, bytes);
        Ok(oob)
    }

    pub(crate) fn erase(&mut self, block: u32) -> Result<(), FlashError> {
        self.may_erase(block)?;
        let pages = self.block_pages(block);
        self.pages[pages].fill(Page::Erased);
        self.erases[block as usize] += 1;
        Ok(())
    }

    pub(crate) fn mark_bad(&mut self, block: u32) -> Result<(), FlashError> {
        match self.bad.get_mut(block as usize) {
            None => Err(FlashError::NoSuchBlock(BlockId(block))),
            Some(bad) => {
                *bad = true;
                Ok(())
            }
        }
    }

    pub(crate) fn waste(&mut self, ppn: u32) -> Result<(), FlashError> {
        self.may_program(ppn, 0)?;
        self.pages[ppn as usize] = Page::Lost;
        Ok(())
    }

    pub(crate) fn half_erase(&mut self, block: u32) -> Result<(), FlashError> {
        self.may_erase(block)?;
        let pages = self.block_pages(block);
        self.pages[pages].fill(Page::Lost);
        Ok(())
    }

    pub(crate) fn spoil(&mut self, ppn: u32) -> Result<(), FlashError> {
        match self.found(ppn) {
            Ok(_) | Err(FlashError::Uncorrectable(_)) => {
                self.pages[ppn as usize] = Page::Lost;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}
