//! Rebuilding a map from the OOB areas alone.
//!
//! Every page carries its LPN and its block's sequence number, and with it its stamp ([`super::frontiers`]): the
//! newest version of an LPN is the one with the largest. Torn pages, and blocks whose erase was cut, hold nothing
//! readable: they count as invalid and are collected like any other.
//!
//! # Which blocks go on
//! Let T be the turn behind the largest stamp on the array, those of torn pages included where a page of their block is
//! readable. A block is written at each turn of its unit from when it is opened until it is full or a program in it
//! fails. So if it was being written when the power failed, the turn of its next page is the first from T on that is its
//! unit's: its last page had one of the turns before T, and had the next one of its unit passed, it would have been
//! written at that, too. It goes on there, and the turns from T on find it as if nothing had happened. If its next page's
//! turn is before that, a program in it failed, and it is collected as it is, and retired. (Where the power
//! failed before its unit's next turn, nothing tells, and it goes on.)
//!
//! A block without any readable page was opened by the program at which the power failed, or at which it failed again
//! and again in mounts since: nothing that is readable is of a turn from T on. It is given the sequence number with which
//! its next page's turn is the first of its unit from T on: its pages to come are then newer than all others, and each has a
//! stamp of its own; those that were lost have none that anybody asks for.

use super::core::Core;
use super::frontiers::{Frontier, Frontiers};
use super::space::Space;
use super::tables::{BlockInfo, Tables, UNMAPPED};
use super::victims::Victims;
use crate::error::FtlError;
use alloc::{format, vec, vec::Vec};
use flash::{BlockId, Cause, FlashError, Geometry, Lpn, Oob, PageKind, Ppn, Probe};

/// What a block's OOB areas tell.
pub(crate) struct Found {
    pub(crate) block: BlockId,
    /// Pages programmed (or torn).
    pub(crate) written: u32,
    /// OOB of its first readable page, if any is readable: its sequence number is that of them all.
    pub(crate) first: Option<Oob>,
    /// That page.
    first_page: u32,
}

impl Found {
    fn seq(&self) -> Option<u64> {
        self.first.map(|oob| oob.seq)
    }

    /// Turns from that of its first readable page to that of the page behind its last.
    fn turns(&self, units: u64) -> Option<(u64, u64)> {
        let turn = |page: u32| self.seq().map(|seq| seq + u64::from(page) * units);
        turn(self.first_page).zip(turn(self.written))
    }
}

/// Fills an empty core from what is on its array.
pub(super) fn mount<F: Probe, V: Victims, T: Tables>(
    core: &mut Core<F, V, T>,
) -> Result<(), FtlError> {
    let mut used = Vec::new();
    for block in (0..core.flash.geometry().blocks()).map(BlockId) {
        if core.flash.is_bad(block) {
            core.space.blocks.marked_bad(block);
            continue;
        }
        core.space.blocks.set_erases(block, core.flash.erase_count(block));
        let found = scan(&mut core.flash, block)?;
        if found.written == 0 { core.add_free(block) } else { used.push(found) }
    }
    let mut map = core.space.blocks.take_map();
    rebuild(&mut core.space, &mut core.flash, used, PageKind::Data, &mut map)?;
    core.space.blocks.put_map(map);
    Ok(())
}

/// Fills `map` and an empty space from the blocks of it that are in use, all of whose pages are of `kind`.
pub(crate) fn rebuild<F: Probe, V: Victims, T: BlockInfo>(
    space: &mut Space<V, T>,
    flash: &mut F,
    mut used: Vec<Found>,
    kind: PageKind,
    map: &mut [u32],
) -> Result<(), FtlError> {
    // One without a readable page was opened last.
    used.sort_by_key(|found| (found.seq().unwrap_or(u64::MAX), found.block));
    let geometry = *flash.geometry();
    let mut stamps = Stamps::new(&geometry, space.frontiers.count());
    for found in &used {
        stamps.seqs[found.block.0 as usize] = found.seq().unwrap_or(0);
        map_pages(flash, found, kind, &stamps, map)?;
    }
    check_turns(&space.frontiers, &used)?;
    mark_valid(space, &geometry, &used, map);
    resume(space, &geometry, &used);
    Ok(())
}

/// The order of pages: sequence numbers of blocks.
struct Stamps {
    geometry: Geometry,
    units: u64,
    seqs: Vec<u64>,
}

impl Stamps {
    fn new(geometry: &Geometry, units: u64) -> Self {
        Self { geometry: *geometry, units, seqs: vec![0; geometry.blocks() as usize] }
    }

    fn of(&self, ppn: Ppn) -> u64 {
        let (block, page) = self.geometry.split(ppn);
        self.seqs[block.0 as usize] + u64::from(page) * self.units
    }
}

