//! The spare area of a page: 16 bytes, little-endian.
//!
//! ```text
//! 0..4    logical page, or number of a page of the map
//! 4       kind: 0 data, 1 page of the map, 2 other
//! 5..12   sequence number
//! 12..16  CRC-32 (ISO-HDLC) of bytes 0..12, of the page's own number (32 bits) and of the format (32 bits)
//! ```
//!
//! The check tells a page that is not what was programmed: torn, of another place, of another [`Format`], or not the library's. An
//! erased spare area is all ones; a record is never, since kind 255 is none.

use crate::driver::{FTL_SPARE_BYTES, Stamp};
use flash::{Geometry, Lpn, Oob, PageKind};
use ftl::{Layout, Plan};

/// A spare area.
pub type Spare = [u8; FTL_SPARE_BYTES];

/// What a mount must have in common with the format: a check of one page is right in no other, but for one in 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format(pub u32);

impl Format {
    /// Of the layout that [`crate::spare`] describes.
    const VERSION: u32 = 2;

    /// Of a scheme by its name in C, with its plan: the version, the shape, what the scheme exports and sets aside.
    pub(crate) fn of(scheme: &str, plan: &Plan, geometry: &Geometry, spare_blocks: u32) -> Self {
        let areas = match &plan.layout {
            Layout::OnDemand(layout) => [layout.data_blocks, 0],
            Layout::Gftl(layout) => [layout.queue_blocks, layout.area_blocks],
            _ => [0, 0],
        };
        let words = [
            Self::VERSION,
            geometry.blocks(),
            geometry.pages_per_block(),
            geometry.page_bytes(),
            spare_blocks,
            plan.logical_pages,
            areas[0],
            areas[1],
        ];
        Self(crc32(words.iter().flat_map(|word| word.to_le_bytes()).chain(scheme.bytes())))
    }
}

/// Why a spare area is no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRecord {
    /// All ones.
    Erased,
    /// Neither that nor a record of this page.
    Damaged,
}

/// CRC-32, a nibble at a time: 64 bytes of table.
fn crc32(bytes: impl Iterator<Item = u8>) -> u32 {
    const TABLE: [u32; 16] = table();
    !bytes.fold(u32::MAX, |crc, byte| {
        let crc = crc ^ u32::from(byte);
        let crc = crc >> 4 ^ TABLE[(crc & 15) as usize];
        crc >> 4 ^ TABLE[(crc & 15) as usize]
    })
}

const fn table() -> [u32; 16] {
    let (mut table, mut at) = ([0; 16], 0);
    while at < 16 {
        let (mut value, mut bit) = (at as u32, 0);
        while bit < 4 {
            value = if value & 1 == 1 { value >> 1 ^ 0xedb8_8320 } else { value >> 1 };
            bit += 1;
        }
        table[at] = value;
        at += 1;
    }
    table
}

fn check(spare: &Spare, ppn: u32, format: Format) -> u32 {
    let place = ppn.to_le_bytes().into_iter().chain(format.0.to_le_bytes());
    crc32(spare[..12].iter().copied().chain(place))
}

/// The spare area of page `ppn`.
pub fn encode(oob: Oob, ppn: u32, format: Format) -> Spare {
    let mut spare = [0; FTL_SPARE_BYTES];
    spare[..4].copy_from_slice(&oob.lpn.0.to_le_bytes());
    spare[4..12].copy_from_slice(&(oob.seq << 8 | oob.kind as u64).to_le_bytes());
    let check = check(&spare, ppn, format);
    spare[12..].copy_from_slice(&check.to_le_bytes());
    spare
}

