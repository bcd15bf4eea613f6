//! Rebuilds a map from the OOB areas alone.
//!
//! Every page carries its LPN, and the number and class of [`super::frontiers`]. Torn pages, and blocks with an
//! interrupted erase, hold nothing readable. They count as invalid and are collected like any others.
//!
//! # The newest version
//! (number, page in its block) orders all readable pages by the time of their program. So the newest version of an
//! LPN is the one with the largest pair. A mount continues with numbers after the largest number T that it finds.
//!
//! Larger numbers may have been assigned before the power failed, to pages that are torn or erased. Such a page
//! cannot be read, so a mount never takes it for newer than a page that carries the same number again. If the page
//! programmed last is in a block that is continued, the block's next page also carries T. That page comes later in
//! the block, and all other pages have smaller numbers. So the order also holds for pages that are written after a
//! mount. It holds for any number of mounts, with any allocation and sharing of frontiers: it does not depend on
//! the turns.
//!
//! # Blocks that are continued
//! NAND allows programming the page after the last one written in a block at any time. So every partly written
//! block is continued, except one in which a program failed. For each unit and class the block opened last is
//! continued at once. If the array was written with the same settings, that is the block being written: a class
//! opens a block of a unit only if it has none. All others wait, and are written before a free block is opened.
//! They come from other settings, with which more blocks may have been open. So a mount loses no free page,
//! whatever the settings.
//!
//! Suppose that a block was opened before another one of its unit and class, which may be full now. Then the first
//! block was full or abandoned when the other was opened. If it is partly written and its last page is unreadable,
//! a program failed in it: it is collected as it is, and retired. If its last page is readable, the block was open
//! with other settings. Two cases are misjudged:
//! - If the power failed before the next block was opened, nothing shows the failed program, and the block is
//!   continued.
//! - If an array is mounted with another allocation, a torn page may look like a failed program, which costs one
//!   block.
//!
//! With fewer classes than before, blocks of the classes that are no more are continued as the last class, or wait.
//!
//! Blocks in SLC mode belong to the SLC cache, and are continued likewise: one per unit.
//!
//! A block without a readable page was opened by the program that the power cut interrupted, or its first program
//! failed. Its class is unknown. The class had no other open block, so the block is continued for a class of its
//! unit that has none. If there is no such class, the block waits.

use super::core::Core;
use super::frontiers::{CLASSES, Frontier, number_and_class};
use super::space::Space;
use super::tables::{BlockInfo, Tables, UNMAPPED};
use crate::error::FtlError;
use crate::events;
use crate::victims::Victims;
use alloc::{format, vec, vec::Vec};
use core::mem;
use flash::{BlockId, Cause, FlashError, Geometry, Lpn, PageKind, Ppn, Probe};

/// Result of reading a block's OOB areas.
pub(crate) struct ScannedBlock {
    pub(crate) block: BlockId,
    /// Pages that it can hold: fewer in SLC mode.
    pages: u32,
    /// True if it is in SLC mode.
    is_slc: bool,
    /// Pages programmed or torn.
    pub(crate) written: u32,
    /// Kind of the first readable page, if there is one.
    pub(crate) kind: Option<PageKind>,
    /// True if the last page programmed is readable.
    ends_readable: bool,
    /// Sequence number of the first readable page.
    first: u64,
    /// Number of the last readable page.
    pub(crate) newest: u64,
}

/// How a mount compares two pages of a logical page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// It keeps the number of each page that is mapped: 8 bytes per logical page.
    InRam,
    /// It reads the OOB area of the page that is mapped once more, if that may be the newer one.
    OnFlash,
}

impl ScannedBlock {
    /// Number at which the block was opened, or an early one, and its class.
    pub(crate) fn opened(&self) -> Option<(u64, usize)> {
        self.kind.map(|_| number_and_class(self.first))
    }

    /// True if all its pages are programmed or torn.
    pub(crate) fn is_full(&self) -> bool {
        self.written == self.pages
    }
}

