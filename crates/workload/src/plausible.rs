//! Signs that a trace was read with wrong units or in a wrong format.

use crate::chain::LONGEST_GAP_NS;
use crate::formats::format::FormatInfo;
use crate::reader::TraceReader;
use crate::request::{Op, Request};
use crate::source::Source;
use crate::units::{YEAR_NS, round_bytes};

const SECTOR: u64 = 512;
/// Of what all addresses or lengths in sectors are a multiple if they are bytes of sectors.
const COARSE: u64 = SECTOR * SECTOR;
/// Share of requests from which on a sign is told.
const MANY: f64 = 0.1;
/// Fewest requests that tell anything, and fewest of one operation: of reads and writes one has so many.
const FEWEST: u64 = 20;
const FEWEST_OF_ONE: u64 = 10;
/// Mean length from which on lengths in sectors are perhaps bytes.
const LONG_MEAN: f64 = (8 << 20) as f64;
/// Longest request that the kernel sends unless it is told otherwise: 1280 KiB.
const KERNEL_MOST: f64 = (1280 << 10) as f64;
/// Address from which on addresses are perhaps in another unit: 16 TiB.
const FAR: u64 = 1 << 44;
/// Addresses so many times all bytes asked for are perhaps in another unit, if of so many requests none goes on.
const SPARSE: u64 = 10_000;
const FEWEST_SPARSE: u64 = 1000;
/// Requests per second that no device gets.
const MOST_PER_SECOND: f64 = 1e7;
/// Operations with an extent that signs are told of. Zone commands have that of a zone.
const TOLD: [Op; 6] =
    [Op::Read, Op::Write, Op::Append, Op::WriteZeroes, Op::DeallocateZeroes, Op::Trim];

/// What is counted of each request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Signs {
    requests: u64,
    last_ns: u64,
    latest_ns: u64,
    backwards: u64,
    /// The longest jump of time ahead of all before and that back from the request before, ns, and the requests before it.
    ahead: (u64, u64),
    back: (u64, u64),
    /// Requests that begin where the one before ends.
    follow: u64,
    end: u64,
    of: [Extents; Op::ALL.len()],
}

/// Extents of the requests of one operation, or of several.
#[derive(Clone, Copy, Debug, Default)]
struct Extents {
    requests: u64,
    bytes: u64,
    odd_lengths: u64,
    odd_offsets: u64,
    coarse_lengths: u64,
    coarse_offsets: u64,
    farthest: u64,
}

impl Extents {
    #[inline]
    fn take(&mut self, request: &Request) {
        self.requests += 1;
        self.bytes = self.bytes.saturating_add(request.length);
        self.odd_lengths += u64::from(!request.length.is_multiple_of(SECTOR));
        self.odd_offsets += u64::from(!request.offset.is_multiple_of(SECTOR));
        self.coarse_lengths += u64::from(request.length.is_multiple_of(COARSE));
        self.coarse_offsets += u64::from(request.offset.is_multiple_of(COARSE));
        self.farthest = self.farthest.max(request.offset.saturating_add(request.length));
    }

    fn and(self, other: Self) -> Self {
        Self {
            requests: self.requests + other.requests,
            bytes: self.bytes.saturating_add(other.bytes),
            odd_lengths: self.odd_lengths + other.odd_lengths,
            odd_offsets: self.odd_offsets + other.odd_offsets,
            coarse_lengths: self.coarse_lengths + other.coarse_lengths,
            coarse_offsets: self.coarse_offsets + other.coarse_offsets,
            farthest: self.farthest.max(other.farthest),
        }
    }

    fn mean(&self) -> f64 {
        self.bytes as f64 / self.requests as f64
    }

    fn share(&self, count: u64) -> f64 {
        count as f64 / self.requests as f64
    }
}

