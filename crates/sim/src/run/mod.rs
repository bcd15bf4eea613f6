//! One scheme under one workload: format, precondition, replay, report.

mod account;
mod device;
mod medium;
mod outcome;
mod precondition;
mod promise;
mod tasks;

pub(crate) use account::Account;
pub use device::Device;
pub use medium::{array_without_errors, plain_array};
pub(crate) use medium::{levelled, operation_pj};
pub(crate) use precondition::precondition;
pub(crate) use promise::Place;
pub(crate) use tasks::Cutter;

use crate::precondition::Preconditioning;
use crate::report::SchemeReport;
use crate::ssd::{self, SsdSetup};
use flash::faults::{BitErrorModel, FaultError};
use flash::{Geometry, Operation, Part, Probe, Serial};
use ftl::{FtlError, Scheme, SchemeConfig};
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

impl RunError {
    /// A scheme failed at a page task of the workload.
    pub(crate) fn in_workload(label: &str, source: FtlError, task: u64) -> Self {
        Self::Scheme { scheme: label.into(), source, task, phase: "workload" }
    }
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
            let array = levelled(scheme, Serial::new(array));
            let mut made = ftl::registry::format(scheme, array)?;
            check_space(&*made, setup, label)?;
            precondition(&mut *made, setup, label, observer)?;
            let timed = source.has_arrivals() && !setup.closed;
            let mut device = Device::new(made, timed).choosing(scheme.processor);
            device.replay(setup, label, source, observer)?;
            device
                .empty_buffer()
                .map_err(|source| RunError::in_workload(label, source, device.page_tasks()))?;
            device.report(setup, label)
        }
    };
    let victims = report.collection.victims;
    if let Some((work, processor)) = report.victim_work.as_mut().zip(scheme.processor.as_ref()) {
        work.charge(processor, victims);
    }
    Ok(report)
}

/// Refuses a workload that addresses more than the scheme exports.
pub(crate) fn check_space<F: Probe>(
    scheme: &dyn Scheme<Flash = F>,
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
pub(crate) fn array_heap_bytes<F: medium::RunArray>(scheme: &dyn Scheme<Flash = F>) -> usize {
    medium::RunArray::errors(scheme.flash()).inner().heap_bytes()
}
