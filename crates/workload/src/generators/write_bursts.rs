//! Bursts of sequential writes with pauses in between: what shows the size of an SSD's cache and how it recovers.

use crate::error::WorkloadError;
use crate::generators::generated::{Access, BATCH, request};
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::mix::{self, FOOTPRINT, SIZE};
use crate::generators::pace::{self, Pace};
use crate::generators::sequential::Cursor;
use crate::parameters::{Kind, ParameterInfo};
use crate::request::{Op, Request};
use crate::source::Source;

static PARAMETERS: &[ParameterInfo] = &[
    SIZE,
    FOOTPRINT,
    ParameterInfo::bytes("burst", "64MiB", "bytes written per burst, in whole requests"),
    ParameterInfo {
        name: "period",
        summary: "time from the start of one burst to that of the next; without `rate` all requests of a burst arrive at its start",
        unit: "s",
        kind: Kind::Number { min: 0.0, max: 1e6 },
        default: "10",
    },
    ParameterInfo {
        name: "bursts",
        summary: "number of bursts, unless a number of requests is given",
        unit: "bursts",
        kind: Kind::Count { min: 1, max: 1_000_000_000 },
        default: "2",
    },
];

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "write-bursts",
    summary: "sequential writes in bursts: each burst's requests arrive together, and the device may idle until the next",
    parameters: &[PARAMETERS, pace::PARAMETERS],
    requests: None,
    source: "sequential fill with a pause, as reviews of SSDs measure write caches (AnandTech, Samsung SSD 840 EVO, 2013)",
    build,
};

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let parameters = request.parameters;
    let footprint = mix::footprint_bytes(parameters, request.space);
    let size = mix::size_bytes(parameters, request.space);
    mix::check_fits(parameters, "size", footprint, size)?;
    let of_burst = (parameters.bytes("burst").unwrap_or(size) / size).max(1);
    let bursts = parameters.count("bursts").unwrap_or(1);
    let requests = request.requests.unwrap_or(bursts.saturating_mul(of_burst));
    let period_ns = (parameters.number("period").unwrap_or_default() * 1e9).round() as u64;
    let source = WriteBursts {
        cursor: Cursor { at: 0, end: footprint },
        size,
        of_burst,
        period_ns,
        pace: Pace::new(parameters, request.seed),
        begun_ns: 0,
        last_ns: 0,
        done: 0,
        left: requests,
    };
    let source = Box::new(source);
    Ok(Built { source, requests, footprint_bytes: footprint, notes: Vec::new() })
}

struct WriteBursts {
    cursor: Cursor,
    size: u64,
    /// Requests per burst.
    of_burst: u64,
    period_ns: u64,
    pace: Pace,
    /// Time of the pace when the present burst began.
    begun_ns: u64,
    last_ns: u64,
    done: u64,
    left: u64,
}

impl WriteBursts {
    /// Arrival of the next request: never before the one before it, also if a burst lasts longer than the period.
    fn next_arrival(&mut self) -> u64 {
        let paced_ns = self.pace.next_arrival();
        if self.done.is_multiple_of(self.of_burst) {
            self.begun_ns = paced_ns;
        }
        let burst_ns = (self.done / self.of_burst).saturating_mul(self.period_ns);
        self.last_ns = self.last_ns.max(burst_ns.saturating_add(paced_ns - self.begun_ns));
        self.last_ns
    }
}

impl Source for WriteBursts {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let batch = max.min(BATCH).min(usize::try_from(self.left).unwrap_or(BATCH));
        for _ in 0..batch {
            let (offset, length) = self.cursor.take(self.size);
            let arrival_ns = self.next_arrival();
            out.push(request(Access::plain(Op::Write, offset, length), arrival_ns));
            self.done += 1;
        }
        self.left -= batch as u64;
        Ok(batch)
    }

    fn has_arrivals(&self) -> bool {
        true
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.left)
    }

    fn span_ns(&self) -> Option<f64> {
        let bursts = self.left.saturating_sub(1) / self.of_burst;
        let of_burst_ns = self.pace.span_ns(self.left.min(self.of_burst)).unwrap_or(0.0);
        Some(bursts as f64 * self.period_ns as f64 + of_burst_ns)
    }
}
