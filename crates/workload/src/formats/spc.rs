//! SPC: the trace format of the Storage Performance Council, used for UMass's Financial and WebSearch traces.

use crate::formats::fields::{Bad, Fields};
use crate::formats::format::{Format, FormatInfo, Parsed, request};
use crate::formats::records::{Lines, reads};
use crate::formats::writing::{EachLine, Limits, Writing, line};
use crate::request::{Op, Request};

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "spc",
    summary: "SPC trace (UMass Financial, WebSearch)",
    fields: "ASU,LBA,size,opcode,time[,more]",
    units: "LBA in 512-byte blocks, size in bytes, time in seconds (decimal)",
    unit_bytes: Some((512, 1)),
    sample: b"0,20,512,W,0.5\n1,20,1000,R,0.75,9\n",
    writing: Some(&Writing {
        holds: "reads and writes at sectors",
        limits: Some(Limits {
            ops: &[Op::Read, Op::Write],
            sectors: true,
            tick_ns: 1,
            response_tick_ns: None,
            last_device: u32::MAX,
        }),
        start: || Box::new(EachLine(write)),
    }),
    ..reads::<Spc>()
};

fn write(text: &mut Vec<u8>, r: &Request) {
    let op = if r.op == Op::Read { 'R' } else { 'W' };
    let (s, ns) = (r.arrival_ns / 1_000_000_000, r.arrival_ns % 1_000_000_000);
    line(text, format_args!("{},{},{},{op},{s}.{ns:09}", r.device, r.offset / 512, r.length));
}

#[derive(Default)]
struct Spc;

impl Format for Spc {
    type Units = Lines;

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        let mut f = Fields::<b','>::new(line);
        let asu = f.uint32("ASU")?;
        let offset = f.sectors("LBA")?;
        let size = f.uint("size in bytes")?;
        f.extent(offset, size)?;
        let op = match f.text("opcode")? {
            b"R" | b"r" => Op::Read,
            b"W" | b"w" => Op::Write,
            _ => return Err(f.bad("an opcode: R or W")),
        };
        let time = f.decimal("time in seconds", 9)?;
        if !f.is_end() {
            // Any number of optional fields may follow, but only after a comma.
            f.text("optional fields")?;
        }
        Ok(Parsed::Request(request(asu, op, offset, size, time)))
    }
}
