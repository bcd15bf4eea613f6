//! SRT: disk traces of HP Labs (snake, cello, hplajw; C. Ruemmler, J. Wilkes, "UNIX disk access patterns", USENIX Winter
//! 1993). A text header that ends in a form feed, then big-endian records; some files have no header.

use crate::error::WorkloadError;
use crate::formats::book::DropReason;
use crate::formats::buffer::Buffer;
use crate::formats::fields::{Bad, BadField};
use crate::formats::format::{Format, FormatInfo, Parsed, Units, request};
use crate::formats::head::{Head, Looks};
use crate::formats::records::reads;
use crate::request::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "srt",
    summary: "HP Labs SRT disk trace (binary)",
    fields: "a text header up to a form feed, if any; then size, id, sec, usec, start, stop, bytes, sector, device, driver, \
             cylinder, flags, info, further (each u32, big-endian)",
    units: "times in s + µs, size in bytes, sector in 512-byte sectors; flags bit 0: read",
    unit_bytes: Some((512, 1)),
    detection: "by its header's tracedate, or by the sizes and types of the first records",
    looks,
    sample: b"tracedate\t= \"Fri Apr 18 00:00:00 1992\";\n\x0c\
              \0\0\0\x34\0\x01\0\x01\0\0\0\x01\0\0\0\x05\0\0\0\0\0\0\0\x09\0\0\x02\0\0\0\0\x10\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\
              \0\0\0\x34\0\x01\0\x01\0\0\0\x02\0\0\0\x05\0\0\0\0\0\0\0\x09\0\0\x02\0\0\0\0\x11\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    ..reads::<Srt>()
};

/// Bytes of the fields that every record of a disk access has.
const FIELDS: usize = 52;
/// Most bytes of a record: longer ones are none.
const LONGEST: usize = 4096;
/// The type of a record of one disk access; others are of file systems, or of suspect accesses.
const SHORT_IO: u32 = 1;
const FORM_FEED: u8 = 0x0c;
const READ: u32 = 1;

fn u32_at(r: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([r[at], r[at + 1], r[at + 2], r[at + 3]])
}

/// Size of the record that begins with these 8 bytes, if they are such.
fn size(r: &[u8]) -> Option<usize> {
    let (size, id) = (u32_at(r, 0) as usize, u32_at(r, 4));
    let known = (1..=4).contains(&(id >> 16)) && (1..=10).contains(&(id & 0xffff));
    (known && (16..=LONGEST).contains(&size) && size.is_multiple_of(4)).then_some(size)
}

/// Bytes before the first record: those of the header.
fn header(bytes: &[u8]) -> usize {
    let text = bytes.iter().position(|byte| *byte == FORM_FEED).map_or(0, |at| at + 1);
    let is_text = bytes[..text].iter().all(|byte| byte.is_ascii() && *byte != 0);
    if is_text { text } else { 0 }
}

fn looks(head: &Head<'_>) -> Looks {
    let start = header(head.bytes);
    let mut rest = &head.bytes[start..];
    let mut records = 0;
    while rest.len() >= 8 && records < 64 {
        let Some(size) = size(rest) else { return Looks::No };
        records += 1;
        rest = rest.get(size..).unwrap_or(&[]);
    }
    let dated = head.bytes[..start].windows(9).any(|word| word == b"tracedate");
    if records > 0 && (dated || start == 0) { Looks::Sure } else { Looks::No }
}

#[derive(Default)]
struct Srt;

impl Format for Srt {
    type Units = Sized;

    fn parse(&mut self, r: &[u8]) -> Result<Parsed, Bad> {
        if u32_at(r, 4) & 0xffff != SHORT_IO {
            return Ok(Parsed::Drop(DropReason::OtherCommand));
        }
        if r.len() < FIELDS {
            return Err(BadField::at(0, format!("at least {FIELDS} bytes"), r.len().to_string()));
        }
        let [sec, usec, stop, length, sector, device, flags] =
            [8, 12, 20, 24, 28, 32, 44].map(|at| u32_at(r, at));
        let time = u64::from(sec) * 1_000_000_000 + u64::from(usec) * 1000;
        let op = if flags & READ != 0 { Op::Read } else { Op::Write };
        let mut out = request(device, op, u64::from(sector) * 512, length.into(), time);
        out.response_ns = Some(u64::from(stop) * 1000).filter(|ns| *ns > 0);
        Ok(Parsed::Request(out))
    }

