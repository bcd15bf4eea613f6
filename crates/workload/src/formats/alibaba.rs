//! Alibaba Cloud: block traces of virtual disks.

use crate::formats::fields::{Bad, Fields};
use crate::formats::format::{Format, FormatInfo, Parsed, request};
use crate::formats::records::{Lines, reads};
use crate::request::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "alibaba",
    summary: "Alibaba Cloud block trace",
    fields: "device,opcode,offset,length,timestamp",
    units: "offset and length in bytes, timestamp in µs",
    unit_bytes: Some((1, 1)),
    sample: b"1,W,8192,4096,1577808144360767\n1,R,0,512,1577808144360769\n",
    ..reads::<Alibaba>()
};

#[derive(Default)]
struct Alibaba;

impl Format for Alibaba {
    type Units = Lines;

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        let mut f = Fields::<b','>::new(line);
        let device = f.uint32("device")?;
        let op = match f.text("opcode")? {
            b"R" | b"r" => Op::Read,
            b"W" | b"w" => Op::Write,
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
