//! Writes through an SLC cache, and its folding: valid pages of a block in SLC mode are moved to blocks in the part's
//! own mode, and the block is erased.
//!
//! ```text
//! write(lpn):
//!   dynamic: while the logical pages in use and this one leave no room for the blocks in SLC mode: fold a block
//!   if the cache has a free page, or may open a block: program it there
//!   else if writes wait for the cache and it has a full block: fold it, and try once more
//!   else: collect as without a cache, and program a page in the part's own mode
//! fold: of the block that has been full for longest, page by page: collect as before a host write; copy the page to
//!   the frontier of the host's writes; at the end erase the block
//! idle time: if collection is due: one victim; else up to 32 copies of a fold, or its erase
//!   dynamic, with nothing to fold: a victim, if its block gains at least the pages of a block in SLC mode, and the
//!   cache lacks free blocks for all that may be in SLC mode
//! ```
//!
//! A host write waits for the folds that it needs: they are part of it ([`Cause::FoldOnWrite`]), so that the room that
//! they make is not used before it is there. In idle time they are steps ([`Cause::Fold`]).
//!
//! A fold collects before each page that it copies, as a host write does. So it needs no space of its own, and the
//! collector's proof covers it: see [`super::slc_cache`].

use super::collection::Collection;
use super::core::{Core, Move};
use super::duration::copies_ns;
use super::frontiers::Purpose;
use super::space::{RUN, Run};
use super::tables::Tables;
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::events::why;
use crate::slc_cache::WhenFull;
use crate::victims::Victims;
use ::core::mem::take;
use flash::{Cause, Event, Item, Lpn, Ns, Probe};

/// What a step of folding did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// There is no block to fold.
    Nothing,
    /// It copied pages.
    Copied,
    /// It erased the block.
    Erased,
}

/// Writes a page through the cache.
///
/// # Errors
/// [`FtlError::Full`], or the array's errors.
#[inline(never)] // Few schemes have an SLC cache; the writes of all others are then one function.
pub(super) fn write<F: Probe, V: Victims, T: Tables, C: Collection>(
    core: &mut Core<F, V, T>,
    collector: &mut C,
    lpn: Lpn,
    data: Option<&[u8]>,
    buffer: &mut dyn DirtyPages,
) -> Result<(), FtlError> {
    let more = u64::from(!core.is_mapped(lpn));
    make_room(core, collector, more, buffer)?;
    let mut waits =
        core.space.cache.as_ref().is_some_and(|cache| cache.plan.full == WhenFull::Fold);
    while !core.write_to_cache(lpn, data, more)? {
        // One fold may not be enough for a dynamic cache; more would be no part of the bound.
        if take(&mut waits) && fold_block(core, collector, buffer)? {
            continue;
        }
        core.flash.event(&Event::new(
            "slc-cache-full",
            "the SLC cache is full: LPN {lpn} goes to a block in the part's own mode",
            &[("lpn", Item::Lpn(lpn))],
        ));
        collector.before_write(core, buffer)?;
        core.write(lpn, data)?;
        if let Some(cache) = &mut core.space.cache {
            cache.log.direct += 1;
            cache.in_use += more;
        }
        return collector.after_write(core, buffer);
    }
    Ok(())
}

/// Folds blocks until the cache leaves room for `more` further logical pages in use.
///
/// # Errors
/// As [`write`].
pub(super) fn make_room<F: Probe, V: Victims, T: Tables, C: Collection>(
    core: &mut Core<F, V, T>,
    collector: &mut C,
    more: u64,
    buffer: &mut dyn DirtyPages,
) -> Result<(), FtlError> {
    let pages = core.flash.geometry().pages_per_block();
    while let Some(cache) = &core.space.cache
        && cache.blocks() > 0
        && !cache.allows(cache.blocks(), cache.in_use + more, pages)
    {
        if !cache.has_full() && !core.space.close_cache_block(core.flash.geometry()) {
            break;
        }
        fold_block(core, collector, buffer)?;
    }
    Ok(())
}

