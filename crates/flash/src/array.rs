//! The array: state of every page and block, and the rules of NAND.
//!
//! State: 4 bytes per page (the OOB's LPN) and 16 bytes per block (stamp of its first page, next page, erase
//! count, bad mark). While all pages of a block share the OOB stamp (kind and sequence number), it is kept once
//! per block. From the first program with a different stamp on, its distance from the block's is kept per page (4 bytes
//! more, 8 in all); from the first that is of another kind or further than 32 bits on, the stamp (8 more, 12 in all).
//! Pages used up without content have no stamp. Page bytes are kept only as [`Store`] says.

use super::address::{BlockId, Geometry, Lpn, Ppn};
use super::error::FlashError;
use super::interface::{Flash, Probe};
use super::oob::{Oob, PageKind};
use super::operation::Cause;
use super::page_bytes::PageBytes;
use super::part::Part;
use crate::prefetch::prefetch;
use crate::stamps::Stamps;
use alloc::{collections::BTreeSet, vec, vec::Vec};

/// Pages of which the array keeps the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// Metadata pages only ([`PageKind::Translation`] and [`PageKind::Other`]). For simulations, in which user
    /// bytes have no meaning.
    Metadata,
    /// All pages.
    All,
}

/// Mark of a block that no page has stamped since its erase. Real stamps are smaller.
const NO_STAMP: u64 = u64::MAX;

#[derive(Clone, Debug)]
struct Block {
    stamp: u64,
    next_page: u32,
    /// Erases, with [`BAD`] if the block is marked, and [`SLC`] if it is in SLC mode.
    erases: u32,
}

/// Mark of a bad block beside its erases, and of SLC mode. No block lives through 2^30 of them.
const BAD: u32 = 1 << 31;
const SLC: u32 = 1 << 30;

impl Block {
    const NEW: Self = Self { stamp: NO_STAMP, next_page: 0, erases: 0 };

    #[inline]
    fn is_bad(&self) -> bool {
        self.erases >= BAD
    }

    #[inline]
    fn is_slc(&self) -> bool {
        self.erases & SLC != 0
    }

    /// True if the block is bad or in SLC mode.
    #[inline]
    fn is_marked(&self) -> bool {
        self.erases >= SLC
    }
}

/// A simulated array that enforces the rules of NAND.
#[derive(Clone, Debug)]
pub struct Array {
    geometry: Geometry,
    part: Part,
    slc_pages: u32,
    store: Store,
    lpns: Vec<u32>,
    blocks: Vec<Block>,
    stamps: Stamps,
    /// True if any block has held pages of several kinds.
    kinds_differ: bool,
    /// Pages whose content is lost: torn, failed, or in a block whose erase was cut. Rare.
    unreadable: BTreeSet<u32>,
    bytes: PageBytes,
}

impl Array {
    /// Creates an erased array.
    pub fn new(geometry: Geometry, part: Part, store: Store) -> Self {
        let blocks = vec![Block::NEW; geometry.blocks() as usize];
        let lpns = vec![u32::MAX; geometry.pages() as usize];
        let slc_pages = part.cell.slc_pages(geometry.pages_per_block());
        Self {
            geometry,
            part,
            slc_pages,
            store,
            lpns,
            blocks,
            stamps: Stamps::OfBlocks,
            kinds_differ: false,
            unreadable: BTreeSet::new(),
            bytes: PageBytes::default(),
        }
    }

    /// Memory in bytes that an array of this shape takes before it stores any page. Check it against the
    /// machine before [`Array::new`], which aborts if the allocation fails.
    pub fn least_heap_bytes(geometry: &Geometry) -> u64 {
        u64::from(geometry.pages()) * 4 + u64::from(geometry.blocks()) * size_of::<Block>() as u64
    }

    /// Next page of the block that may be programmed. π if none may be until an erase, and for a block beyond
    /// the array. In SLC mode [`Part::slc_pages`] if none may be.
    pub fn next_page(&self, block: BlockId) -> u32 {
        let state = self.blocks.get(block.0 as usize);
        state.map_or(self.geometry.pages_per_block(), |block| block.next_page)
    }

