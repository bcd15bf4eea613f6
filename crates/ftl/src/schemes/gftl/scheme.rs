//! GFTL as an [`Ftl`].

use super::collection_queue::CollectionQueue;
use super::state::{Gftl, LOST, Logical};
use crate::error::FtlError;
use crate::inspection::Inspection;
use crate::interface::{Background, Ftl, Prefetch, on_array};
use crate::telemetry::{CollectionLog, Telemetry};
use alloc::vec::Vec;
use flash::prefetch::prefetch;
use flash::{Cause, Lpn, Ppn, Probe};

impl<F: Probe, Q: CollectionQueue> Ftl for Gftl<F, Q> {
    on_array!(self, self.flash, self.logical_pages);

    #[inline]
    fn write(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.check(lpn)?;
        if self.area_valid {
            self.spoil_image()?;
        }
        let taken = self.take_page(lpn, data);
        match taken {
            // A refused write is followed by a step too, which makes room for the next one.
            Ok(()) | Err(FtlError::Full { .. }) => {}
            Err(_) => return taken,
        }
        self.step()?;
        self.log.least_free_pages = self.log.least_free_pages.min(self.pool.free_pages());
        taken
    }

    #[inline]
    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        self.check(lpn)?;
        if self.area_valid {
            self.spoil_image()?;
        }
        let found = self.fetch_page(lpn, data)?;
        match self.step() {
            // All data can be read, though nothing more can be written.
            Ok(_) | Err(FtlError::Full { .. }) => Ok(found),
            Err(error) => Err(error),
        }
    }

    fn is_present(&mut self, lpn: Lpn) -> Result<bool, FtlError> {
        self.check(lpn)?;
        Ok(self.has_page(lpn))
    }

    #[inline]
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.forget_page(lpn);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), FtlError> {
        self.program_held_pages()
    }

    fn shutdown(&mut self) -> Result<(), FtlError> {
        self.flush()?;
        if self.area_valid {
            return Ok(());
        }
        let cause = core::mem::replace(&mut self.cause, Cause::Mount);
        let done = self.finish_collection().and_then(|()| self.save_image());
        self.cause = cause;
        done
    }

    #[inline]
    fn free_pages(&self) -> u64 {
        self.pool.free_pages()
    }

    fn telemetry(&self) -> Telemetry<'_> {
        Telemetry {
            heap_bytes: self.place.capacity() * 4
                + self.logical.capacity() * size_of::<Logical>()
                + self.queue.heap_bytes()
                + self.waiting.heap_bytes()
                + self.pool.heap_bytes()
                + self.collection.heap_bytes(),
            write_queue_pages: Some(self.queue.pages()),
            yields: true,
            ..Telemetry::new(
                self.guarantee,
                super::ram::<Q>(
                    self.flash.geometry(),
                    self.logical.len() as u32,
                    self.settings.queue_blocks,
                ),
                &self.log,
            )
        }
    }

    fn restart_telemetry(&mut self) {
        self.log = CollectionLog::new(self.flash.geometry().pages_per_block(), 0);
    }

    fn state(&self) -> Option<Vec<u32>> {
        Some(self.words())
    }

    fn inspect(&self) -> Inspection {
        self.tell()
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn, what: Prefetch) {
        let (logical, _) = self.split(lpn);
        match what {
            Prefetch::Map => {
                prefetch(&self.place, lpn.0 as usize);
                prefetch(&self.logical, logical as usize);
            }
            Prefetch::Block => {
                if let Some(place) = self.place.get(lpn.0 as usize)
                    && *place < LOST
                {
                    self.queue.prefetch(self.flash.geometry().block_of(Ppn(*place)));
                }
            }
            Prefetch::Page => {
                if let Some(place) = self.place.get(lpn.0 as usize)
                    && *place < LOST
                {
                    self.flash.prefetch(Ppn(*place));
                }
            }
        }
    }
}

impl<F: Probe, Q: CollectionQueue> Background for Gftl<F, Q> {
    fn idle(&mut self) -> Result<bool, FtlError> {
        if !self.idle_collection || self.area_valid {
            return Ok(false);
        }
        let started = self.log.started;
        let worked = self.step()?;
        self.log.idle += self.log.started - started;
        Ok(worked)
    }
}
