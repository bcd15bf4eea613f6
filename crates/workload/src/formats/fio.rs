//! fio iolog: the log of `fio --write_iolog` and `--read_iolog`, versions 2 and 3.

use std::collections::{BTreeMap, HashMap};

use crate::formats::fields::{Bad, Fields};
use crate::formats::format::{Format, FormatInfo, Parsed, Setup, request};
use crate::formats::names::Names;
use crate::formats::records::{Lines, reads};
use crate::formats::writing::{Limits, Writer, Writing, line};
use crate::request::{Op, Request};

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "fio",
    summary: "fio I/O log, versions 2 and 3",
    fields: "v2: file action [offset length]; v3: time file action [offset length]",
    units: "offset and length in bytes; v2: `wait` in ms since the start; v3: time in µs",
    detection: "by its first line, `fio version N iolog`",
    looks: |head| head.first_line_is(|line| line.starts_with(b"fio version")),
    sample: b"fio version 2 iolog\nf add\nf read 0 512\nf wait 5 0\nf write 4096 512\n",
    writing: Some(&Writing {
        holds: "reads, writes, trims and flushes, times in µs (version 3)",
        limits: Some(Limits {
            ops: &[Op::Read, Op::Write, Op::Trim, Op::Flush],
            sectors: false,
            tick_ns: 1_000,
            response_tick_ns: None,
            last_device: u32::MAX,
        }),
        start: || Box::new(Log::default()),
    }),
    ..reads::<Fio>()
};

/// Writes a log of version 3.
#[derive(Default)]
struct Log {
    /// Names of the devices that the log has opened so far.
    opened: BTreeMap<u32, String>,
    last_ns: u64,
}

impl Writer for Log {
    fn begin(&mut self, text: &mut Vec<u8>, _: bool) {
        line(text, format_args!("fio version 3 iolog"));
    }

    fn add(&mut self, text: &mut Vec<u8>, r: &Request, name: &dyn Fn(u32) -> String) {
        let us = r.arrival_ns / 1_000;
        self.last_ns = self.last_ns.max(r.arrival_ns);
        let name = self.opened.entry(r.device).or_insert_with(|| {
            let name = log_name(r.device, &name(r.device));
            line(text, format_args!("{us} {name} add\n{us} {name} open"));
            name
        });
        let (offset, length) = (r.offset, r.length);
        match r.op {
            Op::Flush => line(text, format_args!("{us} {name} sync 0 0")),
            Op::Read => line(text, format_args!("{us} {name} read {offset} {length}")),
            Op::Trim => line(text, format_args!("{us} {name} trim {offset} {length}")),
            Op::Write => line(text, format_args!("{us} {name} write {offset} {length}")),
            // `Limits` leaves them out.
            _ => {}
        }
    }

    fn end(&mut self, text: &mut Vec<u8>) {
        let us = self.last_ns / 1_000;
        for name in self.opened.values() {
            line(text, format_args!("{us} {name} close"));
        }
    }
}

/// Name of a device in a written log. Blanks would end the name and are replaced.
///
/// The device number keeps devices apart whose names become equal, and lets the reader restore the numbers.
fn log_name(device: u32, name: &str) -> String {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    let name: String = name.chars().map(|c| if blank(c) { '_' } else { c }).collect();
    let suffix = format!("#{device}");
    if name == suffix[1..] || name.ends_with(&suffix) { name } else { name + &suffix }
}

type Line<'a> = Fields<'a, b' '>;

/// Device number in a file's name: `trace convert` writes a number, or a name that ends in `#` and a number.
fn device_of(name: &[u8]) -> Option<u32> {
    let digits = name.rsplit(|&b| b == b'#').next()?;
    let plain = digits == b"0" || !digits.starts_with(b"0");
    let plain = plain && digits.iter().all(u8::is_ascii_digit);
    if plain { std::str::from_utf8(digits).ok()?.parse().ok() } else { None }
}

/// Files and their devices.
///
/// A name without a device number, or with one already in use, gets the lowest free number.
#[derive(Default)]
struct Files {
    names: Names,
    /// Device per name number.
    devices: Vec<u32>,
    /// Name number per device.
    taken: HashMap<u32, u32>,
    free: u32,
}

impl Files {
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

#[derive(Default)]
struct Fio {
    /// 0 before the first line is read.
    version: u8,
    files: Files,
    /// Time of the last `wait` in version 2, ns.
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
            // Offset and length here are those of the previous request and mean nothing.
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

    fn prepare(&mut self, setup: &Setup<'_>) -> Result<(), String> {
        // Only the first 64 KiB can show in advance whether a version 2 log has times.
        let lines = &setup.head.lines;
        let untimed = lines.first().is_some_and(|line| version_of(line) == Some(2))
            && !lines.iter().any(|line| is_wait(line));
        self.arrivals = !untimed;
        Ok(())
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
