//! Tencent: block traces of a cloud's volumes, with time stamps of whole seconds.

use crate::formats::fields::{Bad, Fields};
use crate::formats::format::{Format, FormatInfo, Parsed, request};
use crate::formats::records::{Lines, reads};
use crate::request::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "tencent",
    summary: "Tencent cloud block trace",
    fields: "timestamp,offset,size,type,volume",
    units: "timestamp in whole s (spread evenly), offset and size in sectors; 0 read, 1 write",
    unit_bytes: Some((512, 512)),
    sample: b"1538323200,16,8,0,1063\n1538323200,24,8,1,1063\n",
    ..reads::<Tencent>()
};

#[derive(Default)]
struct Tencent;

impl Format for Tencent {
    const MAY_SPREAD: bool = true;
    type Units = Lines;

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        let mut f = Fields::<b','>::new(line);
        let time = f.scaled("timestamp in whole seconds", 1_000_000_000)?;
        let offset = f.sectors("offset in sectors")?;
        let size = f.sectors("size in sectors")?;
        f.extent(offset, size)?;
        let op = match f.text("type")? {
            b"0" => Op::Read,
            b"1" => Op::Write,
            _ => return Err(f.bad("a type: 0 (read) or 1 (write)")),
        };
        let volume = f.uint32("volume")?;
        f.end()?;
        Ok(Parsed::Request(request(volume, op, offset, size, time)))
    }
}
