//! Jobs: workloads that run at once, each on a part of the space of its own and with queues of its own.

mod extent;

pub use extent::Extent;

use crate::error::WorkloadError;
use crate::facts::{Facts, JobFacts};
use crate::replay::Replay;
use crate::request::Request;
use crate::source::Source;
use crate::space::Space;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Most jobs at once.
pub const MOST_JOBS: usize = 64;

/// What a job does with its workload, whose type stands above this module.
pub(crate) trait Workload {
    /// Why it cannot be a job's.
    fn unfit(&self) -> Option<&'static str>;

    /// Checks it on a part of the space, with a limit of requests if it has none.
    fn check_part(
        &self,
        requests: Option<u64>,
        part: Space,
        watch: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Facts, WorkloadError>;

    /// Opens it with what the check found.
    fn open_part(
        &self,
        requests: Option<u64>,
        seed: u64,
        facts: &Facts,
    ) -> Result<Box<dyn Source>, WorkloadError>;
}

/// One of several workloads that run at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job<W> {
    /// Name, unique among the jobs.
    pub name: String,
    /// Start of its part of the space. Default: the end of the job before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Extent>,
    /// Length of its part. Default: an equal share of what jobs with a size leave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Extent>,
    /// Most requests in each of its queues. Default: that of the experiment.
    #[serde(default, alias = "iodepth", skip_serializing_if = "Option::is_none")]
    pub queue_depth: Option<u32>,
    /// Submission queues, to which its requests go in turns. Default: that of the experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queues: Option<u32>,
    /// Priority class of its queues. Default: medium.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<QueueClass>,
    /// Seed of its random numbers. Default: one of its own, from that of the experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Added to the placement streams of its requests, so that several jobs name streams of their own. Default: 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stream: u8,
    /// True if it ignores arrival times.
    #[serde(default, skip_serializing_if = "is_false")]
    pub closed: bool,
    /// What it asks for, addressed over its part: a built-in workload or a trace.
    pub workload: W,
}

