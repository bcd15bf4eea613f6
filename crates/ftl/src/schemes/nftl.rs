//! `nftl`: one primary block per logical block takes the first version of each page; a replacement block takes the
//! rewrites. When the replacement is full, or no block is left, both are folded into a new primary.
//!
//! ```text
//! write(lpn):                             # b = logical block of lpn
//!   loop:
//!     if b's blocks hold no version of lpn and its primary has an erased page: to the primary; break
//!     if b's replacement has an erased page: to the replacement; break
//!     if b has a replacement: fold(b)
//!     else:
//!       if no block may be opened: fold the F blocks whose replacements were opened longest ago
//!       open b's primary or, if it has one, its replacement
//!   program the next page there, lpn in its OOB
//! fold(b): search the OOBs backwards, replacement first; copy the newest version of each page to a
//!   new block; erase the primary, then the replacement; the new block is the primary
//! read(lpn): search the OOBs of the block that has it, the replacement if both, backwards; read the page
//! ```
//!
//! State and cost: two block numbers, counts and sequence numbers per logical block, and four bits per logical page: in
//! the primary, in the replacement, trimmed, lost. A write is O(1) besides folds; a read searches up to π OOB areas, a
//! fold 2π.
//!
//! Formulas (t in ns): U(e_r) = π·t_oob + t_rd; U(e_w) = t_wr; a fold takes at most 2π·t_oob + π(t_rd + t_wr) +
//! 2·t_er; U(R) = max(U(e_r), t_wr + F folds). See [`bounds::nftl`]. The bounds hold for any history, but they are
//! the cost of folds, not a real-time bound.
//!
//! Space: P = N + R + 1 physical blocks: N logical blocks, R replacement blocks, and one that is kept erased
//! for the fold. Spare blocks serve as replacement blocks until they are needed. Three of them are kept erased for a
//! fold in which programs and erases fail.
//!
//! A write needs no more than F folds, and F = 1 suffices. If a fold of `b` itself leaves no erased page in the new
//! primary, it has freed one block net, for the replacement. If no block may be opened, N + R blocks are in use by at
//! most N logical blocks, of which `b` has fewer than two. So with R ≥ 1 another logical block has two, and its fold
//! frees one.
//!
//! Power cuts: all pages of a block carry one sequence number, which is new when the block is opened. If one logical
//! block has three blocks, the youngest is an interrupted fold. It holds copies only, and the mount erases it. If a
//! younger block of the same logical block holds every page of an older one, the mount erases the older one: the erases of
//! a fold were interrupted, or every page was written again. A fold erases the older block first, so that no older version
//! becomes the newest. A page with a version in the replacement is not written to the primary again, so the replacement's
//! is the newer one.
//!
//! Invariants: every write finds a block; at most F folds per write; the newest version of each page is found. Asserted
//! by the conformance, power-cut and exhaustive suites and, on every run, by the count of violations.
//!
//! Parameters:
//! - `logical_share`: of P·π; at most, in whole blocks, (P − 2)/P; default N = ⌊8(P − 1)/9⌋, R ≈ N/8, close to the
//!   write queue that GFTL needs on the same part.
//! - `folds` (F): logical blocks folded when no block may be opened; default 1.
//! - `spare_blocks`: default 0.
//!
//! Errors: fewer than 3 usable blocks, more logical blocks than P − 2, no fold: refused before the run.
//!
//! Deviations: NAND is programmed in order. So a page does not go to its own place in the primary as in the
//! patent, but to the next erased page, in both blocks; the OOB has its LPN. GFTL's paper does not say how a read knows
//! which of two blocks to search: here by the bits in RAM, without which it would search both. Nor does it give F ("several
//! blocks"), or say which logical blocks to fold: here those whose replacements were opened longest ago. There is no fold
//! in idle time. After an unreadable page, a fold takes no older version: the pages that it has not found by then are
//! lost. Reads of them fail until they are written or trimmed. The list of pages lost to bit errors is kept until
//! the next mount only: after it an older version may be read.
//!
//! Source: A. Ban, Flash file system optimized for page-mode flash technologies, US patent 5,937,425, 1999,
//! as described in S. Choudhuri, T. Givargis, Deterministic service guarantees for NAND flash using partial
//! block cleaning, §II.