impl Signs {
    #[inline]
    pub(crate) fn take(&mut self, request: &Request) {
        self.backwards += u64::from(request.arrival_ns < self.last_ns);
        let ahead_ns = request.arrival_ns.saturating_sub(self.latest_ns);
        if ahead_ns > self.ahead.0 {
            self.ahead = (ahead_ns, self.requests);
        }
        let back_ns = self.last_ns.saturating_sub(request.arrival_ns);
        if back_ns > self.back.0 {
            self.back = (back_ns, self.requests);
        }
        self.requests += 1;
        self.last_ns = request.arrival_ns;
        self.latest_ns = self.latest_ns.max(request.arrival_ns);
        self.follow += u64::from(self.end > 0 && request.offset == self.end);
        self.end = request.offset.saturating_add(request.length);
        self.of[request.op as usize].take(request);
    }

    /// The operations that show a sign, in words, and their extents; `None` if none does.
    fn showing(&self, sign: impl Fn(Op, &Extents) -> bool) -> Option<(String, Extents)> {
        let shown = TOLD.into_iter().filter(|&op| {
            let of = &self.of[op as usize];
            of.requests >= FEWEST_OF_ONE && sign(op, of)
        });
        let (ops, extents): (Vec<_>, Vec<_>) =
            shown.map(|op| (plural(op), self.of[op as usize])).unzip();
        let extents = extents.into_iter().reduce(Extents::and)?;
        let (last, before) = ops.split_last()?;
        let before = if before.is_empty() { String::new() } else { before.join(", ") + " and " };
        Some((before + last, extents))
    }

    /// The sign of bytes where the format has sectors: as sectors, all addresses or lengths are multiples of 256 KiB.
    fn bytes_as_sectors(
        &self,
        format: &FormatInfo,
        (lba, size): (Option<u64>, Option<u64>),
    ) -> Option<String> {
        let sectors = |unit| unit == Some(SECTOR);
        // The kernel writes events itself, in sectors; their text may be made by others.
        if format.has_actions && format.binary {
            return None;
        }
        let (ops, of) = self.showing(|op, _| is_transfer(op))?;
        let offsets = sectors(lba) && of.coarse_offsets == of.requests && of.farthest > COARSE;
        let lengths = sectors(size) && of.coarse_lengths == of.requests;
        // The kernel's own requests may well be aligned, but are not so long on average.
        if format.has_actions && (!lengths || self.follow > 0 || of.mean() <= KERNEL_MOST) {
            return None;
        }
        let (what, options) = match (offsets, lengths) {
            (true, true) => ("addresses and lengths", "--lba-unit bytes --size-unit bytes"),
            // Requests are shorter than what they are aligned to.
            (true, false) if of.mean() < COARSE as f64 => ("addresses", "--lba-unit bytes"),
            (false, true) if self.follow == 0 => ("lengths", "--size-unit bytes"),
            _ => return None,
        };
        Some(format!(
            "all {what} of {ops} are multiples of 512 sectors (mean length {}): if they are bytes, {options}",
            round_bytes(of.mean())
        ))
    }

    /// The sign of addresses in too large a unit: they reach far beyond the bytes that are asked for.
    fn sparse(&self, format: &FormatInfo, lba: Option<u64>) -> Option<String> {
        let lba = lba.filter(|_| !format.has_actions)?;
        let (ops, of) = self.showing(|op, _| is_transfer(op))?;
        let times = of.farthest / of.bytes.max(1);
        let is = lba > 1 && of.requests >= FEWEST_SPARSE && self.follow == 0 && times >= SPARSE;
        is.then(|| {
            format!(
                "addresses of {ops} reach {}, {times} times the bytes that they ask for in all, and none begins where the \
                 one before ends: if addresses are bytes, --lba-unit bytes",
                round_bytes(of.farthest as f64)
            )
        })
    }

    /// The signs of all that was read of a trace: see [`told`](Self::told).
    pub(crate) fn of(&self, reader: &TraceReader) -> Vec<String> {
        self.told(reader.format(), reader.units(), reader.units_asked(), reader.has_arrivals())
    }

