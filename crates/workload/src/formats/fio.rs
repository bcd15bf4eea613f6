//! fio iolog: what `fio --write_iolog` writes and `--read_iolog` reads, versions 2 and 3.

use std::collections::HashMap;

use super::fields::{Bad, Fields};
use super::names::Names;
use super::records::{Lines, request};
use super::{Format, FormatInfo, Parsed, Setup, open};
use crate::{Op, Request};

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "fio",
    summary: "fio I/O log, versions 2 and 3",
    fields: "v2: file action [offset length]; v3: time file action [offset length]",
    units: "offset and length in bytes; v2: `wait` in ms since the start; v3: time in µs",
    detection: "by its first line, `fio version N iolog`",
    has_actions: false,
    lacks_op: false,
    looks: |head| head.first_line_is(|line| line.starts_with(b"fio version")),
    open: open::<Fio>,
};

type Line<'a> = Fields<'a, b' '>;

/// The device that a file's name gives: what `trace convert` writes is a number, or ends in `#` and one.
fn device_of(name: &[u8]) -> Option<u32> {
    let digits = name.rsplit(|&b| b == b'#').next()?;
    let plain = digits == b"0" || !digits.starts_with(b"0");
    let plain = plain && digits.iter().all(u8::is_ascii_digit);
    if plain { std::str::from_utf8(digits).ok()?.parse().ok() } else { None }
}

/// Files and their devices. A name that gives no device, or one that is taken, gets the lowest that is free.
struct Files {
    names: Names,
    /// By the number of the name.
    devices: Vec<u32>,
    /// The number of the name, by device.
    taken: HashMap<u32, u32>,
    free: u32,
}

impl Files {
    fn new() -> Self {
        Self { names: Names::at_most(1 << 16), devices: Vec::new(), taken: HashMap::new(), free: 0 }
    }

    fn device(&mut self, name: &[u8]) -> Option<u32> {
        let number = self.names.number(name)?;
        if let Some(&device) = self.devices.get(number as usize) {
            return Some(device);
        }
        let given = device_of(name).filter(|device| !self.taken.contains_key(device));
        let device = given.unwrap_or_else(|| {
            while self.taken.contains_key(&self.free) {
                self.free += 1;
            }
            self.free
        });
        self.devices.push(device);
        self.taken.insert(device, number);
        Some(device)
    }

    fn name(&self, device: u32) -> Option<String> {
        self.names.name(*self.taken.get(&device)?)
    }
}

pub(super) struct Fio {
    /// 0 before the first line is read.
    version: u8,
    files: Files,
    /// The last `wait` of version 2, ns.
    waited_ns: u64,
    arrivals: bool,
}

fn version_of(line: &[u8]) -> Option<u8> {
    match line.trim_ascii() {
        b"fio version 2 iolog" => Some(2),
        b"fio version 3 iolog" => Some(3),
        _ => None,
    }
}

fn is_wait(line: &[u8]) -> bool {
    line.split(|&b| b == b' ').nth(1) == Some(b"wait")
}

impl Fio {
    fn parse_v2(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        let mut f = Line::new(line);
        let file = self.file(&mut f)?;
        let action = f.word("action")?;
        if action == b"wait" {
            self.waited_ns = f.scaled("wait in ms since the start", 1_000_000)?;
            if !f.is_end() {
                f.uint("a second number, which is not used")?;
            }
            f.end()?;
            return Ok(Parsed::Aside);
        }
        Self::act(&mut f, action, request(file, Op::Read, 0, 0, self.waited_ns))
    }

    fn parse_v3(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        let mut f = Line::new(line);
        let time = f.scaled("time in µs", 1_000)?;
        let file = self.file(&mut f)?;
        let action = f.word("action")?;
        Self::act(&mut f, action, request(file, Op::Read, 0, 0, time))
    }

    fn file(&mut self, f: &mut Line<'_>) -> Result<u32, Bad> {
        let name = f.word("file name")?;
        self.files.device(name).ok_or_else(|| f.bad("one of at most 65536 files"))
    }

    fn act(f: &mut Line<'_>, action: &[u8], base: Request) -> Result<Parsed, Bad> {
        let op = match action {
            b"read" => Op::Read,
            b"write" => Op::Write,
            b"trim" => Op::Trim,
            b"sync" | b"datasync" | b"sync_file_range" => Op::Flush,
            b"add" | b"open" | b"close" => {
                f.end()?;
                return Ok(Parsed::Aside);
            }
            _ => {
                return Err(f.bad(
                    "an action: read, write, trim, sync, datasync, add, open, close, or wait \
                     (version 2)",
                ));
            }
        };
        if op == Op::Flush {
            // The offset and length here are those of the request before: they mean nothing.
            if !f.is_end() {
                f.uint("offset")?;
                f.uint("length")?;
            }
            f.end()?;
            return Ok(Parsed::Request(Request { op, ..base }));
        }
        let offset = f.uint("offset in bytes")?;
        let length = f.uint("length in bytes")?;
        f.extent(offset, length)?;
        f.end()?;
        Ok(Parsed::Request(Request { op, offset, length, ..base }))
    }
}

impl Format for Fio {
    type Units = Lines;

    fn info() -> &'static FormatInfo {
        &INFO
    }

    fn new(setup: &Setup<'_>) -> Result<Self, String> {
        // Only the first 64 KiB can say beforehand whether version 2 has times at all.
        let lines = &setup.head.lines;
        let untimed = lines.first().is_some_and(|line| version_of(line) == Some(2))
            && !lines.iter().any(|line| is_wait(line));
        Ok(Self { version: 0, files: Files::new(), waited_ns: 0, arrivals: !untimed })
    }

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        match self.version {
            2 => self.parse_v2(line),
            3 => self.parse_v3(line),
            _ => {
                let first = "first line `fio version 2 iolog` or `fio version 3 iolog`";
                let known = version_of(line);
                self.version = known.ok_or_else(|| Fields::<b'\n'>::new(line).bad(first))?;
                Ok(Parsed::Aside)
            }
        }
    }

    fn has_arrivals(&self) -> bool {
        self.arrivals
    }

    fn notes(&self) -> Vec<String> {
        match (self.version, self.arrivals) {
            (2, true) => vec!["version 2: `wait` was read as ms since the start".into()],
            (2, false) => {
                vec!["version 2 without `wait` at the beginning: no arrival times".into()]
            }
            _ => vec!["version 3: times in µs".into()],
        }
    }

    fn device_name(&self, device: u32) -> Option<String> {
        self.files.name(device)
    }
}
