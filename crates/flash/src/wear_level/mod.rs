//! Static wear levelling below any scheme: blocks that hold cold data and are never erased give their place to blocks
//! that are erased often.
//!
//! ```text
//! a scheme sees blocks; each is some physical block of the array     # at first, and behind every power-up, itself
//! erase(block):
//!   h = the physical block; erase it
//!   c = the block that the rule chooses, if any: of the class of h, written, and hardly ever erased
//!   copy all that is written in c to h, in order; erase c            # LPN, kind and sequence number stay
//!   h and c change places: what was erased is c, what was in c is in h
//! ```
//!
//! Rules ([`WearRule`]), each for the blocks of one class by itself (block `b` is of class `b mod classes`; classes
//! are the units over which a scheme spreads its writes, and the devices between which copies take another path):
//! - `bet:T[:K]`: a bit a set of 2^K blocks tells whether one of them was erased; e_cnt erases, f_cnt bits set since
//!   the table was cleared. While e_cnt ≥ T·f_cnt the blocks of sets whose bit is clear are moved, cyclically from a
//!   random set on; a full table is cleared.
//! - `gap:N`: where h was erased more than N times more often than the least worn block that holds data, that is moved.
//!   N should be well above the spread among blocks that are written often: else the least worn block is one of those, its
//!   data are soon overwritten where they went, and swaps wear more than they level.
//!
//! State and cost: 8 B a block for the places, 8 B for what is written in it, 1 bit a set or 20 B a block for the
//! rule, in RAM alone; O(1) an operation, O(log N) a block erased (`gap`) or filled, O(N/64) a choice (`bet`).
//! Without a rule: nothing, and one branch an operation.
//!
//! Formulas: one swap behind an erase at most, of π copies in one run and t_er ([`swap_ns`]).
//!
//! Invariants: the places are a permutation within classes; a block's pages keep their order; no page is in two blocks
//! but during a swap. Asserted by the module's tests against a model, and by the conformance and power-cut suites over
//! every scheme.
//!
//! What may go wrong. A page that turns out unreadable keeps its block where it is until it is erased: the swap is
//! given up, and h erased again. A program that fails in h, or an erase of c that fails, is told as a failed erase: the
//! block is to be retired, and its mark stays with the physical block. Behind the erase of a block in which a program
//! failed nothing is moved to it. Not moved at all are blocks whose first
//! page is a scheme's own record ([`PageKind::Other`](crate::PageKind::Other)), whose place may mean something;
//! nothing is moved for an erase of a mount.
//!
//! Power cuts: the places are not on flash. Behind a power-up every block is itself again, so a scheme must find what
//! is where from the OOB areas. [`WearLevel::recover`] is to be called first: it erases what a swap that was cut has
//! left twice, the copy with fewer readable pages or, of two complete ones, that of the block that was erased less
//! often; and blocks in which nothing can be read.
//!
//! Deviations: the sources' controllers move data into the flash translation layer's free blocks; here they go to the
//! block that was just erased, which is a worn one, for hot data have been there. The table of `bet` is not saved, so
//! it begins anew at a power-up; one block is moved behind an erase, not whole sets at once, so that no erase takes
//! longer than one swap. `gap` is the swap of the second source without its pools: block by block, by erase counts
//! alone.
//!
//! Source: Y.-H. Chang, J.-W. Hsieh, T.-W. Kuo, Endurance enhancement of flash-memory storage systems: an efficient
//! static wear leveling design, DAC 2007 (SW Leveler, Block Erasing Table); L.-P. Chang, C.-D. Du, Design and
//! implementation of an efficient wear-leveling algorithm for solid-state-disk microcontrollers, ACM TODAES 15(1),
//! 2009. Neither was at hand: from what is commonly known of them.

mod bet;
mod blocks;
mod choice;
mod levelling;
mod places;
mod recover;
mod rule;
#[cfg(test)]
mod tests;

pub use rule::WearRule;

