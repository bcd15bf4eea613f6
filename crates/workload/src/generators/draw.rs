//! Random draws: bounded whole numbers and chances, with one multiplication each.

use rand::Rng;
use rand_pcg::Pcg64;

/// A uniform whole number below `bound` (Lemire's multiplication; the bias is below `bound`/2⁶⁴).
#[inline]
pub(crate) fn below(rng: &mut Pcg64, bound: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(bound)) >> 64) as u64
}

/// A uniform number above 0 and at most 1.
#[inline]
pub(crate) fn unit(rng: &mut Pcg64) -> f64 {
    ((rng.next_u64() >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A probability as a threshold on 63 bits, so that 0 and 1 are exact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chance(u64);

impl Chance {
    const ONE: u64 = 1 << 63;

    /// The probability `share`, 0 to 1.
    pub(crate) fn new(share: f64) -> Self {
        Self((share * Self::ONE as f64) as u64)
    }

    /// True with this probability. Certain results take no draw.
    #[inline]
    pub(crate) fn happens(self, rng: &mut Pcg64) -> bool {
        match self.0 {
            0 => false,
            Self::ONE => true,
            threshold => rng.next_u64() >> 1 < threshold,
        }
    }
}
