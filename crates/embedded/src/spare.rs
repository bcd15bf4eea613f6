//! The spare area of a page: 16 bytes, little-endian.
//!
//! ```text
//! 0..4    logical page, or number of a page of the map
//! 4       kind: 0 data, 1 page of the map, 2 other
//! 5..12   sequence number
//! 12..16  CRC-32 (ISO-HDLC) of bytes 0..12 and of the page's own number (32 bits)
//! ```
//!
//! The check tells a page that is not what was programmed: torn, of another place, or not the library's. An erased spare area is
//! all ones; a record is never, since kind 255 is none.

use crate::driver::{FTL_SPARE_BYTES, Stamp};
use flash::{Lpn, Oob, PageKind};

/// A spare area.
pub type Spare = [u8; FTL_SPARE_BYTES];

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

fn check(spare: &Spare, ppn: u32) -> u32 {
    crc32(spare[..12].iter().copied().chain(ppn.to_le_bytes()))
}

/// The spare area of page `ppn`.
pub fn encode(oob: Oob, ppn: u32) -> Spare {
    let mut spare = [0; FTL_SPARE_BYTES];
    spare[..4].copy_from_slice(&oob.lpn.0.to_le_bytes());
    spare[4..12].copy_from_slice(&(oob.seq << 8 | oob.kind as u64).to_le_bytes());
    let check = check(&spare, ppn);
    spare[12..].copy_from_slice(&check.to_le_bytes());
    spare
}

/// The record of page `ppn`.
///
/// # Errors
/// It is none.
pub fn decode(spare: &Spare, ppn: u32) -> Result<Oob, NoRecord> {
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
    if word(12) != check(spare, ppn) {
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
    let oob = decode(spare, stamp.from)?;
    if oob.lpn.0 >= stamp.limits[oob.kind as usize] {
        return Err(NoRecord::Damaged);
    }
    Ok(if stamp.seq == Oob::KEEP_SEQ { oob } else { Oob { seq: stamp.seq, ..oob } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_is_crc_32() {
        assert_eq!(crc32(b"123456789".iter().copied()), 0xcbf4_3926);
    }

    #[test]
    fn the_layout_is_as_published() {
        let oob =
            Oob { lpn: Lpn(0x0403_0201), kind: PageKind::Translation, seq: 0x000b_0a09_0807_0605 };
        let spare = encode(oob, 77);
        assert_eq!(spare[..12], [1, 2, 3, 4, 1, 5, 6, 7, 8, 9, 10, 11]);
        assert_eq!(decode(&spare, 77), Ok(oob));
        assert_eq!(decode(&spare, 78), Err(NoRecord::Damaged));
        let largest = Oob { lpn: Lpn(u32::MAX), kind: PageKind::Other, seq: Oob::MAX_SEQ };
        assert_eq!(decode(&encode(largest, 0), 0), Ok(largest));
    }

    #[test]
    fn a_flipped_bit_is_found_and_an_erased_area_is_none() {
        let spare = encode(Oob::data(Lpn(5), 6), 9);
        for bit in 0..128 {
            let mut damaged = spare;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&damaged, 9), Err(NoRecord::Damaged), "bit {bit}");
        }
        assert_eq!(decode(&[u8::MAX; 16], 9), Err(NoRecord::Erased));
    }

    #[test]
    fn a_copy_is_of_its_new_page_and_keeps_what_it_must() {
        let spare = encode(Oob::data(Lpn(5), 6), 9);
        let stamp = Stamp { from: 9, to: 12, seq: 70, limits: [6, 0, 0] };
        assert_eq!(copied(&spare, &stamp), Ok(Oob::data(Lpn(5), 70)));
        assert_eq!(copied(&spare, &Stamp { seq: u64::MAX, ..stamp }), Ok(Oob::data(Lpn(5), 6)));
        assert_eq!(copied(&spare, &Stamp { from: 8, ..stamp }), Err(NoRecord::Damaged));
        assert_eq!(copied(&spare, &Stamp { limits: [5, 9, 9], ..stamp }), Err(NoRecord::Damaged));
    }
}
