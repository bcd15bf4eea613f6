//! Quantiles of the Poisson distribution, identical on every machine.

/// Larger means exceed any valid ECC strength. Up to here e⁻ᵐ is a normal number.
const LARGEST_MEAN: f64 = 700.0;

/// A Poisson distribution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Poisson {
    mean: f64,
    /// P(X = 0).
    at_zero: f64,
}

impl Poisson {
    /// Distribution with this mean, 0 or more; means above 700 are taken as 700.
    pub(super) fn new(mean: f64) -> Self {
        let mean = mean.min(LARGEST_MEAN);
        Self { mean, at_zero: exp_minus(mean) }
    }

    /// The smallest k with P(X ≤ k) > u.
    pub(super) fn quantile(&self, u: f64) -> u64 {
        let mut probability = self.at_zero;
        let mut below_or_equal = probability;
        let mut k = 0;
        // Rounding may keep the sum just short of u for good. The limit of 2,000 is 49 standard deviations out.
        while below_or_equal <= u && k < 2_000 {
            k += 1;
            probability *= self.mean / k as f64;
            below_or_equal += probability;
        }
        k
    }
}

/// e⁻ˣ for 0 ≤ x ≤ 700, from additions, products and quotients alone: the same bits on every machine.
fn exp_minus(x: f64) -> f64 {
    let step = x / 1024.0;
    let (mut term, mut sum) = (1.0, 1.0);
    for i in 1..=16 {
        term *= step / f64::from(i);
        sum += term;
    }
    let mut power = 1.0 / sum;
    for _ in 0..10 {
        power *= power;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential() {
        for (x, expected) in [
            (0.0, 1.0),
            (1.0, 0.367_879_441_171_442_33),
            (20.0, 2.061_153_622_438_558e-9),
            (700.0, 9.859_676_543_759_77e-305),
        ] {
            let error = exp_minus(x) / expected - 1.0;
            assert!(error.abs() < 1e-12, "e^-{x} is off by {error:e}");
        }
    }

    #[test]
    fn quantiles() {
        // Poisson(4): P(≤ 3) = 0.4335, P(≤ 4) = 0.6288, P(≤ 11) = 0.99908, P(≤ 12) = 0.99973.
        for (u, k) in [(0.0, 0), (0.43, 3), (0.44, 4), (0.62, 4), (0.63, 5), (0.9995, 12)] {
            assert_eq!(Poisson::new(4.0).quantile(u), k, "at {u}");
        }
        assert_eq!(Poisson::new(0.0).quantile(0.999_999), 0);
        assert!(Poisson::new(1e9).quantile(1.0 - f64::EPSILON / 2.0) < 1_000);
        assert!(Poisson::new(f64::INFINITY).quantile(1e-12) > 512);
    }
}
