//! DiskSim, SSDSim and MQSim: five columns between blanks. Nothing in a file tells one from the other, and
//! they differ in the unit of time and in what 0 and 1 mean: the format or the file's name must say.

use super::fields::{Bad, Fields};
use super::records::{Lines, request};
use super::{Format, FormatInfo, Looks, Parsed, Setup, open};
use crate::Op;

const DETECTION: &str = "by --format, or by a file name that ends in the format's name";

pub(super) static DISKSIM: FormatInfo = FormatInfo {
    name: "disksim",
    summary: "DiskSim ASCII trace",
    fields: "time device block count flags",
    units: "time in ms (decimal), block and count in 512-byte blocks; flags bit 0: read",
    detection: DETECTION,
    has_actions: false,
    lacks_op: false,
    looks: |_| Looks::ByName,
    open: open::<DiskSim>,
};

pub(super) static SSDSIM: FormatInfo = FormatInfo {
    name: "ssdsim",
    summary: "SSDSim trace",
    fields: "time device sector count op",
    units: "time in ns, sector and count in 512-byte sectors; 1 read, 0 write",
    detection: DETECTION,
    has_actions: false,
    lacks_op: false,
    looks: |_| Looks::ByName,
    open: open::<SsdSim>,
};

pub(super) static MQSIM: FormatInfo = FormatInfo {
    name: "mqsim",
    summary: "MQSim trace",
    fields: "time device sector count op",
    units: "time in ns, sector and count in 512-byte sectors; 1 read, 0 write",
    detection: DETECTION,
    has_actions: false,
    lacks_op: false,
    looks: |_| Looks::ByName,
    open: open::<MqSim>,
};

/// The three columns that all three share.
fn place(f: &mut Fields<'_, b' '>) -> Result<(u32, u64, u64), Bad> {
    let device = f.uint32("device")?;
    let offset = f.sectors("first sector")?;
    let length = f.sectors("count of sectors")?;
    f.extent(offset, length)?;
    Ok((device, offset, length))
}

fn one_is_read(line: &[u8]) -> Result<Parsed, Bad> {
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

pub(super) struct DiskSim;

impl Format for DiskSim {
    type Units = Lines;

    fn info() -> &'static FormatInfo {
        &DISKSIM
    }

    fn new(_: &Setup<'_>) -> Result<Self, String> {
        Ok(Self)
    }

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        let mut f = Fields::<b' '>::new(line);
        let time = f.decimal("time in ms", 6)?;
        let (device, offset, length) = place(&mut f)?;
        // Other bits say whether the request is synchronous, or that it is one of a batch.
        let op = if f.hex("flags")? & 1 == 1 { Op::Read } else { Op::Write };
        f.end()?;
        Ok(Parsed::Request(request(device, op, offset, length, time)))
    }
}

pub(super) struct SsdSim;

impl Format for SsdSim {
    type Units = Lines;

    fn info() -> &'static FormatInfo {
        &SSDSIM
    }

    fn new(_: &Setup<'_>) -> Result<Self, String> {
        Ok(Self)
    }

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        one_is_read(line)
    }
}

pub(super) struct MqSim;

impl Format for MqSim {
    type Units = Lines;

    fn info() -> &'static FormatInfo {
        &MQSIM
    }

    fn new(_: &Setup<'_>) -> Result<Self, String> {
        Ok(Self)
    }

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        one_is_read(line)
    }
}
