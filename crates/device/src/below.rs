//! What a block device asks of the array that it stands on.

use flash::faults::Tearable;
use flash::{Array, FlashError, Lpn};
use serde::Serialize;
use std::any::Any;
use std::fmt::Debug;

/// An array that a block device can stand on.
pub trait Below: Tearable + Any + Debug {
    /// Makes all operations so far outlive the machine's power.
    ///
    /// # Errors
    /// That of the medium.
    fn sync(&mut self) -> Result<(), FlashError>;

    /// Marks the end of use.
    ///
    /// # Errors
    /// That of the medium.
    fn shut_down(&mut self) -> Result<(), FlashError>;

    /// Why the array is off, if it is.
    fn failure(&self) -> Option<String>;

    /// Faults that were injected so far; `None` without injection.
    fn faults(&self) -> Option<FaultCounts> {
        None
    }

    /// True if a page that was trimmed reads as zeros from then on, because nothing is mounted from this array again. A mount may
    /// find what the page held before.
    fn keeps_trims(&self) -> bool {
        false
    }

    /// True if the content of a logical page was lost, and it was not written since: reads of it must fail.
    fn is_lost(&self, _lpn: Lpn) -> bool {
        false
    }

    /// A logical page was trimmed.
    ///
    /// # Errors
    /// That of the medium.
    fn trimmed(&mut self, _lpn: Lpn) -> Result<(), FlashError> {
        Ok(())
    }

    /// True if operations may fail and be repeated, which no bound covers.
    fn repeats_operations(&self) -> bool {
        false
    }
}

/// In memory: all is gone with the process.
impl Below for Array {
    fn sync(&mut self) -> Result<(), FlashError> {
        Ok(())
    }

    fn shut_down(&mut self) -> Result<(), FlashError> {
        Ok(())
    }

    fn failure(&self) -> Option<String> {
        None
    }

    fn keeps_trims(&self) -> bool {
        true
    }
}

/// Faults that came so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FaultCounts {
    /// Programs and copies that failed.
    pub failed_programs: u64,
    /// Erases that failed.
    pub failed_erases: u64,
    /// Reads and copies that found their page uncorrectable by its bit errors.
    pub uncorrectable_reads: u64,
    /// Programs, copies and erases that were run.
    pub operations: u64,
    /// True if the power was cut.
    pub power_cut: bool,
}