/// Refuses an array that was written by turns of other units: blocks of one unit were written one after another.
fn check_turns(frontiers: &Frontiers, used: &[Found]) -> Result<(), FtlError> {
    let units = frontiers.count();
    let mut behind = vec![(0, None); units as usize];
    // In the order in which they were opened.
    for found in used {
        let Some((from, to)) = found.turns(units) else { continue };
        let place = frontiers.place_of(found.block);
        let (before, other) = behind[place];
        if from % units != place as u64 || from < before {
            let other = other.map_or("another unit".into(), |block| format!("{block}"));
            return Err(FtlError::Mount(format!(
                "{} was written while it was the turn of {other}; the array was written with another allocation than one of {units} units in this order",
                found.block
            )));
        }
        behind[place] = (to, Some(found.block));
    }
    Ok(())
}

/// Each unit's block that was opened last goes on if it was being written when the power failed: see the module.
/// One without a readable page that is written to its end is not the last to be opened, but one whose erase was cut.
fn resume<V: Victims, T: BlockInfo>(space: &mut Space<V, T>, geometry: &Geometry, used: &[Found]) {
    let units = space.frontiers.count();
    let turn =
        used.iter().filter_map(|found| found.turns(units)).map(|(_, behind)| behind - units + 1);
    let first = space.frontiers.first_turn(geometry);
    space.frontiers.go_on_at(turn.fold(first, u64::max));
    let pages = geometry.pages_per_block();
    let mut last = vec![None; units as usize];
    for (at, found) in used.iter().enumerate() {
        if found.first.is_some() || found.written < pages {
            last[space.frontiers.place_of(found.block)] = Some(at);
        }
    }
    for (at, found) in used.iter().enumerate() {
        if found.written < pages {
            let place = space.frontiers.place_of(found.block);
            let next = space.frontiers.turn_of(place);
            let goes_on = found.turns(units).is_none_or(|(_, behind)| behind == next);
            if last[place] == Some(at) && goes_on {
                reopen(space, geometry, found, next);
                continue;
            }
            for page in found.written..pages {
                space.blocks.clear(found.block, page);
            }
            space.blocks.programmed(found.block, pages - found.written);
            space.retiring.insert(found.block.0);
        }
        space.victims.insert(found.block, space.blocks.valid(found.block));
    }
}

/// Sets the valid bits: first every page of the blocks in use, then not those that no LPN maps to.
fn mark_valid<V, T: BlockInfo>(
    space: &mut Space<V, T>,
    geometry: &Geometry,
    used: &[Found],
    map: &[u32],
) {
    let mut mapped = alloc::vec![0u64; geometry.pages().div_ceil(64) as usize];
    for ppn in map.iter().filter(|ppn| **ppn != UNMAPPED) {
        mapped[*ppn as usize / 64] |= 1 << (ppn % 64);
    }
    for found in used {
        space.blocks.open(found.block, geometry.pages_per_block());
        space.blocks.programmed(found.block, found.written);
        for page in 0..found.written {
            let Ppn(ppn) = geometry.ppn(found.block, page);
            if mapped[ppn as usize / 64] >> (ppn % 64) & 1 == 0 {
                space.blocks.clear(found.block, page);
            }
        }
    }
}

/// Reads the OOB of a block's pages up to the first that is erased.
pub(crate) fn scan<F: Probe>(flash: &mut F, block: BlockId) -> Result<Found, FtlError> {
    let geometry = *flash.geometry();
    let mut found =
        Found { block, written: geometry.pages_per_block(), first: None, first_page: 0 };
    for page in 0..geometry.pages_per_block() {
        match flash.read_oob(geometry.ppn(block, page), Cause::Mount) {
            Ok(oob) if found.first.is_none() => (found.first, found.first_page) = (Some(oob), page),
            Ok(_) => {}
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

/// Maps the LPNs of a block's readable pages to it, but for those that are newer elsewhere.
fn map_pages<F: Probe>(
    flash: &mut F,
    found: &Found,
    kind: PageKind,
    stamps: &Stamps,
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
        let entry = &mut map[lpn as usize];
        if *entry == UNMAPPED || stamps.of(Ppn(*entry)) < stamps.of(ppn) {
            *entry = ppn.0;
        }
    }
    Ok(())
}

/// Goes on with a block, its next page at this turn.
fn reopen<V, T>(space: &mut Space<V, T>, geometry: &Geometry, found: &Found, turn: u64) {
    let first = geometry.ppn(found.block, 0).0;
    // Not below 0: there are as many turns before the first as a block takes.
    let seq = turn - u64::from(found.written) * space.frontiers.count();
    let end = first + geometry.pages_per_block();
    space.frontiers.reopen(Frontier { block: found.block, next: first + found.written, end, seq });
    space.free_pages += u64::from(geometry.pages_per_block() - found.written);
}
