//! Declaration, input and output of a generator.

use crate::error::WorkloadError;
use crate::generators::generated::{Generated, Pattern};
use crate::generators::pace::{self, Pace};
use crate::generators::scramble::Scramble;
use crate::parameters::{ParameterInfo, Parameters};
use crate::source::Source;
use crate::space::Space;
use rand::SeedableRng;
use rand_pcg::Pcg64;

/// A built-in workload, for lists and help.
#[derive(Debug)]
pub struct BuiltinInfo {
    /// Name of the workload.
    pub name: &'static str,
    /// Description in one line.
    pub summary: &'static str,
    /// Parameters, in groups.
    pub parameters: &'static [&'static [ParameterInfo]],
    /// Default number of requests; `None` if it follows from the parameters or the space.
    pub requests: Option<u64>,
    /// Authors, title and venue of the source, or of the original that it stands in for.
    pub source: &'static str,
    pub(crate) build: fn(&Build<'_>) -> Result<Built, WorkloadError>,
}

impl BuiltinInfo {
    /// Defaults of declarations: paced, without a fixed number of requests.
    pub(crate) const PLAIN: Self = Self {
        name: "",
        summary: "",
        parameters: &[pace::PARAMETERS],
        requests: None,
        source: "",
        build: |_| Err(WorkloadError::Unfit("a generator without a `build`".into())),
    };

    /// Every parameter, in list order.
    pub fn all_parameters(&self) -> impl Iterator<Item = &'static ParameterInfo> + use<> {
        self.parameters.iter().copied().flatten()
    }
}

/// Input of a generator.
#[derive(Clone, Copy)]
pub(crate) struct Build<'a> {
    pub(crate) info: &'static BuiltinInfo,
    pub(crate) parameters: &'a Parameters,
    pub(crate) space: &'a Space,
    pub(crate) seed: u64,
    /// Requested number of requests, if given.
    pub(crate) requests: Option<u64>,
    /// The built-in workload of a name.
    pub(crate) find: fn(&str) -> Result<&'static BuiltinInfo, WorkloadError>,
}

impl Build<'_> {
    pub(crate) fn rng(&self) -> Pcg64 {
        Pcg64::seed_from_u64(self.seed)
    }

    /// A permutation of places with its own random stream.
    pub(crate) fn scramble(&self, places: u64) -> Scramble {
        Scramble::new(places, self.seed ^ 0x5363_6174)
    }

    /// The same permutation if the parameter `scatter` is `yes`.
    pub(crate) fn scatter(&self, places: u64) -> Option<Scramble> {
        self.parameters.yes("scatter").then(|| self.scramble(places))
    }

    /// An endless pattern with the arrival times of the parameters.
    pub(crate) fn paced<P: Pattern + 'static>(&self, pattern: P, footprint_bytes: u64) -> Built {
        let requests = self.requests.or(self.info.requests).unwrap_or_default();
        self.paced_for(pattern, footprint_bytes, requests)
    }

    /// The same, with a number of requests from the generator.
    pub(crate) fn paced_for<P: Pattern + 'static>(
        &self,
        pattern: P,
        footprint_bytes: u64,
        requests: u64,
    ) -> Built {
        let source = Generated::new(pattern, Pace::new(self.parameters, self.seed), requests);
        Built { source: Box::new(source), requests, footprint_bytes, notes: Vec::new() }
    }
}

/// A generator, ready to run.
pub(crate) struct Built {
    pub(crate) source: Box<dyn Source>,
    /// Requests of one pass.
    pub(crate) requests: u64,
    /// Bytes from the first to the last addressable one.
    pub(crate) footprint_bytes: u64,
    /// Remarks that readers of the results need.
    pub(crate) notes: Vec<String>,
}
