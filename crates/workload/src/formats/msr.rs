//! MSR Cambridge: block traces of enterprise servers, one file a volume.

use super::fields::{Bad, Fields};
use super::names::Names;
use super::records::{Lines, request};
use super::{Format, FormatInfo, Parsed, Setup, open, share};
use crate::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "msr",
    summary: "MSR Cambridge trace",
    fields: "timestamp,host,disk,type,offset,size,response",
    units: "times in 100-ns ticks since 1601, offset and size in bytes",
    detection: "by its lines",
    has_actions: false,
    lacks_op: false,
    looks: share::<Msr>,
    open: open::<Msr>,
};

const TICK_NS: u64 = 100;
const DISKS_A_HOST: u32 = 1 << 16;

pub(super) struct Msr {
    hosts: Names,
}

impl Format for Msr {
    type Units = Lines;

    fn info() -> &'static FormatInfo {
        &INFO
    }

    fn new(_: &Setup<'_>) -> Result<Self, String> {
        Ok(Self { hosts: Names::at_most(1 << 16) })
    }

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        let mut f = Fields::<b','>::new(line);
        let time = f.scaled("timestamp in 100-ns ticks", TICK_NS)?;
        let host = f.word("host name")?;
        let host = self.hosts.number(host).ok_or_else(|| f.bad("one of at most 65536 hosts"))?;
        let disk = f.uint("disk number")?;
        if disk >= u64::from(DISKS_A_HOST) {
            return Err(f.bad("a disk number below 65536"));
        }
        let word = f.word("type")?;
        let op = if word.eq_ignore_ascii_case(b"read") {
            Op::Read
        } else if word.eq_ignore_ascii_case(b"write") {
            Op::Write
        } else {
            return Err(f.bad("a type: Read or Write"));
        };
        let offset = f.uint("offset in bytes")?;
        let size = f.uint("size in bytes")?;
        f.extent(offset, size)?;
        let response = f.scaled("response in 100-ns ticks", TICK_NS)?;
        f.end()?;
        // The first host's disks keep their numbers.
        let mut r = request(host * DISKS_A_HOST + disk as u32, op, offset, size, time);
        // No disk answers within a tick: 0 stands for a response that was not measured.
        r.response_ns = (response > 0).then_some(response);
        Ok(Parsed::Request(r))
    }

    fn device_name(&self, device: u32) -> Option<String> {
        let host = self.hosts.name(device / DISKS_A_HOST)?;
        Some(format!("{host} disk {}", device % DISKS_A_HOST))
    }
}
