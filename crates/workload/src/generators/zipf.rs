//! Zipf's law: the probability of the place of rank r is proportional to r^−θ.

use crate::error::WorkloadError;
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::law::{Law, SCATTER};
use crate::generators::mix::{OPERATIONS, SIZES, generator};
use crate::generators::pace;
use crate::generators::ranks::Ranks;
use crate::parameters::{Kind, ParameterInfo};

static THETA: &[ParameterInfo] = &[
    ParameterInfo {
        name: "theta",
        summary: "skew θ: the place of rank r is drawn in proportion to r^-θ; 0 is uniform",
        unit: "",
        kind: Kind::Number { min: 0.0, max: 10.0 },
        default: "0.99",
    },
    SCATTER,
];

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "zipf",
    summary: "requests of one size at places that follow Zipf's law",
    parameters: &[THETA, OPERATIONS, SIZES, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "J. Gray et al., Quickly Generating Billion-Record Synthetic Databases, SIGMOD 1994; \
             θ = 0.99 as in B. Cooper et al., Benchmarking Cloud Serving Systems with YCSB, SoCC 2010",
    build,
};

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let theta = request.parameters.number("theta").unwrap_or_default();
    let law = |places| Law::Ranked(Ranks::zipf(places, theta), request.scatter(places));
    generator(request, |places| Ok(law(places)))
}