/// The record of page `ppn`.
///
/// # Errors
/// It is none.
pub fn decode(spare: &Spare, ppn: u32, format: Format) -> Result<Oob, NoRecord> {
    if spare.iter().all(|byte| *byte == u8::MAX) {
        return Err(NoRecord::Erased);
    }
    let word =
        |at: usize| u32::from_le_bytes([spare[at], spare[at + 1], spare[at + 2], spare[at + 3]]);
    let kind = match spare[4] {
        0 => PageKind::Data,
        1 => PageKind::Translation,
        2 => PageKind::Other,
        _ => return Err(NoRecord::Damaged),
    };
    if word(12) != check(spare, ppn, format) {
        return Err(NoRecord::Damaged);
    }
    let seq = u64::from(word(4) >> 8) | u64::from(word(8)) << 24;
    Ok(Oob { lpn: Lpn(word(0)), kind, seq })
}

/// The record of a copy, of the spare area of its original.
///
/// # Errors
/// The original has no record, or one that the array cannot hold.
pub fn copied(spare: &Spare, stamp: &Stamp) -> Result<Oob, NoRecord> {
    let oob = decode(spare, stamp.from, Format(stamp.format))?;
    if oob.lpn.0 >= stamp.limits[oob.kind as usize] {
        return Err(NoRecord::Damaged);
    }
    Ok(if stamp.seq == Oob::KEEP_SEQ { oob } else { Oob { seq: stamp.seq, ..oob } })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: Format = Format(0x0102_0304);

    #[test]
    fn the_check_is_crc_32() {
        assert_eq!(crc32(b"123456789".iter().copied()), 0xcbf4_3926);
    }

    #[test]
    fn the_layout_is_as_published() {
        let oob =
            Oob { lpn: Lpn(0x0403_0201), kind: PageKind::Translation, seq: 0x000b_0a09_0807_0605 };
        let spare = encode(oob, 77, FORMAT);
        assert_eq!(spare[..12], [1, 2, 3, 4, 1, 5, 6, 7, 8, 9, 10, 11]);
        assert_eq!(decode(&spare, 77, FORMAT), Ok(oob));
        assert_eq!(decode(&spare, 78, FORMAT), Err(NoRecord::Damaged));
        assert_eq!(decode(&spare, 77, Format(FORMAT.0 ^ 1)), Err(NoRecord::Damaged));
        let check = crc32(spare[..12].iter().copied().chain([77, 0, 0, 0, 4, 3, 2, 1]));
        assert_eq!(spare[12..], check.to_le_bytes());
        let largest = Oob { lpn: Lpn(u32::MAX), kind: PageKind::Other, seq: Oob::MAX_SEQ };
        assert_eq!(decode(&encode(largest, 0, FORMAT), 0, FORMAT), Ok(largest));
    }

    #[test]
    fn a_flipped_bit_is_found_and_an_erased_area_is_none() {
        let spare = encode(Oob::data(Lpn(5), 6), 9, FORMAT);
        for bit in 0..128 {
            let mut damaged = spare;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&damaged, 9, FORMAT), Err(NoRecord::Damaged), "bit {bit}");
        }
        assert_eq!(decode(&[u8::MAX; 16], 9, FORMAT), Err(NoRecord::Erased));
    }

    #[test]
    fn a_copy_is_of_its_new_page_and_keeps_what_it_must() {
        let spare = encode(Oob::data(Lpn(5), 6), 9, FORMAT);
        let stamp = Stamp { from: 9, to: 12, seq: 70, limits: [6, 0, 0], format: FORMAT.0 };
        assert_eq!(copied(&spare, &stamp), Ok(Oob::data(Lpn(5), 70)));
        assert_eq!(copied(&spare, &Stamp { seq: u64::MAX, ..stamp }), Ok(Oob::data(Lpn(5), 6)));
        assert_eq!(copied(&spare, &Stamp { from: 8, ..stamp }), Err(NoRecord::Damaged));
        assert_eq!(copied(&spare, &Stamp { format: 0, ..stamp }), Err(NoRecord::Damaged));
        assert_eq!(copied(&spare, &Stamp { limits: [5, 9, 9], ..stamp }), Err(NoRecord::Damaged));
    }
}
