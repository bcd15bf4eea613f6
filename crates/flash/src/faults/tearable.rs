//! How faults damage the array below other wrappers.

use crate::address::{BlockId, Ppn};
use crate::array::Array;
use crate::error::FlashError;
use crate::interface::{Flash, Probe};
use crate::serial::Serial;

/// A [`Flash`] that can be left as an interrupted or failed operation leaves it.
///
/// These are damage, not operations of NAND: [`Serial`] charges no time for them, so it belongs above the
/// wrappers whose failures are to be charged.
pub trait Tearable: Flash + Probe {
    /// Uses up a page without content, as a program that was cut or failed does: it may not be
    /// programmed and reads as uncorrectable until its block is erased.
    ///
    /// # Errors
    /// The rules of [`Flash::program`].
    fn waste(&mut self, ppn: Ppn) -> Result<(), FlashError>;

    /// Leaves a block as an erase that was cut or failed does: none of its pages can be read or
    /// programmed before it is erased.
    ///
    /// # Errors
    /// The rules of [`Flash::erase`].
    fn half_erase(&mut self, block: BlockId) -> Result<(), FlashError>;

    /// Makes a programmed page uncorrectable until its block is erased.
    ///
    /// # Errors
    /// Address; an erased page holds nothing to spoil.
    fn spoil(&mut self, ppn: Ppn) -> Result<(), FlashError>;
}

/// The methods of [`Tearable`], handed on to `self.inner`.
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
