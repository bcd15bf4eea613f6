//! `rftl`: three physical blocks per logical block; collection in steps no longer than an erase, only after
//! writes to that logical block.
//!
//! ```text
//! write(lpn):                              # b = logical block of lpn; D, W, R = its three blocks
//!   read the OOB of b's newest page (the page map)
//!   program the next page of D or, if D is full, of W
//!   if b is not being collected and is due: begin
//!       # primary-full: W holds a page, so D is full; N: W holds N pages; late: W has k erased pages left
//!   if b is being collected:               # one step
//!     copy:  copy the newest versions of α more pages of b, as they were at the beginning, to R,
//!            or, if none is left, erase D: R is the new D, writes go to the erased block
//!     drain: copy α more pages whose newest version is still in the old W to the new one, after the writes,
//!            or, if none is left, erase the old W: it is the new R
//!   (if no newest version is in D at the beginning, D is erased and W is the new D: one step)
//! read(lpn): read the OOB of b's newest page, read the page
//! ```
//!
//! State and cost: the page map is in the OOB of the page programmed last, so a controller's RAM holds one entry
//! of 4 B per physical block. The OOB of the simulated array has room for one LPN. So the simulation keeps the map in
//! its own memory (2 B per logical page) and rebuilds it at a mount. It charges the OOB read that fetches the map with
//! each access to a logical block that is not empty. O(1) per task, O(π) per collection.
//!
//! Formulas (t in ns, pages): σ = 1/3; U(e_r) = t_rd + t_oob; U(e_w) = t_wr + t_oob; a step takes at most
//! t_er; U(R) = max(U(e_r), t_er + U(e_w)); α = ⌊t_er/(t_rd+t_wr)⌋; k = ⌈π/α⌉;
//! 2k + ⌈k/α⌉ + 2 ≤ π. Derivation and proof: [`bounds::rftl::CollectionSteps`].
//!
//! Power cuts: pages of a block carry one sequence number, with a number that is new when the block is opened. R has
//! the number of W, and says how many pages W held at the beginning. The copies in R are newer than these, and older
//! than W's later pages (k at most). So versions are ordered: D, W's pages before the beginning, R, W's later pages,
//! the new buffer. A mount orders them in this way. Before any request it finishes every collection that was
//! interrupted or may not wait. If R has a torn page, it may be one page short; it is erased and copied anew, since D
//! and W still hold all pages.
//!
//! Failures: if a program fails, the newest versions of the whole logical block are copied to one erased block at
//! once. Its other blocks are erased, and no bound holds for that write. A spare block replaces a block that goes bad.
//!
//! Invariants: every write finds a page; no step is longer than t_er. Asserted by the conformance, power-cut and
//! exhaustive suites and, on every run, by the count of violations.
//!
//! Parameters:
//! - `logical_share`: up to, and by default, 1/3: whole logical blocks.
//! - `trigger`: `primary-full`, the default, begins a collection with the first write that finds D full. A logical block
//!   that is full of data is then always being collected: up to π + k copies and two erases per k + ⌈k/α⌉ + 2 writes.
//!   A number N, 1 to π − k, begins it when W holds N pages; `late` when W has only k erased pages left (N = π − k).
//! - `spare_blocks`: default 0.
//!
//! Errors: blocks too small for α, α = 0, more than 21,844 pages per block, fewer than 3 usable blocks, too
//! large a share: refused before the run.
//!
//! Deviations: the RTAS paper was not available; the comparison leaves the turns of the three blocks open. It has
//! collection begin when the primary block is full (§3.3, §6.1), which is the default, and when the logical block is
//! (§6.2), which is taken for `late`; docs/papers/lazy-rtgc.md has what lies between. An unreadable OOB is charged and
//! skipped.
//!
//! Source: Z. Qin, Y. Wang, D. Liu, Z. Shao, Real-time flash translation layer for NAND flash memory
//! storage systems, RTAS 2012; as described in Zhang et al., Lazy-RTGC, ACM TODAES 20(3):43, 2015, §3.3, §7
//! and Table I.

mod collection;
mod inspect;
mod mount;
mod rescue;
mod stamp;
mod triple;

