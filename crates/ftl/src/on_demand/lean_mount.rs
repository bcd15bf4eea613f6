//! Mount without a map in RAM: for firmware.
//!
//! It finds what [`super::mount`] finds, in another order, with a bit per logical page besides what is kept:
//!
//! ```text
//! scan all blocks; rebuild the directory and the translation area
//! all pages of data blocks count as valid
//! for each page of a data block, in the order of their addresses:
//!   the entry of its LPN is that of the CMT, else that of the translation page
//!   if it names this page: that stays valid
//!   else if it names a valid page of the same LPN that was programmed later: this one becomes invalid
//!   else: the entry is this page, dirty; the page that it named becomes invalid, if it was met before
//! for each entry: no page has its LPN: unmapped. The page that it names is not valid: lost
//! ```
//!
//! Invariant: of the pages met, those are valid that the entry of their LPN names, and no others. So a translation page that
//! cannot be read is made anew from the pages met ([`OnDemandCore::entries_from_oob`]), and the pages to come are compared with that.
//!
//! The CMT holds as many dirty entries as a mount may leave. If another comes, the translation page with most of them is
//! rewritten. After a power cut alone no more entries differ than were dirty; after trims that were written back any number may,
//! since pages that were trimmed come back.
//!
//! Without a page left for the map, entries stay in RAM, beyond the size of the CMT up to the memory that is set aside. If even more
//! differ, the array is read only, and each read looks for the newest page in the OOB areas ([`OnDemandCore::newest`]).
//!
//! Cost: each written page is read once by the scan. Each data page and the page with its entry are read once more, and once the
//! OOB area of the page that the entry names.

use super::collection::Collector;
use super::core::{ENTRY_BYTES, OnDemandCore, Track};
use super::mount::{distribute, finish, scan_all};
use super::{seal, sealed_mount};
use crate::error::FtlError;
use crate::layout::OnDemandLayout;
use crate::page_mapped::core::LOST;
use crate::page_mapped::frontiers::number_and_class;
use crate::page_mapped::mount::{Numbers, ScannedBlock, in_order, rebuild, resume};
use crate::page_mapped::tables::UNMAPPED;
use crate::victims::Victims;
use alloc::string::String;
use alloc::{vec, vec::Vec};
use flash::{BlockId, Cause, FlashError, Lpn, Oob, PageKind, Ppn, Probe};

/// Most data blocks that are continued. Blocks that were partly written beside them are collected as they are.
const CONTINUED: usize = 16;

/// Most tries to make a translation page anew that cannot be read.
const REPAIRS: u32 = 4;

/// Fills an empty core from the content of its array. All its memory must be reserved.
pub(super) fn mount<F: Probe, C: Collector>(
    core: &mut OnDemandCore<F>,
    collector: &mut C,
    layout: &OnDemandLayout,
) -> Result<(), FtlError> {
    if sealed_mount::mount(core, collector, layout)? {
        return Ok(());
    }
    let most = core.medium.geometry().blocks() - layout.data_blocks;
    let mut translation: Vec<ScannedBlock> = Vec::with_capacity(most as usize);
    let (mut open, mut data_used) = (Open(Vec::with_capacity(CONTINUED + 3)), 0);
    scan_all(core, |core, found| {
        if found.kind != Some(PageKind::Translation) {
            data_used += 1;
            open.add(core, found);
        } else if translation.len() < translation.capacity() {
            translation.push(found);
        } else {
            return Err(foreign());
        }
        Ok(())
    })?;
    let (used, geometry) = ([data_used, translation.len() as u32], *core.medium.geometry());
    let left = seal::left(core, &translation)?;
    let OnDemandCore { medium, data, translation: area, directory, .. } = core;
    let kind = (PageKind::Translation, Numbers::OnFlash);
    rebuild(area, &mut medium.flash, translation, kind, directory)?;
    in_order(&mut open.0);
    resume(data, &geometry, &open.0);
    drop(open);
    distribute(core, layout, used);
    finish(core, |core| {
        let most_dirty = collector.most_dirty_at_mount().min(core.cmt.capacity());
        let met = Meeting::new(core, most_dirty).meet_all();
        core.met = Ppn(u32::MAX);
        met?;
        seal::supersede(core, left)?;
        collector.recover(core)
    })?;
    // All data can still be read, by the OOB areas.
    if core.track == Track::Lost {
        core.track = Track::ReadOnly;
    }
    Ok(())
}

