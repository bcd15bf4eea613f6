//! Locality in time: stretches of requests that come again, at distances drawn from a table.

use crate::generators::draw::{self, Chance};
use rand::Rng;
use rand_pcg::Pcg64;

/// How requests of one operation come again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Again {
    /// Share of the stretches, and the distances back from which they come, in requests of the operation.
    /// Stretches of the remaining share are new.
    pub(crate) back: &'static [(f64, u32, u32)],
    /// Mean requests per stretch.
    pub(crate) stretch: f64,
}

/// The last requests of one operation, and the stretch that is under way.
pub(crate) struct Replay {
    /// A ring; its length is a power of two.
    last: Vec<(u64, u64)>,
    /// Requests so far.
    made: u64,
    /// Distance back of the stretch under way; 0: its requests are new.
    back: u64,
    goes_on: Chance,
    /// Draws below the first number, of 2⁶⁴, take a distance between the other two.
    table: Vec<(u64, u64, u64)>,
}

impl Replay {
    pub(crate) fn new(again: &Again) -> Self {
        let longest = again.back.iter().map(|&(_, _, to)| to).max().unwrap_or_default();
        let mut sum = 0.0;
        let entry = |&(share, from, to): &(f64, u32, u32)| {
            sum += share;
            ((sum * 18_446_744_073_709_551_616.0) as u64, u64::from(from), u64::from(to))
        };
        Self {
            last: vec![(0, 0); (longest as usize).next_power_of_two()],
            made: 0,
            back: 0,
            goes_on: Chance::new(1.0 - 1.0 / again.stretch),
            table: again.back.iter().map(entry).collect(),
        }
    }

    /// Offset and length of the next request if it comes again. `None` if it is new; it is then to be noted.
    pub(crate) fn draw(&mut self, rng: &mut Pcg64) -> Option<(u64, u64)> {
        if !self.goes_on.happens(rng) {
            let drawn = rng.next_u64();
            self.back = match self.table.iter().find(|&&(end, ..)| drawn < end) {
                None => 0,
                Some(&(_, from, to)) => from + draw::below(rng, to - from + 1),
            };
        }
        if self.back == 0 || self.back > self.made {
            return None;
        }
        let again = self.last[self.index(self.made - self.back)];
        self.note(again.0, again.1);
        Some(again)
    }

    /// Notes a new request.
    pub(crate) fn note(&mut self, offset: u64, length: u64) {
        let at = self.index(self.made);
        self.last[at] = (offset, length);
        self.made += 1;
    }

    fn index(&self, request: u64) -> usize {
        (request % self.last.len() as u64) as usize
    }
}
