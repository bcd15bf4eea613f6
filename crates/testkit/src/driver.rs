//! One scheme, driven an operation at a time: every read is checked against the model, every task
//! against what the scheme promises, every count against the array.

use crate::checks::{
    Failure, Task, Times, Worst, agree, check_breach, check_free_pages, check_victims,
};
use crate::model::{Durable, Model};
use crate::operations::Operation;
use crate::watched::{Inspect, Watched};
use flash::{Cause, Flash, FlashError, Lpn, Serial};
use ftl::{FtlError, Guarantee, Scheme};

/// The array below a scheme under test: time and counts, watched, over `F`.
pub type Bench<F> = Serial<Watched<F>>;

/// What ended an operation early.
#[derive(Debug)]
pub enum Stop {
    /// The power failed; the model knows of the operation that was under way.
    PowerOff,
    /// The test failed.
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// What can be held against a scheme on this array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// No operation fails: promises hold and counts are exact.
    Sound,
    /// Programs and erases fail: data must be right; times and free pages are not promised.
    Failing,
}

/// A scheme under test.
pub struct Driver<'m, S> {
    scheme: S,
    model: &'m mut Model,
    medium: Medium,
    guarantee: Guarantee,
    page: Vec<u8>,
    worst: Worst,
    writes: u64,
    writes_before: u64,
}

impl<'m, S, F> Driver<'m, S>
where
    S: Scheme<Flash = Bench<F>>,
    F: Inspect,
{
    /// Takes a scheme that was just formatted or mounted.
    ///
    /// # Errors
    /// Where it exports another number of pages than the model.
    pub fn new(scheme: S, model: &'m mut Model, medium: Medium) -> Result<Self, Failure> {
        if scheme.logical_pages() != model.logical_pages() {
            return Err(Failure::Account(format!(
                "exports {} logical pages, expected {}",
                scheme.logical_pages(),
                model.logical_pages()
            )));
        }
        let guarantee = scheme.guarantee();
        let page = vec![0; scheme.flash().geometry().page_bytes() as usize];
        let writes_before = host_programs(&scheme);
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

    /// The scheme.
    pub fn scheme(&self) -> &S {
        &self.scheme
    }

    /// The scheme, to be changed.
    pub fn scheme_mut(&mut self) -> &mut S {
        &mut self.scheme
    }

    /// The largest seen since the last call.
    pub fn take_worst(&mut self) -> Worst {
        std::mem::take(&mut self.worst)
    }

    /// Gives the scheme back.
    pub fn into_scheme(self) -> S {
        self.scheme
    }

    /// Does one operation and checks all that can be checked of it at O(1). A remount is a flush here.
    ///
    /// # Errors
    /// [`Stop`].
    pub fn apply(&mut self, operation: Operation) -> Result<(), Stop> {
        let before = Times::of(&self.scheme);
        match operation {
            Operation::Write(page) => self.write(self.lpn(page))?,
            Operation::Read(page) => self.read(self.lpn(page))?,
            Operation::Trim(page) => self.trim(self.lpn(page))?,
            Operation::Flush | Operation::Remount => {
                let done = self.scheme.flush();
                self.done(done, operation)?;
                self.model.flushed();
                self.check_flushed(operation)?;
            }
            Operation::Idle => {
                let done = self.scheme.idle();
                self.done(done, operation)?;
            }
        }
        self.check_task(operation, &before)?;
        Ok(())
    }

    fn lpn(&self, page: u32) -> Lpn {
        Lpn(page % self.model.logical_pages())
    }

    fn write(&mut self, lpn: Lpn) -> Result<(), Stop> {
        let version = self.model.next_version(lpn, &mut self.page);
        self.scheme.flash_mut().inner_mut().will_write(lpn);
        match self.scheme.write(lpn, &self.page) {
            Ok(()) => {
                self.writes += 1;
                self.model.written(lpn, version, self.durable());
                Ok(())
            }
            error => {
                self.model.write_cut(lpn, version);
                self.done(error, Operation::Write(lpn.0))
            }
        }
    }

    fn durable(&self) -> Durable {
        if self.guarantee.volatile { Durable::AtFlush } else { Durable::AtOnce }
    }

    fn read(&mut self, lpn: Lpn) -> Result<(), Stop> {
        self.page.fill(0xa5);
        let present = self.scheme.read(lpn, &mut self.page);
        let present = self.done(present, Operation::Read(lpn.0))?;
        self.model.check_read(lpn, present, &self.page).map_err(Failure::from)?;
        Ok(())
    }

    fn trim(&mut self, lpn: Lpn) -> Result<(), Stop> {
        // A step may ride behind the trim, and erase what it made invalid.
        self.scheme.flash_mut().inner_mut().trimmed(lpn);
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
        check_breach(&mut self.scheme, operation)?;
        let task = Task::since(&self.scheme, operation, before);
        self.worst.saw(&task);
        match self.medium {
            Medium::Sound => task.check(&self.guarantee),
            Medium::Failing => Ok(()),
        }
    }

    /// Checks what costs O(N): free pages, victims, the collection log, write amplification.
    ///
    /// # Errors
    /// What does not agree.
    pub fn check_accounts(&mut self) -> Result<(), Failure> {
        let seen = check_victims(&self.scheme, &self.guarantee)?;
        self.worst.victim_valid = self.worst.victim_valid.max(seen);
        if self.medium == Medium::Sound {
            check_free_pages(&self.scheme)?;
        }
        let host = host_programs(&self.scheme) - self.writes_before;
        // Without a buffer above it, each acknowledged write is one program for the host: more only where a
        // program failed, fewer only where writes may be held in RAM and be programmed with what is
        // collected, or never, if they are written again before that.
        let (sound, held) = (self.medium == Medium::Sound, self.guarantee.volatile);
        agree("programs for the host", host, "writes acknowledged", self.writes, |host, writes| {
            match (sound, held) {
                (true, false) => host == writes,
                (true, true) => host <= writes,
                (false, false) => host >= writes,
                (false, true) => true,
            }
        })
    }

    /// After a flush the newest version of every page is on flash (as far as it was seen being programmed).
    fn check_flushed(&self, operation: Operation) -> Result<(), Failure> {
        let watched = self.scheme.flash().inner();
        for lpn in (0..self.model.logical_pages()).map(Lpn) {
            let Some(newest) = self.model.newest(lpn) else { continue };
            let Some(on_flash) = watched.place(lpn).and_then(|ppn| watched.version(ppn)) else {
                continue;
            };
            if on_flash != newest {
                return Err(Failure::Account(format!(
                    "{operation:?} leaves write {on_flash} of {lpn} on flash, the newest is write {newest}"
                )));
            }
        }
        Ok(())
    }

    /// Reads every logical page.
    ///
    /// # Errors
    /// [`Stop`].
    pub fn read_all(&mut self) -> Result<(), Stop> {
        (0..self.model.logical_pages()).try_for_each(|lpn| self.apply(Operation::Read(lpn)))
    }
}

fn host_programs<S: Scheme<Flash = Bench<F>>, F: Flash>(scheme: &S) -> u64 {
    scheme.flash().counts().pages_programmed(Cause::Host)
}
