//! What a scheme is run on and how.

use super::error::RunError;
use crate::precondition::Preconditioning;
use crate::ssd::setup::SsdSetup;
use flash::faults::BitErrorModel;
use flash::{Geometry, Operation, Part, Probe};
use ftl::Scheme;
use workload::WorkloadError;

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

/// Energy of each operation, picojoules: of the array times, on all planes. Bus cycles take none that a source tells.
pub(crate) fn operation_pj(part: &Part, planes: u32) -> [u64; Operation::ALL.len()] {
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
