//! Stand-ins for the five traces of Lazy-RTGC's evaluation.
//!
//! | | requests | writes | mean size | character given in the paper |
//! | --- | --- | --- | --- | --- |
//! | websearch | 1,055,448 | 0.02 % | 15.05 KiB | most reads are random |
//! | financial | 3,698,864 | 17.66 % | 5.24 KiB | much sequential access; far smaller than the device |
//! | copy file | 670,412 | 71.89 % | 42.30 KiB | many sequential reads and writes |
//! | download file | 1,730,415 | 67.21 % | 41.10 KiB | more sequential writes than copy file |
//! | play video | 875,928 | 63.44 % | 47.75 KiB | many random reads and writes |
//!
//! Numbers of reads and writes are exact; mean sizes come from the weights below.
//! The sizes and the locality of websearch and financial follow the first requests of the UMass traces WebSearch1 and
//! Financial1. Requests and writes of financial are those of Financial2 (see `docs/sources.md`).
//! Those of the desktop traces follow Windows XP on NTFS: clusters of 4 KiB, transfers of at most 64 KiB.

use crate::error::WorkloadError;
use crate::generators::character::{Character, Flow, Metadata, Played, Stage};
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::mix::{self, FOOTPRINT, Sizes};
use crate::generators::pace;
use crate::generators::quota::Quota;
use crate::generators::replay::Again;
use crate::parameters::ParameterInfo;

/// Sizes in bytes with weights.
type Weights = &'static [(u64, u32)];

const KIB: u64 = 1024;

struct StandIn {
    write_share: f64,
    reads: Weights,
    writes: Weights,
    align: u64,
    character: Character,
}

static WHOLE: &[ParameterInfo] = &[FOOTPRINT];
/// Of the trace it is 1/32 of 32 GiB. There collection would find blocks without valid pages only, which shows little about
/// the schemes.
static MOST: &[ParameterInfo] = &[ParameterInfo { default: "0.9", ..FOOTPRINT }];

/// Declaration common to all.
const STAND_IN: BuiltinInfo = BuiltinInfo {
    parameters: &[WHOLE, pace::PARAMETERS],
    source: "stand-in with the figures and the described character of the trace in Q. Zhang et al., \
                      Lazy-RTGC, ACM TODAES 20(3):43, 2015, Table V and §6.1",
    ..BuiltinInfo::PLAIN
};

pub(crate) static WEBSEARCH: BuiltinInfo = BuiltinInfo {
    name: "websearch-like",
    summary: "a search engine: random reads, hardly a write",
    requests: Some(1_055_448),
    build: |request| build(request, &WEBSEARCH_LIKE),
    ..STAND_IN
};

static WEBSEARCH_LIKE: StandIn = StandIn {
    write_share: 0.000_2,
    reads: &[(8 * KIB, 599), (16 * KIB, 122), (24 * KIB, 78), (32 * KIB, 201)],
    writes: &[(8 * KIB, 1)],
    align: 8 * KIB,
    character: Character {
        read: Flow { sequential: 0.1, runs: 3, theta: 0.0, again: None },
        write: Flow { sequential: 0.0, runs: 1, theta: 0.0, again: None },
        metadata: None,
    },
};

pub(crate) static FINANCIAL: BuiltinInfo = BuiltinInfo {
    name: "financial-like",
    summary: "transactions: small requests, runs, a good part of them again soon",
    requests: Some(3_698_864),
    parameters: &[MOST, pace::PARAMETERS],
    build: |request| build(request, &FINANCIAL_LIKE),
    ..STAND_IN
};

static FINANCIAL_LIKE: StandIn = StandIn {
    write_share: 0.176_6,
    reads: &[(512, 170), (KIB, 60), (2 * KIB, 60), (3 * KIB, 60), (4 * KIB, 50), (8 * KIB, 600)],
    writes: &[
        (512, 130),
        (KIB, 170),
        (2 * KIB, 60),
        (2560, 50),
        (3 * KIB, 298),
        (3584, 130),
        (4 * KIB, 10),
        (8 * KIB, 122),
        (48 * KIB, 30),
    ],
    align: 512,
    character: Character {
        read: Flow { sequential: 0.96, runs: 6, theta: 0.0, again: Some(READ_AGAIN) },
        write: Flow { sequential: 0.5, runs: 8, theta: 0.0, again: Some(WRITTEN_AGAIN) },
        metadata: None,
    },
};

/// Distances, in reads, at which stretches of about ten reads come again.
///
/// Fitted with [`WRITTEN_AGAIN`] and the runs to the first 10,000 requests of Financial1: LRU hit ratios over 8 to
/// 8,192 pages within 3 points, requests that follow one of the last 16 within 6 points (a test compares both).
const READ_AGAIN: Again = Again {
    back: &[
        (0.06, 1, 4),
        (0.02, 5, 12),
        (0.005, 13, 32),
        (0.045, 33, 48),
        (0.17, 49, 96),
        (0.025, 321, 2300),
        (0.2, 2301, 4000),
    ],
    stretch: 10.0,
};

/// The same distances in writes, which are about a fifth of the requests.
const WRITTEN_AGAIN: Again = Again {
    back: &[
        (0.06, 1, 1),
        (0.02, 2, 3),
        (0.005, 4, 8),
        (0.045, 9, 12),
        (0.17, 13, 24),
        (0.025, 81, 550),
        (0.2, 551, 1000),
    ],
    stretch: 10.0,
};

