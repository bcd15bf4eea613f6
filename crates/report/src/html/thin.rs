//! Fewer points for a page: those that a reader could not tell apart are left out, extremes are kept.

/// Most points of one series on a page.
pub const MOST_POINTS: usize = 1500;

/// Numbers of the points that stay: of each stretch the first, its least, its greatest, and the last of all.
pub(crate) fn kept(y: &[Option<f64>], most: usize) -> Vec<usize> {
    if y.len() <= most {
        return (0..y.len()).collect();
    }
    let stretch = y.len().div_ceil(most / 3 - 1);
    let mut kept = Vec::with_capacity(most);
    for from in (0..y.len()).step_by(stretch) {
        let measured = (from..(from + stretch).min(y.len())).filter_map(|at| Some((at, y[at]?)));
        let by = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
        kept.push(from);
        kept.extend(measured.clone().min_by(by).map(|(at, _)| at));
        kept.extend(measured.max_by(by).map(|(at, _)| at));
    }
    kept.push(y.len() - 1);
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// A number with six significant digits, which no screen shows more of.
pub(crate) fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let text = format!("{value:.5e}");
    text.parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_and_ends_are_kept() {
        let mut y: Vec<Option<f64>> = (0..100_000).map(|n| Some(f64::from(n % 7))).collect();
        (y[51_234], y[77_777]) = (Some(-100.0), Some(900.0));
        // Gaps are no extremes.
        (y[51_235], y[77_778]) = (None, None);
        let kept = kept(&y, MOST_POINTS);
        assert!(kept.len() <= MOST_POINTS, "{}", kept.len());
        for at in [0, 51_234, 77_777, 99_999] {
            assert!(kept.contains(&at), "{at}");
        }
        assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(super::kept(&y[..9], MOST_POINTS).len(), 9);
    }

    #[test]
    fn six_digits_are_enough() {
        assert_eq!(rounded(1.234_567_89), 1.234_57);
        assert_eq!(rounded(2_220_949.0), 2_220_950.0);
        assert_eq!([rounded(0.0), rounded(-0.5)], [0.0, -0.5]);
    }
}
