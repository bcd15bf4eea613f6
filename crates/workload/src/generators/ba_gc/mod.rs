//! Stand-ins for the six workloads on which buffer-aware garbage collection was evaluated: IOzone, Bonnie++,
//! Postmark, Tiobench and two desktop PCs, traced on Windows XP over NTFS.
//!
//! The traces are not public. What the paper says of them is held by tests, in pages of 2 KiB and a buffer of
//! 16 MiB (8,192 pages): the share of written pages that is in the buffer already.
//!
//! | | paper: write hits | here | in order | mean size | written, to | arrive at |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | `ba-gc-iozone` | high, much is rewritten shortly | 40 % | 66 % | 22 KiB | 2.0 GiB, 0.7 GiB | 15 MiB/s |
//! | `ba-gc-bonnie` | high; collection 20 % of the time | 43 % | 73 % | 7.5 KiB | 1.5 GiB, 0.3 GiB | 6.6 MiB/s |
//! | `ba-gc-postmark` | 3.1 % | 3.1 % | 6 % | 7.6 KiB | 1.4 GiB, 0.5 GiB | 3.7 MiB/s |
//! | `ba-gc-tiobench` | 4.4 % | 4.4 % | 61 % | 10 KiB | 1.5 GiB, 0.75 GiB | 17 MiB/s |
//! | `ba-gc-desktop-1` | high | 49 % | 37 % | 6.3 KiB | 1.2 GiB, 0.3 GiB | 0.5 MiB/s |
//! | `ba-gc-desktop-2` | high | 34 % | 54 % | 7.9 KiB | 1.5 GiB, 0.7 GiB | 0.7 MiB/s |
//!
//! Hits are those of LRU lists of pages; lists of logical blocks of 64 pages differ by 1.3 points at most. In
//! order is the share of the bytes that go on where one of the 16 requests before ended. What high means the
//! paper does not say: the figures in these lines are choices.
//!
//! All are writes: the paper filters reads out before its buffers. Sizes of the programs' files are absolute,
//! so that a buffer of 16 MiB does the same on any volume of 608 MiB or more; below that they shrink with it.
//! The volume is the first part of the space (see `volume`), programs begin at once and go on for ever. The
//! names begin with `ba-gc-` because `iozone` and `postmark` stand in for the traces of
//! another paper: those have its printed numbers of reads and writes, one sector a request, on FAT.
//!
//! Arrivals: a program's writes come in bursts at the pace of the traced machine's device, by default 32
//! MiB/s and 0.1 ms a request, with the pauses of the program between them, so that dirty data grows as old
//! as on such a machine. A single slow chip falls behind the benchmarks; the paper's measure is the time that
//! operations take, without waiting.

mod bonnie;
mod bursts;
mod desktop;
mod iozone;
mod postmark;
mod script;
mod tiobench;
mod volume;

use self::bonnie::Bonnie;
use self::bursts::Bursts;
use self::desktop::{Desktop, LEISURE, OFFICE};
use self::iozone::Iozone;
use self::postmark::Postmark;
use self::script::{Player, Program};
use self::tiobench::Tiobench;
use self::volume::{SMALLEST, Volume};
use super::mix::{self, FOOTPRINT};
use super::pace;
use crate::catalogue::{Build, Built, BuiltinInfo};
use crate::parameters::{Kind, ParameterInfo};
use crate::{WorkloadError, units};

static PARAMETERS: &[ParameterInfo] = &[
    FOOTPRINT,
    ParameterInfo {
        name: "arrivals",
        summary: "gaps between arrivals: the program's bursts and pauses; or, at `rate`, all the same or \
                  exponential (Poisson process)",
        unit: "",
        kind: Kind::Choice(&["bursts", "fixed", "poisson"]),
        default: "bursts",
    },
    ParameterInfo {
        name: "bandwidth",
        summary: "bytes a second in a burst, where `arrivals` is bursts; each request takes 0.1 ms besides",
        unit: "bytes/s",
        kind: Kind::Bytes,
        default: "32MiB",
    },
    ParameterInfo {
        name: "think",
        summary: "factor on the program's pauses, where `arrivals` is bursts",
        unit: "",
        kind: Kind::Number { min: 0.0, max: 1e6 },
        default: "1",
    },
];