fn foreign() -> FtlError {
    FtlError::Mount(String::from("pages that this scheme with this configuration does not write"))
}

/// The data blocks that [`resume`] needs: those that are not full, the one opened last, and the one programmed last.
struct Open(Vec<ScannedBlock>);

impl Open {
    fn add<F: Probe>(&mut self, core: &mut OnDemandCore<F>, found: ScannedBlock) {
        let (data, pages) = (&mut core.data, core.medium.geometry().pages_per_block());
        data.blocks.open(found.block, pages);
        self.0.push(found);
        let last = self.0.iter().map(|found| found.newest).max();
        let opened = self.0.iter().map(ScannedBlock::opened).max();
        let is_needed = |found: &ScannedBlock| {
            !found.is_full() || Some(found.newest) == last || Some(found.opened()) == opened
        };
        self.0.retain(|found| {
            let needed = is_needed(found);
            if !needed {
                data.victims.insert(found.block, pages);
            }
            needed
        });
        if self.0.len() > CONTINUED + 2 {
            let partly = (0..self.0.len()).filter(|at| !self.0[*at].is_full());
            let Some(first) = partly.min_by_key(|at| self.0[*at].opened()) else { return };
            let found = self.0.swap_remove(first);
            (found.written..pages).for_each(|page| _ = data.blocks.clear(found.block, page));
            data.victims.insert(found.block, found.written);
        }
    }
}

/// The loop over all data pages.
struct Meeting<'c, F> {
    core: &'c mut OnDemandCore<F>,
    /// A bit for each logical page that a page was met of.
    seen: Vec<u64>,
    /// The translation page in `bytes`.
    page: Option<u32>,
    bytes: Vec<u8>,
    most_dirty: u32,
    /// True if entries of lost pages were found, or may have been in a translation page that cannot be read.
    lost: bool,
}

impl<'c, F: Probe> Meeting<'c, F> {
    fn new(core: &'c mut OnDemandCore<F>, most_dirty: u32) -> Self {
        let seen = vec![0; core.logical_pages.div_ceil(64) as usize];
        let bytes = vec![0; core.medium.geometry().page_bytes() as usize];
        Self { core, seen, page: None, bytes, most_dirty, lost: false }
    }

    fn meet_all(mut self) -> Result<(), FtlError> {
        let geometry = *self.core.medium.geometry();
        for block in (0..geometry.blocks()).map(BlockId) {
            let mut next = self.core.data.blocks.next_valid(block, 0);
            while let Some(at) = next {
                next = self.core.data.blocks.next_valid(block, at + 1);
                let ppn = geometry.ppn(block, at);
                self.core.met = ppn;
                match self.core.medium.flash.read_oob(ppn, Cause::Mount) {
                    Ok(oob) => self.meet(ppn, oob)?,
                    Err(FlashError::Uncorrectable(_)) => {
                        self.core.data.invalidate(&geometry, ppn);
                    }
                    // The rest of a block that is continued.
                    Err(FlashError::Erased(_)) if self.is_open(block) => break,
                    Err(error) => return Err(error.into()),
                }
            }
        }
        self.check_entries()?;
        self.core.lost_entries = self.lost;
        Ok(())
    }

    fn is_open(&self, block: BlockId) -> bool {
        self.core.data.frontiers.open().any(|open| open.block == block)
    }

    fn meet(&mut self, ppn: Ppn, oob: Oob) -> Result<(), FtlError> {
        let geometry = *self.core.medium.geometry();
        let lpn = oob.lpn;
        if oob.kind != PageKind::Data || lpn.0 >= self.core.logical_pages {
            return Err(foreign());
        }
        self.seen[lpn.0 as usize / 64] |= 1 << (lpn.0 % 64);
        let entry = Ppn(self.entry(lpn)?);
        if entry == ppn {
            return Ok(());
        }
        if let Some(number) = self.number_of(entry, lpn)? {
            // Pages of one number are in one block.
            if (number, entry) > (number_and_class(oob.seq).0, ppn) {
                self.core.data.invalidate(&geometry, ppn);
                return Ok(());
            }
            if entry < ppn {
                self.core.data.invalidate(&geometry, entry);
            }
        }
        self.set(lpn, ppn.0)
    }

