//! `superblock`: D adjacent logical blocks share their physical blocks, with each page anywhere in them. When no block
//! is left for a superblock that needs one, the block with fewest valid pages is collected into its own superblock's
//! open block.
//!
//! ```text
//! write(lpn):                        # superblock s of lpn
//!   if s has no open block with an erased page:
//!     if only the block kept for collection is left: gain a block
//!     open a block for s
//!   program lpn at the next page of s's open block
//! gain a block:
//!   s' = superblock of the full block with fewest valid pages, of those that hold more blocks than their
//!        valid pages need
//!   until there is one erased block more than before:
//!     copy the valid pages of the least valid full block of s' to its open block, or to a new one when
//!     that is full; erase it
//! ```
//!
//! State and cost: 4 bytes per logical page (the map); per block a valid count, π valid bits, and its links among
//! the candidates; 24 bytes per superblock, and 4 per block in its list. A read or write is O(1) besides
//! collection. Victim selection takes O(π), and within its superblock O(D + K).
//!
//! Formulas (t in ns): U(e_r) = t_rd; U(e_w) = t_wr; a write collects at most every block of one superblock,
//! (D + 1)·π(t_rd + t_wr) + (D + K)·t_er: see [`bounds::log_block::superblock_step_ns`]. This holds for any history,
//! but it is the cost of collection, not a real-time bound.
//!
//! Space: P = N_l + K + 1 blocks: one per logical block, K update blocks, and one that is kept erased for
//! collection. If no other is left, superblocks use N_l + K blocks, and their valid pages need N_l at most. So one
//! superblock holds more blocks than it needs. A victim of it has at least one invalid page, and each step leaves room
//! for the next.
//!
//! Power cuts: a superblock has one open block, the youngest of its blocks. So the newer of two versions of a page is
//! in the block with the larger sequence number, or later in the same block. Collection erases a block
//! when all its valid pages are copied. If a mount finds the kept block in use, it holds copies only and is erased.
//!
//! Invariants: every write finds a block; no valid page is erased; an older version is never found. Asserted
//! by the conformance and power-cut suites.
//!
//! Parameters:
//! - `log_blocks`: K, at least 1; default 128, at most an eighth of the blocks or what `logical_share` leaves.
//! - `logical_share`: at most, in whole blocks, (P − 2)/P; default what K leaves.
//! - `spare_blocks`: default 0.
//! - `superblock`: D, a power of two; default 8. Above the number of logical blocks there is one superblock.
//!
//! Errors: fewer than 3 usable blocks, or N_l + K > P − 1: refused before the run. A page that collection cannot read
//! is lost: reads of it fail until it is written or trimmed. The list of lost pages is kept until the next mount
//! only. After it such a page reads as never written, or an older version is read.
//!
//! Deviations: the map within a superblock is kept in RAM, so no map read is charged; the source keeps it in
//! OOB areas and caches part of it. Update blocks are not divided among superblocks: one may use all. Collection does
//! not separate hot and cold pages.
//!
//! Source: J.-U. Kang, H. Jo, J.-S. Kim, J. Lee, A superblock-based flash translation layer for NAND flash
//! memory, EMSOFT 2006; victim selection as described in S. Lee, D. Shin, J. Kim, Buffer-aware garbage
//! collection for NAND flash memory-based storage systems, 2008, §2.

mod candidates;
mod collection;
mod inspect;
mod mount;
mod scheme;

use crate::block_mapped::Pool;
use crate::error::FtlError;
use crate::guarantee::{Guarantee, Ram};
use crate::layout::{Layout, LogBlockLayout};
use crate::log_block::stamp::{Clock, Role};
use crate::log_block::{Division, NONE, divide};
use crate::page::page;
use crate::page_mapped::blocks::BlockTable;
use crate::page_mapped::core::LOST;
use crate::plan::Plan;
use crate::preset::{BuildResult, Preset, SchemeConfig, Setup, Start};
use crate::telemetry::CollectionLog;
use alloc::{format, vec, vec::Vec};
use candidates::Candidates;
use flash::{BlockId, Event, Geometry, Item, Lpn, Part, Ppn, Probe};

pub(crate) static PRESET: Preset = Preset {
    name: "superblock",
    summary: "page map within superblocks, by default of 8 logical blocks, which share update blocks",
    source: "Kang, Jo, Kim, Lee, EMSOFT 2006",
    settings: &["log_blocks", "superblock"],
    victims: None,
    page: page!("superblock.rs"),
    buffer: None,
    plan,
    build,
};

/// The block kept for collection.
const FIXED: u32 = 1;

