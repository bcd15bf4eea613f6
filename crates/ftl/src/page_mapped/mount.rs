//! Mount: rebuilds the map from the OOB areas alone.
//!
//! Every page carries its LPN, and the number and class of [`super::frontiers`]. Torn pages, and blocks whose erase
//! was cut, are unreadable. They count as invalid and are collected like any others.
//!
//! # The newest version
//! (number, page in its block) orders all readable pages by time of program. The newest version of an LPN is the
//! one with the largest pair. A mount continues with numbers above the largest it finds, T. Larger numbers may have
//! been given before the power failed, to pages that are torn or erased. None of these can be read, so none is
//! taken for newer than a page that gets the same number again.
//!
//! If the last programmed page is in a block that stays open, its next page carries T, too. That page follows it in
//! its block, and all other pages have smaller numbers. So the order holds for pages written after any number of
//! mounts. It holds for any allocation and sharing of frontiers at each of them, since it does not depend on the
//! order of turns.
//!
//! # Blocks that stay open
//! Only the rules of NAND matter here: the page after the last written one of a block may be programmed at any
//! time. So each partly written block stays open, unless a program failed in it. Of each unit and class, the block
//! opened last is reopened at once. A class opens a block of a unit only if it has none. So this is the block that
//! was being written, if the settings are the same. The others wait, and are written before a free block is opened.
//! They come from other settings with more open blocks. So a mount loses no free page, whatever the settings.
//!
//! When a unit and class opened a block, its previous block was full or abandoned. If that previous block is partly
//! written and its last page is unreadable, a program failed in it. It is collected as it is, and retired. If its
//! last page is readable, it was open with other settings. Two cases are exceptions. If the power failed before the
//! next block was opened, the failed program is not detected, and the block stays open. If the array is mounted
//! with another allocation, a torn page may be taken for a failed one, which costs a block.
//!
//! A block without any readable page was opened by the program at which the power failed, or its first program
//! failed. Its class is unknown. Its class had no other block, so it is reopened for a class of its unit without
//! one; if there is none, it waits.

use super::core::Core;
use super::frontiers::{CLASSES, Frontier, number_and_class};
use super::space::Space;
use super::tables::{BlockInfo, Tables, UNMAPPED};
use super::victims::Victims;
use crate::error::FtlError;
use alloc::{format, vec, vec::Vec};
use core::mem;
use flash::{BlockId, Cause, FlashError, Geometry, Lpn, Oob, PageKind, Ppn, Probe};

/// The OOB areas of a block.
pub(crate) struct ScannedBlock {
    pub(crate) block: BlockId,
    /// Pages programmed or torn.
    pub(crate) written: u32,
    /// OOB of its first readable page, if there is one.
    pub(crate) first: Option<Oob>,
    /// Number and page index of its last readable page.
    newest: (u64, u32),
}

impl ScannedBlock {
    /// Number at which it was opened, or soon after, and its class.
    fn opened(&self) -> Option<(u64, usize)> {
        self.first.map(|oob| number_and_class(oob.seq))
    }

    /// True if its last programmed page is readable.
    fn ends_readable(&self) -> bool {
        self.first.is_some() && self.newest.1 + 1 == self.written
    }
}

/// Fills an empty core from the content of its array.
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

/// Fills `map` and an empty space from the used blocks of the space. All their pages are of `kind`.
pub(crate) fn rebuild<F: Probe, V: Victims, T: BlockInfo>(
    space: &mut Space<V, T>,
    flash: &mut F,
    mut used: Vec<ScannedBlock>,
    kind: PageKind,
    map: &mut [u32],
) -> Result<(), FtlError> {
    // A block without a readable page was opened last.
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

/// Continues with the partly written blocks: see the module.
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
    let (partly, full): (Vec<&ScannedBlock>, Vec<_>) =
        used.iter().partition(|found| found.written < pages);
    for found in full {
        space.victims.insert(found.block, space.blocks.valid(found.block));
    }
    // Blocks of a known class come first, the one opened last before the others.
    let (known, unknown): (Vec<_>, Vec<_>) =
        partly.into_iter().partition(|found| found.first.is_some());
    let mut opened_later = vec![[false; CLASSES]; space.frontiers.count() as usize];
    for found in known.into_iter().rev().chain(unknown) {
        let class = found.opened().map(|(_, class)| class);
        if let Some(class) = class {
            let place = space.frontiers.place_of(found.block);
            let later = mem::replace(&mut opened_later[place][class], true);
            if later && !found.ends_readable() {
                close_failed(space, found, pages);
                continue;
            }
        }
        let first = geometry.ppn(found.block, 0).0;
        let (next, end) = (first + found.written, first + pages);
        space.frontiers.reopen(Frontier { block: found.block, next, end }, class);
        space.free_pages += u64::from(pages - found.written);
    }
}

/// Closes a block in which a program failed before the power did.
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

/// Sets the valid bits: all pages of the used blocks, then clears those that no LPN maps to.
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

/// Reads the OOB areas of a block up to the first erased page.
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

/// Maps the LPNs of a block's readable pages to it, unless they are newer elsewhere. `numbers` belong to the mapped
/// pages.
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
        // Pages with the same number are in one block, and the later page comes later here, too.
        if *entry == UNMAPPED || number >= *newest {
            (*entry, *newest) = (ppn.0, number);
        }
    }
    Ok(())
}
