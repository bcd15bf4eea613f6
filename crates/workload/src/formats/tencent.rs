//! Tencent: block traces of a cloud's volumes, with time stamps of whole seconds.

use super::fields::{Bad, Fields};
use super::records::{Lines, request};
use super::{Format, FormatInfo, Parsed, Setup, open, share};
use crate::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "tencent",
    summary: "Tencent cloud block trace",
    fields: "timestamp,offset,size,type,volume",
    units: "timestamp in whole s (spread evenly), offset and size in sectors; 0 read, 1 write",
    detection: "by its lines",
    has_actions: false,
    lacks_op: false,
    looks: share::<Tencent>,
    open: open::<Tencent>,
};

pub(super) struct Tencent;

impl Format for Tencent {
    const MAY_SPREAD: bool = true;
    type Units = Lines;

    fn info() -> &'static FormatInfo {
        &INFO
    }

    fn new(_: &Setup<'_>) -> Result<Self, String> {
        Ok(Self)
    }

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

    fn whole_seconds(&self) -> bool {
        true
    }
}
