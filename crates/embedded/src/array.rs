//! A driver as an array: what a scheme sees.

use crate::bounds::{Cost, Times};
use crate::driver::{
    Driver, FTL_NAND_ERASED, FTL_NAND_FAILED, FTL_NAND_STOP, FTL_NAND_UNCORRECTABLE, Stamp,
};
use crate::error::{FTL_E_DRIVER, FTL_E_FORMAT, FTL_E_STOPPED, FTL_OK};
use crate::spare::{self, Format, NoRecord, Spare};
use alloc::{vec, vec::Vec};
use core::ffi::c_int;
use core::ptr;
use flash::{BlockId, Cause, Flash, FlashError, Geometry, Oob, PageKind, Part, Ppn, Probe};

/// A driver, with what the library keeps of the array: bad blocks, a page buffer, counts.
#[derive(Debug)]
pub(crate) struct DriverArray {
    driver: Driver,
    geometry: Geometry,
    part: Part,
    times: Times,
    format: Format,
    /// Bad blocks, a bit each, as the driver said at the start.
    bad: Vec<u64>,
    /// One page, for copies that the driver does not do, and for parts of pages.
    page: Vec<u8>,
    /// Pages of each kind that the scheme has numbers for.
    limits: [u32; 3],
    /// Bits that ECC corrected so far.
    pub(crate) corrected_bits: u64,
    /// Those of the last page that was read for the caller.
    pub(crate) bits_for_host: u64,
    /// Reads and copies so far that found a page unreadable.
    pub(crate) unreadable: u64,
    /// True if a mark of a bad block could not be written: the next start does not know that it is bad.
    pub(crate) lacks_mark: bool,
    /// Why the instance ended, if it did.
    pub(crate) fault: c_int,
    /// Operations since the start, and since the last call began.
    pub(crate) total: Cost,
    pub(crate) call: Cost,
}

impl DriverArray {
    /// Asks the driver which blocks are bad.
    ///
    /// # Errors
    /// A code.
    pub(crate) fn new(
        driver: Driver,
        geometry: Geometry,
        part: Part,
        times: Times,
        format: Format,
    ) -> Result<Self, c_int> {
        let mut array = Self {
            driver,
            geometry,
            part,
            times,
            format,
            bad: vec![0; geometry.blocks().div_ceil(64) as usize],
            page: vec![0; geometry.page_bytes() as usize],
            limits: [0; 3],
            corrected_bits: 0,
            bits_for_host: 0,
            unreadable: 0,
            lacks_mark: false,
            fault: FTL_OK,
            total: Cost::default(),
            call: Cost::default(),
        };
        let Some(is_bad) = driver.is_bad else { return Err(FTL_E_DRIVER) };
        for block in 0..geometry.blocks() {
            // SAFETY: a function of the caller's driver with its own context, which its contract makes callable here.
            match unsafe { is_bad(driver.context, block) } {
                0 => {}
                1 => array.bad[block as usize / 64] |= 1 << (block % 64),
                FTL_NAND_STOP => return Err(FTL_E_STOPPED),
                _ => return Err(FTL_E_DRIVER),
            }
        }
        Ok(array)
    }

    /// Blocks that are not bad.
    pub(crate) fn good_blocks(&self) -> u32 {
        self.geometry.blocks() - self.bad.iter().map(|word| word.count_ones()).sum::<u32>()
    }

    /// Whether the array is of this format, before anything is changed: its first page that can be read tells.
    ///
    /// Looks at the first page of each block, the last block first: there is what `gftl` wrote at a shutdown. Where first pages cannot
    /// be read, as many pages behind them again. Nothing but erased pages is any format.
    ///
    /// # Errors
    /// [`FTL_E_FORMAT`] if a page can be read and none is of this format, or if most blocks cannot be read; what the driver did.
    #[inline(never)]
    pub(crate) fn check_format(&mut self) -> Result<(), c_int> {
        let (mut others, mut unreadable, mut left) = (0, 0, self.geometry.blocks());
        for block in (0..self.geometry.blocks()).rev() {
            if self.is_bad(BlockId(block)) {
                continue;
            }
            for page in 0..self.geometry.pages_per_block() {
                let ppn = self.geometry.ppn(BlockId(block), page);
                match self.read_to(ppn, ptr::null_mut()) {
                    Ok(spare) => match spare::decode(&spare, ppn.0, self.format) {
                        Ok(_) => return Ok(()),
                        Err(NoRecord::Erased) => {}
                        Err(NoRecord::Damaged) => others += 1,
                    },
                    Err(FlashError::Uncorrectable(_)) => {
                        unreadable += u32::from(page == 0);
                        if left > 0 {
                            left -= 1;
                            continue;
                        }
                    }
                    Err(FlashError::Erased(_)) => {}
                    Err(_) => return Err(self.fault),
                }
                break;
            }
        }
        let most = unreadable > self.good_blocks() / 2;
        if others > 0 || most { Err(FTL_E_FORMAT) } else { Ok(()) }
    }