    /// One sentence per sign, with the operations that show it and what may mend it.
    ///
    /// `units`: bytes of those of addresses and of lengths that options may replace; `units_asked`: options say the units.
    fn told(
        &self,
        format: &FormatInfo,
        units: (Option<u64>, Option<u64>),
        units_asked: bool,
        has_arrivals: bool,
    ) -> Vec<String> {
        let mut told = Vec::new();
        for (way, (jump_ns, before)) in [("", self.ahead), (" back", self.back)] {
            if has_arrivals && jump_ns >= LONGEST_GAP_NS {
                let days = jump_ns as f64 / (YEAR_NS / 365) as f64;
                let long = match jump_ns {
                    YEAR_NS.. => format!("{:.1} years", days / 365.0),
                    _ => format!("{days:.1} days"),
                };
                told.push(format!(
                    "time jumps{way} by {long} behind request {before}: is a time stamp stray?"
                ));
            }
        }
        if self.requests < FEWEST {
            return told;
        }
        let remedy = |unit: Option<u64>, text: &str| match unit {
            Some(_) => text.to_owned(),
            None => "check the trace".to_owned(),
        };
        let bytes = if units_asked { None } else { self.bytes_as_sectors(format, units) };
        let is_told = bytes.is_some();
        told.extend(bytes);
        if let Some((ops, of)) = self.showing(|_, of| of.share(of.odd_lengths) > MANY) {
            let unit = remedy(units.1, "if they are sectors, --size-unit sectors");
            told.push(format!(
                "{:.0} % of the lengths of {ops} are no multiple of 512 bytes (mean {}): {unit}",
                100.0 * of.share(of.odd_lengths),
                round_bytes(of.mean())
            ));
        }
        if let Some((ops, of)) = self.showing(|_, of| of.share(of.odd_offsets) > MANY) {
            let unit = remedy(units.0, "if they are sectors, --lba-unit sectors");
            told.push(format!(
                "{:.0} % of the addresses of {ops} are no multiple of 512 bytes: {unit}",
                100.0 * of.share(of.odd_offsets)
            ));
        }
        // A trim or a zeroed range may well be of a whole device.
        let long = |op, of: &Extents| is_transfer(op) && of.mean() > LONG_MEAN;
        if let Some((ops, of)) = self.showing(long).filter(|_| !is_told) {
            let unit = remedy(units.1, "if lengths are bytes, --size-unit bytes");
            told.push(format!("the mean length of {ops} is {}: {unit}", round_bytes(of.mean())));
        }
        if let Some((ops, of)) = self.showing(|_, of| of.farthest > FAR).filter(|_| !is_told) {
            let unit = remedy(units.0, "if addresses are bytes, --lba-unit bytes");
            let farthest = round_bytes(of.farthest as f64);
            told.push(format!("addresses of {ops} reach {farthest}: {unit}"));
        } else if !is_told && !units_asked {
            told.extend(self.sparse(format, units.0));
        }
        let share = self.backwards as f64 / self.requests as f64;
        if has_arrivals && share > MANY {
            told.push(format!(
                "{:.0} % of the arrivals are before that of the request before: is this the trace's order?",
                100.0 * share
            ));
        }
        let seconds = self.latest_ns as f64 / 1e9;
        if has_arrivals && self.latest_ns > 0 && self.requests as f64 / seconds > MOST_PER_SECOND {
            told.push(format!(
                "{} requests arrive in {seconds:.6} s: is the unit of time right? --time-scale changes it",
                self.requests
            ));
        }
        told
    }
}

fn is_transfer(op: Op) -> bool {
    matches!(op, Op::Read | Op::Write | Op::Append)
}

