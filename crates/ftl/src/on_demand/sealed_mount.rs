//! Mount of a sealed array: [`super::seal`].

use super::collection::Collector;
use super::core::{ENTRY_BYTES, OnDemandCore};
use super::mount::{distribute, finish};
use super::seal::Seal;
use crate::block_set::BlockSet;
use crate::error::FtlError;
use crate::layout::OnDemandLayout;
use crate::page_mapped::core::LOST;
use crate::page_mapped::frontiers::{Frontier, number_and_class};
use crate::page_mapped::mount::{Numbers, ScannedBlock, map_all, rebuild, scan};
use crate::page_mapped::tables::UNMAPPED;
use crate::victims::Victims;
use alloc::{vec, vec::Vec};
use flash::{BlockId, Cause, FlashError, PageKind, Ppn, Probe};

/// Mounts a sealed array. Returns false if it is not sealed: nothing has changed then but the directory.
pub(super) fn mount<F: Probe, C: Collector>(
    core: &mut OnDemandCore<F>,
    collector: &mut C,
    layout: &OnDemandLayout,
) -> Result<bool, FtlError> {
    let geometry = *core.medium.geometry();
    let most = (geometry.blocks() - layout.data_blocks) as usize;
    let mut translation: Vec<ScannedBlock> = Vec::with_capacity(most);
    let (mut data_blocks, mut erased) =
        (BlockSet::new(geometry.blocks()), BlockSet::new(geometry.blocks()));
    let mut opened = 0;
    for block in (0..geometry.blocks()).map(BlockId) {
        if core.medium.flash.is_bad(block) {
            continue;
        }
        match core.medium.flash.read_oob(geometry.ppn(block, 0), Cause::Mount) {
            Ok(oob) if oob.kind == PageKind::Translation && translation.len() < most => {
                translation.push(scan(&mut core.medium.flash, block)?);
            }
            Ok(oob) if oob.kind == PageKind::Data => {
                opened = number_and_class(oob.seq).0.max(opened);
                data_blocks.insert(block.0);
                core.data.blocks.open(block, 0);
            }
            Ok(_) | Err(FlashError::Uncorrectable(_)) => return Ok(false),
            Err(FlashError::Erased(_)) => erased.insert(block.0),
            Err(error) => return Err(error.into()),
        }
    }
    let mut bytes = vec![0; geometry.page_bytes() as usize];
    let Some(seal) = found(core, &translation, opened, &mut bytes)? else { return Ok(false) };
    let kind = (PageKind::Translation, Numbers::OnFlash);
    let OnDemandCore { medium, directory, .. } = core;
    map_all(&mut medium.flash, &mut translation, kind, directory)?;
    let is_whole = seal.is_of(directory) && read_map(core, (seal, &data_blocks), &mut bytes)?;
    core.directory.fill(UNMAPPED);
    if !is_whole {
        return Ok(false);
    }
    let OnDemandCore { medium, data, translation: area, directory, .. } = core;
    let used = [data_blocks.len() as u32, translation.len() as u32];
    rebuild(area, &mut medium.flash, translation, kind, directory)?;
    let pages = geometry.pages_per_block();
    erased.iter().for_each(|block| medium.add_erased(BlockId(block)));
    for block in data_blocks.iter().map(BlockId) {
        match seal.open() {
            Some((open, next)) if open == block => {
                let first = geometry.ppn(block, 0).0;
                let frontier = Frontier { block, next: first + next, end: first + pages };
                data.frontiers.reopen(frontier, Some(0));
                data.free_pages += u64::from(pages - next);
                (next..pages).for_each(|page| data.blocks.set(block, page));
            }
            _ => data.victims.insert(block, data.blocks.valid(block)),
        }
    }
    data.frontiers.go_on_behind(seal.number(), BlockId(seal.0[3]));
    distribute(core, layout, used);
    finish(core, |core| collector.recover(core))?;
    Ok(true)
}

/// The seal, if nothing was programmed after it.
fn found<F: Probe>(
    core: &mut OnDemandCore<F>,
    translation: &[ScannedBlock],
    opened: u64,
    bytes: &mut [u8],
) -> Result<Option<Seal>, FtlError> {
    let geometry = *core.medium.geometry();
    let Some(last) = translation.iter().max_by_key(|found| found.newest) else { return Ok(None) };
    let Some(page) = last.written.checked_sub(1) else { return Ok(None) };
    let ppn = geometry.ppn(last.block, page);
    match core.medium.flash.read(ppn, Some(&mut *bytes), Cause::Mount) {
        Ok(oob)
            if oob.lpn.0 == core.directory.len() as u32 && oob.kind == PageKind::Translation => {}
        Ok(_) | Err(FlashError::Uncorrectable(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    let Some(seal) = Seal::read(bytes, core.logical_pages) else { return Ok(None) };
    if opened > seal.number() {
        return Ok(None);
    }
    let Some((block, next)) = seal.open() else { return Ok(Some(seal)) };
    if block.0 >= geometry.blocks() || next >= geometry.pages_per_block() {
        return Ok(None);
    }
    match core.medium.flash.read_oob(geometry.ppn(block, next), Cause::Mount) {
        Err(FlashError::Erased(_)) => Ok(Some(seal)),
        Ok(_) | Err(FlashError::Uncorrectable(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Marks what the translation pages name valid. Returns false if one of them cannot be read, or names what cannot be: a block was
/// erased after trims.
fn read_map<F: Probe>(
    core: &mut OnDemandCore<F>,
    (seal, data_blocks): (Seal, &BlockSet),
    bytes: &mut [u8],
) -> Result<bool, FtlError> {
    let geometry = *core.medium.geometry();
    for page in 0..core.directory.len() as u32 {
        let at = core.directory[page as usize];
        if at == UNMAPPED {
            continue;
        }
        match core.medium.flash.read(Ppn(at), Some(&mut *bytes), Cause::Mount) {
            Ok(_) => {}
            Err(FlashError::Uncorrectable(_)) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        let entries = bytes.as_chunks::<ENTRY_BYTES>().0.iter().map(|it| u32::from_le_bytes(*it));
        for entry in entries.take(core.lpns_of(page).len()) {
            if entry >= LOST {
                core.lost_entries |= entry == LOST;
                continue;
            }
            if !geometry.contains(Ppn(entry)) {
                return Ok(false);
            }
            let (block, page) = geometry.split(Ppn(entry));
            let beyond = seal.open().is_some_and(|(open, next)| open == block && page >= next);
            if beyond
                || !data_blocks.contains(block.0)
                || core.data.blocks.next_valid(block, page) == Some(page)
            {
                return Ok(false);
            }
            core.data.blocks.set(block, page);
        }
    }
    Ok(true)
}
