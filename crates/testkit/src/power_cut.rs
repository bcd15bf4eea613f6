//! The power fails at every single program, copy and erase of a workload, clean and torn; then the array
//! is mounted, everything is read, and the workload goes on under the scheme's promise. The mount itself
//! is cut as well, and mounted again.

use crate::checks::Failure;
use crate::conformance::{Described, logical_pages};
use crate::driver::Medium;
use crate::operations::{Operation as Task, Pattern};
use crate::run::{End, Run};
use crate::shape::Shape;
use crate::shared::Shared;
use flash::faults::PowerCut;
use flash::{Array, Operation, Store};
use ftl::{FtlError, SchemeConfig};
use std::fmt;

/// One cut: after so many changing operations, in the middle of the next or before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Changing operations (programs, copies, erases) that run before it.
    pub after: u64,
    /// Whether the operation at which the power fails is left half done.
    pub torn: bool,
}

/// One workload on one scheme.
#[derive(Clone, Debug)]
pub struct Case {
    /// The scheme.
    pub scheme: SchemeConfig,
    /// The array.
    pub shape: Shape,
    /// Kind of sequence.
    pub pattern: Pattern,
    /// Seed of the sequence.
    pub seed: u64,
    /// Operations.
    pub operations: usize,
    /// Whether the workload ends with the device being shut down.
    pub shutdown: bool,
    /// Operations that follow a cut before the test of that cut ends.
    pub go_on: usize,
    /// Torn programs, with no mount completed between them, after which writes must go on. Each takes a
    /// page that collection may have counted on, so there is a limit to what a scheme can hold in
    /// reserve; after more of them everything must be there to be read, but a write may find no room.
    /// Clean cuts and torn erases cost nothing.
    pub torn_in_a_row: u32,
    /// Whether a write may find no room once pages were trimmed and the power failed: a trim is advisory,
    /// so trimmed pages may be back and take the room that collection had counted on. Everything must be
    /// there to be read all the same.
    pub trims_may_fill: bool,
}

impl Case {
    /// Some 160 operations, after which writes must go on after any cut, except where trims were forgotten in it.
    pub fn new(scheme: SchemeConfig, shape: Shape, pattern: Pattern, seed: u64) -> Self {
        Self {
            scheme,
            shape,
            pattern,
            seed,
            operations: 160,
            shutdown: false,
            go_on: 120,
            torn_in_a_row: 1,
            trims_may_fill: matches!(pattern, Pattern::Uniform | Pattern::TrimStorm),
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}, ", Described(&self.scheme), self.shape)?;
        write!(f, "{:?} seed {} x {}", self.pattern, self.seed, self.operations)?;
        write!(f, " and {} after a cut", self.go_on)
    }
}

/// Why a case did not pass.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Verdict {
    /// The scheme says that it cannot work there: a clear error, not a failure.
    #[error("refused: {0}")]
    Refused(FtlError),
    /// The test failed. [`replay`] does it again.
    #[error("{case}: cuts {cuts:?}: operation {at}: {failure}")]
    Failed {
        /// The case.
        case: String,
        /// The cuts, each counted from the mount before it.
        cuts: Vec<Cut>,
        /// Number of the operation.
        at: usize,
        /// What is wrong.
        failure: Box<Failure>,
    },
}

/// What a case took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Changing operations of the workload without a cut.
    pub changes: u64,
    /// Cuts in the workload: two for each change.
    pub cuts: u64,
    /// Cuts in the mounts that followed.
    pub mount_cuts: u64,
    /// Cuts in the workload that were in a shutdown.
    pub in_shutdowns: u64,
    /// Pages whose newest acknowledged write was gone after a cut in the workload, as volatile ones may be.
    pub lost: u64,
    /// Cuts one after another, mounts among them.
    pub in_storms: u64,
}

impl Tally {
    /// Adds another case's.
    pub fn add(&mut self, other: &Self) {
        self.changes += other.changes;
        self.cuts += other.cuts;
        self.mount_cuts += other.mount_cuts;
        self.in_shutdowns += other.in_shutdowns;
        self.lost += other.lost;
        self.in_storms += other.in_storms;
    }
}

/// A run and its array, so far.
#[derive(Clone)]
struct Stage<'c> {
    case: &'c Case,
    run: Run,
    array: PowerCut<Array>,
    cuts: Vec<Cut>,
    /// Torn programs since the last mount that was completed.
    torn: u32,
}

/// What came of one stretch between two mounts.
enum StretchEnd {
    Finished,
    PowerOff,
}

impl<'c> Stage<'c> {
    fn new(case: &'c Case) -> Result<Self, Verdict> {
        let logical = logical_pages(&case.scheme, &case.shape, 0).map_err(Verdict::Refused)?;
        let pages_per_block = case.shape.pages_per_block;
        let operations = case
            .pattern
            .sequence(logical, pages_per_block, case.seed)
            .take(case.operations)
            .chain(case.shutdown.then_some(Task::Shutdown))
            .collect();
        Ok(Self {
            case,
            run: Run::new(case.scheme.clone(), logical, operations, Medium::Sound),
            array: PowerCut::new(case.shape.array(Store::All, &[])),
            cuts: Vec::new(),
            torn: 0,
        })
    }

