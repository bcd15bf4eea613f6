//! Bytes of an image: where each record is, and what is in it. `docs/image.md` draws them.

use flash::{BlockId, Geometry, Lpn, Oob, PageKind, Ppn};

/// Version of the format.
pub const VERSION: u32 = 1;

/// First bytes of every image.
pub(super) const MAGIC: [u8; 8] = *b"ftlimage";

/// Bytes of the fields of the header, with their checksum.
pub(super) const HEADER_BYTES: usize = 36;
/// Offset and bytes of the record of starts.
pub(super) const STARTS_AT: u64 = 512;
pub(super) const STARTS_BYTES: usize = 16;
/// Offset of the description, and bytes for it.
pub(super) const TEXT_AT: u64 = 4096;
pub(super) const TEXT_BYTES: usize = 60 << 10;
/// Offset of the block records, which the page records and the page bytes follow.
const BLOCKS_AT: u64 = 64 << 10;
const ALIGNMENT: u64 = 4096;

/// Bytes of the record of a block and of a page.
pub(super) const BLOCK_BYTES: usize = 16;
pub(super) const PAGE_BYTES: usize = 32;

/// Offset of each area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offsets {
    pages_at: u64,
    bytes_at: u64,
    page_bytes: u64,
    /// Length of the file.
    pub(super) end: u64,
}

impl Offsets {
    pub(super) fn of(geometry: &Geometry) -> Self {
        let blocks = u64::from(geometry.blocks()) * BLOCK_BYTES as u64;
        let pages_at = (BLOCKS_AT + blocks).next_multiple_of(ALIGNMENT);
        let pages = u64::from(geometry.pages()) * PAGE_BYTES as u64;
        let bytes_at = (pages_at + pages).next_multiple_of(ALIGNMENT);
        let page_bytes = u64::from(geometry.page_bytes());
        let end = bytes_at + u64::from(geometry.pages()) * page_bytes;
        Self { pages_at, bytes_at, page_bytes, end }
    }

    pub(super) fn block(&self, block: BlockId) -> u64 {
        BLOCKS_AT + u64::from(block.0) * BLOCK_BYTES as u64
    }

    pub(super) fn page(&self, ppn: Ppn) -> u64 {
        self.pages_at + u64::from(ppn.0) * PAGE_BYTES as u64
    }

    pub(super) fn bytes(&self, ppn: Ppn) -> u64 {
        self.bytes_at + u64::from(ppn.0) * self.page_bytes
    }
}

/// CRC-32 (IEEE 802.3) of these bytes one after the other.
pub(super) fn crc(parts: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize()
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// Puts words one after the other.
fn put(bytes: &mut [u8], words: &[u32]) {
    for (bytes, word) in bytes.chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
}

/// Fields of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) version: u32,
    pub(super) blocks: u32,
    pub(super) pages_per_block: u32,
    pub(super) page_bytes: u32,
    pub(super) text_bytes: u32,
    pub(super) text_crc: u32,
}

impl Header {
    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        let Self { version, blocks, pages_per_block, page_bytes, text_bytes, text_crc } = *self;
        bytes[..8].copy_from_slice(&MAGIC);
        put(&mut bytes[8..], &[version, blocks, pages_per_block, page_bytes, text_bytes, text_crc]);
        let check = crc(&[&bytes[..32]]);
        put(&mut bytes[32..], &[check]);
        bytes
    }

    /// The fields, if the checksum is right. The caller has looked at the magic.
    pub(super) fn decode(bytes: &[u8; HEADER_BYTES]) -> Option<Self> {
        (crc(&[&bytes[..32]]) == u32_at(bytes, 32)).then(|| Self {
            version: u32_at(bytes, 8),
            blocks: u32_at(bytes, 12),
            pages_per_block: u32_at(bytes, 16),
            page_bytes: u32_at(bytes, 20),
            text_bytes: u32_at(bytes, 24),
            text_crc: u32_at(bytes, 28),
        })
    }
}

/// The record of starts: how often the image was mounted, and whether its last user shut it down.
pub(super) fn encode_starts(starts: u64, clean: bool) -> [u8; STARTS_BYTES] {
    let mut bytes = [0; STARTS_BYTES];
    put(&mut bytes, &[starts as u32, (starts >> 32) as u32, clean.into()]);
    let check = crc(&[&bytes[..12]]);
    put(&mut bytes[12..], &[check]);
    bytes
}

/// Starts, and true after a shutdown; `None` if the record is damaged.
pub(super) fn decode_starts(bytes: &[u8; STARTS_BYTES]) -> Option<(u64, bool)> {
    let right = crc(&[&bytes[..12]]) == u32_at(bytes, 12);
    right.then(|| (u64_at(bytes, 0), u32_at(bytes, 8) == 1))
}

