//! The two traits through which a scheme sees flash. A driver of a real part implements [`Flash`]; [`Probe`]
//! answers queries that cost no operation.

use super::address::{BlockId, Geometry, Lpn, Ppn};
use super::due::DueBlock;
use super::error::FlashError;
use super::event::Event;
use super::oob::Oob;
use super::operation::Cause;
use super::part::Part;
use super::retries::Retries;
use super::time::Ns;

/// A NAND array: real, simulated or wrapped.
///
/// All addresses are checked: a broken rule is an error in every build. Bytes pass as slices of exactly one
/// page. `None` stands for bytes that nobody needs: padding, or all bytes of a simulation that keeps none.
pub trait Flash {
    /// Shape of the array.
    fn geometry(&self) -> &Geometry;

    /// Data sheet of the part: timing, energy.
    fn part(&self) -> &Part;

    /// Reads a page's OOB, and its bytes into `data` if given. Bytes that were never stored read as zeros.
    ///
    /// # Errors
    /// Address, length, erased page; `Uncorrectable`, `PowerOff`.
    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError>;

    /// Reads a page whose OOB nobody needs: a simulated array then looks up nothing of the page.
    ///
    /// # Errors
    /// As [`Flash::read`].
    fn read_data(
        &mut self,
        ppn: Ppn,
        data: Option<&mut [u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        self.read(ppn, data, cause).map(|_| ())
    }

    /// Reads part of a page, from byte `offset` on (ONFI's change read column). Takes as long as a page read.
    ///
    /// # Errors
    /// As [`Flash::read`]; `PayloadLength` if the part does not lie within the page.
    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        let mut page = alloc::vec![0; self.geometry().page_bytes() as usize];
        let oob = self.read(ppn, Some(&mut page), cause)?;
        self.geometry().check_part(offset, data.len())?;
        data.copy_from_slice(&page[offset..offset + data.len()]);
        Ok(oob)
    }

    /// Reads a page's OOB alone.
    ///
    /// # Errors
    /// As [`Flash::read`].
    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError>;

    /// Programs a page and its OOB. Without `data` the page's bytes are arbitrary.
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

    /// Copies page `from` to page `to`. Content, LPN and kind stay. The sequence number becomes `seq`, or stays
    /// if `seq` is [`Oob::KEEP_SEQ`]. Returns the OOB as written.
    ///
    /// # Errors
    /// As [`Flash::read`] of `from` and [`Flash::program`] of `to`.
    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError>;

    /// Copies pages `from`, all of one block, to consecutive pages of one block from `to` on. The result equals
    /// single copies by [`Flash::copy`]. Writes the LPN of each page to `lpns` (as many as `from`). An array
    /// overrides this if it can copy faster than one by one.
    ///
    /// # Errors
    /// The number of pages copied before the first failure, and its error.
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

    /// True if the block is marked bad, by the factory or by [`Flash::mark_bad`].
    fn is_bad(&self, block: BlockId) -> bool;

    /// Marks a block bad for good (a real part writes the mark into the block's OOB).
    ///
    /// # Errors
    /// Address; `PowerOff`.
    fn mark_bad(&mut self, block: BlockId) -> Result<(), FlashError>;

    /// True if the block is in SLC mode: one bit per cell, so that it has [`Part::slc_pages`] pages. A driver keeps
    /// the mode of each block, or finds it when it first reads the block.
    #[inline]
    fn is_slc(&self, _block: BlockId) -> bool {
        false
    }

    /// Sets the mode of an erased block until its next erase, which ends SLC mode. It takes no time: real parts
    /// take it from a prefix of each command.
    ///
    /// # Errors
    /// Address; `SlcMode` if the block is not erased, or SLC mode is asked of a part without one; `PowerOff`.
    fn set_slc(&mut self, block: BlockId, slc: bool) -> Result<(), FlashError> {
        if slc { Err(FlashError::SlcMode(block)) } else { Ok(()) }
    }

    /// Erase count of the block, as far as the array (or its driver's own records) knows.
    fn erase_count(&self, block: BlockId) -> u32;
}

/// Queries of an array that cost no operation. The defaults are right for a driver of a real part.
pub trait Probe: Flash {
    /// True if user bytes are kept. If not, a scheme need not carry them.
    fn keeps_user_bytes(&self) -> bool {
        true
    }

    /// Worst-case time of an erase, ns, with all work that it causes.
    fn longest_erase_ns(&self) -> Ns {
        self.part().t_bers_ns
    }

    /// LPN at `ppn` if it is available at no cost, as a hint to fetch map entries early. An array that would
    /// have to read returns `None`.
    #[inline]
    fn peek_lpn(&self, _ppn: Ppn) -> Option<Lpn> {
        None
    }

    /// Prefetches the state that a read of `ppn` will touch. This affects speed only.
    #[inline]
    fn prefetch(&self, _ppn: Ppn) {}

    /// Programs data pages without bytes, to consecutive pages of one block from `to` on: as many of `lpns`, from the first on,
    /// as need a program and nothing else, all of the same time. Returns their number. The result equals that of as many calls
    /// of [`Flash::program`]. By default 0: of an array on which a program may fail, or does more, none is so plain.
    #[inline]
    fn program_plain(&mut self, _to: Ppn, _lpns: &[Lpn], _seq: u64, _cause: Cause) -> usize {
        0
    }

    /// True if pages may have bit errors, so that [`Probe::corrected_bits`] grows.
    #[inline]
    fn has_bit_errors(&self) -> bool {
        false
    }

    /// Bits that ECC has corrected so far, in reads and copies.
    #[inline]
    fn corrected_bits(&self) -> u64 {
        0
    }

    /// Steps of read retries so far, in reads and copies.
    #[inline]
    fn retries(&self) -> Retries {
        Retries::default()
    }

    /// Shows the host's clock to an array whose pages age. The first call ends the age that its data have at the start
    /// ([`AgedErrorRate`](crate::faults::AgedErrorRate)).
    #[inline]
    fn set_now_ns(&mut self, _now_ns: Ns) {}

    /// The block whose valid pages have been due for longest to be moved, by the limits of
    /// [`RefreshLimits`](crate::faults::RefreshLimits).
    fn due_block(&mut self) -> Option<DueBlock> {
        None
    }

    /// Time of the host's clock from which on [`Probe::due_block`] finds a block, if nothing is read or programmed until
    /// then; [`Ns::MAX`] if there is none.
    fn next_due_ns(&self) -> Ns {
        Ns::MAX
    }

    /// Ends the turn of a block that is due: all its valid pages are `moved`, or it waits behind the others.
    fn end_turn(&mut self, _block: BlockId, _moved: bool) {}

    /// Reports a decision of the scheme above to an observer, if this array is one or has one below. It costs nothing
    /// otherwise: the default does nothing, and a call of it compiles to nothing.
    #[inline(always)]
    fn event(&mut self, _event: &Event<'_>) {}

    /// Busy time of the array, if it keeps a serial clock.
    #[inline]
    fn worked(&self) -> Worked {
        Worked::default()
    }
}

/// Busy time of an array, by a serial clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Worked {
    /// Total, ns.
    pub busy_ns: Ns,
    /// In collection steps ([`Cause::is_step`]), ns.
    pub steps_ns: Ns,
}

/// Implements [`Flash::copy_run`] by single copies.
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
