//! What is found in an image: states of pages, faults, counts.

use flash::{BlockId, Lpn, Oob, Ppn};
use std::fmt;

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
    /// The header or the description, of one copy. The other one is whole.
    Head,
    /// The record of starts or the list of lost pages, of one copy. The other one is whole.
    StartsCopy,
    /// The list of lost pages.
    Lost,
    /// The record of starts. In version 1 nothing depends on it.
    Starts,
    /// Records that a sync covered are missing, or of an earlier state, in both copies: their sum is not that of the sync.
    Sum,
    /// The record of a block, of one copy. The other one is whole.
    BlockCopy,
    /// The record of a block. Its pages cannot be read.
    BlockRecord,
    /// The record of a block is older than what is programmed in it.
    PageOrder,
    /// The record of a page, of one copy. The other one is whole.
    PageCopy,
    /// The record of a page. Nobody can tell what it held.
    PageRecord,
    /// The bytes of a page.
    PageBytes,
    /// The record of a page is missing, or of another erase, though a later page of the block is programmed.
    PageMissing,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Head => {
                "a copy of the header or of the description is damaged; the other one is whole"
            }
            Self::StartsCopy => {
                "a copy of the record of starts, or of the list of lost pages, is damaged; the other one is whole"
            }
            Self::Lost => "the list of lost pages is damaged",
            Self::Starts => "the record of starts is damaged",
            Self::Sum => {
                "records are missing without a trace, or of an earlier state: their sum is not that of the last sync"
            }
            Self::BlockCopy => {
                "a copy of the record of the block is damaged; the other one is whole"
            }
            Self::BlockRecord => "the record of the block is damaged: its pages cannot be read",
            Self::PageOrder => {
                "the record of the block is older than pages that are programmed in it"
            }
            Self::PageCopy => "a copy of the record of the page is damaged; the other one is whole",
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
    /// The logical page that it holds, where a copy of its record tells.
    pub lpn: Option<Lpn>,
    /// What is damaged.
    pub fault: Fault,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.block, self.ppn, self.lpn) {
            (_, Some(ppn), Some(lpn)) => write!(f, "{ppn} ({lpn}): {}", self.fault),
            (_, Some(ppn), None) => write!(f, "{ppn}: {}", self.fault),
            (Some(block), None, _) => write!(f, "{block}: {}", self.fault),
            (None, None, _) => write!(f, "{}", self.fault),
        }
    }
}

impl Fault {
    /// True if nothing is lost by it, and the next start repairs it.
    pub fn is_of_one_copy(self) -> bool {
        matches!(self, Self::StartsCopy | Self::BlockCopy | Self::PageCopy)
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
