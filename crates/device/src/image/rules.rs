//! The rules of NAND on an image: those of [`flash::Array`], with the same errors in the same order.

use super::blocks::Block;
use super::file::Image;
use super::layout::{self, BlockRecord, Content, Found, PageRecord};
use flash::faults::Tearable;
use flash::{BlockId, Cause, Flash, FlashError, Geometry, Lpn, Oob, PageKind, Part, Ppn, Probe};
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

    /// The record of a page that can be read.
    fn readable(&self, ppn: Ppn) -> Result<PageRecord, FlashError> {
        let block = self.programmed(ppn)?.record;
        match self.page_record(ppn)? {
            Found::Record(page)
                if !block.half_erased
                    && page.erases == block.erases
                    && page.content != Content::Unreadable =>
            {
                Ok(page)
            }
            _ => Err(FlashError::Uncorrectable(ppn)),
        }
    }

    /// Reads the bytes of a page into the buffer.
    fn load_bytes(&mut self, ppn: Ppn, content: Content) -> Result<(), FlashError> {
        let Content::Bytes(check) = content else {
            self.page.fill(0);
            return Ok(());
        };
        let done = self.file.read_exact_at(&mut self.page, self.offsets.bytes(ppn));
        self.io("read", done)?;
        if layout::crc(&[&self.page]) == check {
            Ok(())
        } else {
            Err(FlashError::Uncorrectable(ppn))
        }
    }

    /// The block of a page that may be programmed.
    fn check_program(&self, ppn: Ppn, seq: u64, data: Option<&[u8]>) -> Result<Block, FlashError> {
        if !self.geometry.contains(ppn) {
            return Err(FlashError::NoSuchPage(ppn));
        }
        let (id, page) = self.geometry.split(ppn);
        let block = self.block(id)?;
        if block.record.bad {
            return Err(FlashError::BadBlock(id));
        }
        if page != block.next_page {
            return Err(FlashError::ProgramOrder { ppn, next: block.next_page });
        }
        if block.record.slc && page >= self.slc_pages {
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
        if block.record.bad { Err(FlashError::BadBlock(id)) } else { Ok(block) }
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
        let page = PageRecord { erases: block.record.erases, oob, content };
        self.set_page(ppn, &page, Block { next_page: block.next_page + 1, ..block })
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

    fn read(
        &mut self,
        ppn: Ppn,
        data: Option<&mut [u8]>,
        _cause: Cause,
    ) -> Result<Oob, FlashError> {
        self.geometry.check_payload(data.as_deref())?;
        let page = self.readable(ppn)?;
        if let Some(data) = data {
            self.load_bytes(ppn, page.content)?;
            data.copy_from_slice(&self.page);
        }
        Ok(page.oob)
    }

    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        _cause: Cause,
    ) -> Result<Oob, FlashError> {
        let page = self.readable(ppn)?;
        self.geometry.check_part(offset, data.len())?;
        self.load_bytes(ppn, page.content)?;
        data.copy_from_slice(&self.page[offset..offset + data.len()]);
        Ok(page.oob)
    }

    fn read_oob(&mut self, ppn: Ppn, _cause: Cause) -> Result<Oob, FlashError> {
        Ok(self.readable(ppn)?.oob)
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
                self.io("write", self.file.write_all_at(data, self.offsets.bytes(ppn)))?;
                Content::Bytes(layout::crc(&[data]))
            }
        };
        self.use_page(ppn, oob, content, block)
    }

    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, _cause: Cause) -> Result<Oob, FlashError> {
        let page = self.readable(from)?;
        let oob = if seq == Oob::KEEP_SEQ { page.oob } else { Oob { seq, ..page.oob } };
        let block = self.check_program(to, oob.seq, None)?;
        if let Content::Bytes(_) = page.content {
            self.load_bytes(from, page.content)?;
            self.io("write", self.file.write_all_at(&self.page, self.offsets.bytes(to)))?;
        }
        self.use_page(to, oob, page.content, block)?;
        Ok(oob)
    }

    fn erase(&mut self, id: BlockId, _cause: Cause) -> Result<(), FlashError> {
        let block = self.check_erase(id)?;
        // The number tells the pages of this content from those before. It cannot start again.
        let erases = block.record.erases.checked_add(1).ok_or(FlashError::EraseFailed(id))?;
        let record = BlockRecord { erases, ..BlockRecord::NEW };
        self.before_erase()?;
        self.set_block(id, Block { record, next_page: 0 })
    }

    fn is_bad(&self, block: BlockId) -> bool {
        self.record(block).is_ok_and(|record| record.bad)
    }

    fn mark_bad(&mut self, id: BlockId) -> Result<(), FlashError> {
        let block = self.block(id)?;
        self.set_block(id, Block { record: BlockRecord { bad: true, ..block.record }, ..block })
    }

    fn is_slc(&self, block: BlockId) -> bool {
        self.record(block).is_ok_and(|record| record.slc)
    }

    fn set_slc(&mut self, id: BlockId, slc: bool) -> Result<(), FlashError> {
        let block = self.block(id)?;
        if block.next_page > 0 || slc && self.part().slc.is_none() {
            return Err(FlashError::SlcMode(id));
        }
        if slc == block.record.slc {
            return Ok(());
        }
        self.set_block(id, Block { record: BlockRecord { slc, ..block.record }, ..block })
    }

    fn erase_count(&self, block: BlockId) -> u32 {
        self.record(block).map_or(0, |record| record.erases.min(MOST_ERASES))
    }
}

impl Probe for Image {}

impl Tearable for Image {
    fn waste(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        let block = self.check_program(ppn, 0, None)?;
        let oob = Oob { lpn: Lpn(u32::MAX), kind: PageKind::Data, seq: 0 };
        self.use_page(ppn, oob, Content::Unreadable, block)
    }

    fn half_erase(&mut self, id: BlockId) -> Result<(), FlashError> {
        let block = self.check_erase(id)?;
        let record = BlockRecord { half_erased: true, slc: false, ..block.record };
        self.set_block(id, Block { record, next_page: self.geometry.pages_per_block() })
    }

    fn spoil(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        let block = self.programmed(ppn)?;
        let oob = match self.page_record(ppn)? {
            Found::Record(page) => page.oob,
            _ => Oob { lpn: Lpn(u32::MAX), kind: PageKind::Data, seq: 0 },
        };
        let page = PageRecord { erases: block.record.erases, oob, content: Content::Unreadable };
        self.set_page(ppn, &page, block)
    }
}
