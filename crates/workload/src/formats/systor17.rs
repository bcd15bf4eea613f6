//! SYSTOR '17: traces of a virtual desktop infrastructure.

use crate::formats::book::DropReason;
use crate::formats::fields::{Bad, Fields};
use crate::formats::format::{Format, FormatInfo, Parsed, request};
use crate::formats::head::{Head, Looks};
use crate::formats::records::{Lines, reads, share};
use crate::request::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "systor17",
    summary: "SYSTOR '17 virtual-desktop trace",
    fields: "timestamp,response,type,LUN,offset,size (with a header)",
    units: "times in seconds (decimal), offset and size in bytes",
    unit_bytes: Some((1, 1)),
    detection: "by its header, or by its lines",
    looks,
    sample: b"1455592511.5,0.25,W,3,4096,512\n1455592511.75,0.5,R,3,4096,512\n",
    ..reads::<Systor17>()
};

fn looks(head: &Head<'_>) -> Looks {
    match head.first_line_is(is_header) {
        Looks::No => share::<Systor17>(head),
        sure => sure,
    }
}

fn is_header(line: &[u8]) -> bool {
    line.trim_ascii().eq_ignore_ascii_case(b"Timestamp,Response,IOType,LUN,Offset,Size")
}

#[derive(Default)]
struct Systor17;

impl Format for Systor17 {
    type Units = Lines;

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        // Concatenated files have headers in the middle too.
        if line.first().is_some_and(u8::is_ascii_alphabetic) && is_header(line) {
            return Ok(Parsed::Aside);
        }
        let mut f = Fields::<b','>::new(line);
        let time = f.decimal("timestamp in seconds", 9)?;
        let response = if f.is_empty("response in seconds, or nothing")? {
            None
        } else {
            Some(f.decimal_here("response in seconds, or nothing", 9)?)
        };
        let op = match f.text("type")? {
            b"R" | b"r" => Some(Op::Read),
            b"W" | b"w" => Some(Op::Write),
            b"" => None,
            _ => return Err(f.bad("a type: R, W or nothing")),
        };
        let lun = f.uint32("LUN")?;
        let offset = f.uint("offset in bytes")?;
        let size = f.uint("size in bytes")?;
        f.extent(offset, size)?;
        f.end()?;
        let Some(op) = op else { return Ok(Parsed::Drop(DropReason::NoResponse)) };
        let mut r = request(lun, op, offset, size, time);
        r.response_ns = response;
        Ok(Parsed::Request(r))
    }
}
