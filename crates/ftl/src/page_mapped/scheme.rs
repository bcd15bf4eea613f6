//! The page-mapped scheme: tasks, telemetry, idle time, and its state for checkers.

use super::collection::Collection;
use super::core::{Core, LOST};
use super::fold;
use super::frontiers::ram_bytes;
use super::inspect;
use super::refresh;
use super::slc_cache;
use super::space::RUN;
use super::tables::{Flat, Tables};
use crate::batch;
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::guarantee::{Guarantee, Ram};
use crate::inspection::{BlockUse, Inspection};
use crate::interface::{Background, Ftl, Prefetch, on_array};
use crate::page_task::PageTask;
use crate::preset::Setup;
use crate::refresh::RefreshStep;
use crate::slc_cache::SlcLog;
use crate::telemetry::{CollectionLog, SlcCacheState, Telemetry};
use crate::victim_work::VictimWork;
use crate::victims::Victims;
use alloc::vec::Vec;
use flash::{BlockId, DueBlock, Lpn, Ns, Ppn, Probe};

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

impl Role {
    /// The role's word for displays.
    fn word(self) -> &'static str {
        match self {
            Self::Free => BlockUse::FREE,
            Self::Frontier => BlockUse::FRONTIER,
            Self::Full => BlockUse::FULL,
            Self::Victim(_) => BlockUse::VICTIM,
            Self::Bad => BlockUse::BAD,
        }
    }
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
    pub(super) fn new(core: Core<F, V, T>, collector: C, setup: &Setup<'_>) -> Self {
        let (guarantee, idle_collection) = (setup.plan.guarantee, setup.config.idle_collection);
        Self { core, collector, guarantee, idle_collection, work_before: VictimWork::default() }
    }

    /// State of every block, for checkers: O(N).
    pub fn snapshot(&self) -> Vec<BlockState> {
        let core = &self.core;
        let geometry = core.flash.geometry();
        let pages = geometry.pages_per_block();
        let slc_pages = core.flash.part().cell.slc_pages(pages);
        let mut states: Vec<BlockState> = (0..geometry.blocks())
            .map(BlockId)
            .map(|block| {
                let role = if core.flash.is_bad(block) { Role::Bad } else { Role::Full };
                let written = if core.flash.is_slc(block) { slc_pages } else { pages };
                BlockState { role, valid: core.space.blocks.valid(block), written }
            })
            .collect();
        for block in core.space.frontiers.free() {
            states[block.0 as usize] = BlockState { role: Role::Free, valid: 0, written: 0 };
        }
        let cache = core.space.cache.as_deref();
        let in_cache = cache.into_iter().flat_map(|cache| cache.open());
        for frontier in core.space.frontiers.open().chain(in_cache) {
            let state = &mut states[frontier.block.0 as usize];
            let unwritten = frontier.room();
            *state = BlockState {
                role: Role::Frontier,
                valid: state.valid - unwritten,
                written: frontier.next - geometry.ppn(frontier.block, 0).0,
            };
        }
        let folding = cache.and_then(|cache| cache.folding);
        for (block, cursor) in self.collector.in_progress().into_iter().chain(folding) {
            let valid = core.space.blocks.valid_from(block, cursor);
            let state = &mut states[block.0 as usize];
            *state = BlockState { role: Role::Victim(cursor), valid, ..*state };
        }
        states
    }

    /// A host's write: compiled once for a buffer above that may hold dirty pages, and once for none.
    #[inline(always)]
    fn write_page(
        &mut self,
        lpn: Lpn,
        data: Option<&[u8]>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        self.check(lpn)?;
        if self.core.space.cache.is_some() {
            return fold::write(&mut self.core, &mut self.collector, lpn, data, buffer);
        }
        let in_groups = self.core.space.groups.is_some();
        if in_groups {
            self.core.make_room_in_groups(lpn, buffer)?;
        } else {
            self.collector.before_write(&mut self.core, buffer)?;
        }
        self.core.write(lpn, data)?;
        if in_groups {
            self.core.wrote_in_groups(lpn);
        }
        self.collector.after_write(&mut self.core, buffer)
    }

    /// Work of the victim policy and of the placement policy.
    fn all_work(&self) -> VictimWork {
        let placed = self.core.space.placing.as_ref().map(|placing| placing.work());
        VictimWork { placed: placed.unwrap_or_default(), ..self.core.space.victims.work() }
    }

    fn placement_ram_bytes(&self) -> u64 {
        let (space, geometry) = (&self.core.space, self.core.flash.geometry());
        let array = [geometry.blocks(), geometry.pages_per_block()];
        let pages = space.blocks.logical_pages();
        space.placing.as_ref().map_or(0, |placing| placing.ram_bytes(pages, array))
    }

    fn slc_ram_bytes(&self) -> u64 {
        let (space, geometry) = (&self.core.space, self.core.flash.geometry());
        let units = space.frontiers.count() as u32;
        space
            .cache
            .as_ref()
            .map_or(0, |cache| slc_cache::ram_bytes(cache.plan.blocks, geometry.blocks(), units))
    }

    /// Physical page of `lpn`, if it is mapped.
    pub fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        Some(self.core.space.blocks.get(lpn)).filter(|ppn| *ppn < LOST).map(Ppn)
    }
}

impl<F: Probe, V: Victims, C: Collection, T: Tables> Ftl for PageMapped<F, V, C, T> {
    on_array!(self, self.core.flash, self.core.space.blocks.logical_pages());

    #[inline]
    fn write(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.write_page(lpn, data, &mut NoBuffer)
    }

