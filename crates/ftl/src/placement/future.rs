//! What a run will write, known before it begins: for the policy `oracle`.
//!
//! The host writes of a run are counted from its format on. Each has a lifespan: how many host writes come until its page
//! is overwritten or trimmed. Whoever replays a run twice notes the first time what it writes ([`FutureNotes`]).
//!
//! Memory: 4 bytes per host write, and 4 per logical page while notes are taken.

use alloc::{vec, vec::Vec};
use flash::Lpn;

/// No write: the page has no valid version.
const NONE: u32 = u32::MAX;

/// Lifespans of all host writes of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Future {
    lifespans: Vec<u32>,
}

impl Future {
    /// Lifespan of a version that stays valid until the end of the run.
    pub const NEVER: u32 = u32::MAX;

    /// Most host writes of which lifespans can be kept.
    pub const MOST_WRITES: u32 = 1 << 30;

    /// Number of host writes.
    pub fn writes(&self) -> usize {
        self.lifespans.len()
    }

    /// Host writes after this one until its page is invalid, the one that overwrites it included; [`Future::NEVER`] if it
    /// stays valid. `None` beyond the end of the run.
    #[inline]
    pub fn lifespan(&self, write: u32) -> Option<u32> {
        self.lifespans.get(write as usize).copied()
    }
}

/// Notes of what a run writes and trims, in order.
#[derive(Clone, Debug)]
pub struct FutureNotes {
    lifespans: Vec<u32>,
    /// Number of the write that made the valid version of each logical page.
    written_by: Vec<u32>,
    too_many: bool,
}

impl FutureNotes {
    /// Notes of a run on so many logical pages.
    pub fn new(logical_pages: u32) -> Self {
        let written_by = vec![NONE; logical_pages as usize];
        Self { lifespans: Vec::new(), written_by, too_many: false }
    }

    /// Notes that a page's valid version ends with the next write.
    fn ends(&mut self, lpn: Lpn) {
        let next = self.lifespans.len() as u32;
        let Some(by) = self.written_by.get_mut(lpn.0 as usize) else { return };
        if let Some(lifespan) = self.lifespans.get_mut(*by as usize) {
            *lifespan = next - *by;
        }
        *by = NONE;
    }

    /// Notes a host write.
    pub fn write(&mut self, lpn: Lpn) {
        if self.lifespans.len() >= Future::MOST_WRITES as usize {
            self.too_many = true;
            return;
        }
        self.ends(lpn);
        if let Some(by) = self.written_by.get_mut(lpn.0 as usize) {
            *by = self.lifespans.len() as u32;
        }
        self.lifespans.push(Future::NEVER);
    }

    /// Notes a trim.
    pub fn trim(&mut self, lpn: Lpn) {
        self.ends(lpn);
    }

    /// The lifespans; `None` if the run wrote more pages than can be kept ([`Future::MOST_WRITES`]).
    pub fn finish(self) -> Option<Future> {
        (!self.too_many).then_some(Future { lifespans: self.lifespans })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifespans_end_with_overwrites_and_trims() {
        let mut notes = FutureNotes::new(3);
        // Writes 0 to 5; page 1 is trimmed behind write 2, and twice.
        notes.write(Lpn(0));
        notes.write(Lpn(1));
        notes.write(Lpn(0));
        notes.trim(Lpn(1));
        notes.trim(Lpn(1));
        notes.write(Lpn(2));
        notes.write(Lpn(1));
        notes.write(Lpn(2));
        let future = notes.finish().unwrap();
        let never = Future::NEVER;
        assert_eq!(future.lifespans, [2, 2, never, 2, never, never]);
        assert_eq!((future.writes(), future.lifespan(3), future.lifespan(6)), (6, Some(2), None));
    }
}