use crate::block_mapped::{NONE, Pool};
use crate::error::FtlError;
use crate::guarantee::{Guarantee, Ram};
use crate::inspection::Inspection;
use crate::interface::{Background, Ftl, Prefetch, on_array, zeros};
use crate::layout::{Layout, RftlLayout, RftlTrigger};
use crate::page::page;
use crate::plan::Plan;
use crate::preset::{BuildResult, Preset, SchemeConfig, Setup, Start};
use crate::telemetry::{CollectionLog, Telemetry};
use alloc::{format, string::ToString, vec, vec::Vec};
use bounds::BoundError;
use flash::prefetch::prefetch;
use flash::{BlockId, Cause, FlashError, Geometry, Lpn, Oob, Part, Ppn, Probe};
use triple::{EMPTY, Triple};

pub(crate) static PRESET: Preset = Preset {
    name: "rftl",
    summary: "three physical blocks per logical block, one collection step of at most t_er after each write to \
        it",
    source: "Qin, Wang, Liu, Shao, RTAS 2012; as in Zhang et al., TODAES 20(3):43, 2015",
    settings: &["trigger"],
    victims: None,
    page: page!("rftl.rs"),
    buffer: None,
    plan,
    build,
};

/// Most pages per block with which a location within three blocks fits 16 bits.
const MOST_PAGES: u32 = (LOST as u32 - 1) / 3;

/// Location of a lost page: its only copy is unreadable; reads fail until it is written again.
const LOST: u16 = u16::MAX - 1;

fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    let error = |setting, reason| FtlError::Config { scheme: config.preset.name, setting, reason };
    let steps = bounds::rftl::collection(part).map_err(|cause| {
        let setting = match cause {
            BoundError::CopyLongerThanErase { .. } | BoundError::BlockTooSmall { .. } => "part",
            _ => "capacity",
        };
        error(setting, cause.to_string())
    })?;
    let pages_per_block = geometry.pages_per_block();
    if pages_per_block > MOST_PAGES {
        return Err(error(
            "part",
            format!("has {pages_per_block} pages per block; at most {MOST_PAGES} can be mapped"),
        ));
    }
    let most = blocks / 3 * pages_per_block;
    let logical_pages = config.logical_pages.unwrap_or(most);
    if logical_pages > most {
        return Err(error(
            "logical share",
            format!(
                "exports {logical_pages} pages; at most {most} of the {} fit: one logical block on three physical ones",
                u64::from(blocks) * u64::from(pages_per_block)
            ),
        ));
    }
    let trigger = config.trigger.unwrap_or(RftlTrigger::PrimaryFull);
    let latest = pages_per_block - steps.begins_at_pages;
    if let RftlTrigger::Pages(pages) = trigger
        && !(1..=latest).contains(&pages.into())
    {
        return Err(error(
            "trigger",
            format!(
                "begins a collection at {pages} pages of the buffer block; 1 to {latest} keep the bound"
            ),
        ));
    }
    Ok(Plan {
        logical_pages,
        threshold_pages: 0,
        spare_blocks: 0,
        layout: Layout::Rftl(RftlLayout { steps, trigger }),
        buffer: None,
        slc: None,
        guarantee: Guarantee {
            read_ns: Some(bounds::rftl::read_ns(part)),
            write_ns: Some(bounds::rftl::write_ns(part)),
            step_ns: Some(part.t_bers_ns),
            response_ns: Some(bounds::rftl::response_ns(part)),
            victim_valid: Some(bounds::rftl::victim_valid(part)),
            real_time: true,
            ..Guarantee::default()
        },
        ram: ram(geometry),
    })
}

fn ram(geometry: &Geometry) -> Ram {
    Ram { map: bounds::ram::rftl(geometry.blocks()).total(), ..Ram::default() }
}

/// Formats or mounts the array, and returns the scheme.
fn build<F: Probe + Clone + 'static>(setup: &Setup<'_>, flash: F) -> BuildResult<F> {
    let Setup { config, plan, start } = *setup;
    let Layout::Rftl(layout) = plan.layout else { return Err(setup.foreign_plan()) };
    let mut scheme = Rftl::new(flash, plan, layout);
    match start {
        Start::Format => {
            scheme.pool.format(&mut scheme.flash, config, plan, &mut scheme.log)?;
            scheme.fill_up_triples();
        }
        Start::Mount => scheme.mount()?,
    }
    Ok(setup.finish(scheme))
}

