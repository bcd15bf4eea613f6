//! Uniform random places: the workload of the closed forms for write amplification.

use crate::error::WorkloadError;
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::law::Law;
use crate::generators::mix::{OPERATIONS, SIZES, generator};
use crate::generators::pace;

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "uniform",
    summary: "requests of one size at places drawn evenly over the space",
    parameters: &[OPERATIONS, SIZES, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "P. Desnoyers, Analytic Models of SSD Write Performance, ACM TOS 10(2), 2014",
    build,
};

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    generator(request, |places| Ok(Law::Even(places)))
}
