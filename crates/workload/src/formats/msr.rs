//! MSR Cambridge: block traces of enterprise servers, one file per volume.

use crate::formats::fields::{Bad, Fields};
use crate::formats::format::{Format, FormatInfo, Parsed, request};
use crate::formats::names::Names;
use crate::formats::records::{Lines, reads};
use crate::formats::writing::{EachLine, Limits, Writing, line};
use crate::request::{Op, Request};

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "msr",
    summary: "MSR Cambridge trace",
    fields: "timestamp,host,disk,type,offset,size,response",
    units: "times in 100-ns ticks since 1601, offset and size in bytes",
    unit_bytes: Some((1, 1)),
    sample: b"128166372003061629,h,0,Read,7,4096,151\n128166372003061639,h,0,Write,0,512,1\n",
    writing: Some(&Writing {
        holds: "reads and writes, times in 100-ns ticks",
        limits: Some(Limits {
            ops: &[Op::Read, Op::Write],
            sectors: false,
            tick_ns: TICK_NS,
            response_tick_ns: Some(TICK_NS),
            last_device: DISKS_A_HOST - 1,
        }),
        start: || Box::new(EachLine(write)),
    }),
    ..reads::<Msr>()
};

fn write(text: &mut Vec<u8>, r: &Request) {
    let op = if r.op == Op::Read { "Read" } else { "Write" };
    let (ticks, response) = (r.arrival_ns / TICK_NS, r.response_ns.unwrap_or(0) / TICK_NS);
    let (device, offset, length) = (r.device, r.offset, r.length);
    line(text, format_args!("{ticks},ftlkit,{device},{op},{offset},{length},{response}"));
}

const TICK_NS: u64 = 100;
const DISKS_A_HOST: u32 = 1 << 16;

#[derive(Default)]
struct Msr {
    hosts: Names,
}

impl Format for Msr {
    type Units = Lines;

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
        // Disks of the first host keep their numbers.
        let mut r = request(host * DISKS_A_HOST + disk as u32, op, offset, size, time);
        // No disk responds within one tick, so 0 means that the response was not measured.
        r.response_ns = (response > 0).then_some(response);
        Ok(Parsed::Request(r))
    }

    fn device_name(&self, device: u32) -> Option<String> {
        let host = self.hosts.name(device / DISKS_A_HOST)?;
        Some(format!("{host} disk {}", device % DISKS_A_HOST))
    }
}