fn is_zero(value: &u8) -> bool {
    *value == 0
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Priority class of a submission queue (NVM Express Base Specification 2.0, §3.4.4), highest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QueueClass {
    /// Before all others.
    Urgent,
    /// With the weight of high.
    High,
    /// With the weight of medium.
    #[default]
    Medium,
    /// With the weight of low.
    Low,
}

impl QueueClass {
    /// All classes, highest first.
    pub const ALL: [Self; 4] = [Self::Urgent, Self::High, Self::Medium, Self::Low];

    /// Name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Urgent => "urgent",
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

impl<W> Job<W> {
    /// A job of this name, with every default.
    pub fn new(name: impl Into<String>, workload: W) -> Self {
        Self {
            name: name.into(),
            offset: None,
            size: None,
            queue_depth: None,
            queues: None,
            class: None,
            seed: None,
            stream: 0,
            closed: false,
            workload,
        }
    }

    /// Its seed, as the job at this place.
    fn seed(&self, at: usize, seed: u64) -> u64 {
        self.seed.unwrap_or_else(|| seed ^ (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// The pages of each job.
///
/// # Errors
/// Parts that overlap, end beyond the space, or have no page.
fn regions<W>(jobs: &[Job<W>], space: Space) -> Result<Vec<Range<u64>>, WorkloadError> {
    let pages = space.pages();
    let unfit = |text: String| Err(WorkloadError::Unfit(text));
    let given = |job: &Job<W>| job.size.map(|size| size.pages(space));
    let taken = jobs.iter().filter_map(given).fold(0u64, u64::saturating_add);
    let open = jobs.iter().filter(|job| job.size.is_none()).count() as u64;
    let share = pages.saturating_sub(taken) / open.max(1);
    let mut found: Vec<Range<u64>> = Vec::with_capacity(jobs.len());
    for job in jobs {
        let before = found.last().map_or(0, |range| range.end);
        let start = job.offset.map_or(before, |offset| offset.pages(space));
        let length = given(job).unwrap_or(share);
        let name = &job.name;
        if length == 0 {
            return unfit(match job.size {
                Some(size) => format!(
                    "job `{name}`: size {size} is less than a page of {} bytes; give a larger one",
                    space.page_bytes
                ),
                None => format!(
                    "job `{name}`: the sizes of the other jobs leave no page to it; give smaller ones, or a size to each"
                ),
            });
        }
        let end = start.saturating_add(length);
        if end > pages {
            return unfit(format!(
                "job `{name}`: its part, pages {start} to {}, ends beyond the space of {pages} pages ({:.1} %); give a \
                 smaller offset or size",
                end - 1,
                end as f64 / pages as f64 * 100.0
            ));
        }
        let clash = found.iter().position(|other| start < other.end && other.start < end);
        if let Some(at) = clash {
            let (other, of) = (&jobs[at].name, &found[at]);
            return unfit(format!(
                "jobs `{other}` and `{name}` overlap: pages {} to {} and {start} to {}; give other offsets or sizes, or \
                 omit `offset`, and each part begins where the one before it ends",
                of.start,
                of.end - 1,
                end - 1
            ));
        }
        found.push(start..end);
    }
    Ok(found)
}

/// Checks each job on its part of the space.
pub(crate) fn check<W: Workload>(
    jobs: &[Job<W>],
    replay: &Replay,
    space: Space,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Facts, WorkloadError> {
    let unfit = |text: String| Err(WorkloadError::Unfit(text));
    if !(1..=MOST_JOBS).contains(&jobs.len()) {
        return unfit(format!("there must be 1 to {MOST_JOBS} jobs, not {}", jobs.len()));
    }
    if replay.loops != 1 || replay.time_scale != 1.0 {
        return unfit("`loops` and `time_scale` are of one job; set them in its `workload`".into());
    }
    for (at, job) in jobs.iter().enumerate() {
        if job.name.trim().is_empty() {
            return unfit(format!("job {}: `name` must not be empty", at + 1));
        }
        if jobs[..at].iter().any(|earlier| earlier.name == job.name) {
            return unfit(format!("`{}` is the name of two jobs; each needs its own", job.name));
        }
    }
    let mut all = Vec::with_capacity(jobs.len());
    for (job, pages) in jobs.iter().zip(regions(jobs, space)?) {
        let name = &job.name;
        let of_job = |error: WorkloadError| WorkloadError::Unfit(format!("job `{name}`: {error}"));
        if let Some(reason) = job.workload.unfit() {
            return unfit(format!("job `{name}`: {reason}"));
        }
        let part =
            Space { bytes: (pages.end - pages.start) * u64::from(space.page_bytes), ..space };
        let facts = job.workload.check_part(replay.requests, part, &mut *watch);
        let facts = facts.map_err(of_job)?;
        all.push(JobFacts { name: name.clone(), first_page: pages.start, facts });
    }
    let each = || all.iter().map(|job| &job.facts);
    let end =
        |job: &JobFacts| job.first_page * u64::from(space.page_bytes) + job.facts.footprint_bytes;
    let named = |job: &JobFacts| (job.name.clone(), job.facts.workload.clone());
    let requests = each().map(|facts| facts.requests).fold(0, u64::saturating_add);
    let timed = |(job, of): (&Job<W>, &JobFacts)| of.facts.has_arrivals && !job.closed;
    let note = |job: &JobFacts| {
        let about = |note: &String| format!("job `{}`: {note}", job.name);
        job.facts.notes.iter().map(about).collect::<Vec<_>>()
    };
    Ok(Facts {
        workload: label(jobs),
        origin: "jobs that run at once".into(),
        parameters: all.iter().map(named).collect(),
        requests_per_pass: requests,
        requests,
        replay: *replay,
        has_arrivals: jobs.iter().zip(&all).any(timed),
        footprint_bytes: all.iter().map(end).max().unwrap_or(0),
        space,
        notes: all.iter().flat_map(note).collect(),
        trace: None,
        plan: None,
        jobs: all,
    })
}

/// The names of the jobs.
pub(crate) fn label<W>(jobs: &[Job<W>]) -> String {
    let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
    format!("jobs {}", names.join(", "))
}

/// An opened job: the requests of its workload, addressed from the start of its part.
pub struct OpenJob {
    /// First byte of its part.
    pub first_byte: u64,
    /// Added to the placement stream of each request, up to 255.
    pub stream: u8,
    /// True if its requests have arrival times that it keeps.
    pub timed: bool,
    /// Its requests.
    pub source: Box<dyn Source>,
}

/// Opens each job with what [`check`] found.
pub(crate) fn open_each<W: Workload>(
    jobs: &[Job<W>],
    replay: &Replay,
    seed: u64,
    facts: &Facts,
) -> Result<Vec<OpenJob>, WorkloadError> {
    if jobs.len() != facts.jobs.len() {
        let text = "jobs were opened with what was found about another workload";
        return Err(WorkloadError::Unfit(text.into()));
    }
    let each = jobs.iter().zip(&facts.jobs).enumerate();
    each.map(|(at, (job, of))| {
        let seed = job.seed(at, seed);
        let source = job.workload.open_part(replay.requests, seed, &of.facts)?;
        let first_byte = of.first_page * u64::from(facts.space.page_bytes);
        Ok(OpenJob {
            first_byte,
            stream: job.stream,
            timed: of.facts.has_arrivals && !job.closed,
            source,
        })
    })
    .collect()
}

impl OpenJob {
    /// Puts a request of its workload to its part of the space, and on its streams.
    fn address(&self, request: &mut Request) {
        request.offset += self.first_byte;
        request.stream = request.stream.saturating_add(self.stream);
    }
}

/// All jobs as one source: a request of each in turns, until all have ended. For passes before a measurement, which
/// have no queues.
pub(crate) struct InTurns {
    jobs: Vec<OpenJob>,
    next: usize,
}

impl InTurns {
    pub(crate) fn new(jobs: Vec<OpenJob>) -> Self {
        Self { jobs, next: 0 }
    }
}

impl Source for InTurns {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let before = out.len();
        while out.len() - before < max && !self.jobs.is_empty() {
            let at = self.next % self.jobs.len();
            let job = &mut self.jobs[at];
            if job.source.fill(out, 1)? == 0 {
                self.jobs.remove(at);
                self.next = at;
                continue;
            }
            if let Some(request) = out.last_mut() {
                job.address(request);
            }
            self.next = at + 1;
        }
        Ok(out.len() - before)
    }

    fn has_arrivals(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
