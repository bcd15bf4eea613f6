//! Power failure at a chosen program or erase.

use super::tearable::Tearable;
use crate::address::{BlockId, Lpn, Ppn};
use crate::error::FlashError;
use crate::interface::copy_one_by_one;
use crate::oob::Oob;
use crate::operation::Cause;

/// Cuts the power at a chosen changing operation: a program, the program of a copy, or an erase.
///
/// Changing operations are numbered in the order in which they run. A refused operation (broken rule,
/// uncorrectable source) has not run and takes no number. While the power is off every operation, including
/// reads, fails with [`FlashError::PowerOff`].
#[derive(Clone, Debug)]
pub struct PowerCut<F> {
    inner: F,
    changes: u64,
    /// Number of the operation at which the power fails; `u64::MAX`: none.
    cut_at: u64,
    tear: bool,
    off: bool,
}

impl<F> PowerCut<F> {
    /// Wraps `inner`: the power is on, and no cut is planned.
    pub fn new(inner: F) -> Self {
        Self { inner, changes: 0, cut_at: u64::MAX, tear: false, off: false }
    }

    /// Plans the cut: `operations` more changing operations run, and the power fails at the next.
    ///
    /// A clean cut (`tear` false) comes before that operation has any effect. A torn cut comes in the middle of
    /// it:
    ///
    /// - A page being programmed is used up and unreadable ([`Tearable::waste`]).
    /// - A block being erased can be neither read nor programmed ([`Tearable::half_erase`]).
    ///
    /// A torn operation that breaks a rule is refused as with the power on, and the cut waits for the next
    /// operation. A later plan replaces an earlier one.
    pub fn cut_after(&mut self, operations: u64, tear: bool) {
        self.cut_at = self.changes.saturating_add(operations);
        self.tear = tear;
    }

    /// Turns the power on again and drops a plan that is still pending.
    pub fn restore(&mut self) {
        self.off = false;
        self.cut_at = u64::MAX;
    }

    /// Changing operations that have run so far, including failed ones. The operation at which the power failed
    /// does not count.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// True from the cut until [`PowerCut::restore`].
    pub fn is_off(&self) -> bool {
        self.off
    }

    unwraps!(F);

    fn powered(&self) -> Result<(), FlashError> {
        if self.off { Err(FlashError::PowerOff) } else { Ok(()) }
    }

    /// Runs and counts a changing operation, or cuts the power at it. `tear` applies the effect of a cut in its
    /// middle.
    fn change<T>(
        &mut self,
        tear: impl FnOnce(&mut F) -> Result<(), FlashError>,
        run: impl FnOnce(&mut F) -> Result<T, FlashError>,
    ) -> Result<T, FlashError> {
        use FlashError::{EraseFailed, PowerOff, ProgramFailed};
        self.powered()?;
        if self.changes == self.cut_at {
            if self.tear {
                tear(&mut self.inner)?;
            }
            self.off = true;
            return Err(PowerOff);
        }
        let result = run(&mut self.inner);
        if matches!(result, Ok(_) | Err(ProgramFailed(_) | EraseFailed(_))) {
            self.changes += 1;
        }
        result
    }
}

impl<F: Tearable> crate::layer::Layer for PowerCut<F> {
    layer_on!(self, self.inner, F);

    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError> {
        self.powered()?;
        self.inner.read(ppn, data, cause)
    }

    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        self.powered()?;
        self.inner.read_part(ppn, offset, data, cause)
    }

    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        self.powered()?;
        self.inner.read_oob(ppn, cause)
    }

    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        self.change(
            |inner| {
                inner.geometry().check_payload(data)?;
                inner.waste(ppn)
            },
            |inner| inner.program(ppn, oob, data, cause),
        )
    }

    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        self.change(
            // The copy's read comes before its program. If the read fails, there is no program to tear.
            |inner| {
                inner.read_oob(from, cause)?;
                inner.waste(to)
            },
            |inner| inner.copy(from, to, seq, cause),
        )
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
        self.change(|inner| inner.half_erase(block), |inner| inner.erase(block, cause))
    }

    fn set_slc(&mut self, block: BlockId, slc: bool) -> Result<(), FlashError> {
        self.powered()?;
        self.inner.set_slc(block, slc)
    }

    fn mark_bad(&mut self, block: BlockId) -> Result<(), FlashError> {
        self.powered()?;
        self.inner.mark_bad(block)
    }

    fn peek_lpn(&self, ppn: Ppn) -> Option<Lpn> {
        if self.off { None } else { self.inner.peek_lpn(ppn) }
    }
}

impl<F: Tearable> Tearable for PowerCut<F> {
    /// A program that fails above this wrapper is a changing operation like any other.
    fn waste(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        self.change(|inner| inner.waste(ppn), |inner| inner.waste(ppn))
    }

    /// An erase that fails above this wrapper is a changing operation like any other.
    fn half_erase(&mut self, block: BlockId) -> Result<(), FlashError> {
        self.change(|inner| inner.half_erase(block), |inner| inner.half_erase(block))
    }

    fn spoil(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        self.powered()?;
        self.inner.spoil(ppn)
    }
}
