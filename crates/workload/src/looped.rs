//! Repetition of a workload: a number of passes, or until a number of requests.

use crate::error::WorkloadError;
use crate::request::{LATEST_NS, Request};
use crate::source::{HostLog, Source};
use crate::units::YEAR_NS;

/// Consecutive passes of a workload, at most `left` requests in total.
///
/// Arrival times keep growing: each pass begins one mean gap after the last arrival of the previous pass.
pub struct Looped<F> {
    open: F,
    pass: Box<dyn Source>,
    left: u64,
    /// Requests per pass, used for the mean gap.
    once: u64,
    /// Requests produced in this pass.
    given: u64,
    /// Added to the arrivals of this pass.
    begin_ns: u64,
    /// Latest arrival of this pass, relative to its begin.
    last_ns: u64,
    /// The host's log of the passes that ended.
    before: Option<HostLog>,
}

impl<F> Looped<F>
where
    F: FnMut() -> Result<Box<dyn Source>, WorkloadError> + Send,
{
    /// The first `total` requests of the passes that `open` opens, as often as needed.
    ///
    /// `once` is the length of a pass as counted before.
    ///
    /// # Errors
    /// Any error of `open`.
    pub fn new(mut open: F, total: u64, once: u64) -> Result<Self, WorkloadError> {
        let pass = open()?;
        Ok(Self { open, pass, left: total, once, given: 0, begin_ns: 0, last_ns: 0, before: None })
    }

    /// Starts a new pass; an error if the last one produced fewer requests than were counted.
    fn again(&mut self) -> Result<(), WorkloadError> {
        if self.given != self.once {
            return Err(WorkloadError::Unfit(format!(
                "the workload gave {} requests where {} were counted before the run: has its file changed?",
                self.given, self.once
            )));
        }
        let mean_gap = self.last_ns / self.once.saturating_sub(1).max(1);
        self.begin_ns = self.begin_ns.saturating_add(self.last_ns).saturating_add(mean_gap.max(1));
        self.before = self.host_log();
        self.pass = (self.open)()?;
        self.given = 0;
        self.last_ns = 0;
        Ok(())
    }
}

/// What brings the latest arrival of passes, and of files in turn or merged, back into the range of a run's clocks.
pub(crate) const FEWER_PASSES: &str = "use fewer --loops or --requests, or a smaller --time-scale";
pub(crate) const FEWER_FILES: &str =
    "take fewer files together, or remove records with stray times";

/// Refuses a latest arrival beyond the range of a run's clocks, and says what to do.
pub(crate) fn check_latest(latest_ns: u64, remedy: &str) -> Result<(), WorkloadError> {
    if latest_ns <= LATEST_NS {
        return Ok(());
    }
    Err(WorkloadError::Unfit(format!(
        "a request arrives {:.1} years after the first, and a run lasts at most 73 (2^61 ns): {remedy}",
        latest_ns as f64 / YEAR_NS as f64
    )))
}

impl<F> Source for Looped<F>
where
    F: FnMut() -> Result<Box<dyn Source>, WorkloadError> + Send,
{
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let max = usize::try_from(self.left).map_or(max, |left| left.min(max));
        if max == 0 {
            return Ok(0);
        }
        let start = out.len();
        let mut count = self.pass.fill(out, max)?;
        if count == 0 {
            self.again()?;
            count = self.pass.fill(out, max)?;
            if count == 0 {
                return Err(WorkloadError::Unfit(
                    "the workload has no requests when it is read again".to_owned(),
                ));
            }
        }
        if self.pass.has_arrivals() {
            for request in &mut out[start..] {
                self.last_ns = self.last_ns.max(request.arrival_ns);
                request.arrival_ns = request.arrival_ns.saturating_add(self.begin_ns);
            }
            check_latest(self.begin_ns.saturating_add(self.last_ns), FEWER_PASSES)?;
        }
        self.given += count as u64;
        self.left -= count as u64;
        Ok(count)
    }

    fn has_arrivals(&self) -> bool {
        self.pass.has_arrivals()
    }

    fn host_log(&self) -> Option<HostLog> {
        let now = self.pass.host_log()?;
        Some(self.before.map_or(now, |before| before.and(now)))
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.left)
    }
}
