//! Random cleaning: victims are selected uniformly.

use super::error::{WafError, check, check_pages};

/// Random cleaning: A = 1/(1 − σ), since the mean victim is the mean block.
///
/// Any π, any distribution of writes over pages; N → ∞; fully valid blocks are cleaned like others.
///
/// Source: Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid
/// state drives", SIGMETRICS 2013.
///
/// # Errors
/// [`WafError::Share`].
pub fn random(share: f64) -> Result<f64, WafError> {
    check(share)?;
    Ok(1.0 / (1.0 - share))
}

/// Random cleaning under uniform writes that redraws fully valid blocks: A = π / (π − σ(π − 1)).
///
/// Derived here. Let m be the share of fully valid blocks, and h = π − E\[valid pages of a victim\].
/// Fully valid blocks are never cleaned, so each leaves that state by losing a page.
/// One does so per block cleaned, at πh/(σπ) each, hence m = σ/h.
/// Victims have the mean valid pages of the other blocks, (σπ − πm)/(1 − m).
/// So h(1 − m) = π(1 − σ) and h = π(1 − σ) + σ.
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
        // Blocks of two pages: at σ → 1, half of every victim is valid.
        assert!((random_passing_over(1.0 - 1e-9, 2).unwrap() - 2.0).abs() < 1e-6);
        assert!(random(1.0).is_err() && random_passing_over(0.5, 1).is_err());
    }
}
