//! Repair of a damaged image, so that it mounts: what nobody can tell any more is given up, page by page.

use super::error::{ImageError, IoFailure};
use super::file::{Image, description_of, failed, header_of, lock, regular};
use super::finding::{Fault, Finding, Tally};
use super::layout::{self, Format, Offsets};
use super::records::{BlockRecord, Found, Stamp, State};
use super::recover::unreadable;
use super::store::newest;
use flash::BlockId;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// What a repair does, or would do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Repaired {
    /// True if the header or the description is replaced by its copy.
    pub head: bool,
    /// True if the file gets the length of its geometry. Pages beyond its end cannot be read.
    pub length: bool,
    /// Copies of records, and of the header, that are replaced by the other copy.
    pub copies: u64,
    /// Pages of which nobody can tell what they were: an older version, or zeros, may be read in their place.
    pub pages: u64,
    /// True if records are of an earlier state, or the list of lost pages is damaged: of which pages, nobody can tell.
    pub unknown: bool,
    /// Blocks whose pages are all given up in the same way.
    pub blocks: u64,
    /// Pages whose bytes are damaged. Nothing is done: reads fail until they are written.
    pub unreadable: u64,
    /// True if the rest was not looked at, since the header or the length comes first.
    pub incomplete: bool,
}

impl Repaired {
    /// True if there is nothing to repair.
    pub fn is_nothing(&self) -> bool {
        *self == Self { unreadable: self.unreadable, ..Self::default() }
    }

    fn count(&mut self, fault: Fault) {
        match fault {
            Fault::PageBytes => self.unreadable += 1,
            Fault::PageRecord | Fault::PageMissing => self.pages += 1,
            Fault::BlockRecord | Fault::PageOrder => self.blocks += 1,
            Fault::Head | Fault::StartsCopy | Fault::BlockCopy | Fault::PageCopy => {
                self.copies += 1
            }
            Fault::Starts | Fault::Lost | Fault::Sum => self.unknown = true,
        }
    }
}

impl Image {
    /// Tells what is damaged in an image, and what a repair does about it; `write`: does it, so that the image mounts. Takes each
    /// finding to `each`.
    ///
    /// # Errors
    /// [`ImageError`]; a header of which no copy is whole.
    pub fn repair(
        path: &Path,
        write: bool,
        each: impl FnMut(Finding),
    ) -> Result<Repaired, ImageError> {
        let file = regular(path, OpenOptions::new().read(true).write(write))?;
        lock(&file, path, if write { File::try_lock } else { File::try_lock_shared })?;
        let mut repaired =
            Repaired { head: repair_head(&file, path, write)?, ..Repaired::default() };
        if !repaired.head || write {
            repaired.length = repair_length(&file, path, write)?;
        }
        if !write && (repaired.head || repaired.length) {
            repaired.incomplete = true;
            return Ok(repaired);
        }
        let mut image = Self::read_head(file, path)?;
        image.find(&mut repaired, each)?;
        if write && !repaired.is_nothing() {
            image.give_up()?;
        }
        Ok(repaired)
    }

    fn find(
        &mut self,
        repaired: &mut Repaired,
        mut each: impl FnMut(Finding),
    ) -> Result<Tally, IoFailure> {
        self.check(|finding| {
            repaired.count(finding.fault);
            each(finding);
        })
    }

    /// Makes the image one that mounts.
    fn give_up(&mut self) -> Result<(), ImageError> {
        let survey = self.survey()?;
        self.window = survey.window + 1;
        if self.format == Format::Two {
            copy_head(&self.file, self.path(), 0, self.offsets.head_at)?;
            self.mend(&survey)?;
        }
        let mut most = 0;
        self.each_block(|_, copies| {
            most = most.max(newest(copies).map_or(0, |record| record.state.erases));
            Ok(())
        })?;
        let owners = self.owners()?;
        let mut used: Vec<bool> = owners.iter().map(Option::is_some).collect();
        let all = (0..self.geometry.blocks()).map(BlockId);
        for id in all.filter(|id| !owners.contains(&Some(*id))) {
            let free = used.iter().position(|used| !used).unwrap_or(0);
            used[free] = true;
            self.give_up_block(id, State { erases: most, slot: free as u32, ..State::new(id) })?;
        }
        for id in (0..self.geometry.blocks()).map(BlockId) {
            self.give_up_pages(id)?;
        }
        self.blocks.borrow_mut().clear();
        let synced = self.file.sync_data();
        synced.map_err(|source| failed("write", self.path(), source))?;
        let clean = self.mark.clean || self.format == Format::Two;
        (self.mark.clean, self.mark.sum) = (clean, 0);
        let survey = self.survey()?;
        (self.mark.sum, self.mark.synced) = (survey.sum, Some(survey.now));
        let written = self.write_lost_list().and_then(|()| self.write_mark(clean));
        let written = written.and_then(|()| self.file.sync_data());
        Ok(written.map_err(|source| failed("write", self.path(), source))?)
    }

