//! Cleaning of blocks chosen uniformly.

use super::error::{WafError, check, check_pages};

/// Random cleaning: A = 1/(1 − σ), since the mean victim is the mean block.
///
/// Any π, any law by which pages are written; N → ∞; blocks whose pages are all valid are cleaned as others are. Source:
/// Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid state drives",
/// SIGMETRICS 2013.
///
/// # Errors
/// [`WafError::Share`].
pub fn random(share: f64) -> Result<f64, WafError> {
    check(share)?;
    Ok(1.0 / (1.0 - share))
}

/// Random cleaning under uniform writes that draws again where all pages of a block are valid: A = π / (π − σ(π − 1)).
///
/// Derived here. Let m be the share of blocks that are wholly valid, and h = π − E\[valid pages of a victim\]. None of
/// them is cleaned, so all lose a page: one a block cleaned, at πh/(σπ) each, hence m = σ/h. The victims are the mean of
/// the others, (σπ − πm)/(1 − m) valid pages, and so h(1 − m) = π(1 − σ), h = π(1 − σ) + σ.
///
/// # Errors
/// [`WafError`].
pub fn random_passing_over(share: f64, pages_per_block: u32) -> Result<f64, WafError> {
    check(share)?;
    check_pages(pages_per_block)?;
    let pages = f64::from(pages_per_block);
    Ok(pages / (pages - share * (pages - 1.0)))
}

#[cfg(test)]
mod tests {
    use super::{random, random_passing_over};

    #[test]
    fn large_blocks_are_seldom_wholly_valid() {
        assert_eq!(random(0.75), Ok(4.0));
        let waf = random_passing_over(0.75, 1 << 20).unwrap();
        assert!((waf - 4.0).abs() < 1e-4 && waf < 4.0, "{waf}");
        // Blocks of two pages: half of what is not wholly valid, at σ → 1.
        assert!((random_passing_over(1.0 - 1e-9, 2).unwrap() - 2.0).abs() < 1e-6);
        assert!(random(1.0).is_err() && random_passing_over(0.5, 1).is_err());
    }
}
