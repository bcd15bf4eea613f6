//! Worst-case duration of the copies of one victim.

use flash::{Ns, Part};

/// Upper bound on the time for copying `pages` pages of one victim, at most a block's pages, to `frontiers`
/// frontiers.
pub(super) fn copies_ns(part: &Part, frontiers: u64, pages: u32) -> Ns {
    match frontiers {
        1 => bounds::moves::copies_ns(part, pages),
        // Each copy may go to another frontier than the copy before it.
        _ => u64::from(pages) * part.t_copy_ns(),
    }
}
