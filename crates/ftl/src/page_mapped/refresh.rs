//! Moves the pages of one block as if the host had written them.
//!
//! ```text
//! step(block):
//!   if it is being written: later. If it is bad, under collection or folded: done
//!   collect as before a host write
//!   if a page of it is valid: copy it to the frontier of the host's writes; invalidate it; collect as after a host write
//!   else if candidates without valid pages are known: erase one of them, which this block is
//! ```
//!
//! The block stays a candidate meanwhile: collection may take it, and then nothing of it is left to do. A policy that does
//! not know of blocks without valid pages takes it when its turn comes.

use super::collection::Collection;
use super::core::{Core, Move};
use super::frontiers::Purpose;
use super::space::Run;
use super::tables::Tables;
use crate::dirty_pages::NoBuffer;
use crate::error::FtlError;
use crate::refresh::{RefreshStep, Refreshed};
use crate::victims::Victims;
use flash::{BlockId, DueBlock, Event, Item, Probe};

/// See the module.
///
/// # Errors
/// The array's errors.
pub(super) fn step<F: Probe, V: Victims, T: Tables, C: Collection>(
    core: &mut Core<F, V, T>,
    collector: &mut C,
    due: DueBlock,
) -> Result<RefreshStep, FtlError> {
    let steps = core.space.log.steps;
    let did = match move_one(core, collector, due) {
        // A write would find no room either: it reports that.
        Err(FtlError::Full { .. }) => Refreshed::Later,
        other => other?,
    };
    Ok(RefreshStep { did, collected: core.space.log.steps > steps })
}

fn move_one<F: Probe, V: Victims, T: Tables, C: Collection>(
    core: &mut Core<F, V, T>,
    collector: &mut C,
    due: DueBlock,
) -> Result<Refreshed, FtlError> {
    if let Some(busy) = is_busy(core, collector, due.block) {
        return Ok(busy);
    }
    if core.space.blocks.valid(due.block) == 0 {
        return erase(core, due);
    }
    collector.before_write(core, &mut NoBuffer)?;
    // That may have collected the block, and even opened it again.
    if core.flash.due_block() != Some(due) {
        return Ok(Refreshed::Moved);
    }
    if let Some(busy) = is_busy(core, collector, due.block) {
        return Ok(busy);
    }
    let run = &mut Run::new();
    core.next_run(due.block, 0, 1, run);
    if run.pages().is_empty() {
        return Ok(Refreshed::Moved);
    }
    core.flash.event(&Event::new(
        "refresh",
        "block {block} is due: a valid page of it moves ({cause})",
        &[("block", Item::Block(due.block)), ("cause", Item::Word(due.cause.name()))],
    ));
    core.relocate(run, Move { purpose: Purpose::Host, cause: due.cause }, &mut NoBuffer)?;
    for ppn in run.pages() {
        core.space.invalidate(core.flash.geometry(), *ppn);
    }
    collector.after_write(core, &mut NoBuffer)?;
    Ok(Refreshed::Moved)
}

/// What becomes of a block that is no full block of its own.
fn is_busy<F: Probe, V: Victims, T: Tables, C: Collection>(
    core: &Core<F, V, T>,
    collector: &C,
    block: BlockId,
) -> Option<Refreshed> {
    let cache = core.space.cache.as_deref();
    let mut open =
        core.space.frontiers.open().chain(cache.into_iter().flat_map(|cache| cache.open()));
    if open.any(|frontier| frontier.block == block) {
        return Some(Refreshed::Later);
    }
    let folding = cache.and_then(|cache| cache.folding);
    let mut leaving = collector.in_progress().into_iter().chain(folding);
    let leaves = leaving.any(|(victim, _)| victim == block) || core.flash.is_bad(block);
    leaves.then_some(Refreshed::Done)
}

/// Erases a block without valid pages if the policy knows of one.
fn erase<F: Probe, V: Victims, T: Tables>(
    core: &mut Core<F, V, T>,
    due: DueBlock,
) -> Result<Refreshed, FtlError> {
    // A block of the SLC cache is erased when it is folded.
    if !core.flash.is_slc(due.block)
        && let Some(victim) = core.space.take_empty()
    {
        core.space.erase(&mut core.flash, victim, due.cause)?;
    }
    Ok(Refreshed::Done)
}
