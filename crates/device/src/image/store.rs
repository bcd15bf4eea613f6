//! Records of an image: read from both copies, and written to both.

use super::blocks::Block;
use super::error::IoFailure;
use super::file::{Image, RECORDS};
use super::layout::{Format, PAGE_BYTES};
use super::records::{BlockRecord, Found, PageRecord, State};
use super::sum::PageSum;
use flash::{BlockId, FlashError, Ppn};
use std::io;
use std::os::unix::fs::FileExt;

/// A change of the record of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Erase,
    Flags,
}

/// The newer of two copies of a block's record.
pub(super) fn newest(copies: [Option<BlockRecord>; 2]) -> Option<BlockRecord> {
    match copies {
        [Some(a), Some(b)] => Some(if b.stamp > a.stamp { b } else { a }),
        [one, other] => one.or(other),
    }
}

impl Image {
    /// Reads the same bytes of both copies. Of version 1 the second is the first.
    fn read_copies(&self, at: [u64; 2], bytes: &mut [Vec<u8>; 2], count: usize) -> io::Result<()> {
        let [first, second] = bytes;
        self.file.read_exact_at(&mut first[..count], at[0])?;
        match self.format {
            Format::One => second[..count].copy_from_slice(&first[..count]),
            Format::Two => self.file.read_exact_at(&mut second[..count], at[1])?,
        }
        Ok(())
    }

    /// Gives both copies of the record of every block; `None` for a damaged one.
    pub(super) fn each_block(
        &self,
        mut each: impl FnMut(BlockId, [Option<BlockRecord>; 2]) -> Result<(), IoFailure>,
    ) -> Result<(), IoFailure> {
        let all = 0..self.geometry.blocks();
        let size = self.format.block_bytes();
        let mut records = [(); 2].map(|()| vec![0; RECORDS * size]);
        for first in all.clone().step_by(RECORDS) {
            let blocks = first..all.end.min(first.saturating_add(RECORDS as u32));
            let at = self.offsets.block(first);
            let read = self.read_copies(at, &mut records, blocks.len() * size);
            read.map_err(|source| self.reading(source))?;
            let [first, second] = &records;
            for (id, bytes) in blocks.zip(first.chunks_exact(size).zip(second.chunks_exact(size))) {
                let id = BlockId(id);
                let copies = [bytes.0, bytes.1];
                each(id, copies.map(|bytes| BlockRecord::decode(bytes, self.format, id)))?;
            }
        }
        Ok(())
    }

    /// Gives both copies of the record of every page in a place for a block, in order.
    pub(super) fn each_copy(
        &self,
        slot: u32,
        mut each: impl FnMut(u32, [Found; 2]),
    ) -> Result<(), IoFailure> {
        let all = 0..self.geometry.pages_per_block();
        let mut records = [(); 2].map(|()| vec![0; RECORDS.min(all.len()) * PAGE_BYTES]);
        for first in all.clone().step_by(RECORDS) {
            let pages = first..all.end.min(first.saturating_add(RECORDS as u32));
            let at = self.offsets.page(self.place_in(slot, first));
            let read = self.read_copies(at, &mut records, pages.len() * PAGE_BYTES);
            read.map_err(|source| self.reading(source))?;
            let [a, b] = &records;
            for (page, bytes) in
                pages.zip(a.chunks_exact(PAGE_BYTES).zip(b.chunks_exact(PAGE_BYTES)))
            {
                let place = self.place_in(slot, page);
                let first = PageRecord::decode(bytes.0, self.format, place);
                let second = match bytes.0 == bytes.1 {
                    true => first,
                    false => PageRecord::decode(bytes.1, self.format, place),
                };
                each(page, [first, second]);
            }
        }
        Ok(())
    }

    /// Number of the place of a page.
    pub(super) fn place_in(&self, slot: u32, page: u32) -> u64 {
        u64::from(slot) * u64::from(self.geometry.pages_per_block()) + u64::from(page)
    }

