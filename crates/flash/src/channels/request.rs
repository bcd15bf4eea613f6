//! What is asked of the channels, and what comes back.

use super::topology::{DieAddress, MAX_PLANES};
use crate::time::Ns;

/// Operation of one die, on one page (or block) of each of its planes that take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Command {
    /// Page read: cells to register, then data out. After a [`Command::CacheRead`] of the page before, the last
    /// page of that run.
    Read = 0,
    /// Page read with the next page of the block read from the cells during this one's data out. The next
    /// request of the die must be the read of that page, by [`Command::CacheRead`] or, as the last of the run, by
    /// [`Command::Read`].
    CacheRead = 1,
    /// Page program: data in, then cells.
    Program = 2,
    /// Page program through the cache register: the data of a program of the same blocks that follows may cross
    /// the bus while the cells are busy with this one. A program of other blocks, or any other operation, waits
    /// until the cells are done.
    CacheProgram = 3,
    /// Program of what the registers hold since a read of this die (copy-back program): no data in.
    CopyProgram = 4,
    /// Block erase; the page of its address is of no account.
    Erase = 5,
    /// Page read for a [`Command::CopyProgram`] (copy-back read): cells to register, no data out.
    CopyRead = 6,
    /// Read of the spare bytes alone: cells to register, then those bytes out, whose column its address names.
    ReadOob = 7,
}

impl Command {
    /// Every command, in order of its number.
    pub const ALL: [Self; 8] = [
        Self::Read,
        Self::CacheRead,
        Self::Program,
        Self::CacheProgram,
        Self::CopyProgram,
        Self::Erase,
        Self::CopyRead,
        Self::ReadOob,
    ];

    /// How reports name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::CacheRead => "cache-read",
            Self::Program => "program",
            Self::CacheProgram => "cache-program",
            Self::CopyProgram => "copy-program",
            Self::Erase => "erase",
            Self::CopyRead => "copy-read",
            Self::ReadOob => "read-oob",
        }
    }

    /// Whether it is one of the reads.
    #[inline]
    pub fn is_read(self) -> bool {
        matches!(self, Self::Read | Self::CacheRead | Self::CopyRead | Self::ReadOob)
    }

    /// Whether it brings data out, so that it can go on from a cache read.
    #[inline]
    pub(super) fn reads_out(self) -> bool {
        matches!(self, Self::Read | Self::CacheRead)
    }
}

/// A page of a die.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageAddress {
    /// Block of the die, over its planes: `0..blocks_per_die`.
    pub block: u32,
    /// Page of the block.
    pub page: u32,
}

/// The pages of one operation: one to [`MAX_PLANES`], each of another plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pages {
    pages: [PageAddress; MAX_PLANES],
    count: u8,
}

impl Pages {
    /// One page.
    #[inline]
    pub const fn one(block: u32, page: u32) -> Self {
        let none = PageAddress { block: 0, page: 0 };
        let mut pages = [none; MAX_PLANES];
        pages[0] = PageAddress { block, page };
        Self { pages, count: 1 }
    }

    /// Some pages, in the order in which they are addressed. `None` for no page or for more than
    /// [`MAX_PLANES`]; the other rules are checked where the request is submitted.
    #[inline]
    pub fn of(list: &[PageAddress]) -> Option<Self> {
        let mut pages = [PageAddress::default(); MAX_PLANES];
        let count = list.len();
        if count == 0 {
            return None;
        }
        pages.get_mut(..count)?.copy_from_slice(list);
        Some(Self { pages, count: count as u8 })
    }

    /// The pages.
    #[inline]
    pub fn as_slice(&self) -> &[PageAddress] {
        &self.pages[..usize::from(self.count)]
    }

    /// How many they are.
    #[inline]
    pub fn planes(&self) -> usize {
        usize::from(self.count)
    }

    /// The same blocks, in the same order.
    #[inline]
    pub(super) fn same_blocks(&self, other: &Self) -> bool {
        let pairs = self.pages.iter().zip(&other.pages);
        self.count == other.count && pairs.fold(true, |same, (a, b)| same & (a.block == b.block))
    }
}

/// One operation to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// When it is there to be done.
    pub arrival_ns: Ns,
    /// Anything by which the caller knows it again.
    pub tag: u64,
    /// The die.
    pub die: DieAddress,
    /// What to do.
    pub command: Command,
    /// With which pages.
    pub pages: Pages,
    /// Bus time for corrected bytes that are sent into the register before the confirm command of a
    /// [`Command::CopyProgram`] or of the program of a direct transfer (column changes and data); 0 for all
    /// others.
    pub repair_ns: Ns,
}

/// One operation done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The request's.
    pub tag: u64,
    /// The request's.
    pub die: DieAddress,
    /// The request's.
    pub command: Command,
    /// The request's.
    pub arrival_ns: Ns,
    /// When it was first granted the bus.
    pub granted_ns: Ns,
    /// When it left the bus for good: all data of a read are out, all data of a program are in.
    pub released_ns: Ns,
    /// When it was done: data corrected, page programmed, block erased (and its status read, where it is).
    pub done_ns: Ns,
}

/// When the destination of a direct transfer is given its command and address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Addressing {
    /// Once the page is in the source's register: the serial order of Jeong and Song's Eqs 11 and 13.
    #[default]
    AfterRead,
    /// As soon as bus and die are free, also beside the source's tR: the order of their Fig. 9.
    DuringRead,
}