/// The scheme; see the module header.
#[derive(Clone, Debug)]
pub(crate) struct Rftl<F> {
    flash: F,
    triples: Vec<Triple>,
    /// Location of each logical page within the three blocks of its logical block.
    places: Vec<u16>,
    /// Spare blocks.
    pool: Pool,
    /// The last number given to a block.
    last_number: u64,
    copies_per_step: u32,
    /// Written pages of the buffer at which a collection begins.
    begins_at: u32,
    /// Written pages of the buffer at which it must begin at the latest, π − k.
    latest: u32,
    /// A mount is running: steps are charged to it.
    mounting: bool,
    guarantee: Guarantee,
    log: CollectionLog,
}

impl<F: Probe> Rftl<F> {
    fn new(flash: F, plan: &Plan, RftlLayout { steps, trigger }: RftlLayout) -> Self {
        let geometry = *flash.geometry();
        let pages_per_block = geometry.pages_per_block();
        let latest = pages_per_block - steps.begins_at_pages;
        let logical_blocks = plan.logical_pages.div_ceil(pages_per_block);
        Self {
            flash,
            triples: vec![Triple::MISSING; logical_blocks as usize],
            places: vec![EMPTY; plan.logical_pages as usize],
            pool: Pool::new(&geometry, plan.spare_blocks),
            last_number: 0,
            copies_per_step: steps.copies_per_step,
            begins_at: match trigger {
                // The data block is full when the buffer gets its first page.
                RftlTrigger::PrimaryFull => 1,
                RftlTrigger::Pages(pages) => pages.into(),
                RftlTrigger::Late => latest,
            },
            latest,
            mounting: false,
            guarantee: plan.guarantee,
            log: CollectionLog::new(pages_per_block, plan.threshold_pages.into()),
        }
    }

    /// Gives every logical block its three blocks, while there are erased ones.
    fn fill_up_triples(&mut self) {
        for triple in &mut self.triples {
            for block in triple.blocks.iter_mut().filter(|block| **block == NONE) {
                *block = self.pool.take().map_or(NONE, |block| block.0);
            }
        }
    }

    /// The logical block of a page.
    #[inline]
    fn logical_block(&self, lpn: Lpn) -> usize {
        self.flash.geometry().block_of(Ppn(lpn.0)).0 as usize
    }

    #[inline]
    fn pages_per_block(&self) -> u32 {
        self.flash.geometry().pages_per_block()
    }

    /// The logical pages of a logical block, as indices of `places`.
    #[inline]
    fn pages_of(&self, logical: usize) -> core::ops::Range<usize> {
        let pages = self.pages_per_block() as usize;
        logical * pages..((logical + 1) * pages).min(self.places.len())
    }

    #[inline]
    fn cause(&self) -> Cause {
        if self.mounting { Cause::Mount } else { Cause::Collection }
    }

