//! Free-space replenishment: whole-block collection with a logical share that limits every victim's valid
//! pages.
//!
//! Each collection is therefore certain to free pages.
//!
//! Source: L.-P. Chang, Kuo, Lo, "Real-time garbage collection for flash-memory storage systems of
//! real-time embedded systems", ACM TECS 3(4), 2004, as compared in Zhang et al., Lazy-RTGC, ACM TODAES
//! 20(3):43, 2015 (Table I, §6).

use crate::error::BoundError;
use crate::moves::collection_ns;
use crate::page_level;
use crate::ratio::Ratio;
use flash::{Ns, Part};

/// σ of Lazy-RTGC's evaluation (§6.2(5)).
pub const EVALUATION_SHARE: Ratio = Ratio::of(3, 4);

/// U(λ) as in Table I, ⌈σπ⌉: all N blocks count as full.
pub fn victim_valid(part: &Part, share: Ratio) -> u32 {
    crate::lazy_rtgc::victim_valid(part, share)
}

/// U(λ) with the swap block counted as free: ⌊Λ/(N−1)⌋.
///
/// # Errors
/// [`BoundError::LogicalPages`] if Λ is 0 or more than [`page_level::logical_pages`]; the errors of that
/// function.
pub fn victim_valid_on(part: &Part, blocks: u32, logical_pages: u32) -> Result<u32, BoundError> {
    let largest = page_level::logical_pages(part, blocks)?;
    if !(1..=largest).contains(&logical_pages) {
        return Err(BoundError::LogicalPages {
            logical_pages,
            blocks,
            pages_per_block: part.pages_per_block,
            largest,
        });
    }
    Ok(logical_pages / (blocks - 1))
}

/// U(R) as in Table I: Definition 2.3 with π − 1 valid pages.
///
/// Without the periods of the real-time tasks the paper treats σ as unknown.
pub fn table_response_ns(part: &Part) -> Ns {
    page_level::response_ns(part)
}

/// U(R) = max(t_rd, t_wr) + U(λ)(t_rd + t_wr) + t_er on N blocks that export Λ pages.
///
/// One collection per write suffices, since λ ≤ π − 1.
///
/// # Errors
/// As [`victim_valid_on`].
pub fn response_ns(part: &Part, blocks: u32, logical_pages: u32) -> Result<Ns, BoundError> {
    let valid = victim_valid_on(part, blocks, logical_pages)?;
    Ok(part.t_r_ns.max(part.t_prog_ns) + collection_ns(part, valid))
}
