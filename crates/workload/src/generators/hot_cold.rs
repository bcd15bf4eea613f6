//! Two temperatures: a share of the places takes a share of the requests, evenly within each.

use super::law::{Law, SCATTER, Zones};
use super::mix::{OPERATIONS, SIZES, Slots, generator};
use super::pace;
use crate::WorkloadError;
use crate::catalogue::{Build, Built, BuiltinInfo};
use crate::parameters::{Kind, ParameterInfo};

static TEMPERATURES: &[ParameterInfo] = &[
    ParameterInfo {
        name: "hot_space",
        summary: "share of the places that is hot",
        unit: "share",
        kind: Kind::Share,
        default: "0.2",
    },
    ParameterInfo {
        name: "hot_requests",
        summary: "share of the requests that goes to hot places",
        unit: "share",
        kind: Kind::Share,
        default: "0.8",
    },
    SCATTER,
];

/// The catalogue's line.
pub(crate) const INFO: BuiltinInfo = BuiltinInfo {
    name: "hot-cold",
    summary: "requests of one size, a share of which goes to a hot share of the space",
    parameters: &[TEMPERATURES, OPERATIONS, SIZES, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "M. Rosenblum and J. Ousterhout, The Design and Implementation of a Log-Structured File \
             System, ACM TOCS 10(1), 1992, §3.5",
    build,
};

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let slots = Slots::of(request.parameters, request.space)?;
    let (space, requests) =
        (request.parameters.share("hot_space"), request.parameters.share("hot_requests"));
    let zones = Zones::new(slots.count, &[(requests, space), (1.0 - requests, 1.0 - space)]);
    let zones = zones.ok_or_else(|| {
        let expected = format!(
            "such that of {} places some are hot, and some cold where requests go there",
            slots.count
        );
        request.parameters.refuse("hot_space", expected)
    })?;
    Ok(generator(request, slots, Law::Zoned(zones, request.scatter(slots.count))))
}
