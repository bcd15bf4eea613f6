//! Look at everything in an image: the state of each page, and what is damaged.

use super::error::IoFailure;
use super::file::Image;
use super::layout::{self, BlockRecord, Content, Found, PageRecord};
use flash::{BlockId, Oob, Ppn};
use std::fmt;
use std::os::unix::fs::FileExt;

/// State of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageState {
    /// It may be programmed, after those before it.
    Erased,
    /// It holds this OOB, and bytes if `bytes` is true.
    Programmed {
        /// Its OOB.
        oob: Oob,
        /// True if it has bytes; without, it reads as zeros.
        bytes: bool,
    },
    /// It is used up, and cannot be read: a program or an erase was cut or failed.
    Unreadable,
    /// It cannot be read because the file is damaged.
    Damaged(Fault),
}

/// What is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The record of starts. Nothing depends on it.
    Starts,
    /// The record of a block. Its pages cannot be read.
    BlockRecord,
    /// The record of a page.
    PageRecord,
    /// The bytes of a page.
    PageBytes,
    /// The record of a page is missing, or of another erase, though a later page of the block is programmed.
    PageMissing,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Starts => "the record of starts is damaged (nothing depends on it)",
            Self::BlockRecord => "the record of the block is damaged: its pages cannot be read",
            Self::PageRecord => "the record of the page is damaged",
            Self::PageBytes => "the bytes of the page are damaged",
            Self::PageMissing => "the page was not programmed, but a later one of its block was",
        })
    }
}

/// A fault and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The block, unless it is the record of starts.
    pub block: Option<BlockId>,
    /// The page, if it is one.
    pub ppn: Option<Ppn>,
    /// What is damaged.
    pub fault: Fault,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.block, self.ppn) {
            (_, Some(ppn)) => write!(f, "{ppn}: {}", self.fault),
            (Some(block), None) => write!(f, "{block}: {}", self.fault),
            (None, None) => write!(f, "{}", self.fault),
        }
    }
}

/// Counts of what is in an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Blocks marked bad.
    pub bad_blocks: u32,
    /// Blocks in SLC mode.
    pub slc_blocks: u32,
    /// Blocks whose last erase was cut or failed.
    pub half_erased_blocks: u32,
    /// Blocks without a programmed page.
    pub erased_blocks: u32,
    /// Erases of all blocks.
    pub erases: u64,
    /// Most erases of a block.
    pub most_erases: u32,
    /// Pages that can be read.
    pub programmed_pages: u64,
    /// Pages used up without content.
    pub unreadable_pages: u64,
    /// Faults of the file: damaged records and pages.
    pub faults: u64,
}

impl Image {
    /// Looks at every record and at the bytes of every page. Takes each fault to `finding`.
    ///
    /// # Errors
    /// That of the file.
    pub fn check(&mut self, mut finding: impl FnMut(Finding)) -> Result<Tally, IoFailure> {
        let mut tally = Tally::default();
        if self.starts().damaged {
            tally.faults += 1;
            finding(Finding { block: None, ppn: None, fault: Fault::Starts });
        }
        for id in (0..self.geometry.blocks()).map(BlockId) {
            let mut programmed = false;
            let record = self.each_state(id, |image, ppn, state| {
                programmed |= state != PageState::Erased;
                match image.with_bytes(ppn, state)? {
                    PageState::Erased => {}
                    PageState::Programmed { .. } => tally.programmed_pages += 1,
                    PageState::Unreadable => tally.unreadable_pages += 1,
                    PageState::Damaged(fault) => {
                        tally.faults += 1;
                        finding(Finding { block: Some(id), ppn: Some(ppn), fault });
                    }
                }
                Ok(())
            })?;
            let Some(record) = record else {
                tally.faults += 1;
                finding(Finding { block: Some(id), ppn: None, fault: Fault::BlockRecord });
                continue;
            };
            tally.bad_blocks += u32::from(record.bad);
            tally.slc_blocks += u32::from(record.slc);
            tally.half_erased_blocks += u32::from(record.half_erased);
            tally.erased_blocks += u32::from(!programmed && !record.bad);
            tally.erases += u64::from(record.erases);
            tally.most_erases = tally.most_erases.max(record.erases);
        }
        Ok(tally)
    }

    /// Gives the state of every page of a block, in order, by its records alone. Returns false if the record of the block is
    /// damaged, so that its pages have no state.
    ///
    /// # Errors
    /// That of the file.
    pub fn pages_of(
        &mut self,
        block: BlockId,
        mut each: impl FnMut(Ppn, PageState),
    ) -> Result<bool, IoFailure> {
        let record = self.each_state(block, |_, ppn, state| {
            each(ppn, state);
            Ok(())
        })?;
        Ok(record.is_some())
    }

    pub(super) fn each_state(
        &mut self,
        id: BlockId,
        mut each: impl FnMut(&mut Self, Ppn, PageState) -> Result<(), IoFailure>,
    ) -> Result<Option<BlockRecord>, IoFailure> {
        let Some(record) = self.block_record(id)? else { return Ok(None) };
        let (mut found, mut programmed) = (Vec::new(), 0);
        self.each_page(id, |_, page| {
            found.push(page);
            if PageRecord::counts(&page, record.erases) {
                programmed = found.len();
            }
        })?;
        if record.half_erased {
            programmed = found.len();
        }
        for (at, page) in (0..).zip(found) {
            let state = state_of(&record, page, (at as usize) < programmed);
            let ppn = self.geometry.ppn(id, at);
            each(self, ppn, state)?;
        }
        Ok(Some(record))
    }

    fn block_record(&self, id: BlockId) -> Result<Option<BlockRecord>, IoFailure> {
        let mut bytes = [0; layout::BLOCK_BYTES];
        let read = self.file.read_exact_at(&mut bytes, self.offsets.block(id));
        read.map_err(|source| self.reading(source))?;
        Ok(BlockRecord::decode(&bytes, id))
    }

    /// The same state, or that of a page whose bytes are damaged.
    pub(super) fn with_bytes(
        &mut self,
        ppn: Ppn,
        state: PageState,
    ) -> Result<PageState, IoFailure> {
        if !matches!(state, PageState::Programmed { bytes: true, .. }) {
            return Ok(state);
        }
        let mut record = [0; layout::PAGE_BYTES];
        let read = self.file.read_exact_at(&mut record, self.offsets.page(ppn));
        let read =
            read.and_then(|()| self.file.read_exact_at(&mut self.page, self.offsets.bytes(ppn)));
        read.map_err(|source| self.reading(source))?;
        let right = match PageRecord::decode(&record, ppn) {
            Found::Record(PageRecord { content: Content::Bytes(check), .. }) => {
                layout::crc(&[&self.page]) == check
            }
            _ => false,
        };
        Ok(if right { state } else { PageState::Damaged(Fault::PageBytes) })
    }
}

fn state_of(record: &BlockRecord, page: Found, programmed: bool) -> PageState {
    match page {
        _ if !programmed => PageState::Erased,
        _ if record.half_erased => PageState::Unreadable,
        Found::Damaged => PageState::Damaged(Fault::PageRecord),
        Found::Record(page) if page.erases == record.erases => match page.content {
            Content::Unreadable => PageState::Unreadable,
            Content::Bytes(_) => PageState::Programmed { oob: page.oob, bytes: true },
            Content::NoBytes => PageState::Programmed { oob: page.oob, bytes: false },
        },
        Found::Never | Found::Record(_) => PageState::Damaged(Fault::PageMissing),
    }
}
