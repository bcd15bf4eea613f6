//! `fast`: data blocks with pages in place, one log block for sequential writes, and K random log blocks, filled in
//! write order, for all others. To free a log block, every logical block with a page in it is merged.
//!
//! ```text
//! write(lpn):                        # page k of logical block b
//!   if b owns the sequential log block:
//!     if k is next there: append; return
//!   if lpn has no version anywhere and k is next in b's data block: program it in place; return
//!   if b owns the sequential log block, or k = 0: merge the sequential log block's owner
//!   if k = 0: open a sequential log block for b, program page 0 there; return
//!   if no random log block has an erased page and there are K:
//!     for each logical block with a valid page in the victim (the oldest one): merge it
//!     erase the victim
//!   append to the youngest random log block
//! merge(b): switch, partial (its log block is the sequential one) or full
//! read(lpn): the page in a log block, else in the data block
//! ```
//!
//! State and cost: 16 bytes per logical block, two bits per logical page, and the LPN of each page in log blocks
//! (K·π). In addition, the location of each page in the log: 4 bytes per logical page here, an index of K·π
//! entries in a controller. A read or write is O(1) besides merges.
//!
//! The cheapest victim (`victim=greedy`) takes one bit per logical block and log block. Its search
//! makes one lookup per logical block with pages in the log, and one step per log block with pages of it: O(K·π) at most.
//!
//! Formulas (t in ns): U(e_r) = t_rd; U(e_w) = t_wr; a write merges at most min(π, N_l) + 1 logical blocks,
//! (min(π, N_l) + 1)·(π(t_rd + t_wr) + t_er) + 2·t_er: see [`bounds::log_block::fast_step_ns`]. This holds for
//! any history, but it is the cost of a merge, not a real-time bound.
//!
//! Below a write buffer, `aware` makes merges take its dirty pages from it, and the cheapest victim is the one of
//! least Δ(L): see `ba-gc`. Without `aware`, Δ(L) is the cost of the merge, not counting padding.
//!
//! Space: P = N_l + K + 2 blocks: data blocks, random log blocks, the sequential one, and one that is kept
//! erased for a merge. A merge gives back the data block that it replaces, or fills the place kept for it.
//!
//! Power cuts: a block's sequence number has its role and its opening time, counted in pages written to random
//! log blocks. So a mount orders each of those pages relative to each data block. A merge erases the blocks that it
//! replaces only when it is complete; the mount erases an incomplete new block.
//!
//! Invariants: every write finds a block; no valid page is erased; an older version is never found. Asserted
//! by the conformance and power-cut suites.
//!
//! Parameters:
//! - `log_blocks`: K, at least 1; default 128, at most an eighth of the blocks or what `logical_share` leaves.
//! - `victim`: `fifo`, the default, round robin; `greedy`, least Δ.
//! - `aware`: merges take dirty pages from a write buffer; default off.
//! - `alpha`: α of Δ(L), 0 to 1000; default (t_rd + t_wr)/t_wr. See `ba-gc`.
//! - `logical_share`: at most, in whole blocks, (P − 3)/P; default what K leaves.
//! - `spare_blocks`: default 0.
//!
//! Errors: fewer than 4 usable blocks, or N_l + K > P − 2: refused before the run. A page that a merge cannot read
//! is lost: reads of it fail until it is written or trimmed. The list of lost pages is kept until the next mount
//! only. After it such a page reads as never written, or an older version is read.
//!
//! Deviations: pages of a data block are programmed in order, so a page that is not the next one goes to a log
//! block. Places that stay empty in a merge are padded ([`flash::PageKind::Other`], charged to the merge). A write
//! that breaks the order of the sequential log block merges it and goes to a random one; no new sequential one is
//! opened. If a random victim has pages of the sequential log block's owner, the same merge completes that block.
//!
//! Source: S.-W. Lee, D.-J. Park, T.-S. Chung, D.-H. Lee, S. Park, H.-J. Song, A log buffer-based flash
//! translation layer using fully-associative sector translation, ACM TECS 6(3), 2007.

mod associated;
mod cost;
#[cfg(test)]
mod definition;
mod random;
mod sequential;
#[cfg(test)]
mod tests;

