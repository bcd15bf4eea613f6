//! blktrace: Linux block traces as the kernel writes them, one file per processor, version 7.

use crate::error::WorkloadError;
use crate::formats::blk::{Choice, Flags, StrayTimes, name};
use crate::formats::blkparse::with_data;
use crate::formats::book::DropReason;
use crate::formats::buffer::Buffer;
use crate::formats::fields::{Bad, BadField};
use crate::formats::format::{Format, FormatInfo, Parsed, Setup, Units, request};
use crate::formats::head::{Head, Looks};
use crate::formats::records::reads;
use crate::options::Action;
use crate::request::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "blktrace",
    summary: "Linux block trace as the kernel writes it, version 7 (binary)",
    fields: "magic, sequence, time, sector, bytes, action, pid, device, cpu, error, pdu_len (48 bytes, either \
             byte order), then pdu_len bytes",
    units: "time in ns, sector in 512-byte sectors, length in bytes",
    detection: "by its magic number; NAME stands for NAME.blktrace.0, .1, … merged by time",
    has_actions: true,
    looks: |head| if magic(head.bytes).is_some() { Looks::Sure } else { Looks::No },
    sample: b"\x07tae\x01\0\0\0\x01\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\
              \0\x02\0\0\x01\0\x01\0\0\0\0\0\x03\0\x30\x10\0\0\0\0\0\0\x03\0xxx\
              \x07tae\x01\0\0\0\x02\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\
              \0\x02\0\0\x01\0\x02\0\0\0\0\0\x03\0\x30\x10\0\0\0\0\0\0\0\0",
    ..reads::<Blktrace>()
};

const HEADER: usize = 48;
const VERSION: u8 = 7;

/// Byte order (true for big-endian) and version of a record.
fn magic(record: &[u8]) -> Option<(bool, u8)> {
    match record.get(..4)? {
        [version, 0x74, 0x61, 0x65] => Some((false, *version)),
        [0x65, 0x61, 0x74, version] => Some((true, *version)),
        _ => None,
    }
}

/// Numbers of a record in its byte order.
struct Record<'a> {
    bytes: &'a [u8],
    big_endian: bool,
}

impl<'a> Record<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, Bad> {
        match magic(bytes) {
            Some((big_endian, VERSION)) => Ok(Self { bytes, big_endian }),
            Some((_, version)) => {
                Err(BadField::at(0, "blktrace version 7", format!("version {version}")))
            }
            None => Err(BadField::at(
                0,
                "the magic number 0x65617407 of a record",
                format!("{:02x?}", &bytes[..4]),
            )),
        }
    }

    fn number(&self, at: usize, size: usize) -> u64 {
        let byte = |i: usize| u64::from(self.bytes[at + i]);
        if self.big_endian {
            (0..size).fold(0, |v, i| v << 8 | byte(i))
        } else {
            (0..size).rev().fold(0, |v, i| v << 8 | byte(i))
        }
    }

    fn time(&self) -> u64 {
        self.number(8, 8)
    }
    fn action(&self) -> u64 {
        self.number(28, 4)
    }
    fn size(&self) -> usize {
        HEADER + self.number(46, 2) as usize
    }
}

/// Event, in the low half of `action`; bit 8 there means that a control group's id follows.
mod event {
    pub(super) const MASK: u64 = 0xfeff;
    pub(super) const QUEUED: u64 = 1;
    pub(super) const ISSUED: u64 = 7;
    pub(super) const COMPLETED: u64 = 8;
}

/// Category of the event's request, in the high half of `action`.
mod category {
    pub(super) const WRITE: u64 = 1 << 17;
    pub(super) const FLUSH: u64 = 1 << 18;
    pub(super) const PASSTHROUGH: u64 = 1 << 25;
    pub(super) const NOTIFY: u64 = 1 << 26;
    pub(super) const DISCARD: u64 = 1 << 29;
    pub(super) const FUA: u64 = 1 << 31;
}

fn event_of(action: u64) -> Option<Action> {
    if action & category::NOTIFY != 0 {
        return None;
    }
    match action & event::MASK {
        event::QUEUED => Some(Action::Queued),
        event::ISSUED => Some(Action::Issued),
        event::COMPLETED => Some(Action::Completed),
        _ => None,
    }
}

#[derive(Default)]
struct Blktrace {
    choice: Choice,
    strays: StrayTimes,
}

/// Actions of the complete records in the head of the file.
fn actions(head: &Head<'_>) -> impl Iterator<Item = Action> {
    let mut rest = head.bytes;
    std::iter::from_fn(move || {
        let record = Record::new(rest.get(..HEADER)?).ok()?;
        rest = rest.get(record.size()..).unwrap_or(&[]);
        Some(event_of(record.action()))
    })
    .flatten()
}

