//! NFTL: one primary and one replacement block per logical block.
//!
//! The primary holds the first version of each page, the replacement later ones. Both are folded into a new primary
//! when the replacement is full or blocks run out.
//!
//! Source: Ban, "Flash file system optimized for page-mode flash technologies", US patent 5,937,425, 1999,
//! as described in Choudhuri and Givargis, "Deterministic service guarantees for NAND flash using partial
//! block cleaning" (GFTL), §II.

use flash::{Ns, Part};

/// U(e_r) = π·t_oob + t_rd: the OOB areas of the block with the newest version are searched; it is found last.
pub fn read_ns(part: &Part) -> Ns {
    u64::from(part.pages_per_block) * part.t_r_oob_ns + part.t_r_ns
}

/// Time of one fold, 2π·t_oob + π(t_rd + t_wr) + 2·t_er.
///
/// Both blocks are searched, every page is copied, and both blocks are erased.
/// Reached if the page found last was written first, and never again.
pub fn fold_ns(part: &Part) -> Ns {
    let pages = u64::from(part.pages_per_block);
    2 * pages * part.t_r_oob_ns + pages * part.t_copy_ns() + 2 * part.t_bers_ns
}

/// U(R) = max(U(e_r), t_wr + F folds) if F logical blocks are folded when no block is free.
///
/// One suffices, since each fold frees a block.
pub fn response_ns(part: &Part, folds: u32) -> Ns {
    read_ns(part).max(part.t_prog_ns + u64::from(folds) * fold_ns(part))
}
