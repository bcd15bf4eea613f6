//! Random generator of the faults: SplitMix64, identical on every machine.

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
#[derive(Clone, Debug)]
pub(crate) struct SplitMix64(u64);

const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

impl SplitMix64 {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Generator for one item among many: the same words always give the same stream.
    pub(crate) fn keyed(seed: u64, words: [u64; 2]) -> Self {
        Self(words.iter().fold(seed, |state, word| mix(state ^ word.wrapping_mul(GOLDEN_GAMMA))))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN_GAMMA);
        mix(self.0)
    }

    /// Uniform in `0..bound` (`bound` not 0): multiply and reject (Lemire, TOMACS 29(1), 2019).
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        loop {
            let product = u128::from(self.next()) * u128::from(bound);
            if product as u64 >= bound.wrapping_neg() % bound {
                return (product >> 64) as u64;
            }
        }
    }

    /// Uniform in [0, 1), 53 bits.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values() {
        // First outputs of the reference implementation for seed 1234567.
        let mut random = SplitMix64::new(1_234_567);
        let first =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([random.next(), random.next(), random.next()], first);
    }

    #[test]
    fn below_is_uniform() {
        let mut random = SplitMix64::new(7);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[random.below(6) as usize] += 1;
        }
        // 456 is five standard deviations of a binomial of 60,000 draws at 1/6.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 456), "{counts:?}");
    }
}
