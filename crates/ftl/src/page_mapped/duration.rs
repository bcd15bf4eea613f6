//! Upper bounds on the duration of copies.

use flash::{Ns, Part};

/// Longest time for `pages` copies from one victim, if they may go to `frontiers` frontiers. `pages` is at most one
/// block.
pub(super) fn copies_ns(part: &Part, frontiers: u64, pages: u32) -> Ns {
    match frontiers {
        1 => bounds::moves::copies_ns(part, pages),
        // Each copy may go to another frontier than the one before.
        _ => u64::from(pages) * part.t_copy_ns(),
    }
}
