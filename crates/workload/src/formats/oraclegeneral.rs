//! oracleGeneral: the binary form in which libCacheSim keeps traces. It does not say what a request does.

use super::fields::{Bad, BadField};
use super::records::{Fixed, request};
use super::{Format, FormatInfo, Looks, Parsed, Setup, open};
use crate::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "oraclegeneral",
    summary: "libCacheSim oracleGeneral trace of a block device (binary, without operations)",
    fields: "time u32, id u64, size u32, next access i64 (24 bytes, little-endian)",
    units: "time in whole seconds (spread evenly), id in 512-byte sectors, size in bytes",
    detection: "by --format, or by a file name that ends in the format's name, perhaps with .bin",
    has_actions: false,
    lacks_op: true,
    looks: |_| Looks::ByName,
    open: open::<OracleGeneral>,
};

struct OracleGeneral {
    op: Op,
}

impl Format for OracleGeneral {
    const MAY_SPREAD: bool = true;
    type Units = Fixed<24>;

    fn info() -> &'static FormatInfo {
        &INFO
    }

    fn new(setup: &Setup<'_>) -> Result<Self, String> {
        match setup.options.assume_op {
            Some(op @ (Op::Read | Op::Write)) => Ok(Self { op }),
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
        Ok(Parsed::Request(request(0, self.op, offset, size, time * 1_000_000_000)))
    }

    fn whole_seconds(&self) -> bool {
        true
    }

    fn notes(&self) -> Vec<String> {
        vec![format!("the trace names no operations: every request was assumed a {:?}", self.op)]
    }
}
