//! The one trait through which a scheme sees flash.

use crate::{BlockId, Cause, FlashError, Geometry, Lpn, Ns, Oob, Part, Ppn};

/// A NAND array, real, simulated or wrapped.
///
/// All addresses are checked: a broken rule is an error in every build. Data pass as slices of exactly
/// one page, or as an empty slice where the caller (a simulation) has no bytes to keep.
pub trait Flash {
    /// Shape of the array.
    fn geometry(&self) -> &Geometry;

    /// The part's data sheet: timing, energy.
    fn part(&self) -> &Part;

    /// Reads a page's OOB, and its bytes into `data` unless that is empty. Bytes that were never stored
    /// read as zeros.
    ///
    /// # Errors
    /// Address, length, erased page; `Uncorrectable`, `PowerOff`.
    fn read(&mut self, ppn: Ppn, data: &mut [u8], cause: Cause) -> Result<Oob, FlashError>;

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
        let oob = self.read(ppn, &mut page, cause)?;
        data.copy_from_slice(self.geometry().part_of(&page, offset, data.len())?);
        Ok(oob)
    }

    /// Whether user bytes are kept: where they are not, a scheme need not carry them about.
    fn keeps_user_bytes(&self) -> bool {
        true
    }

    /// Reads a page's OOB alone.
    ///
    /// # Errors
    /// As [`Flash::read`].
    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError>;

    /// Programs a page and its OOB.
    ///
    /// # Errors
    /// Address, order, length, sequence number, bad block; `ProgramFailed` (the page is used up), `PowerOff`.
    fn program(&mut self, ppn: Ppn, oob: Oob, data: &[u8], cause: Cause) -> Result<(), FlashError>;

    /// Copies page `from` to page `to`: content, LPN and kind stay, the sequence number becomes `seq`.
    /// Returns the OOB as written.
    ///
    /// # Errors
    /// As [`Flash::read`] of `from` and [`Flash::program`] of `to`.
    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError>;

    /// Copies pages `from`, all of one block, to consecutive pages of one block from `to` on, as
    /// [`Flash::copy`] does one by one, and tells the LPN of each in `lpns` (as many as `from`). A backend that
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
        copy_one_by_one(self, from, to, seq, cause, lpns)
    }

    /// Erases a block.
    ///
    /// # Errors
    /// Address, bad block; `EraseFailed`, `PowerOff`.
    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError>;

    /// The longest that an erase takes, ns, with all that goes with it.
    fn longest_erase_ns(&self) -> Ns {
        self.part().t_bers_ns
    }

    /// True where the block is marked bad, by the factory or by [`Flash::mark_bad`].
    fn is_bad(&self, block: BlockId) -> bool;

    /// Marks a block bad for good (a real part writes the mark into the block's OOB).
    ///
    /// # Errors
    /// Address; `PowerOff`.
    fn mark_bad(&mut self, block: BlockId) -> Result<(), FlashError>;

    /// How often the block was erased, as far as the array (or the scheme's own records) knows.
    fn erase_count(&self, block: BlockId) -> u32;

    /// The LPN at `ppn` if it can be had at no cost: only a hint, to fetch map entries early. A backend
    /// that would have to read says `None`.
    #[inline]
    fn peek_lpn(&self, _ppn: Ppn) -> Option<Lpn> {
        None
    }

    /// Fetches what a read of `ppn` will touch. No effect but speed.
    #[inline]
    fn prefetch(&self, _ppn: Ppn) {}

    /// Whether pages may have bit errors, so that [`Flash::corrected_bits`] grows.
    #[inline]
    fn has_bit_errors(&self) -> bool {
        false
    }

    /// Bits that ECC has corrected so far, in reads and copies.
    #[inline]
    fn corrected_bits(&self) -> u64 {
        0
    }
}

/// [`Flash::copy_run`] by [`Flash::copy`] alone.
#[inline]
pub(crate) fn copy_one_by_one<F: Flash + ?Sized>(
    flash: &mut F,
    from: &[Ppn],
    to: Ppn,
    seq: u64,
    cause: Cause,
    lpns: &mut [Lpn],
) -> Result<(), (usize, FlashError)> {
    for (at, (from, lpn)) in from.iter().zip(lpns).enumerate() {
        let copied = flash.copy(*from, Ppn(to.0 + at as u32), seq, cause);
        *lpn = copied.map_err(|error| (at, error))?.lpn;
    }
    Ok(())
}
