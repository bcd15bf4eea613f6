//! Power cuts at every single program, copy and erase of a workload, clean and torn. After each, the array is
//! mounted, everything is read, and the workload continues under the scheme's bounds. The mount itself is cut as
//! well, and mounted again.

use crate::bench::{AnyScheme, bench_of};
use crate::checks::Failure;
use crate::conformance::{Described, logical_pages};
use crate::depth::whole;
use crate::driver::Medium;
use crate::operations::{Operation as Task, Pattern};
use crate::run::{End, Moment, Moments, Run};
use crate::shape::Shape;
use crate::shared::{Own, Shared};
use crate::watched::Inspect;
use flash::faults::{PowerCut, Tearable};
use flash::{Array, Operation, Store};
use ftl::{FtlError, SchemeConfig};
use std::fmt;

/// One power cut after a number of changing operations, before the next or in the middle of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Changing operations (programs, copies, erases) that run before it.
    pub after: u64,
    /// True if the operation at the cut is left half done.
    pub torn: bool,
}

/// One workload on one scheme.
#[derive(Clone, Debug)]
pub struct Case {
    /// The scheme.
    pub scheme: SchemeConfig,
    /// The array.
    pub shape: Shape,
    /// Pattern of operations.
    pub pattern: Pattern,
    /// Seed of the operations.
    pub seed: u64,
    /// Number of operations.
    pub operations: usize,
    /// True if the workload ends with a shutdown of the device.
    pub shutdown: bool,
    /// Operations after a cut before the test of that cut ends.
    pub go_on: usize,
    /// So many operations follow the cuts at one of so many changes of the workload, and a quarter of them the others. (A quarter
    /// of that after a cut in a mount.) Default: 4, and with [`whole`] 1.
    pub far_every: u64,
    /// The mount is cut, too, after a cut at one of so many changes of the workload. Default: 1, after each.
    pub mounts_cut: u64,
    /// Changes of one mount at which it is cut, at most. Default: 2, and with [`whole`] all. With fewer than it has, the mounts after the next cuts of the
    /// workload, which do nearly the same, are cut at the others.
    pub cuts_of_a_mount: u64,
    /// Torn programs without a completed mount between them after which writes must still succeed.
    ///
    /// Each takes a page that collection may have counted on, and a scheme's reserve is limited. After more of them
    /// everything must be readable, but a write may find no room. Clean cuts and torn erases cost nothing.
    pub torn_in_a_row: u32,
    /// True if a write may find no room after trims and a power cut. A trim is advisory, so trimmed pages may come
    /// back and take the room that collection counted on. Everything must be readable all the same.
    pub trims_may_fill: bool,
}

impl Case {
    /// A case of 160 operations. Writes must succeed after any cut, except with patterns whose trims a cut may undo.
    pub fn new(scheme: SchemeConfig, shape: Shape, pattern: Pattern, seed: u64) -> Self {
        Self {
            scheme,
            shape,
            pattern,
            seed,
            operations: 160,
            shutdown: false,
            go_on: 120,
            far_every: if whole() { 1 } else { 4 },
            mounts_cut: 1,
            cuts_of_a_mount: if whole() { u64::MAX } else { 2 },
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

/// Reason why a case did not pass.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Verdict {
    /// The scheme refuses the array: an error in the configuration, not a failed test.
    #[error("refused: {0}")]
    Refused(FtlError),
    /// The test failed. [`replay`] repeats it.
    #[error("{case}: cuts {cuts:?}: operation {at}: {failure}")]
    Failed {
        /// The case.
        case: String,
        /// The cuts, each counted from the mount before it.
        cuts: Vec<Cut>,
        /// Index of the operation.
        at: usize,
        /// The fault.
        failure: Box<Failure>,
    },
}

/// Counts of a case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Changing operations of the workload without a cut.
    pub changes: u64,
    /// Cuts in the workload: two per change.
    pub cuts: u64,
    /// Cuts in the mounts that followed.
    pub mount_cuts: u64,
    /// Cuts in the workload that hit a shutdown.
    pub in_shutdowns: u64,
    /// Pages whose newest acknowledged write was lost in a cut of the workload, as volatile writes may be.
    pub lost: u64,
    /// Cuts in storms, those in mounts included.
    pub in_storms: u64,
}

impl Tally {
    /// Adds the counts of another case.
    pub fn add(&mut self, other: &Self) {
        self.changes += other.changes;
        self.cuts += other.cuts;
        self.mount_cuts += other.mount_cuts;
        self.in_shutdowns += other.in_shutdowns;
        self.lost += other.lost;
        self.in_storms += other.in_storms;
    }
}

/// State of a run and its array. Each stretch works on a copy of the array, so clones may share one.
#[derive(Clone)]
struct Stage<'c, A> {
    case: &'c Case,
    run: Run,
    array: Shared<PowerCut<A>>,
    cuts: Vec<Cut>,
    /// Torn programs since the last completed mount.
    torn: u32,
}

