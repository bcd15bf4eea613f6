//! Operations in exact numbers and random order.

use crate::generators::draw;
use crate::request::Op;
use rand_pcg::Pcg64;

/// A number of reads and a number of writes, with every order equally likely.
///
/// Selection sampling: D. E. Knuth, The Art of Computer Programming, vol. 2, §3.4.2, algorithm S.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quota {
    reads: u64,
    writes: u64,
}

impl Quota {
    pub(crate) fn new(reads: u64, writes: u64) -> Self {
        Self { reads, writes }
    }

    /// Quota of `requests` requests with the number of writes nearest to `write_share`.
    pub(crate) fn of(requests: u64, write_share: f64) -> Self {
        let writes = ((requests as f64 * write_share).round() as u64).min(requests);
        Self { reads: requests - writes, writes }
    }

    pub(crate) fn left(&self) -> u64 {
        self.reads + self.writes
    }

    /// Takes one operation; a read if none is left.
    #[inline]
    pub(crate) fn draw(&mut self, rng: &mut Pcg64) -> Op {
        if self.writes > 0 && (self.reads == 0 || draw::below(rng, self.left()) < self.writes) {
            self.writes -= 1;
            Op::Write
        } else {
            self.reads = self.reads.saturating_sub(1);
            Op::Read
        }
    }

    /// Takes a write if one is left, else a read.
    pub(crate) fn take_write(&mut self) -> Op {
        if self.writes > 0 {
            self.writes -= 1;
            Op::Write
        } else {
            self.reads = self.reads.saturating_sub(1);
            Op::Read
        }
    }
}
