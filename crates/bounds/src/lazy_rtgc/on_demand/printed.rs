//! The paper's own formulas, Eqs 14 to 19.

use crate::error::BoundError;
use crate::lazy_rtgc::steps::{alpha, steps};
use crate::ratio::Ratio;
use flash::{Ns, Part};

/// Bytes per entry of the page map in Lazy-RTGC's §5.2.
pub const ENTRY_BYTES: u32 = 4;

/// σ_t of the evaluation (§6.2(5)).
pub const EVALUATION_TRANSLATION_SHARE: Ratio = Ratio::of(1, 2);

/// U(e_r): two reads, the translation page and the page itself.
pub fn read_ns(part: &Part) -> Ns {
    2 * part.t_r_ns
}

/// U(e_w + e_r): the translation page is read and the page is programmed.
pub fn write_ns(part: &Part) -> Ns {
    part.t_r_ns + part.t_prog_ns
}

/// U(R) = max(U(e_r), t_er + U(e_w + e_r)) (Eq. 14).
pub fn response_ns(part: &Part) -> Ns {
    read_ns(part).max(part.t_bers_ns + write_ns(part))
}

/// U(R_avg) = 2(t_wr + t_rd) (Eq. 15): a task outside collection whose mapping misses and evicts another one.
pub fn mean_response_ns(part: &Part) -> Ns {
    2 * (part.t_r_ns + part.t_prog_ns)
}

/// λ_t ≤ σ_t·π (Eq. 17), rounded up: valid pages of a victim among the translation blocks.
pub fn translation_victim_valid(part: &Part, translation_share: Ratio) -> u32 {
    crate::lazy_rtgc::share::victim_valid(part, translation_share)
}

/// N(V_Gd) and N(V_Gt) (Eq. 16): steps of a data victim and of a translation victim with these valid pages.
///
/// # Errors
/// [`BoundError::CopyLongerThanErase`] if α is 0.
pub fn collection_steps(
    part: &Part,
    data_valid: u32,
    translation_valid: u32,
) -> Result<(u32, u32), BoundError> {
    Ok((steps(part, data_valid)?, steps(part, translation_valid)?))
}

/// σ_d ≤ ((π−2)α − λ_t) / ((α+1)π) (Eq. 17): the largest share of logical in data space.
///
/// 0 if the translation victim leaves no room.
pub fn share_max(part: &Part, translation_share: Ratio) -> Ratio {
    let (pages, copies) = (u64::from(part.pages_per_block), u64::from(alpha(part)));
    let translation = u64::from(translation_victim_valid(part, translation_share));
    let data = (pages.saturating_sub(2) * copies).saturating_sub(translation);
    Ratio::of(data, (copies + 1) * pages)
}

/// L(γ) = (π−2)α − (α+1)σ_d·π (Eq. 18), rounded down.
///
/// γ is the number of translation pages that one round of collection is certain to write back.
pub fn pages_written_back(part: &Part, data_share: Ratio) -> u64 {
    let (pages, copies) = (u64::from(part.pages_per_block), u64::from(alpha(part)));
    (pages.saturating_sub(2) * copies).saturating_sub(data_share.ceil_of((copies + 1) * pages))
}

/// L_cmt ≤ (π/γ)·N_t (Eq. 19), rounded down: the most entries that the cached mapping table may hold.
///
/// There are `translation_pages` valid translation pages.
/// `None` if γ is 0, when no write-back is certain.
pub fn cached_entries_max(part: &Part, data_share: Ratio, translation_pages: u32) -> Option<u64> {
    let pages = u64::from(part.pages_per_block) * u64::from(translation_pages);
    pages.checked_div(pages_written_back(part, data_share))
}

/// Valid translation pages of a map of `logical_pages` entries of [`ENTRY_BYTES`].
pub fn translation_pages(part: &Part, logical_pages: u32) -> u32 {
    logical_pages.div_ceil((part.page_bytes / ENTRY_BYTES).max(1))
}

/// Physical translation pages: Λ_t/σ_t, rounded up to whole pages; `u64::MAX` if σ_t is 0.
pub fn translation_space_pages(translation_pages: u32, translation_share: Ratio) -> u64 {
    translation_share
        .inverse()
        .map_or(u64::MAX, |inverse| inverse.ceil_of(translation_pages.into()))
}
