//! Bit errors per page, and the strength of the ECC.

use super::error::FaultError;
use super::poisson::Poisson;
use super::power_law::PowerLaw;
use super::random::SplitMix64;
use crate::address::{Geometry, Ppn};

/// User bytes per codeword.
const CODEWORD_BYTES: u32 = 1024;

/// Largest point on the curve of an [`AgedErrorRate`]: 1 − 2⁻⁴⁰.
const MOST_DRAWN: f64 = 1.0 - 1.0 / (1u64 << 40) as f64;

/// A raw bit error rate that grows with wear and reads.
///
/// The rate of a page is
/// `base + per_erase · (erases of its block) + per_read · (reads of the page since its program)`, in errors per
/// 10¹² bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitErrorRate {
    /// Rate of a page just programmed in a block never erased.
    pub base: u64,
    /// Increase per erase of the block (wear).
    pub per_erase: u64,
    /// Increase per read of the page (read disturb).
    pub per_read: u64,
    /// Bits that ECC corrects in each codeword of 1 KiB, 1 to 512. The last codeword of a page may be shorter;
    /// ECC corrects as many bits in it.
    pub ecc_bits_per_kib: u32,
}

/// A raw bit error rate that grows with wear, retention time and reads, by a [`PowerLaw`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgedErrorRate {
    /// The rate.
    pub law: PowerLaw,
    /// Program/erase cycles of every block before its first erase here.
    pub cycles: u32,
    /// Retention time, s, that passes before the clock of [`Probe::set_now_ns`](crate::Probe::set_now_ns) first shows
    /// a time: the age of all data written until then.
    pub age_s: u32,
    /// As [`BitErrorRate::ecc_bits_per_kib`].
    pub ecc_bits_per_kib: u32,
}

/// Model of the bit errors per page, and the strength of the ECC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitErrorModel {
    /// Drawn errors, which grow with wear and reads.
    ///
    /// A codeword's errors are a Poisson quantile. The mean is its bits × the rate. The point on the curve is
    /// drawn (SplitMix64) from the seed, the page, the codeword and the erase count of the block. So errors
    /// only grow while a page ages, and do not depend on the history of other pages.
    Drawn(BitErrorRate),
    /// Drawn errors, which grow with wear, retention time and reads of the block. As [`BitErrorModel::Drawn`], with
    /// the rate of a power law. The point on the curve is 1 − 2⁻⁴⁰ at most, so that the errors have a limit
    /// ([`BitErrorModel::most_bits`]); one codeword in 10¹² would have more.
    Aged(AgedErrorRate),
    /// Fixed errors: always the same number in every page.
    Fixed {
        /// Bit errors per page, 0 to the bits of its data. They are spread evenly over the codewords; any
        /// remainder adds one to each of the first codewords.
        bits_per_page: u32,
        /// As [`BitErrorRate::ecc_bits_per_kib`].
        ecc_bits_per_kib: u32,
    },
}

impl From<AgedErrorRate> for BitErrorModel {
    fn from(rate: AgedErrorRate) -> Self {
        Self::Aged(rate)
    }
}

impl From<BitErrorRate> for BitErrorModel {
    fn from(rate: BitErrorRate) -> Self {
        Self::Drawn(rate)
    }
}

/// Wear, age and reads of a page up to which something is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgeLimit {
    /// Program/erase cycles of its block.
    pub cycles: u32,
    /// Seconds since its program.
    pub age_s: u32,
    /// Reads of its block since the block's erase.
    pub reads: u32,
}

/// Inputs of a page's bit errors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Age {
    pub(super) ppn: Ppn,
    /// Erases of its block.
    pub(super) erases: u32,
    /// Reads since its program.
    pub(super) reads: u32,
    /// The rate of an [`AgedErrorRate`]; 0 for other models.
    pub(super) rate: f64,
}

impl BitErrorModel {
    /// Bits that ECC corrects in each codeword of 1 KiB.
    pub fn ecc_bits_per_kib(&self) -> u32 {
        match self {
            Self::Drawn(rate) => rate.ecc_bits_per_kib,
            Self::Aged(rate) => rate.ecc_bits_per_kib,
            Self::Fixed { ecc_bits_per_kib, .. } => *ecc_bits_per_kib,
        }
    }

    /// Most bit errors of a codeword of 1 KiB that the model draws up to `limit`, in blocks of `pages_per_block` pages.
    /// `None` if the model is no power law, and its errors grow without regard to such a limit.
    pub fn most_bits(&self, limit: &AgeLimit, pages_per_block: u32) -> Option<u64> {
        let Self::Aged(model) = self else { return None };
        let AgeLimit { cycles, age_s, reads } = *limit;
        let rate = model.law.rate(cycles, age_s, [reads, pages_per_block]);
        let most = Poisson::new(f64::from(CODEWORD_BYTES * 8) * rate).quantile(MOST_DRAWN);
        // Sums of a smaller mean may be rounded otherwise.
        Some(most + 1)
    }

    /// The model, if errors grow with wear, retention time and reads of the block.
    pub(super) fn aged(&self) -> Option<&AgedErrorRate> {
        match self {
            Self::Aged(rate) => Some(rate),
            _ => None,
        }
    }