    /// Number of the place of a page of this block.
    pub(super) fn place(&self, ppn: Ppn, state: &State) -> u64 {
        self.place_in(state.slot, self.geometry.split(ppn).1)
    }

    /// Both copies of the record of a block.
    pub(super) fn block_copies(&self, id: BlockId) -> io::Result<[Option<BlockRecord>; 2]> {
        let size = self.format.block_bytes();
        let mut records = [(); 2].map(|()| vec![0; size]);
        self.read_copies(self.offsets.block(id.0), &mut records, size)?;
        Ok(records.map(|bytes| BlockRecord::decode(&bytes, self.format, id)))
    }

    /// The record of a block; `None` if it is damaged.
    pub(super) fn block_record(&self, id: BlockId) -> io::Result<Option<BlockRecord>> {
        let slots = self.format.slots(self.geometry.blocks());
        let record = newest(self.block_copies(id)?);
        Ok(record.filter(|record| record.state.slot < slots))
    }

    /// State of a block, read from the file if it is not among those used last.
    pub(super) fn block(&self, id: BlockId) -> Result<Block, FlashError> {
        if id.0 >= self.geometry.blocks() {
            return Err(FlashError::NoSuchBlock(id));
        }
        self.powered()?;
        if let Some(block) = self.blocks.borrow().get(id) {
            return Ok(block);
        }
        let block = self.load(id)?;
        self.blocks.borrow_mut().set(id, block);
        Ok(block)
    }

    /// The record of a block alone: what is asked of every block needs none of its pages.
    pub(super) fn record(&self, id: BlockId) -> Result<BlockRecord, FlashError> {
        if id.0 >= self.geometry.blocks() {
            return Err(FlashError::NoSuchBlock(id));
        }
        self.powered()?;
        if let Some(block) = self.blocks.borrow().get(id) {
            return Ok(block.record);
        }
        let damaged =
            || io::Error::new(io::ErrorKind::InvalidData, format!("the record of {id} is damaged"));
        let record = self.io("read", self.block_record(id))?;
        self.io("read", record.ok_or_else(damaged))
    }

    fn load(&self, id: BlockId) -> Result<Block, FlashError> {
        let record = self.record(id)?;
        let (mut next_page, mut pages) = (0, PageSum::default());
        if record.state.half_erased {
            next_page = self.geometry.pages_per_block();
        } else {
            let each = |page: u32, copies: [Found; 2]| {
                let found = Found::of_copies(copies);
                if record.state.counts(self.format, id, &found) {
                    next_page = page + 1;
                }
                if let Found::Record(found) = found
                    && record.state.has(self.format, id, &found)
                {
                    pages.add(self.place_in(record.state.slot, page), found.stamp);
                }
            };
            self.each_copy(record.state.slot, each).map_err(|failure| self.off(failure))?;
        }
        Ok(Block { record, next_page, pages })
    }

    /// Writes a new state of a block.
    ///
    /// Where the machine's power may be lost, its record must tell both what the last sync covered and each change since: so a
    /// sync comes first, unless it is the first change since the last one, or that of a flag after an erase.
    pub(super) fn set_block(
        &mut self,
        id: BlockId,
        state: State,
        next_page: u32,
        change: Change,
    ) -> Result<(), FlashError> {
        let block = self.block(id)?;
        let mut record = block.record;
        self.sync_for(&record, change)?;
        if record.stamp.window() != self.window {
            record.before = record.state;
            record.covered = block.sum_before(id, self.window);
        }
        record.state = State { slot: record.state.slot, ..state };
        if change == Change::Erase && self.format == Format::Two && self.machine {
            record.state.slot = self.other_slot(record.state.slot)?;
        }
        if self.format == Format::Two {
            record.stamp = self.next_stamp()?;
            if change == Change::Erase {
                record.state.erased_at = record.stamp;
            }
        }
        self.write_block(id, &record)?;
        let gone = change == Change::Erase || record.state.half_erased;
        let pages = if gone { PageSum::default() } else { block.pages };
        let changed = Block { record, next_page, pages };
        self.sum = self.sum.wrapping_sub(block.sum(id)).wrapping_add(changed.sum(id));
        self.blocks.borrow_mut().set(id, changed);
        Ok(())
    }

