//! RFTL: three physical blocks a logical block, partial collection only behind writes to the same logical
//! block.
//!
//! Source: Qin, Wang, Liu, Shao, "Real-time flash translation layer for NAND flash memory storage
//! systems", RTAS 2012, as compared in Zhang et al., Lazy-RTGC, ACM TODAES 20(3):43, 2015 (Table I).

use crate::Ratio;
use flash::{Ns, Part};

/// σ: one logical block on a primary, a buffer and a replacement block.
pub const SHARE: Ratio = Ratio::of(1, 3);

/// U(e_r) = t_rd + t_oob: the page map lies in the OOB.
pub fn read_ns(part: &Part) -> Ns {
    part.t_r_ns + part.t_r_oob_ns
}

/// U(e_w) = t_wr + t_oob.
pub fn write_ns(part: &Part) -> Ns {
    part.t_prog_ns + part.t_r_oob_ns
}

/// U(R) = max(U(e_r), t_er + U(e_w)).
pub fn response_ns(part: &Part) -> Ns {
    read_ns(part).max(part.t_bers_ns + write_ns(part))
}

/// U(λ) = π: nothing bounds the valid pages of a logical block under collection.
pub fn victim_valid(part: &Part) -> u32 {
    part.pages_per_block
}