/// End of a stretch between two mounts.
enum StretchEnd {
    Finished,
    PowerOff,
}

impl<'c, A: Inspect + Tearable + Clone> Stage<'c, A> {
    fn new(case: &'c Case, array: A) -> Result<Self, Verdict> {
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
            array: Shared::new(PowerCut::new(array)),
            cuts: Vec::new(),
            torn: 0,
        })
    }

    /// Formats or mounts, and continues to the end or to this cut.
    fn go(&mut self, cut: Option<Cut>) -> Result<StretchEnd, Verdict> {
        let mut array = self.powered();
        if let Some(cut) = cut {
            array.cut_after(cut.after, cut.torn);
            self.cuts.push(cut);
        }
        self.array = Shared::new(array);
        let starts = self.run.starts();
        let end = self.run.go(self.array.clone());
        if self.run.starts() > starts {
            self.torn = 0;
        }
        let torn = cut.is_some_and(|cut| cut.torn);
        if torn && matches!(self.array.cut_operation(), Some(Operation::Program | Operation::Copy))
        {
            self.torn += 1;
        }
        match end {
            Ok(End::Finished) => Ok(StretchEnd::Finished),
            Ok(End::PowerOff) => Ok(StretchEnd::PowerOff),
            Err(Failure::Scheme { error: FtlError::Full { .. }, .. }) if self.may_fill() => {
                self.read_only()
            }
            Err(failure) => Err(self.failed(failure)),
        }
    }

    /// Runs the whole workload without a cut. Returns the moments in which it can be cut.
    fn follow(&mut self) -> Result<Vec<Moment>, Verdict> {
        let changes = |scheme: &AnyScheme| own::<A>(scheme).with(|array| array.changes());
        let mut moments = Moments { changes: &changes, all: Vec::new() };
        match self.run.go_noting(Own(self.array.clone()), Some(&mut moments)) {
            Ok(End::Finished) => Ok(moments.all),
            Ok(End::PowerOff) => {
                Err(self.failed(Failure::Account("power off without a cut".into())))
            }
            Err(failure) => Err(self.failed(failure)),
        }
    }

    /// The state behind a cut in this moment; `None` if that is not where the operation stops.
    fn cut_in(case: &'c Case, moment: &Moment, cut: Cut) -> Option<Self> {
        let mut handle = None;
        let prepare = |scheme: &mut AnyScheme| {
            let array = own::<A>(scheme);
            array.with(|array| array.cut_after(cut.after - moment.changes.start, cut.torn));
            handle = Some(array.clone());
        };
        let Ok((run, End::PowerOff)) = moment.again(prepare) else { return None };
        let array = handle?;
        let programs = matches!(array.cut_operation(), Some(Operation::Program | Operation::Copy));
        let torn = u32::from(cut.torn && programs);
        Some(Self { case, run, array, cuts: vec![cut], torn })
    }

    /// A copy of the array, with power.
    fn powered(&self) -> PowerCut<A> {
        let mut array = self.array.with(|array| array.clone());
        array.restore();
        array
    }

    /// Changing operations so far.
    fn changes(&self) -> u64 {
        self.array.with(|array| array.changes())
    }

    fn may_fill(&self) -> bool {
        self.case.trims_may_fill && !self.cuts.is_empty() && self.run.trims() > 0
    }

    /// Handles a write without room: mounts once more, reads everything and ends the run.
    fn read_only(&mut self) -> Result<StretchEnd, Verdict> {
        self.run.shorten(0);
        match self.run.go(self.powered()) {
            Ok(_) => Ok(StretchEnd::Finished),
            Err(failure) => Err(self.failed(failure)),
        }
    }

    fn failed(&self, failure: Failure) -> Verdict {
        let (case, cuts) = (self.case.to_string(), self.cuts.clone());
        Verdict::Failed { case, cuts, at: self.run.at(), failure: failure.into() }
    }

    /// Continues after the last cut without another one. It only reads if more pages are torn than writes can bear.
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

    /// Changing operations of the next mount, and of the reads after it.
    fn mount_changes(&self) -> Result<u64, Verdict> {
        let mut mount = self.clone();
        mount.run.shorten(0);
        let before = mount.changes();
        mount.go(None)?;
        Ok(mount.changes() - before)
    }
}

/// The array below a scheme that runs on an [`Own`] one.
fn own<A: Inspect + Tearable + Clone>(scheme: &AnyScheme) -> &Shared<PowerCut<A>> {
    &bench_of(scheme).inner().below::<Own<PowerCut<A>>>().0
}

/// The erased array of a case: one that keeps bytes, in memory.
fn in_memory(case: &Case) -> Array {
    case.shape.array(Store::All, &[])
}

