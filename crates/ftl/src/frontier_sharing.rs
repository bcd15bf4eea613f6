//! Whether host writes and collection copies share their frontiers.

use crate::layout::{CollectionKind, Layout};
use core::fmt;

/// Which pages are written to the same open blocks.
///
/// Where copies go among what the host writes, what was written in order does not become invalid together, and
/// sequential overwrites cost as much as random ones for good. Where each has frontiers of its own, they cost nothing
/// after some laps.
///
/// # What split frontiers take of the space
/// With F units ([`Allocation`](crate::Allocation)) up to F blocks more are partly written when a victim is taken, one of each
/// unit for collection.
///
/// Where whole blocks are collected before a write no more space is kept for that, and Λ stays as large: a victim
/// has ⌊Λ/(R − F)⌋ valid pages at most where it has ⌊Λ/R⌋ with shared frontiers, of R full blocks, or π − 1 if that is
/// less ([`WholeBlock`](crate::page_mapped::WholeBlock) has the proof, and why one victim a write still suffices).
///
/// Collectors that work in steps, and those of other crates, count on a full block with an invalid page, and on U(λ), when
/// they take a victim. They count free pages, which are the same wherever they lie. For them F + 1 blocks are kept, one for
/// each unit and one so that there are free blocks to choose from, and the threshold is π higher. Let a victim be
/// taken at (F + r)π free pages at most; r is 0 of `lazy-rtgc` (fewer than Fπ with shared frontiers), 1 of `2lgc`. Now
/// they are (F + r + 1)π at most: F + r + 1 free blocks and none partly written, or F + r free ones, and of
/// each unit two partly written: 3F + r not full, where 2F − 1 + r are with shared frontiers (`2lgc`: 2F + r − 1 = 2F). So
/// the others are F + 1 fewer, as planned, and hold Λ pages of as many blocks less. Everything behind that is in
/// terms of free pages: a step, or a write, takes as many, an erase gives π, and no page is out of reach of
/// anyone, since one class writes to the other's blocks where it must.
///
/// With `lazy-rtgc` all pages of a victim then do not go to one block, so that α counts copies one at a time, by the slowest
/// way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrontierSharing {
    /// One frontier a unit, for everything.
    Shared,
    /// Two a unit: one for what the host writes, one for what collection copies.
    Split,
}

impl FrontierSharing {
    /// Of the data area of a scheme that is laid out so: as it is asked for
    /// ([`SchemeConfig::frontiers`](crate::SchemeConfig)), else split where whole blocks are collected, and
    /// shared where not.
    pub fn of(asked: Option<Self>, layout: &Layout) -> Self {
        match layout {
            Layout::PageMapped(CollectionKind::WholeBlock(_)) => asked.unwrap_or(Self::Split),
            Layout::OnDemand(layout) if layout.steps.is_none() => asked.unwrap_or(Self::Split),
            Layout::PageMapped(_) => asked.unwrap_or(Self::Shared),
            _ => Self::Shared,
        }
    }

    /// Classes of pages.
    pub(crate) fn classes(self) -> usize {
        match self {
            Self::Shared => 1,
            Self::Split => 2,
        }
    }
}

impl fmt::Display for FrontierSharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shared => "shared",
            Self::Split => "split",
        })
    }
}