    /// Formats or mounts and goes on, to the end or to this cut.
    fn go(&mut self, cut: Option<Cut>) -> Result<StretchEnd, Verdict> {
        self.array.restore();
        if let Some(cut) = cut {
            self.array.cut_after(cut.after, cut.torn);
            self.cuts.push(cut);
        }
        let shared = Shared::new(self.array.clone());
        let starts = self.run.starts();
        let end = self.run.go(shared.clone());
        if self.run.starts() > starts {
            self.torn = 0;
        }
        let torn = cut.is_some_and(|cut| cut.torn);
        if torn && matches!(shared.cut_operation(), Some(Operation::Program | Operation::Copy)) {
            self.torn += 1;
        }
        self.array = shared.with(|array| array.clone());
        match end {
            Ok(End::Finished) => Ok(StretchEnd::Finished),
            Ok(End::PowerOff) => Ok(StretchEnd::PowerOff),
            Err(Failure::Scheme { error: FtlError::Full { .. }, .. }) if self.may_fill() => {
                self.read_only()
            }
            Err(failure) => Err(self.failed(failure)),
        }
    }

    fn may_fill(&self) -> bool {
        self.case.trims_may_fill && !self.cuts.is_empty() && self.run.trims() > 0
    }

    /// No write has room: mounts once more, reads everything and ends there.
    fn read_only(&mut self) -> Result<StretchEnd, Verdict> {
        self.run.shorten(0);
        self.array.restore();
        match self.run.go(self.array.clone()) {
            Ok(_) => Ok(StretchEnd::Finished),
            Err(failure) => Err(self.failed(failure)),
        }
    }

    fn failed(&self, failure: Failure) -> Verdict {
        let (case, cuts) = (self.case.to_string(), self.cuts.clone());
        Verdict::Failed { case, cuts, at: self.run.at(), failure: failure.into() }
    }

    /// Goes on after the last cut, without another; reads only, where more was torn than writes can bear.
    fn recover(&mut self, go_on: usize) -> Result<(), Verdict> {
        let writes = self.torn <= self.case.torn_in_a_row;
        self.run.shorten(if writes { go_on } else { 0 });
        match self.go(None)? {
            StretchEnd::Finished => Ok(()),
            StretchEnd::PowerOff => {
                Err(self.failed(Failure::Account("power off without a cut".into())))
            }
        }
    }

    /// Changing operations of the mount that comes next, and of reading everything behind it.
    fn mount_changes(&self) -> Result<u64, Verdict> {
        let mut mount = self.clone();
        mount.run.shorten(0);
        let before = mount.array.changes();
        mount.go(None)?;
        Ok(mount.array.changes() - before)
    }
}

/// Changing operations of the workload without a cut.
///
/// # Errors
/// The verdict, where it is not a pass.
pub fn changes(case: &Case) -> Result<u64, Verdict> {
    let mut whole = Stage::new(case)?;
    whole.go(None)?;
    Ok(whole.array.changes())
}

/// Cuts the power at every change of the workload, clean and torn, and at every change of the mount that
/// follows.
///
/// # Errors
/// The verdict, where it is not a pass.
pub fn every_cut(case: &Case) -> Result<Tally, Verdict> {
    let mut tally = Tally { changes: changes(case)?, ..Tally::default() };
    for after in 0..tally.changes {
        for torn in [false, true] {
            let mut stage = Stage::new(case)?;
            stage.go(Some(Cut { after, torn }))?;
            tally.cuts += 1;
            tally.in_shutdowns += u64::from(stage.run.cut_in() == Some(Task::Shutdown));
            tally.mount_cuts += cut_the_mount(&stage)?;
            stage.recover(case.go_on)?;
            tally.lost += stage.run.lost();
        }
    }
    Ok(tally)
}

fn cut_the_mount(stage: &Stage<'_>) -> Result<u64, Verdict> {
    let changes = stage.mount_changes()?;
    let mut cuts = 0;
    for after in 0..changes {
        for torn in [false, true] {
            let mut second = stage.clone();
            second.go(Some(Cut { after, torn }))?;
            // There are so many of these that a shorter way on must do.
            second.recover(stage.case.go_on / 4)?;
            cuts += 1;
        }
    }
    Ok(cuts)
}

/// Does one sequence of cuts again: each is counted from the mount before it.
///
/// # Errors
/// The verdict, where it is not a pass.
pub fn replay(case: &Case, cuts: &[Cut]) -> Result<(), Verdict> {
    let mut stage = Stage::new(case)?;
    for cut in cuts {
        stage.go(Some(*cut))?;
    }
    stage.recover(case.go_on)
}

/// Cuts again and again, each at most `longest` changes after the mount before it (so that many mounts
/// are cut as well), until the workload is done. Returns the number of cuts.
///
/// # Errors
/// The verdict, where it is not a pass.
pub fn storm(case: &Case, longest: u64) -> Result<u64, Verdict> {
    use rand::{RngExt, SeedableRng};
    let mut random = rand_pcg::Pcg64::seed_from_u64(case.seed);
    let mut stage = Stage::new(case)?;
    loop {
        let torn = stage.torn < case.torn_in_a_row && random.random_bool(0.5);
        let cut = Cut { after: random.random_range(0..=longest), torn };
        if let StretchEnd::Finished = stage.go(Some(cut))? {
            return Ok(stage.cuts.len() as u64 - 1);
        }
    }
}
