//! Every place is as likely as any other: the workload of the closed forms for write amplification.

use super::law::Law;
use super::mix::{OPERATIONS, SIZES, Slots, generator};
use super::pace;
use crate::WorkloadError;
use crate::catalogue::{Build, Built, BuiltinInfo};

/// The catalogue's line.
pub(crate) const INFO: BuiltinInfo = BuiltinInfo {
    name: "uniform",
    summary: "requests of one size at places drawn evenly over the space",
    parameters: &[OPERATIONS, SIZES, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "P. Desnoyers, Analytic Models of SSD Write Performance, ACM TOS 10(2), 2014",
    build,
};

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let slots = Slots::of(request.parameters, request.space)?;
    Ok(generator(request, slots, Law::Even(slots.count)))
}
