//! Stand-ins for the benchmarks of GFTL, with the printed numbers of reads and writes and range of sectors.
//!
//! | | reads | writes | sectors |
//! | --- | --- | --- | --- |
//! | format | 15 | 36 | 0–533 |
//! | andrew | 2 | 3,126 | 1–2,867 |
//! | postmark | 412 | 21,153 | 2–10,000 |
//! | postmark-long | 23,694 | 1,238,135 | 1–65,543 |
//! | iozone | 3,713 | 3,089,393 | 1–65,588 |
//! | consumer | 76,749 | 125,596 | 1–125,060 |
//!
//! A sector is a page: 65,589 of them in 2-KiB pages are the 136 MB that the paper needs at full use.
//! Consumer's 125,061 are 260 MB.
//! Every request is one sector. The first two requests of each benchmark go to the ends of its range.
//!
//! Table IV has 76,749 reads for consumer, §V has 76,479 (two digits are swapped); the table's number is
//! used.
//!
//! The order of sectors is not printed:
//! - Postmark's files are small and new, and FAT puts each after the previous one. Its writes are long runs
//!   and table updates.
//! - IOzone has the order of its automatic mode.
//! - Consumer has 125,596 writes to 125,060 sectors and a wear index near 0, so each sector is written once.
//!
//! The synthetic trace is format → andrew → postmark → iozone.
//! Its 4.3 million writes result only with both lengths of postmark: 4,351,843 writes and 27,836 reads
//! (printed: 27,841).

use crate::error::WorkloadError;
use crate::generators::character::{Character, Flow, Metadata, Played, Stage};
use crate::generators::generated::{Access, Counted, Pattern};
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::iozone::Iozone;
use crate::generators::mix::Sizes;
use crate::generators::pace;
use crate::generators::quota::Quota;
use crate::generators::written_once::WrittenOnce;
use crate::parameters::{Kind, ParameterInfo};
use crate::units;

struct Benchmark {
    reads: u64,
    writes: u64,
    first: u64,
    last: u64,
    order: Order,
}

/// Known order of a benchmark.
enum Order {
    /// Runs and jumps.
    Runs {
        /// Share of the requests that continue a run, and number of concurrent runs.
        sequential: f64,
        runs: u32,
        /// Share of the requests on FAT's allocation tables and directories.
        tables: f64,
    },
    /// Order of IOzone's automatic mode.
    Iozone,
    /// Each sector written once, in order; reads go to random written sectors.
    WrittenOnce,
}

const fn runs(sequential: f64, runs: u32, tables: f64) -> Order {
    Order::Runs { sequential, runs, tables }
}

static FORMAT_: Benchmark =
    Benchmark { reads: 15, writes: 36, first: 0, last: 533, order: runs(0.8, 1, 0.5) };
static ANDREW_: Benchmark =
    Benchmark { reads: 2, writes: 3_126, first: 1, last: 2_867, order: runs(0.8, 2, 0.3) };
static POSTMARK_: Benchmark =
    Benchmark { reads: 412, writes: 21_153, first: 2, last: 10_000, order: runs(0.95, 1, 0.4) };
static POSTMARK_LONG_: Benchmark = Benchmark {
    reads: 23_694,
    writes: 1_238_135,
    first: 1,
    last: 65_543,
    order: runs(0.95, 1, 0.4),
};
static IOZONE_: Benchmark =
    Benchmark { reads: 3_713, writes: 3_089_393, first: 1, last: 65_588, order: Order::Iozone };
static CONSUMER_: Benchmark = Benchmark {
    reads: 76_749,
    writes: 125_596,
    first: 1,
    last: 125_060,
    order: Order::WrittenOnce,
};

static SECTORS: &[ParameterInfo] = &[
    ParameterInfo::bytes(
        "sector",
        "page",
        "bytes of a sector, which is what each request asks for; page: one page of the device",
    ),
    ParameterInfo {
        name: "fit",
        summary: "exact: sector numbers as printed; scale: scaled down to a space that is too small for them",
        unit: "",
        kind: Kind::Choice(&["exact", "scale"]),
        default: "exact",
    },
];

/// Declaration common to all.
const STAND_IN: BuiltinInfo = BuiltinInfo {
    parameters: &[SECTORS, pace::PARAMETERS],
    source: "stand-in with the figures of the benchmark in S. Choudhuri and T. Givargis, Deterministic \
                      Service Guarantees for NAND Flash using Partial Block Cleaning, CODES+ISSS 2008, Table IV",
    ..BuiltinInfo::PLAIN
};

pub(crate) static FORMAT: BuiltinInfo = BuiltinInfo {
    name: "format",
    summary: "a flash disk formatted with FAT 32: 51 requests",
    build: |request| build(request, &[&FORMAT_]),
    ..STAND_IN
};

pub(crate) static ANDREW: BuiltinInfo = BuiltinInfo {
    name: "andrew",
    summary: "the Andrew benchmark on FAT 32: files made, copied, read, compiled",
    build: |request| build(request, &[&ANDREW_]),
    ..STAND_IN
};

