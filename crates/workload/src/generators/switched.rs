//! A workload that becomes another one midway: how long a device needs to adapt.

use crate::error::WorkloadError;
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::pace::{self, Pace};
use crate::parameters::{Kind, ParameterInfo, Parameters};
use crate::request::Request;
use crate::source::{HostLog, Source};
use std::collections::BTreeMap;

const FORM: &str =
    "a built-in workload with its parameters, NAME+KEY=VALUE+…, as zipf+theta=0.8+scatter=no";

const fn part(name: &'static str, default: &'static str, summary: &'static str) -> ParameterInfo {
    ParameterInfo { name, summary, unit: "", kind: Kind::Text(FORM), default }
}

static PARTS: &[ParameterInfo] = &[
    part("first", "zipf", "the workload before the switch"),
    part("then", "uniform", "the workload after the switch"),
    ParameterInfo::share("at", "0.5", "share of the requests before the switch"),
];

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "switched",
    summary: "one built-in workload up to a point, then another",
    parameters: &[PARTS, pace::PARAMETERS],
    requests: Some(2_000_000),
    source: "G. Haas et al., SSD-iq: Uncovering the Hidden Side of SSD Performance, PVLDB 18, 2025",
    build,
};

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let requests = request.requests.or(request.info.requests).unwrap_or_default();
    let before = ((requests as f64 * request.parameters.share("at")).round() as u64).min(requests);
    let parts = [("first", before, 0), ("then", requests - before, 0x5377_6974)];
    let [first, then] =
        parts.map(|(name, requests, seed)| part_of(request, name, requests, request.seed ^ seed));
    let (first, then) = (first?, then?);
    let footprint_bytes = first.footprint_bytes.max(then.footprint_bytes);
    let mut notes = first.notes;
    notes.extend(then.notes);
    let source = Switched {
        parts: [(first.source, before), (then.source, requests - before)],
        pace: Pace::new(request.parameters, request.seed),
    };
    Ok(Built { source: Box::new(source), requests, footprint_bytes, notes })
}

/// The workload that parameter `name` describes, with so many requests.
fn part_of(
    request: &Build<'_>,
    name: &str,
    requests: u64,
    seed: u64,
) -> Result<Built, WorkloadError> {
    let mut words = request.parameters.text(name).split('+');
    let workload = words.next().unwrap_or_default().trim();
    let info = (request.find)(workload)?;
    if std::ptr::eq(info, request.info) {
        return Err(request.parameters.refuse(name, "a workload that does not switch itself"));
    }
    let mut given = BTreeMap::new();
    for word in words {
        let pair = word.split_once('=').ok_or_else(|| request.parameters.refuse(name, FORM))?;
        let (key, value) = (pair.0.trim().to_owned(), pair.1.trim().to_owned());
        if given.insert(key, value).is_some() {
            let expected = format!("such that it names {} once", pair.0.trim());
            return Err(request.parameters.refuse(name, expected));
        }
    }
    let parameters = Parameters::resolve(info.name, info.parameters, &given)?;
    // A part of no requests is checked like any other.
    let asked = requests.max(1);
    let inner = Build { info, parameters: &parameters, seed, requests: Some(asked), ..*request };
    let built = (info.build)(&inner)?;
    if built.source.has_arrivals() {
        let expected = "a workload without arrival times: `rate` of the whole sets them";
        return Err(request.parameters.refuse(name, expected));
    }
    if built.requests != asked {
        let expected = format!(
            "a workload that goes on for any number of requests; {workload} has {} here",
            built.requests
        );
        return Err(request.parameters.refuse(name, expected));
    }
    Ok(built)
}

/// Two sources, one after the other, with the requests that each has left.
struct Switched {
    parts: [(Box<dyn Source>, u64); 2],
    pace: Pace,
}

impl Source for Switched {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let before = out.len();
        for (source, left) in &mut self.parts {
            if *left == 0 {
                continue;
            }
            let filled = source.fill(out, max.min(usize::try_from(*left).unwrap_or(max)))?;
            *left = if filled == 0 && max > 0 { 0 } else { *left - filled as u64 };
            if filled > 0 || max == 0 {
                break;
            }
        }
        if self.pace.is_set() {
            out[before..].iter_mut().for_each(|r| r.arrival_ns = self.pace.next_arrival());
        }
        Ok(out.len() - before)
    }

    fn has_arrivals(&self) -> bool {
        self.pace.is_set()
    }

    fn host_log(&self) -> Option<HostLog> {
        self.parts.iter().filter_map(|(source, _)| source.host_log()).reduce(HostLog::and)
    }

    fn span_ns(&self) -> Option<f64> {
        self.pace.span_ns(self.parts.iter().map(|(_, left)| left).sum())
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.parts.iter().map(|(_, left)| left).sum())
    }
}
