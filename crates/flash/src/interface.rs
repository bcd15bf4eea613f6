//! The two traits through which a scheme sees flash: [`Flash`], which a driver of a real part implements, and [`Probe`],
//! what may be asked of an array for nothing.

use super::address::{BlockId, Geometry, Lpn, Ppn};
use super::error::FlashError;
use super::oob::Oob;
use super::operation::Cause;
use super::part::Part;
use super::time::Ns;

/// A NAND array, real, simulated or wrapped.
///
/// All addresses are checked: a broken rule is an error in every build. Bytes pass as slices of exactly one page; `None`
/// stands for bytes that nobody wants: those of padding, and all of a simulation that keeps none.
pub trait Flash {
    /// Shape of the array.
    fn geometry(&self) -> &Geometry;

    /// The part's data sheet: timing, energy.
    fn part(&self) -> &Part;

    /// Reads a page's OOB, and its bytes into `data` if they are wanted. Bytes that were never stored read as zeros.
    ///
    /// # Errors
    /// Address, length, erased page; `Uncorrectable`, `PowerOff`.
    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError>;

    /// Reads part of a page, from byte `offset` on (ONFI's change read column): as long as a page read.
    ///
    /// # Errors
    /// As [`Flash::read`]; `PayloadLength` where the part does not lie within the page.
    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        let mut page = alloc::vec![0; self.geometry().page_bytes() as usize];
        let oob = self.read(ppn, Some(&mut page), cause)?;
        data.copy_from_slice(self.geometry().part_of(&page, offset, data.len())?);
        Ok(oob)
    }

    /// Reads a page's OOB alone.
    ///
    /// # Errors
    /// As [`Flash::read`].
    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError>;

    /// Programs a page and its OOB; where there is no `data` any bytes will do.
    ///
    /// # Errors
    /// Address, order, length, sequence number, bad block; `ProgramFailed` (the page is used up), `PowerOff`.
    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FlashError>;

    /// Copies page `from` to page `to`: content, LPN and kind stay, the sequence number becomes `seq`, or stays
    /// where that is [`Oob::KEEP_SEQ`].
    /// Returns the OOB as written.
    ///
    /// # Errors
    /// As [`Flash::read`] of `from` and [`Flash::program`] of `to`.
    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError>;

    /// Copies pages `from`, all of one block, to consecutive pages of one block from `to` on, as
    /// [`Flash::copy`] does one by one, and tells the LPN of each in `lpns` (as many as `from`). An array that
    /// can do better than one by one does.
    ///
    /// # Errors
    /// How many were copied before the first that failed, and why that did.
    #[inline]
    fn copy_run(
        &mut self,
        from: &[Ppn],
        to: Ppn,
        seq: u64,
        cause: Cause,
        lpns: &mut [Lpn],
    ) -> Result<(), (usize, FlashError)> {
        copy_one_by_one(from, to, lpns, |from, to| self.copy(from, to, seq, cause))
    }

    /// Erases a block.
    ///
    /// # Errors
    /// Address, bad block; `EraseFailed`, `PowerOff`.
    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError>;

    /// True where the block is marked bad, by the factory or by [`Flash::mark_bad`].
    fn is_bad(&self, block: BlockId) -> bool;

    /// Marks a block bad for good (a real part writes the mark into the block's OOB).
    ///
    /// # Errors
    /// Address; `PowerOff`.
    fn mark_bad(&mut self, block: BlockId) -> Result<(), FlashError>;

    /// How often the block was erased, as far as the array (or its driver's own records) knows.
    fn erase_count(&self, block: BlockId) -> u32;
}

/// What may be asked of an array without an operation. The defaults are right for a driver of a real part.
pub trait Probe: Flash {
    /// Whether user bytes are kept: where they are not, a scheme need not carry them about.
    fn keeps_user_bytes(&self) -> bool {
        true
    }

    /// The longest that an erase takes, ns, with all that goes with it.
    fn longest_erase_ns(&self) -> Ns {
        self.part().t_bers_ns
    }

    /// The LPN at `ppn` if it can be had at no cost: only a hint, to fetch map entries early. An array
    /// that would have to read says `None`.
    #[inline]
    fn peek_lpn(&self, _ppn: Ppn) -> Option<Lpn> {
        None
    }

    /// Fetches what a read of `ppn` will touch. No effect but speed.
    #[inline]
    fn prefetch(&self, _ppn: Ppn) {}

    /// Whether pages may have bit errors, so that [`Probe::corrected_bits`] grows.
    #[inline]
    fn has_bit_errors(&self) -> bool {
        false
    }

    /// Bits that ECC has corrected so far, in reads and copies.
    #[inline]
    fn corrected_bits(&self) -> u64 {
        0
    }

    /// How long the array has worked, where it keeps a serial clock.
    #[inline]
    fn worked(&self) -> Worked {
        Worked::default()
    }
}

/// Time that an array has worked, by a serial clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Worked {
    /// In all, ns.
    pub busy_ns: Ns,
    /// In collection steps ([`Cause::is_step`]), ns.
    pub steps_ns: Ns,
}

/// [`Flash::copy_run`] by single copies.
#[inline]
pub fn copy_one_by_one(
    from: &[Ppn],
    to: Ppn,
    lpns: &mut [Lpn],
    mut copy: impl FnMut(Ppn, Ppn) -> Result<Oob, FlashError>,
) -> Result<(), (usize, FlashError)> {
    for (at, (from, lpn)) in from.iter().zip(lpns).enumerate() {
        *lpn = copy(*from, Ppn(to.0 + at as u32)).map_err(|error| (at, error))?.lpn;
    }
    Ok(())
}
