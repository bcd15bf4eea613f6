//! A log-block scheme: the core that all share, and the log blocks of one.

use super::{Core, Room, Survey, stamp::Role};
use crate::{
    CollectionLog, DirtyPages, FtlError, Guarantee, NoBuffer, Plan, Prefetch, Ram, Scheme,
    SchemeConfig, start::Start,
};
use flash::prefetch::prefetch;
use flash::{Cause, Flash, FlashError, Lpn, Oob};

/// Which log blocks there are, and what goes to which.
pub(crate) trait Logs: Clone {
    /// A page where the next version of `lpn` may be programmed; merges where there is none.
    fn room<F: Flash, B: DirtyPages>(
        &mut self,
        core: &mut Core<F>,
        lpn: Lpn,
        buffer: &mut B,
    ) -> Result<Room, FtlError>;

    /// The page, of a log block, is used up: by `lpn`, or by a program that failed. The core has the place
    /// of the version before yet.
    fn used<F: Flash>(&mut self, core: &mut Core<F>, lpn: Lpn, room: &Room, failed: bool);

    /// A page is about to be forgotten.
    #[inline]
    fn forget<F: Flash>(&mut self, _core: &Core<F>, _lpn: Lpn) {}

    /// Takes over what is on flash.
    fn mount<F: Flash>(&mut self, core: &mut Core<F>, survey: Survey) -> Result<(), FtlError>;

    fn heap_bytes(&self) -> usize;
}

/// A scheme put together from its log blocks.
#[derive(Clone, Debug)]
pub(crate) struct LogBlock<F, L> {
    pub(crate) core: Core<F>,
    pub(crate) logs: L,
    guarantee: Guarantee,
    ram: Ram,
}

impl<F: Flash, L: Logs> LogBlock<F, L> {
    /// Formats or mounts.
    pub(crate) fn new(
        config: &SchemeConfig,
        plan: &Plan,
        start: Start,
        flash: F,
        logs: L,
    ) -> Result<Self, FtlError> {
        let core = Core::new(flash, plan);
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

impl<F: Flash, L: Logs> Scheme for LogBlock<F, L> {
    type Flash = F;

    const TELLS_MOVES: bool = true;

    #[inline]
    fn flash(&self) -> &F {
        &self.core.flash
    }

    #[inline]
    fn flash_mut(&mut self) -> &mut F {
        &mut self.core.flash
    }

    fn into_flash(self) -> F {
        self.core.flash
    }

    #[inline]
    fn logical_pages(&self) -> u32 {
        self.core.logical_pages
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, data: &[u8]) -> Result<(), FtlError> {
        self.write_below(lpn, data, &mut NoBuffer)
    }

    #[inline]
    fn write_below<B: DirtyPages>(
        &mut self,
        lpn: Lpn,
        data: &[u8],
        buffer: &mut B,
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
    fn read(&mut self, lpn: Lpn, data: &mut [u8]) -> Result<bool, FtlError> {
        self.check(lpn)?;
        let place = self.core.place(lpn);
        match place {
            None => {
                self.core.check_not_lost(lpn)?;
                data.fill(0);
            }
            Some(ppn) => {
                self.core.flash.read(ppn, data, Cause::Host)?;
            }
        }
        Ok(place.is_some())
    }

    #[inline]
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.logs.forget(&self.core, lpn);
        self.core.trim(lpn);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), FtlError> {
        // A write is on flash, with all that a mount needs, when it returns.
        Ok(())
    }

    #[inline]
    fn free_pages(&self) -> u64 {
        self.core.pool.free_pages()
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    fn ram(&self) -> Ram {
        self.ram
    }

    fn heap_bytes(&self) -> usize {
        self.core.heap_bytes() + self.logs.heap_bytes()
    }

    fn collections(&self) -> &CollectionLog {
        &self.core.log
    }

    fn restart_collections(&mut self) {
        let pages_per_block = self.core.flash.geometry().pages_per_block();
        self.core.log = CollectionLog::new(pages_per_block, self.core.log.threshold_pages);
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn, what: Prefetch) {
        if what == Prefetch::Map {
            prefetch(&self.core.logged, lpn.0 as usize);
        }
    }
}
