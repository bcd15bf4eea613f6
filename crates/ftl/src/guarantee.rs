//! Bounds and RAM demand of a scheme.

use bounds::service::Collections;
use flash::{Ns, Part};

/// Worst-case bounds for page tasks on the scheme's part; `None` if there is no bound.
///
/// Times are in ns. The response is the service time of the task plus the one collection step that goes with it
/// (Lazy-RTGC, Eq. 3).
///
/// Bounds cover the array and the RAM of a write buffer. They exclude the time that a processor takes to choose
/// victims ([`SchemeConfig::processor`](crate::SchemeConfig)). It comes on top, and
/// [`Telemetry::victim_work`](crate::Telemetry::victim_work) reports it separately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guarantee {
    /// U(e_r): service time of a page read, without collection.
    pub read_ns: Option<Ns>,
    /// U(e_w): service time of a page write, without collection.
    pub write_ns: Option<Ns>,
    /// Time of the collection within one task.
    pub step_ns: Option<Ns>,
    /// U(R): response time.
    pub response_ns: Option<Ns>,
    /// U(λ): valid pages of a victim.
    pub victim_valid: Option<u32>,
    /// Longest step of a refresh or a read reclaim, ns, which the step and the response include; `None` without them.
    pub refresh_ns: Option<Ns>,
    /// True if the response bound does not depend on the workload's history or the device's fill. It is then a
    /// real-time bound rather than a whole-victim worst case.
    pub real_time: bool,
    /// True if a write may return while its data is only in RAM: a power cut before the next flush may lose it.
    pub volatile: bool,
    /// True if a collection step may also go with a read.
    pub step_with_read: bool,
    /// True if a forced write has more pages to write than its own: these bounds then do not cover it.
    pub forced_apart: bool,
    /// True if the scheme also works in idle time besides refreshes (collection, folds of an SLC cache): a request that comes
    /// then waits, which these bounds do not cover.
    pub idle_work: bool,
    /// What is proved of collections that follow one another; `None`: of one page task alone.
    pub collections: Option<Collections>,
}

impl Guarantee {
    /// True if a flush and a forced write take no more than the page tasks that these bounds cover: nothing waits in RAM.
    pub fn flushes_are_free(&self) -> bool {
        !self.volatile && !self.forced_apart
    }

    /// The worst case of page tasks of one read or program each, if collection of at most `step_ns` goes with writes.
    pub fn worst_case(part: &Part, step_ns: Ns, victim_valid: u32) -> Self {
        Self {
            read_ns: Some(part.t_r_ns),
            write_ns: Some(part.t_prog_ns),
            step_ns: Some(step_ns),
            response_ns: Some(part.t_r_ns.max(part.t_prog_ns + step_ns)),
            victim_valid: Some(victim_valid),
            ..Self::default()
        }
    }
}

/// Controller RAM that a scheme needs, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ram {
    /// Address map.
    pub map: u64,
    /// Per-block state: valid counts, valid bits, erase counts.
    pub blocks: u64,
    /// Victim selection and free-block choice.
    pub victims: u64,
    /// Write buffer: its pages and their metadata.
    pub buffer: u64,
    /// Anything else.
    pub other: u64,
}

impl Ram {
    /// Sum of all parts.
    pub fn total(&self) -> u64 {
        self.map + self.blocks + self.victims + self.buffer + self.other
    }
}
