//! Mount: rebuilds map, directory and areas from flash alone.
//!
//! All pages of a block are of one kind, which determines its area. The newest version of each translation
//! page gives the directory. The newest version of each data page is the true map. A translation page that
//! differs was not written back before the power failed. The differing entries become dirty cached entries.
//! If the cache may not hold that many, they are written back at once.
//!
//! The mount needs a map of 4 bytes per logical page; [`super::lean_mount`] does without.

use super::collection::Collector;
use super::core::{ENTRY_BYTES, OnDemandCore};
use super::medium::Medium;
use super::seal;
use crate::error::FtlError;
use crate::events;
use crate::layout::OnDemandLayout;
use crate::page_mapped::core::LOST;
use crate::page_mapped::mount::{Numbers, ScannedBlock, rebuild, scan};
use crate::page_mapped::tables::UNMAPPED;
use crate::start::erase_written;
use alloc::{vec, vec::Vec};
use flash::{BlockId, Cause, Event, FlashError, Item, Lpn, PageKind, Ppn, Probe};

/// Fills an empty core from the content of its array.
pub(super) fn mount<F: Probe, C: Collector>(
    core: &mut OnDemandCore<F>,
    collector: &mut C,
    layout: &OnDemandLayout,
) -> Result<(), FtlError> {
    let (mut data, mut translation) = (Vec::new(), Vec::new());
    scan_all(core, |_, found| {
        let is_translation = found.kind == Some(PageKind::Translation);
        // A page of neither kind is refused with the data pages.
        if is_translation {
            translation.push(found)
        } else {
            data.push(found)
        }
        Ok(())
    })?;
    let used = [data.len() as u32, translation.len() as u32];
    let left = seal::left(core, &translation)?;
    let mut map = vec![UNMAPPED; core.logical_pages as usize];
    let OnDemandCore { medium, data: data_area, translation: translation_area, directory, .. } =
        core;
    let (kind, numbers) = (PageKind::Translation, Numbers::InRam);
    rebuild(data_area, &mut medium.flash, data, (PageKind::Data, numbers), &mut map)?;
    rebuild(translation_area, &mut medium.flash, translation, (kind, numbers), directory)?;
    distribute(core, layout, used);
    finish(core, |core| {
        compare(core, &map, collector.most_dirty_at_mount())?;
        seal::supersede(core, left)?;
        collector.recover(core)
    })
}

/// Runs the part of a mount that programs and erases.
pub(super) fn finish<F: Probe>(
    core: &mut OnDemandCore<F>,
    work: impl FnOnce(&mut OnDemandCore<F>) -> Result<(), FtlError>,
) -> Result<(), FtlError> {
    core.data.mounting = true;
    core.translation.mounting = true;
    match work(core) {
        // Pages torn by repeated power cuts may leave no room to collect. All data stay readable, and a
        // trim makes room. A write returns `Full`.
        Ok(()) | Err(FtlError::Full { .. }) => {}
        Err(error) => return Err(error),
    }
    core.data.mounting = false;
    core.translation.mounting = false;
    Ok(())
}

/// Scans all good blocks, and passes those on that have a readable page. The erased ones become spare.
///
/// A block without a readable page is erased, since its area is unknown: its first program or its erase was
/// cut.
pub(super) fn scan_all<F: Probe>(
    core: &mut OnDemandCore<F>,
    mut take: impl FnMut(&mut OnDemandCore<F>, ScannedBlock) -> Result<(), FtlError>,
) -> Result<(), FtlError> {
    for block in (0..core.medium.geometry().blocks()).map(BlockId) {
        let flash = &mut core.medium.flash;
        if flash.is_bad(block) {
            continue;
        }
        let found = scan(flash, block)?;
        match found.kind {
            Some(_) => take(core, found)?,
            None if found.written == 0 => core.medium.add_erased(block),
            None => match discard(flash, block) {
                Ok(()) => core.medium.add_erased(block),
                Err(FlashError::EraseFailed(_)) => {
                    flash.mark_bad(block)?;
                    events::retired(flash, block);
                    core.data.log.retired_blocks += 1;
                }
                Err(error) => return Err(error.into()),
            },
        }
    }
    Ok(())
}

fn discard<F: Probe>(flash: &mut F, block: BlockId) -> Result<(), FlashError> {
    events::discarded(flash, block);
    flash.erase(block, Cause::Mount)
}

