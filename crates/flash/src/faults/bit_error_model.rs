//! Bit errors per page, and the strength of the ECC.

use super::error::FaultError;
use super::poisson::Poisson;
use super::random::SplitMix64;
use crate::address::{Geometry, Ppn};

/// User bytes per codeword.
const CODEWORD_BYTES: u32 = 1024;

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

/// Model of the bit errors per page, and the strength of the ECC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitErrorModel {
    /// Drawn errors, which grow with wear and reads.
    ///
    /// A codeword's errors are a Poisson quantile. The mean is its bits × the rate. The point on the curve is
    /// drawn (SplitMix64) from the seed, the page, the codeword and the erase count of the block. So errors
    /// only grow while a page ages, and do not depend on the history of other pages.
    Drawn(BitErrorRate),
    /// Fixed errors: always the same number in every page.
    Fixed {
        /// Bit errors per page, 0 to the bits of its data. They are spread evenly over the codewords; any
        /// remainder adds one to each of the first codewords.
        bits_per_page: u32,
        /// As [`BitErrorRate::ecc_bits_per_kib`].
        ecc_bits_per_kib: u32,
    },
}

impl From<BitErrorRate> for BitErrorModel {
    fn from(rate: BitErrorRate) -> Self {
        Self::Drawn(rate)
    }
}

/// Inputs of a page's bit errors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Age {
    pub(super) ppn: Ppn,
    /// Erases of its block.
    pub(super) erases: u32,
    /// Reads since its program.
    pub(super) reads: u32,
}

impl BitErrorModel {
    /// Bits that ECC corrects in each codeword of 1 KiB.
    pub fn ecc_bits_per_kib(&self) -> u32 {
        match self {
            Self::Drawn(rate) => rate.ecc_bits_per_kib,
            Self::Fixed { ecc_bits_per_kib, .. } => *ecc_bits_per_kib,
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
            Self::Fixed { bits_per_page, .. } => spread(*bits_per_page, page_bytes, each),
        }
    }
}

impl BitErrorRate {
    fn draw(&self, seed: u64, page_bytes: u32, age: Age, mut each: impl FnMut(usize, u64)) {
        let Age { ppn, erases, reads } = age;
        let rate = self
            .base
            .saturating_add(self.per_erase.saturating_mul(erases.into()))
            .saturating_add(self.per_read.saturating_mul(reads.into()));
        let errors_of = |bytes| Poisson::new(f64::from(bytes * 8) * rate as f64 * 1e-12);
        let mut random = SplitMix64::keyed(seed, [ppn.0.into(), erases.into()]);
        let whole = page_bytes / CODEWORD_BYTES;
        if whole > 0 {
            let errors = errors_of(CODEWORD_BYTES);
            (0..whole as usize).for_each(|at| each(at, errors.quantile(random.unit())));
        }
        if !page_bytes.is_multiple_of(CODEWORD_BYTES) {
            let errors = errors_of(page_bytes % CODEWORD_BYTES);
            each(whole as usize, errors.quantile(random.unit()));
        }
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
        let age = Age { ppn: Ppn(3), erases: 0, reads: 0 };
        // 8 bits, each wrong on average.
        rate.draw(1, 1025, age, |_, errors| means.push(errors));
        assert!(means.len() == 2 && means[0] > 500 && means[1] < 40, "{means:?}");
    }
}
