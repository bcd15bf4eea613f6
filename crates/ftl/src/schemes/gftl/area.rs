//! The maps on flash between a shutdown and the next start-up (§VI).
//!
//! The last good blocks of the array are reserved as the area. A shutdown writes three sections from its first page
//! on:
//! - the header, the collection queue and the obsolete queue blocks;
//! - the block map, 8 B per entry;
//! - the write-queue map, 16 B per entry.
//!
//! Each section begins on a new page and has room for its greatest length. A start-up reads them. Before it changes
//! anything else, it programs one page after them, which marks them as out of date.

use super::collection_queue::CollectionQueue;
use super::stamp::Stamp;
use super::state::{ABSENT, AreaBlock, Gftl, IN_BLOCK, LOST, Logical};
use crate::block_mapped::NONE;
use crate::error::FtlError;
use alloc::{vec, vec::Vec};
use flash::{BlockId, Cause, Event, FlashError, Item, Lpn, Oob, PageKind, Ppn, Probe};

const MAGIC: u32 = u32::from_le_bytes(*b"GFTL");
const HEADER_WORDS: usize = 8;
const BLOCK_WORDS: usize = 2;
const QUEUE_WORDS: usize = 4;
/// Flag of a block entry: the data block is closed.
const CLOSED: u32 = 1 << 24;

/// The header of an image.
struct Header {
    logical_blocks: u32,
    waiting: u32,
    dead: u32,
    base: u64,
    open: u32,
    open_next: u32,
}

impl Header {
    fn words(&self) -> [u32; HEADER_WORDS] {
        let (low, high) = (self.base as u32, (self.base >> 32) as u32);
        let Self { logical_blocks, waiting, dead, open, open_next, .. } = *self;
        [MAGIC, logical_blocks, waiting, dead, low, high, open, open_next]
    }

    fn from_words(words: &[u32]) -> Option<Self> {
        let &[magic, logical_blocks, waiting, dead, low, high, open, open_next] =
            words.first_chunk::<HEADER_WORDS>()?;
        let base = u64::from(low) | u64::from(high) << 32;
        (magic == MAGIC).then_some(Self { logical_blocks, waiting, dead, base, open, open_next })
    }
}

/// Starts of an image's sections, in words, and its number of pages.
#[derive(Clone, Copy)]
struct Layout {
    blocks: usize,
    queue: usize,
    end: usize,
    pages: u32,
}

/// What a mount found where the maps of a shutdown would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loaded {
    /// The maps, which are loaded.
    Maps,
    /// None that are up to date.
    Nothing,
    /// Pages that cannot be read now. The next mount may read them, so they must not be there when something has changed.
    Unreadable,
}

/// As [`Loaded`], before it is known whether the maps make sense.
enum Read {
    Image(Vec<u8>),
    Nothing,
    Unreadable,
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes[at * 4..].first_chunk::<4>().map_or(0, |word| u32::from_le_bytes(*word))
}

fn put(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at * 4..at * 4 + 4].copy_from_slice(&value.to_le_bytes());
}

impl<F: Probe, Q: CollectionQueue> Gftl<F, Q> {
    /// The layout of an image. Sections fill whole pages; [`bounds::gftl::image_pages`] counts the same pages.
    fn image_layout(&self) -> Layout {
        let geometry = self.geometry();
        let page = geometry.page_bytes() as usize / 4 * 4;
        let pages = |words: usize| (words * 4).div_ceil(page.max(4));
        let logical = self.logical.len();
        let entries = self.settings.queue_blocks as usize * geometry.pages_per_block() as usize;
        let waiting = pages(HEADER_WORDS + logical).max(geometry.pages_per_block() as usize);
        let blocks = waiting + pages(logical * BLOCK_WORDS);
        let end = blocks + pages(entries * QUEUE_WORDS);
        let words = page.max(4) / 4;
        Layout {
            blocks: waiting * words,
            queue: blocks * words,
            end: end * words,
            pages: end as u32,
        }
    }

    /// Physical page of the area's page `number`.
    fn area_page(&self, number: u32) -> Option<Ppn> {
        let geometry = self.flash.geometry();
        let pages = geometry.pages_per_block();
        let block = self.area.get((number / pages) as usize)?;
        Some(geometry.ppn(BlockId(block.block), number % pages))
    }

