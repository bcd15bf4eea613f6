//! The rules of NAND on an image: those of [`flash::Array`], with the same errors in the same order.

use super::blocks::Block;
use super::file::Image;
use super::layout::{self, Format};
use super::records::{Content, Found, PageRecord, Stamp, State};
use super::recover::unreadable;
use super::store::Change;
use flash::faults::Tearable;
use flash::{BlockId, Cause, Event, Flash, FlashError, Geometry, Oob, PageKind, Part, Ppn, Probe};
use std::os::unix::fs::FileExt;

/// Most erases that a block counts, as in [`flash::Array`].
const MOST_ERASES: u32 = (1 << 30) - 1;

impl Image {
    /// Next page of the block that may be programmed; π, or the pages of SLC mode, if none may be until an erase.
    ///
    /// # Errors
    /// A block beyond the array; `PowerOff`.
    pub fn next_page(&self, block: BlockId) -> Result<u32, FlashError> {
        Ok(self.block(block)?.next_page)
    }

    fn programmed(&self, ppn: Ppn) -> Result<Block, FlashError> {
        if !self.geometry.contains(ppn) {
            return Err(FlashError::NoSuchPage(ppn));
        }
        let (id, page) = self.geometry.split(ppn);
        let block = self.block(id)?;
        if page >= block.next_page { Err(FlashError::Erased(ppn)) } else { Ok(block) }
    }

    /// The record of a page that can be read, and the place of its bytes.
    fn readable(&self, ppn: Ppn) -> Result<(PageRecord, u64), FlashError> {
        let state = self.programmed(ppn)?.record.state;
        let id = self.geometry.block_of(ppn);
        match self.page_record(ppn, &state)? {
            Found::Record(page)
                if !state.half_erased
                    && state.has(self.format, id, &page)
                    && page.content != Content::Unreadable =>
            {
                Ok((page, self.place(ppn, &state)))
            }
            _ => Err(FlashError::Uncorrectable(ppn)),
        }
    }

    /// Reads the bytes of a page into the buffer. Returns false if they are not those that were programmed.
    fn load_bytes(&mut self, place: u64, content: Content) -> Result<bool, FlashError> {
        let check = match content {
            Content::Bytes(check) => check,
            Content::Lost => return Ok(false),
            Content::NoBytes | Content::Unreadable => {
                self.page.fill(0);
                return Ok(true);
            }
        };
        let done = self.file.read_exact_at(&mut self.page, self.offsets.bytes(place));
        self.io("read", done)?;
        Ok(layout::crc(&[&self.page]) == check)
    }

    fn load_page(&mut self, ppn: Ppn) -> Result<Oob, FlashError> {
        let (page, place) = self.readable(ppn)?;
        match self.load_bytes(place, page.content)? {
            true => Ok(page.oob),
            false => Err(FlashError::Uncorrectable(ppn)),
        }
    }

    /// The block of a page that may be programmed.
    fn check_program(&self, ppn: Ppn, seq: u64, data: Option<&[u8]>) -> Result<Block, FlashError> {
        if !self.geometry.contains(ppn) {
            return Err(FlashError::NoSuchPage(ppn));
        }
        let (id, page) = self.geometry.split(ppn);
        let block = self.block(id)?;
        if block.record.state.bad {
            return Err(FlashError::BadBlock(id));
        }
        if page != block.next_page {
            return Err(FlashError::ProgramOrder { ppn, next: block.next_page });
        }
        if block.record.state.slc && page >= self.slc_pages {
            return Err(FlashError::BeyondSlc { ppn, pages: self.slc_pages });
        }
        if seq > Oob::MAX_SEQ {
            return Err(FlashError::Sequence(seq));
        }
        self.geometry.check_payload(data)?;
        Ok(block)
    }

    fn check_erase(&self, id: BlockId) -> Result<Block, FlashError> {
        let block = self.block(id)?;
        if block.record.state.bad { Err(FlashError::BadBlock(id)) } else { Ok(block) }
    }

    /// Writes the record of the next page of a block. The bytes are in the file already: without its record, a page is
    /// erased.
    fn use_page(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        content: Content,
        block: Block,
    ) -> Result<(), FlashError> {
        let stamp = match self.format {
            Format::One => Stamp(block.record.state.erases.into()),
            Format::Two => self.next_stamp()?,
        };
        let page = PageRecord { stamp, block: self.geometry.block_of(ppn), oob, content };
        self.set_page(ppn, &page, Block { next_page: block.next_page + 1, ..block }, true)
    }

    fn write_bytes(&self, ppn: Ppn, block: &Block, bytes: &[u8]) -> Result<(), FlashError> {
        let at = self.offsets.bytes(self.place(ppn, &block.record.state));
        self.io("write", self.file.write_all_at(bytes, at))
    }
}

