//! Log-block schemes: worst-case merge work of one write.
//!
//! A merge of one logical block moves at most π pages.
//! An offset without a page is padded by a program, which counts as a copy ([`move_ns`]).
//! The merge erases the data block, and also the log block unless that becomes the new data block.
//! The bounds hold for any history but are not real-time bounds: they are the cost of the worst write.
//!
//! Source: derived here for the schemes of Kim et al., "A space-efficient flash translation layer for
//! CompactFlash systems", IEEE TCE 48(2), 2002 (BAST); Lee et al., "A log buffer-based flash translation
//! layer using fully-associative sector translation", ACM TECS 6(3), 2007 (FAST); Kang et al., "A
//! superblock-based flash translation layer for NAND flash memory", EMSOFT 2006.

use crate::moves::move_ns;
use flash::{Ns, Part};

/// BAST: one merge, π·(t_rd + t_wr) + 2·t_er.
pub fn bast_step_ns(part: &Part) -> Ns {
    moves_ns(part, 1) + 2 * part.t_bers_ns
}

/// FAST: merge of the sequential log block, then of every data block of a random log block.
///
/// Each merge has one erase; the random log block is erased last.
/// For N_l logical blocks: at most min(π, N_l) + 1 merges of π pages with one erase each, and two more
/// erases.
pub fn fast_step_ns(part: &Part, logical_blocks: u32) -> Ns {
    let merges = u64::from(part.pages_per_block.min(logical_blocks)) + 1;
    moves_ns(part, merges) + (merges + 2) * part.t_bers_ns
}

/// Superblock: compaction of one superblock, (D + 1)·π(t_rd + t_wr) + `blocks`·t_er.
///
/// Each of its D·π pages moves at most once, except that pages which filled its open block may move twice.
/// Each of its `blocks` blocks is erased at most once.
pub fn superblock_step_ns(part: &Part, logical_blocks: u32, blocks: u32) -> Ns {
    moves_ns(part, u64::from(logical_blocks) + 1) + u64::from(blocks) * part.t_bers_ns
}

fn moves_ns(part: &Part, blocks: u64) -> Ns {
    blocks * u64::from(part.pages_per_block) * move_ns(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flash::parts::EVALUATION_SLC;

    #[test]
    fn worked_out_by_hand() {
        let part = flash::Part {
            pages_per_block: 4,
            t_r_ns: 25_000,
            t_prog_ns: 200_000,
            t_bers_ns: 2_000_000,
            ..EVALUATION_SLC.clone()
        };
        assert_eq!(part.t_copy_ns(), 225_000);
        assert_eq!(bast_step_ns(&part), 4 * 225_000 + 2 * 2_000_000);
        assert_eq!(fast_step_ns(&part, 9), 5 * 4 * 225_000 + 7 * 2_000_000);
        assert_eq!(fast_step_ns(&part, 2), 3 * 4 * 225_000 + 5 * 2_000_000);
        assert_eq!(superblock_step_ns(&part, 8, 11), 9 * 4 * 225_000 + 11 * 2_000_000);
    }
}
