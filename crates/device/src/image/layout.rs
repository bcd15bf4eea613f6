//! Bytes of an image: where each area is, the header and the record of starts. `docs/image.md` draws them.

use flash::Geometry;

/// Version of the format of new images.
pub const VERSION: u32 = 2;

/// First bytes of every image.
pub(super) const MAGIC: [u8; 8] = *b"ftlimage";

/// Bytes of the fields of the header, with their checksum.
pub(super) const HEADER_BYTES: usize = 36;
/// Offset of the record of starts within the head.
pub(super) const STARTS_AT: u64 = 512;
/// Offset of the description, and bytes for it.
pub(super) const TEXT_AT: u64 = 4096;
pub(super) const TEXT_BYTES: usize = 60 << 10;
/// Offset of the list of lost pages within the head of version 2, and bytes for it.
pub(super) const LOST_AT: u64 = 64 << 10;
pub(super) const LOST_BYTES: usize = 64 << 10;
const ALIGNMENT: u64 = 4096;

/// Bytes of the record of a page.
pub(super) const PAGE_BYTES: usize = 32;

/// A version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// One copy of each record; a page is of its block's content if both have the same erases.
    One,
    /// Two copies of each record, numbered changes, and places for the content of more blocks than there are.
    Two,
}

impl Format {
    pub(super) fn of(version: u32) -> Option<Self> {
        match version {
            1 => Some(Self::One),
            2 => Some(Self::Two),
            _ => None,
        }
    }

    pub(super) fn version(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }

    /// Copies of each record.
    pub(super) fn copies(self) -> usize {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }

    /// Bytes of the head: header, starts, description, and lost pages. The block records follow it.
    pub(super) fn head_bytes(self) -> u64 {
        match self {
            Self::One => LOST_AT,
            Self::Two => LOST_AT + LOST_BYTES as u64,
        }
    }

    /// Bytes of the record of a block.
    pub(super) fn block_bytes(self) -> usize {
        match self {
            Self::One => 16,
            Self::Two => 64,
        }
    }

    /// Bytes of the record of starts.
    pub(super) fn starts_bytes(self) -> usize {
        match self {
            Self::One => 16,
            Self::Two => 64,
        }
    }

    /// Places for the content of a block: with spare ones, an erase need not overwrite what the last sync covered.
    pub(super) fn slots(self, blocks: u32) -> u32 {
        match self {
            Self::One => blocks,
            Self::Two => blocks + (blocks / 32).clamp(2, 64),
        }
    }
}

/// Bytes of all records of a new image of this geometry, with their copies: what a mount reads at most.
pub fn record_bytes(geometry: &Geometry) -> u64 {
    Offsets::of(geometry, Format::Two).record_bytes(geometry)
}

/// Offset of each area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offsets {
    format: Format,
    /// Of each copy.
    blocks_at: [u64; 2],
    pages_at: [u64; 2],
    bytes_at: u64,
    page_bytes: u64,
    /// Of the copy of the head.
    pub(super) head_at: u64,
    /// Length of the file.
    pub(super) end: u64,
}

impl Offsets {
    pub(super) fn of(geometry: &Geometry, format: Format) -> Self {
        let page_bytes = u64::from(geometry.page_bytes());
        let blocks = u64::from(geometry.blocks()) * format.block_bytes() as u64;
        let slots = u64::from(format.slots(geometry.blocks()));
        let pages = slots * u64::from(geometry.pages_per_block());
        let records = pages * PAGE_BYTES as u64;
        let pages_at = (format.head_bytes() + blocks).next_multiple_of(ALIGNMENT);
        let bytes_at = (pages_at + records).next_multiple_of(ALIGNMENT);
        let bytes_end = bytes_at + pages * page_bytes;
        let (mut blocks_at, mut pages_at) = ([format.head_bytes(); 2], [pages_at; 2]);
        let (mut head_at, mut end) = (0, bytes_end);
        if format == Format::Two {
            pages_at[1] = bytes_end.next_multiple_of(ALIGNMENT);
            blocks_at[1] = (pages_at[1] + records).next_multiple_of(ALIGNMENT);
            head_at = (blocks_at[1] + blocks).next_multiple_of(ALIGNMENT);
            end = head_at + format.head_bytes();
        }
        Self { format, blocks_at, pages_at, bytes_at, page_bytes, head_at, end }
    }