mod chains;
mod fold;
mod inspect;
mod mount;
mod words;

use crate::block_mapped::{NONE, PageSet, Pool, newest};
use crate::error::FtlError;
use crate::events;
use crate::guarantee::{Guarantee, Ram};
use crate::inspection::{BlockUse, Inspection};
use crate::interface::{Background, Ftl, Prefetch, on_array, zeros};
use crate::layout::Layout;
use crate::page::page;
use crate::plan::Plan;
use crate::preset::{BuildResult, Preset, SchemeConfig, Setup, Start};
use crate::telemetry::{CollectionLog, Telemetry};
use alloc::{format, vec, vec::Vec};
use chains::{Chains, Side};
use flash::{Cause, FlashError, Geometry, Lpn, Oob, Part, Ppn, Probe};

pub(crate) static PRESET: Preset = Preset {
    name: "nftl",
    summary: "block map, a replacement block for rewrites, folds when it is full or blocks run out",
    source: "Ban, US patent 5,937,425, 1999; as in Choudhuri, Givargis (GFTL), §II",
    settings: &["folds"],
    victims: None,
    page: page!("nftl.rs"),
    buffer: None,
    plan,
    build,
};

fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    let most = blocks - 2;
    let pages_per_block = geometry.pages_per_block();
    let default = (u64::from(blocks - 1) * 8 / 9) as u32;
    let default = default.clamp(1, most) * pages_per_block;
    let logical_pages = config.logical_pages.unwrap_or(default);
    if logical_pages > most * pages_per_block {
        return Err(FtlError::Config {
            scheme: config.preset.name,
            setting: "logical share",
            reason: format!(
                "exports {logical_pages} pages; at most {} of the {} fit, since a replacement block and one for the fold must be left",
                most * pages_per_block,
                u64::from(blocks) * u64::from(pages_per_block)
            ),
        });
    }
    let folds = config.folds.unwrap_or(1);
    if folds == 0 {
        return Err(FtlError::Config {
            scheme: config.preset.name,
            setting: "folds",
            reason: "is 0; a write that finds no block needs at least 1".into(),
        });
    }
    Ok(Plan {
        logical_pages,
        threshold_pages: 0,
        spare_blocks: 0,
        layout: Layout::Nftl { folds },
        buffer: None,
        slc: None,
        guarantee: Guarantee {
            read_ns: Some(bounds::nftl::read_ns(part)),
            write_ns: Some(part.t_prog_ns),
            step_ns: Some(u64::from(folds) * bounds::nftl::fold_ns(part)),
            response_ns: Some(bounds::nftl::response_ns(part, folds)),
            victim_valid: Some(pages_per_block),
            real_time: false,
            ..Guarantee::default()
        },
        ram: ram(geometry, logical_pages),
    })
}

/// Controller RAM. Per logical block: two block numbers, sequence numbers and 16-bit counts, and a place in the queue of
/// replacements. The ring of erased blocks; four bits per page.
fn ram(geometry: &Geometry, logical_pages: u32) -> Ram {
    let logical_blocks = u64::from(logical_pages.div_ceil(geometry.pages_per_block()));
    Ram {
        map: logical_blocks * 2 * (4 + 8) + 2 * PageSet::ram_bytes(logical_pages),
        blocks: logical_blocks * 2 * 2,
        victims: logical_blocks * 2 * 4 + u64::from(geometry.blocks()) * 4,
        other: 2 * PageSet::ram_bytes(logical_pages),
        ..Ram::default()
    }
}

/// Formats or mounts the array, and returns the scheme.
fn build<F: Probe + Clone + 'static>(setup: &Setup<'_>, flash: F) -> BuildResult<F> {
    let Setup { config, plan, start } = *setup;
    let Layout::Nftl { folds } = plan.layout else { return Err(setup.foreign_plan()) };
    let mut scheme = Nftl::new(flash, plan, folds);
    match start {
        Start::Format => {
            scheme.pool.format(&mut scheme.flash, config, plan, &mut scheme.log)?;
        }
        Start::Mount => scheme.mount()?,
    }
    Ok(setup.finish(scheme))
}

