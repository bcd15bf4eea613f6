//! The seal: what a shutdown in firmware writes, so that the next mount need not look at each page.
//!
//! ```text
//! shutdown: write back all dirty entries; program a page behind the last translation page (its number), which is invalid at once:
//!   the data area's last number and block, its open block with the next page, and a mark of the directory
//! mount: read the first page of each block, and all of the translation blocks. If
//!   - the page programmed last in the translation area is a seal,
//!   - the translation pages found are those of its mark,
//!   - no data block was opened with a larger number, and the next page of the open block is erased,
//!   then the translation pages are the map, and what they name is valid
//! ```
//!
//! Whatever is programmed after a seal breaks it: a data page is in the open block or in a block with a larger number, and a
//! translation page is behind the seal. A block that was erased after it held the seal, or nothing valid but what was trimmed since,
//! which the map shows. Trims after a seal are forgotten, as by any mount. A block that is torn, and one in which a program failed, leave no seal: such a mount looks at each page.

use super::collection::Collector;
use super::core::{ENTRY_BYTES, OnDemandCore};
use super::mount::{distribute, finish};
use crate::block_set::BlockSet;
use crate::error::FtlError;
use crate::layout::OnDemandLayout;
use crate::page_mapped::core::LOST;
use crate::page_mapped::frontiers::{Frontier, number_and_class};
use crate::page_mapped::mount::{Numbers, ScannedBlock, map_all, rebuild, scan};
use crate::page_mapped::tables::UNMAPPED;
use crate::victims::Victims;
use alloc::{vec, vec::Vec};
use flash::{BlockId, Cause, FlashError, Lpn, PageKind, Ppn, Probe};

/// In words: Λ; of the data area the last number (two), last block, open block or all ones, its next page; the mark of the
/// directory (two).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seal([u32; 8]);

impl Seal {
    const BYTES: usize = 32;

    fn write(self, bytes: &mut [u8]) {
        bytes.fill(u8::MAX);
        let words = bytes.as_chunks_mut::<4>().0.iter_mut();
        words.zip(self.0).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
    }

    fn read(bytes: &[u8], logical_pages: u32) -> Option<Self> {
        let mut words = [0; 8];
        let from = bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        words.iter_mut().zip(from).for_each(|(word, from)| *word = from);
        let is_seal = bytes.len() >= Self::BYTES && words[0] == logical_pages;
        is_seal.then_some(Self(words))
    }

    fn number(self) -> u64 {
        u64::from(self.0[1]) | (u64::from(self.0[2]) << 32)
    }

    /// True if these are the newest translation pages. If one cannot be read any more, a mount takes an older one for it.
    fn is_of(self, directory: &[u32]) -> bool {
        self.0[6..] == mark(directory)
    }

    fn open(self) -> Option<(BlockId, u32)> {
        (self.0[4] != UNMAPPED).then_some((BlockId(self.0[4]), self.0[5]))
    }
}

/// FNV-1a, 64 bits, of a directory.
fn mark(directory: &[u32]) -> [u32; 2] {
    let hash = directory.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, ppn| {
        (hash ^ u64::from(*ppn)).wrapping_mul(0x0100_0000_01b3)
    });
    [hash as u32, (hash >> 32) as u32]
}

/// Writes all dirty entries back, and a seal if the state allows one.
///
/// # Errors
/// The array's; not [`FtlError::Full`], which leaves all as it is.
pub(super) fn seal<F: Probe>(core: &mut OnDemandCore<F>) -> Result<(), FtlError> {
    match write_seal(core) {
        Err(FtlError::Full { .. }) => Ok(()),
        done => done,
    }
}

fn write_seal<F: Probe>(core: &mut OnDemandCore<F>) -> Result<(), FtlError> {
    while let Some(page) = core.cmt.fullest_page() {
        core.write_back(page, &[], Cause::WriteBack)?;
    }
    core.make_translation_room()?;
    let geometry = *core.medium.geometry();
    let mut open = core.data.frontiers.open();
    let (first, others) = (open.next(), open.next().is_some());
    drop(open);
    let small = (geometry.page_bytes() as usize) < Seal::BYTES;
    if small || others || core.has_forgotten || !core.data.retiring.is_empty() {
        return Ok(());
    }
    let (number, Some(last)) = core.data.frontiers.behind() else { return Ok(()) };
    let (block, next) = first
        .map_or((UNMAPPED, 0), |open| (open.block.0, open.next - geometry.ppn(open.block, 0).0));
    let [low, high] = mark(&core.directory);
    let number = [number as u32, (number >> 32) as u32];
    let words = [core.logical_pages, number[0], number[1], last.0, block, next, low, high];
    let mut bytes = core.take_page();
    Seal(words).write(&mut bytes);
    let behind = Lpn(core.directory.len() as u32);
    let OnDemandCore { medium, translation, .. } = core;
    let done =
        medium.program(translation, behind, PageKind::Translation, Some(&bytes), Cause::WriteBack);
    if let Ok(ppn) = done {
        translation.invalidate(&geometry, ppn);
    }
    core.put_page(bytes);
    done.map(|_| ())
}

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
