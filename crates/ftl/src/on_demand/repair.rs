//! Recovery from unreadable pages. Rare, and O(N).
//!
//! Translation pages are rebuilt from the OOB areas of the data blocks. Lost data pages are marked as lost.

use super::core::{ENTRY_BYTES, OnDemandCore};
use crate::error::FtlError;
use crate::events;
use crate::page_mapped::core::LOST;
use crate::page_mapped::frontiers::number_and_class;
use crate::page_mapped::tables::UNMAPPED;
use alloc::vec::Vec;
use flash::{BlockId, Cause, FlashError, Lpn, PageKind, Ppn, Probe};

impl<F: Probe> OnDemandCore<F> {
    /// Rewrites an unreadable translation page.
    #[cold]
    pub(super) fn repair(&mut self, page: u32) -> Result<(), FtlError> {
        self.write_back(page, &[], Cause::WriteBack)
    }

    /// Rebuilds the entries of a translation page from the OOB areas of all valid data pages.
    #[cold]
    pub(super) fn entries_from_oob(&mut self, page: u32, bytes: &mut [u8]) -> Result<(), FtlError> {
        bytes.fill(u8::MAX);
        let mut is_certain = !self.lost_entries;
        let lpns = self.lpns_of(page);
        let geometry = *self.medium.geometry();
        for block in (0..geometry.blocks()).map(BlockId) {
            let mut next = self.data.blocks.next_valid(block, 0);
            while let Some(at) = next {
                next = self.data.blocks.next_valid(block, at + 1);
                let ppn = geometry.ppn(block, at);
                if ppn > self.met {
                    break;
                }
                let cause = self.data.cause(Cause::WriteBack);
                let lpn = match self.medium.flash.read_oob(ppn, cause) {
                    Ok(oob) => oob.lpn.0,
                    // The remaining pages of the frontier.
                    Err(FlashError::Erased(_)) => break,
                    Err(FlashError::Uncorrectable(_)) => {
                        is_certain = false;
                        continue;
                    }
                    Err(error) => return Err(error.into()),
                };
                if lpns.contains(&lpn) {
                    let offset = (lpn - lpns.start) as usize * ENTRY_BYTES;
                    bytes[offset..offset + ENTRY_BYTES].copy_from_slice(&ppn.0.to_le_bytes());
                }
            }
        }
        if !is_certain {
            // A page that was not found is lost or was never written; the two cases cannot be
            // distinguished.
            for entry in bytes.as_chunks_mut::<ENTRY_BYTES>().0 {
                if *entry == UNMAPPED.to_le_bytes() {
                    *entry = LOST.to_le_bytes();
                }
            }
        }
        Ok(())
    }

    /// The newest page of a logical page, by the OOB areas of all data pages that may be valid: for an array that is read only.
    ///
    /// A page that was trimmed comes back, as at any mount. If there is none, the translation page tells whether it was lost.
    #[cold]
    pub(super) fn newest(&mut self, lpn: Lpn) -> Result<u32, FtlError> {
        let (geometry, cause) = (*self.medium.geometry(), self.data.cause(Cause::Translation));
        let mut newest = None;
        for block in (0..geometry.blocks()).map(BlockId) {
            let mut next = self.data.blocks.next_valid(block, 0);
            while let Some(at) = next {
                next = self.data.blocks.next_valid(block, at + 1);
                let ppn = geometry.ppn(block, at);
                match self.medium.flash.read_oob(ppn, cause) {
                    // Pages of one number are in one block.
                    Ok(oob) if (oob.lpn, oob.kind) == (lpn, PageKind::Data) => {
                        newest = newest.max(Some((number_and_class(oob.seq).0, ppn.0)));
                    }
                    Ok(_) | Err(FlashError::Uncorrectable(_)) => {}
                    // The remaining pages of the frontier.
                    Err(FlashError::Erased(_)) => break,
                    Err(error) => return Err(error.into()),
                }
            }
        }
        let at = self.directory[self.cmt.page_of(lpn) as usize];
        match newest {
            Some((_, ppn)) => Ok(ppn),
            None if at == UNMAPPED => Ok(UNMAPPED),
            None => {
                let (mut entry, offset) = ([0; ENTRY_BYTES], self.offset(lpn));
                match self.medium.flash.read_part(Ppn(at), offset, &mut entry, cause) {
                    Ok(_) if u32::from_le_bytes(entry) != LOST => Ok(UNMAPPED),
                    Ok(_) | Err(FlashError::Uncorrectable(_)) => Ok(LOST),
                    Err(error) => Err(error.into()),
                }
            }
        }
    }

