//! Requests to the channels, and their completions.

use super::topology::{DieAddress, MAX_PLANES};
use crate::time::Ns;

/// Operation of one die, on one page (or block) of each plane that takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Command {
    /// Page read: cells to register, then data out. After a [`Command::CacheRead`] of the page before, it reads
    /// the last page of that run.
    Read = 0,
    /// Page read, with the next page of the block read from the cells during this one's data out. The die's
    /// next request must read that page: by [`Command::CacheRead`], or by [`Command::Read`] as the last of the
    /// run.
    CacheRead = 1,
    /// Page program: data in, then cells.
    Program = 2,
    /// Page program through the cache register. The data of a following program of the same blocks may cross
    /// the bus while the cells are busy with this one. A program of other blocks, or any other operation, waits
    /// until the cells are done.
    CacheProgram = 3,
    /// Program of what a read of this die left in the registers (copy-back program), without data in.
    CopyProgram = 4,
    /// Block erase. The page of its address is ignored.
    Erase = 5,
    /// Page read for a [`Command::CopyProgram`] (copy-back read): cells to register, no data out.
    CopyRead = 6,
    /// Read of the spare bytes alone: cells to register, then those bytes out. The address names their column.
    ReadOob = 7,
}

impl Command {
    /// All commands, in order of their numbers.
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

    /// Name in reports.
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

    /// True for any kind of read.
    #[inline]
    pub fn is_read(self) -> bool {
        matches!(self, Self::Read | Self::CacheRead | Self::CopyRead | Self::ReadOob)
    }

    /// The lane of its completion: a read's, a program's or an erase's.
    #[inline]
    pub(super) fn lane(self) -> usize {
        usize::from(!self.is_read()) + usize::from(self == Self::Erase)
    }

    /// True if it brings page data out, so that it can continue a cache read.
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

/// Pages of one operation: 1 to [`MAX_PLANES`], each on a different plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pages {
    pages: [PageAddress; MAX_PLANES],
    count: u8,
    slc: bool,
}

impl Pages {
    /// A single page.
    #[inline]
    pub const fn one(block: u32, page: u32) -> Self {
        let none = PageAddress { block: 0, page: 0 };
        let mut pages = [none; MAX_PLANES];
        pages[0] = PageAddress { block, page };
        Self { pages, count: 1, slc: false }
    }

    /// Several pages, in the order in which they are addressed. `None` for no page or more than [`MAX_PLANES`];
    /// the submission of the request checks the other rules.
    #[inline]
    pub fn of(list: &[PageAddress]) -> Option<Self> {
        let mut pages = [PageAddress::default(); MAX_PLANES];
        let count = list.len();
        if count == 0 {
            return None;
        }
        pages.get_mut(..count)?.copy_from_slice(list);
        Some(Self { pages, count: count as u8, slc: false })
    }

    /// The same in blocks that are in SLC mode, or not.
    #[inline]
    #[must_use]
    pub const fn in_slc(self, slc: bool) -> Self {
        Self { slc, ..self }
    }

    /// True if the blocks are in SLC mode.
    #[inline]
    pub fn is_slc(&self) -> bool {
        self.slc
    }

    /// The pages.
    #[inline]
    pub fn as_slice(&self) -> &[PageAddress] {
        &self.pages[..usize::from(self.count)]
    }

    /// Number of pages, one per plane.
    #[inline]
    pub fn planes(&self) -> usize {
        usize::from(self.count)
    }
}

/// The command and the pages of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Last {
    pub(super) command: Command,
    pub(super) planes: u8,
    /// Page of the first plane.
    pub(super) page: u32,
    /// Blocks, of which `planes` count.
    pub(super) blocks: [u32; MAX_PLANES],
}

impl Last {
    #[inline]
    pub(super) fn of(command: Command, pages: &Pages) -> Self {
        let [first, rest @ ..] = pages.pages;
        let blocks = match pages.planes() {
            1 => [first.block, 0, 0, 0],
            _ => {
                let [second, third, fourth] = rest.map(|page| page.block);
                [first.block, second, third, fourth]
            }
        };
        Self { command, planes: pages.planes() as u8, page: first.page, blocks }
    }

    /// As [`Last::of`], for a page.
    #[inline]
    pub(super) fn page(command: Command, PageAddress { block, page }: PageAddress) -> Self {
        Self { command, planes: 1, page, blocks: [block, 0, 0, 0] }
    }

    /// True if the operation after it may go on with it.
    #[inline]
    pub(super) fn goes_on(&self) -> bool {
        matches!(self.command, Command::CacheRead | Command::CacheProgram)
    }

    /// The block of each plane.
    #[inline]
    pub(super) fn blocks(&self) -> &[u32] {
        &self.blocks[..usize::from(self.planes)]
    }

    /// The address of the first plane.
    #[inline]
    pub(super) fn first(&self) -> PageAddress {
        PageAddress { block: self.blocks[0], page: self.page }
    }

    /// True if it addresses the same blocks in the same order.
    #[inline]
    pub(super) fn is_on(&self, pages: &Pages) -> bool {
        let pages = pages.as_slice();
        let blocks = self.blocks();
        pages.len() == blocks.len() && pages.iter().zip(blocks).all(|(a, b)| a.block == *b)
    }
}

/// An operation to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Earliest time at which it can start.
    pub arrival_ns: Ns,
    /// Identifier chosen by the caller.
    pub tag: u64,
    /// The die.
    pub die: DieAddress,
    /// The operation.
    pub command: Command,
    /// The pages.
    pub pages: Pages,
    /// Bus time for corrected bytes (column changes and data), which go into the register before the confirm
    /// command. For a [`Command::CopyProgram`] or the program of a direct transfer; 0 for all others.
    pub repair_ns: Ns,
}

/// Repetitions of a read: the steps of a read retry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    /// Times that the command is repeated, once its data are out and decoded.
    pub reads: u8,
    /// True if soft decoding follows the last read ([`RepeatTimes::soft_ns`]).
    pub soft: bool,
}

/// Times of repetitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepeatTimes {
    /// Time to set the voltages before each repeated read, ns. Bus and die take no other operation of this die
    /// meanwhile.
    pub set_ns: Ns,
    /// Time of a soft decoding after its reads, ns.
    pub soft_ns: Ns,
}

/// A completed operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Tag of the request.
    pub tag: u64,
    /// Die of the request.
    pub die: DieAddress,
    /// Command of the request.
    pub command: Command,
    /// Arrival time of the request.
    pub arrival_ns: Ns,
    /// Time of its first grant of the bus.
    pub granted_ns: Ns,
    /// Time at which it left the bus for good: all data of a read are out, all data of a program are in.
    pub released_ns: Ns,
    /// Completion time: data corrected, page programmed, block erased (and its status read, if configured).
    pub done_ns: Ns,
}

/// Time at which the destination of a direct transfer receives its command and address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Addressing {
    /// Once the page is in the source's register: the serial order of Jeong and Song's Eqs 11 and 13.
    #[default]
    AfterRead,
    /// As soon as bus and die are free, possibly during the source's tR: the order of their Fig. 9.
    DuringRead,
}