    /// Fetches the page map from the OOB of the page programmed last.
    #[inline]
    fn fetch_map(&mut self, logical: usize) -> Result<(), FtlError> {
        let triple = &self.triples[logical];
        if triple.newest == EMPTY {
            return Ok(());
        }
        let ppn = triple.ppn(triple.newest, self.pages_per_block());
        match self.flash.read_oob(ppn, Cause::Translation) {
            Ok(_) | Err(FlashError::Uncorrectable(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Slot, page and sequence number of the next write.
    #[inline]
    fn room(&mut self, logical: usize) -> Result<(usize, u32, u64), FtlError> {
        let pages_per_block = self.pages_per_block();
        let mut slot = self.triples[logical].open_slot(pages_per_block);
        if self.pool.has_failed(BlockId(self.triples[logical].blocks[slot])) {
            // Its rescue found no room.
            self.rescue(logical)?;
            slot = self.triples[logical].open_slot(pages_per_block);
        }
        let triple = &mut self.triples[logical];
        let (block, page) = (triple.blocks[slot], u32::from(triple.written[slot]));
        if block == NONE || page == pages_per_block {
            return Err(self.full());
        }
        Ok((slot, page, triple.open_seq(slot, &mut self.last_number)))
    }

    /// Maps the logical page `at` of `places` to the page just programmed in a slot, by the host or as a copy.
    #[inline]
    fn programmed(&mut self, logical: usize, at: usize, slot: usize) {
        let pages_per_block = self.pages_per_block();
        let triple = &mut self.triples[logical];
        let place = triple.use_page(slot, pages_per_block);
        triple.newest = place;
        self.places[at] = place;
        self.pool.programmed(1);
    }

    /// Accounts for a failed program of a slot's next page.
    #[cold]
    fn failed(&mut self, logical: usize, slot: usize) {
        let pages_per_block = self.pages_per_block();
        let triple = &mut self.triples[logical];
        let unused = pages_per_block - u32::from(triple.written[slot]);
        let block = BlockId(triple.blocks[slot]);
        let place = triple.use_page(slot, pages_per_block);
        self.pool.fail(triple.ppn(place, pages_per_block), block, unused);
    }

    #[cold]
    fn full(&self) -> FtlError {
        let pages_per_block = self.pages_per_block();
        let free_pages = self.pool.free_pages();
        FtlError::Full { free_pages, victim_valid: pages_per_block, pages_per_block }
    }
}

impl<F: Probe> Ftl for Rftl<F> {
    on_array!(self, self.flash, self.places.len() as u32);

    #[inline]
    fn write(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.check(lpn)?;
        let logical = self.logical_block(lpn);
        self.fetch_map(logical)?;
        loop {
            let (slot, page, seq) = self.room(logical)?;
            let block = BlockId(self.triples[logical].blocks[slot]);
            let ppn = self.flash.geometry().ppn(block, page);
            match self.flash.program(ppn, Oob::data(lpn, seq), data, Cause::Host) {
                Ok(()) => break self.programmed(logical, lpn.0 as usize, slot),
                Err(FlashError::ProgramFailed(_)) => {
                    self.failed(logical, slot);
                    self.rescue(logical)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.log.least_free_pages = self.log.least_free_pages.min(self.pool.free_pages());
        self.step_behind_write(logical)
    }

    #[inline]
    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        self.check(lpn)?;
        let logical = self.logical_block(lpn);
        self.fetch_map(logical)?;
        match self.places[lpn.0 as usize] {
            EMPTY => {
                zeros(data);
                Ok(false)
            }
            LOST => Err(FlashError::Uncorrectable(Ppn(u32::MAX)).into()),
            place => {
                let ppn = self.triples[logical].ppn(place, self.pages_per_block());
                self.flash.read_data(ppn, data, Cause::Host)?;
                Ok(true)
            }
        }
    }

    fn is_present(&mut self, lpn: Lpn) -> Result<bool, FtlError> {
        self.check(lpn)?;
        Ok(self.places[lpn.0 as usize] != EMPTY)
    }

    #[inline]
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.places[lpn.0 as usize] = EMPTY;
        Ok(())
    }

    #[inline]
    fn free_pages(&self) -> u64 {
        self.pool.free_pages()
    }

    fn telemetry(&self) -> Telemetry<'_> {
        Telemetry {
            heap_bytes: self.triples.capacity() * size_of::<Triple>()
                + self.places.capacity() * 2
                + self.pool.heap_bytes(),
            yields: true,
            ..Telemetry::new(self.guarantee, ram(self.flash.geometry()), &self.log)
        }
    }

    fn restart_telemetry(&mut self) {
        self.log = CollectionLog::new(self.pages_per_block(), self.log.threshold_pages);
    }

    fn inspect(&self) -> Inspection {
        self.tell()
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn, what: Prefetch) {
        if (lpn.0 as usize) < self.places.len() && what == Prefetch::Map {
            prefetch(&self.triples, self.logical_block(lpn));
            prefetch(&self.places, lpn.0 as usize);
        }
    }
}

impl<F: Probe> Background for Rftl<F> {}
