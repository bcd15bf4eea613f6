//! Alibaba Cloud: block traces of virtual disks.

use super::fields::{Bad, Fields};
use super::records::{Lines, request};
use super::{Format, FormatInfo, Parsed, Setup, open, share};
use crate::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "alibaba",
    summary: "Alibaba Cloud block trace",
    fields: "device,opcode,offset,length,timestamp",
    units: "offset and length in bytes, timestamp in µs",
    detection: "by its lines",
    has_actions: false,
    lacks_op: false,
    looks: share::<Alibaba>,
    open: open::<Alibaba>,
};

pub(super) struct Alibaba;

impl Format for Alibaba {
    type Units = Lines;

    fn info() -> &'static FormatInfo {
        &INFO
    }

    fn new(_: &Setup<'_>) -> Result<Self, String> {
        Ok(Self)
    }

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        let mut f = Fields::<b','>::new(line);
        let device = f.uint32("device")?;
        let op = match f.text("opcode")? {
            b"R" => Op::Read,
            b"W" => Op::Write,
            _ => return Err(f.bad("an opcode: R or W")),
        };
        let offset = f.uint("offset in bytes")?;
        let length = f.uint("length in bytes")?;
        f.extent(offset, length)?;
        let time = f.scaled("timestamp in µs", 1_000)?;
        f.end()?;
        Ok(Parsed::Request(request(device, op, offset, length, time)))
    }
}