impl Format for Blktrace {
    type Units = Merged;

    fn prepare(&mut self, setup: &Setup<'_>) -> Result<(), String> {
        let Some((_, version)) = magic(setup.head.bytes) else {
            return Err(format!(
                "this is not a blktrace: it begins with {:02x?}, not with the magic number 0x65617407 of a record \
                 (in either byte order)",
                &setup.head.bytes[..setup.head.bytes.len().min(4)]
            ));
        };
        if version != VERSION {
            return Err(format!(
                "a blktrace of version {version}; only version {VERSION} is known: print it with its own \
                 blkparse and read that"
            ));
        }
        let has = |wanted: Action| {
            let heads = std::iter::once(setup.head).chain(setup.others);
            heads.flat_map(actions).any(|action| action == wanted)
        };
        self.choice = Choice::of(setup, has)?;
        Ok(())
    }

    fn parse(&mut self, bytes: &[u8]) -> Result<Parsed, Bad> {
        let record = Record::new(bytes)?;
        let action = record.action();
        if event_of(action) != Some(self.choice.action) {
            return Ok(Parsed::Drop(DropReason::OtherAction));
        }
        if action & category::PASSTHROUGH != 0 {
            return Ok(Parsed::Drop(DropReason::OtherCommand));
        }
        let (time, sector, length) = (record.time(), record.number(16, 8), record.number(24, 4));
        let device = record.number(36, 4) as u32;
        let flags = flags(action);
        if self.strays.is_stray(time) {
            return Ok(Parsed::Drop(DropReason::StrayTime));
        }
        // A bare flush has all bits set instead of a sector.
        let bare = length == 0 && flags.preflush;
        let offset = if bare { Some(0) } else { sector.checked_mul(512) };
        let offset =
            offset.filter(|offset| offset.checked_add(length).is_some()).ok_or_else(|| {
                BadField::at(16, "a sector whose extent ends below 2^64 bytes", sector.to_string())
            })?;
        Ok(with_data(flags, request(device, Op::Read, offset, length, time)))
    }

    fn notes(&self) -> Vec<String> {
        vec![self.choice.note()]
    }

    fn device_name(&self, device: u32) -> Option<String> {
        Some(name(device))
    }
}

fn flags(action: u64) -> Flags {
    let is = |bit| action & bit != 0;
    let op = if is(category::DISCARD) {
        Op::Trim
    } else if is(category::WRITE) {
        Op::Write
    } else {
        Op::Read
    };
    Flags { preflush: is(category::FLUSH), op: Some(op), fua: is(category::FUA), barrier: false }
}

/// Records of the files of all processors, sorted by time; ties are sorted by file.
struct Merged {
    files: Vec<Stream>,
    current: usize,
}

struct Stream {
    buffer: Buffer,
    /// Time and size of the next record; `None` at the end.
    next: Option<(u64, usize)>,
}

impl Stream {
    fn look(&mut self) -> Result<(), WorkloadError> {
        let Some(bytes) = self.buffer.peek(HEADER)? else {
            self.next = None;
            return Ok(());
        };
        let next = Record::new(bytes).map(|record| (record.time(), record.size()));
        self.next = Some(next.map_err(|bad| WorkloadError::BadRecord {
            path: self.buffer.input.path.clone(),
            line: self.buffer.position() + 1,
            column: 1,
            expected: bad.expected,
            found: bad.found,
            format: INFO.name,
        })?);
        Ok(())
    }
}

impl Units for Merged {
    const TEXT: bool = false;
    const MERGES: bool = true;

    fn new(buffers: Vec<Buffer>) -> Result<Self, WorkloadError> {
        let mut files: Vec<_> =
            buffers.into_iter().map(|buffer| Stream { buffer, next: None }).collect();
        // The current file is read when the next record is requested.
        for file in &mut files[1..] {
            file.look()?;
        }
        Ok(Self { files, current: 0 })
    }

    fn next(&mut self) -> Result<Option<&[u8]>, WorkloadError> {
        self.files[self.current].look()?;
        let earliest = (0..self.files.len())
            .filter_map(|i| self.files[i].next.map(|(time, size)| (time, i, size)))
            .min();
        let Some((_, file, size)) = earliest else { return Ok(None) };
        self.current = file;
        self.files[file].buffer.record(size)
    }

    fn buffer(&self) -> &Buffer {
        &self.files[self.current].buffer
    }
}