/// Fills an empty core from the contents of its array.
pub(super) fn mount<F: Probe, V: Victims, T: Tables>(
    core: &mut Core<F, V, T>,
    numbers: Numbers,
) -> Result<(), FtlError> {
    let mut used = Vec::with_capacity(core.flash.geometry().blocks() as usize);
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
    rebuild(&mut core.space, &mut core.flash, used, (PageKind::Data, numbers), &mut map)?;
    if let Some(cache) = &mut core.space.cache {
        cache.in_use = map.iter().filter(|ppn| **ppn != UNMAPPED).count() as u64;
    }
    core.space.blocks.put_map(map);
    core.count_groups();
    Ok(())
}

/// Puts blocks into the order in which they were opened. A block without a readable page was opened last.
pub(crate) fn in_order(used: &mut [ScannedBlock]) {
    used.sort_unstable_by_key(|found| {
        (found.opened().map_or(u64::MAX, |(number, _)| number), found.block)
    });
}

/// Fills `map` from the blocks in use, whose pages are all of `kind`, and puts them into the order in which they were opened.
pub(crate) fn map_all<F: Probe>(
    flash: &mut F,
    used: &mut [ScannedBlock],
    (kind, numbers): (PageKind, Numbers),
    map: &mut [u32],
) -> Result<(), FtlError> {
    in_order(used);
    let mut kept = vec![0; if numbers == Numbers::InRam { map.len() } else { 0 }];
    let mut newest = 0;
    for found in used {
        map_pages(flash, found, (kind, newest), &mut kept, map)?;
        newest = newest.max(found.newest);
    }
    Ok(())
}

/// Fills `map` and an empty space from the blocks in use, whose pages are all of `kind`.
pub(crate) fn rebuild<F: Probe, V: Victims, T: BlockInfo>(
    space: &mut Space<V, T>,
    flash: &mut F,
    mut used: Vec<ScannedBlock>,
    (kind, numbers): (PageKind, Numbers),
    map: &mut [u32],
) -> Result<(), FtlError> {
    let geometry = *flash.geometry();
    map_all(flash, &mut used, (kind, numbers), map)?;
    if (kind, numbers) == (PageKind::Translation, Numbers::OnFlash) {
        // Few pages: the directory is searched for each.
        mark_valid(space, &geometry, &used, |ppn| map.contains(&ppn));
    } else {
        let mut mapped = vec![0u64; geometry.pages().div_ceil(64) as usize];
        for ppn in map.iter().filter(|ppn| **ppn != UNMAPPED) {
            mapped[*ppn as usize / 64] |= 1 << (ppn % 64);
        }
        mark_valid(space, &geometry, &used, |ppn| mapped[ppn as usize / 64] >> (ppn % 64) & 1 == 1);
    }
    for found in &used {
        space.victims.erased(found.block, flash.erase_count(found.block));
    }
    resume(space, &geometry, &used);
    resume_slc(space, &geometry, &used);
    let in_cache = space.cache.iter().flat_map(|cache| cache.open());
    for frontier in space.frontiers.open().chain(in_cache) {
        events::found_open(flash, frontier.block, Ppn(frontier.next));
    }
    Ok(())
}

