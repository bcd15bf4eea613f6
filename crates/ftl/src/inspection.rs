//! State of a scheme for people who watch it: map, use of blocks, queues and lists.

use alloc::vec::Vec;
use flash::{BlockId, Item, Lpn, Ppn, Probe};

/// State of a scheme between two page tasks, for displays and checkers. Costs O(pages) each time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// Place of the newest version of each logical page, by LPN.
    pub map: Vec<Place>,
    /// Older versions on flash of pages whose newest version is in RAM, which the scheme still keeps as valid.
    pub older: Vec<(Lpn, Ppn)>,
    /// Use of each physical block, by number.
    pub blocks: Vec<BlockUse>,
    /// What the placement policy puts into each physical block, by number; empty without a policy that has classes.
    pub placed: Vec<Option<Placed>>,
    /// Queues, lists, caches and states, in the order in which they are best shown.
    pub lists: Vec<List>,
}

/// Place of the newest version of a logical page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Never written, or trimmed.
    #[default]
    Unmapped,
    /// In RAM: a write buffer, or a collection under way. An older version may be on flash.
    Ram,
    /// On flash.
    Flash(Ppn),
    /// Its only copy is unreadable.
    Lost,
}

/// What a placement policy puts into a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Placed {
    /// Pages of this class, from 0.
    Class(u8),
    /// Pages of this stream of the host: with K handles in each reclaim group, handle N mod K of group N div K.
    Stream(u8),
    /// Copies of pages of all streams.
    Copies,
}

/// Use of a physical block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockUse {
    /// The scheme's word for it: one of [`ROLES`](Self::ROLES), or one of its own.
    pub role: &'static str,
    /// The logical block or superblock that it belongs to, if it belongs to one.
    pub logical: Option<u32>,
}

impl BlockUse {
    /// Role of an erased block that nothing has been opened for.
    pub const FREE: &'static str = "free";
    /// Role of a block that is marked bad.
    pub const BAD: &'static str = "bad";
    /// Role of an erased block that no area owns yet.
    pub const SPARE: &'static str = "spare";
    /// Role of a block that is being written: by the host, or by the host and collection.
    pub const FRONTIER: &'static str = "frontier";
    /// Role of a block that is being written with the copies of collection alone.
    pub const COPY_FRONTIER: &'static str = "copy frontier";
    /// Role of a block that is written to its end and may become a victim.
    pub const FULL: &'static str = "full";
    /// Role of a block under collection.
    pub const VICTIM: &'static str = "victim";
    /// Role of a block in SLC mode.
    pub const SLC: &'static str = "SLC";
    /// Role of a block of translation pages.
    pub const TRANSLATION: &'static str = "translation";
    /// Role of a block with the data of one logical block, or of one superblock.
    pub const DATA: &'static str = "data";
    /// Role of a block that takes updates of data blocks until a merge.
    pub const LOG: &'static str = "log";
    /// Role of the log block that takes sequential updates of one logical block.
    pub const SEQUENTIAL_LOG: &'static str = "sequential log";
    /// Role of a block that takes updates of one logical block until a fold, or the copies of its collection.
    pub const REPLACEMENT: &'static str = "replacement";
    /// Role of a block that takes the writes of one logical block while its other blocks are collected.
    pub const BUFFER: &'static str = "buffer";
    /// Role of a block of the write queue.
    pub const WRITE_QUEUE: &'static str = "write queue";
    /// Role of a block without valid pages that waits for its erase.
    pub const OBSOLETE: &'static str = "obsolete";
    /// Role of a block that is kept for the image of a shutdown.
    pub const IMAGE: &'static str = "image";

