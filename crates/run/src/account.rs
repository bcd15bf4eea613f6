//! Account of one run, for either clock: measured values, bounds, and the counts before measurement.

use super::arrivals::ArrivalLog;
use super::batch_means::Observations;
use super::deadlines::Deadlines;
use super::error::{Requests, RunError};
use super::late::Late;
use super::medium::{Medium, busy_ns, counts, erases};
use super::promise::{Location, Promise};
use super::rounds::Rounds;
use crate::measures::{Arrivals, Measures, TaskSample};
use crate::report::{BatchMeans, LargestRequest};
use flash::Counts;
use ftl::{AnyScheme, IdleTime, Notes, Refusal, TaskKind};
use workload::HostLog;

/// Counts before the measured part.
#[derive(Debug)]
pub(crate) struct Before {
    pub(super) counts: Counts,
    pub(super) busy_ns: u64,
    pub(super) erases: Vec<u32>,
    pub(super) medium: Medium,
    pub(super) lost: u64,
}

/// Times and pages of buffer write-outs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flushes {
    /// The longest flush requested by the host.
    pub(crate) host_ns: u64,
    /// The longest single write-out of pages that had been dirty for too long.
    pub(crate) age_ns: u64,
    /// Pages that flushes had written when the workload ended.
    pub(crate) pages: u64,
}

/// Account of the measured part of a run. The loop records tasks, requests and collection; the report is made
/// from it.
#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) measures: Measures,
    pub(crate) promise: Promise,
    /// True if bounds exclude forced writes.
    pub(crate) forced_apart: bool,
    /// Requests taken from the workload.
    pub(crate) taken: u64,
    /// Their arrivals, where they have times of their own.
    pub(crate) arrivals: ArrivalLog,
    /// Requests that have ended.
    pub(crate) requests: u64,
    /// Use of idle time.
    pub(crate) idle: IdleTime,
    /// Requests that the scheme refused with an error.
    pub(crate) refused: u64,
    /// Those of them that it refused while it went on, by [`Refusal`].
    pub(crate) refusals: [u64; Refusal::ALL.len()],
    /// The host's own log above the device, if the workload has one.
    pub(crate) host_log: Option<HostLog>,
    /// The first page task with collection.
    pub(crate) first_collection: Option<u64>,
    /// Pages that the host wrote, by write or append; WAF is per these.
    pub(crate) written: u64,
    /// Pages written in part.
    pub(crate) partial_pages: u64,
    /// The largest requests.
    pub(crate) largest: LargestRequest,
    /// Write amplification over time.
    pub(crate) rounds: Rounds,
    /// The measures of short stretches of the run.
    pub(super) observations: Observations,
    /// Reads of pages never written; they need no flash operation.
    pub(crate) unmapped_reads: u64,
    /// Reads of uncorrectable pages.
    pub(crate) uncorrectable_reads: u64,
    pub(crate) interrupted: bool,
    /// True if the run ended early because a deadline was missed whatever came.
    pub(crate) decided: bool,
    pub(crate) flushes: Flushes,
    /// Deadlines, if the workload is a set of periodic tasks.
    pub(crate) deadlines: Option<Deadlines>,
    /// Requests beyond the deadline of the experiment.
    pub(crate) late: Late,
    pub(crate) before: Before,
}

impl Account {
    /// Opens the account of a scheme in its current state; the scheme's own logs restart.
    pub(crate) fn open(scheme: &mut AnyScheme, arrivals: Arrivals) -> Self {
        let lost = scheme.telemetry().collections.lost_pages;
        scheme.restart_telemetry();
        let flash = scheme.flash();
        let before = Before {
            counts: *counts(flash),
            busy_ns: busy_ns(flash).unwrap_or(0),
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
            arrivals: ArrivalLog::default(),
            requests: 0,
            idle: IdleTime::default(),
            refused: 0,
            refusals: [0; Refusal::ALL.len()],
            host_log: None,
            first_collection: None,
            written: 0,
            partial_pages: 0,
            largest: LargestRequest::default(),
            rounds: Rounds::begin(scheme.logical_pages(), &before.counts),
            observations: Observations::begin(scheme.logical_pages(), &before.counts),
            unmapped_reads: 0,
            uncorrectable_reads: 0,
            interrupted: false,
            decided: false,
            flushes: Flushes::default(),
            deadlines: None,
            late: Late::default(),
            before,
        }
    }

