//! Confidence intervals of a mean.

/// Mean of some samples, and half the width of its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// Half the width (Student's t); `None` for one sample.
    pub half: Option<f64>,
}

impl Interval {
    /// The interval of these samples; `None` without any.
    pub fn of(samples: &[f64]) -> Option<Self> {
        let n = samples.len() as f64;
        if samples.is_empty() {
            return None;
        }
        let mean = samples.iter().sum::<f64>() / n;
        let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
        let half = (samples.len() > 1)
            .then(|| quantile(samples.len() - 1) * (squares / (n - 1.0) / n).sqrt());
        Some(Self { mean, half })
    }
}

/// The 97.5 % quantile of Student's t distribution.
fn quantile(freedom: usize) -> f64 {
    const TABLE: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
        2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
        2.052, 2.048, 2.045, 2.042,
    ];
    if let Some(quantile) = TABLE.get(freedom.wrapping_sub(1)) {
        return *quantile;
    }
    // Cornish and Fisher's expansion; its error is below 0.0001 from 30 degrees of freedom on.
    let (z, v) = (1.959_964_f64, freedom as f64);
    z + (z.powi(3) + z) / (4.0 * v)
        + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * v * v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_students() {
        // Sample deviation 1.581139, n = 5: 2.776 · 1.581139 / √5.
        let interval = Interval::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert_eq!(interval.mean, 3.0);
        assert!((interval.half.unwrap() - 1.9629).abs() < 1e-3, "{interval:?}");
        assert_eq!(Interval::of(&[7.0]), Some(Interval { mean: 7.0, half: None }));
        assert_eq!(Interval::of(&[7.0, 7.0]).unwrap().half, Some(0.0));
        assert_eq!(Interval::of(&[]), None);
    }

    #[test]
    fn quantiles_are_those_of_tables() {
        for (freedom, printed) in
            [(1, 12.706), (9, 2.262), (30, 2.042), (31, 2.040), (60, 2.000), (120, 1.980)]
        {
            assert!((quantile(freedom) - printed).abs() < 6e-4, "{freedom}: {}", quantile(freedom));
        }
    }
}
