//! SPC: the trace format of the Storage Performance Council, in which the UMass repository keeps the
//! Financial and WebSearch traces.

use super::fields::{Bad, Fields};
use super::records::{Lines, request};
use super::{Format, FormatInfo, Parsed, Setup, open, share};
use crate::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "spc",
    summary: "SPC trace (UMass Financial, WebSearch)",
    fields: "ASU,LBA,size,opcode,time[,more]",
    units: "LBA in 512-byte blocks, size in bytes, time in seconds (decimal)",
    detection: "by its lines",
    has_actions: false,
    lacks_op: false,
    looks: share::<Spc>,
    open: open::<Spc>,
};

pub(super) struct Spc;

impl Format for Spc {
    type Units = Lines;

    fn info() -> &'static FormatInfo {
        &INFO
    }

    fn new(_: &Setup<'_>) -> Result<Self, String> {
        Ok(Self)
    }

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
            // Optional fields of any number may follow, but only after a comma.
            f.text("optional fields")?;
        }
        Ok(Parsed::Request(request(asu, op, offset, size, time)))
    }
}