pub(crate) static POSTMARK: BuiltinInfo = BuiltinInfo {
    name: "postmark",
    summary: "the Postmark benchmark on FAT 32: many small files of a mail server",
    build: |request| build(request, &[&POSTMARK_]),
    ..STAND_IN
};

pub(crate) static POSTMARK_LONG: BuiltinInfo = BuiltinInfo {
    name: "postmark-long",
    summary: "Postmark, a long run: 1.26 million requests",
    build: |request| build(request, &[&POSTMARK_LONG_]),
    ..STAND_IN
};

pub(crate) static IOZONE: BuiltinInfo = BuiltinInfo {
    name: "iozone",
    summary: "the IOzone benchmark on FAT 32: files of 64 KiB to 32 MiB written in order, at random, in place",
    build: |request| build(request, &[&IOZONE_]),
    ..STAND_IN
};

pub(crate) static CONSUMER: BuiltinInfo = BuiltinInfo {
    name: "consumer",
    summary: "consumer electronics: pictures, audio and video stored once, and looked at",
    build: |request| build(request, &[&CONSUMER_]),
    ..STAND_IN
};

pub(crate) static SYNTHETIC: BuiltinInfo = BuiltinInfo {
    name: "gftl-synthetic",
    summary: "format, andrew, postmark, postmark-long and iozone one after the other",
    build: |request| build(request, &[&FORMAT_, &ANDREW_, &POSTMARK_, &POSTMARK_LONG_, &IOZONE_]),
    ..STAND_IN
};

fn build(request: &Build<'_>, benchmarks: &[&'static Benchmark]) -> Result<Built, WorkloadError> {
    let sector = request.parameters.bytes("sector").unwrap_or(u64::from(request.space.page_bytes));
    let room = request.space.bytes / sector;
    let needed = benchmarks.iter().map(|benchmark| benchmark.last + 1).max().unwrap_or_default();
    let scale = request.parameters.text("fit") == "scale" && room < needed;
    if room == 0 || (!scale && room < needed) {
        let expected = format!(
            "such that {needed} sectors of {} fit the space of {}: a smaller sector, a larger space, or `fit = scale`",
            units::show_bytes(sector),
            units::show_bytes(request.space.bytes)
        );
        return Err(request.parameters.refuse("sector", expected));
    }
    let stretch = |number: u64| if scale { number * (room - 1) / (needed - 1) } else { number };
    let part = |(i, benchmark): (usize, &&'static Benchmark)| {
        let (first, last) = (stretch(benchmark.first), stretch(benchmark.last));
        Part::new(benchmark, first, last, sector, request.seed ^ (i as u64 + 1) << 32)
    };
    let parts: Vec<_> = benchmarks.iter().enumerate().map(part).rev().collect();
    let requests = benchmarks.iter().map(|benchmark| benchmark.reads + benchmark.writes).sum();
    let footprint = stretch(needed - 1) * sector + sector;
    let mut built = request.paced_for(Parts { parts }, footprint, requests);
    built.notes.push(
        "a generator with the printed numbers of reads, writes and sectors of the benchmark, not its trace".to_owned(),
    );
    if scale {
        built.notes.push(format!(
            "sector numbers scaled down: {needed} sectors as printed to {room} that fit"
        ));
    }
    Ok(built)
}

struct Part {
    requests: Box<dyn Counted>,
    /// Remaining requests that go to the ends of the range.
    ends: Vec<u64>,
}

impl Part {
    fn new(benchmark: &Benchmark, first: u64, last: u64, sector: u64, seed: u64) -> Self {
        let quota = Quota::new(benchmark.reads, benchmark.writes);
        let (base, range) = (first * sector, last - first + 1);
        let bytes = range * sector;
        let requests: Box<dyn Counted> = match benchmark.order {
            Order::Iozone => Box::new(Iozone::new(base, sector, range, quota, seed)),
            Order::WrittenOnce => {
                Box::new(WrittenOnce::new(base, sector, range, quota, benchmark.writes, seed))
            }
            Order::Runs { sequential, runs, tables } => {
                let flow = Flow { sequential, runs, theta: 0.0, again: None };
                let tables = Metadata { space: 0.015, largest: sector, share: tables };
                let character = Character { read: flow, write: flow, metadata: Some(tables) };
                let stage = Stage { base, bytes, align: sector };
                let sizes = [Sizes::fixed(sector), Sizes::fixed(sector)];
                Box::new(Played::new(&character, stage, quota, sizes, seed))
            }
        };
        Self { requests, ends: vec![bytes - sector, 0] }
    }

    fn next(&mut self) -> Access {
        match self.ends.pop() {
            None => self.requests.next(),
            Some(offset) => self.requests.write_at(offset),
        }
    }
}

/// Consecutive benchmarks; the list is in reverse order.
struct Parts {
    parts: Vec<Part>,
}

impl Pattern for Parts {
    #[inline]
    fn next(&mut self) -> Access {
        if self.parts.len() > 1 && self.parts.last().is_some_and(|part| part.requests.left() == 0) {
            self.parts.pop();
        }
        let last = self.parts.len() - 1;
        self.parts[last].next()
    }
}