use super::address::{BlockId, Lpn, Ppn};
use super::error::FlashError;
use super::interface::{Flash, Probe};
use super::oob::Oob;
use super::operation::Cause;
use super::part::Part;
use super::time::Ns;
use alloc::boxed::Box;
use core::ops::{Deref, DerefMut};
use levelling::Levelling;

/// Levels the wear of the array below, by a rule, if there is one. What else the array below can do is reached through
/// it, by the physical block.
#[derive(Clone, Debug)]
pub struct WearLevel<F> {
    inner: F,
    levelling: Option<Box<Levelling>>,
}

impl<F: Flash> WearLevel<F> {
    /// Over an array that is erased, or is going to be. `units` are those over which the scheme above spreads its
    /// writes: block `b` is of unit `b mod units`, and stays in it. What is random is drawn from `seed`.
    pub fn new(inner: F, rule: Option<WearRule>, units: u32, seed: u64) -> Self {
        let devices = inner.part().copies.map_or(1, |copies| copies.ways);
        let classes = least_common_multiple(units.max(1), devices.max(1));
        let geometry = *inner.geometry();
        let levelling = rule.map(|rule| Box::new(Levelling::new(rule, &geometry, classes, seed)));
        Self { inner, levelling }
    }

    /// No levelling: passes everything on.
    pub fn off(inner: F) -> Self {
        Self { inner, levelling: None }
    }

    /// To be called behind a power-up, before anything else looks at the array: every block is itself, and what a
    /// swap that was cut has left is erased.
    ///
    /// # Errors
    /// What the array says.
    pub fn recover(&mut self) -> Result<(), FlashError> {
        match &mut self.levelling {
            None => Ok(()),
            Some(levelling) => levelling.recover(&mut self.inner),
        }
    }

    /// The rule.
    pub fn rule(&self) -> Option<WearRule> {
        self.levelling.as_ref().map(|levelling| levelling.rule)
    }

    /// The physical block that a block is now.
    pub fn physical(&self, block: BlockId) -> BlockId {
        self.levelling.as_ref().map_or(block, |levelling| levelling.places.physical(block))
    }

    /// Blocks whose data were moved so far.
    pub fn swaps(&self) -> u64 {
        self.levelling.as_ref().map_or(0, |levelling| levelling.swaps)
    }

    /// Swaps that were given up so far, for a page was unreadable or a program failed.
    pub fn given_up(&self) -> u64 {
        self.levelling.as_ref().map_or(0, |levelling| levelling.given_up)
    }

    /// Bytes of memory that levelling takes.
    pub fn heap_bytes(&self) -> usize {
        self.levelling.as_ref().map_or(0, |levelling| levelling.heap_bytes())
    }
}

impl<F> WearLevel<F> {
    /// The wrapped array itself.
    pub fn into_inner(self) -> F {
        self.inner
    }
}

impl<F> Deref for WearLevel<F> {
    type Target = F;

    #[inline]
    fn deref(&self) -> &F {
        &self.inner
    }
}

impl<F> DerefMut for WearLevel<F> {
    /// To be used for what is no operation of [`Flash`]: those that go by are not seen.
    #[inline]
    fn deref_mut(&mut self) -> &mut F {
        &mut self.inner
    }
}

/// The longest that an erase takes more on this part, ns: as many copies as a block has pages, in one run within a
/// device, and an erase.
pub fn swap_ns(part: &Part) -> Ns {
    let pages = u64::from(part.pages_per_block);
    let copies = match &part.copies {
        None => part.t_copies_ns(pages),
        Some(copies) => copies.near.run_ns(pages, copies.most_corrected_bytes.into()),
    };
    copies + part.t_bers_ns
}

/// Bytes of RAM that a controller needs for a rule: places and what is written of each block, erase counts or a bit a
/// set.
pub fn ram_bytes(rule: WearRule, blocks: u32) -> u64 {
    let blocks = u64::from(blocks);
    let rule = match rule {
        WearRule::BlockErasingTable { set_bits, .. } => blocks.div_ceil(8 << set_bits),
        WearRule::Gap(_) => blocks * 8,
    };
    blocks * 24 + rule
}

