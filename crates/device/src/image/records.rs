//! Records of blocks and pages, in both versions of the format.

use super::layout::{Format, PAGE_BYTES, crc, put, u32_at, u64_at};
use flash::{BlockId, Lpn, Oob, PageKind};
use std::collections::BTreeMap;

/// Bits of the number of a change that count changes since a sync; those above are the number of the window between two syncs.
const OPERATION_BITS: u32 = 18;
/// Changes between two syncs at most.
pub(super) const MOST_OPERATIONS: u64 = (1 << OPERATION_BITS) - 1;

/// Number of a change: no two changes of an image have the same, and a later one has a greater. Version 1 has none: there it is
/// the erases of the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stamp(pub(super) u64);

impl Stamp {
    pub(super) fn new(window: u64, operation: u64) -> Self {
        Self(window << OPERATION_BITS | operation)
    }

    /// The window between two syncs in which the change was written.
    pub(super) fn window(self) -> u64 {
        self.0 >> OPERATION_BITS
    }
}

/// Lost pages; each with the change that made it readable again, until that is synced.
pub(super) type LostPages = BTreeMap<u32, Stamp>;

/// What is known of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) erases: u32,
    pub(super) bad: bool,
    pub(super) slc: bool,
    /// True after an erase that was cut: nothing can be read or programmed until an erase.
    pub(super) half_erased: bool,
    /// Where its content is.
    pub(super) slot: u32,
    /// The last erase. Pages programmed later are of the present content.
    pub(super) erased_at: Stamp,
}

impl State {
    /// That of a new block.
    pub(super) fn new(block: BlockId) -> Self {
        Self {
            erases: 0,
            bad: false,
            slc: false,
            half_erased: false,
            slot: block.0,
            erased_at: Stamp(0),
        }
    }

    pub(super) fn flags(&self) -> u32 {
        u32::from(self.bad) | u32::from(self.slc) << 1 | u32::from(self.half_erased) << 2
    }

    fn words(&self) -> [u32; 5] {
        let Stamp(at) = self.erased_at;
        [self.erases, self.flags(), self.slot, at as u32, (at >> 32) as u32]
    }

    /// What is of both versions.
    fn decode_1(bytes: &[u8], block: BlockId) -> Self {
        let flags = u32_at(bytes, 4);
        Self {
            erases: u32_at(bytes, 0),
            bad: flags & 1 != 0,
            slc: flags & 2 != 0,
            half_erased: flags & 4 != 0,
            ..Self::new(block)
        }
    }

    fn decode_2(bytes: &[u8], block: BlockId) -> Self {
        let (slot, erased_at) = (u32_at(bytes, 8), Stamp(u64_at(bytes, 12)));
        Self { slot, erased_at, ..Self::decode_1(bytes, block) }
    }

    /// The state between its erase and what was changed after that.
    pub(super) fn just_erased(&self) -> Self {
        Self { bad: false, slc: false, half_erased: false, ..*self }
    }

    /// True if the page is of the block's present content.
    pub(super) fn has(&self, format: Format, block: BlockId, page: &PageRecord) -> bool {
        match format {
            Format::One => page.stamp.0 == u64::from(self.erases),
            Format::Two => page.block == block && page.stamp > self.erased_at,
        }
    }

    /// Version 1: true if the page was programmed after an erase that this record does not know.
    pub(super) fn is_before(&self, format: Format, page: &PageRecord) -> bool {
        format == Format::One && page.stamp.0 > u64::from(self.erases)
    }

    /// True if the page counts as programmed. A damaged record may be of the present content, so it counts.
    pub(super) fn counts(&self, format: Format, block: BlockId, found: &Found) -> bool {
        match found {
            Found::Never => false,
            Found::Record(page) => self.has(format, block, page),
            Found::Damaged => true,
        }
    }
}

/// The record of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockRecord {
    pub(super) state: State,
    /// The state that the last sync covered, if this one was written after it.
    pub(super) before: State,
    /// Number of the last change.
    pub(super) stamp: Stamp,
    /// What the block added to the sum of the last sync, if it changed since: an erase may leave nothing to tell it from. Of older
    /// programs: 0.
    pub(super) covered: u64,
}

impl BlockRecord {
    pub(super) fn new(block: BlockId) -> Self {
        let state = State::new(block);
        Self { state, before: state, stamp: Stamp(0), covered: 0 }
    }

    pub(super) fn encode(&self, format: Format, block: BlockId) -> Vec<u8> {
        let mut bytes = vec![0; format.block_bytes()];
        let end = bytes.len() - 4;
        match format {
            Format::One => put(&mut bytes, &[self.state.erases, self.state.flags()]),
            Format::Two => {
                put(&mut bytes, &self.state.words());
                put(&mut bytes[20..], &self.before.words());
                let Stamp(stamp) = self.stamp;
                put(&mut bytes[40..], &[stamp as u32, (stamp >> 32) as u32]);
                put(&mut bytes[48..], &[self.covered as u32, (self.covered >> 32) as u32]);
            }
        }
        let check = crc(&[&block.0.to_le_bytes(), &bytes[..end]]);
        put(&mut bytes[end..], &[check]);
        bytes
    }