    /// Programs the area's page `number`. Returns false if that failed.
    fn program_area(&mut self, number: u32, data: Option<&[u8]>) -> Result<bool, FtlError> {
        let Some(ppn) = self.area_page(number) else { return Ok(false) };
        let seq = Stamp::queue(self.queue.position()).0;
        let oob = Oob { lpn: Lpn(number), kind: PageKind::Other, seq };
        let at = (number / self.geometry().pages_per_block()) as usize;
        let done = match self.flash.program(ppn, oob, data, Cause::Mount) {
            Ok(()) => true,
            Err(FlashError::ProgramFailed(_)) => false,
            Err(error) => return Err(error.into()),
        };
        self.area[at].written += 1;
        self.pool.programmed(1);
        Ok(done)
    }

    /// Erases the first written block of the area. The first block goes first, so that an interrupted sequence of
    /// erases leaves no valid image. Returns false if no block is written.
    pub(super) fn erase_area_block(&mut self) -> Result<bool, FtlError> {
        let Some(at) = self.area.iter().position(|block| block.written > 0) else {
            return Ok(false);
        };
        let AreaBlock { block, written } = self.area[at];
        let unwritten = self.geometry().pages_per_block() - written;
        self.flash.event(&Event::new(
            "obsolete-block",
            "block {block} of an image that is out of date is erased",
            &[("block", Item::Block(BlockId(block)))],
        ));
        let (block, log) = (BlockId(block), &mut self.log);
        let good = self.pool.erase_in_place(&mut self.flash, block, unwritten, self.cause, log)?;
        if good {
            self.area[at].written = 0;
        } else {
            self.area.remove(at);
        }
        Ok(true)
    }

    /// Writes the maps, unless
    /// - they do not fit because a block of the area went bad;
    /// - a failed program left a state that they cannot describe; or
    /// - wear levelling below moves blocks.
    ///
    /// Without maps the next mount scans the array.
    pub(super) fn save_image(&mut self) -> Result<(), FtlError> {
        if !self.settings.saves_maps {
            return Ok(());
        }
        while self.erase_area_block()? {}
        let layout = self.image_layout();
        let pages = self.geometry().pages_per_block();
        let whole_words = self.geometry().page_bytes() >= 4;
        if !whole_words || (self.area.len() as u32) * pages <= layout.pages {
            return Ok(());
        }
        let Some(image) = self.image(layout) else { return Ok(()) };
        let page_bytes = self.geometry().page_bytes() as usize;
        let mut page = vec![0; page_bytes];
        let used = layout.end * 4 / layout.pages as usize;
        for (number, words) in (0..).zip(image.chunks(used)) {
            page[..used].copy_from_slice(words);
            if !self.program_area(number, Some(&page))? {
                return Ok(());
            }
        }
        self.area_valid = true;
        self.flash.event(&Event::new(
            "image-saved",
            "the maps are saved in {pages} pages: the next mount reads them",
            &[("pages", Item::Count(layout.pages.into()))],
        ));
        Ok(())
    }

    /// True if there is an image, and nothing has changed since.
    pub(crate) fn has_image(&self) -> bool {
        self.area_valid
    }

    /// The image of the maps; `None` if the format or its space cannot hold them.
    fn image(&self, layout: Layout) -> Option<Vec<u8>> {
        let (waiting, dead) = (self.waiting.waiting(), self.queue.dead());
        let pages = self.geometry().pages_per_block();
        let fits = HEADER_WORDS + waiting.len() + dead.len() <= layout.blocks;
        if !fits || pages > u16::MAX.into() || self.queue.has_unwritten() {
            return None;
        }
        let mut bytes = vec![0xff; layout.end * 4];
        let open = self.queue.open;
        let header = Header {
            logical_blocks: self.logical.len() as u32,
            waiting: waiting.len() as u32,
            dead: dead.len() as u32,
            base: self.queue.base(),
            open: open.map_or(NONE, |open| open.block.0),
            open_next: open.map_or(0, |open| open.next),
        };
        let first = header.words().into_iter().chain(waiting).chain(dead);
        first.enumerate().for_each(|(at, word)| put(&mut bytes, at, word));
        for (at, entry) in self.logical.iter().enumerate() {
            let at = layout.blocks + at * BLOCK_WORDS;
            let state = entry.next
                | u32::from(entry.stamp.generation()) << 16
                | if entry.closed { CLOSED } else { 0 };
            put(&mut bytes, at, entry.block);
            put(&mut bytes, at + 1, state);
        }
        let live = (0..).zip(&self.place).filter(|(_, place)| **place < LOST);
        for (at, (lpn, ppn)) in live.enumerate() {
            let at = layout.queue + at * QUEUE_WORDS;
            if at + QUEUE_WORDS > layout.end {
                return None;
            }
            let entry: [u32; QUEUE_WORDS] = [lpn, *ppn, 0, 0];
            entry.into_iter().enumerate().for_each(|(i, word)| put(&mut bytes, at + i, word));
        }
        Some(bytes)
    }

