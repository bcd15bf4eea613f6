//! When work that no request waits for may begin: one rule for the clock of serial time, the events of an SSD, and the wall clock
//! of a device with real data.
//!
//! Such work gives way to requests: a step begins only in a gap that is at least as long as the step may take.

use crate::{error::FtlError, interface::Background};
use flash::{Ns, Probe};

/// Gaps behind writes, and their use for collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdleTime {
    /// True if a write came since there was last nothing to collect.
    pub wrote: bool,
    /// Steps that changed something.
    pub steps: u64,
    /// Calls that found nothing to do.
    pub vain: u64,
    /// The longest gap, ns.
    pub longest_ns: Ns,
    /// Time that a step may have taken then, ns.
    pub needed_ns: Ns,
}

impl IdleTime {
    /// The gap that the next step needs; `None` if there is nothing to collect.
    #[inline]
    pub fn needs_ns<S: Background + ?Sized>(&self, scheme: &S) -> Option<Ns> {
        self.wrote.then(|| scheme.idle_ns())
    }

    /// True if a step that begins at `now_ns` ends before the next request, which arrives then; [`Ns::MAX`]: none does.
    pub fn fits<S: Background + ?Sized>(&mut self, scheme: &S, now_ns: Ns, arrival_ns: Ns) -> bool {
        let Some(needed_ns) = self.needs_ns(scheme) else { return false };
        let gap_ns = arrival_ns.saturating_sub(now_ns);
        if arrival_ns < Ns::MAX && gap_ns > self.longest_ns {
            (self.longest_ns, self.needed_ns) = (gap_ns, needed_ns);
        }
        arrival_ns >= now_ns.saturating_add(needed_ns)
    }

    /// Has the scheme collect a step: once after a write in serial time, unless it asks for more; where operations overlap,
    /// until nothing is left to collect. True if it collected.
    ///
    /// # Errors
    /// Those of the scheme.
    pub fn step<S: Background + ?Sized>(
        &mut self,
        scheme: &mut S,
        overlap: bool,
    ) -> Result<bool, FtlError> {
        self.wrote = false;
        let did = scheme.idle()?;
        self.wrote = did && (overlap || scheme.idles_on());
        self.steps += u64::from(did);
        self.vain += u64::from(!did);
        Ok(did)
    }
}

/// When a step of a refresh may begin: when its block is due, if the step ends before the next request, which arrives then.
#[inline]
pub fn refresh_start_ns<S: Background + ?Sized>(
    scheme: &S,
    now_ns: Ns,
    arrival_ns: Ns,
) -> Option<Ns> {
    let start_ns = scheme.flash().next_due_ns().max(now_ns);
    let end_ns = start_ns.saturating_add(scheme.refresh_ns());
    (end_ns <= arrival_ns && end_ns < Ns::MAX).then_some(start_ns)
}
