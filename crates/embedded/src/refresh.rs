//! Refresh: logical pages that were read with many corrected bits wait here, until idle time writes them again.
//!
//! A page is written as by the caller, so that what is proved of writes holds. Pages of a map on flash are not refreshed: they are
//! rewritten when their entries change, and made anew when they cannot be read.

use crate::scheme::Instance;
use alloc::{vec, vec::Vec};
use flash::{FlashError, Lpn};
use ftl::FtlError;

/// Most pages that wait. Another one is noted at its next read.
const MOST: usize = 16;

/// See the module.
#[derive(Debug)]
pub(crate) struct Refresh {
    /// Corrected bits from which on a page is written again; 0: never.
    bits: u32,
    /// Longest time of a read and a write, ns.
    pub(crate) step_ns: u64,
    waiting: [u32; MOST],
    count: usize,
    page: Vec<u8>,
}

impl Refresh {
    /// Takes a page of memory if `bits` is not 0.
    pub(crate) fn new(bits: u32, step_ns: u64, page_bytes: u32) -> Self {
        let page = vec![0; if bits > 0 { page_bytes as usize } else { 0 }];
        Self { bits, step_ns, waiting: [0; MOST], count: 0, page }
    }

    pub(crate) fn waiting(&self) -> usize {
        self.count
    }

    /// A page was read with so many corrected bits.
    pub(crate) fn read(&mut self, page: u32, bits: u64) {
        let is_due = self.bits > 0 && bits >= u64::from(self.bits);
        if is_due && self.count < MOST && !self.waiting[..self.count].contains(&page) {
            self.waiting[self.count] = page;
            self.count += 1;
        }
    }

    /// A page was written or trimmed.
    pub(crate) fn changed(&mut self, page: u32) {
        if let Some(at) = self.waiting[..self.count].iter().position(|other| *other == page) {
            self.waiting.copy_within(at + 1..self.count, at);
            self.count -= 1;
        }
    }

    /// Writes the page that waits longest. True if it did: a page that is lost or unmapped by now is not written.
    pub(crate) fn step(&mut self, instance: &mut dyn Instance) -> Result<bool, FtlError> {
        let page = self.waiting[0];
        self.changed(page);
        match instance.read(Lpn(page), &mut self.page) {
            Ok(true) => instance.write(Lpn(page), &self.page).map(|()| true),
            Ok(false) | Err(FtlError::Flash(FlashError::Uncorrectable(_))) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
