//! Rebuilding a map from the OOB areas alone.
//!
//! Every page carries its LPN, and the number and class of [`super::frontiers`]. Torn pages, and blocks whose erase was
//! cut, hold nothing readable: they count as invalid and are collected like any other.
//!
//! # The newest version
//! (number, page in its block) orders all readable pages by when they were programmed, so the newest version of an LPN is the
//! one with the largest. A mount goes on with numbers behind the largest that it finds, T. Larger ones may have been given
//! before the power failed, to pages that were torn or are erased; none can be read, so none is found to be newer than a page
//! that carries the same number again. Where the page programmed last is in a block that goes on, its next page carries T,
//! too: it is behind that page in its block, and all other pages have smaller numbers. So the order holds for what is
//! written behind a mount, however many there were, and whatever allocation and sharing of frontiers each of them had: nothing
//! in it rests on whose turn it was.
//!
//! # Which blocks go on
//! No rule is needed for that but those of NAND: a page behind the last one written in a block may be programmed at any time, so
//! each block that is partly written goes on, but for one in which a program failed. Of each unit and class that which was opened
//! last goes on at once: it is the one that was being written, if the array was written with the same settings, since a class
//! opens a block of a unit only when it has none. The others wait, and are written before a free block is opened: blocks
//! of other settings, of which more may have been open. So no free page is lost by a mount, whatever the settings.
//!
//! A block that was opened before another of its unit and class, be that one full by now, was full or abandoned by then. So if it is partly written, and its
//! last page is unreadable, then a program failed in it: it is collected as it is, and retired. (Where the power failed before
//! the next block was opened nothing tells, and it goes on; and where an array is mounted with another allocation a
//! torn page may be taken for a failed one, which costs a block.) If its last page can be read, it was open with other settings.
//!
//! A block without any readable page was opened by the program at which the power failed, or in which the first program failed. It
//! tells no class. Its class had no other block, so it goes on for a class of its unit that has none; if there is no such class, it
//! waits.

use super::core::Core;
use super::frontiers::{CLASSES, Frontier, number_and_class};
use super::space::Space;
use super::tables::{BlockInfo, Tables, UNMAPPED};
use super::victims::Victims;
use crate::error::FtlError;
use alloc::{format, vec, vec::Vec};
use core::mem;
use flash::{BlockId, Cause, FlashError, Geometry, Lpn, Oob, PageKind, Ppn, Probe};

/// What a block's OOB areas tell.
pub(crate) struct ScannedBlock {
    pub(crate) block: BlockId,
    /// Pages programmed (or torn).
    pub(crate) written: u32,
    /// OOB of its first readable page, if any is readable.
    pub(crate) first: Option<Oob>,
    /// Number of its last readable page, and that page.
    newest: (u64, u32),
}

impl ScannedBlock {
    /// The number at which it was opened, or soon after, and its class.
    fn opened(&self) -> Option<(u64, usize)> {
        self.first.map(|oob| number_and_class(oob.seq))
    }

    /// Whether its last page that was programmed can be read.
    fn ends_readable(&self) -> bool {
        self.first.is_some() && self.newest.1 + 1 == self.written
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
    mut used: Vec<ScannedBlock>,
    kind: PageKind,
    map: &mut [u32],
) -> Result<(), FtlError> {
    // One without a readable page was opened last.
    used.sort_by_key(|found| (found.opened().map_or(u64::MAX, |(number, _)| number), found.block));
    let geometry = *flash.geometry();
    let mut numbers = vec![0; map.len()];
    for found in &used {
        map_pages(flash, found, kind, &mut numbers, map)?;
    }
    drop(numbers);
    mark_valid(space, &geometry, &used, map);
    resume(space, &geometry, &used);
    Ok(())
}

/// Goes on with the blocks that are partly written: see the module.
fn resume<V: Victims, T: BlockInfo>(
    space: &mut Space<V, T>,
    geometry: &Geometry,
    used: &[ScannedBlock],
) {
    let newest = used.iter().filter(|found| found.first.is_some()).max_by_key(|found| found.newest);
    if let Some(found) = newest {
        space.frontiers.go_on_behind(found.newest.0, found.block);
    }
    let pages = geometry.pages_per_block();
    // The one opened first is the oldest candidate.
    for found in used.iter().filter(|found| found.written == pages) {
        space.victims.insert(found.block, space.blocks.valid(found.block));
    }
    // What tells its class before what does not, the one opened last first.
    let (known, unknown): (Vec<_>, Vec<_>) = used.iter().partition(|found| found.first.is_some());
    let mut opened_later = vec![[false; CLASSES]; space.frontiers.count() as usize];
    for found in known.into_iter().rev().chain(unknown) {
        let class = found.opened().map(|(_, class)| class);
        let later = class.is_some_and(|class| {
            let place = space.frontiers.place_of(found.block);
            mem::replace(&mut opened_later[place][class], true)
        });
        if found.written == pages {
            continue;
        }
        if later && !found.ends_readable() {
            close_failed(space, found, pages);
            continue;
        }
        let first = geometry.ppn(found.block, 0).0;
        let (next, end) = (first + found.written, first + pages);
        space.frontiers.reopen(Frontier { block: found.block, next, end }, class);
        space.free_pages += u64::from(pages - found.written);
    }
}

/// A program failed in this block before the power did.
fn close_failed<V: Victims, T: BlockInfo>(
    space: &mut Space<V, T>,
    found: &ScannedBlock,
    pages: u32,
) {
    for page in found.written..pages {
        space.blocks.clear(found.block, page);
    }
    space.blocks.programmed(found.block, pages - found.written);
    space.retiring.insert(found.block.0);
    space.victims.insert(found.block, space.blocks.valid(found.block));
}

/// Sets the valid bits: first every page of the blocks in use, then not those that no LPN maps to.
fn mark_valid<V, T: BlockInfo>(
    space: &mut Space<V, T>,
    geometry: &Geometry,
    used: &[ScannedBlock],
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
pub(crate) fn scan<F: Probe>(flash: &mut F, block: BlockId) -> Result<ScannedBlock, FtlError> {
    let geometry = *flash.geometry();
    let mut found =
        ScannedBlock { block, written: geometry.pages_per_block(), first: None, newest: (0, 0) };
    for page in 0..geometry.pages_per_block() {
        match flash.read_oob(geometry.ppn(block, page), Cause::Mount) {
            Ok(oob) => {
                found.first.get_or_insert(oob);
                found.newest = (number_and_class(oob.seq).0, page);
            }
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

/// Maps the LPNs of a block's readable pages to it, but for those that are newer elsewhere. `numbers` are of the pages
/// mapped to.
fn map_pages<F: Probe>(
    flash: &mut F,
    found: &ScannedBlock,
    kind: PageKind,
    numbers: &mut [u64],
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
        let (entry, newest) = (&mut map[lpn as usize], &mut numbers[lpn as usize]);
        let (number, _) = number_and_class(oob.seq);
        // Of one number in one block the later page comes later here, too.
        if *entry == UNMAPPED || number >= *newest {
            (*entry, *newest) = (ppn.0, number);
        }
    }
    Ok(())
}
