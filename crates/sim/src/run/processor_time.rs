//! The processor's time for the choice of victims, so far.

use flash::Ns;
use ftl::{Processor, Scheme};

/// A processor, or none: then the choice takes no time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessorTime(Option<Processor>);

impl ProcessorTime {
    pub(crate) fn on(processor: Option<Processor>) -> Self {
        Self(processor)
    }

    /// Time of what the scheme has looked at since its logs began.
    #[inline]
    pub(crate) fn ns<S: Scheme>(&self, scheme: &S) -> Ns {
        let Some(processor) = &self.0 else { return 0 };
        scheme.victim_work().map_or(0, |work| processor.time_ns(&work))
    }
}
