//! CloudPhysics: traces of virtual disks, as text.

use super::fields::{Bad, Fields};
use super::records::{Lines, request};
use super::{DropReason, Format, FormatInfo, Parsed, Setup, open, scsi};
use crate::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "cloudphysics",
    summary: "CloudPhysics virtual-disk trace",
    fields: "version,time,op,size,lbn (with this header); op is a SCSI operation code in hex",
    units: "time in whole seconds (spread evenly), size in bytes, lbn in 512-byte sectors",
    detection: "by its header",
    has_actions: false,
    lacks_op: false,
    looks: |head| head.first_line_is(is_header),
    open: open::<CloudPhysics>,
};

fn is_header(line: &[u8]) -> bool {
    line.trim_ascii().eq_ignore_ascii_case(b"version,time,op,size,lbn")
}

pub(super) struct CloudPhysics;

impl Format for CloudPhysics {
    const MAY_SPREAD: bool = true;
    type Units = Lines;

    fn info() -> &'static FormatInfo {
        &INFO
    }

    fn new(_: &Setup<'_>) -> Result<Self, String> {
        Ok(Self)
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
            // What a flush carries is no extent.
            Some(Op::Flush) => Parsed::Request(request(0, Op::Flush, 0, 0, time)),
            Some(op) => Parsed::Request(request(0, op, offset, size, time)),
        })
    }

    fn whole_seconds(&self) -> bool {
        true
    }
}
