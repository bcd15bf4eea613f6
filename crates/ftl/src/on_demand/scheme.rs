//! The scheme: tasks, telemetry, idle time.

use super::core::{OnDemandCore, Track};
use super::{collection::Collector, seal};
use crate::error::FtlError;
use crate::guarantee::{Guarantee, Ram};
use crate::inspection::Inspection;
use crate::interface::{Background, Ftl, Prefetch, on_array};
use crate::plan::Plan;
use crate::telemetry::{CollectionLog, MapCache, Telemetry};
use crate::victim_work::VictimWork;
use crate::victims::Victims;
use alloc::vec::Vec;
use flash::{Lpn, Probe};

/// A scheme with an on-demand map: an array, a cache and a collector.
#[derive(Clone, Debug)]
pub(crate) struct OnDemand<F, C> {
    pub(super) core: OnDemandCore<F>,
    pub(super) collector: C,
    guarantee: Guarantee,
    ram: Ram,
    idle_collection: bool,
    /// Victim work before the last restart of the telemetry.
    work_before: VictimWork,
}

impl<F: Probe, C: Collector> OnDemand<F, C> {
    pub(super) fn new(
        core: OnDemandCore<F>,
        collector: C,
        plan: &Plan,
        idle_collection: bool,
    ) -> Self {
        let (guarantee, ram, work_before) = (plan.guarantee, plan.ram, VictimWork::default());
        Self { core, collector, guarantee, ram, idle_collection, work_before }
    }

    /// True if the last shutdown left a seal.
    pub(crate) fn is_sealed(&self) -> bool {
        self.core.is_sealed
    }

    /// True if an entry was forgotten for want of memory.
    pub(crate) fn core_has_forgotten(&self) -> bool {
        self.core.track == Track::Lost
    }

    /// Victim work of both areas since the format or mount.
    fn all_victim_work(&self) -> VictimWork {
        let mut work = self.core.data.victims.work();
        work += self.core.translation.victims.work();
        work
    }
}

impl<F: Probe, C: Collector> Ftl for OnDemand<F, C> {
    on_array!(self, self.core.medium.flash, self.core.logical_pages);

    #[inline]
    fn write(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.collector.before_write(&mut self.core)?;
        self.core.write(lpn, data)?;
        self.collector.after_change(&mut self.core)
    }

    #[inline]
    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        self.check(lpn)?;
        self.core.read(lpn, data)
    }

    fn is_present(&mut self, lpn: Lpn) -> Result<bool, FtlError> {
        self.check(lpn)?;
        self.core.is_present(lpn)
    }

    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.core.trim(lpn)?;
        self.collector.after_change(&mut self.core)
    }

    fn free_pages(&self) -> u64 {
        let pages_per_block = u64::from(self.core.medium.geometry().pages_per_block());
        self.core.data.free_pages
            + self.core.translation.free_pages
            + self.core.medium.spares.len() as u64 * pages_per_block
    }

    fn shutdown(&mut self) -> Result<(), FtlError> {
        if !self.core.seals || self.core.track == Track::ReadOnly {
            return self.flush();
        }
        self.core.is_sealed = seal::seal(&mut self.core)?;
        Ok(())
    }

    fn telemetry(&self) -> Telemetry<'_> {
        Telemetry {
            heap_bytes: {
                let core = &self.core;
                let areas = [&core.data, &core.translation].map(|area| {
                    area.blocks.heap_bytes()
                        + area.victims.heap_bytes()
                        + area.frontiers.heap_bytes()
                });
                core.cmt.heap_bytes()
                    + areas.iter().sum::<usize>()
                    + core.medium.spares.heap_bytes()
                    + core.directory.capacity() * 4
                    + core.moved.capacity() * size_of::<(Lpn, flash::Ppn)>()
                    + core.medium.geometry().page_bytes() as usize
            },
            victim_work: Some(self.all_victim_work().since(&self.work_before)),
            map_cache: Some(self.core.cmt.lookups),
            ..Telemetry::new(self.guarantee, self.ram, &self.core.data.log)
        }
    }

    fn restart_telemetry(&mut self) {
        self.work_before = self.all_victim_work();
        let pages_per_block = self.core.medium.geometry().pages_per_block();
        for area in [&mut self.core.data, &mut self.core.translation] {
            area.log = CollectionLog::new(pages_per_block, area.log.threshold_pages);
        }
        self.core.cmt.lookups = MapCache::default();
    }

    fn state(&self) -> Option<Vec<u32>> {
        let (data_victim, besides) = self.collector.state()?;
        Some(self.core.state(data_victim, besides))
    }

    fn inspect(&self) -> Inspection {
        self.core.inspect(self.collector.in_progress())
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn, what: Prefetch) {
        if lpn.0 < self.core.logical_pages {
            match what {
                Prefetch::Map => self.core.prefetch_map(lpn),
                Prefetch::Block => self.core.prefetch_block(lpn),
                Prefetch::Page => {}
            }
        }
    }
}

impl<F: Probe, C: Collector> Background for OnDemand<F, C> {
    fn idle(&mut self) -> Result<bool, FtlError> {
        if !self.idle_collection || self.core.track == Track::ReadOnly || !self.collector.may_idle()
        {
            return Ok(false);
        }
        let collected = self.core.collect_invalid()?;
        if collected {
            self.collector.idled();
        }
        Ok(collected)
    }
}