    /// Sets how many pages of each kind the scheme has numbers for.
    pub(crate) fn set_limits(&mut self, limits: [u32; 3]) {
        self.limits = limits;
    }

    fn count(&mut self, cost: Cost) {
        self.total.add(&cost);
        self.call.add(&cost);
    }

    fn end(&mut self, fault: c_int) -> FlashError {
        if self.fault == FTL_OK {
            self.fault = fault;
        }
        FlashError::PowerOff
    }

    /// What a negative value of a function of the driver means; `failed` where it is [`FTL_NAND_FAILED`].
    fn refused(
        &mut self,
        code: c_int,
        read: Option<Ppn>,
        failed: Option<FlashError>,
    ) -> FlashError {
        match (code, read, failed) {
            (FTL_NAND_ERASED, Some(ppn), _) => FlashError::Erased(ppn),
            (FTL_NAND_UNCORRECTABLE, Some(ppn), _) => self.lost(ppn),
            (FTL_NAND_FAILED, _, Some(failed)) => failed,
            (FTL_NAND_STOP, ..) => self.end(FTL_E_STOPPED),
            _ => self.end(FTL_E_DRIVER),
        }
    }

    fn lost(&mut self, ppn: Ppn) -> FlashError {
        self.unreadable += 1;
        FlashError::Uncorrectable(ppn)
    }

    fn alive(&self) -> Result<(), FlashError> {
        if self.fault == FTL_OK { Ok(()) } else { Err(FlashError::PowerOff) }
    }

    fn check_page(&self, ppn: Ppn) -> Result<(u32, u32), FlashError> {
        self.alive()?;
        if !self.geometry.contains(ppn) {
            return Err(FlashError::NoSuchPage(ppn));
        }
        let (block, page) = self.geometry.split(ppn);
        Ok((block.0, page))
    }

    /// Reads a page to `data`, or its spare area alone if that is null.
    fn read_to(&mut self, ppn: Ppn, data: *mut u8) -> Result<Spare, FlashError> {
        let (block, page) = self.check_page(ppn)?;
        let Some(read) = self.driver.read else { return Err(self.end(FTL_E_DRIVER)) };
        self.count(if data.is_null() { self.times.read_spare() } else { self.times.read() });
        let mut spare = Spare::default();
        // SAFETY: a function of the caller's driver with its own context. `data` is null or a page, `spare` 16 bytes.
        let done = unsafe { read(self.driver.context, block, page, data, spare.as_mut_ptr()) };
        if done < 0 {
            return Err(self.refused(done, Some(ppn), None));
        }
        self.corrected_bits += done as u64;
        Ok(spare)
    }

    /// The record of a page that was read.
    fn record(&mut self, spare: &Spare, ppn: Ppn) -> Result<Oob, FlashError> {
        spare::decode(spare, ppn.0, self.format).map_err(|why| self.no_record(why, ppn))
    }

    fn no_record(&mut self, why: NoRecord, ppn: Ppn) -> FlashError {
        match why {
            NoRecord::Erased => FlashError::Erased(ppn),
            NoRecord::Damaged => self.lost(ppn),
        }
    }

    fn program_from(&mut self, ppn: Ppn, oob: Oob, data: *const u8) -> Result<(), FlashError> {
        let (block, page) = self.check_page(ppn)?;
        if self.is_bad(BlockId(block)) {
            return Err(FlashError::BadBlock(BlockId(block)));
        }
        if oob.seq > Oob::MAX_SEQ {
            return Err(FlashError::Sequence(oob.seq));
        }
        let Some(program) = self.driver.program else { return Err(self.end(FTL_E_DRIVER)) };
        let spare = spare::encode(oob, ppn.0, self.format);
        self.count(self.times.program());
        // SAFETY: a function of the caller's driver with its own context. `data` is null or a page, `spare` 16 bytes.
        let done = unsafe { program(self.driver.context, block, page, data, spare.as_ptr()) };
        match done {
            0 => Ok(()),
            code => Err(self.refused(code, None, Some(FlashError::ProgramFailed(ppn)))),
        }
    }
}

