//! Pages that a scheme lost, because their only copy was unreadable. A scheme knows them until its next mount, and then finds an
//! older version or none; the image keeps their list, so that reads fail until the page is written.

use super::error::IoFailure;
use super::file::{Image, failed};
use super::layout::{Format, LOST_AT, LOST_BYTES, crc, put, u32_at, u64_at};
use super::records::{LostPages, Stamp};
use flash::{Event, FlashError, Item, Lpn};
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes of an entry.
const ENTRY: usize = 12;
/// Entries at most.
const MOST: usize = (LOST_BYTES - 8) / ENTRY;

/// The number of a page that nothing has made readable again.
const LOST: Stamp = Stamp(0);

fn encode(pages: &LostPages) -> Vec<u8> {
    let mut bytes = vec![0; 8 + pages.len() * ENTRY];
    put(&mut bytes, &[pages.len() as u32]);
    for (bytes, (lpn, Stamp(stamp))) in bytes[4..].chunks_exact_mut(ENTRY).zip(pages) {
        put(bytes, &[*lpn, *stamp as u32, (*stamp >> 32) as u32]);
    }
    let end = bytes.len() - 4;
    let check = crc(&[&bytes[..end]]);
    put(&mut bytes[end..], &[check]);
    bytes
}

fn decode(bytes: &[u8]) -> Option<LostPages> {
    let count = u32_at(bytes, 0) as usize;
    if count > MOST {
        return None;
    }
    let end = 4 + count * ENTRY;
    let right = crc(&[&bytes[..end]]) == u32_at(bytes, end);
    let entry = |bytes: &[u8]| (u32_at(bytes, 0), Stamp(u64_at(bytes, 4)));
    right.then(|| bytes[4..end].chunks_exact(ENTRY).map(entry).collect())
}

impl Image {
    /// Both copies of the list; `None` for a damaged one. Version 1 has no list.
    pub(super) fn lost_copies(&self) -> io::Result<[Option<LostPages>; 2]> {
        let mut copies = [Some(LostPages::new()), Some(LostPages::new())];
        if self.format == Format::One {
            return Ok(copies);
        }
        let mut bytes = vec![0; LOST_BYTES];
        for (copy, at) in copies.iter_mut().zip([0, self.offsets.head_at]) {
            self.file.read_exact_at(&mut bytes, at + LOST_AT)?;
            *copy = decode(&bytes);
        }
        Ok(copies)
    }

    /// Takes the list from the file: pages of either copy, so that none is forgotten.
    pub(super) fn load_lost(&mut self) -> io::Result<()> {
        for (lpn, stamp) in self.lost_copies()?.into_iter().flatten().flatten() {
            let known = self.lost.entry(lpn).or_insert(stamp);
            *known = (*known).min(stamp);
        }
        Ok(())
    }

    pub(super) fn write_lost(&self) -> io::Result<()> {
        self.write_copies([LOST_AT, self.offsets.head_at + LOST_AT], &encode(&self.lost))
    }

    /// After an unclean end: what made a page readable again after this change is not in the file any more.
    pub(super) fn lose_again(&mut self, last: Stamp) -> Result<(), IoFailure> {
        self.lost.values_mut().filter(|stamp| **stamp > last).for_each(|stamp| *stamp = LOST);
        self.write_lost().map_err(|source| failed("write", self.path(), source))
    }

    /// True if the content of a logical page was lost, and it was not written since: reads of it must fail, whatever the scheme
    /// finds.
    pub fn is_lost(&self, lpn: Lpn) -> bool {
        self.lost.get(&lpn.0) == Some(&LOST)
    }

    /// Logical pages whose content was lost, and which were not written since.
    pub fn lost_pages(&self) -> Vec<Lpn> {
        let lost = self.lost.iter().filter(|(_, stamp)| **stamp == LOST);
        lost.map(|(lpn, _)| Lpn(*lpn)).collect()
    }

    /// A scheme tells what it does.
    pub(super) fn hear(&mut self, event: &Event<'_>) -> Result<(), FlashError> {
        let lost = event.name == "lost-page" && self.format == Format::Two;
        let Some((_, Item::Lpn(lpn))) = event.values.first().filter(|_| lost) else {
            return Ok(());
        };
        if self.lost.len() == MOST {
            let full = io::Error::other(format!("more than {MOST} pages are lost"));
            return self.io("note a lost page in", Err(full));
        }
        self.unsynced = true;
        self.lost.insert(lpn.0, LOST);
        self.io("write", self.write_lost())
    }

    /// A logical page was written, or needs no content any more.
    pub(super) fn found_again(&mut self, lpn: Lpn, stamp: Stamp) -> Result<(), FlashError> {
        if !self.is_lost(lpn) {
            return Ok(());
        }
        self.unsynced = true;
        self.lost.insert(lpn.0, stamp);
        self.io("write", self.write_lost())
    }

    /// A logical page was trimmed: reads of it need not fail any more.
    ///
    /// # Errors
    /// That of the file, which turns the image off.
    pub fn trimmed(&mut self, lpn: Lpn) -> Result<(), FlashError> {
        if !self.is_lost(lpn) {
            return Ok(());
        }
        let stamp = self.last_stamp();
        self.found_again(lpn, stamp)
    }

    /// What a sync covered is certain.
    pub(super) fn settle_lost(&mut self) -> Result<(), FlashError> {
        let pages = self.lost.len();
        self.lost.retain(|_, stamp| *stamp == LOST);
        if self.lost.len() == pages { Ok(()) } else { self.io("write", self.write_lost()) }
    }
}
