//! The page-mapped scheme: tasks, telemetry, idle time, and its state for checkers.

use super::collection::Collection;
use super::core::{Core, LOST};
use super::frontiers::ram_bytes;
use super::tables::{Flat, Tables};
use super::victims::Victims;
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::guarantee::{Guarantee, Ram};
use crate::interface::{Background, Ftl, Prefetch};
use crate::telemetry::{CollectionLog, Telemetry};
use crate::victim_work::VictimWork;
use alloc::boxed::Box;
use alloc::vec::Vec;
use flash::{BlockId, Lpn, Ns, Ppn, Probe};

/// Page-mapped scheme: an array, a victim policy and a collector.
#[derive(Clone, Debug)]
pub struct PageMapped<F, V, C, T = Flat> {
    pub(super) core: Core<F, V, T>,
    pub(super) collector: C,
    pub(super) guarantee: Guarantee,
    pub(super) idle_collection: bool,
    /// Victim work before the last restart of telemetry, which the log excludes.
    pub(super) work_before: VictimWork,
}

/// Current use of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Erased.
    Free,
    /// Being written.
    Frontier,
    /// Written to its end; may be a victim.
    Full,
    /// Under collection; the next step continues at this page.
    Victim(u32),
    /// Bad.
    Bad,
}

/// State of one block, for checkers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockState {
    /// Use of the block.
    pub role: Role,
    /// Valid pages.
    pub valid: u32,
    /// Pages programmed since the last erase.
    pub written: u32,
}

impl<F: Probe, V: Victims, C: Collection, T: Tables> PageMapped<F, V, C, T> {
    /// State of every block, for checkers: O(N).
    pub fn snapshot(&self) -> Vec<BlockState> {
        let core = &self.core;
        let geometry = core.flash.geometry();
        let pages = geometry.pages_per_block();
        let mut states: Vec<BlockState> = (0..geometry.blocks())
            .map(BlockId)
            .map(|block| {
                let role = if core.flash.is_bad(block) { Role::Bad } else { Role::Full };
                BlockState { role, valid: core.space.blocks.valid(block), written: pages }
            })
            .collect();
        for block in core.space.frontiers.free() {
            states[block.0 as usize] = BlockState { role: Role::Free, valid: 0, written: 0 };
        }
        for frontier in core.space.frontiers.open() {
            let state = &mut states[frontier.block.0 as usize];
            let unwritten = frontier.room();
            *state = BlockState {
                role: Role::Frontier,
                valid: state.valid - unwritten,
                written: pages - unwritten,
            };
        }
        if let Some((block, cursor)) = self.collector.in_progress() {
            let valid = core.space.blocks.valid_from(block, cursor);
            states[block.0 as usize] =
                BlockState { role: Role::Victim(cursor), valid, written: pages };
        }
        states
    }

    /// Physical page of `lpn`, if it is mapped.
    pub fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        Some(self.core.space.blocks.get(lpn)).filter(|ppn| *ppn < LOST).map(Ppn)
    }
}

impl<F: Probe, V: Victims, C: Collection, T: Tables> Ftl for PageMapped<F, V, C, T> {
    type Flash = F;

    #[inline]
    fn flash(&self) -> &F {
        &self.core.flash
    }

    #[inline]
    fn flash_mut(&mut self) -> &mut F {
        &mut self.core.flash
    }

    fn into_flash(self: Box<Self>) -> F {
        self.core.flash
    }

    #[inline]
    fn logical_pages(&self) -> u32 {
        self.core.space.blocks.logical_pages()
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.write_below(lpn, data, &mut NoBuffer)
    }

    #[inline]
    fn write_below(
        &mut self,
        lpn: Lpn,
        data: Option<&[u8]>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.collector.before_write(&mut self.core, buffer)?;
        self.core.write(lpn, data)?;
        self.collector.after_write(&mut self.core, buffer)
    }

    #[inline]
    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        self.check(lpn)?;
        self.core.read(lpn, data)
    }

    #[inline]
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.core.trim(lpn);
        Ok(())
    }

    #[inline]
    fn free_pages(&self) -> u64 {
        self.core.space.free_pages
    }

    fn telemetry(&self) -> Telemetry<'_> {
        Telemetry {
            heap_bytes: self.core.space.blocks.heap_bytes()
                + self.core.space.victims.heap_bytes()
                + self.core.space.frontiers.heap_bytes(),
            victim_work: Some(self.core.space.victims.work().since(&self.work_before)),
            tells_moves: true,
            yields: C::YIELDS,
            ..Telemetry::new(
                self.guarantee,
                {
                    let [map, blocks] = self.core.space.blocks.ram_bytes();
                    let frontiers = &self.core.space.frontiers;
                    Ram {
                        map,
                        blocks,
                        victims: self.core.space.victims.ram_bytes(),
                        other: ram_bytes(frontiers.count() as u32, frontiers.classes()),
                        ..Ram::default()
                    }
                },
                &self.core.space.log,
            )
        }
    }

    fn restart_telemetry(&mut self) {
        self.work_before = self.core.space.victims.work();
        let pages_per_block = self.core.flash.geometry().pages_per_block();
        self.core.space.log =
            CollectionLog::new(pages_per_block, self.core.space.log.threshold_pages);
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn, what: Prefetch) {
        let core = &self.core;
        match what {
            Prefetch::Map => core.space.blocks.prefetch_entry(lpn),
            Prefetch::Block => {
                let ppn = core.space.blocks.get(lpn);
                if ppn < LOST {
                    let block = core.flash.geometry().block_of(Ppn(ppn));
                    core.space.blocks.prefetch(block, Ppn(ppn));
                    core.space.victims.prefetch(block);
                }
            }
            Prefetch::Page => {
                let ppn = core.space.blocks.get(lpn);
                if ppn < LOST {
                    core.flash.prefetch(Ppn(ppn));
                }
            }
        }
    }
}

impl<F: Probe, V: Victims, C: Collection, T: Tables> Background for PageMapped<F, V, C, T> {
    fn idle(&mut self) -> Result<bool, FtlError> {
        if !self.idle_collection {
            return Ok(false);
        }
        self.collector.idle(&mut self.core)
    }

    fn idle_ns(&self) -> Ns {
        self.collector.idle_ns(&self.core)
    }
}
