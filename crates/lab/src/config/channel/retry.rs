//! Read retry of a channel: its steps against the ECC, and the longest one in the part that schemes see.

use super::{Channel, CopyChoice};
use crate::config::error::ConfigError;
use crate::config::read_retry::ReadRetrySettings;
use ::run::report::units;
use flash::faults::FaultError;
use flash::{Ns, Part, Retries, RetryTimes};
use workload::quantity::Duration;

/// Longest read with all its steps: an hour.
const LONGEST_READ_NS: Ns = 3_600_000_000_000;

impl Channel {
    /// Same with a read retry and decoding times.
    ///
    /// # Errors
    /// Steps without bit errors, or that correct no more than the ECC; bounds up to an age at which no step reads every
    /// page; a read of more than an hour.
    pub fn with_retry(mut self, retry: &ReadRetrySettings) -> Result<Self, ConfigError> {
        let refused = |reason: String| Err(ConfigError::setting("read_retry", reason));
        self.retry = retry.clone();
        let steps = retry.steps();
        let Some(model) = self.bit_error_model() else {
            return match steps.is_off() {
                true => Ok(self),
                false => refused(
                    "has no effect without bit errors; set `bit_errors`, as in --bit-errors tlc-72-layer+ecc=72, or \
                     omit it"
                        .into(),
                ),
            };
        };
        if !steps.is_off() && self.part.depends_on_page() {
            return refused(format!(
                "part `{}` has read times by page, and a read retry needs one tR; choose another part, or omit it",
                self.part.name
            ));
        }
        let ecc = model.ecc_bits_per_kib();
        if let Err(FaultError::RetryLimit { found, .. }) = steps.validate(ecc) {
            return refused(format!(
                "a step that reads pages of up to {found} bit errors per 1 KiB gains nothing: the ECC corrects \
                 {ecc}{}; each step must read more than the one before it",
                if u32::from(retry.limits.first().copied().unwrap_or(0)) == found {
                    ""
                } else {
                    ", or the step before"
                }
            ));
        }
        self.most = steps.all();
        if let Some(until) = &retry.until {
            let Some(worst) = model.most_bits(until, self.part.pages_per_block) else {
                return refused(
                    "`until` needs bit errors of a fit or a power law, such as `tlc-72-layer`: only these state a \
                     wear, an age and reads"
                        .into(),
                );
            };
            let (most, reads) = steps.of(worst, ecc);
            if !reads {
                let all =
                    self.retry.soft.map(|soft| soft.bits).or(self.retry.limits.last().copied());
                return refused(format!(
                    "at {} cycles, {} and {} reads of a block a codeword of 1 KiB may have {worst} bit errors, and the \
                     last step reads {}: such pages are lost; state less in `until`, or add steps",
                    until.cycles,
                    Duration::new(u64::from(until.age_s) * 1_000_000_000),
                    until.reads,
                    all.map_or(ecc, u32::from),
                ));
            }
            self.most = most;
        }
        match self.part_for(CopyChoice::default()) {
            Ok(part) if part.t_r_ns > LONGEST_READ_NS => refused(format!(
                "a read with all steps takes {}, more than an hour; use fewer steps",
                Duration::new(part.t_r_ns)
            )),
            Ok(_) => Ok(self),
            Err(fault) => Err(ConfigError::setting(fault.setting, fault.reason)),
        }
    }

    /// The read retry.
    pub fn retry(&self) -> &ReadRetrySettings {
        &self.retry
    }

    /// The part with the longest read retry in its reads.
    pub(super) fn with_retries(&self, part: Part) -> Part {
        if self.retry.steps().is_off() {
            return part;
        }
        let soft = self.retry.soft;
        let times = RetryTimes {
            most: self.most,
            read_ns: part.t_r_ns,
            read_oob_ns: part.t_r_oob_ns,
            set_ns: self.retry.set_ns,
            soft_reads: soft.map_or(0, |soft| soft.reads),
            soft_ns: soft.map_or(0, |soft| soft.decode_ns),
        };
        let longest_ns = times.steps_ns(&self.most);
        Part {
            t_r_ns: part.t_r_ns + longest_ns,
            t_r_oob_ns: part.t_r_oob_ns + times.steps_oob_ns(&self.most),
            copies: part.copies.map(|copies| copies.read_later(longest_ns)),
            retry: Some(times),
            ..part
        }
    }

    /// What the reads in bounds include, and the age to which it suffices; `None` without a read retry.
    pub fn retry_in_bounds(&self) -> Option<String> {
        if self.retry.steps().is_off() {
            return None;
        }
        let Retries { steps, soft } = self.most;
        let soft = if soft > 0 { " and soft decoding" } else { "" };
        let plural = if steps == 1 { "" } else { "s" };
        let included = format!("each read includes {steps} retry step{plural}{soft}");
        Some(match &self.retry.until {
            None => format!("{included}: bounds hold at any age, as long as pages can be read"),
            Some(until) => format!(
                "{included}: bounds hold up to {} erases of a block, {} since the program of a page and {} reads of a \
                 block since its erase",
                units::grouped(until.cycles.into()),
                Duration::new(u64::from(until.age_s) * 1_000_000_000),
                units::grouped(until.reads.into()),
            ),
        })
    }

    /// A part without bus cycles, whose reads take the time of decoding, too.
    pub(super) fn decoding(&self, part: Part) -> Part {
        let decode_ns = self.retry.decode_ns;
        Part { t_r_ns: part.t_r_ns + decode_ns, t_r_oob_ns: part.t_r_oob_ns + decode_ns, ..part }
    }
}