    /// Syncs before a change that must find all before it on the disk.
    fn sync_for(&mut self, record: &BlockRecord, change: Change) -> Result<(), FlashError> {
        let erase = change == Change::Erase;
        let first = match self.format {
            Format::One => self.machine && erase && self.unsynced,
            Format::Two => {
                let again = record.stamp.window() == self.window
                    && (erase || record.stamp != record.state.erased_at);
                let no_room = erase && self.free.is_empty() && self.freed.is_empty();
                self.is_window_full() || self.machine && (again || no_room)
            }
        };
        if first { self.sync() } else { Ok(()) }
    }

    /// The place of a block after its erase, where the machine's power may be lost: another one, since the last sync covered what
    /// is in this one.
    fn other_slot(&mut self, slot: u32) -> Result<u32, FlashError> {
        let none = || io::Error::new(io::ErrorKind::InvalidData, "no place is left for a block");
        if self.free.is_empty() && !self.freed.is_empty() {
            self.io("write", self.file.sync_data())?;
            self.free.extend(self.freed.drain(..));
        }
        let free = self.free.pop_front().ok_or_else(none);
        let free = self.io("write", free)?;
        self.retired.push(slot);
        Ok(free)
    }

    pub(super) fn write_block(
        &mut self,
        id: BlockId,
        record: &BlockRecord,
    ) -> Result<(), FlashError> {
        // The next erase waits for this one, too: the disk may keep the later one alone.
        self.unsynced = true;
        let marked = self.mark_in_use();
        self.io("write", marked)?;
        let bytes = record.encode(self.format, id);
        self.io("write", self.write_copies(self.offsets.block(id.0), &bytes))
    }

    /// Writes the record of a page, which is the last one programmed of its block if that has `next_page` now. One that is not
    /// `fresh` has replaced another with its number.
    pub(super) fn set_page(
        &mut self,
        ppn: Ppn,
        record: &PageRecord,
        mut block: Block,
        fresh: bool,
    ) -> Result<(), FlashError> {
        let place = self.place(ppn, &block.record.state);
        self.write_page(place, record)?;
        if fresh && !block.record.state.half_erased {
            self.sum = self.sum.wrapping_add(block.pages.add(place, record.stamp));
        }
        self.blocks.borrow_mut().set(self.geometry.block_of(ppn), block);
        Ok(())
    }

    pub(super) fn write_page(&mut self, place: u64, record: &PageRecord) -> Result<(), FlashError> {
        let bytes = record.encode(self.format, place);
        self.unsynced = true;
        let marked = self.mark_in_use();
        self.io("write", marked)?;
        self.io("write", self.write_copies(self.offsets.page(place), &bytes))
    }

    /// The record of a page of this block. The second copy is read where the first is not of the block's content.
    pub(super) fn page_record(&self, ppn: Ppn, state: &State) -> Result<Found, FlashError> {
        let place = self.place(ppn, state);
        let at = self.offsets.page(place);
        let read = |at| {
            let mut bytes = [0; PAGE_BYTES];
            self.io("read", self.file.read_exact_at(&mut bytes, at))?;
            Ok(PageRecord::decode(&bytes, self.format, place))
        };
        let first = read(at[0])?;
        let id = self.geometry.block_of(ppn);
        match first {
            Found::Record(page) if state.has(self.format, id, &page) => Ok(first),
            _ if self.format == Format::One => Ok(first),
            _ => Ok(Found::of_copies([first, read(at[1])?])),
        }
    }
}