    /// Memory in bytes that the state of the array takes, including stored page bytes.
    pub fn heap_bytes(&self) -> usize {
        self.lpns.capacity() * 4
            + self.blocks.capacity() * size_of::<Block>()
            + self.stamps.heap_bytes()
            + self.bytes.heap_bytes()
            // A B-tree leaf holds eleven numbers and two words, and is at least half full.
            + self.unreadable.len() * 12
    }

    /// Spoils a programmed page: reads of it are uncorrectable until its block is erased. A power cut during a
    /// program or a failed program leaves this state.
    ///
    /// # Errors
    /// Address; the page is erased and holds nothing to spoil.
    pub fn spoil(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        self.programmed(ppn)?;
        self.unreadable.insert(ppn.0);
        Ok(())
    }

    /// Uses up a page without content: it can be neither programmed nor read until an erase.
    ///
    /// # Errors
    /// As [`Flash::program`].
    pub fn waste(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        self.check_program(ppn, 0, None)?;
        let (id, page) = self.geometry.split(ppn);
        self.blocks[id.0 as usize].next_page = page + 1;
        self.lpns[ppn.0 as usize] = u32::MAX;
        self.spoil(ppn)
    }

    /// Leaves a block as an interrupted erase does: no page can be read or programmed until an erase.
    ///
    /// # Errors
    /// As [`Flash::erase`].
    pub fn half_erase(&mut self, block: BlockId) -> Result<(), FlashError> {
        self.check_erase(block)?;
        let pages = self.geometry.pages_per_block();
        for page in 0..pages {
            let ppn = self.geometry.ppn(block, page);
            self.bytes.release(ppn);
            self.unreadable.insert(ppn.0);
        }
        let state = &mut self.blocks[block.0 as usize];
        state.next_page = pages;
        state.erases &= !SLC;
        Ok(())
    }

    #[inline]
    fn programmed(&self, ppn: Ppn) -> Result<BlockId, FlashError> {
        if !self.geometry.contains(ppn) {
            return Err(FlashError::NoSuchPage(ppn));
        }
        let (block, page) = self.geometry.split(ppn);
        if page >= self.blocks[block.0 as usize].next_page {
            return Err(FlashError::Erased(ppn));
        }
        Ok(block)
    }

    #[inline]
    fn readable(&self, ppn: Ppn) -> Result<BlockId, FlashError> {
        let block = self.programmed(ppn)?;
        if !self.unreadable.is_empty() && self.unreadable.contains(&ppn.0) {
            return Err(FlashError::Uncorrectable(ppn));
        }
        Ok(block)
    }

    #[inline(always)]
    fn check_program(&self, ppn: Ppn, seq: u64, data: Option<&[u8]>) -> Result<(), FlashError> {
        let (id, page) = self.geometry.split(ppn);
        // The division is exact for every number, so a page is in the array if its block is.
        let Some(block) = self.blocks.get(id.0 as usize) else {
            return Err(FlashError::NoSuchPage(ppn));
        };
        if block.is_marked() {
            if block.is_bad() {
                return Err(FlashError::BadBlock(id));
            }
            if page == block.next_page && page >= self.slc_pages {
                return Err(FlashError::BeyondSlc { ppn, pages: self.slc_pages });
            }
        }
        if page != block.next_page {
            return Err(FlashError::ProgramOrder { ppn, next: block.next_page });
        }
        if seq > Oob::MAX_SEQ {
            return Err(FlashError::Sequence(seq));
        }
        self.geometry.check_payload(data)
    }

    fn check_erase(&self, id: BlockId) -> Result<(), FlashError> {
        match self.blocks.get(id.0 as usize) {
            None => Err(FlashError::NoSuchBlock(id)),
            Some(block) if block.is_bad() => Err(FlashError::BadBlock(id)),
            Some(_) => Ok(()),
        }
    }