/// D, unless it is set: logical blocks per superblock.
const BLOCKS: u32 = 8;

/// log2 D.
fn shift(config: &SchemeConfig) -> Result<u32, FtlError> {
    let blocks = config.superblock.unwrap_or(BLOCKS);
    match blocks.is_power_of_two() {
        true => Ok(blocks.trailing_zeros()),
        false => Err(FtlError::Config {
            scheme: config.preset.name,
            setting: "superblock",
            reason: format!("is {blocks}, and expected is a power of 2, such as 8 or 16"),
        }),
    }
}

fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    let Division { logical_pages, log_blocks } = divide(config, geometry, blocks, FIXED)?;
    let shift = shift(config)?;
    let own = logical_pages.div_ceil(geometry.pages_per_block()).min(1 << shift);
    let step_ns = bounds::log_block::superblock_step_ns(part, own, own + log_blocks);
    Ok(Plan {
        logical_pages,
        threshold_pages: 0,
        spare_blocks: 0,
        layout: Layout::LogBlock(LogBlockLayout::Superblock { log_blocks, shift }),
        buffer: None,
        slc: None,
        guarantee: Guarantee::worst_case(part, step_ns, geometry.pages_per_block()),
        ram: ram(geometry, logical_pages, shift),
    })
}

/// Controller RAM: the map; valid counts and bits; links among candidates and the ring of erased blocks; the open
/// block of each superblock with its sequence number and counts; the owner of each block.
fn ram(geometry: &Geometry, logical_pages: u32, shift: u32) -> Ram {
    let blocks = u64::from(geometry.blocks());
    let pages_per_block = geometry.pages_per_block();
    let superblocks = u64::from(logical_pages.div_ceil(pages_per_block).div_ceil(1 << shift));
    Ram {
        map: u64::from(logical_pages) * 4,
        blocks: BlockTable::ram_bytes(geometry.blocks(), pages_per_block),
        victims: blocks * 12 + u64::from(pages_per_block) * 4,
        other: superblocks * 24 + blocks * 4,
        ..Ram::default()
    }
}

/// One superblock.
#[derive(Clone, Debug)]
struct Own {
    /// Sequence number of the open block.
    seq: u64,
    /// The open block, or [`NONE`].
    open: u32,
    /// Pages of the open block that are programmed, or failed to program.
    written: u32,
    /// Valid pages.
    valid: u32,
    /// All blocks of the superblock, including the open one.
    blocks: Vec<u32>,
}

impl Own {
    const EMPTY: Self = Self { seq: 0, open: NONE, written: 0, valid: 0, blocks: Vec::new() };
}

fn build<F: Probe + Clone + 'static>(setup: &Setup<'_>, flash: F) -> BuildResult<F> {
    let Layout::LogBlock(LogBlockLayout::Superblock { log_blocks, shift }) = setup.plan.layout
    else {
        return Err(setup.foreign_plan());
    };
    let Setup { config, plan, start } = *setup;
    Ok(setup.finish(Superblock::new(config, plan, (log_blocks, shift), start, flash)?))
}

/// The scheme; see the module header.
#[derive(Clone, Debug)]
pub(crate) struct Superblock<F> {
    flash: F,
    pool: Pool,
    clock: Clock,
    log: CollectionLog,
    logical_pages: u32,
    /// log2 D.
    shift: u32,
    /// N_l + K: blocks in use while nothing is being collected.
    most_blocks: u32,
    map: Vec<u32>,
    table: BlockTable,
    /// Superblock of each block in use.
    owners: Vec<u32>,
    /// Used pages of each full block: fewer than π after a failed program or a power cut.
    used: Vec<u32>,
    superblocks: Vec<Own>,
    candidates: Candidates,
    /// Valid pages of a victim, and their LPNs, which the copies return.
    run: Vec<Ppn>,
    lpns: Vec<Lpn>,
    guarantee: Guarantee,
    ram: Ram,
}

