//! Rebuilding a page map from the OOB areas alone.
//!
//! Every page carries its LPN and its block's sequence number, so the newest version of an LPN is the
//! one in the block opened last, and within a block the one programmed last. Torn pages, and blocks
//! whose erase was cut, hold nothing readable: they count as invalid and are collected like any other.

use super::{
    core::{Core, Frontier, UNMAPPED},
    victims::Victims,
};
use crate::FtlError;
use alloc::{format, vec::Vec};
use flash::{BlockId, Cause, Flash, FlashError, Lpn, PageKind, Ppn};

/// What a block's OOB areas tell.
struct Found {
    block: BlockId,
    /// Pages programmed (or torn).
    written: u32,
    /// Sequence number of its readable pages; none where no page is readable.
    seq: Option<u64>,
}

/// Fills an empty core from what is on its array.
pub(super) fn mount<F: Flash, V: Victims>(core: &mut Core<F, V>) -> Result<(), FtlError> {
    let geometry = *core.flash.geometry();
    let mut used = Vec::new();
    for block in (0..geometry.blocks()).map(BlockId) {
        if core.flash.is_bad(block) {
            continue;
        }
        let found = scan(core, block)?;
        if found.written == 0 { core.add_free(block) } else { used.push(found) }
    }
    // An unreadable beginning means that the cut hit the block opened last: it sorts after all others.
    used.sort_by_key(|found| (found.seq.unwrap_or(u64::MAX), found.block));
    core.last_seq = used.iter().filter_map(|found| found.seq).max().unwrap_or(0);

    for found in &used {
        map_pages(core, found)?;
    }
    mark_valid(core, &used);

    // Only the block opened last goes on. An earlier one that is unfinished had a failed program: it is
    // collected as it is, and retired. One without a readable page that is written to its end is not the
    // last to be opened, but one whose erase was cut.
    let pages = geometry.pages_per_block();
    let last = used.iter().rposition(|found| found.seq.is_some() || found.written < pages);
    for (at, found) in used.iter().enumerate() {
        if found.written < pages {
            if Some(at) == last {
                reopen(core, found);
                continue;
            }
            for page in found.written..pages {
                core.blocks.clear(found.block, page);
            }
            core.retiring.insert(found.block.0);
        }
        core.victims.insert(found.block, core.blocks.valid(found.block));
    }
    Ok(())
}

/// Sets the valid bits: first every page of the blocks in use, then not those that no LPN maps to.
fn mark_valid<F: Flash, V: Victims>(core: &mut Core<F, V>, used: &[Found]) {
    let geometry = *core.flash.geometry();
    let mut mapped = alloc::vec![0u64; geometry.pages().div_ceil(64) as usize];
    for ppn in core.map.iter().filter(|ppn| **ppn != UNMAPPED) {
        mapped[*ppn as usize / 64] |= 1 << (ppn % 64);
    }
    for found in used {
        core.blocks.open(found.block, geometry.pages_per_block());
        for page in 0..found.written {
            let Ppn(ppn) = geometry.ppn(found.block, page);
            if mapped[ppn as usize / 64] >> (ppn % 64) & 1 == 0 {
                core.blocks.clear(found.block, page);
            }
        }
    }
}

/// Reads the OOB of a block's pages up to the first that is erased.
fn scan<F: Flash, V: Victims>(core: &mut Core<F, V>, block: BlockId) -> Result<Found, FtlError> {
    let geometry = *core.flash.geometry();
    let mut found = Found { block, written: geometry.pages_per_block(), seq: None };
    for page in 0..geometry.pages_per_block() {
        match core.flash.read_oob(geometry.ppn(block, page), Cause::Mount) {
            Ok(oob) => found.seq = found.seq.or(Some(oob.seq)),
            Err(FlashError::Uncorrectable(_)) => {}
            Err(FlashError::Erased(_)) => {
                found.written = page;
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}

/// Maps the LPNs of a block's readable pages to it, in the order in which they were programmed.
fn map_pages<F: Flash, V: Victims>(core: &mut Core<F, V>, found: &Found) -> Result<(), FtlError> {
    if found.seq.is_none() {
        return Ok(());
    }
    for page in 0..found.written {
        let ppn = core.flash.geometry().ppn(found.block, page);
        let oob = match core.flash.read_oob(ppn, Cause::Mount) {
            Ok(oob) => oob,
            Err(FlashError::Uncorrectable(_)) => continue,
            Err(error) => return Err(error.into()),
        };
        let Lpn(lpn) = oob.lpn;
        if oob.kind != PageKind::Data || lpn as usize >= core.map.len() {
            return Err(FtlError::Mount(format!(
                "{ppn} holds {:?} {lpn}, but a page-mapped scheme of {} logical pages writes only data pages below that; the array was written by another scheme or configuration",
                oob.kind,
                core.map.len()
            )));
        }
        core.map[lpn as usize] = ppn.0;
    }
    Ok(())
}

fn reopen<F: Flash, V: Victims>(core: &mut Core<F, V>, found: &Found) {
    let geometry = *core.flash.geometry();
    let first = geometry.ppn(found.block, 0).0;
    let seq = found.seq.unwrap_or(core.last_seq + 1);
    core.last_seq = core.last_seq.max(seq);
    let end = first + geometry.pages_per_block();
    core.frontier = Some(Frontier { block: found.block, next: first + found.written, end, seq });
    core.free_pages += u64::from(geometry.pages_per_block() - found.written);
}
