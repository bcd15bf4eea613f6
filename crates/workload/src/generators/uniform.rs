//! Every place is as likely as any other: the workload of the closed forms for write amplification.

use super::mix::{OPERATIONS, Place, SIZES, Slots, WHOLE_SPACE, source};
use super::{draw, pace};
use crate::WorkloadError;
use crate::catalogue::{Build, Built, BuiltinInfo};
use rand_pcg::Pcg64;

/// The catalogue's line.
pub(crate) const INFO: BuiltinInfo = BuiltinInfo {
    name: "uniform",
    summary: "requests of one size at places drawn evenly over the space",
    parameters: &[OPERATIONS, SIZES, WHOLE_SPACE, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "P. Desnoyers, Analytic Models of SSD Write Performance, ACM TOS 10(2), 2014, §3",
    build,
};

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let slots = Slots::of(request.parameters, request.space)?;
    Ok(source(request, slots, Uniform { places: slots.count }))
}

/// Places drawn evenly.
pub(crate) struct Uniform {
    pub(crate) places: u64,
}

impl Place for Uniform {
    #[inline]
    fn draw(&mut self, rng: &mut Pcg64) -> u64 {
        draw::below(rng, self.places)
    }
}
