//! What a scheme promises and what it costs.

use flash::{Ns, Part};

/// Worst cases that a scheme promises for a page task on its part; `None` where it promises nothing.
///
/// Times in ns. The response is the service of the task and the one collection step that goes with it
/// (Lazy-RTGC, Eq. 3).
///
/// Promises are about the array and a write buffer's RAM. What a processor takes to choose victims
/// ([`SchemeConfig::processor`](crate::SchemeConfig)) is not in them: it comes on top, and is told apart by
/// [`Telemetry::victim_work`](crate::Telemetry::victim_work).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guarantee {
    /// U(e_r): service of a page read, without collection.
    pub read_ns: Option<Ns>,
    /// U(e_w): service of a page write, without collection.
    pub write_ns: Option<Ns>,
    /// Collection done within one task.
    pub step_ns: Option<Ns>,
    /// U(R): the response.
    pub response_ns: Option<Ns>,
    /// U(λ): valid pages of any victim.
    pub victim_valid: Option<u32>,
    /// True where the response bound does not depend on the workload's history or the device's fill: a
    /// real-time promise, rather than a worst case.
    pub real_time: bool,
    /// True where a write may be held in RAM when it returns: a power cut may lose it until the next flush.
    pub volatile: bool,
    /// True where a read goes with a collection step too.
    pub step_with_read: bool,
    /// True where a forced write has more to write than its own page: then these promises are not about it.
    pub forced_apart: bool,
}

impl Guarantee {
    /// The worst case of page tasks of one read or program each, where collection, `step_ns` at most, goes with writes.
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

/// RAM that a controller needs for a scheme, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ram {
    /// Address map.
    pub map: u64,
    /// Per-block state: valid counts, valid bits, erase counts.
    pub blocks: u64,
    /// Victim selection and free-block choice.
    pub victims: u64,
    /// Write buffer: its pages and what is known of them.
    pub buffer: u64,
    /// Anything else.
    pub other: u64,
}

impl Ram {
    /// All of it.
    pub fn total(&self) -> u64 {
        self.map + self.blocks + self.victims + self.buffer + self.other
    }
}
