//! oracleGeneral: the binary trace format of libCacheSim. It has no operation per request.

use crate::formats::fields::{Bad, BadField};
use crate::formats::format::{Format, FormatInfo, Parsed, Setup, request};
use crate::formats::head::Looks;
use crate::formats::records::{Fixed, reads};
use crate::request::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "oraclegeneral",
    summary: "libCacheSim oracleGeneral trace of a block device (binary, without operations)",
    fields: "time u32, id u64, size u32, next access i64 (24 bytes, little-endian)",
    units: "time in whole seconds (spread evenly), id in 512-byte sectors, size in bytes",
    unit_bytes: Some((512, 1)),
    detection: "by --format, or by a file name that ends in the format's name, perhaps with .bin",
    lacks_op: true,
    looks: |head| Looks::ByName(head.bytes.contains(&0)),
    sample: b"\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\
              \0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0",
    ..reads::<OracleGeneral>()
};

#[derive(Default)]
struct OracleGeneral {
    writes: bool,
}

impl OracleGeneral {
    fn op(&self) -> Op {
        if self.writes { Op::Write } else { Op::Read }
    }
}

impl Format for OracleGeneral {
    const MAY_SPREAD: bool = true;
    type Units = Fixed<24>;

    fn has_devices(&self) -> bool {
        false
    }

    fn prepare(&mut self, setup: &Setup<'_>) -> Result<(), String> {
        self.writes = setup.options.assume_op == Some(Op::Write);
        match setup.options.assume_op {
            Some(Op::Read | Op::Write) => Ok(()),
            Some(op) => Err(format!("every request can be assumed a read or a write, not {op:?}")),
            None => Err("the oraclegeneral format does not say what reads and what writes: give \
                         --assume-op read|write"
                .into()),
        }
    }

    fn parse(&mut self, r: &[u8]) -> Result<Parsed, Bad> {
        let byte = |at: usize| u64::from(r[at]);
        let number = |at: usize, n: usize| (0..n).rev().fold(0, |v, i| v << 8 | byte(at + i));
        let (time, id, size) = (number(0, 4), number(4, 8), number(12, 4));
        let offset = id.checked_mul(512).filter(|offset| offset.checked_add(size).is_some());
        let offset = offset.ok_or_else(|| {
            BadField::at(
                4,
                "a sector below 2^55: is this the trace of a block device?",
                id.to_string(),
            )
        })?;
        Ok(Parsed::Request(request(0, self.op(), offset, size, time * 1_000_000_000)))
    }

    fn notes(&self) -> Vec<String> {
        vec![format!("the trace names no operations: every request was assumed a {:?}", self.op())]
    }
}
