//! The named catalogue of built-in workloads.

use crate::generators::generated::{Generated, Pattern};
use crate::generators::pace::Pace;
use crate::generators::scramble::Scramble;
use crate::generators::{
    ba_gc, gftl_traces, hot_cold, lazy_rtgc_traces, map_misses, mixed, pareto, randrw, sequential,
    snia, uniform, worst_case, zipf,
};
use crate::parameters::{ParameterInfo, Parameters};
use crate::{Source, Space, WorkloadError, units};
use rand::SeedableRng;
use rand_pcg::Pcg64;

/// A built-in workload, for lists and help.
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

impl std::fmt::Debug for BuiltinInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BuiltinInfo")
            .field("name", &self.name)
            .field("summary", &self.summary)
            .finish_non_exhaustive()
    }
}

impl BuiltinInfo {
    /// Every parameter, in the order in which they are listed.
    pub fn all_parameters(&self) -> impl Iterator<Item = &'static ParameterInfo> + use<> {
        self.parameters.iter().copied().flatten()
    }
}

/// All built-in workloads, in the order in which they are listed.
pub static BUILTIN: &[BuiltinInfo] = &[
    uniform::INFO,
    zipf::INFO,
    pareto::INFO,
    hot_cold::INFO,
    sequential::INFO,
    mixed::INFO,
    randrw::INFO,
    snia::INFO,
    lazy_rtgc_traces::WEBSEARCH,
    lazy_rtgc_traces::FINANCIAL,
    lazy_rtgc_traces::COPY_FILE,
    lazy_rtgc_traces::DOWNLOAD_FILE,
    lazy_rtgc_traces::PLAY_VIDEO,
    gftl_traces::FORMAT,
    gftl_traces::ANDREW,
    gftl_traces::POSTMARK,
    gftl_traces::POSTMARK_LONG,
    gftl_traces::IOZONE,
    gftl_traces::CONSUMER,
    gftl_traces::SYNTHETIC,
    ba_gc::IOZONE,
    ba_gc::BONNIE,
    ba_gc::POSTMARK,
    ba_gc::TIOBENCH,
    ba_gc::DESKTOP_1,
    ba_gc::DESKTOP_2,
    worst_case::GFTL,
    worst_case::GFTL_QUEUE,
    worst_case::LAZY_RTGC,
    worst_case::RANDOM,
    map_misses::INFO,
];

/// The built-in workload of this name.
///
/// # Errors
/// [`WorkloadError::Unknown`] with the nearest name.
pub fn builtin(name: &str) -> Result<&'static BuiltinInfo, WorkloadError> {
    BUILTIN.iter().find(|info| info.name == name).ok_or_else(|| WorkloadError::Unknown {
        name: name.to_owned(),
        hint: match units::nearest(name, BUILTIN.iter().map(|info| info.name)) {
            Some(nearest) => {
                format!("did you mean `{nearest}`? `ftlkit list workloads` names them all")
            }
            None => "`ftlkit list workloads` names them all".to_owned(),
        },
    })
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
    /// The generator's random numbers.
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
