//! Wear, retention time and reads of pages, as an [`AgedErrorRate`] counts them.

use super::bit_error_model::{AgeLimit, AgedErrorRate};
use super::power_law::limited;
use crate::address::{Geometry, Ppn};
use crate::time::Ns;
use alloc::{vec, vec::Vec};

const NS_PER_S: Ns = 1_000_000_000;

/// Ages of all pages.
///
/// State: 4 bytes per page for the time of its program, and 4 per block for its reads.
#[derive(Clone, Debug)]
pub(super) struct Aging {
    model: AgedErrorRate,
    geometry: Geometry,
    /// Time of each page's program, s.
    programmed_s: Vec<u32>,
    /// Reads of each block since its erase.
    reads: Vec<u32>,
    now_s: u32,
    /// The last cycles and the last retention time, with their powers.
    worn: (u32, [f64; 3]),
    aged: (u32, f64),
}

impl Aging {
    pub(super) fn new(model: AgedErrorRate, geometry: &Geometry) -> Self {
        Self {
            model,
            geometry: *geometry,
            programmed_s: vec![0; geometry.pages() as usize],
            reads: vec![0; geometry.blocks() as usize],
            now_s: 0,
            worn: (0, model.law.worn(0)),
            aged: (0, model.law.aged(0)),
        }
    }

    /// Sets the clock. The first time shown is the end of the age that the model states.
    pub(super) fn set_now_ns(&mut self, now_ns: Ns) {
        let seconds = u32::try_from(now_ns / NS_PER_S).unwrap_or(u32::MAX);
        self.now_s = self.model.age_s.saturating_add(seconds);
    }

    /// Seconds since the page's program.
    pub(super) fn age_s(&self, ppn: Ppn) -> u32 {
        let programmed_s = self.programmed_s.get(ppn.0 as usize);
        self.now_s.saturating_sub(programmed_s.copied().unwrap_or(0))
    }

    /// Cycles of a block with this number of erases.
    pub(super) fn cycles(&self, erases: u32) -> u32 {
        self.model.cycles.saturating_add(erases)
    }

    /// Reads of the page's block since its erase.
    pub(super) fn reads(&self, ppn: Ppn) -> u32 {
        self.reads.get(self.geometry.block_of(ppn).0 as usize).copied().unwrap_or(0)
    }

    /// Rate of a page at its next read, in a block of `erases` erases.
    pub(super) fn rate(&mut self, ppn: Ppn, erases: u32) -> f64 {
        let law = &self.model.law;
        let (cycles, age_s) = (self.cycles(erases), self.age_s(ppn));
        if self.worn.0 != cycles {
            self.worn = (cycles, law.worn(cycles));
        }
        if self.aged.0 != age_s {
            self.aged = (age_s, law.aged(age_s));
        }
        let (worn, retention, disturb) = (self.worn.1[0], self.worn.1[1], self.worn.1[2]);
        let reads = self.reads(ppn).saturating_add(1);
        let disturbed = disturb * law.read(reads, self.geometry.pages_per_block());
        limited(worn + retention * self.aged.1 + disturbed)
    }

    /// True if the page is older than `limit` at its next read.
    pub(super) fn is_beyond(&self, limit: &AgeLimit, ppn: Ppn, erases: u32) -> bool {
        self.cycles(erases) > limit.cycles
            || self.age_s(ppn) > limit.age_s
            || self.reads(ppn) >= limit.reads
    }

    /// Counts reads of a page: its first and its repeated ones.
    pub(super) fn read(&mut self, ppn: Ppn, times: u32) {
        if let Some(reads) = self.reads.get_mut(self.geometry.block_of(ppn).0 as usize) {
            *reads = reads.saturating_add(times);
        }
    }

    pub(super) fn programmed(&mut self, ppn: Ppn) {
        if let Some(programmed_s) = self.programmed_s.get_mut(ppn.0 as usize) {
            *programmed_s = self.now_s;
        }
    }

    pub(super) fn erased(&mut self, block: u32) {
        if let Some(reads) = self.reads.get_mut(block as usize) {
            *reads = 0;
        }
    }
}