/// Continues the partly written blocks: see the module. The full ones become candidates. `used` is in the order in which they were
/// opened.
pub(crate) fn resume<V: Victims, T: BlockInfo>(
    space: &mut Space<V, T>,
    geometry: &Geometry,
    used: &[ScannedBlock],
) {
    // A number belongs to one block.
    let newest = used.iter().filter(|found| found.kind.is_some()).max_by_key(|found| found.newest);
    if let Some(found) = newest {
        space.frontiers.go_on_behind(found.newest, found.block);
    }
    let pages = geometry.pages_per_block();
    let own_mode = || used.iter().filter(|found| !found.is_slc);
    // The block opened first is the oldest candidate.
    for found in own_mode().filter(|found| found.written == pages) {
        space.victims.insert(found.block, space.blocks.valid(found.block));
    }
    space.frontiers.reserve_waiting(own_mode().filter(|found| !found.is_full()).count());
    // Blocks of known class come first, the last one opened at their head.
    let known = own_mode().rev().filter(|found| found.kind.is_some());
    let unknown = own_mode().filter(|found| found.kind.is_none());
    let mut opened_later = vec![[false; CLASSES]; space.frontiers.count() as usize];
    for found in known.chain(unknown) {
        let class = found.opened().map(|(_, class)| class);
        if let (Some(placing), Some(class)) = (&mut space.placing, class) {
            placing.found(found.block, class);
        }
        let later = class.is_some_and(|class| {
            let place = space.frontiers.place_of(found.block);
            mem::replace(&mut opened_later[place][class], true)
        });
        if found.written == pages {
            continue;
        }
        if later && !found.ends_readable {
            close_failed(space, found, pages);
            continue;
        }
        let first = geometry.ppn(found.block, 0).0;
        let (next, end) = (first + found.written, first + pages);
        let open_for = space.frontiers.reopen(Frontier { block: found.block, next, end }, class);
        if let (Some(placing), Some(class)) = (&mut space.placing, open_for) {
            // A block without a readable page gets its class here.
            placing.found(found.block, class);
        }
        space.free_pages += u64::from(pages - found.written);
    }
}

/// Gives the blocks in SLC mode back to the cache, in the order in which they were opened. For each unit the block
/// opened last is continued. A block opened before it and not full is closed: a program failed in it if its last page
/// is not readable, else it was open with other settings. Without a cache all are closed, and are candidates.
fn resume_slc<V: Victims, T: BlockInfo>(
    space: &mut Space<V, T>,
    geometry: &Geometry,
    used: &[ScannedBlock],
) {
    let in_slc = || used.iter().filter(|found| found.is_slc);
    let mut opened_last = vec![None; space.frontiers.count() as usize];
    for found in in_slc() {
        opened_last[space.frontiers.place_of(found.block)] = Some(found.block);
    }
    for found in in_slc() {
        let place = space.frontiers.place_of(found.block);
        let is_last = opened_last[place] == Some(found.block);
        let first = geometry.ppn(found.block, 0).0;
        let (next, end) = (first + found.written, first + found.pages);
        let frontier = Frontier { block: found.block, next, end };
        let is_open =
            space.cache.as_mut().is_some_and(|cache| cache.found(place, frontier, is_last));
        if is_open {
            continue;
        }
        space.clear_rest(geometry, frontier);
        if frontier.room() > 0 && !is_last && !found.ends_readable {
            space.retiring.insert(found.block.0);
        }
        if space.cache.is_none() {
            space.victims.insert(found.block, space.blocks.valid(found.block));
        }
    }
    space.cache_changed(geometry);
}

/// Closes a block in which a program failed before the power cut. It is retired once it is collected.
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

/// Sets the valid bits: sets those of all pages in use, then clears those of pages that no LPN maps to.
fn mark_valid<V, T: BlockInfo>(
    space: &mut Space<V, T>,
    geometry: &Geometry,
    used: &[ScannedBlock],
    is_mapped: impl Fn(u32) -> bool,
) {
    for found in used {
        space.blocks.open(found.block, found.pages);
        space.blocks.programmed(found.block, found.written);
        for page in 0..found.written {
            let Ppn(ppn) = geometry.ppn(found.block, page);
            if !is_mapped(ppn) {
                space.blocks.clear(found.block, page);
            }
        }
    }
}