/// Failed programs and erases that one fold tolerates with spare blocks.
const FAILURES_A_FOLD: u32 = 3;

/// The scheme; see the module header.
#[derive(Clone, Debug)]
pub(crate) struct Nftl<F> {
    flash: F,
    chains: Chains,
    pool: Pool,
    /// Pages with a version in their primary, and in their replacement.
    in_primary: PageSet,
    in_replacement: PageSet,
    trimmed: PageSet,
    /// Pages that a fold did not find, but that an unreadable page may have held.
    lost: PageSet,
    logical_pages: u32,
    /// Sequence number of the block opened last.
    last_seq: u64,
    /// F: logical blocks folded when no block may be opened.
    folds: u32,
    /// PPN of the newest version of each page of the logical block in a fold.
    places: Vec<u32>,
    guarantee: Guarantee,
    log: CollectionLog,
}

impl<F: Probe> Nftl<F> {
    fn new(flash: F, plan: &Plan, folds: u32) -> Self {
        let geometry = *flash.geometry();
        let pages_per_block = geometry.pages_per_block();
        Self {
            flash,
            chains: Chains::new(plan.logical_pages.div_ceil(pages_per_block)),
            pool: Pool::new(&geometry, plan.spare_blocks),
            in_primary: PageSet::new(plan.logical_pages),
            in_replacement: PageSet::new(plan.logical_pages),
            trimmed: PageSet::new(plan.logical_pages),
            lost: PageSet::new(plan.logical_pages),
            logical_pages: plan.logical_pages,
            last_seq: 0,
            folds,
            places: vec![NONE; pages_per_block as usize],
            guarantee: plan.guarantee,
            log: CollectionLog::new(pages_per_block, plan.threshold_pages.into()),
        }
    }

    /// The logical block of a page.
    #[inline]
    fn logical_block(&self, lpn: Lpn) -> u32 {
        self.flash.geometry().block_of(Ppn(lpn.0)).0
    }

    /// Number of erased blocks kept for folds: one and, while spare blocks are left, some for failed programs and
    /// erases.
    fn reserve(&self) -> u32 {
        1 + self.pool.spare_blocks().min(FAILURES_A_FOLD)
    }

    /// The block that holds the newest version of a page.
    #[inline]
    fn side(&self, lpn: Lpn) -> Option<Side> {
        match (self.in_replacement.contains(lpn), self.in_primary.contains(lpn)) {
            (true, _) => Some(Side::Replacement),
            (_, true) => Some(Side::Primary),
            _ => None,
        }
    }

    /// Returns the block that takes the next version of a page.
    #[inline]
    fn room(&mut self, logical: u32, lpn: Lpn) -> Result<Side, FtlError> {
        let pages_per_block = self.flash.geometry().pages_per_block();
        loop {
            let chain = self.chains.get(logical);
            let has_room = |side: &Side| {
                chain.block(*side).is_some_and(|(block, written)| {
                    written < pages_per_block && !self.pool.has_failed(block)
                })
            };
            // A fold may have changed it.
            let sides = match self.side(lpn) {
                None => &[Side::Primary, Side::Replacement][..],
                Some(_) => &[Side::Replacement],
            };
            if let Some(side) = sides.iter().copied().find(has_room) {
                return Ok(side);
            }
            self.grow(logical)?;
        }
    }

    /// Opens a block or folds, if there is no erased page.
    fn grow(&mut self, logical: u32) -> Result<(), FtlError> {
        if self.chains.get(logical).has_replacement() {
            return self.fold(logical);
        }
        if self.pool.len() <= self.reserve() {
            for _ in 0..self.folds {
                let Some(oldest) = self.chains.oldest() else { break };
                self.fold(oldest)?;
            }
            // That is enough unless blocks went bad.
            while self.pool.len() <= self.reserve() {
                let oldest = self.chains.oldest().ok_or_else(|| self.full())?;
                self.fold(oldest)?;
            }
        }
        let block = self.pool.take().ok_or_else(|| self.full())?;
        let role = match self.chains.get(logical).block(Side::Primary) {
            None => BlockUse::DATA,
            Some(_) => BlockUse::REPLACEMENT,
        };
        events::opened(&mut self.flash, block, role, logical);
        self.last_seq += 1;
        self.chains.open(logical, block, self.last_seq);
        Ok(())
    }