impl Flash for DriverArray {
    #[inline]
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    #[inline]
    fn part(&self) -> &Part {
        &self.part
    }

    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError> {
        self.geometry.check_payload(data.as_deref())?;
        let Some(data) = data else { return self.read_oob(ppn, cause) };
        let before = self.corrected_bits;
        let spare = self.read_to(ppn, data.as_mut_ptr())?;
        if cause == Cause::Host {
            self.bits_for_host = self.corrected_bits - before;
        }
        self.record(&spare, ppn)
    }

    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        _cause: Cause,
    ) -> Result<Oob, FlashError> {
        self.geometry.check_part(offset, data.len())?;
        let page = self.page.as_mut_ptr();
        let spare = self.read_to(ppn, page)?;
        let oob = self.record(&spare, ppn)?;
        data.copy_from_slice(&self.page[offset..offset + data.len()]);
        Ok(oob)
    }

    fn read_oob(&mut self, ppn: Ppn, _cause: Cause) -> Result<Oob, FlashError> {
        let spare = self.read_to(ppn, ptr::null_mut())?;
        self.record(&spare, ppn)
    }

    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        _cause: Cause,
    ) -> Result<(), FlashError> {
        self.geometry.check_payload(data)?;
        self.program_from(ppn, oob, data.map_or(ptr::null(), <[u8]>::as_ptr))
    }

    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, _cause: Cause) -> Result<Oob, FlashError> {
        let (from_block, from_page) = self.check_page(from)?;
        let (to_block, to_page) = self.check_page(to)?;
        if self.is_bad(BlockId(to_block)) {
            return Err(FlashError::BadBlock(BlockId(to_block)));
        }
        let stamp =
            Stamp { from: from.0, to: to.0, seq, limits: self.limits, format: self.format.0 };
        let Some(copy) = self.driver.copy else {
            let page = self.page.as_mut_ptr();
            let spare = self.read_to(from, page)?;
            let oob = spare::copied(&spare, &stamp).map_err(|why| self.no_record(why, from))?;
            self.program_from(to, oob, self.page.as_ptr())?;
            return Ok(oob);
        };
        self.count(self.times.copy());
        let mut spare = Spare::default();
        // SAFETY: a function of the caller's driver with its own context. `stamp` is read, `spare` is 16 bytes.
        let done = unsafe {
            copy(
                self.driver.context,
                from_block,
                from_page,
                to_block,
                to_page,
                &raw const stamp,
                spare.as_mut_ptr(),
            )
        };
        if done < 0 {
            return Err(self.refused(done, Some(from), Some(FlashError::ProgramFailed(to))));
        }
        self.corrected_bits += done as u64;
        match spare::decode(&spare, to.0, self.format) {
            Ok(oob) if oob.lpn.0 < self.limits[oob.kind as usize] => Ok(oob),
            _ => Err(self.end(FTL_E_DRIVER)),
        }
    }

    fn erase(&mut self, block: BlockId, _cause: Cause) -> Result<(), FlashError> {
        self.alive()?;
        if block.0 >= self.geometry.blocks() {
            return Err(FlashError::NoSuchBlock(block));
        }
        if self.is_bad(block) {
            return Err(FlashError::BadBlock(block));
        }
        let Some(erase) = self.driver.erase else { return Err(self.end(FTL_E_DRIVER)) };
        self.count(self.times.erase());
        // SAFETY: a function of the caller's driver with its own context.
        match unsafe { erase(self.driver.context, block.0) } {
            0 => Ok(()),
            code => Err(self.refused(code, None, Some(FlashError::EraseFailed(block)))),
        }
    }

    fn is_bad(&self, block: BlockId) -> bool {
        let word = self.bad.get(block.0 as usize / 64);
        word.is_some_and(|word| word >> (block.0 % 64) & 1 == 1)
    }

    fn mark_bad(&mut self, block: BlockId) -> Result<(), FlashError> {
        self.alive()?;
        if block.0 >= self.geometry.blocks() {
            return Err(FlashError::NoSuchBlock(block));
        }
        if self.is_bad(block) {
            return Ok(());
        }
        self.bad[block.0 as usize / 64] |= 1 << (block.0 % 64);
        let Some(mark_bad) = self.driver.mark_bad else { return Err(self.end(FTL_E_DRIVER)) };
        // SAFETY: a function of the caller's driver with its own context.
        match unsafe { mark_bad(self.driver.context, block.0) } {
            0 => Ok(()),
            // The mark is in RAM; a mark that could not be written is for the driver to find again.
            FTL_NAND_FAILED => {
                self.lacks_mark = true;
                Ok(())
            }
            code => Err(self.refused(code, None, None)),
        }
    }

    /// None is kept: free blocks are opened in the order of their erases.
    fn erase_count(&self, _block: BlockId) -> u32 {
        0
    }
}

impl Probe for DriverArray {
    fn has_bit_errors(&self) -> bool {
        true
    }

    fn corrected_bits(&self) -> u64 {
        self.corrected_bits
    }
}

/// Numbers that pages of each kind may have, for a plan: [`PageKind`].
pub(crate) fn limits(logical_pages: u32, map_pages: u32, others: u32) -> [u32; 3] {
    let mut limits = [0; 3];
    limits[PageKind::Data as usize] = logical_pages;
    limits[PageKind::Translation as usize] = map_pages;
    limits[PageKind::Other as usize] = others;
    limits
}