    // Always inlined: passing an `Oob` through memory costs more than the rest of a program.
    #[inline(always)]
    fn set_oob(&mut self, ppn: Ppn, lpn: Lpn, stamp: u64) {
        let (id, page) = self.geometry.split(ppn);
        self.lpns[ppn.0 as usize] = lpn.0;
        let block = &mut self.blocks[id.0 as usize];
        block.next_page = page + 1;
        if block.stamp == NO_STAMP {
            block.stamp = stamp;
        }
        let of_block = block.stamp;
        if stamp != of_block {
            // The kind occupies the bits above the sequence number.
            self.kinds_differ |= stamp ^ of_block > Oob::MAX_SEQ;
            if !self.stamps.fits(stamp, of_block) {
                let per_block = self.geometry.pages_per_block() as usize;
                let blocks = self.blocks.iter().map(|block| block.stamp);
                self.stamps.widen(stamp, of_block, blocks, per_block);
            }
        }
        self.stamps.set_one(ppn.0 as usize, stamp, of_block);
    }

    #[inline]
    fn oob(&self, ppn: Ppn, block: BlockId) -> Oob {
        let of_block = self.blocks[block.0 as usize].stamp;
        let stamp = self.stamps.get(ppn.0 as usize, of_block);
        Oob::from_stamp(self.lpns[ppn.0 as usize], stamp)
    }

    /// Copies the head of a run, up to the first page that needs special treatment. Special are: bytes to move,
    /// a lost page, a block with several kinds, a broken rule. Returns the number of pages copied.
    #[inline]
    fn copy_plain_run(&mut self, from: &[Ppn], to: Ppn, seq: u64, lpns: &mut [Lpn]) -> usize {
        let Some(first) = from.first() else { return 0 };
        let plain = !self.kinds_differ && self.unreadable.is_empty();
        let within = self.geometry.contains(*first) && self.geometry.contains(to);
        if !plain || !within || seq > Oob::MAX_SEQ {
            return 0;
        }
        let source = self.geometry.block_of(*first);
        let start = self.geometry.ppn(source, 0).0;
        let Block { stamp, next_page: programmed, .. } = self.blocks[source.0 as usize];
        let oob = Oob { seq, ..Oob::from_stamp(0, stamp) };
        if !self.bytes.is_unused() && self.keeps(oob.kind) {
            return 0;
        }
        let stamp = oob.stamp();
        let (id, page) = self.geometry.split(to);
        let target = &mut self.blocks[id.0 as usize];
        let end = if target.is_slc() { self.slc_pages } else { self.geometry.pages_per_block() };
        let room = end.saturating_sub(page) as usize;
        let of_block = if target.stamp == NO_STAMP { stamp } else { target.stamp };
        // A run of another kind takes the slow path, in which `set_oob` notes that kinds differ.
        let kept = stamp ^ of_block <= Oob::MAX_SEQ && self.stamps.fits(stamp, of_block);
        if target.is_bad() || page != target.next_page || !kept {
            return 0;
        }
        let Some(source) = self.lpns.get(start as usize..(start + programmed) as usize) else {
            return 0;
        };
        let most = room.min(from.len()).min(lpns.len());
        let done = lpns_of(source, start, &from[..most], &mut lpns[..most]);
        let first = to.0 as usize;
        for (to, copied) in self.lpns[first..first + done].iter_mut().zip(lpns) {
            *to = copied.0;
        }
        if done > 0 {
            target.stamp = of_block;
            target.next_page += done as u32;
            self.stamps.set(first..first + done, stamp, of_block);
        }
        done
    }

    /// As [`Array::copy_plain_run`], for a run of one page, as on an SSD, where consecutive pages go to different units. `None`,
    /// and nothing is done, if the page needs special treatment.
    #[inline(always)]
    fn copy_plain_page(&mut self, from: Ppn, to: Ppn, seq: u64) -> Option<Lpn> {
        if self.kinds_differ || !self.unreadable.is_empty() || seq > Oob::MAX_SEQ {
            return None;
        }
        let (source, page) = self.geometry.split(from);
        let Block { stamp, next_page: programmed, .. } = *self.blocks.get(source.0 as usize)?;
        let oob = Oob { seq, ..Oob::from_stamp(0, stamp) };
        if page >= programmed || !self.bytes.is_unused() && self.keeps(oob.kind) {
            return None;
        }
        let lpn = *self.lpns.get(from.0 as usize)?;
        let stamp = oob.stamp();
        let (id, page) = self.geometry.split(to);
        let target = self.blocks.get_mut(id.0 as usize)?;
        let of_block = if target.stamp == NO_STAMP { stamp } else { target.stamp };
        let may = !target.is_marked() && page == target.next_page;
        if !may || stamp ^ of_block > Oob::MAX_SEQ {
            return None;
        }
        if !self.stamps.set_near(to.0 as usize, stamp, of_block) {
            return None;
        }
        (target.stamp, target.next_page) = (of_block, page + 1);
        self.lpns[to.0 as usize] = lpn;
        Some(Lpn(lpn))
    }