    /// All roles of this crate's schemes, each with one sentence of help.
    pub const ROLES: &'static [(&'static str, &'static str)] = &[
        (Self::FREE, "Erased, and not opened yet."),
        (Self::BAD, "Marked bad: never used again."),
        (Self::SPARE, "Erased, and in reserve for the area that needs it first."),
        (Self::FRONTIER, "Being written."),
        (Self::COPY_FRONTIER, "Being written with the copies of collection."),
        (Self::FULL, "Written to its end; it may become a victim."),
        (Self::VICTIM, "Under collection: its valid pages move out, then it is erased."),
        (Self::SLC, "In SLC mode: it takes host writes, and is folded later."),
        (Self::TRANSLATION, "Holds translation pages, which are the map on flash."),
        (Self::DATA, "Holds the data of one logical block or superblock."),
        (Self::LOG, "Takes updates of data blocks until a merge."),
        (Self::SEQUENTIAL_LOG, "Takes sequential updates of one logical block until a merge."),
        (
            Self::REPLACEMENT,
            "Takes updates of one logical block until a fold, or the copies of its collection.",
        ),
        (Self::BUFFER, "Takes writes of one logical block while its other blocks are collected."),
        (Self::WRITE_QUEUE, "Takes host writes in order; collection moves them to data blocks."),
        (Self::OBSOLETE, "Holds no valid page, and waits for its erase."),
        (Self::IMAGE, "Kept for the image that a shutdown writes."),
    ];

    /// A block of this role that belongs to no logical block.
    pub fn new(role: &'static str) -> Self {
        Self { role, logical: None }
    }

    /// A block of this role that belongs to this logical block.
    pub fn of(role: &'static str, logical: u32) -> Self {
        Self { role, logical: Some(logical) }
    }
}

/// Uses of all blocks, one for each. A block with two has none of the roles, so that a checker finds it.
pub(crate) struct Uses(Vec<BlockUse>);

impl Uses {
    /// No block has a use, except those that are bad.
    pub(crate) fn new<F: Probe>(flash: &F) -> Self {
        let is_bad = |block: u32| flash.is_bad(BlockId(block));
        let of = |bad| if bad { BlockUse::new(BlockUse::BAD) } else { BlockUse::default() };
        Self((0..flash.geometry().blocks()).map(|block| of(is_bad(block))).collect())
    }

    /// Sets the use of a block.
    pub(crate) fn set(&mut self, block: BlockId, is: BlockUse) {
        let Some(known) = self.0.get_mut(block.0 as usize) else { return };
        *known = if known.role.is_empty() { is } else { BlockUse::new("used twice") };
    }

    /// Sets the role of blocks that belong to no logical block.
    pub(crate) fn all(&mut self, blocks: impl IntoIterator<Item = BlockId>, role: &'static str) {
        blocks.into_iter().for_each(|block| self.set(block, BlockUse::new(role)));
    }

    /// All uses, by block number.
    pub(crate) fn done(self) -> Vec<BlockUse> {
        self.0
    }
}

/// A queue, list, cache or state word of a scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// Name in displays: `collection queue`.
    pub name: &'static str,
    /// What it holds and what the order means, in one sentence.
    pub help: &'static str,
    /// Most items that it can hold, if that is fixed.
    pub capacity: Option<u64>,
    /// Its items, the next to be taken first.
    pub items: Vec<Item>,
}

impl List {
    /// A list without a fixed capacity.
    pub fn new(name: &'static str, help: &'static str, items: Vec<Item>) -> Self {
        Self { name, help, capacity: None, items }
    }

    /// A list of blocks without a fixed capacity.
    pub fn of_blocks(
        name: &'static str,
        help: &'static str,
        blocks: impl IntoIterator<Item = BlockId>,
    ) -> Self {
        Self::new(name, help, blocks.into_iter().map(Item::Block).collect())
    }

    /// A single number.
    pub fn count(name: &'static str, help: &'static str, count: u64) -> Self {
        Self::new(name, help, alloc::vec![Item::Count(count)])
    }

    /// The list with a fixed capacity.
    #[must_use]
    pub fn holding(self, capacity: u64) -> Self {
        Self { capacity: Some(capacity), ..self }
    }
}
