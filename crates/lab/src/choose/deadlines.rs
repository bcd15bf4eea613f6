//! Deadlines that a search asks for: of all requests, of reads, of writes, and of a percentile of them.

use crate::config::{Duration, with_unit};
use ::run::{Limit, OfRequests};
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// How deadlines are written, for errors.
const HOW: &str = "expected a TIME such as 3ms, of one kind reads:1ms or writes:3ms, of a percentile p99.9=3ms or \
                   reads:p99=500us; several with commas";

/// Digits of a percentile behind the point.
const DIGITS: usize = 6;

/// One or several deadlines, all of which are to be kept. Text: `3ms`, `reads:1ms,writes:3ms`, `p99.9=3ms`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlines(Vec<Limit>);

impl Deadlines {
    /// One for each request.
    pub fn each(within_ns: u64) -> Self {
        Self(vec![Limit { of: None, within_ns, late: 0 }])
    }

    /// The deadlines.
    pub fn limits(&self) -> &[Limit] {
        &self.0
    }

    /// The shortest of them that is about requests that are not reads; `None` if all are about reads.
    pub fn shortest_for_writes(&self) -> Option<&Limit> {
        let of_all = |limit: &&Limit| limit.late == 0 && limit.of != Some(OfRequests::Reads);
        self.0.iter().filter(of_all).min_by_key(|limit| limit.within_ns)
    }

    /// The shortest time.
    pub fn shortest_ns(&self) -> u64 {
        self.0.iter().map(|limit| limit.within_ns).min().unwrap_or(0)
    }

    /// The longest time.
    pub fn longest_ns(&self) -> u64 {
        self.0.iter().map(|limit| limit.within_ns).max().unwrap_or(0)
    }
}

/// A deadline as it is written.
pub(super) fn text(limit: &Limit) -> String {
    let of = match limit.of {
        None => "",
        Some(OfRequests::Reads) => "reads:",
        Some(OfRequests::Writes) => "writes:",
    };
    let time = Duration::new(limit.within_ns);
    if limit.late == 0 {
        return format!("{of}{time}");
    }
    let kept = Limit::ALL - limit.late;
    let (whole, rest) = (kept / 1_000_000, kept % 1_000_000);
    let digits = format!(".{rest:06}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    format!("{of}p{whole}{digits}={time}")
}

/// Requests of [`Limit::ALL`] that may be late at this percentile.
fn late(percentile: &str) -> Option<u32> {
    let (whole, digits) = percentile.split_once('.').unwrap_or((percentile, ""));
    let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || digits.len() > DIGITS || !is_number(whole) || !is_number(digits) {
        return None;
    }
    let kept: u64 = format!("{whole}{digits:0<DIGITS$}").parse().ok()?;
    let kept = u32::try_from(kept).ok()?;
    (kept > 0).then(|| Limit::ALL.checked_sub(kept)).flatten()
}

fn one(text: &str) -> Result<Limit, String> {
    let wrong = |why: &str| format!("`{text}`{why}; {HOW}");
    let (of, rest) = match text.split_once(':') {
        None => (None, text),
        Some(("reads" | "read", rest)) => (Some(OfRequests::Reads), rest),
        Some(("writes" | "write", rest)) => (Some(OfRequests::Writes), rest),
        Some((other, _)) => {
            return Err(wrong(&format!(": `{other}` is neither `reads` nor `writes`")));
        }
    };
    let (late, time) = match rest.trim().split_once('=') {
        None => (0, rest.trim()),
        Some((percentile, time)) => {
            let number = percentile.trim().strip_prefix('p').and_then(late);
            let number = number.ok_or_else(|| {
                wrong(&format!(
                    ": `{percentile}` is no percentile above p0 and up to p100 with at most {DIGITS} digits behind the point"
                ))
            })?;
            (number, time.trim())
        }
    };
    let within_ns = with_unit(time).map_err(|why| wrong(&format!(": {why}")))?.0;
    match within_ns {
        0 | u64::MAX => Err(wrong(": must be a time of 1 ns or more")),
        within_ns => Ok(Limit { of, within_ns, late }),
    }
}

impl FromStr for Deadlines {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let limits: Vec<Limit> =
            text.split(',').map(|part| one(part.trim())).collect::<Result<_, _>>()?;
        let same = |a: &Limit, b: &Limit| (a.of, a.late) == (b.of, b.late);
        let twice = limits
            .iter()
            .enumerate()
            .find(|(at, limit)| limits[..*at].iter().any(|a| same(a, limit)));
        match twice {
            Some((_, limit)) => {
                Err(format!("`{}`: there is another deadline of these requests", self::text(limit)))
            }
            None => Ok(Self(limits)),
        }
    }
}

impl fmt::Display for Deadlines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(text).collect::<Vec<_>>().join(","))
    }
}

impl Serialize for Deadlines {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_are_read_and_written_alike() {
        let limit = |of, within_ns, late| Limit { of, within_ns, late };
        let (reads, writes) = (Some(OfRequests::Reads), Some(OfRequests::Writes));
        for (given, limits, written) in [
            ("3ms", vec![limit(None, 3_000_000, 0)], "3ms"),
            ("read:1ms", vec![limit(reads, 1_000_000, 0)], "reads:1ms"),
            (
                "reads:1ms, writes:p99=3ms",
                vec![limit(reads, 1_000_000, 0), limit(writes, 3_000_000, 1_000_000)],
                "reads:1ms,writes:p99=3ms",
            ),
            ("p99.9=500us", vec![limit(None, 500_000, 100_000)], "p99.9=500us"),
            ("p99.999999=1s", vec![limit(None, 1_000_000_000, 1)], "p99.999999=1s"),
            (
                "p100=1s,p50=1ms",
                vec![limit(None, 1_000_000_000, 0), limit(None, 1_000_000, 50_000_000)],
                "1s,p50=1ms",
            ),
        ] {
            let found: Deadlines = given.parse().unwrap();
            assert_eq!(found.limits(), limits, "{given}");
            assert_eq!(found.to_string(), written);
            assert_eq!(written.parse::<Deadlines>().unwrap(), found);
        }
    }

    #[test]
    fn what_is_no_deadline_is_refused() {
        for (given, why) in [
            ("3", "no unit"),
            ("", "expected"),
            ("0ms", "1 ns or more"),
            ("trims:1ms", "`trims` is neither"),
            ("p101=1ms", "`p101` is no percentile"),
            ("p0=1ms", "`p0` is no percentile"),
            ("p99.1234567=1ms", "is no percentile"),
            ("99=1ms", "`99` is no percentile"),
            ("p=1ms", "`p` is no percentile"),
            ("p99.9", "expected"),
            ("reads:1ms,read:2ms", "there is another"),
            ("3ms,", "expected"),
        ] {
            let found = given.parse::<Deadlines>().unwrap_err();
            assert!(found.contains(why), "{given}: {found}");
        }
    }

    #[test]
    fn the_shortest_for_writes_is_one_that_no_write_may_miss() {
        let of = |text: &str| {
            let found: Deadlines = text.parse().unwrap();
            found.shortest_for_writes().map(|limit| limit.within_ns)
        };
        assert_eq!(of("3ms,writes:2ms,reads:1ms,p99=1ns"), Some(2_000_000));
        assert_eq!(of("reads:1ms,p99=1ns"), None);
    }
}