    fn keeps(&self, kind: PageKind) -> bool {
        self.store == Store::All || kind != PageKind::Data
    }
}

/// Reads the LPNs of `pages`, up to the first that is not a programmed page of a block. `source`: the LPNs of that block's
/// programmed pages, of which the first is page `start`. Returns the number read. Not inlined, so that the loop has all registers.
#[inline(never)]
fn lpns_of(source: &[u32], start: u32, pages: &[Ppn], lpns: &mut [Lpn]) -> usize {
    let mut read = 0;
    for (page, lpn) in pages.iter().zip(lpns) {
        let Some(of_page) = source.get(page.0.wrapping_sub(start) as usize) else { break };
        *lpn = Lpn(*of_page);
        read += 1;
    }
    read
}

impl Flash for Array {
    #[inline]
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    #[inline]
    fn part(&self) -> &Part {
        &self.part
    }

    #[inline]
    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError> {
        self.read_data(ppn, data, cause)?;
        Ok(self.oob(ppn, self.geometry.block_of(ppn)))
    }

    #[inline(always)]
    fn read_data(
        &mut self,
        ppn: Ppn,
        data: Option<&mut [u8]>,
        _cause: Cause,
    ) -> Result<(), FlashError> {
        self.geometry.check_payload(data.as_deref())?;
        self.readable(ppn)?;
        if let Some(data) = data {
            match self.bytes.get(ppn, &self.geometry) {
                Some(bytes) => data.copy_from_slice(bytes),
                None => data.fill(0),
            }
        }
        Ok(())
    }