/// Folds a whole block. Returns false if there is none to fold.
fn fold_block<F: Probe, V: Victims, T: Tables, C: Collection>(
    core: &mut Core<F, V, T>,
    collector: &mut C,
    buffer: &mut dyn DirtyPages,
) -> Result<bool, FtlError> {
    loop {
        collector.before_write(core, buffer)?;
        match step(core, Cause::FoldOnWrite, buffer)? {
            Step::Copied => {}
            Step::Erased => return Ok(true),
            Step::Nothing => return Ok(false),
        }
    }
}

/// Copies pages of the block that is folded, as many as need no collection but one at least; or erases it.
fn step<F: Probe, V: Victims, T: Tables>(
    core: &mut Core<F, V, T>,
    cause: Cause,
    buffer: &mut dyn DirtyPages,
) -> Result<Step, FtlError> {
    let Some((block, cursor)) = core.space.cache.as_mut().and_then(|cache| cache.next_to_fold())
    else {
        return Ok(Step::Nothing);
    };
    if cursor == 0 {
        core.flash.event(&Event::new(
            "slc-fold",
            "fold of block {block}: its valid pages leave the SLC cache",
            &[("block", Item::Block(block))],
        ));
    }
    let above = core.space.host_room().saturating_sub(core.space.log.threshold_pages);
    let run = &mut Run::new();
    core.next_run(block, cursor, above.clamp(1, RUN as u64) as u32, run);
    if run.pages().is_empty() {
        core.space.leave_cache(&mut core.flash, block, cause)?;
        return Ok(Step::Erased);
    }
    core.fetch(run);
    core.relocate(run, Move { purpose: Purpose::Host, cause }, buffer)?;
    if let Some(cache) = &mut core.space.cache {
        cache.folding = Some((block, run.cursor));
        cache.log.moved += run.pages().len() as u64;
    }
    Ok(Step::Copied)
}

/// True if the cache has something to do in idle time.
pub(super) fn has_work<F: Probe, V: Victims, T: Tables>(core: &Core<F, V, T>) -> bool {
    let Some(cache) = &core.space.cache else { return false };
    cache.has_full() || core.space.wants_blocks(cache, core.flash.geometry())
}

/// Uses idle time for a step of folding, or for one victim if the fold would have to collect it. Returns true if there
/// was something to do.
///
/// # Errors
/// The array's errors.
pub(super) fn idle<F: Probe, V: Victims, T: Tables>(
    core: &mut Core<F, V, T>,
) -> Result<bool, FtlError> {
    if !has_work(core) {
        return Ok(false);
    }
    let folds = core.space.cache.as_ref().is_some_and(|cache| cache.has_full());
    if !folds || is_due(core) {
        core.space.log.idle += 1;
        let collected = core.collect_whole(&mut NoBuffer, why::IDLE)?;
        core.space.log.idle -= u64::from(!collected);
        return Ok(collected);
    }
    let done = step(core, Cause::Fold, &mut NoBuffer)?;
    if let Some(cache) = &mut core.space.cache {
        cache.log.folded_idle += u64::from(done == Step::Erased);
    }
    Ok(done != Step::Nothing)
}

/// True if a write in the part's own mode would collect first.
fn is_due<F: Probe, V: Victims, T: Tables>(core: &Core<F, V, T>) -> bool {
    core.space.host_room() <= core.space.log.threshold_pages || core.space.is_short()
}

/// Upper bound on the time of [`idle`].
pub(super) fn idle_ns<F: Probe, V: Victims, T: Tables>(core: &Core<F, V, T>) -> Ns {
    let (flash, frontiers) = (&core.flash, core.space.frontiers.count());
    let pages = flash.geometry().pages_per_block();
    let erase = flash.longest_erase_ns();
    let folds = core.space.cache.as_ref().is_some_and(|cache| cache.has_full());
    match !folds || is_due(core) {
        true => copies_ns(flash.part(), frontiers, pages - 1) + erase,
        false => copies_ns(flash.part(), frontiers, pages.min(RUN as u32)).max(erase),
    }
}