fn plural(op: Op) -> &'static str {
    match op {
        Op::Read => "reads",
        Op::Write => "writes",
        Op::Append => "appends",
        Op::Trim => "trims",
        Op::WriteZeroes => "zeroed ranges",
        Op::DeallocateZeroes => "zeroed and deallocated ranges",
        Op::Flush => "flushes",
        Op::Open | Op::Close | Op::Finish => "zone commands",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::find;
    use crate::formats::format::request;

    fn of_format(signs: &Signs, name: &str) -> Vec<String> {
        let format = find(name).unwrap();
        let units = format.unit_bytes.map(|(lba, size)| (Some(lba), Some(size)));
        signs.told(format, units.unwrap_or_default(), false, true)
    }

    fn told(name: &str, of: impl Fn(u64) -> (u64, u64, u64)) -> Vec<String> {
        let mut signs = Signs::default();
        for n in 0..100 {
            let (arrival_ns, offset, length) = of(n);
            signs.take(&request(0, Op::Write, offset, length, arrival_ns));
        }
        of_format(&signs, name)
    }

    #[test]
    fn bytes_in_a_format_of_sectors_are_told_with_the_options() {
        let at = |n: u64| n * 1_000_000;
        let place = |n: u64| n * 7919 % 1000;
        let cases = [
            // 4-KiB pages, as bytes that were taken for sectors.
            (
                told("disksim", |n| (at(n), place(n) * 4096 * 512, (1 + n % 3) * 4096 * 512)),
                "--lba-unit bytes --size-unit bytes",
            ),
            (
                told("oraclegeneral", |n| (at(n), place(n) * 4096 * 512, 4096)),
                "if they are bytes, --lba-unit bytes",
            ),
            (
                told("tencent", |n| (at(n), place(n) * 4096, 1024 * 512)),
                "if they are bytes, --size-unit bytes",
            ),
            // 4-KiB lengths in bytes, in text that others made.
            (
                told("blkparse", |n| (at(n), place(n) * 4096, 4096 * 512)),
                "if they are bytes, --size-unit bytes",
            ),
        ];
        for (told, words) in &cases {
            assert!(told.len() == 1 && told[0].ends_with(words), "{words}: {told:?}");
        }
        // Pages in sectors; blocks of 256 KiB one after the other; events of the kernel; a trace in bytes.
        let none = Vec::<String>::new();
        assert_eq!(told("disksim", |n| (at(n), place(n) * 4096, 4096)), none);
        assert_eq!(told("disksim", |n| (at(n), 4096 + n * 262_144, 262_144)), none);
        assert_eq!(told("blkparse", |n| (at(n), n << 20, 1 << 20)), none);
        assert_eq!(told("blkparse", |n| (at(n), place(n) << 20, 1 << 20)), none);
        assert_eq!(told("blktrace", |n| (at(n), place(n) * 4096, 4096 * 512)), none);
        assert_eq!(told("msr", |n| (at(n), n << 20, 1 << 20)), none);
    }

    #[test]
    fn addresses_far_beyond_what_is_asked_for_are_told() {
        let told = |name: &str, requests: u64, follow: u64, step: u64| {
            let mut signs = Signs::default();
            for n in 0..requests {
                let offset = if n < follow { n * 4096 } else { n * 7919 % requests * step };
                signs.take(&request(0, Op::Write, offset + 512, 4096, n * 1_000_000));
            }
            of_format(&signs, name)
        };
        let sign = told("disksim", 1000, 0, 10_100 * 4096);
        assert!(
            sign.len() == 1 && sign[0].ends_with("if addresses are bytes, --lba-unit bytes"),
            "{sign:?}"
        );
        assert!(sign[0].contains("times the bytes that they ask for in all"), "{sign:?}");
        for (name, requests, follow, step) in [
            ("disksim", 1000, 2, 10_100 * 4096),
            ("disksim", 999, 0, 10_100 * 4096),
            ("disksim", 1000, 0, 9000 * 4096),
            ("msr", 1000, 0, 10_100 * 4096),
            ("blkparse", 1000, 0, 10_100 * 4096),
        ] {
            assert_eq!(
                told(name, requests, follow, step),
                Vec::<String>::new(),
                "{name} {requests} {follow}"
            );
        }
    }

    #[test]
    fn a_usual_trace_shows_no_sign() {
        assert_eq!(told("msr", |n| (n * 1_000_000, n * 4096, 4096)), Vec::<String>::new());
        // One in twenty is odd: some real traces are so.
        let some = |n| (n * 1000, n * 4096, if n % 20 == 0 { 100 } else { 512 });
        assert_eq!(told("spc", some), Vec::<String>::new());
    }

    #[test]
    fn a_sign_is_of_the_operations_that_show_it() {
        let told = |of: &[(Op, u64)]| {
            let mut signs = Signs::default();
            for n in 0..40 {
                for &(op, length) in of {
                    signs.take(&request(0, op, n * 4096, length, n * 1_000_000));
                }
            }
            of_format(&signs, "ssdsim")
        };
        // As fstrim sends them, between small requests.
        let usual = [(Op::Read, 4096), (Op::Write, 4096), (Op::Trim, 4 << 30), (Op::Flush, 0)];
        assert_eq!(told(&usual), Vec::<String>::new());
        let long = told(&[(Op::Read, 64 << 20), (Op::Write, 4096)]);
        assert!(long[0].starts_with("the mean length of reads is 64.0 MiB: "), "{long:?}");
        let odd = told(&[(Op::Read, 8), (Op::Write, 8), (Op::Trim, 512)]);
        let words =
            "100 % of the lengths of reads and writes are no multiple of 512 bytes (mean 8 bytes)";
        assert!(odd[0].starts_with(words), "{odd:?}");
    }

    #[test]
    fn a_jump_of_time_is_told_both_ways_from_30_days_on() {
        let jump =
            |ns: u64| told("msr", |n| (n * 1000 * 1000 + if n == 7 { ns } else { 0 }, 0, 512));
        let both = jump(LONGEST_GAP_NS + 1_000_000);
        assert!(
            both[0].starts_with("time jumps by 30.0 days behind request 7: ")
                && both[1].starts_with("time jumps back by 30.0 days behind request 8: "),
            "{both:?}"
        );
        assert_eq!(jump(LONGEST_GAP_NS - 1_000_001), Vec::<String>::new());
    }

    #[test]
    fn each_sign_is_told_with_its_remedy() {
        let at = |n: u64| n * 1_000_000;
        let cases = [
            (
                told("spc", |n| (at(n), n * 512, 8 + n % 3)),
                "of the lengths of writes are no multiple of 512 bytes (mean 9.0 bytes): if they are sectors, --size-unit",
            ),
            (told("msr", |n| (at(n), n * 8 + 1, 4096)), "--lba-unit sectors"),
            (
                told("ssdsim", |n| (at(n), n * 512, (16 << 20) + 512)),
                "the mean length of writes is 16.0 MiB: if lengths are bytes, --size-unit bytes",
            ),
            (
                told("ssdsim", |n| (at(n), (n << 40) + 512, 4096)),
                "addresses of writes reach 99.0 TiB",
            ),
            (told("msr", |n| (at(100 - n % 5), n * 512, 512)), "80 % of the arrivals"),
            (told("msr", |n| (n, n * 512, 512)), "100 requests arrive in 0.000000 s"),
            (told("csv", |n| (at(n), n * 512, 100)), "check the trace"),
            (
                told("msr", |n| (at(n) + if n < 7 { 0 } else { 54 * YEAR_NS }, n * 512, 512)),
                "time jumps by 54.0 years behind request 7: is a time stamp stray?",
            ),
            (
                told("msr", |n| (at(n) + if n < 7 { 0 } else { LONGEST_GAP_NS }, n * 512, 512)),
                "time jumps by 30.0 days behind request 7: is a time stamp stray?",
            ),
        ];
        for (told, words) in &cases {
            assert!(told.len() == 1 && told[0].contains(words), "{words}: {told:?}");
        }
    }
}
