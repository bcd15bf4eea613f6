//! Rebuilding a map from the OOB areas alone.
//!
//! Every page carries its LPN and its block's sequence number, so the newest version of an LPN is the
//! one in the block opened last, and within a block the one programmed last. Torn pages, and blocks
//! whose erase was cut, hold nothing readable: they count as invalid and are collected like any other.

use super::{
    core::{Core, UNMAPPED},
    space::{Frontier, Space},
    victims::Victims,
};
use crate::FtlError;
use alloc::{format, vec::Vec};
use flash::{BlockId, Cause, Flash, FlashError, Geometry, Lpn, Oob, PageKind, Ppn};

/// What a block's OOB areas tell.
pub(crate) struct Found {
    pub(crate) block: BlockId,
    /// Pages programmed (or torn).
    pub(crate) written: u32,
    /// OOB of its first readable page, if any is readable: its sequence number is that of them all.
    pub(crate) first: Option<Oob>,
}

impl Found {
    fn seq(&self) -> Option<u64> {
        self.first.map(|oob| oob.seq)
    }
}

/// Fills an empty core from what is on its array.
pub(super) fn mount<F: Flash, V: Victims>(core: &mut Core<F, V>) -> Result<(), FtlError> {
    let mut used = Vec::new();
    for block in (0..core.flash.geometry().blocks()).map(BlockId) {
        if core.flash.is_bad(block) {
            continue;
        }
        let found = scan(&mut core.flash, block)?;
        if found.written == 0 { core.add_free(block) } else { used.push(found) }
    }
    rebuild(&mut core.space, &mut core.flash, used, PageKind::Data, &mut core.map)
}

/// Fills `map` and an empty space from the blocks of it that are in use, all of whose pages are of `kind`.
pub(crate) fn rebuild<F: Flash, V: Victims>(
    space: &mut Space<V>,
    flash: &mut F,
    mut used: Vec<Found>,
    kind: PageKind,
    map: &mut [u32],
) -> Result<(), FtlError> {
    // An unreadable beginning means that the cut hit the block opened last: it sorts after all others.
    used.sort_by_key(|found| (found.seq().unwrap_or(u64::MAX), found.block));
    space.last_seq = used.iter().filter_map(Found::seq).max().unwrap_or(0);
    for found in &used {
        map_pages(flash, found, kind, map)?;
    }
    mark_valid(space, flash.geometry(), &used, map);
    resume(space, flash.geometry(), &used);
    Ok(())
}

/// Only the block opened last goes on. An earlier one that is unfinished had a failed program: it is
/// collected as it is, and retired. One without a readable page that is written to its end is not the
/// last to be opened, but one whose erase was cut.
fn resume<V: Victims>(space: &mut Space<V>, geometry: &Geometry, used: &[Found]) {
    let pages = geometry.pages_per_block();
    let last = used.iter().rposition(|found| found.first.is_some() || found.written < pages);
    for (at, found) in used.iter().enumerate() {
        if found.written < pages {
            if Some(at) == last {
                reopen(space, geometry, found);
                continue;
            }
            for page in found.written..pages {
                space.blocks.clear(found.block, page);
            }
            space.retiring.insert(found.block.0);
        }
        space.victims.insert(found.block, space.blocks.valid(found.block));
    }
}

/// Sets the valid bits: first every page of the blocks in use, then not those that no LPN maps to.
fn mark_valid<V>(space: &mut Space<V>, geometry: &Geometry, used: &[Found], map: &[u32]) {
    let mut mapped = alloc::vec![0u64; geometry.pages().div_ceil(64) as usize];
    for ppn in map.iter().filter(|ppn| **ppn != UNMAPPED) {
        mapped[*ppn as usize / 64] |= 1 << (ppn % 64);
    }
    for found in used {
        space.blocks.open(found.block, geometry.pages_per_block());
        for page in 0..found.written {
            let Ppn(ppn) = geometry.ppn(found.block, page);
            if mapped[ppn as usize / 64] >> (ppn % 64) & 1 == 0 {
                space.blocks.clear(found.block, page);
            }
        }
    }
}

/// Reads the OOB of a block's pages up to the first that is erased.
pub(crate) fn scan<F: Flash>(flash: &mut F, block: BlockId) -> Result<Found, FtlError> {
    let geometry = *flash.geometry();
    let mut found = Found { block, written: geometry.pages_per_block(), first: None };
    for page in 0..geometry.pages_per_block() {
        match flash.read_oob(geometry.ppn(block, page), Cause::Mount) {
            Ok(oob) => found.first = found.first.or(Some(oob)),
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
fn map_pages<F: Flash>(
    flash: &mut F,
    found: &Found,
    kind: PageKind,
    map: &mut [u32],
) -> Result<(), FtlError> {
    if found.first.is_none() {
        return Ok(());
    }
    for page in 0..found.written {
        let ppn = flash.geometry().ppn(found.block, page);
        let oob = match flash.read_oob(ppn, Cause::Mount) {
            Ok(oob) => oob,
            Err(FlashError::Uncorrectable(_)) => continue,
            Err(error) => return Err(error.into()),
        };
        let Lpn(lpn) = oob.lpn;
        if oob.kind != kind || lpn as usize >= map.len() {
            return Err(FtlError::Mount(format!(
                "{ppn} holds {:?} {lpn}, but this scheme writes only {kind:?} pages below {} there; the array was written by another scheme or configuration",
                oob.kind,
                map.len()
            )));
        }
        map[lpn as usize] = ppn.0;
    }
    Ok(())
}

fn reopen<V>(space: &mut Space<V>, geometry: &Geometry, found: &Found) {
    let first = geometry.ppn(found.block, 0).0;
    let seq = found.seq().unwrap_or(space.last_seq + 1);
    space.last_seq = space.last_seq.max(seq);
    let end = first + geometry.pages_per_block();
    space.frontier = Some(Frontier { block: found.block, next: first + found.written, end, seq });
    space.free_pages += u64::from(geometry.pages_per_block() - found.written);
}
