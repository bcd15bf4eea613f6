//! DiskMon: the save format of the Sysinternals tool of that name.

use crate::formats::fields::{Bad, Fields};
use crate::formats::format::{Format, FormatInfo, Parsed, request};
use crate::formats::records::{Lines, reads};
use crate::request::Op;

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "diskmon",
    summary: "Sysinternals DiskMon log",
    fields: "index, time, duration, disk, request, sector, length (tabs, no header)",
    units: "time in seconds (decimal) or of the day, sector and length in 512-byte sectors",
    unit_bytes: Some((512, 512)),
    sample: b"0\t0.5\t0.1\t0\tRead\t1\t8\n1\t0.75\t0.1\t0\tWrite\t1\t8\n",
    ..reads::<DiskMon>()
};

const SECOND_NS: u64 = 1_000_000_000;
const DAY_NS: u64 = 86_400 * SECOND_NS;

/// Parses all of `text` as a decimal.
fn decimal(text: &[u8], places: u32) -> Option<u64> {
    let mut f = Fields::<b' '>::new(text);
    let value = f.decimal("", places).ok()?;
    f.is_end().then_some(value)
}

#[derive(Default)]
struct DiskMon {
    /// Number of midnights passed × 24 h, if times are of the day, ns.
    days_ns: u64,
    of_day_ns: u64,
    clock: bool,
    whole: bool,
}

impl DiskMon {
    /// Parses `h:mm:ss[.fraction][ AM| PM]` into ns since the first day's midnight.
    fn clock(&mut self, text: &[u8]) -> Option<u64> {
        let half =
            |name: &[u8]| text.len() > 2 && text[text.len() - 2..].eq_ignore_ascii_case(name);
        let (am, pm) = (half(b"AM"), half(b"PM"));
        let digits = if am || pm { &text[..text.len() - 2] } else { text };
        let mut parts = digits.trim_ascii().splitn(3, |&b| b == b':');
        let mut two = || decimal(parts.next()?, 0);
        let (mut hour, minute) = (two()?, two()?);
        let seconds = parts.next()?;
        let second_ns = decimal(seconds, 9)?;
        if am || pm {
            if !(1..=12).contains(&hour) {
                return None;
            }
            hour = hour % 12 + if pm { 12 } else { 0 };
        }
        if hour > 23 || minute > 59 || second_ns > 60 * SECOND_NS {
            return None;
        }
        let of_day_ns = (hour * 60 + minute) * 60 * SECOND_NS + second_ns;
        // A step back of more than half a day is midnight; a smaller one is a line out of order.
        if of_day_ns + DAY_NS / 2 < self.of_day_ns {
            self.days_ns = self.days_ns.checked_add(DAY_NS)?;
        }
        self.of_day_ns = of_day_ns;
        self.whole = seconds.iter().all(u8::is_ascii_digit);
        self.clock = true;
        self.days_ns.checked_add(of_day_ns)
    }
}

impl Format for DiskMon {
    const MAY_SPREAD: bool = true;
    type Units = Lines;

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        let mut f = Fields::<b'\t'>::new(line);
        f.uint("index")?;
        let text = f.word("time")?;
        let time = if text.contains(&b':') {
            self.clock(text).ok_or_else(|| f.bad("time of day: h:mm:ss, perhaps AM or PM"))?
        } else {
            self.whole = false;
            decimal(text, 9).ok_or_else(|| f.bad("time in seconds, an unsigned decimal"))?
        };
        f.decimal("duration", 9)?;
        let disk = f.uint32("disk")?;
        let word = f.word("request")?;
        let op = if word.eq_ignore_ascii_case(b"read") {
            Op::Read
        } else if word.eq_ignore_ascii_case(b"write") {
            Op::Write
        } else {
            return Err(f.bad("a request: Read or Write"));
        };
        let offset = f.sectors("sector")?;
        let length = f.sectors("length in sectors")?;
        f.extent(offset, length)?;
        f.end()?;
        Ok(Parsed::Request(request(disk, op, offset, length, time)))
    }

    fn whole_seconds(&self) -> bool {
        self.whole
    }

    fn notes(&self) -> Vec<String> {
        let mut notes =
            vec!["durations were not used: their unit varies between versions of DiskMon".into()];
        if self.clock {
            notes.push(
                "times are of the day; a step back by more than half a day is midnight".into(),
            );
        }
        notes
    }
}
