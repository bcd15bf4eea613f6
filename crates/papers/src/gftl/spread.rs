//! Statistics of one kind of request: count, minimum, mean, σ and maximum, exact except for the final division.

/// Statistics of times, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spread {
    pub(super) count: u64,
    sum: u128,
    squares: u128,
    least: u64,
    /// Maximum, ns; 0 if nothing was measured.
    pub(super) most: u64,
}

impl Spread {
    pub(super) fn add(&mut self, ns: u64) {
        self.least = if self.count == 0 { ns } else { self.least.min(ns) };
        self.most = self.most.max(ns);
        self.count += 1;
        self.sum += u128::from(ns);
        self.squares += u128::from(ns).pow(2);
    }

    /// Statistics of both sets of times.
    pub(super) fn and(&self, other: &Self) -> Self {
        let least = match (self.count, other.count) {
            (0, _) => other.least,
            (_, 0) => self.least,
            _ => self.least.min(other.least),
        };
        Self {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
            least,
            most: self.most.max(other.most),
        }
    }

    /// Sum of all times, ns.
    pub(super) fn sum_ns(&self) -> u128 {
        self.sum
    }

    pub(super) fn least_us(&self) -> f64 {
        self.least as f64 / 1e3
    }

    pub(super) fn most_us(&self) -> f64 {
        self.most as f64 / 1e3
    }

    /// Mean, µs; 0 if nothing was measured.
    pub(super) fn mean_us(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64 / 1e3
    }

    /// Population standard deviation, µs.
    pub(super) fn sigma_us(&self) -> f64 {
        // Integer arithmetic: n²σ² = n·Σx² − (Σx)² without loss by cancellation.
        let n = u128::from(self.count);
        let scaled = n * self.squares - self.sum * self.sum;
        (scaled as f64).sqrt() / self.count.max(1) as f64 / 1e3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: &[u64]) -> Spread {
        let mut spread = Spread::default();
        times.iter().for_each(|ns| spread.add(*ns));
        spread
    }

    #[test]
    fn known_values() {
        let spread = of(&[2_000, 4_000, 4_000, 4_000, 5_000, 5_000, 7_000, 9_000]);
        assert_eq!((spread.mean_us(), spread.sigma_us()), (5.0, 2.0));
        assert_eq!((spread.least_us(), spread.most_us()), (2.0, 9.0));
    }

    #[test]
    fn nothing_measured_is_zero_and_parts_add_up() {
        let nothing = Spread::default();
        assert_eq!((nothing.mean_us(), nothing.sigma_us(), nothing.least_us()), (0.0, 0.0, 0.0));
        assert_eq!(of(&[3, 1]).and(&of(&[7])), of(&[1, 3, 7]));
        assert_eq!(nothing.and(&of(&[7])), of(&[7]));
        assert_eq!(of(&[7]).and(&nothing), of(&[7]));
    }
}
