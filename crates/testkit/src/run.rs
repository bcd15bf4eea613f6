//! A run of a list of operations on a scheme of the registry, through remounts and power cuts.

use crate::checks::{Failure, Worst};
use crate::driver::{Bench, Driver, Medium, Stop, bench_for, into_array};
use crate::model::Model;
use crate::operations::Operation;
use crate::watched::Inspect;
use flash::{BlockId, Flash, FlashError, Ns};
use ftl::registry::{self, Visitor};
use ftl::{BufferSettings, FtlError, Scheme, SchemeConfig};
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
#[derive(Debug)]
pub enum End<F> {
    /// All operations are done; the array is handed back.
    Finished(F),
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
    pub fn go<F: Inspect + Clone>(&mut self, mut flash: F) -> Result<End<F>, Failure> {
        self.cut_in = None;
        loop {
            let mounted = std::mem::replace(&mut self.formatted, true);
            let config = self.config.clone();
            self.model.durable_after(durable_after(&config, &flash));
            let mut bench = bench_for(&config, flash);
            if mounted && let Err(error) = bench.recover() {
                let operation = String::from("recovery of wear levelling");
                return match error {
                    FlashError::PowerOff => Ok(End::PowerOff),
                    error => Err(Failure::Scheme { operation, error: error.into() }),
                };
            }
            let segment = Segment { run: self, mounted };
            let done = if mounted {
                if !std::mem::take(&mut segment.run.flushed) {
                    segment.run.model.power_failed();
                }
                segment.run.model.mounted();
                registry::mount(&config, bench, segment)
            } else {
                registry::format(&config, bench, segment)
            };
            match done {
                Err(FtlError::Flash(FlashError::PowerOff)) => return Ok(End::PowerOff),
                Err(error) => {
                    let operation = String::from(if mounted { "mount" } else { "format" });
                    return Err(Failure::Scheme { operation, error });
                }
                Ok(Err(Stop::PowerOff)) => return Ok(End::PowerOff),
                Ok(Err(Stop::Failed(failure))) => return Err(failure),
                Ok(Ok((array, Next::Remount))) => {
                    self.flushed = true;
                    flash = array;
                }
                Ok(Ok((array, Next::End))) => return Ok(End::Finished(array)),
            }
        }
    }
}

/// How long a page of the write buffer may stay dirty; [`Ns::MAX`] where the scheme below it may keep what it is
/// given in RAM of its own.
pub fn durable_after<F: Flash>(config: &SchemeConfig, flash: &F) -> Ns {
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

enum Next {
    Remount,
    End,
}

/// What lies between two mounts. Hands the bare array back at a remount or at the end.
struct Segment<'r> {
    run: &'r mut Run,
    mounted: bool,
}

impl<F: Inspect> Visitor<Bench<F>> for Segment<'_> {
    type Output = Result<(F, Next), Stop>;

    fn visit<S: Scheme<Flash = Bench<F>> + Clone>(self, scheme: S) -> Self::Output {
        let run = self.run;
        run.starts += 1;
        let mut driver = Driver::new(scheme, &mut run.model, run.medium)?;
        if self.mounted {
            driver.read_all()?;
        }
        let operations = Rc::clone(&run.operations);
        let mut next = Next::End;
        while let Some(operation) = operations.get(run.at) {
            run.at += 1;
            let done = driver.apply(*operation);
            run.worst.merge(&driver.take_worst());
            if matches!(done, Err(Stop::PowerOff)) {
                run.cut_in = Some(*operation);
            }
            done?;
            if operation.remounts() {
                next = Next::Remount;
                break;
            }
            if run.at.is_multiple_of(run.accounts_every) {
                driver.check_accounts()?;
            }
        }
        driver.check_accounts()?;
        // A task behind a shutdown may undo what makes the next mount short.
        if run.at == 0 || run.operations[run.at - 1] != Operation::Shutdown {
            driver.read_all()?;
        }
        run.worst.merge(&driver.take_worst());
        Ok((into_array(driver.into_scheme().into_flash()), next))
    }
}
