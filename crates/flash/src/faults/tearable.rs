//! Damage that faults do to the array below other wrappers.

use crate::address::{BlockId, Ppn};
use crate::array::Array;
use crate::error::FlashError;
use crate::interface::{Flash, Probe};
use crate::serial::Serial;

/// A [`Flash`] that can be left in the state after an interrupted or failed operation.
///
/// These methods do damage and are not operations of NAND, so [`Serial`] charges no time for them. It belongs
/// above the wrappers whose failures are to be charged.
pub trait Tearable: Flash + Probe {
    /// Uses up a page without content, as a cut or failed program does. The page may not be programmed and
    /// reads as uncorrectable until its block is erased.
    ///
    /// # Errors
    /// The rules of [`Flash::program`].
    fn waste(&mut self, ppn: Ppn) -> Result<(), FlashError>;

    /// Leaves a block as a cut or failed erase does: none of its pages can be read or programmed until it is
    /// erased.
    ///
    /// # Errors
    /// The rules of [`Flash::erase`].
    fn half_erase(&mut self, block: BlockId) -> Result<(), FlashError>;

    /// Makes a programmed page uncorrectable until its block is erased.
    ///
    /// # Errors
    /// Address; the page is erased and holds nothing to spoil.
    fn spoil(&mut self, ppn: Ppn) -> Result<(), FlashError>;
}

/// Forwards the methods of [`Tearable`] to `self.inner`.
macro_rules! tear_inner {
    () => {
        fn waste(&mut self, ppn: $crate::Ppn) -> Result<(), $crate::FlashError> {
            self.inner.waste(ppn)
        }

        fn half_erase(&mut self, block: $crate::BlockId) -> Result<(), $crate::FlashError> {
            self.inner.half_erase(block)
        }

        fn spoil(&mut self, ppn: $crate::Ppn) -> Result<(), $crate::FlashError> {
            self.inner.spoil(ppn)
        }
    };
}
pub(super) use tear_inner;

impl Tearable for Array {
    fn waste(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        Array::waste(self, ppn)
    }

    fn half_erase(&mut self, block: BlockId) -> Result<(), FlashError> {
        Array::half_erase(self, block)
    }

    fn spoil(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        Array::spoil(self, ppn)
    }
}

impl<F: Tearable> Tearable for Serial<F> {
    tear_inner!();
}
