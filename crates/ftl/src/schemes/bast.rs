//! `bast`: data blocks with pages in place, and K log blocks, each for one logical block. A full log block, or
//! the oldest if all are in use, is merged with its data block.
//!
//! ```text
//! write(lpn):                        # page k of logical block b
//!   loop:
//!     if lpn has no version anywhere and k is next in b's data block:
//!       program it in place; return
//!     if b has a log block with an erased page: append to it; return
//!     if b has a log block: merge(b)
//!     else if fewer than K log blocks are in use: open one for b
//!     else: merge the logical block whose log block was opened longest ago
//! merge(b): switch, partial or full
//! read(lpn): the page in the log block, else in the data block
//! ```
//!
//! State and cost: 16 bytes per logical block, two bits per logical page, and the log block of each logical
//! block. In addition, the location of each page in the log: 4 bytes per logical page here, π entries per log
//! block in a controller. A read or write is O(1) besides merges, and O(K) if a log block is merged out of turn.
//!
//! Formulas (t in ns): U(e_r) = t_rd; U(e_w) = t_wr; a write merges at most once, π(t_rd + t_wr) + 2·t_er: see
//! [`bounds::log_block::bast_step_ns`]. This holds for any history, but it is the cost of a merge, not a real-time
//! bound.
//!
//! Space: P = N_l + K + 1 blocks: data blocks, log blocks, and one that is kept erased for a merge.
//!
//! Power cuts: a log block is younger than its data block, so its pages are newer. A merge erases the blocks that it
//! replaces only when it is complete; the mount erases an incomplete new block.
//!
//! Invariants: every write finds a block; one merge per write; no valid page is erased; an older version is never
//! found. Asserted by the conformance and power-cut suites.
//!
//! Parameters:
//! - `log_blocks`: K, at least 1; default 128, at most an eighth of the blocks or what `logical_share` leaves.
//! - `aware`: merges take dirty pages from a write buffer, as in `ba-gc`; default off.
//! - `logical_share`: at most, in whole blocks, (P − 2)/P; default what K leaves.
//! - `spare_blocks`: default 0.
//!
//! Errors: fewer than 3 usable blocks, or N_l + K > P − 1: refused before the run. A page that a merge cannot read
//! is lost: reads of it fail until it is written or trimmed. The list of lost pages is kept until the next mount
//! only. After it such a page reads as never written, or an older version is read.
//!
//! Deviations: pages of a data block are programmed in order, so a page that is not the next one goes to a log
//! block. Places that stay empty in a merge are padded ([`flash::PageKind::Other`], charged to the merge). While a
//! logical block without a data block has a log block, all its pages go there. OOB areas do not hold the map of a
//! log block as a whole: each page's OOB has its own LPN.
//!
//! Source: J. Kim, J. M. Kim, S. H. Noh, S. L. Min, Y. Cho, A space-efficient flash translation layer for
//! CompactFlash systems, IEEE Transactions on Consumer Electronics 48(2), 2002.

use crate::block_mapped::PageSet;
use crate::dirty_pages::DirtyPages;
use crate::error::FtlError;
use crate::events;
use crate::guarantee::{Guarantee, Ram};
use crate::inspection::{BlockUse, List, Uses};
use crate::layout::{Layout, LogBlockLayout};
use crate::log_block::stamp::Role;
use crate::log_block::{Division, LogBlock, LogBlockCore, Logs, Room, Survey, Tail, divide};
use crate::page::page;
use crate::plan::Plan;
use crate::preset::{BuildResult, Preset, SchemeConfig, Setup};
use alloc::{collections::VecDeque, vec, vec::Vec};
use flash::{Geometry, Item, Lpn, Part, Probe};

pub(crate) static PRESET: Preset = Preset {
    name: "bast",
    summary: "block map, a log block for each logical block that is being overwritten",
    source: "Kim, Kim, Noh, Min, Cho, IEEE TCE 48(2), 2002",
    settings: &["log_blocks", "aware"],
    victims: None,
    page: page!("bast.rs"),
    buffer: None,
    plan,
    build,
};

/// The block kept for a merge.
const FIXED: u32 = 1;

fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    let Division { logical_pages, log_blocks } = divide(config, geometry, blocks, FIXED)?;
    let step_ns = bounds::log_block::bast_step_ns(part);
    Ok(Plan {
        logical_pages,
        threshold_pages: 0,
        spare_blocks: 0,
        layout: Layout::LogBlock(LogBlockLayout::Bast { log_blocks }),
        buffer: None,
        slc: None,
        guarantee: Guarantee::worst_case(part, step_ns, geometry.pages_per_block()),
        ram: ram(geometry, logical_pages, log_blocks),
    })
}