    fn write_lost_list(&self) -> std::io::Result<()> {
        if self.format == Format::One { Ok(()) } else { self.write_lost() }
    }

    /// A block of which no page can be read until its next erase.
    fn give_up_block(&self, id: BlockId, state: State) -> Result<(), IoFailure> {
        let stamp = Stamp::new(self.window, 0);
        let state = State { half_erased: true, slc: false, ..state };
        let bytes = BlockRecord { state, before: state, stamp, covered: 0 }.encode(self.format, id);
        let written = self.write_copies(self.offsets.block(id.0), &bytes);
        written.map_err(|source| failed("write", self.path(), source))
    }

    /// Makes pages unreadable that have no record, before the last one that may have been programmed.
    fn give_up_pages(&self, id: BlockId) -> Result<(), IoFailure> {
        let record = self.block_record(id).map_err(|source| self.reading(source))?;
        let Some(record) = record.filter(|record| !record.state.half_erased) else { return Ok(()) };
        let (mut found, mut programmed, mut in_order) = (Vec::new(), 0, true);
        let mut latest = Stamp(0);
        let state = record.state;
        self.each_copy(state.slot, |_, copies| {
            let page = Found::of_copies(copies);
            found.push(page);
            if state.counts(self.format, id, &page) {
                programmed = found.len();
            }
            if let Found::Record(page) = page {
                let of_block = state.has(self.format, id, &page);
                in_order &=
                    !state.is_before(self.format, &page) && (!of_block || page.stamp >= latest);
                latest = latest.max(if of_block { page.stamp } else { latest });
            }
        })?;
        if !in_order {
            let erases = state.erases.max(latest.0 as u32);
            let erases = if self.format == Format::One { erases } else { state.erases };
            return self.give_up_block(id, State { erases, ..state });
        }
        let mut stamp = match self.format {
            Format::One => Stamp(state.erases.into()),
            Format::Two => Stamp(state.erased_at.0 + 1),
        };
        for (at, page) in (0..).zip(&found[..programmed]) {
            match page {
                Found::Record(page) if state.has(self.format, id, page) => stamp = page.stamp,
                _ => self.rewrite(self.place_in(state.slot, at), &unreadable(id, stamp))?,
            }
        }
        Ok(())
    }
}

/// Replaces a damaged header or description by its copy, which is at the end of the file. Returns true if it had to.
fn repair_head(file: &File, path: &Path, write: bool) -> Result<bool, ImageError> {
    let head_of = |at| {
        let (header, ..) = header_of(file, path, at)?;
        description_of(file, path, &header, at)
    };
    let length = file.metadata().map_err(|source| failed("read", path, source))?.len();
    let again_at = length.saturating_sub(Format::Two.head_bytes());
    match head_of(0) {
        Ok(_) => Ok(false),
        Err(error @ ImageError::Version { .. }) => Err(error),
        Err(error) if again_at == 0 || head_of(again_at).is_err() => Err(error),
        Err(_) if !write => Ok(true),
        Err(_) => Ok(copy_head(file, path, again_at, 0).map(|()| true)?),
    }
}

/// Copies header and description. The record of starts has its own copy.
fn copy_head(file: &File, path: &Path, from: u64, to: u64) -> Result<(), IoFailure> {
    let mut head = vec![0; layout::LOST_AT as usize];
    file.read_exact_at(&mut head, from).map_err(|source| failed("read", path, source))?;
    let behind = layout::STARTS_AT as usize + Format::Two.starts_bytes();
    let written = file
        .write_all_at(&head[..layout::STARTS_AT as usize], to)
        .and_then(|()| file.write_all_at(&head[behind..], to + behind as u64))
        .and_then(|()| file.sync_data());
    written.map_err(|source| failed("write", path, source))
}

/// Gives the file the length of its geometry. Returns true if it had another.
fn repair_length(file: &File, path: &Path, write: bool) -> Result<bool, ImageError> {
    let (_, geometry, format) = header_of(file, path, 0)?;
    let offsets = Offsets::of(&geometry, format);
    let found = file.metadata().map_err(|source| failed("read", path, source))?.len();
    if found == offsets.end || !write {
        return Ok(found != offsets.end);
    }
    let writing = |source| failed("write", path, source);
    file.set_len(offsets.end).map_err(writing)?;
    Ok(true)
}
