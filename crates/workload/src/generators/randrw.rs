//! Random reads and writes with fio's option names: `rwmixread`, `bs`, `bssplit`, `blockalign`,
//! `random_distribution`.
//!
//! Requests are independent of each other, as in fio with `norandommap`.

use crate::error::WorkloadError;
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::law::{Law, Zones};
use crate::generators::mix::{self, FOOTPRINT, Mix, Operations, Sizes, Slots, TRIM_SHARE};
use crate::generators::pace;
use crate::generators::ranks::Ranks;
use crate::parameters::{Kind, ParameterInfo, Parameters};
use crate::units;

static FIO: &[ParameterInfo] = &[
    ParameterInfo {
        name: "rwmixread",
        summary: "reads among the requests that are no trims",
        unit: "%",
        kind: Kind::Count { min: 0, max: 100 },
        default: "50",
    },
    ParameterInfo::bytes("bs", "4k", "size of every request, where bssplit is not set"),
    ParameterInfo {
        name: "bssplit",
        summary: "sizes and the share of each, in per cent; shares left out are even; after a comma those of writes",
        unit: "bytes/%",
        kind: Kind::Text("SIZE/PERCENT:SIZE/PERCENT…[,the same for writes], as 4k/60:8k/40"),
        default: "none",
    },
    ParameterInfo::bytes(
        "blockalign",
        "bs",
        "requests start at multiples of this; bs: of the smallest size",
    ),
    ParameterInfo {
        name: "random_distribution",
        summary: "which places are drawn how often; zones are PERCENT OF REQUESTS/PERCENT OF SPACE; hotcold is \
                  PERCENT OF SPACE/PERCENT OF REQUESTS, spread over the space",
        unit: "",
        kind: Kind::Text(DISTRIBUTIONS),
        default: "uniform",
    },
    TRIM_SHARE,
    FOOTPRINT,
];

/// Forms of a random distribution.
pub(crate) const DISTRIBUTIONS: &str = "uniform (or random), zipf[:θ] (θ 0 to 10), pareto[:h] (h 0.01 to 0.5), hotcold[:20/80] or zoned:60/10:40/90";

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "randrw",
    summary: "random reads and writes described with fio's words",
    parameters: &[FIO, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "fio, readwrite=randrw with norandommap",
    build,
};

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let parameters = request.parameters;
    let [reads, writes] = sizes(parameters)?;
    let align = parameters.bytes("blockalign").unwrap_or(reads.smallest().min(writes.smallest()));
    let size_name = if parameters.text("bssplit") == "none" { "bs" } else { "bssplit" };
    let footprint = mix::footprint_bytes(parameters, request.space);
    let largest = reads.largest().max(writes.largest());
    let slots = Slots::within(parameters, size_name, footprint, largest, align)?;
    let write_share = 1.0 - parameters.count("rwmixread").unwrap_or_default() as f64 / 100.0;
    let operations = Operations::new(write_share, parameters.share("trim_share"));
    let law = law(request, "random_distribution", slots.count)?;
    let sizes = [reads, writes];
    let pattern = Mix { rng: request.rng(), operations, law, align, sizes };
    Ok(request.paced(pattern, footprint))
}

/// Sizes of reads, and of writes and trims.
fn sizes(parameters: &Parameters) -> Result<[Sizes; 2], WorkloadError> {
    let text = parameters.text("bssplit");
    if text == "none" {
        let size = parameters.bytes("bs").unwrap_or(4096);
        return Ok([Sizes::fixed(size), Sizes::fixed(size)]);
    }
    let split = |text| {
        bssplit(text).ok_or_else(|| {
            parameters.refuse("bssplit", "SIZE/PERCENT:…, as 4k/60:8k/40, 100 % in all")
        })
    };
    match text.split_once(',') {
        Some((reads, writes)) => Ok([split(reads)?, split(writes)?]),
        None => Ok([split(text)?, split(text)?]),
    }
}

fn bssplit(text: &str) -> Option<Sizes> {
    let mut sizes = Vec::new();
    for part in text.split(':') {
        let (size, percent) = part.split_once('/').unwrap_or((part, ""));
        let size = units::bytes(size).filter(|&size| size > 0)?;
        let percent = if percent.is_empty() { None } else { Some(parse_percent(percent)?) };
        sizes.push((size, percent));
    }
    let given: f64 = sizes.iter().filter_map(|&(_, percent)| percent).sum();
    let open = sizes.iter().filter(|(_, percent)| percent.is_none()).count();
    let right = if open == 0 { (given - 100.0).abs() < 1e-6 } else { given < 100.0 };
    let rest = (100.0 - given) / open.max(1) as f64;
    right.then(|| {
        Sizes::weighted(sizes.iter().map(|&(size, percent)| (size, percent.unwrap_or(rest))))
    })
}

fn parse_percent(text: &str) -> Option<f64> {
    text.trim().trim_end_matches('%').parse().ok().filter(|percent| (0.0..=100.0).contains(percent))
}

/// The distribution over so many places that the parameter of this name describes.
pub(crate) fn law(request: &Build<'_>, key: &str, places: u64) -> Result<Law, WorkloadError> {
    let parameters = request.parameters;
    let text = parameters.text(key);
    let refuse = || parameters.refuse(key, DISTRIBUTIONS);
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    let number = |default: f64, min: f64, max: f64| match rest {
        "" => Ok(default),
        _ => rest.parse().ok().filter(|v| (min..=max).contains(v)).ok_or_else(refuse),
    };
    let scatter = Some(request.scramble(places));
    Ok(match name {
        "uniform" | "random" if rest.is_empty() => Law::Even(places),
        "zipf" => Law::Ranked(Ranks::zipf(places, number(1.2, 0.0, 10.0)?), scatter),
        "pareto" => Law::Ranked(Ranks::pareto(places, number(0.2, 0.01, 0.5)?), scatter),
        "hotcold" => {
            let rest = if rest.is_empty() { "20/80" } else { rest };
            let (space, requests) = pair(rest).ok_or_else(refuse)?;
            let zones = Zones::new(places, &[(requests, space), (1.0 - requests, 1.0 - space)]);
            Law::Zoned(zones.ok_or_else(refuse)?, scatter)
        }
        "zoned" => {
            let zones: Vec<_> =
                rest.split(':').map(pair).collect::<Option<_>>().ok_or_else(refuse)?;
            let sum = zones.iter().fold((0.0, 0.0), |sum, zone| (sum.0 + zone.0, sum.1 + zone.1));
            if (sum.0 - 1.0f64).abs() > 1e-6 || (sum.1 - 1.0f64).abs() > 1e-6 {
                let expected = "zones of 100 % of requests and of space in all";
                return Err(parameters.refuse(key, expected));
            }
            Law::Zoned(Zones::new(places, &zones).ok_or_else(refuse)?, None)
        }
        _ => return Err(refuse()),
    })
}

fn pair(text: &str) -> Option<(f64, f64)> {
    let (first, second) = text.split_once('/')?;
    Some((parse_percent(first)? / 100.0, parse_percent(second)? / 100.0))
}
