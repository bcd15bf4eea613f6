//! Common parts of DiskSim, SSDSim and MQSim: five columns separated by blanks.
//!
//! The content of a file does not identify the format, but the formats differ in the time unit and in the
//! meaning of 0 and 1.
//! The user or the file name must give the format.

use crate::formats::fields::{Bad, Fields};
use crate::formats::format::{FormatInfo, Parsed, request};
use crate::formats::head::{Head, Looks};
use crate::request::Op;

/// Completes a format's declaration with detection by name.
pub(super) const fn told_by_name(reads: FormatInfo) -> FormatInfo {
    let detection = "by --format, or by a file name that ends in the format's name";
    FormatInfo { detection, looks, ..reads }
}

fn looks(head: &Head<'_>) -> Looks {
    Looks::ByName(head.lines.first().is_some_and(|line| is_five_columns(line)))
}

fn is_five_columns(line: &[u8]) -> bool {
    let columns: Vec<_> = line.split(u8::is_ascii_whitespace).filter(|c| !c.is_empty()).collect();
    let number = |c: &&[u8]| c.iter().all(|b| b.is_ascii_hexdigit() || *b == b'.');
    columns.len() == 5 && columns.iter().all(number)
}

/// Parses the three columns common to all three formats.
pub(super) fn place(f: &mut Fields<'_, b' '>) -> Result<(u32, u64, u64), Bad> {
    let device = f.uint32("device")?;
    let offset = f.sectors("first sector")?;
    let length = f.sectors("count of sectors")?;
    f.extent(offset, length)?;
    Ok((device, offset, length))
}

/// Parses a line with times in ns where op 1 is a read.
pub(super) fn one_is_read(line: &[u8]) -> Result<Parsed, Bad> {
    let mut f = Fields::<b' '>::new(line);
    let time = f.uint("time in ns")?;
    let (device, offset, length) = place(&mut f)?;
    let op = match f.uint("op")? {
        0 => Op::Write,
        1 => Op::Read,
        _ => return Err(f.bad("an op: 1 (read) or 0 (write)")),
    };
    f.end()?;
    Ok(Parsed::Request(request(device, op, offset, length, time)))
}
