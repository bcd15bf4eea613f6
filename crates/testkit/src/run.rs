//! A run of a list of operations on a scheme of the registry, across remounts and power cuts.

use crate::bench::{AnyScheme, array_of, bench_for, bench_of};
use crate::checks::{Failure, Worst};
use crate::driver::{Driver, Medium, Stop};
use crate::model::Model;
use crate::operations::Operation;
use crate::watched::Inspect;
use flash::{AnyArray, BlockId, FlashError, Ns, Operation as Work};
use ftl::{BufferSettings, FtlError, SchemeConfig, registry};
use std::ops::Range;
use std::rc::Rc;

/// Of so many starts after different numbers of operations, one compares the state that the scheme tells.
const STATE_EVERY: usize = 4;
/// Most logical pages of a device whose state is compared between starts as well; a comparison looks at every page.
const STATE_PAGES: u32 = 4096;

/// State of a run: the operations to do, and the expected content of the device. A clone continues independently,
/// with its own array.
#[derive(Clone, Debug)]
pub struct Run {
    config: SchemeConfig,
    operations: Rc<[Operation]>,
    medium: Medium,
    /// Operations between two checks of all accounts.
    accounts_every: usize,
    /// Operations done or cut.
    at: usize,
    formatted: bool,
    /// True if the last operation was the flush of a remount: no acknowledged write may be lost.
    flushed: bool,
    /// Completed formats and mounts.
    starts: u64,
    /// True if the first mount since [`Run::awaits_start`], and the reads of all pages behind it, changed nothing on flash.
    quiet_start: Option<bool>,
    /// The operation that the last power cut interrupted, if any.
    cut_in: Option<Operation>,
    model: Model,
    worst: Worst,
}

/// A run in front of an operation that changes the array, to be cut in it again and again.
pub(crate) struct Moment {
    run: Run,
    scheme: Box<AnyScheme>,
    writes: u64,
    /// Numbers of the operation's changes.
    pub(crate) changes: Range<u64>,
}

impl Moment {
    /// Runs the operation on a copy of the scheme, and of its array, to which `prepare` has access.
    pub(crate) fn again(
        &self,
        prepare: impl FnOnce(&mut AnyScheme),
    ) -> Result<(Run, End), Failure> {
        let mut run = self.run.clone();
        let mut scheme = self.scheme.fork();
        prepare(&mut *scheme);
        let operation = run.operations[run.at];
        run.at += 1;
        let mut driver = Driver::resumed(scheme, &mut run.model, run.medium, self.writes)?;
        let done = driver.apply(operation);
        run.worst.merge(&driver.take_worst());
        match done {
            Ok(()) => Ok((run, End::Finished)),
            Err(Stop::PowerOff) => {
                run.cut_in = Some(operation);
                Ok((run, End::PowerOff))
            }
            Err(Stop::Failed(failure)) => Err(failure),
        }
    }
}

/// The moments of a run.
pub(crate) struct Moments<'c> {
    /// Changes of a scheme's array so far.
    pub(crate) changes: &'c dyn Fn(&AnyScheme) -> u64,
    pub(crate) all: Vec<Moment>,
}

/// End of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All operations are done.
    Finished,
    /// The power failed, in a task or in a mount.
    PowerOff,
}

impl Run {
    /// A new run on a device with this many logical pages.
    pub fn new(
        config: SchemeConfig,
        logical_pages: u32,
        operations: Vec<Operation>,
        medium: Medium,
    ) -> Self {
        Self {
            config,
            operations: operations.into(),
            medium,
            accounts_every: 61,
            at: 0,
            formatted: false,
            flushed: false,
            starts: 0,
            quiet_start: None,
            cut_in: None,
            model: Model::new(logical_pages),
            worst: Worst::default(),
        }
    }

    /// Sets the number of operations between two checks of all accounts, which cost O(N) each. Default: 61.
    pub fn accounts_every(mut self, operations: usize) -> Self {
        self.accounts_every = operations.max(1);
        self
    }

    /// Operations done or cut so far.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Formats and mounts completed so far.
    pub fn starts(&self) -> u64 {
        self.starts
    }

    /// Forgets whether a mount was quiet.
    pub(crate) fn awaits_start(&mut self) {
        self.quiet_start = None;
    }

    /// True if the next mount after [`Run::awaits_start`], and the reads of all pages behind it, changed nothing on flash.
    pub(crate) fn started_quietly(&self) -> bool {
        self.quiet_start == Some(true)
    }

    /// The operation that the power cut interrupted, if the last call ended in one.
    pub fn cut_in(&self) -> Option<Operation> {
        self.cut_in
    }

    /// Pages whose newest acknowledged write was lost in a power cut, as the scheme declares.
    pub fn lost(&self) -> u64 {
        self.model.lost()
    }

    /// Trims done so far.
    pub fn trims(&self) -> usize {
        let trim = |operation: &&Operation| matches!(operation, Operation::Trim(_));
        self.operations[..self.at].iter().filter(trim).count()
    }

    /// The largest observed values so far.
    pub fn worst(&self) -> &Worst {
        &self.worst
    }

    /// Drops all but the next `operations` operations.
    pub fn shorten(&mut self, operations: usize) {
        let end = self.at.saturating_add(operations).min(self.operations.len());
        self.operations = self.operations[..end].into();
    }

