//! Steps of a read that ECC does not correct at once.

use super::error::FaultError;
use crate::retries::Retries;
use alloc::vec::Vec;

/// Steps of a read whose page has more bit errors than the ECC corrects.
///
/// Each step reads the page again with other voltages, at which fewer bits are wrong. A step is given by the bit
/// errors at the default voltages, in the worst codeword of 1 KiB, up to which it reads the page. The last step may
/// decode with soft information, from several reads. A page that no step reads is uncorrectable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadRetry {
    /// Bit errors per 1 KiB up to which each step reads a page, rising, each above the ECC's strength; 255 steps at
    /// most.
    pub limits: Vec<u16>,
    /// Bit errors per 1 KiB up to which soft decoding reads a page, above all `limits`; `None`: no such step.
    pub soft: Option<u16>,
}

impl ReadRetry {
    /// Largest limit of a step, bits per 1 KiB.
    pub const MOST_BITS: u16 = 512;

    /// True if a read is never repeated.
    pub fn is_off(&self) -> bool {
        self.limits.is_empty() && self.soft.is_none()
    }

    /// Checks the limits against the ECC's strength.
    ///
    /// # Errors
    /// [`FaultError::RetryLimit`] with the first limit that does not rise, or is too large.
    pub fn validate(&self, ecc_bits_per_kib: u32) -> Result<(), FaultError> {
        let mut least = ecc_bits_per_kib + 1;
        for limit in self.limits.iter().chain(&self.soft) {
            let found = u32::from(*limit);
            if found < least || found > Self::MOST_BITS.into() || self.limits.len() > 255 {
                return Err(FaultError::RetryLimit { found, least });
            }
            least = found + 1;
        }
        Ok(())
    }

    /// The steps that read a page with this many bit errors in its worst codeword, and true if the last one does.
    #[inline]
    pub fn of(&self, worst: u64, ecc_bits_per_kib: u32) -> (Retries, bool) {
        if worst <= u64::from(ecc_bits_per_kib) {
            return (Retries::default(), true);
        }
        match self.limits.iter().position(|limit| worst <= u64::from(*limit)) {
            Some(at) => (Retries { steps: at as u64 + 1, soft: 0 }, true),
            None => (self.all(), self.soft.is_some_and(|limit| worst <= u64::from(limit))),
        }
    }

    /// All steps: those of a page that stays unreadable.
    pub fn all(&self) -> Retries {
        Retries { steps: self.limits.len() as u64, soft: self.soft.is_some().into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn each_step_reads_up_to_its_limit() {
        let retry = ReadRetry { limits: vec![30, 40], soft: Some(60) };
        let of = |worst| {
            let (done, reads) = retry.of(worst, 20);
            (done.steps, done.soft, reads)
        };
        for (worst, expected) in [
            (0, (0, 0, true)),
            (20, (0, 0, true)),
            (21, (1, 0, true)),
            (30, (1, 0, true)),
            (31, (2, 0, true)),
            (41, (2, 1, true)),
            (60, (2, 1, true)),
            (61, (2, 1, false)),
        ] {
            assert_eq!(of(worst), expected, "{worst}");
        }
        assert_eq!(ReadRetry::default().of(21, 20), (Retries::default(), false));
        let hard = ReadRetry { limits: vec![30], soft: None };
        assert_eq!(hard.of(31, 20), (Retries { steps: 1, soft: 0 }, false));
    }

    #[test]
    fn limits_rise_from_the_strength_of_the_ecc() {
        let check = |limits: &[u16], soft| ReadRetry { limits: limits.into(), soft }.validate(20);
        assert_eq!(check(&[21, 22], Some(512)), Ok(()));
        let refused = |found, least| Err(FaultError::RetryLimit { found, least });
        assert_eq!(check(&[20], None), refused(20, 21));
        assert_eq!(check(&[30, 30], None), refused(30, 31));
        assert_eq!(check(&[30], Some(30)), refused(30, 31));
        assert_eq!(check(&[], Some(513)), refused(513, 21));
    }
}