    /// Bytes of all records, with their copies.
    pub(super) fn record_bytes(&self, geometry: &Geometry) -> u64 {
        let blocks = u64::from(geometry.blocks()) * self.format.block_bytes() as u64;
        let pages =
            u64::from(self.format.slots(geometry.blocks())) * u64::from(geometry.pages_per_block());
        (blocks + pages * PAGE_BYTES as u64) * self.format.copies() as u64
    }

    /// Of the copies of the record of a block.
    pub(super) fn block(&self, block: u32) -> [u64; 2] {
        self.blocks_at.map(|at| at + u64::from(block) * self.format.block_bytes() as u64)
    }

    /// Of the copies of the record of the page in this place.
    pub(super) fn page(&self, place: u64) -> [u64; 2] {
        self.pages_at.map(|at| at + place * PAGE_BYTES as u64)
    }

    pub(super) fn bytes(&self, place: u64) -> u64 {
        self.bytes_at + place * self.page_bytes
    }

    /// Of the copies of the record of starts.
    pub(super) fn starts(&self) -> [u64; 2] {
        [STARTS_AT, self.head_at + STARTS_AT]
    }
}

/// CRC-32 (IEEE 802.3) of these bytes one after the other.
pub(super) fn crc(parts: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize()
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// Puts words one after the other.
pub(super) fn put(bytes: &mut [u8], words: &[u32]) {
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

/// The record of starts: how often the image was mounted, and how it was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Of the copies, the one with the greater number is newer.
    pub(super) serial: u64,
    pub(super) starts: u64,
    /// Number of the changes after the last sync.
    pub(super) window: u64,
    /// True if its last user shut it down.
    pub(super) clean: bool,
    /// True if what a sync covered is to outlive the machine's power.
    pub(super) machine: bool,
    /// After a shutdown: a sum over all records in use.
    pub(super) sum: u64,
    /// The sum of what the last sync covered. Older programs write none, and drop it.
    pub(super) synced: Option<u64>,
}

impl Mark {
    pub(super) fn encode(&self, format: Format) -> Vec<u8> {
        let Self { serial, starts, window, clean, machine, sum, synced } = *self;
        let words = |number: u64| [number as u32, (number >> 32) as u32];
        let mut bytes = vec![0; format.starts_bytes()];
        let end = bytes.len() - 4;
        match format {
            Format::One => put(&mut bytes, &[words(starts), [clean.into(), 0]].concat()),
            Format::Two => {
                let flags =
                    u32::from(clean) | u32::from(machine) << 1 | u32::from(synced.is_some()) << 2;
                let numbers = [serial, starts, window, sum].map(words).concat();
                put(&mut bytes, &numbers);
                put(&mut bytes[32..], &[flags]);
                put(&mut bytes[36..], &words(synced.unwrap_or(0)));
            }
        }
        let check = crc(&[&bytes[..end]]);
        put(&mut bytes[end..], &[check]);
        bytes
    }

    /// The record; `None` if it is damaged.
    pub(super) fn decode(bytes: &[u8], format: Format) -> Option<Self> {
        let end = bytes.len() - 4;
        if crc(&[&bytes[..end]]) != u32_at(bytes, end) {
            return None;
        }
        Some(match format {
            Format::One => Self {
                serial: 0,
                starts: u64_at(bytes, 0),
                window: 0,
                clean: u32_at(bytes, 8) == 1,
                machine: false,
                sum: 0,
                synced: None,
            },
            Format::Two => Self {
                serial: u64_at(bytes, 0),
                starts: u64_at(bytes, 8),
                window: u64_at(bytes, 16),
                clean: u32_at(bytes, 32) & 1 != 0,
                machine: u32_at(bytes, 32) & 2 != 0,
                sum: u64_at(bytes, 24),
                synced: (u32_at(bytes, 32) & 4 != 0).then(|| u64_at(bytes, 36)),
            },
        })
    }
}
