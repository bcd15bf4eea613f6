//! Static wear levelling below any scheme. Blocks that hold cold data and are never erased swap places with
//! blocks that are erased often.
//!
//! ```text
//! a scheme sees blocks; each maps to a physical block of the array   # the identity at first and after every power-up
//! erase(block):
//!   h = its physical block; erase h
//!   c = the block that the rule chooses, if any: of the class of h, written, and hardly ever erased
//!   copy all pages written in c to h, in order; erase c             # LPN, kind and sequence number stay
//!   h and c swap: the erased block is now c, and the data of c are in h
//! ```
//!
//! Rules ([`WearRule`]) work for each class of blocks separately; block `b` is of class `b mod classes`. The
//! number of classes is the least common multiple of two counts: the units over which a scheme spreads its
//! writes, and the devices between which copies take another path.
//!
//! - `bet:T[:K]`: one bit per set of 2^K blocks says whether one of them was erased. e_cnt counts erases and
//!   f_cnt set bits since the table was cleared. While e_cnt ≥ T·f_cnt, the blocks of sets whose bit is clear
//!   are moved, cyclically from a random set on. A full table is cleared.
//! - `gap:N`: if h was erased more than N times more often than the least worn block that holds data, the data
//!   of the latter are moved. N should be well above the spread among frequently written blocks. Otherwise the
//!   least worn block is one of those. Its data are soon overwritten in their new location, and swaps cause
//!   more wear than they level.
//!
//! State and cost: 8 B per block for the block map and 8 B for its write state. The rule takes 1 bit per set or
//! 20 B per block. All of it is in RAM alone. Time is O(1) per operation, O(log N) per block erased (`gap`) or
//! filled, and O(N/64) per choice (`bet`). Without a rule: no state, and one branch per operation.
//!
//! Formulas: at most one swap after an erase, of π copies in one run and t_er ([`swap_ns`]).
//!
//! Invariants: the block map is a permutation within classes. A block's pages keep their order. No page is in
//! two blocks except during a swap. The module's tests assert them against a model; the conformance and
//! power-cut suites assert them over every scheme.
//!
//! Failures:
//!
//! - A page is unreadable: the swap is given up, and h is erased again. The block of the page stays in place
//!   until it is erased.
//! - A program fails in h, or an erase of c fails: this is reported as a failed erase. The block is to be
//!   retired, and its bad mark stays with the physical block.
//! - A program failed in a block: no data are moved to it after its next erase.
//!
//! Two cases never move data. The first is a block whose first page is a scheme's own record
//! ([`PageKind::Other`](crate::PageKind::Other)), because its location may have a meaning. The second is an
//! erase of a mount.
//!
//! Power cuts: the block map is not on flash. After a power-up it is the identity, so a scheme must find its
//! data from the OOB areas. [`WearLevel::recover`] must be called first. A cut swap leaves two copies of a
//! block; `recover` erases the one with fewer readable pages or, of two complete ones, the one whose block was
//! erased less often. It also erases blocks in which nothing can be read.
//!
//! Deviations: the sources' controllers move data into the flash translation layer's free blocks. Here they go
//! to the block just erased, which is a worn one because hot data have been there. The table of `bet` is not
//! saved, so it starts empty at a power-up. One block is moved after an erase, not whole sets at once, so that
//! no erase takes longer than one swap. `gap` is the swap of the second source without its pools: block by
//! block, by erase counts alone.
//!
//! Source: Y.-H. Chang, J.-W. Hsieh, T.-W. Kuo, Endurance enhancement of flash-memory storage systems: an
//! efficient static wear leveling design, DAC 2007 (SW Leveler, Block Erasing Table); L.-P. Chang, C.-D. Du,
//! Design and implementation of an efficient wear-leveling algorithm for solid-state-disk microcontrollers, ACM
//! TODAES 15(1), 2009. Neither paper was at hand: the implementation follows what is commonly known of them.

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
use super::due::DueBlock;
use super::error::FlashError;
use super::interface::{Flash, Probe};
use super::oob::Oob;
use super::operation::Cause;
use super::part::Part;
use super::time::Ns;
use alloc::boxed::Box;
use core::ops::{Deref, DerefMut};
use levelling::Levelling;

/// Levels the wear of the array below by a rule, if there is one. It dereferences to the array below, whose
/// other methods take physical blocks.
#[derive(Clone, Debug)]
pub struct WearLevel<F> {
    inner: F,
    levelling: Option<Box<Levelling>>,
}