    #[cold]
    fn full(&self) -> FtlError {
        let pages_per_block = self.flash.geometry().pages_per_block();
        let free_pages = self.pool.free_pages();
        FtlError::Full { free_pages, victim_valid: pages_per_block, pages_per_block }
    }

    /// Searches the block that holds the newest version of a page.
    fn locate(&mut self, lpn: Lpn) -> Result<Option<Ppn>, FtlError> {
        let chain = self.chains.get(self.logical_block(lpn));
        let Some((block, written)) = self.side(lpn).and_then(|side| chain.block(side)) else {
            return Ok(None);
        };
        let found = newest(&mut self.flash, &self.pool, block, written, lpn, Cause::Translation)?;
        Ok(found.map(|page| self.flash.geometry().ppn(block, page)))
    }
}

impl<F: Probe> Ftl for Nftl<F> {
    on_array!(self, self.flash, self.logical_pages);

    #[inline]
    fn write(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.check(lpn)?;
        let logical = self.logical_block(lpn);
        loop {
            let side = self.room(logical, lpn)?;
            let chain = self.chains.get(logical);
            let (block, written) = chain.block(side).ok_or_else(|| self.full())?;
            let seq = chain.seq(side);
            let ppn = self.flash.geometry().ppn(block, written);
            match self.flash.program(ppn, Oob::data(lpn, seq), data, Cause::Host) {
                Ok(()) => {
                    self.chains.programmed(logical, side);
                    self.pool.programmed(1);
                    match side {
                        Side::Primary => self.in_primary.insert(lpn),
                        Side::Replacement => self.in_replacement.insert(lpn),
                    }
                    self.trimmed.remove(lpn);
                    self.lost.remove(lpn);
                    self.log.least_free_pages =
                        self.log.least_free_pages.min(self.pool.free_pages());
                    return Ok(());
                }
                Err(FlashError::ProgramFailed(_)) => {
                    let unused = self.flash.geometry().pages_per_block() - written;
                    self.pool.fail(ppn, block, unused);
                    self.chains.programmed(logical, side);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    #[inline]
    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        self.check(lpn)?;
        let place = if self.trimmed.contains(lpn) { None } else { self.locate(lpn)? };
        match place {
            None if self.lost.contains(lpn) => {
                return Err(FlashError::Uncorrectable(Ppn(NONE)).into());
            }
            None => zeros(data),
            Some(ppn) => {
                self.flash.read_data(ppn, data, Cause::Host)?;
            }
        }
        Ok(place.is_some())
    }

    fn is_present(&mut self, lpn: Lpn) -> Result<bool, FtlError> {
        self.check(lpn)?;
        let found = !self.trimmed.contains(lpn) && self.side(lpn).is_some();
        Ok(found || self.lost.contains(lpn))
    }

    #[inline]
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.trimmed.insert(lpn);
        self.lost.remove(lpn);
        Ok(())
    }

    #[inline]
    fn free_pages(&self) -> u64 {
        self.pool.free_pages()
    }

    fn telemetry(&self) -> Telemetry<'_> {
        Telemetry {
            heap_bytes: self.chains.heap_bytes()
                + self.pool.heap_bytes()
                + [&self.in_primary, &self.in_replacement, &self.trimmed, &self.lost]
                    .map(PageSet::heap_bytes)
                    .iter()
                    .sum::<usize>()
                + self.places.capacity() * 4,
            ..Telemetry::new(
                self.guarantee,
                ram(self.flash.geometry(), self.logical_pages),
                &self.log,
            )
        }
    }

    fn restart_telemetry(&mut self) {
        let pages_per_block = self.flash.geometry().pages_per_block();
        self.log = CollectionLog::new(pages_per_block, self.log.threshold_pages);
    }

    fn state(&self) -> Option<Vec<u32>> {
        Some(self.words())
    }

    fn inspect(&self) -> Inspection {
        self.tell()
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn, what: Prefetch) {
        if what == Prefetch::Map && lpn.0 < self.logical_pages {
            self.chains.prefetch(self.logical_block(lpn));
        }
    }
}

impl<F: Probe> Background for Nftl<F> {}
