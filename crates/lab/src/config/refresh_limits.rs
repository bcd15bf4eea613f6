//! Limits of an experiment from which on blocks are due for a refresh or a read reclaim.

use super::error::ConfigError;
use super::experiment::Experiment;
use super::refresh::RefreshSettings;
use flash::faults::RefreshLimits;

impl Experiment {
    /// Limits from which on blocks are due for a refresh or a read reclaim.
    pub fn refresh_limits(&self) -> RefreshLimits {
        let RefreshSettings { age_s, bits_per_kib } = self.refresh.0;
        RefreshLimits { age_s, bits_per_kib, block_reads: self.read_reclaim.0.0 }
    }

    /// Checks that a refresh can occur.
    pub(super) fn check_refresh(&self) -> Result<(), ConfigError> {
        match self.refresh.0.bits_per_kib {
            Some(_) if self.bit_errors.0.are_off() => Err(ConfigError::setting(
                "refresh",
                "`errors` has no effect without bit errors; set `bit_errors`, as in --bit-errors tlc-72-layer+ecc=72, or \
                 omit it",
            )),
            _ => Ok(()),
        }
    }
}
