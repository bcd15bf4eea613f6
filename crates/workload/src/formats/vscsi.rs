//! VMware vscsiStats: traces of virtual SCSI disks, in two binary layouts.

use crate::error::WorkloadError;
use crate::formats::book::DropReason;
use crate::formats::fields::{Bad, BadField};
use crate::formats::format::{Engine, Format, FormatInfo, Opening, Parsed, request};
use crate::formats::head::{Head, Looks};
use crate::formats::records::{Fixed, open, reads};
use crate::formats::scsi;
use crate::request::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "vscsi",
    summary: "VMware vscsiStats trace, versions 1 and 2 (binary)",
    fields: "v1: sn len nSG cmd ver lbn ts (32 bytes); v2: cmd ver sn len nSG lbn ts rt (40 bytes); little-endian",
    units: "len in bytes, lbn in 512-byte sectors, ts and rt in µs; cmd a SCSI operation code",
    detection: "by the version in each of the first records",
    looks: |head| if version(head).is_some() { Looks::Sure } else { Looks::No },
    sample: b"\x07\0\0\0\0\x02\0\0\x01\0\0\0(\0\x03\x01\
              \x08\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\
              \x07\0\0\0\0\x02\0\0\x01\0\0\0*\0\x03\x01\
              \x08\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0",
    open: either,
    ..reads::<VscsiV1>()
};

const US: u64 = 1_000;

/// True if all the first records have `version` at `at`, a one-byte command at `cmd`, and a time, which is at the same place
/// in both layouts.
fn fits(bytes: &[u8], size: usize, cmd: usize, at: usize, version: u8) -> bool {
    let mut records = bytes.chunks_exact(size).take(64).peekable();
    records.peek().is_some()
        && records
            .all(|r| r[at + 1] == version && r[cmd + 1] == 0 && u64_at(r, V1.ts) <= u64::MAX / US)
}

fn version(head: &Head<'_>) -> Option<u8> {
    if fits(head.bytes, 32, 12, 14, 1) {
        Some(1)
    } else if fits(head.bytes, 40, 0, 2, 2) {
        Some(2)
    } else {
        None
    }
}

fn either(mut opening: Opening) -> Result<Box<dyn Engine>, WorkloadError> {
    opening.buffers[0].fill_head()?;
    match version(&opening.buffers[0].head()) {
        Some(1) => open::<VscsiV1>(opening),
        Some(_) => open::<VscsiV2>(opening),
        None => Err(WorkloadError::Format {
            reason:
                "no vscsi trace: expected records of 32 bytes with version 1 at byte 15, or of 40 \
                     bytes with version 2 at byte 3"
                    .into(),
            path: opening.buffers[0].input.path.clone(),
        }),
    }
}

fn u16_at(r: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([r[at], r[at + 1]])
}

fn u32_at(r: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([r[at], r[at + 1], r[at + 2], r[at + 3]])
}

fn u64_at(r: &[u8], at: usize) -> u64 {
    u64::from(u32_at(r, at)) | u64::from(u32_at(r, at + 4)) << 32
}

/// Offsets of the fields of a layout.
struct Layout {
    version: u16,
    cmd: usize,
    ver: usize,
    len: usize,
    lbn: usize,
    ts: usize,
    rt: Option<usize>,
}

const V1: Layout = Layout { version: 1, cmd: 12, ver: 14, len: 4, lbn: 16, ts: 24, rt: None };
const V2: Layout = Layout { version: 2, cmd: 0, ver: 2, len: 8, lbn: 16, ts: 24, rt: Some(32) };

fn record(r: &[u8], layout: &Layout) -> Result<Parsed, Bad> {
    let ver = u16_at(r, layout.ver);
    if ver >> 8 != layout.version {
        return Err(BadField::at(
            layout.ver,
            format!("version {} in the high byte", layout.version),
            format!("{ver:#06x}"),
        ));
    }
    let scaled = |at, unit: u64, what: &str| {
        let value = u64_at(r, at);
        value.checked_mul(unit).ok_or_else(|| {
            BadField::at(at, format!("{what}, at most {}", u64::MAX / unit), value.to_string())
        })
    };
    let time = scaled(layout.ts, US, "ts in µs")?;
    let offset = scaled(layout.lbn, 512, "lbn in sectors")?;
    let length = u64::from(u32_at(r, layout.len));
    if offset.checked_add(length).is_none() {
        let expected = "an extent that ends below 2^64 bytes";
        return Err(BadField::at(layout.lbn, expected, (offset / 512).to_string()));
    }
    let response_ns = layout.rt.map(|at| scaled(at, US, "rt in µs")).transpose()?;
    Ok(match scsi::op(u64::from(u16_at(r, layout.cmd))) {
        None => Parsed::Drop(DropReason::OtherCommand),
        Some(op) => {
            let flush = op == Op::Flush;
            let (offset, length) = if flush { (0, 0) } else { (offset, length) };
            let mut r = request(0, op, offset, length, time);
            r.response_ns = response_ns;
            Parsed::Request(r)
        }
    })
}

#[derive(Default)]
struct VscsiV1;

impl Format for VscsiV1 {
    type Units = Fixed<32>;

    fn has_devices(&self) -> bool {
        false
    }

    fn parse(&mut self, r: &[u8]) -> Result<Parsed, Bad> {
        record(r, &V1)
    }

    fn notes(&self) -> Vec<String> {
        vec!["records of version 1".into()]
    }
}

#[derive(Default)]
struct VscsiV2;

impl Format for VscsiV2 {
    type Units = Fixed<40>;

    fn has_devices(&self) -> bool {
        false
    }

    fn parse(&mut self, r: &[u8]) -> Result<Parsed, Bad> {
        record(r, &V2)
    }

    fn notes(&self) -> Vec<String> {
        vec!["records of version 2".into()]
    }
}