    /// Continues to the end or to a power cut. The first call formats, every other one mounts. After each mount it
    /// reads all pages.
    ///
    /// # Errors
    /// The failure.
    pub fn go(&mut self, array: impl Into<Box<dyn Inspect>>) -> Result<End, Failure> {
        self.go_noting(array, None)
    }

    /// As [`Run::go`]. Notes the moments of the run, if it is told to: the array must be one that can be copied.
    pub(crate) fn go_noting(
        &mut self,
        array: impl Into<Box<dyn Inspect>>,
        mut moments: Option<&mut Moments<'_>>,
    ) -> Result<End, Failure> {
        self.cut_in = None;
        let mut array = array.into();
        loop {
            match self.segment(array, moments.as_deref_mut()) {
                Ok(Some(next)) => {
                    self.flushed = true;
                    array = next;
                }
                Ok(None) => return Ok(End::Finished),
                Err(Stop::PowerOff) => return Ok(End::PowerOff),
                Err(Stop::Failed(failure)) => return Err(failure),
            }
        }
    }

    /// Runs from a format or mount to the end, or to the next mount, for which it returns the array.
    fn segment(
        &mut self,
        array: Box<dyn Inspect>,
        moments: Option<&mut Moments<'_>>,
    ) -> Result<Option<Box<dyn Inspect>>, Stop> {
        let mounted = std::mem::replace(&mut self.formatted, true);
        self.model.durable_after(durable_after(&self.config, &*array));
        let mut bench = bench_for(&self.config, array);
        let scheme = if mounted {
            done("recovery of wear levelling", bench.recover().map_err(FtlError::from))?;
            if !std::mem::take(&mut self.flushed) {
                self.model.power_failed();
            }
            self.model.mounted();
            done("mount", registry::mount(&self.config, AnyArray::new(bench)))?
        } else {
            done("format", registry::format(&self.config, AnyArray::new(bench)))?
        };
        self.starts += 1;
        let mut model = std::mem::replace(&mut self.model, Model::new(0));
        let end = self.drive(scheme, &mut model, mounted, moments);
        self.model = model;
        end
    }

    fn drive(
        &mut self,
        scheme: Box<AnyScheme>,
        model: &mut Model,
        mounted: bool,
        mut moments: Option<&mut Moments<'_>>,
    ) -> Result<Option<Box<dyn Inspect>>, Stop> {
        let small = model.logical_pages() <= STATE_PAGES;
        let mut driver = Driver::new(scheme, model, self.medium)?;
        // A power cut at every operation would spend most of its time on this.
        let looks = self.at.is_multiple_of(STATE_EVERY);
        if mounted {
            if looks {
                driver.check_state()?;
            }
            driver.read_all()?;
            let counts = bench_of(driver.scheme()).counts();
            let changes = [Work::Program, Work::Copy, Work::Erase].map(|work| counts.total(work));
            self.quiet_start.get_or_insert(changes == [0; 3]);
        }
        let mut remounts = false;
        let operations = Rc::clone(&self.operations);
        while let Some(operation) = operations.get(self.at).filter(|_| !remounts) {
            let moment = moments.as_deref().map(|moments| {
                let (model, scheme, writes) = driver.copy();
                let changes = (moments.changes)(&*scheme);
                Moment { run: Self { model, ..self.clone() }, scheme, writes, changes: changes..0 }
            });
            self.at += 1;
            let done = driver.apply(*operation);
            self.worst.merge(&driver.take_worst());
            if let (Some(mut moment), Some(moments)) = (moment, moments.as_deref_mut()) {
                moment.changes.end = (moments.changes)(driver.scheme());
                moments.all.extend((!moment.changes.is_empty()).then_some(moment));
            }
            if matches!(done, Err(Stop::PowerOff)) {
                self.cut_in = Some(*operation);
            }
            done?;
            remounts = operation.remounts();
            if !remounts && self.at.is_multiple_of(self.accounts_every) {
                driver.check_accounts()?;
                if small {
                    driver.check_state()?;
                }
            }
        }
        driver.check_accounts()?;
        if looks {
            driver.check_state()?;
        }
        // A read after a shutdown may undo the work that makes the next mount short.
        if self.at == 0 || self.operations[self.at - 1] != Operation::Shutdown {
            driver.read_all()?;
        }
        self.worst.merge(&driver.take_worst());
        Ok(remounts.then(|| array_of(driver.into_scheme())))
    }
}

fn done<T>(operation: &str, result: Result<T, FtlError>) -> Result<T, Stop> {
    result.map_err(|error| match error {
        FtlError::Flash(FlashError::PowerOff) => Stop::PowerOff,
        error => Stop::Failed(Failure::Scheme { operation: operation.into(), error }),
    })
}

/// Longest time that a page of the write buffer may stay dirty. [`Ns::MAX`] if the scheme below may also hold writes
/// in its own RAM.
pub fn durable_after(config: &SchemeConfig, flash: &dyn Inspect) -> Ns {
    let geometry = flash.geometry();
    let good = (0..geometry.blocks()).filter(|block| !flash.is_bad(BlockId(*block))).count() as u32;
    let bare = BufferSettings { policy: Some(None), ..BufferSettings::default() };
    let bare = SchemeConfig { buffer: bare, ..config.clone() };
    let plan = |config| registry::plan(config, flash.part(), geometry, good);
    match (plan(config), plan(&bare)) {
        (Ok(plan), Ok(bare)) if !bare.guarantee.volatile => {
            plan.buffer.map_or(Ns::MAX, |buffer| buffer.age_ns)
        }
        _ => Ns::MAX,
    }
}