use crate::block_mapped::PageSet;
use crate::dirty_pages::DirtyPages;
use crate::error::FtlError;
use crate::events;
use crate::guarantee::{Guarantee, Ram};
use crate::inspection::{BlockUse, List, Uses};
use crate::layout::{Layout, LogBlockLayout, LogVictim};
use crate::log_block::stamp::Role;
use crate::log_block::{Division, LogBlock, LogBlockCore, Logs, Room, Survey, Tail, divide};
use crate::page::page;
use crate::plan::Plan;
use crate::preset::{BuildResult, Preset, SchemeConfig, Setup};
use crate::victims::VictimKind;
use alloc::{format, vec, vec::Vec};
use associated::Associations;
use flash::{Geometry, Item, Lpn, Ns, Part, Probe};
use random::RandomLog;
use sequential::Sequential;

pub(crate) static PRESET: Preset = Preset {
    name: "fast",
    summary: "block map, log blocks shared by all logical blocks, one for sequential writes",
    source: "Lee, Park, Chung, Lee, Park, Song, ACM TECS 6(3), 2007",
    settings: &["log_blocks", "victim", "aware", "alpha"],
    victims: Some(VICTIMS),
    page: page!("fast.rs"),
    buffer: None,
    plan,
    build,
};

/// The block kept for a merge, and the sequential log block.
const FIXED: u32 = 2;

fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    plan_with(config, part, geometry, blocks, LogVictim::RoundRobin)
}

/// Victim policies for log blocks.
pub(crate) const VICTIMS: &str = "greedy or fifo";

/// Largest α, in thousandths: Δ of a log block fits into 64 bits with any part.
const MOST_ALPHA: u32 = 1_000_000;

/// The plan of a preset; `victim` is its default victim policy.
pub(super) fn plan_with(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
    victim: LogVictim,
) -> Result<Plan, FtlError> {
    let Division { logical_pages, log_blocks } = divide(config, geometry, blocks, FIXED)?;
    let victim = match config.victim {
        None => victim,
        Some(kind) if kind == VictimKind::FIFO => LogVictim::RoundRobin,
        Some(kind) if kind == VictimKind::GREEDY => LogVictim::LeastCost,
        Some(other) => {
            return Err(FtlError::Config {
                scheme: config.preset.name,
                setting: "victim",
                reason: format!("is `fifo` or `greedy`, not `{other}`"),
            });
        }
    };
    if let Some(alpha) = config.alpha_thousandths.filter(|alpha| *alpha > MOST_ALPHA) {
        return Err(FtlError::Config {
            scheme: config.preset.name,
            setting: "alpha",
            reason: format!("is {}; at most {}", f64::from(alpha) / 1e3, MOST_ALPHA / 1000),
        });
    }
    let saved_ns = bounds::ba_gc::saved_ns(part, config.alpha_thousandths);
    let pages_per_block = geometry.pages_per_block();
    let logical_blocks = logical_pages.div_ceil(pages_per_block);
    let step_ns = bounds::log_block::fast_step_ns(part, logical_blocks);
    Ok(Plan {
        logical_pages,
        threshold_pages: 0,
        spare_blocks: 0,
        layout: Layout::LogBlock(LogBlockLayout::Fast { log_blocks, victim, saved_ns }),
        buffer: None,
        slc: None,
        guarantee: Guarantee::worst_case(part, step_ns, pages_per_block),
        ram: ram(geometry, logical_pages, log_blocks, victim),
    })
}

/// Controller RAM. Per logical block: block number, sequence number and two counts. Per page in random log blocks:
/// LPN and index entry. 16 bytes per log block; the ring of erased blocks; the tables of the search for the
/// cheapest victim; two bits per page.
fn ram(geometry: &Geometry, logical_pages: u32, log_blocks: u32, victim: LogVictim) -> Ram {
    let pages_per_block = u64::from(geometry.pages_per_block());
    let logical_blocks = u64::from(logical_pages).div_ceil(pages_per_block);
    let search = match victim {
        LogVictim::RoundRobin => 0,
        LogVictim::LeastCost => {
            let deltas = u64::from(log_blocks) * 8;
            deltas + Associations::ram_bytes(geometry.blocks(), logical_blocks, log_blocks)
        }
    };
    Ram {
        map: logical_blocks * 16 + u64::from(log_blocks) * pages_per_block * 8,
        blocks: u64::from(log_blocks) * 16,
        victims: u64::from(geometry.blocks()) * 4 + search,
        other: 2 * PageSet::ram_bytes(logical_pages),
        ..Ram::default()
    }
}