/// Changing operations of the workload without a cut.
///
/// # Errors
/// The verdict, if the case did not pass.
pub fn changes(case: &Case) -> Result<u64, Verdict> {
    changes_on(case, &in_memory)
}

fn changes_on<A: Inspect + Tearable + Clone>(
    case: &Case,
    array: &dyn Fn(&Case) -> A,
) -> Result<u64, Verdict> {
    let mut whole = Stage::new(case, array(case))?;
    whole.go(None)?;
    Ok(whole.changes())
}

/// Cuts the power at every change of the workload, clean and torn, and at every change of the mount that follows.
///
/// # Errors
/// The verdict, if the case did not pass.
pub fn every_cut(case: &Case) -> Result<Tally, Verdict> {
    every_cut_on(case, &in_memory)
}

/// The same on another array, of which `array` makes an erased one of the case's shape.
///
/// # Errors
/// The verdict, if the case did not pass.
pub fn every_cut_on<A: Inspect + Tearable + Clone>(
    case: &Case,
    array: &dyn Fn(&Case) -> A,
) -> Result<Tally, Verdict> {
    let mut whole = Stage::new(case, array(case))?;
    let moments = whole.follow()?;
    let mut tally = Tally { changes: whole.changes(), ..Tally::default() };
    for after in 0..tally.changes {
        let moment = moments.iter().find(|moment| moment.changes.contains(&after));
        for torn in [false, true] {
            let cut = Cut { after, torn };
            let mut stage = match moment.and_then(|moment| Stage::cut_in(case, moment, cut)) {
                Some(stage) => stage,
                // Formats, mounts and the reads behind them are no moments: repeated from the start.
                None => {
                    let mut stage = Stage::new(case, array(case))?;
                    stage.go(Some(cut))?;
                    stage
                }
            };
            tally.cuts += 1;
            tally.in_shutdowns += u64::from(stage.run.cut_in() == Some(Task::Shutdown));
            let cut_off = stage.clone();
            stage.run.awaits_start();
            let far = after.is_multiple_of(case.far_every);
            let go_on = if far { case.go_on } else { case.go_on / 4 };
            stage.recover(go_on)?;
            if after.is_multiple_of(case.mounts_cut) && !stage.run.started_quietly() {
                tally.mount_cuts += cut_the_mount(&cut_off, after, go_on / 4)?;
            }
            tally.lost += stage.run.lost();
        }
    }
    Ok(tally)
}

/// Cuts the mount, from another of its changes on for each cut of the workload, so that the mounts of cuts in a row are cut
/// everywhere.
fn cut_the_mount<A: Inspect + Tearable + Clone>(
    stage: &Stage<'_, A>,
    cut_after: u64,
    go_on: usize,
) -> Result<u64, Verdict> {
    let changes = stage.mount_changes()?;
    let every = changes.div_ceil(stage.case.cuts_of_a_mount).max(1);
    let mut cuts = 0;
    for after in (cut_after % every..changes).step_by(every as usize) {
        for torn in [false, true] {
            let mut second = stage.clone();
            second.go(Some(Cut { after, torn }))?;
            second.recover(go_on)?;
            cuts += 1;
        }
    }
    Ok(cuts)
}

/// Repeats a sequence of cuts, each counted from the mount before it.
///
/// # Errors
/// The verdict, if the case did not pass.
pub fn replay(case: &Case, cuts: &[Cut]) -> Result<(), Verdict> {
    let mut stage = Stage::new(case, in_memory(case))?;
    for cut in cuts {
        stage.go(Some(*cut))?;
    }
    stage.recover(case.go_on)
}

/// Cuts again and again until the workload is done, and returns the number of cuts. Each cut is at most `longest`
/// changes after the mount before it, so that many mounts are cut as well.
///
/// # Errors
/// The verdict, if the case did not pass.
pub fn storm(case: &Case, longest: u64) -> Result<u64, Verdict> {
    storm_on(case, longest, &in_memory)
}

/// The same on another array, of which `array` makes an erased one of the case's shape.
///
/// # Errors
/// The verdict, if the case did not pass.
pub fn storm_on<A: Inspect + Tearable + Clone>(
    case: &Case,
    longest: u64,
    array: &dyn Fn(&Case) -> A,
) -> Result<u64, Verdict> {
    use rand::{RngExt, SeedableRng};
    let mut random = rand_pcg::Pcg64::seed_from_u64(case.seed);
    let mut stage = Stage::new(case, array(case))?;
    loop {
        let torn = stage.torn < case.torn_in_a_row && random.random_bool(0.5);
        let cut = Cut { after: random.random_range(0..=longest), torn };
        if let StretchEnd::Finished = stage.go(Some(cut))? {
            return Ok(stage.cuts.len() as u64 - 1);
        }
    }
}