    /// Position in the run of a task on this page that is not yet counted.
    #[inline]
    pub(crate) fn place(&self, lpn: u32) -> Location {
        Location { task: self.measures.tasks(), request: self.requests, lpn }
    }

    /// Records the notes of the next task to be counted.
    #[cold]
    pub(crate) fn noted(&mut self, notes: Notes) {
        if notes.collected {
            self.collected();
        }
        self.unmapped_reads += u64::from(notes.unmapped);
        self.uncorrectable_reads += u64::from(notes.uncorrectable);
    }

    /// Records collection in the next task to be counted, or before it.
    #[inline]
    pub(crate) fn collected(&mut self) {
        self.first_collection.get_or_insert(self.measures.tasks());
    }

    /// Records the end of a page task.
    #[inline]
    pub(crate) fn task(&mut self, sample: &TaskSample, end_ns: u64, free_pages: u64) {
        self.measures.task(sample);
        self.measures.tick(end_ns, free_pages);
    }

    /// Records the end of a request of a kind and of so many bytes; `alone_ns`: its response if the device had been idle.
    #[inline]
    pub(crate) fn request(
        &mut self,
        of: (Option<TaskKind>, u64),
        [response_ns, alone_ns]: [u64; 2],
        completion_ns: u64,
    ) {
        self.measures.request(response_ns, completion_ns);
        self.ended(of, alone_ns, completion_ns);
    }

    /// Records the end of a page task and of the request that it is alone, which begins and ends with it.
    #[inline]
    pub(crate) fn whole_request(
        &mut self,
        sample: &TaskSample,
        of: (Option<TaskKind>, u64),
        end_ns: u64,
        free_pages: u64,
    ) {
        self.measures.whole_request(sample);
        self.measures.tick(end_ns, free_pages);
        self.ended(of, sample.completion_ns, sample.completion_ns);
    }

    /// Counts a request whose times are recorded.
    #[inline]
    fn ended(&mut self, of: (Option<TaskKind>, u64), alone_ns: u64, completion_ns: u64) {
        self.late.request(of, alone_ns, completion_ns, 1);
        self.requests += 1;
        if let Some(deadlines) = &mut self.deadlines {
            deadlines.complete(completion_ns);
        }
    }

    /// Looks at the counts after the tasks so far, for what is judged along the run.
    #[inline]
    pub(crate) fn look(&mut self, counts: &Counts) {
        self.rounds.look(self.written, counts);
        if self.observations.is_due(self.written) {
            self.observations.end(self.written, counts, self.measures.totals());
        }
    }

    /// Means of the run behind its warm-up.
    pub(super) fn batch_means(&self) -> BatchMeans {
        self.observations.report(self.written)
    }

    fn tally(&self) -> Requests {
        Requests { taken: self.taken, completed: self.requests, refused: self.refused }
    }

    /// Counts a request that the scheme refused, and goes on.
    #[cold]
    pub(crate) fn refuse_one(&mut self, refusal: Refusal) {
        self.refused += 1;
        self.refusals[refusal as usize] += 1;
    }

    /// Counts a request that the scheme refused; adds the request counts to the error.
    #[cold]
    pub(crate) fn refuse(&mut self, error: RunError) -> RunError {
        // Collection in idle time may fail while no request is open.
        let refused = matches!(error, RunError::Scheme { .. }) && self.tally().open() > 0;
        self.refused += u64::from(refused);
        self.told(error)
    }

    /// Adds the request counts to a scheme's error.
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

    /// Checks that every request taken has been completed or refused.
    ///
    /// # Errors
    /// [`RunError::Unaccounted`] otherwise: the loop lost requests, and the measures do not cover them.
    pub(crate) fn close(&self, label: &str) -> Result<(), RunError> {
        let requests = self.tally();
        match requests.open() {
            0 => Ok(()),
            _ => Err(RunError::Unaccounted { scheme: label.into(), requests }),
        }
    }
}
