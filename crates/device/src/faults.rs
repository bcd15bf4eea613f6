//! Faults injected below a scheme, drawn from a seed.

use crate::below::{Below, FaultCounts};
use flash::faults::{BadBlocks, BitErrorModel, BitErrors, FaultError, PowerCut};
use flash::faults::{ProgramEraseFailure, Tearable};
use flash::{BlockId, FlashError, Layer, Lpn};

/// Which faults a device has. The default has none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FaultPlan {
    /// Bit errors of the pages, and the strength of the ECC.
    pub bit_errors: Option<BitErrorModel>,
    /// Programs and copies that fail, per million.
    pub program_failures: u32,
    /// Erases that fail, per million.
    pub erase_failures: u32,
    /// Erases of a block from which on every further one fails.
    pub endurance: Option<u32>,
    /// Blocks that are bad from the factory.
    pub bad_blocks: u32,
    /// When the power is cut.
    pub power_cut: Option<Cut>,
    /// Seed of all draws.
    pub seed: u64,
}

/// A power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Programs, copies and erases that run before it, from the start on.
    pub after: u64,
    /// True if it tears the operation at which it comes.
    pub torn: bool,
}

/// Faults that cannot be injected into an array.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultPlanError {
    /// A fault outside its range.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// Factory bad blocks of an array that was formatted without them.
    #[error("the image was made with {0} good, and blocks are bad from the factory on")]
    MadeWithout(BlockId),
}

/// An array with faults.
#[derive(Debug)]
pub struct Faulty<I> {
    inner: PowerCut<ProgramEraseFailure<BitErrors<I>>>,
    fails: bool,
}

impl FaultPlan {
    /// True if programs or erases fail. A bound on a task's time does not cover repeated operations.
    pub fn fails(&self) -> bool {
        self.program_failures > 0 || self.erase_failures > 0 || self.endurance.is_some()
    }

    /// True if the scheme loses blocks, for which it needs spare ones.
    pub fn takes_blocks(&self) -> bool {
        self.fails() || self.bad_blocks > 0
    }

    /// The array with these faults. A `fresh` array gets its factory bad blocks; any other must have them.
    ///
    /// # Errors
    /// A fault that does not fit the array.
    pub fn around<I: Below>(&self, mut array: I, fresh: bool) -> Result<Faulty<I>, FaultPlanError> {
        let bad = BadBlocks::<I>::drawn(array.geometry(), self.bad_blocks, self.seed)?;
        match fresh {
            true => array = BadBlocks::listed(array, &bad)?.into_inner(),
            false => {
                if let Some(good) = bad.into_iter().find(|block| !array.is_bad(*block)) {
                    return Err(FaultPlanError::MadeWithout(good));
                }
            }
        }
        let with_bits = match self.bit_errors {
            Some(model) => BitErrors::new(array, model, self.seed)?,
            None => BitErrors::none(array),
        };
        let mut failing = ProgramEraseFailure::new(with_bits, self.seed);
        failing.fail_programs(self.program_failures);
        failing.fail_erases(self.erase_failures);
        if let Some(cycles) = self.endurance {
            failing.wear_out_at(cycles);
        }
        let mut inner = PowerCut::new(failing);
        if let Some(Cut { after, torn }) = self.power_cut {
            inner.cut_after(after, torn);
        }
        Ok(Faulty { inner, fails: self.fails() })
    }
}

impl<I> Faulty<I> {
    fn array_mut(&mut self) -> Result<&mut I, FlashError>
    where
        I: Tearable,
    {
        if self.inner.is_off() {
            return Err(FlashError::PowerOff);
        }
        Ok(self.inner.inner_mut().inner_mut().inner_mut())
    }
}

impl<I: Tearable> Layer for Faulty<I> {
    flash::layer_on!(self, self.inner, PowerCut<ProgramEraseFailure<BitErrors<I>>>);
}

impl<I: Tearable> Tearable for Faulty<I> {
    fn waste(&mut self, ppn: flash::Ppn) -> Result<(), FlashError> {
        self.inner.waste(ppn)
    }

    fn half_erase(&mut self, block: BlockId) -> Result<(), FlashError> {
        self.inner.half_erase(block)
    }

    fn spoil(&mut self, ppn: flash::Ppn) -> Result<(), FlashError> {
        self.inner.spoil(ppn)
    }
}

impl<I: Below> Below for Faulty<I> {
    fn sync(&mut self) -> Result<(), FlashError> {
        self.array_mut()?.sync()
    }

    fn shut_down(&mut self) -> Result<(), FlashError> {
        self.array_mut()?.shut_down()
    }

    fn failure(&self) -> Option<String> {
        if self.inner.is_off() {
            let after = self.inner.changes();
            return Some(format!("the injected power cut came after {after} operations"));
        }
        self.inner.inner().inner().inner().failure()
    }

    fn keeps_trims(&self) -> bool {
        self.inner.inner().inner().inner().keeps_trims()
    }

    fn is_lost(&self, lpn: Lpn) -> bool {
        self.inner.inner().inner().inner().is_lost(lpn)
    }

    fn trimmed(&mut self, lpn: Lpn) -> Result<(), FlashError> {
        self.array_mut()?.trimmed(lpn)
    }

    fn faults(&self) -> Option<FaultCounts> {
        let failing = self.inner.inner();
        Some(FaultCounts {
            failed_programs: failing.failed_programs(),
            failed_erases: failing.failed_erases(),
            uncorrectable_reads: failing.inner().uncorrectable_reads(),
            operations: self.inner.changes(),
            power_cut: self.inner.is_off(),
        })
    }

    fn repeats_operations(&self) -> bool {
        self.fails
    }
}