    /// Checks the ranges for pages of an array.
    ///
    /// # Errors
    /// The first figure outside its range.
    pub(super) fn validate(&self, geometry: &Geometry) -> Result<(), FaultError> {
        let ecc = self.ecc_bits_per_kib();
        if !(1..=512).contains(&ecc) {
            return Err(FaultError::EccStrength(ecc));
        }
        let most = u64::from(geometry.page_bytes()) * 8;
        match self {
            Self::Fixed { bits_per_page, .. } if u64::from(*bits_per_page) > most => {
                Err(FaultError::BitsPerPage { found: *bits_per_page, most })
            }
            Self::Aged(rate) if !rate.law.is_valid() => Err(FaultError::PowerLaw),
            _ => Ok(()),
        }
    }

    /// True if reads bring errors, so that they must be counted.
    pub(super) fn grows_with_reads(&self) -> bool {
        matches!(self, Self::Drawn(rate) if rate.per_read > 0)
    }

    /// Calls `each` with the bit errors of each codeword of a page, in order.
    #[inline]
    pub(super) fn each_codeword(
        &self,
        seed: u64,
        page_bytes: u32,
        age: Age,
        each: impl FnMut(usize, u64),
    ) {
        match self {
            Self::Drawn(rate) => rate.draw(seed, page_bytes, age, each),
            Self::Aged(_) => {
                draw(
                    seed,
                    page_bytes,
                    age,
                    |bytes| f64::from(bytes * 8) * age.rate,
                    MOST_DRAWN,
                    each,
                );
            }
            Self::Fixed { bits_per_page, .. } => spread(*bits_per_page, page_bytes, each),
        }
    }
}

impl BitErrorRate {
    fn draw(&self, seed: u64, page_bytes: u32, age: Age, each: impl FnMut(usize, u64)) {
        let rate = self
            .base
            .saturating_add(self.per_erase.saturating_mul(age.erases.into()))
            .saturating_add(self.per_read.saturating_mul(age.reads.into()));
        let mean = |bytes| f64::from(bytes * 8) * rate as f64 * 1e-12;
        draw(seed, page_bytes, age, mean, 1.0, each);
    }
}

/// Draws the bit errors of each codeword of a page. `mean` gives them for a number of bytes; points on the curve beyond
/// `most` count as `most`.
fn draw(
    seed: u64,
    page_bytes: u32,
    age: Age,
    mean: impl Fn(u32) -> f64,
    most: f64,
    mut each: impl FnMut(usize, u64),
) {
    let mut random = SplitMix64::keyed(seed, [age.ppn.0.into(), age.erases.into()]);
    let whole = page_bytes / CODEWORD_BYTES;
    if whole > 0 {
        let errors = Poisson::new(mean(CODEWORD_BYTES));
        (0..whole as usize).for_each(|at| each(at, errors.quantile(random.unit().min(most))));
    }
    if !page_bytes.is_multiple_of(CODEWORD_BYTES) {
        let errors = Poisson::new(mean(page_bytes % CODEWORD_BYTES));
        each(whole as usize, errors.quantile(random.unit().min(most)));
    }
}

fn spread(bits: u32, page_bytes: u32, mut each: impl FnMut(usize, u64)) {
    let codewords = codewords(page_bytes);
    let (share, rest) = (bits / codewords, bits % codewords);
    (0..codewords).for_each(|at| each(at as usize, u64::from(share + u32::from(at < rest))));
}

/// Codewords per page.
pub(super) fn codewords(page_bytes: u32) -> u32 {
    page_bytes.div_ceil(CODEWORD_BYTES)
}

/// Data bits of one codeword of a page.
pub(super) fn codeword_bits(page_bytes: u32, at: usize) -> u64 {
    let before = at as u32 * CODEWORD_BYTES;
    u64::from((page_bytes - before).min(CODEWORD_BYTES)) * 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{vec, vec::Vec};

    #[test]
    fn spread_evenly() {
        let of = |bits, page_bytes| {
            let mut found = Vec::new();
            spread(bits, page_bytes, |at, errors| {
                assert_eq!(at, found.len());
                found.push(errors);
            });
            found
        };
        assert_eq!(of(10, 8192), [2, 2, 1, 1, 1, 1, 1, 1]);
        assert_eq!(of(192, 8192), [24; 8]);
        assert_eq!(of(0, 2048), [0, 0]);
        assert_eq!(of(3, 1500), [2, 1]);
        assert_eq!(of(7, 16), [7]);
    }

    #[test]
    fn the_last_codeword_may_be_short() {
        let bits = |page_bytes| {
            let all = 0..codewords(page_bytes) as usize;
            all.map(|at| codeword_bits(page_bytes, at)).collect::<Vec<_>>()
        };
        assert_eq!(bits(2048), [8192, 8192]);
        assert_eq!(bits(1500), [8192, 476 * 8]);
        assert_eq!(bits(16), vec![128]);
        let rate = BitErrorRate {
            base: 1_000_000_000_000,
            per_erase: 0,
            per_read: 0,
            ecc_bits_per_kib: 1,
        };
        let mut means = Vec::new();
        let age = Age { ppn: Ppn(3), erases: 0, reads: 0, rate: 0.0 };
        // 8 bits, each wrong on average.
        rate.draw(1, 1025, age, |_, errors| means.push(errors));
        assert!(means.len() == 2 && means[0] > 500 && means[1] < 40, "{means:?}");
    }
}
