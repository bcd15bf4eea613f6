//! Signs that a trace was read with wrong units or in a wrong format.

use crate::formats::format::FormatInfo;
use crate::request::{Op, Request};
use crate::units::{YEAR_NS, round_bytes};

const SECTOR: u64 = 512;
/// Share of requests from which on a sign is told.
const MANY: f64 = 0.1;
/// Fewest requests that tell anything.
const FEWEST: u64 = 20;
/// Mean length from which on lengths in sectors are perhaps bytes.
const LONG_MEAN: f64 = (8 << 20) as f64;
/// Address from which on addresses are perhaps in another unit: 16 TiB.
const FAR: u64 = 1 << 44;
/// Requests per second that no device gets.
const MOST_PER_SECOND: f64 = 1e7;

/// What is counted of each request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Signs {
    requests: u64,
    bytes: u64,
    odd_lengths: u64,
    odd_offsets: u64,
    farthest: u64,
    last_ns: u64,
    latest_ns: u64,
    backwards: u64,
    longest_gap_ns: u64,
    /// Requests before that gap.
    before_gap: u64,
    taken: u64,
}

impl Signs {
    #[inline]
    pub(crate) fn take(&mut self, request: &Request) {
        self.backwards += u64::from(request.arrival_ns < self.last_ns);
        let gap_ns = request.arrival_ns.saturating_sub(self.latest_ns);
        if gap_ns > self.longest_gap_ns {
            (self.longest_gap_ns, self.before_gap) = (gap_ns, self.taken);
        }
        self.taken += 1;
        self.last_ns = request.arrival_ns;
        self.latest_ns = self.latest_ns.max(request.arrival_ns);
        if request.op == Op::Flush {
            return;
        }
        self.requests += 1;
        self.bytes = self.bytes.saturating_add(request.length);
        self.odd_lengths += u64::from(!request.length.is_multiple_of(SECTOR));
        self.odd_offsets += u64::from(!request.offset.is_multiple_of(SECTOR));
        self.farthest = self.farthest.max(request.offset.saturating_add(request.length));
    }

    /// One sentence per sign, with what may mend it.
    pub(crate) fn told(&self, format: &FormatInfo, has_arrivals: bool) -> Vec<String> {
        let mut told = Vec::new();
        if has_arrivals && self.longest_gap_ns > YEAR_NS {
            told.push(format!(
                "time jumps by {:.1} years behind request {}: is a time stamp stray?",
                self.longest_gap_ns as f64 / YEAR_NS as f64,
                self.before_gap
            ));
        }
        if self.requests < FEWEST {
            return told;
        }
        let share = |count: u64| count as f64 / self.requests as f64;
        let percent = |count: u64| 100.0 * share(count);
        let mean = self.bytes as f64 / self.requests as f64;
        let has_units = format.unit_bytes.is_some();
        let remedy =
            |text: &str| if has_units { text.to_owned() } else { "check the trace".to_owned() };
        if share(self.odd_lengths) > MANY {
            let unit = remedy("if they are sectors, --size-unit sectors");
            told.push(format!(
                "{:.0} % of the lengths are no multiple of 512 bytes (mean {}): {unit}",
                percent(self.odd_lengths),
                round_bytes(mean)
            ));
        }
        if share(self.odd_offsets) > MANY {
            let unit = remedy("if they are sectors, --lba-unit sectors");
            told.push(format!(
                "{:.0} % of the addresses are no multiple of 512 bytes: {unit}",
                percent(self.odd_offsets)
            ));
        }
        if mean > LONG_MEAN {
            let unit = remedy("if lengths are bytes, --size-unit bytes");
            told.push(format!("the mean length is {}: {unit}", round_bytes(mean)));
        }
        if self.farthest > FAR {
            let unit = remedy("if addresses are bytes, --lba-unit bytes");
            told.push(format!("addresses reach {}: {unit}", round_bytes(self.farthest as f64)));
        }
        if has_arrivals && share(self.backwards) > MANY {
            told.push(format!(
                "{:.0} % of the arrivals are before that of the request before: is this the trace's order?",
                percent(self.backwards)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::find;
    use crate::formats::format::request;

    fn told(name: &str, of: impl Fn(u64) -> (u64, u64, u64)) -> Vec<String> {
        let mut signs = Signs::default();
        for n in 0..100 {
            let (arrival_ns, offset, length) = of(n);
            signs.take(&request(0, Op::Write, offset, length, arrival_ns));
        }
        signs.told(find(name).unwrap(), true)
    }

    #[test]
    fn a_usual_trace_shows_no_sign() {
        assert_eq!(told("msr", |n| (n * 1_000_000, n * 4096, 4096)), Vec::<String>::new());
        // One in twenty is odd: some real traces are so.
        let some = |n| (n * 1000, n * 4096, if n % 20 == 0 { 100 } else { 512 });
        assert_eq!(told("spc", some), Vec::<String>::new());
    }

    #[test]
    fn each_sign_is_told_with_its_remedy() {
        let at = |n: u64| n * 1_000_000;
        let cases = [
            (
                told("spc", |n| (at(n), n * 512, 8 + n % 3)),
                "no multiple of 512 bytes (mean 9.0 bytes): if they are sectors, --size-unit",
            ),
            (told("msr", |n| (at(n), n * 8 + 1, 4096)), "--lba-unit sectors"),
            (
                told("ssdsim", |n| (at(n), n * 512, 16 << 20)),
                "the mean length is 16.0 MiB: if lengths are bytes, --size-unit bytes",
            ),
            (told("ssdsim", |n| (at(n), n << 40, 4096)), "addresses reach 99.0 TiB"),
            (told("msr", |n| (at(100 - n % 5), n * 512, 512)), "80 % of the arrivals"),
            (told("msr", |n| (n, n * 512, 512)), "100 requests arrive in 0.000000 s"),
            (told("csv", |n| (at(n), n * 512, 100)), "check the trace"),
            (
                told("msr", |n| (at(n) + if n < 7 { 0 } else { 54 * YEAR_NS }, n * 512, 512)),
                "time jumps by 54.0 years behind request 7: is a time stamp stray?",
            ),
        ];
        for (told, words) in &cases {
            assert!(told.len() == 1 && told[0].contains(words), "{words}: {told:?}");
        }
    }
}