impl Flash for Image {
    #[inline]
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    #[inline]
    fn part(&self) -> &Part {
        &self.description().part
    }

    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError> {
        self.geometry.check_payload(data.as_deref())?;
        let Some(data) = data else { return self.read_oob(ppn, cause) };
        let oob = self.load_page(ppn)?;
        data.copy_from_slice(&self.page);
        Ok(oob)
    }

    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        _cause: Cause,
    ) -> Result<Oob, FlashError> {
        self.readable(ppn)?;
        self.geometry.check_part(offset, data.len())?;
        let oob = self.load_page(ppn)?;
        data.copy_from_slice(&self.page[offset..offset + data.len()]);
        Ok(oob)
    }

    fn read_oob(&mut self, ppn: Ppn, _cause: Cause) -> Result<Oob, FlashError> {
        Ok(self.readable(ppn)?.0.oob)
    }

    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        _cause: Cause,
    ) -> Result<(), FlashError> {
        let block = self.check_program(ppn, oob.seq, data)?;
        let content = match data {
            None => Content::NoBytes,
            Some(data) => {
                self.write_bytes(ppn, &block, data)?;
                Content::Bytes(layout::crc(&[data]))
            }
        };
        self.use_page(ppn, oob, content, block)?;
        match oob.kind {
            PageKind::Data => self.found_again(oob.lpn, self.last_stamp()),
            PageKind::Translation | PageKind::Other => Ok(()),
        }
    }

    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, _cause: Cause) -> Result<Oob, FlashError> {
        let (page, place) = self.readable(from)?;
        let oob = if seq == Oob::KEEP_SEQ { page.oob } else { Oob { seq, ..page.oob } };
        let block = self.check_program(to, oob.seq, None)?;
        let mut content = page.content;
        if !self.load_bytes(place, content)? {
            if self.format == Format::One {
                return Err(FlashError::Uncorrectable(from));
            }
            // The scheme goes on to know what the page was, and reads of it fail. If the copy failed, it would forget the page, and
            // find an older version on the next mount.
            content = Content::Lost;
        }
        if let Content::Bytes(_) = content {
            self.write_bytes(to, &block, &self.page)?;
        }
        self.use_page(to, oob, content, block)?;
        Ok(oob)
    }

    fn erase(&mut self, id: BlockId, _cause: Cause) -> Result<(), FlashError> {
        let block = self.check_erase(id)?;
        // Version 1 tells the pages of this content from those before by the number. It cannot start again.
        let erases = block.record.state.erases.checked_add(1).ok_or(FlashError::EraseFailed(id))?;
        self.set_block(id, State { erases, ..State::new(id) }, 0, Change::Erase)
    }

    fn is_bad(&self, block: BlockId) -> bool {
        self.record(block).is_ok_and(|record| record.state.bad)
    }

    fn mark_bad(&mut self, id: BlockId) -> Result<(), FlashError> {
        let block = self.block(id)?;
        let state = State { bad: true, ..block.record.state };
        self.set_block(id, state, block.next_page, Change::Flags)
    }

    fn is_slc(&self, block: BlockId) -> bool {
        self.record(block).is_ok_and(|record| record.state.slc)
    }

    fn set_slc(&mut self, id: BlockId, slc: bool) -> Result<(), FlashError> {
        let block = self.block(id)?;
        if block.next_page > 0 || slc && self.part().slc.is_none() {
            return Err(FlashError::SlcMode(id));
        }
        if slc == block.record.state.slc {
            return Ok(());
        }
        let state = State { slc, ..block.record.state };
        self.set_block(id, state, block.next_page, Change::Flags)
    }

    fn erase_count(&self, block: BlockId) -> u32 {
        self.record(block).map_or(0, |record| record.state.erases.min(MOST_ERASES))
    }
}

impl Probe for Image {
    fn event(&mut self, event: &Event<'_>) {
        // A failure turns the image off, and the next operation tells.
        let _ = self.hear(event);
    }
}

impl Tearable for Image {
    fn waste(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        let block = self.check_program(ppn, 0, None)?;
        let page = unreadable(self.geometry.block_of(ppn), Stamp(0));
        self.use_page(ppn, page.oob, page.content, block)
    }

    fn half_erase(&mut self, id: BlockId) -> Result<(), FlashError> {
        let block = self.check_erase(id)?;
        let state = State { half_erased: true, slc: false, ..block.record.state };
        self.set_block(id, state, self.geometry.pages_per_block(), Change::Flags)
    }

    fn spoil(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        let block = self.programmed(ppn)?;
        let (state, id) = (block.record.state, self.geometry.block_of(ppn));
        // It keeps its number: the program is in the image still.
        let (page, fresh) = match self.page_record(ppn, &state)? {
            Found::Record(page) if state.has(self.format, id, &page) => {
                (PageRecord { content: Content::Unreadable, ..page }, false)
            }
            _ if self.format == Format::One => (unreadable(id, Stamp(state.erases.into())), true),
            _ => (unreadable(id, Stamp(state.erased_at.0 + 1)), true),
        };
        self.set_page(ppn, &page, block, fresh)
    }
}
