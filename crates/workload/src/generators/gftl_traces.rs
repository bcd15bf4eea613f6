//! Stand-ins for the benchmarks of GFTL: numbers of reads and writes and the range of sectors as printed.
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
//! A sector is a page: 65,589 of them in 2-KiB pages are the 136 MB that the paper needs at full use, 125,061
//! the 260 MB of consumer. Every request is one sector. The first two requests of each go to the ends of its
//! range. Table IV has 76,749 reads for consumer, §V has 76,479 (two digits changed places); the table's
//! number is used. The synthetic trace is format → andrew → postmark → iozone: 4.3 million writes come out
//! only with postmark in both its lengths, which gives 4,351,843 writes and 27,836 reads (printed: 27,841).

use super::character::{Character, Flow, Metadata, Played, Stage};
use super::generated::{Access, Pattern};
use super::mix::Sizes;
use super::pace;
use super::quota::Quota;
use crate::catalogue::{Build, Built, BuiltinInfo};
use crate::parameters::{Kind, ParameterInfo};
use crate::{WorkloadError, units};

struct Benchmark {
    reads: u64,
    writes: u64,
    first: u64,
    last: u64,
    sequential: f64,
    runs: u32,
    /// Share of the requests on the allocation tables and directories of FAT.
    tables: f64,
}

static FORMAT_: Benchmark =
    Benchmark { reads: 15, writes: 36, first: 0, last: 533, sequential: 0.8, runs: 1, tables: 0.5 };
static ANDREW_: Benchmark = Benchmark {
    reads: 2,
    writes: 3_126,
    first: 1,
    last: 2_867,
    sequential: 0.8,
    runs: 2,
    tables: 0.3,
};
static POSTMARK_: Benchmark = Benchmark {
    reads: 412,
    writes: 21_153,
    first: 2,
    last: 10_000,
    sequential: 0.6,
    runs: 4,
    tables: 0.3,
};
static POSTMARK_LONG_: Benchmark = Benchmark {
    reads: 23_694,
    writes: 1_238_135,
    first: 1,
    last: 65_543,
    sequential: 0.6,
    runs: 4,
    tables: 0.3,
};
static IOZONE_: Benchmark = Benchmark {
    reads: 3_713,
    writes: 3_089_393,
    first: 1,
    last: 65_588,
    sequential: 0.9,
    runs: 1,
    tables: 0.1,
};
static CONSUMER_: Benchmark = Benchmark {
    reads: 76_749,
    writes: 125_596,
    first: 1,
    last: 125_060,
    sequential: 0.95,
    runs: 2,
    tables: 0.1,
};

static SECTORS: &[ParameterInfo] = &[
    ParameterInfo {
        name: "sector",
        summary: "bytes of a sector, which is what each request asks for; page: one page of the device",
        unit: "bytes",
        kind: Kind::Bytes,
        default: "page",
    },
    ParameterInfo {
        name: "fit",
        summary: "exact: sector numbers as printed; scale: scaled down to a space that is too small for them",
        unit: "",
        kind: Kind::Choice(&["exact", "scale"]),
        default: "exact",
    },
];

const SOURCE: &str = "stand-in with the figures of the benchmark in S. Choudhuri and T. Givargis, Deterministic \
                      Service Guarantees for NAND Flash using Partial Block Cleaning, CODES+ISSS 2008, Table IV";

macro_rules! info {
    ($const:ident, $name:literal, $summary:literal, [$($benchmark:ident),+]) => {
        /// The catalogue's line.
        pub(crate) const $const: BuiltinInfo = BuiltinInfo {
            name: $name,
            summary: $summary,
            parameters: &[SECTORS, pace::PARAMETERS],
            requests: None,
            source: SOURCE,
            build: |request| build(request, &[$(&$benchmark),+]),
        };
    };
}

info!(FORMAT, "format", "a flash disk formatted with FAT 32: 51 requests", [FORMAT_]);
info!(
    ANDREW,
    "andrew",
    "the Andrew benchmark on FAT 32: files made, copied, read, compiled",
    [ANDREW_]
);
info!(
    POSTMARK,
    "postmark",
    "the Postmark benchmark on FAT 32: many small files of a mail server",
    [POSTMARK_]
);
info!(
    POSTMARK_LONG,
    "postmark-long",
    "Postmark, a long run: 1.26 million requests",
    [POSTMARK_LONG_]
);
info!(
    IOZONE,
    "iozone",
    "the IOzone benchmark on FAT 32: runs and strides over large files",
    [IOZONE_]
);
info!(
    CONSUMER,
    "consumer",
    "consumer electronics: pictures, transfers, audio and video",
    [CONSUMER_]
);
info!(
    SYNTHETIC,
    "gftl-synthetic",
    "format, andrew, postmark, postmark-long and iozone one after the other",
    [FORMAT_, ANDREW_, POSTMARK_, POSTMARK_LONG_, IOZONE_]
);

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

/// One benchmark.
struct Part {
    played: Played,
    /// Requests that go to the ends of the range, still to come.
    ends: Vec<u64>,
    sector: u64,
}

impl Part {
    fn new(benchmark: &Benchmark, first: u64, last: u64, sector: u64, seed: u64) -> Self {
        let flow = Flow { sequential: benchmark.sequential, runs: benchmark.runs, theta: 0.0 };
        let tables = Metadata { space: 0.015, largest: sector, share: benchmark.tables };
        let character = Character { read: flow, write: flow, metadata: Some(tables) };
        let bytes = (last - first + 1) * sector;
        let stage = Stage { base: first * sector, bytes, align: sector };
        let quota = Quota::new(benchmark.reads, benchmark.writes);
        let sizes = [Sizes::fixed(sector), Sizes::fixed(sector)];
        let played = Played::new(&character, stage, quota, sizes, seed);
        Self { played, ends: vec![bytes - sector, 0], sector }
    }
}

/// Benchmarks one after the other, the last first in the list.
struct Parts {
    parts: Vec<Part>,
}

impl Pattern for Parts {
    #[inline]
    fn next(&mut self) -> Access {
        if self.parts.len() > 1 && self.parts.last().is_some_and(|part| part.played.left() == 0) {
            self.parts.pop();
        }
        let last = self.parts.len() - 1;
        let part = &mut self.parts[last];
        match part.ends.pop() {
            Some(offset) => part.played.write_at(offset, part.sector),
            None => part.played.next(),
        }
    }
}
