//! Bit errors that grow with wear and reads, and the ECC that corrects them.

use super::forward::forward;
use super::random::SplitMix64;
use super::{FaultError, Tearable};
use crate::{Cause, Flash, FlashError, Oob, Ppn};
use alloc::{vec, vec::Vec};

/// How many bits of a page are wrong, and how many of them ECC corrects.
///
/// The raw bit error rate of a page is `base + per_erase · (erases of its block) + per_read · (reads of
/// the page since its program)`, in errors among 10¹² bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitErrorRate {
    /// Of a page just programmed in a block never erased.
    pub base: u64,
    /// Added by each erase of the block (wear).
    pub per_erase: u64,
    /// Added by each read of the page (read disturb).
    pub per_read: u64,
    /// Bits that ECC corrects in each codeword of 1 KiB, 1 to 512. A page's last codeword may be
    /// shorter and corrects as many.
    pub ecc_bits_per_kib: u32,
}

/// Codewords carry 1 KiB of user data.
const CODEWORD_BYTES: u32 = 1024;

/// Draws a page's bit errors at each read and corrects them, or fails the read.
///
/// A codeword's errors are a Poisson quantile: the mean is its bits × the rate, and the point on the
/// curve is drawn (SplitMix64) from the seed, the page, the codeword and the erase count of the block.
/// So they only grow while a page ages, and do not depend on what other pages went through. A page that
/// once exceeds the ECC in any codeword stays uncorrectable until its block is erased; a page within it
/// reads as it was written. A copy goes through the same ECC as a read; the OOB shares its page's fate.
#[derive(Clone, Debug)]
pub struct BitErrors<F> {
    inner: F,
    rate: BitErrorRate,
    seed: u64,
    /// Reads of each page since its program.
    reads: Vec<u32>,
    corrected_bits: u64,
    uncorrectable_reads: u64,
}

impl<F: Tearable> BitErrors<F> {
    /// Pages already in `inner` count as never read.
    ///
    /// # Errors
    /// An ECC strength outside its range.
    pub fn new(inner: F, rate: BitErrorRate, seed: u64) -> Result<Self, FaultError> {
        if !(1..=512).contains(&rate.ecc_bits_per_kib) {
            return Err(FaultError::EccStrength(rate.ecc_bits_per_kib));
        }
        let reads = vec![0; inner.geometry().pages() as usize];
        Ok(Self { inner, rate, seed, reads, corrected_bits: 0, uncorrectable_reads: 0 })
    }

    /// Bits corrected in all reads so far.
    pub fn corrected_bits(&self) -> u64 {
        self.corrected_bits
    }

    /// Reads and copies that found their page uncorrectable so far.
    pub fn uncorrectable_reads(&self) -> u64 {
        self.uncorrectable_reads
    }

    /// The wrapped array.
    pub fn inner(&self) -> &F {
        &self.inner
    }

    /// The wrapped array, to be changed.
    pub fn inner_mut(&mut self) -> &mut F {
        &mut self.inner
    }

    /// The wrapped array itself.
    pub fn into_inner(self) -> F {
        self.inner
    }

    /// Bit errors of a page as it is now: in all, and in its worst codeword.
    fn errors(&self, ppn: Ppn) -> (u64, u64) {
        let geometry = self.inner.geometry();
        let erases = u64::from(self.inner.erase_count(geometry.block_of(ppn)));
        let reads = u64::from(self.reads[ppn.0 as usize]);
        let rate = self
            .rate
            .base
            .saturating_add(self.rate.per_erase.saturating_mul(erases))
            .saturating_add(self.rate.per_read.saturating_mul(reads));
        let mut random = SplitMix64::keyed(self.seed, [ppn.0.into(), erases]);
        let (mut all, mut worst) = (0, 0);
        let mut left = geometry.page_bytes();
        while left > 0 {
            let bytes = left.min(CODEWORD_BYTES);
            let mean = f64::from(bytes * 8) * rate as f64 * 1e-12;
            let errors = poisson_quantile(random.unit(), mean);
            all += errors;
            worst = errors.max(worst);
            left -= bytes;
        }
        (all, worst)
    }

    /// Reads a page through ECC: where that fails, `read` finds the page spoilt.
    fn through_ecc(
        &mut self,
        ppn: Ppn,
        read: impl FnOnce(&mut F) -> Result<Oob, FlashError>,
    ) -> Result<Oob, FlashError> {
        let mut corrected = 0;
        if let Some(reads) = self.reads.get_mut(ppn.0 as usize) {
            *reads = reads.saturating_add(1);
            let (all, worst) = self.errors(ppn);
            if worst > u64::from(self.rate.ecc_bits_per_kib) {
                match self.inner.spoil(ppn) {
                    // An erased page holds no bits: `read` refuses it in its own words.
                    Ok(()) | Err(FlashError::Erased(_)) => {}
                    Err(error) => return Err(error),
                }
            } else {
                corrected = all;
            }
        }
        let result = read(&mut self.inner);
        match result {
            Ok(_) => self.corrected_bits += corrected,
            Err(FlashError::Uncorrectable(_)) => self.uncorrectable_reads += 1,
            Err(_) => {}
        }
        result
    }

    fn programmed(&mut self, ppn: Ppn) {
        self.reads[ppn.0 as usize] = 0;
    }
}

impl<F: Tearable> Flash for BitErrors<F> {
    forward!(geometry part keeps_user_bytes erase is_bad mark_bad erase_count peek_lpn);

    fn read(&mut self, ppn: Ppn, data: &mut [u8], cause: Cause) -> Result<Oob, FlashError> {
        self.inner.geometry().check_payload(data.len())?;
        self.through_ecc(ppn, |inner| inner.read(ppn, data, cause))
    }

    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        self.through_ecc(ppn, |inner| inner.read_oob(ppn, cause))
    }

    fn program(&mut self, ppn: Ppn, oob: Oob, data: &[u8], cause: Cause) -> Result<(), FlashError> {
        self.inner.program(ppn, oob, data, cause)?;
        self.programmed(ppn);
        Ok(())
    }

    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        let oob = self.through_ecc(from, |inner| inner.copy(from, to, seq, cause))?;
        self.programmed(to);
        Ok(oob)
    }
}

impl<F: Tearable> Tearable for BitErrors<F> {
    forward!(waste half_erase spoil);
}

/// Means above this are beyond any ECC of the range allowed, and e⁻ᵐ is still a normal number.
const LARGEST_MEAN: f64 = 700.0;

/// The smallest k with P(Poisson(mean) ≤ k) > u.
fn poisson_quantile(u: f64, mean: f64) -> u64 {
    let mean = mean.min(LARGEST_MEAN);
    let mut probability = exp_minus(mean);
    let mut below_or_equal = probability;
    let mut k = 0;
    // Rounding may leave the sum just short of u for good: 2,000 is 49 standard deviations out.
    while below_or_equal <= u && k < 2_000 {
        k += 1;
        probability *= mean / k as f64;
        below_or_equal += probability;
    }
    k
}

/// e⁻ˣ for 0 ≤ x ≤ 700, from additions and products alone: the same bits on every machine.
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
            assert_eq!(poisson_quantile(u, 4.0), k, "at {u}");
        }
        assert_eq!(poisson_quantile(0.999_999, 0.0), 0);
        assert!(poisson_quantile(1.0 - f64::EPSILON / 2.0, 1e9) < 1_000);
        assert!(poisson_quantile(1e-12, f64::INFINITY) > 512);
    }
}