    /// Number of a page, if it is a valid one of this logical page.
    fn number_of(&mut self, ppn: Ppn, lpn: Lpn) -> Result<Option<u64>, FtlError> {
        if !self.is_valid(ppn) {
            return Ok(None);
        }
        let geometry = *self.core.medium.geometry();
        match self.core.medium.flash.read_oob(ppn, Cause::Mount) {
            Ok(oob) if (oob.lpn, oob.kind) == (lpn, PageKind::Data) => {
                Ok(Some(number_and_class(oob.seq).0))
            }
            Err(FlashError::Uncorrectable(_)) if ppn < self.core.met => {
                // It could be read when it was met. It must not come back.
                self.core.data.invalidate(&geometry, ppn);
                Ok(None)
            }
            Ok(_) | Err(FlashError::Uncorrectable(_) | FlashError::Erased(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn is_valid(&self, ppn: Ppn) -> bool {
        let geometry = self.core.medium.geometry();
        geometry.contains(ppn) && {
            let (block, page) = geometry.split(ppn);
            self.core.data.blocks.next_valid(block, page) == Some(page)
        }
    }

    /// Entry of a logical page: that of the CMT, else that of its translation page.
    fn entry(&mut self, lpn: Lpn) -> Result<u32, FtlError> {
        if let Some(slot) = self.core.cmt.find(lpn) {
            return Ok(self.core.cmt.ppn(slot));
        }
        let page = self.core.cmt.page_of(lpn);
        self.load(page)?;
        Ok(self.entry_at((lpn.0 - self.core.lpns_of(page).start) as usize))
    }

    fn entry_at(&self, at: usize) -> u32 {
        self.bytes
            .as_chunks::<ENTRY_BYTES>()
            .0
            .get(at)
            .map_or(UNMAPPED, |it| u32::from_le_bytes(*it))
    }

    /// Reads a translation page. One that cannot be read is made anew.
    fn load(&mut self, page: u32) -> Result<(), FtlError> {
        if self.page == Some(page) {
            return Ok(());
        }
        self.page = None;
        let mut repairs = 0;
        loop {
            let at = self.core.directory[page as usize];
            if at == UNMAPPED {
                self.bytes.fill(u8::MAX);
                break;
            }
            match self.core.medium.flash.read(Ppn(at), Some(&mut self.bytes), Cause::Mount) {
                Ok(_) => break,
                Err(FlashError::Uncorrectable(_)) if repairs < REPAIRS => {
                    repairs += 1;
                    self.lost = true;
                    match self.core.repair(page) {
                        // Without room for it, its entries are in RAM alone.
                        Err(FtlError::Full { .. }) => {
                            no_room(self.core.rebuild(page as usize, &mut self.bytes))?;
                        }
                        done => done?,
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.page = Some(page);
        Ok(())
    }

    /// Makes an entry dirty in the CMT.
    ///
    /// After an entry was forgotten, what is met cannot be compared any more: pages that are not met stay valid, and the mount ends.
    fn set(&mut self, lpn: Lpn, entry: u32) -> Result<(), FtlError> {
        let core = &mut *self.core;
        if core.track == Track::Lost {
            return Err(core.data.full(core.medium.geometry()));
        }
        if core.cmt.dirty() >= self.most_dirty
            && let Some(fullest) = core.cmt.fullest_page()
        {
            self.page = None;
            no_room(core.write_back(fullest, &[], Cause::Mount))?;
        }
        if core.cmt.find(lpn).is_none() {
            no_room(core.make_room(true, Cause::Mount).map(|_| ()))?;
        }
        core.absorb(&[(lpn, Ppn(entry))]);
        Ok(())
    }

    fn check_entries(&mut self) -> Result<(), FtlError> {
        for page in 0..self.core.directory.len() as u32 {
            for (at, lpn) in self.core.lpns_of(page).enumerate() {
                let entry = match self.core.cmt.find(Lpn(lpn)) {
                    Some(slot) => self.core.cmt.ppn(slot),
                    None => {
                        self.load(page)?;
                        self.entry_at(at)
                    }
                };
                let seen = self.seen[lpn as usize / 64] >> (lpn % 64) & 1 == 1;
                match entry {
                    UNMAPPED => {}
                    LOST => self.lost = true,
                    _ if !seen => self.set(Lpn(lpn), UNMAPPED)?,
                    ppn if !self.is_valid(Ppn(ppn)) => {
                        self.lost = true;
                        self.core.data.log.lost_pages += 1;
                        self.set(Lpn(lpn), LOST)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// Without room for a translation page, entries stay in RAM, beyond the size of the CMT if need be.
fn no_room(done: Result<(), FtlError>) -> Result<(), FtlError> {
    match done {
        Err(FtlError::Full { .. }) => Ok(()),
        done => done,
    }
}
