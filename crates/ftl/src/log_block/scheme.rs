//! A log-block scheme: the common core and the scheme's own log blocks.

use super::core::{LogBlockCore, Room};
use super::mount::Survey;
use super::stamp::Role;
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::guarantee::{Guarantee, Ram};
use crate::inspection::{Inspection, List, Uses};
use crate::interface::{Background, Ftl, Prefetch, on_array, zeros};
use crate::preset::{Setup, Start};
use crate::telemetry::{CollectionLog, Telemetry};
use alloc::vec::Vec;
use flash::prefetch::prefetch;
use flash::{Cause, FlashError, Lpn, Oob, Probe};

/// The log blocks of a scheme, and its choice of log block for each page.
pub(crate) trait Logs: Clone {
    /// Returns the page to program with the next version of `lpn`. Merges if there is none.
    fn room<F: Probe>(
        &mut self,
        core: &mut LogBlockCore<F>,
        lpn: Lpn,
        buffer: &mut dyn DirtyPages,
    ) -> Result<Room, FtlError>;

    /// Records that this page of a log block is used up, by `lpn` or by a failed program.
    ///
    /// The core still maps `lpn` to its previous version.
    fn used<F: Probe>(&mut self, core: &mut LogBlockCore<F>, lpn: Lpn, room: &Room, failed: bool);

    /// Called before the core forgets the page.
    #[inline]
    fn forget<F: Probe>(&mut self, _core: &LogBlockCore<F>, _lpn: Lpn) {}

    /// Takes over the log blocks found on flash.
    fn mount<F: Probe>(
        &mut self,
        core: &mut LogBlockCore<F>,
        survey: Survey,
    ) -> Result<(), FtlError>;

    /// Log blocks: their uses and lists, for displays and checkers.
    fn inspect(&self, uses: &mut Uses) -> Vec<List>;

    fn heap_bytes(&self) -> usize;
}

/// A scheme composed of the core and its log blocks.
#[derive(Clone, Debug)]
pub(crate) struct LogBlock<F, L> {
    pub(crate) core: LogBlockCore<F>,
    pub(crate) logs: L,
    guarantee: Guarantee,
    ram: Ram,
}

impl<F: Probe, L: Logs> LogBlock<F, L> {
    /// Formats or mounts.
    pub(crate) fn new(setup: &Setup<'_>, flash: F, logs: L) -> Result<Self, FtlError> {
        let Setup { config, plan, start } = *setup;
        let core = LogBlockCore::new(flash, plan);
        let mut scheme = Self { core, logs, guarantee: plan.guarantee, ram: plan.ram };
        match start {
            Start::Format => {
                let core = &mut scheme.core;
                core.pool.format(&mut core.flash, config, plan, &mut core.log)?;
            }
            Start::Mount => {
                let survey = Survey::take(&mut scheme.core, config.preset.name)?;
                scheme.logs.mount(&mut scheme.core, survey)?;
            }
        }
        Ok(scheme)
    }
}

impl<F: Probe, L: Logs> Ftl for LogBlock<F, L> {
    on_array!(self, self.core.flash, self.core.logical_pages);

    #[inline]
    fn write(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.write_below(lpn, data, &mut NoBuffer)
    }

    #[inline]
    fn write_below(
        &mut self,
        lpn: Lpn,
        data: Option<&[u8]>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        self.check(lpn)?;
        loop {
            let core = &mut self.core;
            let room = self.logs.room(core, lpn, buffer)?;
            let ppn = core.flash.geometry().ppn(room.block, room.page);
            let done = core.flash.program(ppn, Oob::data(lpn, room.seq), data, Cause::Host);
            let failed = match done {
                Ok(()) => false,
                Err(FlashError::ProgramFailed(_)) => true,
                Err(error) => return Err(error.into()),
            };
            if room.role != Role::Data {
                self.logs.used(core, lpn, &room, failed);
            }
            if failed {
                core.failed(lpn, &room);
            } else {
                core.written(lpn, &room);
            }
            if !failed {
                return Ok(());
            }
        }
    }

    #[inline]
    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        self.check(lpn)?;
        let place = self.core.place(lpn);
        match place {
            None => {
                self.core.check_not_lost(lpn)?;
                zeros(data);
            }
            Some(ppn) => {
                self.core.flash.read_data(ppn, data, Cause::Host)?;
            }
        }
        Ok(place.is_some())
    }

    fn is_present(&mut self, lpn: Lpn) -> Result<bool, FtlError> {
        self.check(lpn)?;
        Ok(self.core.place(lpn).is_some() || self.core.check_not_lost(lpn).is_err())
    }

    #[inline]
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.logs.forget(&self.core, lpn);
        self.core.trim(lpn);
        Ok(())
    }

    #[inline]
    fn free_pages(&self) -> u64 {
        self.core.pool.free_pages()
    }

    fn telemetry(&self) -> Telemetry<'_> {
        Telemetry {
            heap_bytes: self.core.heap_bytes() + self.logs.heap_bytes(),
            tells_moves: true,
            ..Telemetry::new(self.guarantee, self.ram, &self.core.log)
        }
    }

    fn restart_telemetry(&mut self) {
        let pages_per_block = self.core.flash.geometry().pages_per_block();
        self.core.log = CollectionLog::new(pages_per_block, self.core.log.threshold_pages);
    }

    fn inspect(&self) -> Inspection {
        let mut uses = Uses::new(&self.core.flash);
        let mut lists = self.logs.inspect(&mut uses);
        lists.extend(self.core.inspect(&mut uses));
        Inspection { map: self.core.places(), blocks: uses.done(), lists, ..Inspection::default() }
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn, what: Prefetch) {
        if what == Prefetch::Map {
            prefetch(&self.core.logged, lpn.0 as usize);
        }
    }
}

impl<F: Probe, L: Logs> Background for LogBlock<F, L> {}
