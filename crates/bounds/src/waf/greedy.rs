//! Greedy cleaning at finite π: fixed point of the large-system model.

use super::error::{WafError, check, check_pages};

/// Valid pages of greedy victims in the limit of many blocks: one of two successive counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Victims {
    /// J: the smaller count of valid pages.
    pub least_valid: u32,
    /// Share of victims with J valid pages; the others have J + 1.
    pub share_least: f64,
    /// Mean valid pages of a victim.
    pub mean_valid: f64,
}

/// Greedy cleaning: A = π / (π − E\[valid pages of a victim\]), from [`greedy_victims`].
///
/// Any π ≥ 2; N → ∞. Source: Bux and Iliadis, "Performance of greedy garbage collection in flash-based
/// solid-state drives", Performance Evaluation 67(11), 2010 (the large-system model).
///
/// # Errors
/// [`WafError`].
pub fn greedy(share: f64, pages_per_block: u32) -> Result<f64, WafError> {
    let victims = greedy_victims(share, pages_per_block)?;
    let pages = f64::from(pages_per_block);
    Ok(pages / (pages - victims.mean_valid))
}

/// Mean-field fixed point of greedy cleaning under uniform writes.
///
/// Per block cleaned, one block is written full, and h = π − E\[valid\] host writes invalidate one page each.
/// Such a write hits a block with j valid pages with probability j/Λ.
/// So all blocks pass each count j > J + 1, where they stay for Λ/(hj) cleanings.
/// A share f of them passes J + 1 and is cleaned at J; the others are cleaned at J + 1.
/// The blocks add up to N = Λ/(σπ) if
///
/// Σ_{j=J+2}^{π} 1/j + f/(J+1) = (π − J − 1 + f) / (σπ), 0 ≤ f < 1.
///
/// This has one solution with J + 1 < σπ.
/// Lowering J by one changes right side minus left side by 1/(σπ) − 1/(J+1) < 0.
/// If σ is too small for a solution, victims hold no valid page and A = 1.
///
/// # Errors
/// [`WafError`].
pub fn greedy_victims(share: f64, pages_per_block: u32) -> Result<Victims, WafError> {
    check(share)?;
    check_pages(pages_per_block)?;
    let per_page = 1.0 / (share * f64::from(pages_per_block));
    // Value of (π−J−1)/(σπ) − Σ 1/j at J; both terms are 0 at the start, J = π − 1.
    let mut excess = 0.0;
    for least in (0..pages_per_block).rev() {
        let passing = 1.0 / f64::from(least + 1);
        let next = excess + per_page - passing;
        if passing > per_page && next < 0.0 {
            let share_least = excess / (passing - per_page);
            let mean_valid = f64::from(least + 1) - share_least;
            return Ok(Victims { least_valid: least, share_least, mean_valid });
        }
        excess = next;
    }
    Ok(Victims { least_valid: 0, share_least: 1.0, mean_valid: 0.0 })
}

#[cfg(test)]
mod tests {
    use super::{greedy, greedy_victims};
    use crate::waf::{WafError, data_share, fifo, greedy_desnoyers};

    #[test]
    fn solves_its_equation() {
        for pages in [2u32, 3, 8, 16, 64, 128, 256, 1024] {
            for percent in 20..100 {
                let share = f64::from(percent) / 100.0;
                let v = greedy_victims(share, pages).unwrap();
                assert!((0.0..=1.0).contains(&v.share_least), "σ {share} π {pages}: {v:?}");
                if v.mean_valid == 0.0 {
                    continue;
                }
                let passed: f64 = (v.least_valid + 2..=pages).map(|j| 1.0 / f64::from(j)).sum();
                let left = passed + v.share_least / f64::from(v.least_valid + 1);
                let right = (f64::from(pages) - v.mean_valid) / (share * f64::from(pages));
                assert!((left - right).abs() < 1e-9, "σ {share} π {pages}: {left} {right}");
                assert!(v.mean_valid < share * f64::from(pages));
            }
        }
    }

    #[test]
    fn meets_fifo_for_large_blocks_and_is_less_for_small() {
        let (large, limit) = (greedy(0.875, 1 << 20).unwrap(), fifo(0.875).unwrap());
        assert!((large / limit - 1.0).abs() < 1e-4, "{large} {limit}");
        assert!((4.05..4.20).contains(&limit), "{limit}");
        let mut last = 1.0;
        for pages in [4, 16, 64, 256, 1024, 4096] {
            let waf = greedy(0.875, pages).unwrap();
            assert!(waf > last && waf < limit, "π {pages}: {waf}");
            last = waf;
        }
    }

    #[test]
    fn desnoyers_form_is_within_its_stated_range() {
        for pages in [64, 128, 256, 1024] {
            for percent in 30..=97 {
                let share = f64::from(percent) / 100.0;
                let ratio = greedy_desnoyers(share, pages).unwrap() / greedy(share, pages).unwrap();
                assert!((ratio - 1.0).abs() < 0.01, "σ {share} π {pages}: {ratio}");
            }
        }
    }

    #[test]
    fn the_share_leaves_the_swap_block_out() {
        assert_eq!(data_share(5, 64, 128), Ok(0.5));
        assert!(data_share(5, 64, 256).is_err() && data_share(1, 64, 1).is_err());
        assert!(data_share(5, 64, 0).is_err());
    }

    #[test]
    fn refuses_what_has_no_meaning() {
        for share in [0.0, 1.0, -0.5, 1.5, f64::NAN] {
            assert!(matches!(greedy(share, 64), Err(WafError::Share(_))));
            assert!(fifo(share).is_err() && greedy_desnoyers(share, 64).is_err());
        }
        assert_eq!(greedy(0.5, 1), Err(WafError::PagesPerBlock(1)));
        assert_eq!(greedy(0.05, 8).unwrap(), 1.0);
    }
}
