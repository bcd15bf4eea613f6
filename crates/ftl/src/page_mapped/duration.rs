//! How long copies of a victim take at most.

use flash::{Ns, Part};

/// The longest that so many copies of one victim's pages take, at most as many as a block holds, where they may
/// go to so many frontiers.
pub(super) fn copies_ns(part: &Part, frontiers: u64, pages: u32) -> Ns {
    match frontiers {
        1 => bounds::moves::copies_ns(part, pages),
        // Any of them may go to another frontier than the one before.
        _ => u64::from(pages) * part.t_copy_ns(),
    }
}