    /// Rebuilds a translation page that could not be copied.
    #[cold]
    pub(super) fn translation_page_lost(&mut self, from: Ppn) -> Result<(), FtlError> {
        let Some(page) = self.directory.iter().position(|at| *at == from.0) else { return Ok(()) };
        let mut bytes = self.take_buffer();
        let done = self.rebuild(page, &mut bytes);
        self.repaired = bytes;
        done
    }

    /// A buffer of one page, to be put back.
    fn take_buffer(&mut self) -> Vec<u8> {
        let mut bytes = core::mem::take(&mut self.repaired);
        bytes.resize(self.medium.geometry().page_bytes() as usize, 0);
        bytes
    }

    pub(super) fn rebuild(&mut self, page: usize, bytes: &mut [u8]) -> Result<(), FtlError> {
        self.entries_from_oob(page as u32, bytes)?;
        for (lpn, entry) in self.cmt.dirty_entries(page as u32) {
            let offset = (lpn.0 - self.lpns_of(page as u32).start) as usize * ENTRY_BYTES;
            bytes[offset..offset + ENTRY_BYTES].copy_from_slice(&entry.to_le_bytes());
        }
        // The valid count of its block already excludes it.
        self.directory[page] = UNMAPPED;
        let done = self.program_page(page as u32, bytes, Cause::TranslationCollection);
        if done.is_ok() {
            self.cmt.clean(page as u32);
        } else {
            // Until there is room for the page its entries are in RAM alone.
            let entries =
                bytes.as_chunks::<ENTRY_BYTES>().0.iter().map(|it| u32::from_le_bytes(*it));
            let entries = self.lpns_of(page as u32).map(Lpn).zip(entries.map(Ppn));
            let mapped = entries.filter(|(_, ppn)| ppn.0 != UNMAPPED);
            mapped.for_each(|entry| self.absorb(&[entry]));
        }
        done
    }

    /// Marks a logical page as lost whose only copy is unreadable. Its reads fail, and collection
    /// continues.
    #[cold]
    pub(super) fn data_page_lost(&mut self, from: Ppn) -> Result<(), FtlError> {
        self.lost_entries = true;
        // If no readable translation page maps it, neither will a rebuilt one.
        let Some(lpn) = self.mapped_to(from)? else { return Ok(()) };
        match self.cached(lpn) {
            Ok(slot) => self.cmt.set(slot, LOST),
            Err(FtlError::Full { .. }) => self.absorb(&[(lpn, Ppn(LOST))]),
            Err(error) => return Err(error),
        }
        self.data.log.lost_pages += 1;
        events::lost_page(&mut self.medium.flash, lpn);
        Ok(())
    }

    /// The logical page mapped to `ppn`, found by a search of the whole map.
    fn mapped_to(&mut self, ppn: Ppn) -> Result<Option<Lpn>, FtlError> {
        if let Some(slot) = self.cmt.holder_of(ppn) {
            return Ok(Some(self.cmt.lpn(slot)));
        }
        let mut bytes = self.take_buffer();
        let found = self.search(ppn, &mut bytes);
        self.repaired = bytes;
        found
    }

    fn search(&mut self, ppn: Ppn, bytes: &mut [u8]) -> Result<Option<Lpn>, FtlError> {
        for page in 0..self.directory.len() as u32 {
            let at = self.directory[page as usize];
            if at == UNMAPPED {
                continue;
            }
            match self.medium.flash.read(Ppn(at), Some(&mut *bytes), Cause::Collection) {
                Ok(_) => {}
                Err(FlashError::Uncorrectable(_)) => continue,
                Err(error) => return Err(error.into()),
            }
            let entries = bytes.chunks_exact(ENTRY_BYTES).zip(self.lpns_of(page));
            let is_it = |entry: &[u8]| entry == ppn.0.to_le_bytes();
            let mut found = entries.filter(|(entry, _)| is_it(entry)).map(|(_, lpn)| Lpn(lpn));
            if let Some(lpn) = found.find(|lpn| self.cmt.find(*lpn).is_none()) {
                return Ok(Some(lpn));
            }
        }
        Ok(None)
    }
}
