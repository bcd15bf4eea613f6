//! A run of a list of operations on a scheme of the registry, through remounts and power cuts.

use crate::bench::{AnyScheme, array_of, bench_for};
use crate::checks::{Failure, Worst};
use crate::driver::{Driver, Medium, Stop};
use crate::model::Model;
use crate::operations::Operation;
use crate::watched::Inspect;
use flash::{AnyArray, BlockId, FlashError, Ns};
use ftl::{BufferSettings, FtlError, SchemeConfig, registry};
use std::rc::Rc;

/// Where a run stands: what is to be done, and what the device must hold. A clone goes on from here by
/// itself (with an array of its own).
#[derive(Clone, Debug)]
pub struct Run {
    config: SchemeConfig,
    operations: Rc<[Operation]>,
    medium: Medium,
    /// Operations between two looks at all accounts.
    accounts_every: usize,
    /// Operations done (or cut).
    at: usize,
    formatted: bool,
    /// The last thing done was the flush of a remount: nothing acknowledged may be lost.
    flushed: bool,
    /// Formats and mounts that came to an end.
    starts: u64,
    /// The operation in which the power failed last, if it was in one.
    cut_in: Option<Operation>,
    model: Model,
    worst: Worst,
}

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All operations are done.
    Finished,
    /// The power failed, in a task or in a mount.
    PowerOff,
}

impl Run {
    /// A run that has not begun, of a device with this many logical pages.
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
            cut_in: None,
            model: Model::new(logical_pages),
            worst: Worst::default(),
        }
    }

    /// Looks at all accounts (at O(N) each time) after every so many operations; 61 by default.
    pub fn accounts_every(mut self, operations: usize) -> Self {
        self.accounts_every = operations.max(1);
        self
    }

    /// Operations done (or cut) so far.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Formats and mounts that came to an end so far.
    pub fn starts(&self) -> u64 {
        self.starts
    }

    /// The operation in which the power failed, if the last call ended in one.
    pub fn cut_in(&self) -> Option<Operation> {
        self.cut_in
    }

    /// Pages whose newest acknowledged write was gone after a power cut, as it may be.
    pub fn lost(&self) -> u64 {
        self.model.lost()
    }

    /// Trims done so far.
    pub fn trims(&self) -> usize {
        let trim = |operation: &&Operation| matches!(operation, Operation::Trim(_));
        self.operations[..self.at].iter().filter(trim).count()
    }

    /// The largest seen so far.
    pub fn worst(&self) -> &Worst {
        &self.worst
    }

    /// Leaves out all operations but the next `operations`.
    pub fn shorten(&mut self, operations: usize) {
        let end = self.at.saturating_add(operations).min(self.operations.len());
        self.operations = self.operations[..end].into();
    }

    /// Goes on to the end or to a power cut. Formats at the first call, mounts at every other, and after
    /// each mount reads everything.
    ///
    /// # Errors
    /// The failure.
    pub fn go(&mut self, array: impl Into<Box<dyn Inspect>>) -> Result<End, Failure> {
        self.cut_in = None;
        let mut array = array.into();
        loop {
            match self.segment(array) {
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

    /// From a format or mount to the next mount, for which the array is handed back, or to the end.
    fn segment(&mut self, array: Box<dyn Inspect>) -> Result<Option<Box<dyn Inspect>>, Stop> {
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
        self.drive(scheme, mounted)
    }

    fn drive(
        &mut self,
        scheme: Box<AnyScheme>,
        mounted: bool,
    ) -> Result<Option<Box<dyn Inspect>>, Stop> {
        let mut driver = Driver::new(scheme, &mut self.model, self.medium)?;
        if mounted {
            driver.read_all()?;
        }
        let mut remounts = false;
        while let Some(operation) = self.operations.get(self.at).filter(|_| !remounts) {
            self.at += 1;
            let done = driver.apply(*operation);
            self.worst.merge(&driver.take_worst());
            if matches!(done, Err(Stop::PowerOff)) {
                self.cut_in = Some(*operation);
            }
            done?;
            remounts = operation.remounts();
            if !remounts && self.at.is_multiple_of(self.accounts_every) {
                driver.check_accounts()?;
            }
        }
        driver.check_accounts()?;
        // A task behind a shutdown may undo what makes the next mount short.
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

/// How long a page of the write buffer may stay dirty; [`Ns::MAX`] where the scheme below it may keep what it is
/// given in RAM of its own.
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
