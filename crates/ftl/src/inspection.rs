//! State of a scheme for people who watch it: map, use of blocks, queues and lists.

use alloc::vec::Vec;
use flash::{Item, Ppn};

/// State of a scheme between two page tasks, for displays and checkers. Costs O(pages) each time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// Place of each logical page, by LPN.
    pub map: Vec<Place>,
    /// Use of each physical block, by number.
    pub blocks: Vec<BlockUse>,
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

/// Use of a physical block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockUse {
    /// The scheme's word for it: [`FREE`](Self::FREE), [`BAD`](Self::BAD), `frontier`, `full`, `victim`, `log`, `data`, …
    pub role: &'static str,
    /// The logical block that it belongs to, if it belongs to one.
    pub logical: Option<u32>,
}

impl BlockUse {
    /// Role of an erased block that nothing has been opened for.
    pub const FREE: &'static str = "free";
    /// Role of a block that is marked bad.
    pub const BAD: &'static str = "bad";

    /// A block of this role that belongs to no logical block.
    pub fn new(role: &'static str) -> Self {
        Self { role, logical: None }
    }

    /// A block of this role that belongs to this logical block.
    pub fn of(role: &'static str, logical: u32) -> Self {
        Self { role, logical: Some(logical) }
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
