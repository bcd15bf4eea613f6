//! A permutation of 0 … n−1 without a table, which scatters hot ranks over the space.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// A permutation of 0 … n−1, determined by a seed.
///
/// Multiplications by odd numbers and shifts are one-to-one on the smallest power of two that holds n.
/// A value of n or more is permuted again until it falls below n, less than twice on average.
/// Source: cycle walking, J. Black and P. Rogaway, Ciphers with Arbitrary Finite Domains, CT-RSA 2002.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scramble {
    n: u64,
    mask: u64,
    shift: u32,
    factors: [u64; 3],
    addend: u64,
}

impl Scramble {
    /// A permutation of 0 … `n`−1; `n` is at least 1.
    pub(crate) fn new(n: u64, seed: u64) -> Self {
        let mut rng = Pcg64::seed_from_u64(seed);
        let bits = u64::BITS - (n.max(2) - 1).leading_zeros();
        Self {
            n,
            mask: u64::MAX >> (u64::BITS - bits),
            shift: bits.div_ceil(2),
            factors: [rng.next_u64() | 1, rng.next_u64() | 1, rng.next_u64() | 1],
            addend: rng.next_u64(),
        }
    }

    /// The image of `x`, which must be below n.
    #[inline]
    pub(crate) fn apply(&self, mut x: u64) -> u64 {
        loop {
            x = x.wrapping_add(self.addend) & self.mask;
            for factor in self.factors {
                x = x.wrapping_mul(factor) & self.mask;
                x ^= x >> self.shift;
            }
            if x < self.n {
                return x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_met_once() {
        for n in (1..70).chain([100, 127, 128, 129, 1000, 65_537]) {
            for seed in 0..3 {
                let scramble = Scramble::new(n, seed);
                let mut met = vec![false; n as usize];
                for x in 0..n {
                    assert!(
                        !std::mem::replace(&mut met[scramble.apply(x) as usize], true),
                        "n {n}, seed {seed}"
                    );
                }
            }
        }
    }

    #[test]
    fn neighbours_are_spread_like_throws_of_a_die() {
        // The first 64 × 256 of a million fall on 256 equal parts: chi-squared with 255 degrees of freedom.
        let n = 1_000_000;
        for seed in 0..20 {
            let scramble = Scramble::new(n, seed);
            let mut parts = [0f64; 256];
            for x in 0..64 * 256 {
                parts[(scramble.apply(x) * 256 / n) as usize] += 1.0;
            }
            let chi: f64 = parts.iter().map(|&count| (count - 64.0).powi(2) / 64.0).sum();
            assert!(chi < 400.0, "seed {seed}: {chi}");
        }
    }
}