    #[inline]
    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        _cause: Cause,
    ) -> Result<Oob, FlashError> {
        let block = self.readable(ppn)?;
        self.geometry.check_part(offset, data.len())?;
        match self.bytes.get(ppn, &self.geometry) {
            Some(bytes) => data.copy_from_slice(&bytes[offset..offset + data.len()]),
            None => data.fill(0),
        }
        Ok(self.oob(ppn, block))
    }

    #[inline]
    fn read_oob(&mut self, ppn: Ppn, _cause: Cause) -> Result<Oob, FlashError> {
        let block = self.readable(ppn)?;
        Ok(self.oob(ppn, block))
    }

    #[inline(always)]
    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        _cause: Cause,
    ) -> Result<(), FlashError> {
        self.check_program(ppn, oob.seq, data)?;
        self.set_oob(ppn, oob.lpn, oob.stamp());
        if let Some(data) = data
            && self.keeps(oob.kind)
        {
            self.bytes.set(ppn, data, &self.geometry);
        }
        Ok(())
    }

    #[inline(always)]
    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, _cause: Cause) -> Result<Oob, FlashError> {
        let block = self.readable(from)?;
        let own = self.oob(from, block);
        let oob = if seq == Oob::KEEP_SEQ { own } else { Oob { seq, ..own } };
        self.check_program(to, oob.seq, None)?;
        self.set_oob(to, oob.lpn, oob.stamp());
        if self.keeps(oob.kind) {
            self.bytes.copy(from, to, &self.geometry);
        }
        Ok(oob)
    }

    #[inline]
    fn copy_run(
        &mut self,
        from: &[Ppn],
        to: Ppn,
        seq: u64,
        cause: Cause,
        lpns: &mut [Lpn],
    ) -> Result<(), (usize, FlashError)> {
        if let ([from], [lpn]) = (from, &mut *lpns) {
            *lpn = match self.copy_plain_page(*from, to, seq) {
                Some(copied) => copied,
                None => self.copy(*from, to, seq, cause).map_err(|error| (0, error))?.lpn,
            };
            return Ok(());
        }
        let plain = self.copy_plain_run(from, to, seq, lpns);
        if plain == from.len() {
            return Ok(());
        }
        for (at, (from, lpn)) in from.iter().zip(lpns).enumerate().skip(plain) {
            let copied = self.copy(*from, Ppn(to.0 + at as u32), seq, cause);
            *lpn = copied.map_err(|error| (at, error))?.lpn;
        }
        Ok(())
    }

    #[inline]
    fn erase(&mut self, id: BlockId, _cause: Cause) -> Result<(), FlashError> {
        self.check_erase(id)?;
        let first = self.geometry.ppn(id, 0).0;
        let pages = first..first + self.geometry.pages_per_block();
        if !self.bytes.is_unused() {
            pages.clone().for_each(|page| self.bytes.release(Ppn(page)));
        }
        while let Some(page) = self.unreadable.range(pages.clone()).next().copied() {
            self.unreadable.remove(&page);
        }
        let block = &mut self.blocks[id.0 as usize];
        block.stamp = NO_STAMP;
        block.next_page = 0;
        block.erases = (block.erases & !SLC).saturating_add(1).min(SLC - 1);
        Ok(())
    }

    fn is_bad(&self, block: BlockId) -> bool {
        self.blocks.get(block.0 as usize).is_some_and(Block::is_bad)
    }

    fn mark_bad(&mut self, block: BlockId) -> Result<(), FlashError> {
        let state = self.blocks.get_mut(block.0 as usize).ok_or(FlashError::NoSuchBlock(block))?;
        state.erases |= BAD;
        Ok(())
    }

    #[inline]
    fn is_slc(&self, block: BlockId) -> bool {
        self.blocks.get(block.0 as usize).is_some_and(Block::is_slc)
    }

    fn set_slc(&mut self, block: BlockId, slc: bool) -> Result<(), FlashError> {
        let state = self.blocks.get_mut(block.0 as usize).ok_or(FlashError::NoSuchBlock(block))?;
        if state.next_page > 0 || slc && self.part.slc.is_none() {
            return Err(FlashError::SlcMode(block));
        }
        state.erases = state.erases & !SLC | if slc { SLC } else { 0 };
        Ok(())
    }

    fn erase_count(&self, block: BlockId) -> u32 {
        self.blocks.get(block.0 as usize).map_or(0, |block| block.erases & !(BAD | SLC))
    }
}

impl Probe for Array {
    #[inline]
    fn program_plain(&mut self, to: Ppn, lpns: &[Lpn], seq: u64, _cause: Cause) -> usize {
        let stamp = Oob::data(Lpn(0), seq).stamp();
        let (id, page) = self.geometry.split(to);
        let Some(block) = self.blocks.get_mut(id.0 as usize) else { return 0 };
        let of_block = if block.stamp == NO_STAMP { stamp } else { block.stamp };
        let within = seq <= Oob::MAX_SEQ && !block.is_marked() && page == block.next_page;
        if !within || stamp ^ of_block > Oob::MAX_SEQ || !self.stamps.fits(stamp, of_block) {
            return 0;
        }
        let room = (self.geometry.pages_per_block() - page) as usize;
        let (first, pages) = (to.0 as usize, room.min(lpns.len()));
        for (of_page, lpn) in self.lpns[first..first + pages].iter_mut().zip(lpns) {
            *of_page = lpn.0;
        }
        if pages > 0 {
            (block.stamp, block.next_page) = (of_block, page + pages as u32);
            self.stamps.set(first..first + pages, stamp, of_block);
        }
        pages
    }

    #[inline]
    fn keeps_user_bytes(&self) -> bool {
        self.store == Store::All
    }

    #[inline]
    fn prefetch(&self, ppn: Ppn) {
        prefetch(&self.blocks, self.geometry.block_of(ppn).0 as usize);
    }

    #[inline]
    fn peek_lpn(&self, ppn: Ppn) -> Option<Lpn> {
        self.lpns.get(ppn.0 as usize).map(|lpn| Lpn(*lpn))
    }
}