fn least_common_multiple(one: u32, other: u32) -> u32 {
    let (mut a, mut b) = (one, other);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    (one / a).saturating_mul(other)
}

impl<F: Probe> crate::layer::Layer for WearLevel<F> {
    type Inner = F;

    #[inline]
    fn inner(&self) -> &F {
        &self.inner
    }

    #[inline]
    fn inner_mut(&mut self) -> &mut F {
        &mut self.inner
    }

    #[inline]
    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError> {
        let Some(levelling) = &self.levelling else { return self.inner.read(ppn, data, cause) };
        let ppn = levelling.places.physical_page(self.inner.geometry(), ppn);
        let result = self.inner.read(ppn, data, cause);
        levelling.told(&self.inner, result)
    }

    #[inline]
    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        let Some(levelling) = &self.levelling else {
            return self.inner.read_part(ppn, offset, data, cause);
        };
        let ppn = levelling.places.physical_page(self.inner.geometry(), ppn);
        let result = self.inner.read_part(ppn, offset, data, cause);
        levelling.told(&self.inner, result)
    }

    #[inline]
    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        let Some(levelling) = &self.levelling else { return self.inner.read_oob(ppn, cause) };
        let ppn = levelling.places.physical_page(self.inner.geometry(), ppn);
        let result = self.inner.read_oob(ppn, cause);
        levelling.told(&self.inner, result)
    }

    #[inline(always)]
    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        match &mut self.levelling {
            None => self.inner.program(ppn, oob, data, cause),
            Some(levelling) => levelling.program(&mut self.inner, ppn, oob, data, cause),
        }
    }

    #[inline(always)]
    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        match &mut self.levelling {
            None => self.inner.copy(from, to, seq, cause),
            Some(levelling) => levelling.copy(&mut self.inner, from, to, seq, cause),
        }
    }

    #[inline]
    fn copy_run(
        &mut self,
        from: &[Ppn],
        to: Ppn,
        seq: u64,
        cause: Cause,
        lpns: &mut [Lpn],
    ) -> Result<(), (usize, FlashError)> {
        match &mut self.levelling {
            None => self.inner.copy_run(from, to, seq, cause, lpns),
            Some(levelling) => levelling.copy_run(&mut self.inner, from, to, seq, cause, lpns),
        }
    }

    #[inline]
    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
        match &mut self.levelling {
            None => self.inner.erase(block, cause),
            Some(levelling) => levelling.erase(&mut self.inner, block, cause),
        }
    }

    fn longest_erase_ns(&self) -> Ns {
        let swap = self.levelling.as_ref().map_or(0, |_| swap_ns(self.inner.part()));
        self.inner.longest_erase_ns() + swap
    }

    fn is_bad(&self, block: BlockId) -> bool {
        self.inner.is_bad(self.physical(block))
    }

    fn mark_bad(&mut self, block: BlockId) -> Result<(), FlashError> {
        match &mut self.levelling {
            None => self.inner.mark_bad(block),
            Some(levelling) => levelling.mark_bad(&mut self.inner, block),
        }
    }

    fn erase_count(&self, block: BlockId) -> u32 {
        self.inner.erase_count(self.physical(block))
    }

    #[inline]
    fn prefetch(&self, ppn: Ppn) {
        // Where blocks change places their table may be cold itself.
        if self.levelling.is_none() {
            self.inner.prefetch(ppn)
        }
    }

    #[inline]
    fn peek_lpn(&self, ppn: Ppn) -> Option<Lpn> {
        match &self.levelling {
            None => self.inner.peek_lpn(ppn),
            Some(levelling) => {
                self.inner.peek_lpn(levelling.places.physical_page(self.inner.geometry(), ppn))
            }
        }
    }
}