    /// Marks the saved maps as out of date.
    #[cold]
    pub(super) fn spoil_image(&mut self) -> Result<(), FtlError> {
        self.area_valid = false;
        let pages = self.image_layout().pages;
        // A failed program marks them too: its page is not erased, and a mount checks only that.
        self.program_area(pages, None).map(|_| ())
    }

    /// Loads the maps of a shutdown, if there are any and nothing has changed since.
    pub(super) fn load_image(&mut self) -> Result<Loaded, FtlError> {
        let area = self.last_good_blocks();
        let (layout, pages) = (self.image_layout(), self.geometry().pages_per_block());
        if self.geometry().page_bytes() < 4 {
            return Ok(Loaded::Nothing);
        }
        self.area = area.into_iter().map(|block| AreaBlock { block, written: 0 }).collect();
        let image = match self.read_image(layout)? {
            Read::Image(image) => image,
            Read::Nothing => {
                self.area.clear();
                return Ok(Loaded::Nothing);
            }
            Read::Unreadable => {
                self.area.clear();
                return Ok(Loaded::Unreadable);
            }
        };
        let Some(header) = self.believable(&image, layout) else {
            self.area.clear();
            return Ok(Loaded::Nothing);
        };
        for (at, block) in (0..).zip(&mut self.area) {
            block.written = layout.pages.saturating_sub(at * pages).min(pages);
            self.pool.found_open(pages - block.written);
        }
        self.flash.event(&Event::new(
            "image-found",
            "a mount finds the maps of the shutdown: it reads {pages} pages and no other",
            &[("pages", Item::Count(layout.pages.into()))],
        ));
        self.restore(&image, layout, &header);
        self.spoil_image()?;
        Ok(Loaded::Maps)
    }

    /// Reads the image, unless a page is missing, or the page after it is programmed.
    fn read_image(&mut self, layout: Layout) -> Result<Read, FtlError> {
        let page_bytes = self.geometry().page_bytes() as usize;
        let used = layout.end * 4 / layout.pages as usize;
        let mut image = Vec::new();
        let mut page = vec![0; page_bytes];
        let (mut written_at, mut unreadable) = (None, false);
        for number in 0..layout.pages {
            let Some(ppn) = self.area_page(number) else { return Ok(Read::Nothing) };
            let oob = match self.flash.read(ppn, Some(&mut page), Cause::Mount) {
                Ok(oob) => oob,
                Err(FlashError::Uncorrectable(_)) => {
                    unreadable = true;
                    continue;
                }
                Err(FlashError::Erased(_)) => return Ok(Read::Nothing),
                Err(error) => return Err(error.into()),
            };
            let same = *written_at.get_or_insert(oob.seq) == oob.seq;
            if oob.kind != PageKind::Other || oob.lpn.0 != number || !same {
                return Ok(Read::Nothing);
            }
            if number == 0 && word(&page, 0) != MAGIC {
                return Ok(Read::Nothing);
            }
            image.extend_from_slice(&page[..used]);
        }
        let Some(behind) = self.area_page(layout.pages) else { return Ok(Read::Nothing) };
        match self.flash.read_oob(behind, Cause::Mount) {
            Err(FlashError::Erased(_)) if unreadable => Ok(Read::Unreadable),
            Err(FlashError::Erased(_)) => Ok(Read::Image(image)),
            Ok(_) | Err(FlashError::Uncorrectable(_)) => Ok(Read::Nothing),
            Err(error) => Err(error.into()),
        }
    }