/// Gives each area the erased blocks that it lacks, translation blocks first.
///
/// Then an area without room, after a torn page or forgotten trims, gets a spare block. The remaining
/// blocks are spare for both.
pub(super) fn distribute<F: Probe>(
    core: &mut OnDemandCore<F>,
    layout: &OnDemandLayout,
    [data_used, translation_used]: [u32; 2],
) {
    let all = layout.data_blocks + layout.translation_blocks;
    let translation_blocks =
        core.divide(layout.translation_blocks, all, [data_used, translation_used]);
    let OnDemandCore { medium, data, translation, .. } = core;
    let geometry = *medium.geometry();
    let mut areas = [
        (translation, translation_used, translation_blocks),
        (data, data_used, all - translation_blocks),
    ];
    for (area, used, blocks) in &mut areas {
        // A block that will be retired after its collection does not count.
        let due = *blocks + area.retiring.len() as u32;
        let given = due.saturating_sub(*used).min(medium.spares.len() as u32);
        (0..given).for_each(|_| medium.add_block(area));
        *used += given;
        (*blocks..*used).for_each(|_| area.add_spare(&geometry));
    }
    // The data area comes first, since it is written more often.
    for (area, used, blocks) in areas.iter_mut().rev() {
        if used <= blocks && area.free_pages <= area.log.threshold_pages {
            medium.add_spare(area);
        }
    }
}

/// Erases every written block and divides all good ones. Returns the number of blocks that went bad.
pub(super) fn format<F: Probe>(
    core: &mut OnDemandCore<F>,
    layout: &OnDemandLayout,
) -> Result<u32, FtlError> {
    for block in (0..core.medium.geometry().blocks()).map(BlockId) {
        let Medium { flash, .. } = &mut core.medium;
        if flash.is_bad(block) {
            continue;
        }
        if erase_written(flash, block)? {
            core.medium.add_erased(block);
        } else {
            flash.mark_bad(block)?;
            core.data.log.retired_blocks += 1;
        }
    }
    distribute(core, layout, [0, 0]);
    Ok(core.data.log.retired_blocks)
}

/// Updates the cache or the translation pages to match `map`.
fn compare<F: Probe>(
    core: &mut OnDemandCore<F>,
    map: &[u32],
    most_dirty: u32,
) -> Result<(), FtlError> {
    let mut bytes = vec![0; core.medium.geometry().page_bytes() as usize];
    let most_dirty = most_dirty.min(core.cmt.capacity());
    for page in 0..core.directory.len() as u32 {
        read_page(core, page, &mut bytes)?;
        let mut lost_entries = core.lost_entries;
        let mut differ = |lpn: u32, entry: u32| match (map[lpn as usize], entry) {
            // The lost page has not been written since.
            (UNMAPPED, LOST) => {
                lost_entries = true;
                None
            }
            (ppn, entry) => (ppn != entry).then_some((Lpn(lpn), Ppn(ppn))),
        };
        let entries =
            bytes.as_chunks::<ENTRY_BYTES>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        let differing: Vec<(Lpn, Ppn)> =
            core.lpns_of(page).zip(entries).filter_map(|(lpn, entry)| differ(lpn, entry)).collect();
        core.lost_entries = lost_entries;
        core.medium.flash.event(&Event::new(
            "found-translation-page",
            "{entries} entries of translation page {page} are older than the data pages",
            &[
                ("page", Item::TranslationPage(page)),
                ("entries", Item::Count(differing.len() as u64)),
            ],
        ));
        if differing.is_empty() {
            continue;
        }
        if differing.len() as u32 <= most_dirty.saturating_sub(core.cmt.dirty()) {
            core.absorb(&differing);
            continue;
        }
        match core.write_back(page, &differing, Cause::Mount) {
            Err(FtlError::Full { .. }) => core.absorb(&differing),
            done => done?,
        }
    }
    Ok(())
}

/// Reads the newest version of a translation page. A page without a version maps nothing.
fn read_page<F: Probe>(
    core: &mut OnDemandCore<F>,
    page: u32,
    bytes: &mut [u8],
) -> Result<(), FtlError> {
    let at = core.directory[page as usize];
    if at == UNMAPPED {
        bytes.fill(u8::MAX);
        return Ok(());
    }
    match core.medium.flash.read(Ppn(at), Some(&mut *bytes), Cause::Mount) {
        Ok(_) => Ok(()),
        Err(FlashError::Uncorrectable(_)) => {
            // It may have held entries of lost pages.
            core.lost_entries = true;
            bytes.fill(u8::MAX);
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}