impl<F: Flash> WearLevel<F> {
    /// Wraps an array that is erased, or will be. `units` are those over which the scheme above spreads its
    /// writes: block `b` belongs to unit `b mod units`, and stays in it. Random choices are drawn from `seed`.
    pub fn new(inner: F, rule: Option<WearRule>, units: u32, seed: u64) -> Self {
        let devices = inner.part().copies.map_or(1, |copies| copies.ways);
        let classes = least_common_multiple(units.max(1), devices.max(1));
        let geometry = *inner.geometry();
        let levelling = rule.map(|rule| Box::new(Levelling::new(rule, &geometry, classes, seed)));
        Self { inner, levelling }
    }

    /// Wraps an array without levelling: forwards every call.
    pub fn off(inner: F) -> Self {
        Self { inner, levelling: None }
    }

    /// Resets the block map to the identity and erases the remains of a cut swap. To be called after a
    /// power-up, before any other access to the array.
    ///
    /// # Errors
    /// Errors of the array.
    pub fn recover(&mut self) -> Result<(), FlashError> {
        match &mut self.levelling {
            None => Ok(()),
            Some(levelling) => levelling.recover(&mut self.inner),
        }
    }

    /// The rule, if there is one.
    pub fn rule(&self) -> Option<WearRule> {
        self.levelling.as_ref().map(|levelling| levelling.rule)
    }

    /// Current physical block of a block.
    pub fn physical(&self, block: BlockId) -> BlockId {
        self.levelling.as_ref().map_or(block, |levelling| levelling.places.physical(block))
    }

    /// Completed swaps so far.
    pub fn swaps(&self) -> u64 {
        self.levelling.as_ref().map_or(0, |levelling| levelling.swaps)
    }

    /// Swaps given up so far because a page was unreadable or a program failed.
    pub fn given_up(&self) -> u64 {
        self.levelling.as_ref().map_or(0, |levelling| levelling.given_up)
    }

    /// Memory in bytes that levelling takes.
    pub fn heap_bytes(&self) -> usize {
        self.levelling.as_ref().map_or(0, |levelling| levelling.heap_bytes())
    }
}

impl<F> WearLevel<F> {
    /// Unwraps the array.
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
    /// Only for calls that are not operations of [`Flash`]: levelling does not see operations that bypass it.
    #[inline]
    fn deref_mut(&mut self) -> &mut F {
        &mut self.inner
    }
}

/// Worst-case time that levelling adds to an erase on this part, ns: π copies in one run within a device, and
/// an erase.
pub fn swap_ns(part: &Part) -> Ns {
    let pages = u64::from(part.pages_per_block);
    let copies = match &part.copies {
        None => part.t_copies_ns(pages),
        Some(copies) => copies.near.run_ns(pages, copies.most_corrected_bytes.into()),
    };
    copies + part.t_bers_ns
}

/// RAM in bytes that a controller needs for a rule: 24 B per block of map and write state, plus an erase count
/// per block (`gap`) or one bit per set (`bet`).
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
    layer_on!(self, self.inner, F);

    #[inline]
    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError> {
        let Some(levelling) = &self.levelling else { return self.inner.read(ppn, data, cause) };
        let ppn = levelling.places.physical_page(self.inner.geometry(), ppn);
        let result = self.inner.read(ppn, data, cause);
        levelling.told(&self.inner, result)
    }

    #[inline(always)]
    fn read_data(
        &mut self,
        ppn: Ppn,
        data: Option<&mut [u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        match self.levelling {
            None => self.inner.read_data(ppn, data, cause),
            Some(_) => crate::layer::Layer::read(self, ppn, data, cause).map(|_| ()),
        }
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
    fn program_plain(&mut self, to: Ppn, lpns: &[Lpn], seq: u64, cause: Cause) -> usize {
        match self.levelling {
            None => self.inner.program_plain(to, lpns, seq, cause),
            Some(_) => 0,
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

    #[inline]
    fn is_slc(&self, block: BlockId) -> bool {
        self.inner.is_slc(self.physical(block))
    }

    fn set_slc(&mut self, block: BlockId, slc: bool) -> Result<(), FlashError> {
        let physical = self.physical(block);
        let result = self.inner.set_slc(physical, slc);
        match &self.levelling {
            None => result,
            Some(levelling) => levelling.told(&self.inner, result),
        }
    }

    fn erase_count(&self, block: BlockId) -> u32 {
        self.inner.erase_count(self.physical(block))
    }

    fn due_block(&mut self) -> Option<DueBlock> {
        let due = self.inner.due_block()?;
        let outer = |levelling: &Levelling| levelling.places.outer(due.block);
        let block = self.levelling.as_deref().map_or(due.block, outer);
        Some(DueBlock { block, ..due })
    }

    fn end_turn(&mut self, block: BlockId, moved: bool) {
        let physical = self.physical(block);
        self.inner.end_turn(physical, moved);
    }

    #[inline]
    fn prefetch(&self, ppn: Ppn) {
        // With levelling, the lookup of the physical block may itself miss the cache.
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
