//! Driver of one scheme, one operation at a time. It checks each read against the model, each task against the
//! bounds, and each count against the array.

use crate::bench::{AnyScheme, bench_of, bench_of_mut};
use crate::checks::{
    Failure, Task, Times, Worst, agree, check_breach, check_free_pages, check_victims,
};
use crate::inspected;
use crate::model::{Durable, Model};
use crate::operations::Operation;
use flash::{Cause, Flash, FlashError, Lpn, Ns};
use ftl::{BufferLog, FtlError, Guarantee};

/// Early end of an operation.
#[derive(Debug)]
pub enum Stop {
    /// The power failed. The model knows the interrupted operation.
    PowerOff,
    /// The test failed.
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Kind of array, which decides what can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// No operation fails: bounds hold and counts are exact.
    Sound,
    /// Programs and erases may fail: data must be right, but times and free pages have no bounds.
    Failing,
}

/// A scheme under test.
pub struct Driver<'m> {
    scheme: Box<AnyScheme>,
    model: &'m mut Model,
    medium: Medium,
    guarantee: Guarantee,
    page: Vec<u8>,
    worst: Worst,
    writes: u64,
    writes_before: u64,
}

impl<'m> Driver<'m> {
    /// Takes a scheme that was just formatted or mounted.
    ///
    /// # Errors
    /// If it exports another number of pages than the model has.
    pub fn new(
        mut scheme: Box<AnyScheme>,
        model: &'m mut Model,
        medium: Medium,
    ) -> Result<Self, Failure> {
        if scheme.logical_pages() != model.logical_pages() {
            return Err(Failure::Account(format!(
                "exports {} logical pages, expected {}",
                scheme.logical_pages(),
                model.logical_pages()
            )));
        }
        let guarantee = scheme.telemetry().guarantee;
        let page = vec![0; scheme.flash().geometry().page_bytes() as usize];
        let writes_before = host_programs(&*scheme);
        if scheme.telemetry().write_queue_pages.is_some() {
            bench_of_mut(&mut *scheme).inner_mut().hold_below();
        }
        Ok(Self {
            scheme,
            model,
            medium,
            guarantee,
            page,
            worst: Worst::default(),
            writes: 0,
            writes_before,
        })
    }

    /// Takes a scheme in the middle of its run, after this number of writes. Its accounts cannot be checked.
    pub(crate) fn resumed(
        scheme: Box<AnyScheme>,
        model: &'m mut Model,
        medium: Medium,
        writes: u64,
    ) -> Result<Self, Failure> {
        Ok(Self { writes, ..Self::new(scheme, model, medium)? })
    }

    /// Copies of the model and of the scheme with its array, and the number of writes.
    pub(crate) fn copy(&self) -> (Model, Box<AnyScheme>, u64) {
        (self.model.clone(), self.scheme.fork(), self.writes)
    }

    /// Returns the largest values since the last call.
    pub fn take_worst(&mut self) -> Worst {
        std::mem::take(&mut self.worst)
    }

    /// Returns the scheme.
    pub fn into_scheme(self) -> Box<AnyScheme> {
        self.scheme
    }

    /// Lets some time pass, then runs one operation with all checks that cost O(1). A remount is a flush here.
    ///
    /// # Errors
    /// [`Stop`].
    pub fn apply(&mut self, operation: Operation) -> Result<(), Stop> {
        self.apply_and(operation, self.guarantee.refresh_ns.is_some())
    }

    /// As [`Driver::apply`]. If `refreshes`, a step of a refresh belongs to a page task.
    fn apply_and(&mut self, operation: Operation, refreshes: bool) -> Result<(), Stop> {
        self.pass_time(operation)?;
        let before = Times::of(&*self.scheme);
        match operation {
            Operation::Write(page) => self.write(self.lpn(page))?,
            Operation::WriteThrough(page) => self.write_through(self.lpn(page))?,
            Operation::Read(page) => self.read(self.lpn(page))?,
            Operation::Trim(page) => self.trim(self.lpn(page))?,
            Operation::Flush | Operation::Remount | Operation::Shutdown => {
                let done = match operation {
                    Operation::Shutdown => self.scheme.shutdown(),
                    _ => self.scheme.flush(),
                };
                self.done(done, operation)?;
                self.model.flushed();
                self.check_flushed(operation)?;
            }
            Operation::Idle => {
                let done = self.scheme.idle();
                self.done(done, operation)?;
            }
        }
        if refreshes && operation.is_page_task() {
            let step = self.scheme.refresh_step();
            self.done(step, operation)?;
        }
        self.check_task(operation, &before)?;
        Ok(())
    }