/// The rate of the other two kinds of arrivals.
static RATE: &[ParameterInfo] = &[ParameterInfo {
    summary: "requests that arrive in a second, where `arrivals` is fixed or poisson",
    ..pace::RATE
}];

const SOURCE: &str = "stand-in with the write hit ratio and the described character of the trace in S. Lee, D. \
                      Shin and J. Kim, Buffer-Aware Garbage Collection for NAND Flash Memory-Based Storage \
                      Systems, 2008, §6";

macro_rules! info {
    ($const:ident, $name:literal, $summary:literal, $requests:literal, $program:expr) => {
        /// The catalogue's line.
        pub(crate) const $const: BuiltinInfo = BuiltinInfo {
            name: $name,
            summary: $summary,
            parameters: &[PARAMETERS, RATE],
            requests: Some($requests),
            source: SOURCE,
            build: |request| build(request, $program),
        };
    };
}

info!(
    IOZONE,
    "ba-gc-iozone",
    "IOzone on NTFS: files of 64 KiB to 32 MiB written, rewritten shortly, and at random",
    98_088,
    |volume, request| Iozone::new(volume, request.rng())
);
info!(
    BONNIE,
    "ba-gc-bonnie",
    "Bonnie++ on NTFS: a large file written in order three times, then many small ones made and removed",
    212_019,
    |volume, request| Bonnie::new(volume, request.rng())
);
info!(
    POSTMARK,
    "ba-gc-postmark",
    "Postmark on NTFS: small files made, appended to and removed, hardly a page written twice",
    200_000,
    |volume, request| Postmark::new(volume, request.rng())
);
info!(
    TIOBENCH,
    "ba-gc-tiobench",
    "Tiobench on NTFS: 1 to 8 threads that each write a large file in order, and then at random",
    157_696,
    |volume, request| Tiobench::new(volume, request.rng())
);
info!(
    DESKTOP_1,
    "ba-gc-desktop-1",
    "a PC with office, browser and mail: small writes, most of them to the same places",
    200_000,
    |volume, request| Desktop::new(volume, &OFFICE, request.rng())
);
info!(
    DESKTOP_2,
    "ba-gc-desktop-2",
    "a PC with music, games and downloads: files in order between small rewrites",
    200_000,
    |volume, request| Desktop::new(volume, &LEISURE, request.rng())
);

fn build<P: Program + 'static>(
    request: &Build<'_>,
    program: impl FnOnce(Volume, &Build<'_>) -> P,
) -> Result<Built, WorkloadError> {
    let parameters = request.parameters;
    let bytes = mix::footprint_bytes(parameters, request.space);
    if bytes < SMALLEST {
        let expected = format!(
            "such that a volume of at least {} fits it: it has {} of a space of {}",
            units::show_bytes(SMALLEST),
            units::show_bytes(bytes),
            units::show_bytes(request.space.bytes)
        );
        return Err(parameters.refuse(FOOTPRINT.name, expected));
    }
    let player = Player::new(program(Volume::new(bytes), request));
    let mut built = match (parameters.text("arrivals"), parameters.number("rate")) {
        ("bursts", None) => {
            let requests = request.requests.or(request.info.requests).unwrap_or_default();
            let bandwidth = parameters.bytes("bandwidth").unwrap_or(u64::MAX);
            let think = parameters.number("think").unwrap_or(1.0);
            let source = Box::new(Bursts::new(player, requests, bandwidth, think));
            Built { source, requests, footprint_bytes: bytes, notes: Vec::new() }
        }
        ("bursts", Some(_)) => {
            let expected =
                "left out with `arrivals = bursts`; `arrivals = fixed` or `poisson` takes it";
            return Err(parameters.refuse("rate", expected));
        }
        (_, Some(_)) => request.paced(player, bytes),
        (_, None) => {
            let expected = "a number of requests a second, or left out with `arrivals = bursts`";
            return Err(parameters.refuse("rate", expected));
        }
    };
    built.notes.push(format!(
        "{} is a generator with the write hit ratio and the character of the paper's trace, not the trace",
        request.info.name
    ));
    Ok(built)
}