pub(super) fn build<F: Probe + Clone + 'static>(setup: &Setup<'_>, flash: F) -> BuildResult<F> {
    let Layout::LogBlock(LogBlockLayout::Fast { log_blocks, victim, saved_ns }) = setup.plan.layout
    else {
        return Err(setup.foreign_plan());
    };
    let logical_pages = setup.plan.logical_pages;
    let logs = FastLogs::new(flash.geometry(), logical_pages, log_blocks, victim, saved_ns);
    Ok(setup.finish(LogBlock::new(setup, flash, logs)?))
}

/// The log blocks; see the module header.
#[derive(Clone, Debug)]
pub(crate) struct FastLogs {
    sequential: Option<Sequential>,
    random: RandomLog,
}

impl FastLogs {
    pub(crate) fn new(
        geometry: &Geometry,
        logical_pages: u32,
        log_blocks: u32,
        victim: LogVictim,
        saved_ns: Ns,
    ) -> Self {
        let random = RandomLog::new(geometry, logical_pages, log_blocks, victim, saved_ns);
        Self { sequential: None, random }
    }

    /// Merges the owner of the sequential log block, if there is one.
    fn merge_sequential<F: Probe>(
        &mut self,
        core: &mut LogBlockCore<F>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        match self.sequential.take() {
            None => Ok(()),
            Some(Sequential { logical, tail }) => {
                self.random.merge(core, logical, Some(tail), buffer)
            }
        }
    }
}

impl Logs for FastLogs {
    #[inline]
    fn room<F: Probe>(
        &mut self,
        core: &mut LogBlockCore<F>,
        lpn: Lpn,
        buffer: &mut dyn DirtyPages,
    ) -> Result<Room, FtlError> {
        let (logical, page) = core.split(lpn);
        let owned = |sequential: &Sequential| sequential.logical == logical;
        let owner = self.sequential.filter(owned);
        if let Some(Sequential { tail, .. }) = owner
            && tail.in_place
            && tail.written == page
        {
            let Tail { block, written: page, seq, .. } = tail;
            return Ok(Room { block, page, seq, role: Role::Log });
        }
        if let Some(room) = core.room_in_place(lpn)? {
            return Ok(room);
        }
        if owner.is_some() || page == 0 {
            self.merge_sequential(core, buffer)?;
        }
        if page == 0 {
            let block = core.take()?;
            events::opened(&mut core.flash, block, BlockUse::SEQUENTIAL_LOG, logical);
            let seq = core.clock.open(Role::Log);
            self.sequential = Some(Sequential { logical, tail: Tail::new(block, seq) });
            return Ok(Room { block, page, seq, role: Role::Log });
        }
        self.random.room(core, &mut self.sequential, buffer)
    }

    #[inline]
    fn used<F: Probe>(&mut self, core: &mut LogBlockCore<F>, lpn: Lpn, room: &Room, failed: bool) {
        if !failed {
            self.random.invalidate(core, lpn);
        }
        if room.role == Role::Random {
            self.random.used(core, lpn, failed);
        } else if let Some(Sequential { tail, .. }) = &mut self.sequential {
            match failed {
                true => tail.failed(),
                false => tail.programmed(room.page),
            }
        }
    }

    #[inline]
    fn forget<F: Probe>(&mut self, core: &LogBlockCore<F>, lpn: Lpn) {
        self.random.invalidate(core, lpn);
    }

    fn mount<F: Probe>(
        &mut self,
        core: &mut LogBlockCore<F>,
        mut survey: Survey,
    ) -> Result<(), FtlError> {
        let random = survey.take_random();
        let tails = survey.data_blocks(core)?;
        self.random.mount(core, &survey, &random);
        // While a sequential log block is open, no page of its owner goes to the random log: its pages are the newest.
        survey.map_tails(core, &tails);
        self.random.associate(core);
        match tails[..] {
            [] => {}
            [(logical, tail)] => self.sequential = Some(Sequential { logical, tail }),
            _ => {
                return Err(survey.foreign(format!("{} sequential log blocks", tails.len())));
            }
        }
        Ok(())
    }

    fn inspect(&self, uses: &mut Uses) -> Vec<List> {
        let mut owner = Vec::new();
        if let Some(Sequential { logical, tail }) = self.sequential {
            uses.set(tail.block, BlockUse::of(BlockUse::SEQUENTIAL_LOG, logical));
            owner.extend([Item::Block(tail.block), Item::LogicalBlock(logical)]);
        }
        let help = "The log block for sequential writes, and the logical block that owns it.";
        let mut lists = vec![List::new("sequential log block", help, owner).holding(2)];
        lists.extend(self.random.inspect(uses));
        lists
    }

    fn heap_bytes(&self) -> usize {
        self.random.heap_bytes()
    }
}