/// The record of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockRecord {
    /// Erases so far. Pages are of the block's present content if their record has the same number.
    pub(super) erases: u32,
    pub(super) bad: bool,
    pub(super) slc: bool,
    /// True after an erase that was cut: nothing can be read or programmed until an erase.
    pub(super) half_erased: bool,
}

impl BlockRecord {
    pub(super) const NEW: Self = Self { erases: 0, bad: false, slc: false, half_erased: false };

    fn flags(&self) -> u32 {
        u32::from(self.bad) | u32::from(self.slc) << 1 | u32::from(self.half_erased) << 2
    }

    pub(super) fn encode(&self, block: BlockId) -> [u8; BLOCK_BYTES] {
        let mut bytes = [0; BLOCK_BYTES];
        put(&mut bytes, &[self.erases, self.flags(), 0]);
        let check = crc(&[&block.0.to_le_bytes(), &bytes[..12]]);
        put(&mut bytes[12..], &[check]);
        bytes
    }

    /// The record of this block; `None` if it is damaged.
    pub(super) fn decode(bytes: &[u8], block: BlockId) -> Option<Self> {
        let right = crc(&[&block.0.to_le_bytes(), &bytes[..12]]) == u32_at(bytes, 12);
        let flags = u32_at(bytes, 4);
        right.then_some(Self {
            erases: u32_at(bytes, 0),
            bad: flags & 1 != 0,
            slc: flags & 2 != 0,
            half_erased: flags & 4 != 0,
        })
    }
}

/// Content of a programmed page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Bytes with this checksum.
    Bytes(u32),
    /// No bytes: it reads as zeros.
    NoBytes,
    /// Nothing: the page was used up by a program that was cut or failed, or was spoilt.
    Unreadable,
}

/// The record of a page: its OOB, and what belongs to the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageRecord {
    /// Erases of the block when the page was programmed.
    pub(super) erases: u32,
    pub(super) oob: Oob,
    pub(super) content: Content,
}

/// A page record as found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// All zeros: the page was never programmed.
    Never,
    /// The page was programmed, in its block's present content or before an erase.
    Record(PageRecord),
    /// The checksum is wrong.
    Damaged,
}

const BYTES: u32 = 1;
const NO_BYTES: u32 = 2;
const UNREADABLE: u32 = 3;

impl PageRecord {
    pub(super) fn encode(&self, ppn: Ppn) -> [u8; PAGE_BYTES] {
        let mut bytes = [0; PAGE_BYTES];
        let (content, check) = match self.content {
            Content::Bytes(check) => (BYTES, check),
            Content::NoBytes => (NO_BYTES, 0),
            Content::Unreadable => (UNREADABLE, 0),
        };
        let Oob { lpn, kind, seq } = self.oob;
        let stamp = seq | (kind as u64) << 56;
        let (low, high) = (stamp as u32, (stamp >> 32) as u32);
        put(&mut bytes, &[self.erases, lpn.0, low, high, content, check, 0]);
        let check = crc(&[&ppn.0.to_le_bytes(), &bytes[..28]]);
        put(&mut bytes[28..], &[check]);
        bytes
    }

    pub(super) fn decode(bytes: &[u8], ppn: Ppn) -> Found {
        if bytes.iter().all(|byte| *byte == 0) {
            return Found::Never;
        }
        let right = crc(&[&ppn.0.to_le_bytes(), &bytes[..28]]) == u32_at(bytes, 28);
        let stamp = u64_at(bytes, 8);
        let kind = match stamp >> 56 {
            0 => Some(PageKind::Data),
            1 => Some(PageKind::Translation),
            2 => Some(PageKind::Other),
            _ => None,
        };
        let content = match u32_at(bytes, 16) {
            BYTES => Some(Content::Bytes(u32_at(bytes, 20))),
            NO_BYTES => Some(Content::NoBytes),
            UNREADABLE => Some(Content::Unreadable),
            _ => None,
        };
        match (right, kind, content) {
            (true, Some(kind), Some(content)) => {
                let (lpn, seq) = (Lpn(u32_at(bytes, 4)), stamp & Oob::MAX_SEQ);
                let oob = Oob { lpn, kind, seq };
                Found::Record(Self { erases: u32_at(bytes, 0), oob, content })
            }
            _ => Found::Damaged,
        }
    }

    /// True if the page counts as programmed in a block of these erases. A damaged record may be of the present content,
    /// so it counts.
    pub(super) fn counts(found: &Found, erases: u32) -> bool {
        match found {
            Found::Never => false,
            Found::Record(record) => record.erases == erases,
            Found::Damaged => true,
        }
    }
}
