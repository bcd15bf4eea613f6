//! What a generator says of itself, what it is made from, and what comes out.

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
    /// Its name.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Its parameters, in groups.
    pub parameters: &'static [&'static [ParameterInfo]],
    /// Requests where nothing is said; none where the number follows from the parameters or the space.
    pub requests: Option<u64>,
    /// Authors, title, venue; what it stands in for.
    pub source: &'static str,
    pub(crate) build: fn(&Build<'_>) -> Result<Built, WorkloadError>,
}

impl BuiltinInfo {
    /// What declarations leave out: paced, and of no fixed number of requests.
    pub(crate) const PLAIN: Self = Self {
        name: "",
        summary: "",
        parameters: &[pace::PARAMETERS],
        requests: None,
        source: "",
        build: |_| Err(WorkloadError::Unfit("a generator without a `build`".into())),
    };

    /// Every parameter, in the order in which they are listed.
    pub fn all_parameters(&self) -> impl Iterator<Item = &'static ParameterInfo> + use<> {
        self.parameters.iter().copied().flatten()
    }
}

/// What a generator is made from.
pub(crate) struct Build<'a> {
    pub(crate) info: &'static BuiltinInfo,
    pub(crate) parameters: &'a Parameters,
    pub(crate) space: &'a Space,
    pub(crate) seed: u64,
    /// Requests asked for, where something was said.
    pub(crate) requests: Option<u64>,
}

impl Build<'_> {
    pub(crate) fn rng(&self) -> Pcg64 {
        Pcg64::seed_from_u64(self.seed)
    }

    /// A permutation of places, of its own stream.
    pub(crate) fn scramble(&self, places: u64) -> Scramble {
        Scramble::new(places, self.seed ^ 0x5363_6174)
    }

    /// The same where the parameter `scatter` says so.
    pub(crate) fn scatter(&self, places: u64) -> Option<Scramble> {
        self.parameters.yes("scatter").then(|| self.scramble(places))
    }

    /// A pattern that goes on for as long as it is asked, with arrival times as the parameters say.
    pub(crate) fn paced<P: Pattern + 'static>(&self, pattern: P, footprint_bytes: u64) -> Built {
        let requests = self.requests.or(self.info.requests).unwrap_or_default();
        self.paced_for(pattern, footprint_bytes, requests)
    }

    /// The same, for a number of requests that the generator itself knows.
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
    /// Bytes from the first that may be addressed to the last.
    pub(crate) footprint_bytes: u64,
    /// What a reader of the results must know.
    pub(crate) notes: Vec<String>,
}
