//! Division by a number that is known in advance.

/// A divisor, with its reciprocal: a division costs a multiplication.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divisor {
    by: u32,
    /// ⌊(2^64 − 1) / by⌋ + 1, which rounds right for every 32-bit number; 0 for a divisor of 1.
    reciprocal: u64,
}

impl Divisor {
    /// A divisor; 0 divides as 1 does.
    pub(crate) const fn new(by: u32) -> Self {
        let by = if by == 0 { 1 } else { by };
        Self { by, reciprocal: (u64::MAX / by as u64).wrapping_add(1) }
    }

    /// Quotient and remainder.
    #[inline]
    pub(crate) fn divide(self, number: u32) -> (u32, u32) {
        let product = u128::from(number) * u128::from(self.reciprocal);
        let quotient = if self.by == 1 { number } else { (product >> 64) as u32 };
        (quotient, number - quotient * self.by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::properties::config())]

        #[test]
        fn it_is_division(number: u32, any: u32, few in 1u32..300) {
            for by in [few, any.max(1), 1, u32::MAX] {
                for number in [number, number / by * by, u32::MAX, 0] {
                    prop_assert_eq!(Divisor::new(by).divide(number), (number / by, number % by));
                }
            }
        }
    }
}
