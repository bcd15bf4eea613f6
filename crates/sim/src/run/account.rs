//! The account of one run, whichever clock runs below: what was promised and seen, and what was there before.

use super::error::{Requests, RunError};
use super::medium::{Medium, RunArray, erases};
use super::promise::{Location, Promise};
use crate::measures::{Arrivals, Measures, TaskSample};
use flash::Counts;
use ftl::{Notes, Scheme};

/// What was counted before the measured part.
#[derive(Debug)]
pub(crate) struct Before {
    pub(super) counts: Counts,
    pub(super) busy_ns: u64,
    pub(super) erases: Vec<u32>,
    pub(super) medium: Medium,
    pub(super) lost: u64,
}

/// What writing out the buffer took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flushes {
    /// The longest flush that the host asked for.
    pub(crate) host_ns: u64,
    /// The longest time that the buffer took at once to write what had been dirty for too long.
    pub(crate) age_ns: u64,
    /// Pages that the buffer had written because of flushes when the workload ended.
    pub(crate) pages: u64,
}

/// The account of the measured part of a run. The loop above a clock tells it of tasks, requests and collection; a report
/// is made of it.
#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) measures: Measures,
    pub(crate) promise: Promise,
    /// Promises are not about forced writes.
    pub(crate) forced_apart: bool,
    /// Requests that the workload handed over.
    pub(crate) taken: u64,
    /// Requests that have ended.
    pub(crate) requests: u64,
    /// Requests that the scheme refused with an error.
    pub(crate) refused: u64,
    /// The page task from which collection ran.
    pub(crate) first_collection: Option<u64>,
    /// Reads of pages that were never written: no flash operation.
    pub(crate) unmapped_reads: u64,
    /// Reads that found their page uncorrectable.
    pub(crate) uncorrectable_reads: u64,
    pub(crate) interrupted: bool,
    pub(crate) flushes: Flushes,
    pub(crate) before: Before,
}

impl Account {
    /// Of a scheme as it is now; its own logs begin anew.
    pub(crate) fn open<F: RunArray>(
        scheme: &mut dyn Scheme<Flash = F>,
        arrivals: Arrivals,
    ) -> Self {
        let lost = scheme.telemetry().collections.lost_pages;
        scheme.restart_telemetry();
        let flash = scheme.flash();
        let before = Before {
            counts: *flash.counts(),
            busy_ns: flash.busy_ns().unwrap_or(0),
            erases: erases(flash),
            medium: Medium::of(flash),
            lost,
        };
        let guarantee = scheme.telemetry().guarantee;
        Self {
            measures: Measures::new(0, arrivals),
            promise: Promise::new(&guarantee),
            forced_apart: guarantee.forced_apart,
            taken: 0,
            requests: 0,
            refused: 0,
            first_collection: None,
            unmapped_reads: 0,
            uncorrectable_reads: 0,
            interrupted: false,
            flushes: Flushes::default(),
            before,
        }
    }

    /// Where the run is, for a task on this page that has not been counted.
    #[inline]
    pub(crate) fn place(&self, lpn: u32) -> Location {
        Location { task: self.measures.tasks(), request: self.requests, lpn }
    }

    /// What there is to tell of a task that comes next to be counted.
    #[cold]
    pub(crate) fn noted(&mut self, notes: Notes) {
        if notes.collected {
            self.collected();
        }
        self.unmapped_reads += u64::from(notes.unmapped);
        self.uncorrectable_reads += u64::from(notes.uncorrectable);
    }

    /// Collection ran in the task that comes next to be counted, or before it.
    #[inline]
    pub(crate) fn collected(&mut self) {
        self.first_collection.get_or_insert(self.measures.tasks());
    }

    /// A page task ended.
    #[inline]
    pub(crate) fn task(&mut self, sample: &TaskSample, end_ns: u64, free_pages: u64) {
        self.measures.task(sample);
        self.measures.tick(end_ns, free_pages);
    }

    /// The workload hands over so many requests.
    #[inline]
    pub(crate) fn take(&mut self, requests: u64) {
        self.taken += requests;
    }

    /// A request ended.
    #[inline]
    pub(crate) fn request(&mut self, response_ns: u64, completion_ns: u64) {
        self.measures.request(response_ns, completion_ns);
        self.requests += 1;
    }

    fn tally(&self) -> Requests {
        Requests { taken: self.taken, completed: self.requests, refused: self.refused }
    }

    /// The scheme refused a request: with what had become of the others.
    #[cold]
    pub(crate) fn refuse(&mut self, error: RunError) -> RunError {
        // Collection in idle time may fail while no request is open.
        let refused = matches!(error, RunError::Scheme { .. }) && self.tally().open() > 0;
        self.refused += u64::from(refused);
        self.told(error)
    }

    /// The error, if it is a scheme's, with what had become of the requests.
    #[cold]
    pub(crate) fn told(&self, error: RunError) -> RunError {
        match error {
            RunError::Scheme { scheme, source, task, phase, .. } => RunError::Scheme {
                scheme,
                source,
                task,
                phase,
                requests: Some(Box::new(self.tally())),
            },
            other => other,
        }
    }

    /// Every request that was taken has been completed or refused.
    ///
    /// # Errors
    /// [`RunError::Unaccounted`] where that is not so: the loop lost some, and the measures are of the rest.
    pub(crate) fn close(&self, label: &str) -> Result<(), RunError> {
        let requests = self.tally();
        match requests.open() {
            0 => Ok(()),
            _ => Err(RunError::Unaccounted { scheme: label.into(), requests }),
        }
    }
}