    /// Advances the host's clock and runs what is due by then. That work belongs to no task.
    fn pass_time(&mut self, operation: Operation) -> Result<(), Stop> {
        let now_ns = self.model.pass_time();
        // Each call handles at least one page of the due work.
        for _ in 0..=self.model.logical_pages() {
            let due_ns = self.scheme.due_ns();
            let done = self.scheme.advance(now_ns);
            self.done(done, operation)?;
            if due_ns > now_ns {
                self.model.settled();
                return Ok(());
            }
        }
        let what = format!("at {now_ns} ns there is always something due");
        Err(Failure::Account(what).into())
    }

    fn lpn(&self, page: u32) -> Lpn {
        Lpn(page % self.model.logical_pages())
    }

    fn write(&mut self, lpn: Lpn) -> Result<(), Stop> {
        let version = self.will_write(lpn);
        let written = self.scheme.write(lpn, Some(&self.page));
        self.written(lpn, version, self.durable(), written, Operation::Write(lpn.0))
    }

    fn write_through(&mut self, lpn: Lpn) -> Result<(), Stop> {
        let operation = Operation::WriteThrough(lpn.0);
        let version = self.will_write(lpn);
        let written = self.scheme.write_through(lpn, Some(&self.page));
        self.written(lpn, version, Durable::AtOnce, written, operation)?;
        Ok(self.check_on_flash(lpn, operation)?)
    }

    fn will_write(&mut self, lpn: Lpn) -> u64 {
        let version = self.model.next_version(lpn, &mut self.page);
        // Some have no handle, and pages change to another stream now and then.
        self.scheme.name_stream(((u64::from(lpn.0) + self.writes / 64) % 11) as u8);
        bench_of_mut(&mut *self.scheme).inner_mut().will_write(lpn, version);
        version
    }

    fn written(
        &mut self,
        lpn: Lpn,
        version: u64,
        durable: Durable,
        written: Result<(), FtlError>,
        operation: Operation,
    ) -> Result<(), Stop> {
        if written.is_ok() {
            self.writes += 1;
            self.model.written(lpn, version, durable);
        } else {
            self.model.write_cut(lpn, version);
        }
        self.done(written, operation)
    }

    fn durable(&self) -> Durable {
        if self.guarantee.volatile { Durable::AtFlush } else { Durable::AtOnce }
    }

    fn read(&mut self, lpn: Lpn) -> Result<(), Stop> {
        self.page.fill(0xa5);
        let present = self.scheme.read(lpn, Some(&mut self.page));
        let present = self.done(present, Operation::Read(lpn.0))?;
        self.model.check_read(lpn, present, &self.page).map_err(Failure::from)?;
        Ok(())
    }

    fn trim(&mut self, lpn: Lpn) -> Result<(), Stop> {
        // A step that follows the trim may already erase the trimmed version.
        bench_of_mut(&mut *self.scheme).inner_mut().trimmed(lpn);
        match self.scheme.trim(lpn) {
            Ok(()) => {
                self.model.trimmed(lpn);
                Ok(())
            }
            error => {
                self.model.trim_cut(lpn);
                self.done(error, Operation::Trim(lpn.0))
            }
        }
    }

    fn done<T>(&self, result: Result<T, FtlError>, operation: Operation) -> Result<T, Stop> {
        result.map_err(|error| match error {
            FtlError::Flash(FlashError::PowerOff) => Stop::PowerOff,
            error => Stop::Failed(Failure::Scheme { operation: format!("{operation:?}"), error }),
        })
    }

    fn check_task(&mut self, operation: Operation, before: &Times) -> Result<(), Failure> {
        check_breach(&mut *self.scheme, operation)?;
        let task = Task::since(&*self.scheme, operation, before);
        self.worst.saw(&task);
        match self.medium {
            Medium::Sound => task.check(&self.guarantee),
            Medium::Failing => Ok(()),
        }
    }