/// Controller RAM. Per logical block: data block number, sequence number, count and log block number. Per log
/// block: 16 bytes, two bytes per page offset, and a queue entry. The ring of erased blocks; two bits per page.
fn ram(geometry: &Geometry, logical_pages: u32, log_blocks: u32) -> Ram {
    let pages_per_block = u64::from(geometry.pages_per_block());
    let logical_blocks = u64::from(logical_pages).div_ceil(pages_per_block);
    Ram {
        map: logical_blocks * 16 + u64::from(log_blocks) * pages_per_block * 2,
        blocks: u64::from(log_blocks) * 16,
        victims: (u64::from(log_blocks) + u64::from(geometry.blocks())) * 4,
        other: 2 * PageSet::ram_bytes(logical_pages),
        ..Ram::default()
    }
}

fn build<F: Probe + Clone + 'static>(setup: &Setup<'_>, flash: F) -> BuildResult<F> {
    let Layout::LogBlock(LogBlockLayout::Bast { log_blocks }) = setup.plan.layout else {
        return Err(setup.foreign_plan());
    };
    let logs = BastLogs::new(flash.geometry(), setup.plan.logical_pages, log_blocks);
    Ok(setup.finish(LogBlock::new(setup, flash, logs)?))
}

/// The log blocks; see the module header.
#[derive(Clone, Debug)]
pub(crate) struct BastLogs {
    /// The log block of each logical block that has one.
    tails: Vec<Option<Tail>>,
    /// Logical blocks that have a log block, in the order in which these were opened.
    queue: VecDeque<u32>,
    /// K.
    limit: u32,
}

impl BastLogs {
    pub(crate) fn new(geometry: &Geometry, logical_pages: u32, log_blocks: u32) -> Self {
        let logical_blocks = logical_pages.div_ceil(geometry.pages_per_block());
        Self {
            tails: vec![None; logical_blocks as usize],
            queue: VecDeque::with_capacity(log_blocks as usize),
            limit: log_blocks,
        }
    }

    /// Merges a logical block that has a log block.
    fn merge<F: Probe>(
        &mut self,
        core: &mut LogBlockCore<F>,
        logical: u32,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        if let Some(at) = self.queue.iter().position(|queued| *queued == logical) {
            self.queue.remove(at);
        }
        core.merge(logical, self.tails[logical as usize].take(), buffer)
    }
}

impl Logs for BastLogs {
    #[inline]
    fn room<F: Probe>(
        &mut self,
        core: &mut LogBlockCore<F>,
        lpn: Lpn,
        buffer: &mut dyn DirtyPages,
    ) -> Result<Room, FtlError> {
        let (logical, _) = core.split(lpn);
        loop {
            let tail = self.tails[logical as usize];
            // A mount would take a data block younger than the log block for an unfinished merge.
            if (tail.is_none() || core.has_data_block(logical))
                && let Some(room) = core.room_in_place(lpn)?
            {
                return Ok(room);
            }
            match tail {
                Some(Tail { block, written, seq, .. })
                    if written < core.flash.geometry().pages_per_block()
                        && !core.pool.has_failed(block) =>
                {
                    return Ok(Room { block, page: written, seq, role: Role::Log });
                }
                Some(_) => self.merge(core, logical, buffer)?,
                None if self.queue.len() < self.limit as usize && core.has_block_for_log(0) => {
                    let block = core.take()?;
                    events::opened(&mut core.flash, block, BlockUse::LOG, logical);
                    let seq = core.clock.open(Role::Log);
                    self.tails[logical as usize] = Some(Tail::new(block, seq));
                    self.queue.push_back(logical);
                }
                None => match self.queue.front().copied() {
                    Some(oldest) => self.merge(core, oldest, buffer)?,
                    None => return Err(core.full()),
                },
            }
        }
    }

    #[inline]
    fn used<F: Probe>(&mut self, core: &mut LogBlockCore<F>, lpn: Lpn, _room: &Room, failed: bool) {
        let (logical, page) = core.split(lpn);
        match &mut self.tails[logical as usize] {
            Some(tail) if failed => tail.failed(),
            Some(tail) => tail.programmed(page),
            None => {}
        }
    }

    fn mount<F: Probe>(
        &mut self,
        core: &mut LogBlockCore<F>,
        mut survey: Survey,
    ) -> Result<(), FtlError> {
        let tails = survey.data_blocks(core)?;
        survey.map_tails(core, &tails);
        for (logical, tail) in tails {
            self.tails[logical as usize] = Some(tail);
            self.queue.push_back(logical);
        }
        Ok(())
    }

    fn inspect(&self, uses: &mut Uses) -> Vec<List> {
        for (logical, tail) in (0..).zip(&self.tails) {
            if let Some(tail) = tail {
                uses.set(tail.block, BlockUse::of(BlockUse::LOG, logical));
            }
        }
        let logical = self.queue.iter().copied().map(Item::LogicalBlock).collect();
        let help = "Logical blocks with a log block: the first is merged when there is no room for another.";
        vec![List::new("log blocks", help, logical).holding(self.limit.into())]
    }

    fn heap_bytes(&self) -> usize {
        self.tails.capacity() * size_of::<Option<Tail>>() + self.queue.capacity() * 4
    }
}
