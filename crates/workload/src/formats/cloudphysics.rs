//! CloudPhysics: traces of virtual disks, as text.

use crate::formats::book::DropReason;
use crate::formats::fields::{Bad, Fields};
use crate::formats::format::{Format, FormatInfo, Parsed, request};
use crate::formats::records::{Lines, reads};
use crate::formats::scsi;
use crate::request::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "cloudphysics",
    summary: "CloudPhysics virtual-disk trace",
    fields: "version,time,op,size,lbn (with this header); op is a SCSI operation code in hex",
    units: "time in whole seconds (spread evenly), size in bytes, lbn in 512-byte sectors",
    unit_bytes: Some((512, 1)),
    detection: "by its header",
    looks: |head| head.first_line_is(is_header),
    sample: b"version,time,op,size,lbn\n1,5,2a,512,8\n1,6,28,512,9\n",
    ..reads::<CloudPhysics>()
};

fn is_header(line: &[u8]) -> bool {
    line.trim_ascii().eq_ignore_ascii_case(b"version,time,op,size,lbn")
}

#[derive(Default)]
struct CloudPhysics;

impl Format for CloudPhysics {
    const MAY_SPREAD: bool = true;
    type Units = Lines;

    fn has_devices(&self) -> bool {
        false
    }

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        if line.first() == Some(&b'v') && is_header(line) {
            return Ok(Parsed::Aside);
        }
        let mut f = Fields::<b','>::new(line);
        f.uint("version")?;
        let time = f.scaled("time in whole seconds", 1_000_000_000)?;
        let op = scsi::op(f.hex("SCSI operation code")?);
        let size = f.uint("size in bytes")?;
        let offset = f.sectors("lbn in sectors")?;
        f.extent(offset, size)?;
        f.end()?;
        Ok(match op {
            None => Parsed::Drop(DropReason::OtherCommand),
            // The offset and size of a flush are not an extent.
            Some(Op::Flush) => Parsed::Request(request(0, Op::Flush, 0, 0, time)),
            Some(op) => Parsed::Request(request(0, op, offset, size, time)),
        })
    }
}
