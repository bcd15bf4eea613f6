//! blkparse: Linux block traces as text. A request has several events; the reader uses those of one action.

use crate::formats::blk::{self, Choice, Flags, StrayTimes};
use crate::formats::book::DropReason;
use crate::formats::fields::{Bad, Fields};
use crate::formats::format::{Format, FormatInfo, Parsed, Setup, request};
use crate::formats::records::{Lines, reads};
use crate::options::Action;
use crate::request::{Op, Request};
use crate::units::counted;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "blkparse",
    summary: "Linux block trace as blkparse prints it",
    fields: "major,minor cpu sequence time pid action RWBS sector + count [process]",
    units: "time in seconds (decimal), sector and count in 512-byte sectors",
    unit_bytes: Some((512, 512)),
    has_actions: true,
    sample: b"8,0 0 1 0.5 1 Q R 8 + 8 [a]\n8,0 0 2 0.75 1 Q WS 16 + 8 [a]\n",
    ..reads::<Blkparse>()
};

#[derive(Default)]
struct Blkparse {
    choice: Choice,
    strays: StrayTimes,
    summary: bool,
    barriers: u64,
}

type Line<'a> = Fields<'a, b' '>;

/// Parses the fields up to the action: device, time, action.
fn event<'a>(f: &mut Line<'a>) -> Result<(u32, u64, &'a [u8]), Bad> {
    let major = f.uint("major number")?;
    f.byte(b',', "a comma between the device's major and minor number")?;
    let minor = f.uint_here("minor number")?;
    let device = blk::device(major, minor)
        .ok_or_else(|| f.bad("a major number below 2^12 and a minor number below 2^20"))?;
    f.uint("cpu")?;
    f.uint("sequence number")?;
    let time = f.decimal("time in seconds", 9)?;
    f.uint("pid")?;
    Ok((device, time, f.word("action")?))
}

fn is_summary(line: &[u8]) -> bool {
    [&b"CPU"[..], b"Total", b"Throughput", b"Events", b"Skips"].iter().any(|s| line.starts_with(s))
}

fn is_of(action: &[u8], wanted: Action) -> bool {
    matches!(action, [letter] if char::from(*letter) == wanted.letter())
}

impl Format for Blkparse {
    type Units = Lines;

    fn prepare(&mut self, setup: &Setup<'_>) -> Result<(), String> {
        let has = |wanted: Action| {
            setup.head.lines.iter().any(|line| {
                event(&mut Line::new(line)).is_ok_and(|(_, _, action)| is_of(action, wanted))
            })
        };
        self.choice = Choice::of(setup, has).map_err(|why| {
            let lines = &setup.head.lines;
            let any = lines.iter().any(|line| event(&mut Line::new(line)).is_ok());
            if any {
                why
            } else {
                "this is not blkparse text: none of its first lines is an event".into()
            }
        })?;
        Ok(())
    }

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        let is_event = line.trim_ascii_start().first().is_some_and(u8::is_ascii_digit);
        if !is_event {
            self.summary |= is_summary(line);
            if self.summary {
                return Ok(Parsed::Aside);
            }
        }
        // In concatenated traces, events follow a summary.
        self.summary = false;
        let mut f = Line::new(line);
        let (device, time, action) = event(&mut f)?;
        if !is_of(action, self.choice.action) {
            return Ok(Parsed::Drop(DropReason::OtherAction));
        }
        let rwbs = f.word("RWBS")?;
        let flags = blk::flags(rwbs).ok_or_else(|| {
            f.bad("RWBS: F for a preflush, D, W, R or N, F for FUA, B for a barrier, other flags")
        })?;
        let Some((offset, length)) = extent(&mut f)? else {
            return Ok(without_data(flags, device, time));
        };
        if self.strays.is_stray(time) {
            return Ok(Parsed::Drop(DropReason::StrayTime));
        }
        self.barriers += u64::from(flags.barrier);
        Ok(with_data(flags, request(device, Op::Read, offset, length, time)))
    }

    fn notes(&self) -> Vec<String> {
        let barriers = (self.barriers > 0).then(|| {
            let count = counted(self.barriers, "barrier");
            format!("{count} of an older kernel: writes among them are FUA, and the order that they ask of others is not kept")
        });
        std::iter::once(self.choice.note()).chain(barriers).collect()
    }

    fn device_name(&self, device: u32) -> Option<String> {
        Some(blk::name(device))
    }
}

/// Parses `sector + count`; `None` if the event has none (a bare flush, a command's bytes).
fn extent(f: &mut Line<'_>) -> Result<Option<(u64, u64)>, Bad> {
    if f.is_end() || matches!(f.after_blanks(), Some(b'[' | b'(')) {
        return Ok(None);
    }
    let offset = f.sectors("sector")?;
    match f.text("`+` and a count of sectors")? {
        b"+" => {}
        // A passed-through command: bytes of data, then the command in brackets.
        [b'(', ..] => return Ok(None),
        _ => return Err(f.bad("`+` and a count of sectors")),
    }
    let length = f.sectors("count of sectors")?;
    f.extent(offset, length)?;
    Ok(Some((offset, length)))
}

/// Result for an event without an extent.
pub(super) fn without_data(flags: Flags, device: u32, time: u64) -> Parsed {
    if flags.preflush {
        Parsed::Request(request(device, Op::Flush, 0, 0, time))
    } else {
        Parsed::Drop(DropReason::OtherCommand)
    }
}

/// Result for an event with an extent; the operation comes from the flags.
pub(super) fn with_data(flags: Flags, extent: Request) -> Parsed {
    if extent.length == 0 && flags.preflush {
        return without_data(flags, extent.device, extent.arrival_ns);
    }
    let Some(op) = flags.op else { return without_data(flags, extent.device, extent.arrival_ns) };
    let request = Request { op, fua: flags.fua, ..extent };
    if flags.preflush { Parsed::FlushThen(request) } else { Parsed::Request(request) }
}
