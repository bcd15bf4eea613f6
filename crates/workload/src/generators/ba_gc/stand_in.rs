//! Common parts of the six stand-ins: parameters, and the conversion of a program into a workload.

use crate::error::WorkloadError;
use crate::generators::ba_gc::bursts::Bursts;
use crate::generators::ba_gc::script::{Player, Program};
use crate::generators::ba_gc::volume::{SMALLEST, Volume};
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::mix::{self, FOOTPRINT};
use crate::generators::pace;
use crate::parameters::{Kind, ParameterInfo};
use crate::units;

pub(super) static PARAMETERS: &[ParameterInfo] = &[
    FOOTPRINT,
    ParameterInfo {
        name: "arrivals",
        summary: "gaps between arrivals: the program's bursts and pauses; or, at `rate`, constant or \
            exponential (Poisson process)",
        unit: "",
        kind: Kind::Choice(&["bursts", "fixed", "poisson"]),
        default: "bursts",
    },
    ParameterInfo {
        name: "bandwidth",
        summary: "bytes per second in a burst, if `arrivals` is bursts; each request takes another 0.1 ms",
        unit: "bytes/s",
        kind: Kind::Bytes,
        default: "32MiB",
    },
    ParameterInfo {
        name: "think",
        summary: "factor on the program's pauses, if `arrivals` is bursts",
        unit: "",
        kind: Kind::Number { min: 0.0, max: 1e6 },
        default: "1",
    },
];

/// Rate for the other two kinds of arrivals.
pub(super) static RATE: &[ParameterInfo] = &[ParameterInfo {
    summary: "requests per second, if `arrivals` is fixed or poisson",
    ..pace::RATE
}];

/// Declaration common to all six.
pub(super) const STAND_IN: BuiltinInfo = BuiltinInfo {
    parameters: &[PARAMETERS, RATE],
    source: "stand-in with the write hit ratio and the described character of the trace in S. Lee, D. \
                      Shin and J. Kim, Buffer-Aware Garbage Collection for NAND Flash Memory-Based Storage \
                      Systems, 2008, §6",
    ..BuiltinInfo::PLAIN
};

/// The workload of `program` on the volume that fits into the space.
pub(super) fn build<P: Program + 'static>(
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
                "omitted with `arrivals = bursts`; only `arrivals = fixed` or `poisson` takes it";
            return Err(parameters.refuse("rate", expected));
        }
        (_, Some(_)) => request.paced(player, bytes),
        (_, None) => {
            let expected = "a number of requests per second, or omitted with `arrivals = bursts`";
            return Err(parameters.refuse("rate", expected));
        }
    };
    built.notes.push(format!(
        "{} is a generator with the write hit ratio and the character of the paper's trace, not the trace",
        request.info.name
    ));
    Ok(built)
}
