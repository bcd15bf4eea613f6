//! DiskSim: ASCII traces, with times in ms.

use crate::formats::columns::{place, told_by_name};
use crate::formats::fields::{Bad, Fields};
use crate::formats::format::{Format, FormatInfo, Parsed, request};
use crate::formats::records::{Lines, reads};
use crate::request::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "disksim",
    summary: "DiskSim ASCII trace",
    fields: "time device block count flags",
    units: "time in ms (decimal), block and count in 512-byte blocks; flags bit 0: read",
    unit_bytes: Some((512, 512)),
    sample: b"0.5 0 100 8 1\n0.75 0 100 8 0\n",
    ..told_by_name(reads::<DiskSim>())
};

#[derive(Default)]
struct DiskSim;

impl Format for DiskSim {
    type Units = Lines;

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        let mut f = Fields::<b' '>::new(line);
        let time = f.decimal("time in ms", 6)?;
        let (device, offset, length) = place(&mut f)?;
        // Other bits mark synchronous requests and requests of a batch.
        let op = if f.hex("flags")? & 1 == 1 { Op::Read } else { Op::Write };
        f.end()?;
        Ok(Parsed::Request(request(device, op, offset, length, time)))
    }
}
