//! Write amplification of random page writes at steady state, for uniform writes or hot and cold pages.
//!
//! The functions are closed forms or fixed points of a mean-field model.
//! All take σ = Λ/Θ, the share of logical in physical pages, 0 < σ < 1.
//! Θ counts the pages of the blocks that hold data: on N blocks with one kept free for collection, σ =
//! Λ/((N−1)π).
//! They hold for many blocks (a thousand or more).
//! Victims are collected whole, and host writes and copies may share one frontier or have one each.
//! WAF is pages programmed per page written by the host, so its minimum is 1.
//!
//! | function | victim | pages per block |
//! | --- | --- | --- |
//! | [`fifo`] | the block written longest ago | any |
//! | [`greedy_desnoyers`] | fewest valid pages | Desnoyers' approximation for finite π |
//! | [`greedy`] | fewest valid pages | exact for N → ∞ at finite π |
//! | [`random`] | any | any |
//! | [`random_passing_over`] | any, except blocks without an invalid page | exact for N → ∞ at finite π |
//! | [`fifo_of`] | the block written longest ago, two classes of pages | any |
//! | [`mean_field()`] | greedy, d choices, a window; one or two classes of pages | exact for N → ∞ at finite π |

mod error;
mod greedy;
mod lambert;
mod mean_field;
mod random;
mod writes;

pub use error::WafError;
pub use greedy::{Victims, greedy, greedy_victims};
pub use lambert::lambert_w0;
pub use mean_field::{MeanField, Selection, mean_field};
pub use random::{random, random_passing_over};
pub use writes::{Writes, fifo_of};

use error::{check, check_pages};

/// FIFO (LRU) cleaning: A = a / (a + W(−a·e^(−a))), a = 1/σ, W the principal branch.
///
/// Any π; N → ∞. Source: Desnoyers, "Analytic Modeling of SSD Write Performance", SYSTOR 2012, Eq. 4.
///
/// # Errors
/// [`WafError::Share`].
pub fn fifo(share: f64) -> Result<f64, WafError> {
    check(share)?;
    Ok(cleaning(1.0 / share))
}

/// Greedy cleaning in Desnoyers' closed form: with k = 1 + 1/2π, A = A_FIFO(k/σ) / k.
///
/// Within 1 % of [`greedy`] for π ≥ 64 and σ ≤ 0.97; up to 12 % off for blocks with few pages.
/// For π → ∞ it is [`fifo`]. Source: Desnoyers, SYSTOR 2012, Eq. 12.
///
/// # Errors
/// [`WafError`].
pub fn greedy_desnoyers(share: f64, pages_per_block: u32) -> Result<f64, WafError> {
    check(share)?;
    check_pages(pages_per_block)?;
    let k = 1.0 + 0.5 / f64::from(pages_per_block);
    Ok(cleaning(k / share) / k)
}

/// a / (a + W(−a·e^(−a))) for a > 1.
fn cleaning(a: f64) -> f64 {
    a / (a + lambert_w0(-a * libm::exp(-a)))
}

/// σ for these functions: Λ/((N−1)π), without the block kept free for collection.
///
/// # Errors
/// [`WafError::Share`] if the result is not above 0 and below 1.
pub fn data_share(blocks: u32, pages_per_block: u32, logical_pages: u32) -> Result<f64, WafError> {
    let full = u64::from(blocks.saturating_sub(1)) * u64::from(pages_per_block);
    let share = f64::from(logical_pages) / full as f64;
    check(share)?;
    Ok(share)
}