/// Reads the OOB areas of a block's pages up to the first erased page.
pub(crate) fn scan<F: Probe>(flash: &mut F, block: BlockId) -> Result<ScannedBlock, FtlError> {
    let geometry = *flash.geometry();
    let (all, is_slc) = (geometry.pages_per_block(), flash.is_slc(block));
    let pages = if is_slc { flash.part().cell.slc_pages(all) } else { all };
    let mut found = ScannedBlock {
        block,
        pages,
        is_slc,
        written: pages,
        kind: None,
        ends_readable: false,
        first: 0,
        newest: 0,
    };
    for page in 0..pages {
        match flash.read_oob(geometry.ppn(block, page), Cause::Mount) {
            Ok(oob) => {
                if found.kind.is_none() {
                    (found.kind, found.first) = (Some(oob.kind), oob.seq);
                }
                (found.newest, found.ends_readable) = (number_and_class(oob.seq).0, true);
            }
            Err(FlashError::Uncorrectable(ppn)) => {
                found.ends_readable = false;
                events::found_torn(flash, ppn);
            }
            Err(FlashError::Erased(_)) => {
                found.written = page;
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}

/// Maps the LPNs of a block's readable pages to these pages, except LPNs with a newer version elsewhere.
///
/// `numbers` holds the number of the page mapped for each LPN, or nothing. No page that is mapped so far, this block's
/// excepted, has a number above `newest`.
fn map_pages<F: Probe>(
    flash: &mut F,
    found: &ScannedBlock,
    (kind, newest): (PageKind, u64),
    numbers: &mut [u64],
    map: &mut [u32],
) -> Result<(), FtlError> {
    if found.kind.is_none() {
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
        if (oob.kind, lpn as usize) == (PageKind::Translation, map.len()) {
            // A seal: it is never valid.
            continue;
        }
        if oob.kind != kind || lpn as usize >= map.len() {
            return Err(FtlError::Mount(format!(
                "{ppn} holds {:?} {lpn}, but this scheme writes only {kind:?} pages below {} there; the array was written by another scheme or configuration",
                oob.kind,
                map.len()
            )));
        }
        let entry = &mut map[lpn as usize];
        let (number, _) = number_and_class(oob.seq);
        // Pages of one number are in one block, so this loop meets the later page later.
        let is_newer = *entry == UNMAPPED || number > newest || {
            let mapped = match numbers.get(lpn as usize) {
                Some(number) => *number,
                None => number_of(flash, Ppn(*entry))?,
            };
            number >= mapped
        };
        if is_newer {
            *entry = ppn.0;
            if let Some(kept) = numbers.get_mut(lpn as usize) {
                *kept = number;
            }
        }
    }
    Ok(())
}

/// Number of a page; 0 if it cannot be read any more.
pub(crate) fn number_of<F: Probe>(flash: &mut F, ppn: Ppn) -> Result<u64, FtlError> {
    match flash.read_oob(ppn, Cause::Mount) {
        Ok(oob) => Ok(number_and_class(oob.seq).0),
        Err(FlashError::Uncorrectable(_)) => Ok(0),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flash::{Array, Flash, Geometry, Oob, Serial, Store, parts};

    /// A block of copies that was opened later may hold an older version than a host's block opened before it.
    #[test]
    fn the_newer_version_may_be_in_the_block_that_was_opened_before() {
        let part = parts::by_name("evaluation-slc").unwrap().clone();
        let geometry = Geometry::new(2, part.pages_per_block, part.page_bytes).unwrap();
        for numbers in [Numbers::InRam, Numbers::OnFlash] {
            let mut flash = Serial::new(Array::new(geometry, part.clone(), Store::All));
            for (block, page, lpn, number) in [(0, 0, 1, 1), (1, 0, 7, 2), (0, 1, 7, 3)] {
                let ppn = geometry.ppn(BlockId(block), page);
                flash.program(ppn, Oob::data(Lpn(lpn), number), None, Cause::Host).unwrap();
            }
            let mut used = [1, 0].map(|block| scan(&mut flash, BlockId(block)).unwrap());
            let mut map = vec![UNMAPPED; 8];
            map_all(&mut flash, &mut used, (PageKind::Data, numbers), &mut map).unwrap();
            assert_eq!(map[7], geometry.ppn(BlockId(0), 1).0, "{numbers:?}");
            assert_eq!(map[1], geometry.ppn(BlockId(0), 0).0, "{numbers:?}");
        }
    }
}
