//! Setup of a scheme's run.

use super::error::RunError;
use crate::front_end::SsdSetup;
use crate::late::Limits;
use crate::precondition::Preconditioning;
use bounds::task_set::TaskSet;
use flash::faults::{AgeLimit, BitErrorModel, ReadRetry, RefreshLimits};
use flash::{Geometry, Operation, Part, Probe};
use ftl::Scheme;
use workload::{Facts, Source, WorkloadError, WorkloadSpec};

/// Setup of a scheme's run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The part, as the scheme sees it.
    pub part: Part,
    /// Energy per operation, picojoules.
    pub operation_pj: [u64; Operation::ALL.len()],
    /// Bit errors of the array, if it has any.
    pub bit_errors: Option<BitErrorModel>,
    /// Steps of reads that ECC does not correct at once.
    pub retry: ReadRetry,
    /// Wear, age and reads up to which the bounds hold, if they are stated.
    pub stated: Option<AgeLimit>,
    /// Age, bit errors and reads from which on blocks are due for a refresh or a read reclaim. A scheme moves them if its
    /// configuration says so ([`ftl::SchemeConfig::refresh`]).
    pub refresh: RefreshLimits,
    /// Shape of the array.
    pub geometry: Geometry,
    /// Seed of preconditioning and of bit errors.
    pub seed: u64,
    /// Precondition of the array.
    pub precondition: Preconditioning,
    /// Logical pages that the workload may address: `0..space_pages`.
    pub space_pages: u32,
    /// Host requests after which the run ends, unless the workload ends earlier.
    pub max_requests: Option<u64>,
    /// Issues each request when the previous one ends, ignoring the workload's arrival times.
    pub closed: bool,
    /// The channels, if operations run in parallel; `None`: one operation at a time.
    pub ssd: Option<SsdSetup>,
    /// The periodic tasks whose deadlines are counted, if the workload's requests are their jobs. In serial time only.
    pub tasks: Option<TaskSet>,
    /// Deadline of every request, ns from arrival to completion, of which late ones are counted.
    pub deadline_ns: Option<u64>,
    /// Deadlines of a search, which may end the run early.
    pub limits: Limits,
    /// True if pages written in part are not read.
    pub free_partial_pages: bool,
    /// The command that repeats the run, for the report of a violation.
    pub replay: String,
    /// The workload, if the precondition runs it.
    pub passes: Option<Passes>,
    /// The workload, if it is of jobs that run at once; on an SSD only.
    pub jobs: Option<Passes>,
}

/// Passes of a workload that age an array before the measured one.
#[derive(Clone, Debug)]
pub struct Passes {
    /// The workload.
    pub workload: WorkloadSpec,
    /// What is known of it.
    pub facts: Facts,
}

impl Passes {
    /// Opens a pass. Passes of a built-in workload differ from each other and from the measured one by their seed;
    /// those of a trace are equal.
    pub(crate) fn open(&self, seed: u64, pass: u64) -> Result<Box<dyn Source>, WorkloadError> {
        let seed = seed ^ (pass + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.workload.open(self.facts.space, seed, &self.facts)
    }
}

impl Setup {
    /// A full array of this part without bit errors, seed 0, no request limit. The workload may address its first
    /// `space_pages` pages.
    pub fn new(part: Part, geometry: Geometry, space_pages: u32) -> Self {
        Self {
            operation_pj: operation_pj(&part, 1),
            part,
            bit_errors: None,
            retry: ReadRetry::default(),
            stated: None,
            refresh: RefreshLimits::default(),
            geometry,
            seed: 0,
            precondition: Preconditioning::default(),
            space_pages,
            max_requests: None,
            closed: false,
            ssd: None,
            tasks: None,
            deadline_ns: None,
            limits: Limits::default(),
            free_partial_pages: false,
            replay: String::new(),
            passes: None,
            jobs: None,
        }
    }

    /// Page writes of the workload that the precondition asks for; with `collecting` there may be more.
    pub(crate) fn aging_writes(&self) -> u64 {
        (f64::from(self.space_pages) * self.precondition.workload).round() as u64
    }
}

/// Rejects a workload that addresses more pages than the scheme exports.
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

/// Energy per operation over all planes, picojoules: array times only, as no source gives energy for bus cycles.
pub fn operation_pj(part: &Part, planes: u32) -> [u64; Operation::ALL.len()] {
    Operation::ALL.map(|operation| {
        let plane = match operation {
            Operation::Read => part.read_pj(),
            Operation::ReadOob => part.read_oob_pj(),
            Operation::Program => part.program_pj(),
            Operation::Copy => part.read_pj() + part.program_pj(),
            Operation::Erase => part.erase_pj(),
        };
        plane * u64::from(planes)
    })
}
