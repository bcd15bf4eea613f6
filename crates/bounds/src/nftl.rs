//! NFTL: one primary and one replacement block per logical block.
//!
//! Both are folded into a new primary when both are full or blocks run out.
//!
//! Source: Ban, "Flash file system optimized for page-mode flash technologies", US patent 5,937,425, 1999,
//! as described in Choudhuri and Givargis, "Deterministic service guarantees for NAND flash using partial
//! block cleaning" (GFTL), §II.

use flash::{Ns, Part};

/// U(e_r) = 2π·t_oob + t_rd: the OOB areas of both blocks are searched and the page is found last.
pub fn read_ns(part: &Part) -> Ns {
    search_ns(part) + part.t_r_ns
}

/// Time of one fold, 2π·t_oob + π(t_rd + t_wr) + 2·t_er.
///
/// Both blocks are searched, every page is copied, and both blocks are erased.
/// Reached if the page found last was written first: π versions of π − 1 pages came after it.
pub fn fold_ns(part: &Part) -> Ns {
    search_ns(part) + u64::from(part.pages_per_block) * part.t_copy_ns() + 2 * part.t_bers_ns
}

/// U(R) = max(U(e_r), t_wr + one fold): one fold per write suffices, since each frees a block.
pub fn response_ns(part: &Part) -> Ns {
    read_ns(part).max(part.t_prog_ns + fold_ns(part))
}

fn search_ns(part: &Part) -> Ns {
    2 * u64::from(part.pages_per_block) * part.t_r_oob_ns
}