    fn device_name(&self, device: u32) -> Option<String> {
        Some(format!("{device:#x}"))
    }
}

/// Records that begin with their size, after the header.
struct Sized {
    buffer: Buffer,
    begun: bool,
}

impl Units for Sized {
    const TEXT: bool = false;

    fn new(mut buffers: Vec<Buffer>) -> Result<Self, WorkloadError> {
        Ok(Self { buffer: buffers.swap_remove(0), begun: false })
    }

    fn next(&mut self) -> Result<Option<&[u8]>, WorkloadError> {
        if !self.begun {
            self.begun = true;
            let header = header(self.buffer.head().bytes);
            if header > 0 {
                self.buffer.skip(header);
            }
        }
        let Some(bytes) = self.buffer.peek(8)? else { return Ok(None) };
        let Some(size) = size(bytes) else {
            let found = format!("{bytes:02x?}");
            return Err(WorkloadError::BadRecord {
                path: self.buffer.input.path.clone(),
                line: self.buffer.position() + 1,
                column: 1,
                expected: "a size from 16 to 4096 and an id of version 1 to 4 and type 1 to 10"
                    .into(),
                found,
                format: INFO.name,
            });
        };
        self.buffer.record(size)
    }

    fn buffer(&self) -> &Buffer {
        &self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::TraceOptions;
    use crate::source::Source;

    fn record(id: u32, fields: &[u32]) -> Vec<u8> {
        let size = 8 + 4 * fields.len() as u32;
        [size, id].iter().chain(fields).flat_map(|field| field.to_be_bytes()).collect()
    }

    fn read(
        name: &str,
        bytes: &[u8],
    ) -> Result<(Vec<crate::Request>, crate::formats::Counts), String> {
        let path = std::env::temp_dir().join(format!("ftlkit-srt-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        let run = || {
            let mut reader = crate::open(&path, &TraceOptions::default())?;
            assert_eq!(reader.format().name, "srt");
            let mut out = Vec::new();
            while reader.fill(&mut out, 100)? > 0 {}
            Ok((out, reader.counts()))
        };
        let found = run().map_err(|error: WorkloadError| error.to_string());
        std::fs::remove_file(&path).unwrap();
        found
    }

    #[test]
    fn records_of_all_versions_are_read_and_others_dropped() {
        let io = |version: u32, sec, flags, more: &[u32]| {
            let fields = [sec, 500, 20, 9000, 8192, 16, 0x300, 0, 0, flags, 0];
            record(version << 16 | 1, &[&fields, more].concat())
        };
        let header = b"trace\t= \"x\";\ntracedate\t= \"Sat Apr 18 00:00:00 1992\";\n\x0c".to_vec();
        let records =
            [io(1, 7, 1, &[]), record(2 << 16 | 5, &[7, 0, 1]), io(4, 8, 0x100, &[3])].concat();
        for bytes in [[header, records.clone()].concat(), records.clone()] {
            let (requests, counts) = read("all", &bytes).unwrap();
            assert_eq!((counts.read, counts.kept, requests.len()), (3, 2, 2));
            let [read, write] = [requests[0], requests[1]];
            assert_eq!((read.op, read.offset, read.length), (Op::Read, 8192, 8192));
            assert_eq!((write.op, write.arrival_ns), (Op::Write, 1_000_000_000));
            assert_eq!(read.response_ns, Some(9_000_000));
        }
        let cut = read("cut", &records[..records.len() - 3]).unwrap_err();
        assert!(cut.contains("truncated"), "{cut}");
        let broken = [records, vec![0; 8]].concat();
        let told = read("broken", &broken).unwrap_err();
        assert!(
            told.contains("size from 16 to 4096")
                || told.contains("cannot be detected")
                || told.contains("binary"),
            "{told}"
        );
    }
}
