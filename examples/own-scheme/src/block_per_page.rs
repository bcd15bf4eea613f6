//! A complete scheme: each write goes to the first page of a free block and erases the block of the old version.
//! It never copies a page; each write costs one program and one erase. The price is space: one page per block.
//!
//! A mount reads the LPN from the first OOB of each block. If two blocks hold the same page, the one with the higher
//! sequence number wins. Parameters: `share` (at most N − 1 pages), `spare`.

use crate::told;
use ftlkit::flash::{BlockId, Cause, FlashError, Geometry, Lpn, Oob, Part, Probe};
use ftlkit::ftl::{
    Background, BuildResult, CollectionLog, Ftl, FtlError, Guarantee, Inspection, Layout, Plan,
    Preset, Ram, SchemeConfig, Setup, Start, Telemetry,
};
use std::collections::VecDeque;

/// Declaration of the scheme.
pub static PRESET: Preset = Preset {
    name: "block-per-page",
    summary: "each write goes to the first page of a free block; nothing is copied",
    source: "an example",
    settings: &[],
    victims: None,
    page: "Each write goes to the first page of a free block.",
    buffer: None,
    plan,
    build: make,
};

fn plan(config: &SchemeConfig, part: &Part, _: &Geometry, n: u32) -> Result<Plan, FtlError> {
    let logical_pages = config.logical_pages.unwrap_or(n - 1);
    if logical_pages > n - 1 {
        let reason = format!("exports {logical_pages} pages; at most {} fit", n - 1);
        return Err(FtlError::Config { scheme: PRESET.name, setting: "logical share", reason });
    }
    let guarantee = Guarantee { real_time: true, ..Guarantee::worst_case(part, part.t_bers_ns, 1) };
    let ram = Ram { map: u64::from(logical_pages) * 8, ..Ram::default() };
    let (threshold_pages, spare_blocks, layout) = (0, 0, Layout::Own);
    let (buffer, slc) = (None, None);
    Ok(Plan { logical_pages, threshold_pages, spare_blocks, layout, buffer, slc, guarantee, ram })
}

fn make<F: Probe + Clone + 'static>(setup: &Setup<'_>, flash: F) -> BuildResult<F> {
    let is_good = |block: &BlockId| !flash.is_bad(*block);
    let good: Vec<_> = (0..flash.geometry().blocks()).map(BlockId).filter(is_good).collect();
    let (plan, places) = (*setup.plan, vec![None; setup.plan.logical_pages as usize]);
    let (free, log) = (VecDeque::new(), CollectionLog::default());
    let mut scheme = BlockAPage { flash, places, free, seq: 0, plan, log };
    for block in good {
        scheme.find(block, setup.start == Start::Mount)?;
    }
    Ok(setup.finish(scheme))
}

pub(crate) type Place = Option<(u64, BlockId)>;

#[derive(Clone, Debug)]
struct BlockAPage<F> {
    flash: F,
    places: Vec<Place>,
    free: VecDeque<BlockId>,
    seq: u64,
    plan: Plan,
    log: CollectionLog,
}

impl<F: Probe> BlockAPage<F> {
    /// Adopts the content of a block at a mount, or erases the block.
    fn find(&mut self, block: BlockId, mounting: bool) -> Result<(), FtlError> {
        let ppn = self.flash.geometry().ppn(block, 0);
        match self.flash.read_oob(ppn, Cause::Mount) {
            Ok(Oob { lpn, seq, .. }) if mounting => {
                self.seq = self.seq.max(seq);
                let place = &mut self.places[lpn.0 as usize];
                let (newer, older) =
                    ((*place).max(Some((seq, block))), (*place).min(Some((seq, block))));
                *place = newer;
                self.release(older, Cause::Mount)
            }
            Ok(_) | Err(FlashError::Erased(_) | FlashError::Uncorrectable(_)) => {
                self.release(Some((0, block)), Cause::Mount)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Erases a block, if given, and queues it as free; if the erase fails, marks the block bad.
    fn release(&mut self, place: Place, cause: Cause) -> Result<(), FtlError> {
        let Some((_, block)) = place else { return Ok(()) };
        told::erase(&mut self.flash, block, cause);
        match self.flash.erase(block, cause) {
            Ok(()) => self.free.push_back(block),
            Err(FlashError::EraseFailed(_)) => self.flash.mark_bad(block)?,
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

impl<F: Probe> Ftl for BlockAPage<F> {
    type Flash = F;

    fn flash(&self) -> &F {
        &self.flash
    }
    fn flash_mut(&mut self) -> &mut F {
        &mut self.flash
    }
    fn into_flash(self: Box<Self>) -> F {
        self.flash
    }
    fn logical_pages(&self) -> u32 {
        self.plan.logical_pages
    }
    fn write(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.check(lpn)?;
        let pages_per_block = self.flash.geometry().pages_per_block();
        let full = FtlError::Full { free_pages: 0, victim_valid: 1, pages_per_block };
        let block = self.free.pop_front().ok_or(full)?;
        self.seq += 1;
        let ppn = self.flash.geometry().ppn(block, 0);
        let done = self.flash.program(ppn, Oob::data(lpn, self.seq), data, Cause::Host);
        if let Err(FlashError::ProgramFailed(_)) = done {
            self.flash.mark_bad(block)?;
            return self.write(lpn, data);
        }
        done?;
        let old = self.places[lpn.0 as usize].replace((self.seq, block));
        self.release(old, Cause::Collection)
    }
    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        self.check(lpn)?;
        if let Some((_, block)) = self.places[lpn.0 as usize] {
            let ppn = self.flash.geometry().ppn(block, 0);
            return Ok(self.flash.read(ppn, data, Cause::Host).map(|_| true)?);
        }
        data.into_iter().for_each(|data| data.fill(0));
        Ok(false)
    }
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        let old = self.places[lpn.0 as usize].take();
        self.release(old, Cause::Collection)
    }
    fn free_pages(&self) -> u64 {
        let pages = u64::from(self.flash.geometry().pages_per_block());
        self.free.len() as u64 * pages + self.places.iter().flatten().count() as u64 * (pages - 1)
    }
    fn telemetry(&self) -> Telemetry<'_> {
        Telemetry::new(self.plan.guarantee, self.plan.ram, &self.log)
    }
    fn restart_telemetry(&mut self) {}
    fn inspect(&self) -> Inspection {
        told::state(&self.flash, &self.places, &self.free)
    }
}

impl<F: Probe> Background for BlockAPage<F> {}