impl<F: Probe> Superblock<F> {
    /// Formats or mounts the array.
    pub(crate) fn new(
        config: &SchemeConfig,
        plan: &Plan,
        (log_blocks, shift): (u32, u32),
        start: Start,
        flash: F,
    ) -> Result<Self, FtlError> {
        let geometry = *flash.geometry();
        let (blocks, pages_per_block) = (geometry.blocks(), geometry.pages_per_block());
        let logical_blocks = plan.logical_pages.div_ceil(pages_per_block);
        let superblocks = logical_blocks.div_ceil(1 << shift);
        let mut scheme = Self {
            flash,
            pool: Pool::new(&geometry, plan.spare_blocks),
            clock: Clock::default(),
            log: CollectionLog::new(pages_per_block, plan.threshold_pages.into()),
            logical_pages: plan.logical_pages,
            shift,
            most_blocks: logical_blocks + log_blocks,
            map: vec![NONE; plan.logical_pages as usize],
            table: BlockTable::new(blocks, pages_per_block),
            owners: vec![NONE; blocks as usize],
            used: vec![0; blocks as usize],
            superblocks: vec![Own::EMPTY; superblocks as usize],
            candidates: Candidates::new(blocks, pages_per_block),
            run: vec![Ppn(NONE); pages_per_block as usize],
            lpns: vec![Lpn(0); pages_per_block as usize],
            guarantee: plan.guarantee,
            ram: plan.ram,
        };
        match start {
            Start::Format => {
                scheme.pool.format(&mut scheme.flash, config, plan, &mut scheme.log)?;
            }
            Start::Mount => scheme.mount()?,
        }
        Ok(scheme)
    }

    /// The superblock of a page.
    #[inline]
    fn superblock(&self, lpn: Lpn) -> u32 {
        self.flash.geometry().block_of(Ppn(lpn.0)).0 >> self.shift
    }

    /// Erased pages left in the open block.
    #[inline]
    fn room(&self, superblock: u32) -> u32 {
        let own = &self.superblocks[superblock as usize];
        if own.open == NONE { 0 } else { self.flash.geometry().pages_per_block() - own.written }
    }

    fn open(&mut self, superblock: u32) -> Result<(), FtlError> {
        let Some(block) = self.pool.take() else { return Err(self.full()) };
        self.flash.event(&Event::new(
            "block-opened",
            "block {block} is opened for superblock {superblock}",
            &[("block", Item::Block(block)), ("superblock", Item::Count(superblock.into()))],
        ));
        let seq = self.clock.open(Role::Data);
        self.adopt(superblock, block, seq);
        Ok(())
    }

    /// Makes a block the superblock's open block.
    fn adopt(&mut self, superblock: u32, block: BlockId, seq: u64) {
        self.table.open(block, self.flash.geometry().pages_per_block());
        self.owners[block.0 as usize] = superblock;
        let own = &mut self.superblocks[superblock as usize];
        (own.open, own.written, own.seq) = (block.0, 0, seq);
        own.blocks.push(block.0);
    }

    /// Closes the open block, which becomes a candidate. Pages not programmed become invalid.
    fn close(&mut self, superblock: u32) {
        let own = &mut self.superblocks[superblock as usize];
        let block = BlockId(core::mem::replace(&mut own.open, NONE));
        for page in own.written..self.flash.geometry().pages_per_block() {
            self.table.clear(block, page);
        }
        self.used[block.0 as usize] = own.written;
        self.candidates.insert(block.0, self.table.valid(block));
    }

    /// Maps `lpn` to the next page of the open block.
    #[inline]
    fn put(&mut self, superblock: u32, lpn: Lpn) {
        let own = &mut self.superblocks[superblock as usize];
        let ppn = self.flash.geometry().ppn(BlockId(own.open), own.written);
        own.written += 1;
        own.valid += 1;
        let old = core::mem::replace(&mut self.map[lpn.0 as usize], ppn.0);
        if old < LOST {
            self.invalidate(superblock, Ppn(old));
        }
    }

    /// Closes the open block if it is full.
    #[inline]
    fn close_if_full(&mut self, superblock: u32) {
        if self.superblocks[superblock as usize].open != NONE && self.room(superblock) == 0 {
            self.close(superblock);
        }
    }

    #[inline]
    fn invalidate(&mut self, superblock: u32, ppn: Ppn) {
        let (block, page) = self.flash.geometry().split(ppn);
        let left = self.table.clear(block, page);
        self.candidates.invalidated(block.0, left);
        self.superblocks[superblock as usize].valid -= 1;
    }

    /// Closes the open block after a failed program.
    #[cold]
    fn fail(&mut self, superblock: u32) {
        let geometry = *self.flash.geometry();
        let Own { open, written, .. } = self.superblocks[superblock as usize];
        let unused = geometry.pages_per_block() - written;
        self.pool.fail(geometry.ppn(BlockId(open), written), BlockId(open), unused);
        self.close(superblock);
    }

    #[cold]
    fn full(&self) -> FtlError {
        let pages_per_block = self.flash.geometry().pages_per_block();
        let free_pages = self.pool.free_pages();
        FtlError::Full { free_pages, victim_valid: pages_per_block, pages_per_block }
    }
}
