//! The paper's space configuration (Theorem 4.3, Eqs 10–13), as printed except for ⌊·⌋ in α.
//!
//! Erratum: Eq. 11 follows from λ + λ/α + 1 ≤ π without rounding, but U(λ) and U(k) are then rounded up.
//! If (π−1)α is no multiple of α+1, as on four of the five parts of Table II, the σ of Eq. 11 gives U(λ) +
//! ⌈U(λ)/α⌉ + 1 = π + 1.
//! That is one page more than a victim's block reclaims (Eq. 9).
//! Eq. 10 must therefore be read with ⌊·⌋ instead of the printed ⌈·⌉.
//! [`space`](super::space) rounds in the direction that holds.

use super::steps::alpha;
use crate::ratio::Ratio;
use flash::Part;

/// σ ≤ (π−1)α / ((α+1)π) (Eq. 11): the largest share of logical in physical space; Tables II and III.
///
/// 0 if α is 0.
pub fn share_max(part: &Part) -> Ratio {
    let (pages, copies) = (u64::from(part.pages_per_block), u64::from(alpha(part)));
    Ratio::of(pages.saturating_sub(1) * copies, (copies + 1) * pages)
}

/// λ ≤ ⌊(π−1)α / (α+1)⌋ (Eq. 10, printed with ⌈·⌉): the most valid pages that a victim may hold.
pub fn victim_valid_max(part: &Part) -> u32 {
    share_max(part).floor_of(part.pages_per_block.into()) as u32
}

/// U(λ) = ⌈σπ⌉ (Theorem 4.3).
pub fn victim_valid(part: &Part, share: Ratio) -> u32 {
    share.ceil_of(part.pages_per_block.into()).min(part.pages_per_block.into()) as u32
}

/// U(λ) = ⌈Λπ/Θ⌉ (Theorem 4.3) for Λ logical and Θ physical pages; π if Θ is 0.
pub fn victim_valid_of_pages(part: &Part, logical_pages: u32, physical_pages: u32) -> u32 {
    match Ratio::new(logical_pages.into(), physical_pages.into()) {
        Some(share) => victim_valid(part, share),
        None => part.pages_per_block,
    }
}

/// U(k) = max(⌈σπ/(α+1)⌉, ⌈(1−σ)π⌉) (Eq. 12): steps of a collection, and so free pages for host writes.
pub fn steps_max(part: &Part, share: Ratio) -> u32 {
    let pages = u64::from(part.pages_per_block);
    let copying = share.divided_by(u64::from(alpha(part)) + 1).ceil_of(pages);
    // ⌈(1−σ)π⌉ = π − ⌊σπ⌋.
    let reclaimed = pages.saturating_sub(share.floor_of(pages));
    u32::try_from(copying.max(reclaimed)).unwrap_or(u32::MAX)
}

/// ρ_th = U(k) + U(λ) (Eq. 13): collection starts when fewer pages are free.
pub fn paper_threshold_pages(part: &Part, share: Ratio) -> u32 {
    steps_max(part, share).saturating_add(victim_valid(part, share))
}