/// Tables and journal of NTFS.
const NTFS: Option<Metadata> = Some(Metadata { space: 0.03125, largest: 8 * KIB, share: 0.8 });

pub(crate) static COPY_FILE: BuiltinInfo = BuiltinInfo {
    name: "copy-file-like",
    summary: "files copied on a desktop: runs of reads and of writes",
    requests: Some(670_412),
    build: |request| build(request, &COPY_FILE_LIKE),
    ..STAND_IN
};

static COPY_FILE_LIKE: StandIn = StandIn {
    write_share: 0.718_9,
    reads: COPY_SIZES,
    writes: COPY_SIZES,
    align: 4 * KIB,
    character: Character {
        read: Flow { sequential: 0.9, runs: 1, theta: 0.0, again: None },
        write: Flow { sequential: 0.9, runs: 1, theta: 0.0, again: None },
        metadata: NTFS,
    },
};

const COPY_SIZES: Weights =
    &[(4 * KIB, 287), (8 * KIB, 40), (16 * KIB, 20), (32 * KIB, 40), (64 * KIB, 613)];

pub(crate) static DOWNLOAD_FILE: BuiltinInfo = BuiltinInfo {
    name: "download-file-like",
    summary: "files from the network: long runs of writes",
    requests: Some(1_730_415),
    build: |request| build(request, &DOWNLOAD_FILE_LIKE),
    ..STAND_IN
};

static DOWNLOAD_FILE_LIKE: StandIn = StandIn {
    write_share: 0.672_1,
    reads: DOWNLOAD_SIZES,
    writes: DOWNLOAD_SIZES,
    align: 4 * KIB,
    character: Character {
        read: Flow { sequential: 0.6, runs: 2, theta: 0.0, again: None },
        write: Flow { sequential: 0.98, runs: 2, theta: 0.0, again: None },
        metadata: NTFS,
    },
};

const DOWNLOAD_SIZES: Weights =
    &[(4 * KIB, 307), (8 * KIB, 40), (16 * KIB, 20), (32 * KIB, 40), (64 * KIB, 593)];

pub(crate) static PLAY_VIDEO: BuiltinInfo = BuiltinInfo {
    name: "play-video-like",
    summary: "a video read while it is downloaded: random reads and writes",
    requests: Some(875_928),
    build: |request| build(request, &PLAY_VIDEO_LIKE),
    ..STAND_IN
};

static PLAY_VIDEO_LIKE: StandIn = StandIn {
    write_share: 0.634_4,
    reads: VIDEO_SIZES,
    writes: VIDEO_SIZES,
    align: 4 * KIB,
    character: Character {
        read: Flow { sequential: 0.25, runs: 2, theta: 0.0, again: None },
        write: Flow { sequential: 0.25, runs: 2, theta: 0.0, again: None },
        metadata: NTFS,
    },
};

const VIDEO_SIZES: Weights = &[(4 * KIB, 2175), (16 * KIB, 400), (32 * KIB, 400), (64 * KIB, 7025)];

fn weighted(weights: Weights) -> Sizes {
    Sizes::weighted(weights.iter().map(|&(bytes, weight)| (bytes, f64::from(weight))))
}

fn build(request: &Build<'_>, stand_in: &StandIn) -> Result<Built, WorkloadError> {
    let bytes = mix::footprint_bytes(request.parameters, request.space);
    let sizes = [weighted(stand_in.reads), weighted(stand_in.writes)];
    let largest = sizes[0].largest().max(sizes[1].largest());
    mix::check_fits(request.parameters, "footprint", bytes, largest)?;
    let requests = request.requests.or(request.info.requests).unwrap_or_default();
    let quota = Quota::of(requests, stand_in.write_share);
    let stage = Stage { base: 0, bytes, align: stand_in.align };
    let played = Played::new(&stand_in.character, stage, quota, sizes, request.seed);
    let mut built = request.paced(played, bytes);
    built.notes.push(format!(
        "{} is a generator with the figures and the character of the trace of that name, not the trace",
        request.info.name
    ));
    Ok(built)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_kib(weights: Weights) -> f64 {
        let total: u32 = weights.iter().map(|&(_, weight)| weight).sum();
        weights.iter().map(|&(bytes, weight)| bytes as f64 * f64::from(weight)).sum::<f64>()
            / f64::from(total)
            / 1024.0
    }

    #[test]
    fn weights_give_the_printed_mean_sizes() {
        let printed = [
            ("websearch", &WEBSEARCH_LIKE, 15.05),
            ("financial", &FINANCIAL_LIKE, 5.24),
            ("copy file", &COPY_FILE_LIKE, 42.30),
            ("download file", &DOWNLOAD_FILE_LIKE, 41.10),
            ("play video", &PLAY_VIDEO_LIKE, 47.75),
        ];
        for (name, stand_in, kib) in printed {
            let share = stand_in.write_share;
            let mean = (1.0 - share) * mean_kib(stand_in.reads) + share * mean_kib(stand_in.writes);
            assert!((mean / kib - 1.0).abs() < 0.001, "{name}: {mean} KiB is not {kib}");
        }
    }
}
