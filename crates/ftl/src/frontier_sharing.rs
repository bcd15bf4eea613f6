//! Sharing of frontiers between host writes and collection copies.

use crate::layout::{CollectionKind, Layout};
use core::fmt;

/// Classes of page programs that share open blocks.
///
/// If copies go to the host's open blocks, pages that were written in order do not become invalid together.
/// Sequential overwrites then always cost as much as random ones. With separate frontiers they cost nothing after
/// some passes over the logical space.
///
/// # Space that split frontiers take
/// F is the number of units ([`Allocation`](crate::Allocation)). When a victim is taken, up to F more blocks are
/// partly written: one block per unit for collection.
///
/// Collectors of whole blocks before a write keep no more space for that, and Λ stays the same. Of R full blocks, a
/// victim has at most ⌊Λ/(R − F)⌋ valid pages, or π − 1 if that is less. With shared frontiers it has at most ⌊Λ/R⌋.
/// [`WholeBlock`](crate::page_mapped::WholeBlock) has the proof, and the reason why one victim per write still
/// suffices.
///
/// Collectors in steps, and those of other crates, rely on two things when they take a victim: a full block with an
/// invalid page, and U(λ). They count free pages, wherever these lie. For them F + 1 blocks are kept: one per unit,
/// and one so that there are free blocks to choose from. The threshold is π higher.
///
/// Proof. With shared frontiers a victim is taken at no more than (F + r)π free pages: r = 0 for `lazy-rtgc` (fewer
/// than Fπ), r = 1 for `2lgc`. With split frontiers it is taken at no more than (F + r + 1)π free pages. Either
/// F + r + 1 blocks are free and none is partly written, or F + r are free and two per unit are partly written. So at
/// most 3F + r blocks are not full. With shared frontiers at most 2F − 1 + r are not full (`2lgc`: 2F). The full
/// blocks are F + 1 fewer, as planned, and Λ is planned for that many fewer blocks. The remaining argument counts
/// free pages only: a step or a write takes as many as before, and an erase gives π. Every free page can be used by
/// both classes, because a class writes to the other's blocks if it must.
///
/// With `lazy-rtgc` and split frontiers, the pages of a victim do not all go to one block. So α counts single copies
/// by the slowest way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrontierSharing {
    /// One frontier per unit for all programs.
    Shared,
    /// Two frontiers per unit: one for host writes, one for collection copies.
    Split,
}

impl FrontierSharing {
    /// Frontiers of the data area of a scheme with this layout. `asked`
    /// ([`SchemeConfig::frontiers`](crate::SchemeConfig)) overrides the default: split for collectors of whole
    /// blocks, else shared. Layouts without page-mapped frontiers are always shared, and so are maps on demand with
    /// steps.
    pub fn of(asked: Option<Self>, layout: &Layout) -> Self {
        match layout {
            Layout::PageMapped(CollectionKind::WholeBlock(_)) => asked.unwrap_or(Self::Split),
            Layout::OnDemand(layout) if layout.steps.is_none() => asked.unwrap_or(Self::Split),
            Layout::PageMapped(_) => asked.unwrap_or(Self::Shared),
            _ => Self::Shared,
        }
    }

    /// Number of classes of page programs.
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
