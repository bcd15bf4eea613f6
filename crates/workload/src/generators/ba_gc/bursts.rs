//! Arrival times of a program on a device that keeps up with it: bursts at the device's rate, and pauses.

use crate::error::WorkloadError;
use crate::generators::ba_gc::script::{Player, Program};
use crate::generators::generated::{BATCH, request};
use crate::request::Request;
use crate::source::Source;

/// Fixed time per request on the traced machine's device, ns.
pub(super) const COMMAND_NS: u64 = 100_000;

/// The first `left` requests of a program, with arrival times.
pub(super) struct Bursts<P> {
    player: Player<P>,
    left: u64,
    now: u64,
    /// Bytes per second of the traced machine's device.
    bandwidth: u64,
    /// Factor on the program's pauses.
    think: f64,
}

impl<P: Program> Bursts<P> {
    pub(super) fn new(player: Player<P>, requests: u64, bandwidth: u64, think: f64) -> Self {
        Self { player, left: requests, now: 0, bandwidth, think }
    }

    #[inline]
    fn request(&mut self) -> Request {
        let (access, pause_ns) = self.player.take();
        // A transfer has at most 2¹⁶ bytes, so the product fits into 64 bits.
        let transfer_ns = access.length * 1_000_000_000 / self.bandwidth;
        self.now = self.now.saturating_add((pause_ns as f64 * self.think) as u64);
        let request = request(access, self.now);
        self.now = self.now.saturating_add(COMMAND_NS + transfer_ns);
        request
    }
}

impl<P: Program> Source for Bursts<P> {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let batch = max.min(BATCH).min(usize::try_from(self.left).unwrap_or(BATCH));
        out.extend((0..batch).map(|_| self.request()));
        self.left -= batch as u64;
        Ok(batch)
    }

    fn has_arrivals(&self) -> bool {
        true
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.left)
    }
}
