//! Hot and cold places: a share of the places gets a share of the requests, uniform within each class.
//!
//! With hot_space=0.1, hot_requests=0.9 and scatter=no these are the two zones of SSD-iq.

use crate::error::WorkloadError;
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::law::{Law, SCATTER, Zones};
use crate::generators::mix::{OPERATIONS, SIZES, generator};
use crate::generators::pace;
use crate::parameters::ParameterInfo;

static TEMPERATURES: &[ParameterInfo] = &[
    ParameterInfo::share("hot_space", "0.2", "share of the places that is hot"),
    ParameterInfo::share("hot_requests", "0.8", "share of the requests that goes to hot places"),
    SCATTER,
];

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "hot-cold",
    summary: "requests of one size, a share of which goes to a hot share of the space",
    parameters: &[TEMPERATURES, OPERATIONS, SIZES, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "M. Rosenblum and J. Ousterhout, The Design and Implementation of a Log-Structured File \
             System, ACM TOCS 10(1), 1992, §3.5",
    build,
};

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let (space, requests) =
        (request.parameters.share("hot_space"), request.parameters.share("hot_requests"));
    generator(request, |places| {
        let zones = Zones::new(places, &[(requests, space), (1.0 - requests, 1.0 - space)]);
        let zones = zones.ok_or_else(|| {
            let expected = format!(
                "such that of {places} places some are hot, and some cold where requests go there"
            );
            request.parameters.refuse("hot_space", expected)
        })?;
        Ok(Law::Zoned(zones, request.scatter(places)))
    })
}