    #[inline(always)]
    fn plain_writes(&self) -> usize {
        if self.core.space.writes_in_rows() {
            self.collector.quiet_writes(&self.core) as usize
        } else {
            0
        }
    }

    /// Not inlined, so that its loop has all registers.
    #[inline(never)]
    fn write_plain(&mut self, work: &[PageTask], ahead: &[PageTask]) -> usize {
        let (mut lpns, pages) = ([Lpn(0); RUN], self.core.space.blocks.logical_pages());
        let mut count = 0;
        for (lpn, piece) in lpns.iter_mut().zip(work) {
            // One beyond the space has its error where it is written alone.
            if !piece.is_plain_write() || piece.lpn >= pages {
                break;
            }
            *lpn = Lpn(piece.lpn);
            count += 1;
        }
        if count == 0 {
            return 0;
        }
        self.core.write_plain(&lpns[..count], |core, at| {
            batch::fetch(ahead, at, |lpn, what| prefetch(core, lpn, what));
        })
    }

    fn write_below(
        &mut self,
        lpn: Lpn,
        data: Option<&[u8]>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        self.write_page(lpn, data, buffer)
    }

    #[inline]
    fn name_stream(&mut self, stream: u8) {
        if let Some(placing) = &mut self.core.space.placing {
            placing.name_stream(stream);
        }
    }

    #[inline(always)]
    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        self.check(lpn)?;
        self.core.read(lpn, data)
    }

    fn is_present(&mut self, lpn: Lpn) -> Result<bool, FtlError> {
        self.check(lpn)?;
        Ok(self.core.is_present(lpn))
    }

    #[inline]
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.core.trim(lpn);
        Ok(())
    }

    #[inline]
    fn free_pages(&self) -> u64 {
        self.core.space.all_free_pages()
    }

    fn telemetry(&self) -> Telemetry<'_> {
        Telemetry {
            heap_bytes: self.core.space.blocks.heap_bytes()
                + self.core.space.victims.heap_bytes()
                + self.core.space.frontiers.heap_bytes()
                + self.core.space.placing.as_ref().map_or(0, |placing| placing.heap_bytes())
                + self.core.space.cache.as_ref().map_or(0, |cache| cache.heap_bytes()),
            victim_work: Some(self.all_work().since(&self.work_before)),
            streams: self.core.space.placing.as_ref().and_then(|placing| placing.stream_log()),
            tells_moves: true,
            yields: C::YIELDS,
            slc_cache: self.core.space.cache.as_deref().map(|cache| SlcCacheState {
                plan: cache.plan,
                log: cache.log,
                blocks: cache.blocks(),
                free_pages: cache.room(),
            }),
            ..Telemetry::new(
                self.guarantee,
                {
                    let [map, blocks] = self.core.space.blocks.ram_bytes();
                    let frontiers = &self.core.space.frontiers;
                    Ram {
                        map,
                        blocks,
                        victims: self.core.space.victims.ram_bytes(),
                        other: ram_bytes(frontiers.count() as u32, frontiers.classes())
                            + self.placement_ram_bytes()
                            + self.slc_ram_bytes(),
                        ..Ram::default()
                    }
                },
                &self.core.space.log,
            )
        }
    }

    fn restart_telemetry(&mut self) {
        self.work_before = self.all_work();
        if let Some(placing) = &mut self.core.space.placing {
            placing.restart_log();
        }
        let pages_per_block = self.core.flash.geometry().pages_per_block();
        self.core.space.log =
            CollectionLog::new(pages_per_block, self.core.space.log.threshold_pages);
        if let Some(cache) = &mut self.core.space.cache {
            let (most_blocks, in_use) = (cache.blocks(), cache.in_use);
            cache.log = SlcLog { most_blocks, in_use, ..SlcLog::default() };
        }
    }

    fn inspect(&self) -> Inspection {
        let uses = self.snapshot().iter().map(|block| BlockUse::new(block.role.word())).collect();
        let victim = self.collector.in_progress().map(|(victim, _)| victim);
        inspect::state(&self.core.space, uses, victim)
    }

    #[inline(always)]
    fn prefetch(&self, lpn: Lpn, what: Prefetch) {
        prefetch(&self.core, lpn, what);
    }
}

impl<F: Probe, V: Victims, C: Collection, T: Tables> Background for PageMapped<F, V, C, T> {
    fn idle(&mut self) -> Result<bool, FtlError> {
        if fold::idle(&mut self.core)? {
            return Ok(true);
        }
        if !self.idle_collection {
            return Ok(false);
        }
        self.collector.idle(&mut self.core)
    }

    fn idle_ns(&self) -> Ns {
        match fold::has_work(&self.core) {
            true => fold::idle_ns(&self.core).max(self.collector.idle_ns(&self.core)),
            false => self.collector.idle_ns(&self.core),
        }
    }

    fn idles_on(&self) -> bool {
        fold::has_work(&self.core)
    }

    fn refresh(&mut self, due: DueBlock) -> Result<RefreshStep, FtlError> {
        refresh::step(&mut self.core, &mut self.collector, due)
    }

    fn refresh_ns(&self) -> Ns {
        self.guarantee.refresh_ns.unwrap_or(Ns::MAX)
    }
}

/// See [`Ftl::prefetch`].
#[inline(always)]
fn prefetch<F: Probe, V: Victims, T: Tables>(core: &Core<F, V, T>, lpn: Lpn, what: Prefetch) {
    match what {
        Prefetch::Map => {
            core.space.blocks.prefetch_entry(lpn);
            if let Some(placing) = &core.space.placing {
                placing.prefetch(lpn);
            }
        }
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
