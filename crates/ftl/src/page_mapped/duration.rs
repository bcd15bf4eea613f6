//! How long copies of a victim take at most.

use flash::{Ns, Part};

/// The longest that so many copies of one victim's pages take, at most as many as a block holds, where consecutive pages
/// go to so many units in turns.
pub(super) fn copies_ns(part: &Part, units: u64, pages: u32) -> Ns {
    match units {
        1 => bounds::moves::copies_ns(part, pages),
        // Copies that go to units in turns are made one at a time.
        _ => u64::from(pages) * part.t_copy_ns(),
    }
}
