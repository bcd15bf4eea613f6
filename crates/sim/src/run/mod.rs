//! One scheme under one workload: format, precondition, replay, report.

mod device;
mod medium;
mod outcome;
mod precondition;
mod processor_time;
mod promise;
mod tasks;

pub use device::Device;
pub use medium::{ParallelArray, SimulatedArray};
pub(crate) use medium::{array_without_errors, levelled, operation_pj};
pub(crate) use outcome::{Before, Flushes, Outcome};
pub(crate) use precondition::precondition;
pub(crate) use processor_time::ProcessorTime;
pub(crate) use promise::{Place, Promise};
pub(crate) use tasks::{Cutter, Work};

use crate::precondition::Preconditioning;
use crate::report::SchemeReport;
use crate::ssd::{self, SsdSetup};
use flash::faults::{BitErrorModel, FaultError};
use flash::{Geometry, Operation, Part, Serial};
use ftl::{FtlError, Scheme, SchemeConfig, Visitor};
use workload::{Source, WorkloadError};

/// What a scheme is run on and how.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The part, as the scheme sees it.
    pub part: Part,
    /// Energy of each operation, picojoules.
    pub operation_pj: [u64; Operation::ALL.len()],
    /// Bit errors of the array, if it has any.
    pub bit_errors: Option<BitErrorModel>,
    /// Shape of the array.
    pub geometry: Geometry,
    /// Seed of preconditioning and of bit errors.
    pub seed: u64,
    /// What is on the array before anything is measured.
    pub precondition: Preconditioning,
    /// Logical pages that the workload may address: `0..space_pages`.
    pub space_pages: u32,
    /// Host requests after which the run ends, where the workload does not end before.
    pub max_requests: Option<u64>,
    /// Issue each request as the one before it ends, whatever the workload says of arrivals.
    pub closed: bool,
    /// The channels, where operations run side by side; else one at a time.
    pub ssd: Option<SsdSetup>,
    /// The command that repeats the run, for the report of a violation.
    pub replay: String,
}

impl Setup {
    /// An array of this part without bit errors, filled, all of whose first `space_pages` pages the workload may
    /// address; seed 0, no limit of requests.
    pub fn new(part: Part, geometry: Geometry, space_pages: u32) -> Self {
        Self {
            operation_pj: operation_pj(&part, 1),
            part,
            bit_errors: None,
            geometry,
            seed: 0,
            precondition: Preconditioning::default(),
            space_pages,
            max_requests: None,
            closed: false,
            ssd: None,
            replay: String::new(),
        }
    }
}

/// Who is told how far a run is, and may end it.
pub trait Observer: Sync {
    /// `done` page tasks of this phase, of `total` where that is known.
    fn progress(&self, scheme: &str, phase: Phase, done: u64, total: Option<u64>);

    /// True where the run should end now and report what it has.
    fn stop(&self) -> bool;
}

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Filling and ageing the array.
    Precondition,
    /// Replaying the workload.
    Measure,
}

/// An observer that watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn progress(&self, _scheme: &str, _phase: Phase, _done: u64, _total: Option<u64>) {}

    fn stop(&self) -> bool {
        false
    }
}

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The scheme failed at a request.
    #[error("{scheme}: {source} (page task {task} of the {phase})")]
    Scheme {
        /// The scheme's label.
        scheme: String,
        /// What it said.
        source: FtlError,
        /// The page task, from the start of the phase.
        task: u64,
        /// `preconditioning` or `workload`.
        phase: &'static str,
    },
    /// The scheme cannot be set up.
    #[error(transparent)]
    Setup(#[from] FtlError),
    /// Bit errors that this array cannot have.
    #[error("bit errors: {0}")]
    BitErrors(#[from] FaultError),
    /// The workload failed.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The run was stopped before anything was measured.
    #[error("stopped before anything was measured")]
    Stopped,
}

/// Runs one scheme.
///
/// # Errors
/// [`RunError`]; a broken promise is no error but counted in the report.
pub fn run_scheme(
    setup: &Setup,
    scheme: &SchemeConfig,
    label: &str,
    source: Box<dyn Source>,
    observer: &dyn Observer,
) -> Result<SchemeReport, RunError> {
    let array = medium::array_of(setup)?;
    let mut report = match &setup.ssd {
        Some(ssd) => ssd::run_scheme((setup, ssd), (scheme, array), label, source, observer)?,
        None => {
            let choosing = ProcessorTime::on(scheme.processor);
            let replay = Replay { setup, choosing, label, source, observer };
            ftl::registry::format(scheme, levelled(scheme, Serial::new(array)), replay)??
        }
    };
    let victims = report.collection.victims;
    if let Some((work, processor)) = report.victim_work.as_mut().zip(scheme.processor.as_ref()) {
        work.charge(processor, victims);
    }
    Ok(report)
}

/// The run of a scheme, once its type is known.
struct Replay<'a> {
    setup: &'a Setup,
    choosing: ProcessorTime,
    label: &'a str,
    source: Box<dyn Source>,
    observer: &'a dyn Observer,
}

impl Visitor<SimulatedArray> for Replay<'_> {
    type Output = Result<SchemeReport, RunError>;

    fn visit<S: Scheme<Flash = SimulatedArray> + Clone>(self, mut scheme: S) -> Self::Output {
        let Self { setup, choosing, label, source, observer } = self;
        check_space(&scheme, setup, label)?;
        precondition(&mut scheme, setup, label, observer)?;
        let timed = source.has_arrivals() && !setup.closed;
        let mut device = Device::new(scheme, timed).choosing(choosing);
        device.replay(setup, label, source, observer)?;
        device.empty_buffer().map_err(|source| RunError::Scheme {
            scheme: label.into(),
            source,
            task: device.measures.tasks(),
            phase: "workload",
        })?;
        Ok(device.report(setup, label))
    }
}

/// Refuses a workload that addresses more than the scheme exports.
pub(crate) fn check_space<S: Scheme>(
    scheme: &S,
    setup: &Setup,
    label: &str,
) -> Result<(), RunError> {
    if setup.space_pages <= scheme.logical_pages() {
        return Ok(());
    }
    Err(RunError::Workload(WorkloadError::Unfit(format!(
        "the workload addresses {} pages, `{label}` exports {}",
        setup.space_pages,
        scheme.logical_pages()
    ))))
}

/// The array's bytes, for those who account for memory.
pub(crate) fn array_heap_bytes<S: Scheme<Flash: medium::RunArray>>(scheme: &S) -> usize {
    medium::RunArray::errors(scheme.flash()).inner().heap_bytes()
}
