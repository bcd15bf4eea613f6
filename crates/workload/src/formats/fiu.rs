//! FIU: traces of university servers, with a hash of each block's content.

use crate::formats::blk;
use crate::formats::fields::{Bad, BadField, Fields, shortened};
use crate::formats::format::{Format, FormatInfo, Parsed, request};
use crate::formats::records::{Lines, reads};
use crate::request::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "fiu",
    summary: "FIU trace (home, mail, web servers)",
    fields: "time pid process lba size op major minor md5",
    units: "time in ns, lba and size in 512-byte sectors",
    unit_bytes: Some((512, 512)),
    sample: b"1 2 a 8 8 W 6 0 88b9\n3 2 b c 8 8 R 6 0 88b9\n",
    ..reads::<Fiu>()
};

#[derive(Default)]
struct Fiu;

/// Position of the six fields from `lba` on; process names before them may contain blanks.
fn tail(line: &[u8]) -> Option<usize> {
    let mut at = line.trim_ascii_end().len();
    for field in 0..6 {
        at = line[..at].iter().rposition(|b| matches!(b, b' ' | b'\t'))?;
        if field < 5 {
            at = line[..at].trim_ascii_end().len();
        }
    }
    Some(at + 1)
}

impl Format for Fiu {
    type Units = Lines;

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        let mut f = Fields::<b' '>::new(line);
        let time = f.uint("time in ns")?;
        f.uint("process id")?;
        f.word("process name")?;
        let tail = tail(line)
            .filter(|&tail| tail > f.place())
            .ok_or_else(|| BadField::at(0, "nine fields between blanks", shortened(line)))?;
        let mut f = Fields::<b' '>::within(line, tail);
        let offset = f.sectors("lba in sectors")?;
        let length = f.sectors("size in sectors")?;
        f.extent(offset, length)?;
        let op = match f.text("op")? {
            b"R" | b"r" => Op::Read,
            b"W" | b"w" => Op::Write,
            _ => return Err(f.bad("an op: R or W")),
        };
        let (major, minor) = (f.uint("major number")?, f.uint("minor number")?);
        let device = blk::device(major, minor).ok_or_else(|| f.bad("a device's numbers"))?;
        let hash = f.word("md5")?;
        if !hash.iter().all(u8::is_ascii_hexdigit) {
            return Err(f.bad("an md5 in hexadecimal"));
        }
        f.end()?;
        Ok(Parsed::Request(request(device, op, offset, length, time)))
    }

    fn device_name(&self, device: u32) -> Option<String> {
        Some(blk::name(device))
    }
}