    /// The record of this block; `None` if it is damaged.
    pub(super) fn decode(bytes: &[u8], format: Format, block: BlockId) -> Option<Self> {
        let end = format.block_bytes() - 4;
        if crc(&[&block.0.to_le_bytes(), &bytes[..end]]) != u32_at(bytes, end) {
            return None;
        }
        Some(match format {
            Format::One => {
                let state = State::decode_1(bytes, block);
                Self { state, before: state, stamp: Stamp(0), covered: 0 }
            }
            Format::Two => Self {
                state: State::decode_2(bytes, block),
                before: State::decode_2(&bytes[20..], block),
                stamp: Stamp(u64_at(bytes, 40)),
                covered: u64_at(bytes, 48),
            },
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
    /// A copy of a page whose bytes the file had lost: the OOB is known, the bytes are not.
    Lost,
}

/// The record of a page: its OOB, and what belongs to the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageRecord {
    pub(super) stamp: Stamp,
    pub(super) block: BlockId,
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

impl Found {
    /// What two copies of a record say together: the newer one holds, and any holds against a damaged one.
    pub(super) fn of_copies(copies: [Self; 2]) -> Self {
        match copies {
            [Self::Record(a), Self::Record(b)] => {
                let spoilt = b.stamp == a.stamp && b.content == Content::Unreadable;
                Self::Record(if b.stamp > a.stamp || spoilt { b } else { a })
            }
            [Self::Record(one), _] | [_, Self::Record(one)] => Self::Record(one),
            [Self::Never, _] | [_, Self::Never] => Self::Never,
            [Self::Damaged, Self::Damaged] => Self::Damaged,
        }
    }
}

const LOST: u32 = 0;
const BYTES: u32 = 1;
const NO_BYTES: u32 = 2;
const UNREADABLE: u32 = 3;

impl PageRecord {
    /// The bytes of the record of the page in this place.
    pub(super) fn encode(&self, format: Format, place: u64) -> [u8; PAGE_BYTES] {
        let mut bytes = [0; PAGE_BYTES];
        let (content, check) = match self.content {
            Content::Bytes(check) => (BYTES, check),
            Content::NoBytes => (NO_BYTES, 0),
            Content::Unreadable => (UNREADABLE, 0),
            Content::Lost => (LOST, 0),
        };
        let Oob { lpn, kind, seq } = self.oob;
        let (low, high) = (seq as u32, (seq >> 32) as u32 | (kind as u32) << 24);
        let Stamp(stamp) = self.stamp;
        match format {
            Format::One => {
                put(&mut bytes, &[stamp as u32, lpn.0, low, high, content, check, 0]);
            }
            Format::Two => {
                let high = high | content << 26;
                let (first, second) = (stamp as u32, (stamp >> 32) as u32);
                put(&mut bytes, &[self.block.0, lpn.0, low, high, first, second, check]);
            }
        }
        let check = check_of(&bytes, format, place);
        put(&mut bytes[28..], &[check]);
        bytes
    }

    pub(super) fn decode(bytes: &[u8], format: Format, place: u64) -> Found {
        if bytes.iter().all(|byte| *byte == 0) {
            return Found::Never;
        }
        let right = check_of(bytes, format, place) == u32_at(bytes, 28);
        let packed = bytes[15];
        let (kind, content, check) = match format {
            Format::One => (packed, u32_at(bytes, 16), u32_at(bytes, 20)),
            Format::Two => (packed & 3, u32::from(packed >> 2), u32_at(bytes, 24)),
        };
        let kind = match kind {
            0 => Some(PageKind::Data),
            1 => Some(PageKind::Translation),
            2 => Some(PageKind::Other),
            _ => None,
        };
        let content = match content {
            BYTES => Some(Content::Bytes(check)),
            NO_BYTES => Some(Content::NoBytes),
            UNREADABLE => Some(Content::Unreadable),
            LOST if format == Format::Two => Some(Content::Lost),
            _ => None,
        };
        let (stamp, block) = match format {
            Format::One => (u32_at(bytes, 0).into(), 0),
            Format::Two => (u64_at(bytes, 16), u32_at(bytes, 0)),
        };
        match (right, kind, content) {
            (true, Some(kind), Some(content)) => {
                let (lpn, seq) = (Lpn(u32_at(bytes, 4)), u64_at(bytes, 8) & Oob::MAX_SEQ);
                let oob = Oob { lpn, kind, seq };
                Found::Record(Self { stamp: Stamp(stamp), block: BlockId(block), oob, content })
            }
            _ => Found::Damaged,
        }
    }
}

/// The checksum of a page record: of its place, too.
fn check_of(bytes: &[u8], format: Format, place: u64) -> u32 {
    match format {
        Format::One => crc(&[&(place as u32).to_le_bytes(), &bytes[..28]]),
        Format::Two => crc(&[&place.to_le_bytes(), &bytes[..28]]),
    }
}
