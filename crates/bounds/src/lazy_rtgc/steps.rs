//! Division of a collection into steps of at most one erase time.

use crate::error::BoundError;
use crate::moves;
use flash::Part;

/// α: page copies that fit into one collection step (Eq. 7), ⌊t_er / (t_rd + t_wr)⌋.
///
/// 0 if a copy takes longer than an erase: a step of one erase time then cannot copy at all.
/// If the part has other ways of copying, α is the number of pages that fit one by one, whatever the path
/// ([`moves::move_ns`]).
/// A collector that knows the path may copy more ([`moves::copies_within`]).
///
/// Erratum: Eq. 7 prints ⌈·⌉. Rounded up, a step would last longer than t_er and violate Property 4.1.
/// Only ⌊·⌋ gives the paper's own α = 8 for its evaluation part (2000 / 249.9 = 8.003) and its Tables II and
/// III.
pub fn alpha(part: &Part) -> u32 {
    let copies = part.t_bers_ns.checked_div(moves::move_ns(part)).unwrap_or(u64::MAX);
    u32::try_from(copies).unwrap_or(u32::MAX)
}

/// N(V_G): steps of a victim of `victim_valid` pages (Eq. 8), ⌈λ/α⌉ of copies and one of erase.
///
/// # Errors
/// [`BoundError::CopyLongerThanErase`] if α is 0.
pub fn steps(part: &Part, victim_valid: u32) -> Result<u32, BoundError> {
    Ok(victim_valid.div_ceil(copies_per_step(part)?).saturating_add(1))
}

/// −w_G: free pages gained from a victim of `victim_valid` pages, π − λ (Property 4.3).
pub fn reclaimed_pages(part: &Part, victim_valid: u32) -> u32 {
    part.pages_per_block.saturating_sub(victim_valid)
}

/// k ≤ π − λ (Eq. 9): true if the host writes during a collection need no more pages than it reclaims.
///
/// # Errors
/// As [`steps`].
pub fn sustains_its_writes(part: &Part, victim_valid: u32) -> Result<bool, BoundError> {
    Ok(steps(part, victim_valid)? <= reclaimed_pages(part, victim_valid))
}

/// α, at least 1.
pub(super) fn copies_per_step(part: &Part) -> Result<u32, BoundError> {
    match alpha(part) {
        0 => Err(BoundError::copy_longer_than_erase(part)),
        alpha => Ok(alpha),
    }
}
