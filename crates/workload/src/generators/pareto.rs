//! Pareto's law: the hottest share h of the places gets 1−h of the requests, and so on within it.

use crate::error::WorkloadError;
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::law::{Law, SCATTER};
use crate::generators::mix::{OPERATIONS, SIZES, generator};
use crate::generators::pace;
use crate::generators::ranks::Ranks;
use crate::parameters::{Kind, ParameterInfo};

static SKEW: &[ParameterInfo] = &[
    ParameterInfo {
        name: "h",
        summary: "the hottest share h of the places takes 1-h of the requests; 0.5 is uniform",
        unit: "share",
        kind: Kind::Number { min: 0.01, max: 0.5 },
        default: "0.2",
    },
    SCATTER,
];

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "pareto",
    summary: "requests of one size at places that follow Pareto's law (80/20 and its like)",
    parameters: &[SKEW, OPERATIONS, SIZES, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "fio, random_distribution=pareto:h",
    build,
};

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let h = request.parameters.number("h").unwrap_or(0.5);
    let law = |places| Law::Ranked(Ranks::pareto(places, h), request.scatter(places));
    generator(request, |places| Ok(law(places)))
}
