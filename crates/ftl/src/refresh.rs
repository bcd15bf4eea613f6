//! Refresh and read reclaim: pages of blocks that the array names are moved, a page at a time between page tasks.
//!
//! The array knows ages, bit errors and reads, and names a block ([`Probe::due_block`]). The scheme moves its pages
//! ([`Background::refresh`]) and does not know why. A step moves one page as a host write would be written, with the
//! collection that goes with a write; or it erases the block once nothing valid is left in it. So the proofs of free space
//! hold, and a step takes at most a copy and the collection of a write.

use crate::error::FtlError;
use crate::interface::Background;
use crate::layout::Layout;
use crate::plan::Plan;
use crate::preset::SchemeConfig;
use alloc::string::String;
use bounds::moves::move_ns;
use flash::{Ns, Part, Probe};

/// What a step did for a block that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refreshed {
    /// It moved a page, and others may be left.
    Moved,
    /// Nothing valid is left, or collection is moving it.
    Done,
    /// The block cannot be moved now: it is being written, or there is no room.
    Later,
}

/// A step of a refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshStep {
    /// What it did.
    pub did: Refreshed,
    /// True if collection ran in it.
    pub collected: bool,
}

/// Runs a step for the block that has been due for longest. `None` if none is due.
///
/// # Errors
/// Those of the scheme.
pub(crate) fn step<S: Background + ?Sized>(
    scheme: &mut S,
) -> Result<Option<RefreshStep>, FtlError> {
    let Some(due) = scheme.flash_mut().due_block() else { return Ok(None) };
    let step = scheme.refresh(due)?;
    match step.did {
        Refreshed::Moved => {}
        Refreshed::Done => scheme.flash_mut().end_turn(due.block, true),
        Refreshed::Later => scheme.flash_mut().end_turn(due.block, false),
    }
    Ok(Some(step))
}

/// Adds a step with each page task to the bounds of a plan, or refuses the setting. `write_step_ns` bounds the collection
/// of one page write, wear levelling included.
///
/// # Errors
/// [`FtlError::Config`] for a scheme that cannot move the pages of one block.
pub(crate) fn allow_for_steps(
    config: &SchemeConfig,
    part: &Part,
    write_step_ns: Option<Ns>,
    plan: &mut Plan,
) -> Result<(), FtlError> {
    if !config.refresh {
        return Ok(());
    }
    let reason = match plan.layout {
        Layout::PageMapped(_) => None,
        Layout::OnDemand(_) => Some(
            "is not possible: its map is on flash, and its space does not count on translation pages that a refresh writes",
        ),
        _ => Some(
            "is not possible: its pages have places in the logical block, and its bounds count on the merges of writes alone",
        ),
    };
    if let Some(reason) = reason {
        return Err(FtlError::Config {
            scheme: config.preset.name,
            setting: "refresh",
            reason: String::from(reason)
                + "; omit `refresh` and `read_reclaim`, or use a scheme with a page map in RAM: \
                page-level, fsr, lazy-rtgc, 2lgc",
        });
    }
    let step_ns = write_step_ns.map(|step_ns| step_ns.saturating_add(move_ns(part)));
    let longer = |ns: Option<Ns>| Some(ns?.saturating_add(step_ns?));
    let bounds = &mut plan.guarantee;
    bounds.step_ns = longer(bounds.step_ns);
    bounds.response_ns = longer(bounds.response_ns);
    bounds.step_with_read = true;
    bounds.refresh_ns = step_ns;
    Ok(())
}
