//! Page-level mapping with whole-block collection as late as possible: a worst case, but no real-time bound.
//!
//! Source: Ban, US patent 5,404,485, 1995, as compared in Zhang et al., Lazy-RTGC, ACM TODAES 20(3):43,
//! 2015 (Definition 2.3).

use crate::error::BoundError;
use crate::moves::collection_ns;
use crate::ratio::Ratio;
use flash::{Ns, Part};

/// U(R): max(t_rd, t_wr) + (π−1)(t_rd + t_wr) + t_er (Lazy-RTGC, Definition 2.3, Eq. 5).
///
/// Holds if a task runs at most one collection and no victim is fully valid, as with [`logical_pages`].
/// A collector that takes victims until it reaches a target of free pages may run several, and then exceeds
/// this bound.
pub fn response_ns(part: &Part) -> Ns {
    part.t_r_ns.max(part.t_prog_ns) + collection_ns(part, part.pages_per_block.saturating_sub(1))
}

/// Λ = (N−1)π − 1: all pages except the swap block and one page.
///
/// Without that page all N − 1 full blocks could be fully valid, and collecting one would free nothing.
///
/// # Errors
/// [`BoundError::TooFewBlocks`] below 2 blocks; [`BoundError::TooManyPages`] beyond 32-bit page numbers.
pub fn logical_pages(part: &Part, blocks: u32) -> Result<u32, BoundError> {
    let pages_per_block = part.pages_per_block;
    if blocks < 2 {
        return Err(BoundError::TooFewBlocks { blocks, pages_per_block, least: 2 });
    }
    if u64::from(blocks) * u64::from(pages_per_block) >= u64::from(u32::MAX) {
        return Err(BoundError::TooManyPages { blocks, pages_per_block });
    }
    Ok(((blocks - 1) * pages_per_block).saturating_sub(1))
}

/// σ = Λ/Nπ for [`logical_pages`]. The paper prints 0.99 for every N.
///
/// # Errors
/// As [`logical_pages`].
pub fn share(part: &Part, blocks: u32) -> Result<Ratio, BoundError> {
    let logical = logical_pages(part, blocks)?;
    Ok(Ratio::of(logical.into(), u64::from(blocks) * u64::from(part.pages_per_block)))
}