    /// The scheme, to look at.
    pub fn scheme(&self) -> &AnyScheme {
        &*self.scheme
    }

    /// Checks the state that the scheme tells: [`Ftl::inspect`](ftl::Ftl::inspect).
    ///
    /// # Errors
    /// The disagreement.
    pub fn check_state(&self) -> Result<(), Failure> {
        inspected::check(&*self.scheme, self.model, self.medium == Medium::Sound)
    }

    /// Checks what costs O(N): free pages, victims, the collection log, write amplification.
    ///
    /// # Errors
    /// The disagreement.
    pub fn check_accounts(&mut self) -> Result<(), Failure> {
        let seen = check_victims(&*self.scheme, &self.guarantee)?;
        self.worst.victim_valid = self.worst.victim_valid.max(seen);
        self.worst.saw_victims(bench_of(&*self.scheme).inner().most_valid());
        if self.medium == Medium::Sound {
            check_free_pages(&*self.scheme)?;
        }
        let host = host_programs(&*self.scheme) - self.writes_before;
        let telemetry = self.scheme.telemetry();
        let (what, given) = match telemetry.buffer {
            None => ("writes acknowledged", self.writes),
            Some((_, log)) => ("pages written below the buffer", self.below_buffer(log)?),
        };
        // Each write that reaches the scheme itself is one program for the host. There are more only if a program
        // failed. There are fewer only if the scheme may hold writes in its RAM: they are programmed during
        // collection, or never if they are overwritten first.
        let held = match telemetry.buffer {
            Some(_) => telemetry.write_queue_pages.is_some(),
            None => self.guarantee.volatile,
        };
        let sound = self.medium == Medium::Sound;
        agree("programs for the host", host, what, given, |host, given| match (sound, held) {
            (true, false) => host == given,
            (true, true) => host <= given,
            (false, false) => host >= given,
            (false, true) => true,
        })
    }

    /// Pages that a buffer wrote to the scheme below according to its log, if the log is consistent.
    fn below_buffer(&self, log: &BufferLog) -> Result<u64, Failure> {
        let BufferLog { write_hits, write_misses, dirty, held, .. } = *log;
        let seen = write_hits + write_misses;
        agree("writes in the buffer's log", seen, "writes acknowledged", self.writes, |a, b| {
            a == b
        })?;
        agree("dirty pages", dirty, "pages in the buffer", held, |dirty, held| dirty <= held)?;
        Ok(log.evicted + log.aged + log.flushed + log.through + log.padded)
    }

    /// Checks that after a flush the newest version of each page is on flash (if its program was observed).
    fn check_flushed(&self, operation: Operation) -> Result<(), Failure> {
        let dirty = self.scheme.telemetry().buffer.map_or(0, |(_, log)| log.dirty);
        agree("dirty pages behind a flush", dirty, "of them allowed", 0, |dirty, none| {
            dirty == none
        })?;
        if self.scheme.due_ns() != Ns::MAX {
            let what = format!("{operation:?} leaves something due at {} ns", self.scheme.due_ns());
            return Err(Failure::Account(what));
        }
        let mut pages = (0..self.model.logical_pages()).map(Lpn);
        pages.try_for_each(|lpn| self.check_on_flash(lpn, operation))
    }

    fn check_on_flash(&self, lpn: Lpn, operation: Operation) -> Result<(), Failure> {
        let watched = bench_of(&*self.scheme).inner();
        let on_flash = watched.place(lpn).and_then(|ppn| watched.version(ppn));
        match (self.model.newest(lpn), on_flash) {
            (Some(newest), Some(on_flash)) if on_flash != newest => Err(Failure::Account(format!(
                "{operation:?} leaves write {on_flash} of {lpn} on flash, the newest is write {newest}"
            ))),
            _ => Ok(()),
        }
    }

    /// Reads every logical page.
    ///
    /// # Errors
    /// [`Stop`].
    pub fn read_all(&mut self) -> Result<(), Stop> {
        // Without refreshes: power cuts in quick succession would come before the reads end.
        let mut pages = 0..self.model.logical_pages();
        pages.try_for_each(|lpn| self.apply_and(Operation::Read(lpn), false))
    }
}

fn host_programs(scheme: &AnyScheme) -> u64 {
    bench_of(scheme).counts().pages_programmed(Cause::Host)
}