    /// The header of an image if all blocks and pages that it names exist. An image of another configuration is ignored.
    fn believable(&self, image: &[u8], layout: Layout) -> Option<Header> {
        let words: Vec<u32> = (0..layout.end).map(|at| word(image, at)).collect();
        let header = Header::from_words(&words)?;
        let geometry = self.geometry();
        let (blocks, logical) = (geometry.blocks(), self.logical.len() as u32);
        let waiting = HEADER_WORDS + header.waiting as usize;
        let dead = waiting + header.dead as usize;
        let fits = header.logical_blocks == logical && dead <= layout.blocks;
        let named = fits
            && words[HEADER_WORDS..waiting].iter().all(|block| *block < logical)
            && words[waiting..dead].iter().all(|block| *block < blocks)
            && (header.open == NONE
                || header.open < blocks && header.open_next < geometry.pages_per_block());
        let entries = words[layout.blocks..layout.queue].chunks_exact(BLOCK_WORDS);
        let mut entries = entries.take(logical as usize);
        let mut queue = words[layout.queue..layout.end].chunks_exact(QUEUE_WORDS);
        let right = named
            && entries.all(|entry| entry[0] == NONE || entry[0] < blocks)
            && queue.all(|entry| {
                entry[0] == NONE
                    || (entry[0] as usize) < self.place.len() && entry[1] < geometry.pages()
            });
        right.then_some(header)
    }

    fn restore(&mut self, image: &[u8], layout: Layout, header: &Header) {
        let geometry = self.geometry();
        let pages = geometry.pages_per_block();
        let stamp = Stamp::queue(header.base + u64::from(header.open_next));
        let mut taken = vec![false; geometry.blocks() as usize];
        self.area.iter().for_each(|area| taken[area.block as usize] = true);
        for logical in 0..self.logical.len() {
            let at = layout.blocks + logical * BLOCK_WORDS;
            let (block, state) = (word(image, at), word(image, at + 1));
            if block != NONE {
                taken[block as usize] = true;
                let (next, closed) = (state & 0xffff, state & CLOSED != 0);
                let stamp = stamp.with_generation((state >> 16) as u8);
                self.found_data_block(
                    logical as u32,
                    Logical { block, stamp, next, closed, ..Logical::NEW },
                );
            }
        }
        self.queue.begin_at(header.base);
        if header.open != NONE {
            taken[header.open as usize] = true;
            self.queue.open(BlockId(header.open), header.open_next);
            self.pool.found_open(pages - header.open_next);
        }
        for at in (layout.queue..layout.end).step_by(QUEUE_WORDS) {
            let (lpn, ppn) = (word(image, at), word(image, at + 1));
            if lpn == NONE {
                break;
            }
            let block = geometry.block_of(Ppn(ppn));
            if !core::mem::replace(&mut taken[block.0 as usize], true) {
                self.queue.found_closed(block, 0);
            }
            self.found_in_queue(Lpn(lpn), Ppn(ppn));
        }
        let waiting = HEADER_WORDS..HEADER_WORDS + header.waiting as usize;
        for at in waiting.clone() {
            self.found_waiting(word(image, at));
        }
        for at in waiting.end..waiting.end + header.dead as usize {
            let block = BlockId(word(image, at));
            taken[block.0 as usize] = true;
            self.queue.found_closed(block, 0);
            self.queue.bury(block);
        }
        for block in (0..geometry.blocks()).map(BlockId) {
            if !taken[block.0 as usize] && !self.flash.is_bad(block) {
                self.pool.put(block);
            }
        }
    }

    /// Adds a data block that a mount found; any page of the logical block may be in it.
    pub(super) fn found_data_block(&mut self, logical: u32, entry: Logical) {
        let geometry = self.geometry();
        let pages = geometry.pages_per_block();
        self.logical[logical as usize] = Logical { certain: false, ..entry };
        self.with_block += 1;
        self.pool.found_open(pages - entry.next);
        if entry.closed && entry.next > 0 {
            self.pool.found_void(geometry.ppn(BlockId(entry.block), entry.next - 1));
        }
        let first = logical as usize * pages as usize;
        self.place[first..first + pages as usize].fill(IN_BLOCK);
    }

    /// Adds a page that a mount found in the write queue; it is newer than all versions found before.
    pub(super) fn found_in_queue(&mut self, lpn: Lpn, ppn: Ppn) {
        let old = core::mem::replace(&mut self.place[lpn.0 as usize], ppn.0);
        let (logical, _) = self.split(lpn);
        let geometry = *self.flash.geometry();
        match old {
            IN_BLOCK => self.logical[logical as usize].invalid += 1,
            ABSENT | LOST => {}
            older => self.queue.discount(geometry.block_of(Ppn(older))),
        }
        self.queue.add(geometry.block_of(ppn));
    }

    /// Queues a block that waited for collection before the mount.
    pub(super) fn found_waiting(&mut self, logical: u32) {
        let entry = &mut self.logical[logical as usize];
        if !core::mem::replace(&mut entry.queued, true) {
            self.waiting.restore(logical, entry.invalid);
        }
    }
}
