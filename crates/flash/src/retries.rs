//! Steps of read retries: their number, and the time that they take.

use crate::time::Ns;

/// Steps of read retries, of one read or of all so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retries {
    /// Reads of a page with other voltages.
    pub steps: u64,
    /// Soft decodings.
    pub soft: u64,
}

impl Retries {
    /// The steps since `before`.
    #[inline]
    pub fn since(&self, before: &Self) -> Self {
        Self { steps: self.steps - before.steps, soft: self.soft - before.soft }
    }

    /// True if there was none.
    #[inline]
    pub fn is_none(&self) -> bool {
        self.steps == 0 && self.soft == 0
    }
}

/// Time of a part's read retries. A part with them gives the longest reads as its t_R: a first read and
/// [`RetryTimes::most`].
///
/// A step takes as long as a first read, with its transfer and its decoding, after the voltages are set. Soft decoding
/// takes several such reads, and a decoding of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryTimes {
    /// Most steps of a read, which t_R includes.
    pub most: Retries,
    /// First read of a page, ns.
    pub read_ns: Ns,
    /// First read of an OOB, ns.
    pub read_oob_ns: Ns,
    /// Time to set the voltages before each repeated read, ns.
    pub set_ns: Ns,
    /// Reads of a soft decoding.
    pub soft_reads: u8,
    /// Time of a soft decoding after its reads, ns.
    pub soft_ns: Ns,
}

impl RetryTimes {
    /// Repeated reads of these steps.
    #[inline]
    pub fn reads(&self, steps: &Retries) -> u64 {
        steps.steps + steps.soft * u64::from(self.soft_reads)
    }

    /// Time of steps of page reads, ns.
    #[inline]
    pub fn steps_ns(&self, steps: &Retries) -> Ns {
        self.reads(steps) * (self.set_ns + self.read_ns) + steps.soft * self.soft_ns
    }

    /// Time of steps of OOB reads, ns.
    #[inline]
    pub fn steps_oob_ns(&self, steps: &Retries) -> Ns {
        self.reads(steps) * (self.set_ns + self.read_oob_ns) + steps.soft * self.soft_ns
    }
}
