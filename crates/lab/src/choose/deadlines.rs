//! Deadlines that a search asks for: of all requests, of reads, of writes, of requests of a length, and of a percentile of them.

use crate::config::{Duration, with_unit};
use ::run::{Length, Limit, OfRequests};
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;
use workload::quantity::Bytes;

/// How deadlines are written, for errors.
const HOW: &str = "expected a TIME such as 3ms, of one kind reads:1ms or writes:3ms, of a length ..16KiB:3ms or \
                   writes:16KiB..64KiB:9ms, of a percentile p99.9=3ms or reads:p99=500us; several with commas";

/// Digits of a percentile behind the point.
const DIGITS: usize = 6;

/// One or several deadlines, all of which are to be kept. Text: `3ms`, `reads:1ms,writes:3ms`, `p99.9=3ms`,
/// `writes:..16KiB:3ms` (of writes of up to 16 KiB).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlines(Vec<Limit>);

impl Deadlines {
    /// One for each request.
    pub fn each(within_ns: u64) -> Self {
        Self(vec![Limit { of: None, length: Length::ANY, within_ns, late: 0 }])
    }

    /// The deadlines.
    pub fn limits(&self) -> &[Limit] {
        &self.0
    }

    /// Those that no write may miss of the lengths that they are about; each length once, with the shortest time.
    pub fn of_writes(&self) -> Vec<&Limit> {
        let of_all = |limit: &&Limit| limit.late == 0 && limit.of != Some(OfRequests::Reads);
        let mut found: Vec<&Limit> = self.0.iter().filter(of_all).collect();
        found.sort_by_key(|limit| {
            (limit.length.least_bytes, limit.length.most_bytes, limit.within_ns)
        });
        found.dedup_by_key(|limit| limit.length);
        found
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
    let Length { least_bytes, most_bytes } = limit.length;
    let end = |bytes: u64, none: u64| match bytes == none {
        true => String::new(),
        false => Bytes::new(bytes).to_string(),
    };
    let length = match limit.length {
        Length::ANY => String::new(),
        _ => format!("{}..{}:", end(least_bytes, 0), end(most_bytes, u64::MAX)),
    };
    let of = format!("{of}{length}");
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

/// Lengths as `4KiB..16KiB`, of which an end may be left out.
fn length(text: &str) -> Result<Length, String> {
    let (least, most) = text.split_once("..").unwrap_or_default();
    let end = |text: &str, none: u64| match text.trim() {
        "" => Ok(none),
        text => text.parse::<Bytes>().map(|bytes| bytes.0).map_err(|why| why.to_string()),
    };
    let length = Length { least_bytes: end(least, 0)?, most_bytes: end(most, u64::MAX)? };
    match length {
        Length::ANY => Err(format!("`{text}` needs a length on a side of `..`")),
        length if length.least_bytes > length.most_bytes => {
            Err(format!("no length is in `{text}`: the shorter one comes first"))
        }
        length => Ok(length),
    }
}

fn one(text: &str) -> Result<Limit, String> {
    let wrong = |why: &str| format!("`{text}`{why}; {HOW}");
    let mut limit = Limit { of: None, length: Length::ANY, within_ns: 0, late: 0 };
    let (of, rest) = text.rsplit_once(':').unwrap_or(("", text));
    for of in of.split(':').filter(|_| text.contains(':')).map(str::trim) {
        match of {
            "reads" | "read" if limit.of.is_none() => limit.of = Some(OfRequests::Reads),
            "writes" | "write" if limit.of.is_none() => limit.of = Some(OfRequests::Writes),
            of if of.contains("..") && limit.length == Length::ANY => {
                limit.length = length(of).map_err(|why| wrong(&format!(": {why}")))?;
            }
            other => {
                return Err(wrong(&format!(
                    ": `{other}` is neither `reads` nor `writes` nor lengths such as `..16KiB`, each once"
                )));
            }
        }
    }
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
        within_ns => Ok(Limit { within_ns, late, ..limit }),
    }
}

impl FromStr for Deadlines {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let limits: Vec<Limit> =
            text.split(',').map(|part| one(part.trim())).collect::<Result<_, _>>()?;
        let same = |a: &Limit, b: &Limit| (a.of, a.length, a.late) == (b.of, b.length, b.late);
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
        let limit = |of, within_ns, late| Limit { of, length: Length::ANY, within_ns, late };
        let of_length = |of, least_bytes, most_bytes| Limit {
            length: Length { least_bytes, most_bytes },
            ..limit(of, 3_000_000, 0)
        };
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
            ("..16KiB:3ms", vec![of_length(None, 0, 16 << 10)], "..16KiB:3ms"),
            (
                "write: 4k..65536 :3ms,reads:64KiB..:p99=3ms",
                vec![
                    of_length(writes, 4096, 65_536),
                    Limit { late: 1_000_000, ..of_length(reads, 65_536, u64::MAX) },
                ],
                "writes:4KiB..64KiB:3ms,reads:64KiB..:p99=3ms",
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
            (":1ms", "`` is neither"),
            ("reads:writes:1ms", "`writes` is neither"),
            ("..4k:..8k:1ms", "`..8k` is neither"),
            ("writes:..:1ms", "needs a length"),
            ("8KiB..4KiB:1ms", "no length is in"),
            ("..many:1ms", "many"),
            ("..4KiB", "expected"),
            ("..4KiB:1ms,..4096:2ms", "there is another"),
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
    fn each_length_has_the_shortest_time_that_no_write_may_miss() {
        let of = |text: &str| {
            let found: Deadlines = text.parse().unwrap();
            found.of_writes().into_iter().map(super::text).collect::<Vec<_>>()
        };
        let text = "3ms,writes:2ms,reads:1ms,p99=1ns,writes:..4KiB:1ms,..4KiB:2ms";
        assert_eq!(of(text), ["writes:..4KiB:1ms", "writes:2ms"]);
        assert_eq!(of("reads:1ms,p99=1ns,reads:..4KiB:1ns"), [""; 0]);
    }
}
