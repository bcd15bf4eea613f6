//! Programs and erases that the part reports as failed.

use super::random::SplitMix64;
use super::tearable::{Tearable, tear_inner};
use crate::address::{BlockId, Lpn, Ppn};
use crate::error::FlashError;
use crate::interface::copy_one_by_one;
use crate::oob::Oob;
use crate::operation::Cause;

/// Schedule of failures for one kind of operation.
#[derive(Clone, Debug)]
struct Plan {
    /// Operations of this kind that have run, including failed ones.
    run: u64,
    failed: u64,
    /// Number of the operation that fails; `u64::MAX`: none.
    fail_at: u64,
    per_million: u32,
}

impl Plan {
    const NEVER: Self = Self { run: 0, failed: 0, fail_at: u64::MAX, per_million: 0 };

    fn fails(&self, random: &mut SplitMix64) -> bool {
        self.run == self.fail_at
            || self.per_million > 0 && random.below(1_000_000) < self.per_million.into()
    }

    /// Counts an operation unless it was refused.
    fn count<T>(&mut self, result: Result<T, FlashError>) -> Result<T, FlashError> {
        use FlashError::{EraseFailed, ProgramFailed};
        let failed = matches!(result, Err(ProgramFailed(_) | EraseFailed(_)));
        self.run += u64::from(failed || result.is_ok());
        self.failed += u64::from(failed);
        result
    }
}

/// Fails programs and erases: at a chosen one, at random, or when a block is worn out.
///
/// A failed program (also of a copy) uses up its page, which becomes unreadable. A failed erase leaves the
/// block half erased: it must be erased again or marked bad. Random failures come from SplitMix64, with one
/// draw per operation in the order of operations. An operation that breaks a rule is refused and cannot fail.
#[derive(Clone, Debug)]
pub struct ProgramEraseFailure<F> {
    inner: F,
    random: SplitMix64,
    programs: Plan,
    erases: Plan,
    endurance: u32,
}

impl<F> ProgramEraseFailure<F> {
    /// Wraps `inner`. Nothing fails until a failure is scheduled.
    pub fn new(inner: F, seed: u64) -> Self {
        Self {
            inner,
            random: SplitMix64::new(seed),
            programs: Plan::NEVER,
            erases: Plan::NEVER,
            endurance: u32::MAX,
        }
    }

    /// Schedules the failure of the program or copy after the next `programs`.
    pub fn fail_program_after(&mut self, programs: u64) {
        self.programs.fail_at = self.programs.run.saturating_add(programs);
    }

    /// Schedules the failure of the erase after the next `erases`.
    pub fn fail_erase_after(&mut self, erases: u64) {
        self.erases.fail_at = self.erases.run.saturating_add(erases);
    }

    /// Sets the failure rate of programs and copies, per million (a million or more: all).
    pub fn fail_programs(&mut self, per_million: u32) {
        self.programs.per_million = per_million;
    }

    /// Sets the failure rate of erases, per million (a million or more: all).
    pub fn fail_erases(&mut self, per_million: u32) {
        self.erases.per_million = per_million;
    }

    /// Makes every erase fail whose block was erased `cycles` times before.
    pub fn wear_out_at(&mut self, cycles: u32) {
        self.endurance = cycles;
    }

    /// Programs and copies that failed so far.
    pub fn failed_programs(&self) -> u64 {
        self.programs.failed
    }

    /// Erases that failed so far.
    pub fn failed_erases(&self) -> u64 {
        self.erases.failed
    }

    unwraps!(F);
}

impl<F: Tearable> crate::layer::Layer for ProgramEraseFailure<F> {
    layer_on!(self, self.inner, F);

    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        let result = if self.programs.fails(&mut self.random) {
            self.inner.geometry().check_payload(data)?;
            self.inner.waste(ppn).and(Err(FlashError::ProgramFailed(ppn)))
        } else {
            self.inner.program(ppn, oob, data, cause)
        };
        self.programs.count(result)
    }

    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        let result = if self.programs.fails(&mut self.random) {
            // If the copy's read fails, there is no program that could fail.
            self.inner.read_oob(from, cause)?;
            self.inner.waste(to).and(Err(FlashError::ProgramFailed(to)))
        } else {
            self.inner.copy(from, to, seq, cause)
        };
        self.programs.count(result)
    }

    fn copy_run(
        &mut self,
        from: &[Ppn],
        to: Ppn,
        seq: u64,
        cause: Cause,
        lpns: &mut [Lpn],
    ) -> Result<(), (usize, FlashError)> {
        copy_one_by_one(from, to, lpns, |from, to| {
            crate::layer::Layer::copy(self, from, to, seq, cause)
        })
    }

    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
        let drawn = self.erases.fails(&mut self.random);
        let result = if drawn || self.inner.erase_count(block) >= self.endurance {
            self.inner.half_erase(block).and(Err(FlashError::EraseFailed(block)))
        } else {
            self.inner.erase(block, cause)
        };
        self.erases.count(result)
    }
}

impl<F: Tearable> Tearable for ProgramEraseFailure<F> {
    tear_inner!();
}
