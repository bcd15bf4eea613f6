//! Exact fractions, so that ⌈σπ⌉ does not depend on floating-point rounding.

use core::fmt;

/// Non-negative fraction, such as logical over physical space.
///
/// It is not reduced: 504/576 and 7/8 differ under `==` but not under [`Ratio::as_f64`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    numerator: u64,
    denominator: u64,
}

impl Ratio {
    /// `numerator / denominator`; `None` if the denominator is zero.
    pub const fn new(numerator: u64, denominator: u64) -> Option<Self> {
        if denominator == 0 { None } else { Some(Self { numerator, denominator }) }
    }

    /// A fraction whose denominator the caller knows is not zero; zero is replaced by one.
    pub(crate) const fn of(numerator: u64, denominator: u64) -> Self {
        Self { numerator, denominator: if denominator == 0 { 1 } else { denominator } }
    }

    /// The numerator.
    pub const fn numerator(self) -> u64 {
        self.numerator
    }

    /// The denominator, never zero.
    pub const fn denominator(self) -> u64 {
        self.denominator
    }

    /// 1 / ratio; `None` for zero.
    pub const fn inverse(self) -> Option<Self> {
        Self::new(self.denominator, self.numerator)
    }

    /// The ratio over a non-zero `divisor`; a denominator beyond 64 bits saturates.
    pub(crate) const fn divided_by(self, divisor: u64) -> Self {
        Self::of(self.numerator, self.denominator.saturating_mul(divisor))
    }

    /// The ratio as the nearest `f64`.
    pub fn as_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// ⌈ratio × n⌉, exact; saturates at `u64::MAX`.
    pub const fn ceil_of(self, n: u64) -> u64 {
        let product = self.numerator as u128 * n as u128;
        saturate(product.div_ceil(self.denominator as u128))
    }

    /// ⌊ratio × n⌋, exact; saturates at `u64::MAX`.
    pub const fn floor_of(self, n: u64) -> u64 {
        saturate(self.numerator as u128 * n as u128 / self.denominator as u128)
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

const fn saturate(value: u128) -> u64 {
    if value > u64::MAX as u128 { u64::MAX } else { value as u64 }
}

#[cfg(test)]
mod tests {
    use super::Ratio;

    #[test]
    fn rounds_exactly() {
        let sigma = Ratio::of(63 * 8, 9 * 64);
        assert_eq!((sigma.ceil_of(64), sigma.floor_of(64)), (56, 56));
        assert_eq!((Ratio::of(1, 3).ceil_of(64), Ratio::of(1, 3).floor_of(64)), (22, 21));
        assert_eq!(Ratio::of(u64::MAX, 1).ceil_of(2), u64::MAX);
        assert_eq!(Ratio::new(1, 0), None);
    }
}
