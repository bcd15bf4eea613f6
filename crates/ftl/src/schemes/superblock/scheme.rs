//! Host tasks of the superblock scheme.

use super::Superblock;
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::inspection::Inspection;
use crate::interface::{Background, Ftl, Prefetch, on_array, zeros};
use crate::log_block::NONE;
use crate::page_mapped::core::LOST;
use crate::telemetry::{CollectionLog, Telemetry};
use flash::prefetch::prefetch;
use flash::{BlockId, Cause, FlashError, Lpn, Oob, Ppn, Probe};

impl<F: Probe> Superblock<F> {
    /// Makes room in the superblock's open block. Spare blocks and the block kept for collection stay erased.
    #[cold]
    fn make_room(&mut self, superblock: u32, buffer: &mut dyn DirtyPages) -> Result<(), FtlError> {
        while self.room(superblock) == 0 {
            if self.pool.len() > 1 + self.pool.spare_blocks() {
                self.open(superblock)?;
            } else {
                self.gain(buffer)?;
            }
        }
        Ok(())
    }
}

impl<F: Probe> Ftl for Superblock<F> {
    on_array!(self, self.flash, self.logical_pages);

    #[inline]
    fn write(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.write_below(lpn, data, &mut NoBuffer)
    }

    /// Writes a page from a buffer. Collection takes no page from the buffer. It reports the pages that it moves, so
    /// that those moved in vain are counted.
    #[inline]
    fn write_below(
        &mut self,
        lpn: Lpn,
        data: Option<&[u8]>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        self.check(lpn)?;
        let superblock = self.superblock(lpn);
        loop {
            if self.room(superblock) == 0 {
                self.make_room(superblock, buffer)?;
            }
            let own = &self.superblocks[superblock as usize];
            let ppn = self.flash.geometry().ppn(BlockId(own.open), own.written);
            match self.flash.program(ppn, Oob::data(lpn, own.seq), data, Cause::Host) {
                Ok(()) => break,
                Err(FlashError::ProgramFailed(_)) => self.fail(superblock),
                Err(error) => return Err(error.into()),
            }
        }
        self.put(superblock, lpn);
        self.close_if_full(superblock);
        self.pool.programmed(1);
        self.log.least_free_pages = self.log.least_free_pages.min(self.pool.free_pages());
        Ok(())
    }

    #[inline]
    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        self.check(lpn)?;
        let place = self.map[lpn.0 as usize];
        match place {
            NONE => {
                zeros(data);
                Ok(false)
            }
            LOST => Err(FlashError::Uncorrectable(Ppn(LOST)).into()),
            _ => {
                self.flash.read_data(Ppn(place), data, Cause::Host)?;
                Ok(true)
            }
        }
    }

    fn is_present(&mut self, lpn: Lpn) -> Result<bool, FtlError> {
        self.check(lpn)?;
        Ok(self.map[lpn.0 as usize] != NONE)
    }

    #[inline]
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        let place = core::mem::replace(&mut self.map[lpn.0 as usize], NONE);
        if place < LOST {
            self.invalidate(self.superblock(lpn), Ppn(place));
        }
        Ok(())
    }

    #[inline]
    fn free_pages(&self) -> u64 {
        self.pool.free_pages()
    }

    fn telemetry(&self) -> Telemetry<'_> {
        Telemetry {
            heap_bytes: {
                let lists: usize =
                    self.superblocks.iter().map(|own| own.blocks.capacity() * 4).sum();
                self.pool.heap_bytes()
                    + (self.map.capacity() + self.owners.capacity() + self.used.capacity()) * 4
                    + self.table.heap_bytes()
                    + self.superblocks.capacity() * size_of::<super::Own>()
                    + lists
                    + self.candidates.heap_bytes()
                    + (self.run.capacity() + self.lpns.capacity()) * 4
            },
            tells_moves: true,
            ..Telemetry::new(self.guarantee, self.ram, &self.log)
        }
    }

    fn restart_telemetry(&mut self) {
        let pages_per_block = self.flash.geometry().pages_per_block();
        self.log = CollectionLog::new(pages_per_block, self.log.threshold_pages);
    }

    fn inspect(&self) -> Inspection {
        self.tell()
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn, what: Prefetch) {
        match what {
            Prefetch::Map => prefetch(&self.map, lpn.0 as usize),
            Prefetch::Block => {
                if let Some(&place) = self.map.get(lpn.0 as usize)
                    && place < LOST
                {
                    self.table.prefetch(self.flash.geometry().block_of(Ppn(place)));
                }
            }
            Prefetch::Page => {
                if let Some(&place) = self.map.get(lpn.0 as usize)
                    && place < LOST
                {
                    self.flash.prefetch(Ppn(place));
                }
            }
        }
    }
}

impl<F: Probe> Background for Superblock<F> {}
