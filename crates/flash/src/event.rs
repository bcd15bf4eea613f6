//! Decisions of a scheme, for observers below it.

use super::address::{BlockId, Lpn, Ppn};

/// A decision of a scheme that no flash operation shows by itself: a victim is taken, a merge begins.
///
/// Schemes report it through [`Probe::event`](crate::Probe::event). Names and captions belong to the scheme, so that a
/// scheme of another crate reports its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// Name for programs, in kebab case: `full-merge`, `victim`.
    pub name: &'static str,
    /// Caption for people. `{key}` stands for the value of that key: `full merge of {logical} from {log}`.
    pub caption: &'static str,
    /// Keys and their values, in the order of the caption.
    pub values: &'a [(&'static str, Item)],
}

/// Something that a scheme names, in an [`Event`] or in a list of its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Item {
    /// Logical page.
    Lpn(Lpn),
    /// Physical page.
    Page(Ppn),
    /// Physical block.
    Block(BlockId),
    /// Logical block (LBN).
    LogicalBlock(u32),
    /// Translation page, by number.
    TranslationPage(u32),
    /// Logical page and the physical page that it is mapped to.
    Mapping(Lpn, Ppn),
    /// A number; what it counts is the key's name, or the list's.
    Count(u64),
    /// A word of a fixed set, such as the state of a collection.
    Word(&'static str),
}
