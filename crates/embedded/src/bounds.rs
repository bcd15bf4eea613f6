//! Operations of the driver that each call makes at most, and their time by the part's table.
//!
//! They hold while no program and no erase fails: a failure repeats its work elsewhere. Each count is a bound of its own; their
//! sum is not reached, since a step either copies or erases. `time_ns` is the bound of all together.

use flash::Part;
use ftl::{Layout, Plan};

/// Operations of the driver, and their time by the times of the configuration.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Pages read with their bytes.
    pub reads: u64,
    /// Spare areas read alone.
    pub spare_reads: u64,
    /// Pages programmed.
    pub programs: u64,
    /// Pages copied by the driver.
    pub copies: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Time of all, ns, by the times of the configuration.
    pub time_ns: u64,
}

impl Cost {
    pub(crate) fn add(&mut self, other: &Self) {
        self.reads += other.reads;
        self.spare_reads += other.spare_reads;
        self.programs += other.programs;
        self.copies += other.copies;
        self.erases += other.erases;
        self.time_ns += other.time_ns;
    }

    /// Takes the larger of each.
    pub(crate) fn cover(&mut self, other: &Self) {
        self.reads = self.reads.max(other.reads);
        self.spare_reads = self.spare_reads.max(other.spare_reads);
        self.programs = self.programs.max(other.programs);
        self.copies = self.copies.max(other.copies);
        self.erases = self.erases.max(other.erases);
        self.time_ns = self.time_ns.max(other.time_ns);
    }

    /// The time of as many operations, one after the other.
    fn timed(self, times: &Times) -> Self {
        let of = |count: u64, ns: u64| count.saturating_mul(ns);
        let time_ns = of(self.reads, times.read_ns)
            .saturating_add(of(self.spare_reads, times.spare_ns))
            .saturating_add(of(self.programs, times.program_ns))
            .saturating_add(of(self.copies, times.read_ns + times.program_ns))
            .saturating_add(of(self.erases, times.erase_ns));
        Self { time_ns, ..self }
    }

    /// What a driver without a copy does instead.
    fn without_copies(self) -> Self {
        Self {
            reads: self.reads + self.copies,
            programs: self.programs + self.copies,
            copies: 0,
            ..self
        }
    }
}

/// Times of operations, ns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    read_ns: u64,
    spare_ns: u64,
    program_ns: u64,
    erase_ns: u64,
}

impl Times {
    pub(crate) fn of(part: &Part) -> Self {
        Self {
            read_ns: part.t_r_ns,
            spare_ns: part.t_r_oob_ns,
            program_ns: part.t_prog_ns,
            erase_ns: part.t_bers_ns,
        }
    }

    pub(crate) fn read(&self) -> Cost {
        Cost { reads: 1, time_ns: self.read_ns, ..Cost::default() }
    }

    pub(crate) fn read_spare(&self) -> Cost {
        Cost { spare_reads: 1, time_ns: self.spare_ns, ..Cost::default() }
    }

    pub(crate) fn program(&self) -> Cost {
        Cost { programs: 1, time_ns: self.program_ns, ..Cost::default() }
    }

    pub(crate) fn copy(&self) -> Cost {
        Cost { copies: 1, time_ns: self.read_ns + self.program_ns, ..Cost::default() }
    }

    pub(crate) fn erase(&self) -> Cost {
        Cost { erases: 1, time_ns: self.erase_ns, ..Cost::default() }
    }
}

/// What each call costs at most, while no program and no erase fails. Each count is a bound of its own, `time_ns` that of all.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Logical pages exported.
    pub pages: u32,
    /// 1 if the bound of a write does not depend on how full the device is and what was written before.
    pub real_time: u32,
    /// `ftl_read`.
    pub read: Cost,
    /// `ftl_write`.
    pub write: Cost,
    /// `ftl_trim`.
    pub trim: Cost,
    /// `ftl_sync`.
    pub sync: Cost,
    /// One step of `ftl_idle`.
    pub idle_step: Cost,
    /// `ftl_shutdown`, with scratch memory or without.
    pub shutdown: Cost,
    /// `ftl_mount` after a power cut.
    pub mount: Cost,
    /// `ftl_mount` after an `ftl_shutdown` that has sealed the array.
    pub clean_mount: Cost,
}

impl Bounds {
    /// The bounds of a plan. `copies`: the driver copies pages itself. `refreshes`: idle time writes pages again.
    pub(crate) fn of(plan: &Plan, part: &Part, blocks: u32, copies: bool, refreshes: bool) -> Self {
        let times = Times::of(part);
        let pages = u64::from(part.pages_per_block);
        let all = u64::from(blocks) * pages;
        let guarantee = &plan.guarantee;
        let within = |cost: Cost, bound: Option<u64>| {
            let timed = cost.timed(&times);
            Cost { time_ns: bound.map_or(timed.time_ns, |bound| bound.min(timed.time_ns)), ..timed }
        };
        let one_read = Cost { reads: 1, ..Cost::default() }.timed(&times);
        let one_erase = Cost { erases: 1, ..Cost::default() }.timed(&times);
        let victim = u64::from(guarantee.victim_valid.unwrap_or(0)).min(pages - 1);
        let threshold =
            u64::from(plan.threshold_pages) + (1 + u64::from(plan.spare_blocks > 0)) * pages;
        let victims = threshold.div_ceil(pages - victim) + 1;
        // The format: a page of each block, and as many where these cannot be read.
        let format = Cost { spare_reads: 2 * u64::from(blocks), ..Cost::default() };
        // A mount reads the spare areas of a block to the first erased page, those of the pages in use again, and once more those
        // that another page of the same logical page may be older than. Then it collects what the power cut interrupted.
        let scan = Cost { spare_reads: 3 * all + u64::from(blocks), ..Cost::default() };
        let recovery = Cost { copies: victims * victim, erases: victims, ..Cost::default() };
        let mut bounds = Self {
            pages: plan.logical_pages,
            real_time: guarantee.real_time.into(),
            read: one_read,
            idle_step: one_erase,
            ..Self::default()
        };
        let together = |costs: &[Cost]| {
            let mut sum = Cost::default();
            costs.iter().for_each(|cost| sum.add(cost));
            sum.timed(&times)
        };
        match &plan.layout {
            Layout::OnDemand(layout) => {
                let steps = layout.steps.unwrap_or_default();
                let (map, alpha) = (u64::from(steps.pages), u64::from(steps.copies));
                let step = Cost {
                    reads: 1 + map,
                    programs: map,
                    copies: alpha,
                    erases: 1,
                    ..Cost::default()
                };
                bounds.read = Cost { reads: 2, ..Cost::default() }.timed(&times);
                bounds.write = within(Cost { programs: 1 + map, ..step }, guarantee.response_ns);
                bounds.trim = within(step, guarantee.response_ns);
                let per_page = u64::from(part.page_bytes / 4).max(1);
                let translation = u64::from(plan.logical_pages).div_ceil(per_page);
                // Each page is compared with its entry, and each entry with its page. Where an entry is another one and the cache
                // has no room, the fullest page of the map is written; twice more by recovery. Room is made for it: as many copies.
                // Blocks that are torn whole are erased.
                let at_once = u64::from(steps.dirty_threshold.saturating_sub(1));
                let changes = all + u64::from(plan.logical_pages);
                // One page of the map more supersedes a seal that is not believed; what may be one is read for that.
                let rewritten =
                    changes / at_once.div_ceil(translation).max(1) + 2 * translation + 1;
                let compare = Cost {
                    reads: all + translation + 2 * rewritten + 2,
                    programs: rewritten,
                    copies: rewritten,
                    erases: (2 * rewritten).div_ceil(pages) + 4,
                    ..Cost::default()
                };
                // A seal: the first page of each block, all pages of the map's blocks up to five times, the map. Without one that
                // is looked at in vain.
                let area = u64::from(blocks - layout.data_blocks) * pages;
                let sealed = Cost {
                    reads: translation + 1,
                    spare_reads: u64::from(blocks) + 5 * area + 1,
                    ..Cost::default()
                };
                // Room in the map's area is made as by any mount.
                let room = Cost {
                    copies: 2 * translation,
                    erases: 2 * translation.div_ceil(pages) + 4,
                    ..Cost::default()
                };
                bounds.mount = together(&[format, sealed, scan, recovery, compare]);
                bounds.clean_mount = together(&[format, sealed, recovery, room]);
                // Each page of the map and the seal, in room that is made: victims have at most ⌊Λ_t/(N_t − 1)⌋ valid pages; one
                // may be half collected.
                let others = u64::from(layout.translation_blocks).saturating_sub(1).max(1);
                let valid = (translation / others).min(pages - 1);
                let programs = translation + 1;
                let erases = programs.div_ceil(pages - valid) + 2;
                bounds.shutdown = together(&[Cost {
                    reads: translation,
                    programs,
                    copies: erases * valid,
                    erases,
                    ..Cost::default()
                }]);
            }
            Layout::Gftl(layout) => {
                let (reads, programs) = (u64::from(layout.reads), u64::from(layout.programs));
                let step = Cost {
                    reads: reads.min(2 * pages),
                    spare_reads: reads.min(2 * pages),
                    programs: programs.min(2 * pages),
                    erases: 1,
                    ..Cost::default()
                };
                bounds.idle_step = within(step, guarantee.step_ns);
                bounds.write =
                    within(Cost { programs: step.programs + 1, ..step }, guarantee.response_ns);
                let found =
                    Cost { spare_reads: step.spare_reads + pages, reads: step.reads + 1, ..step };
                bounds.read = within(found, guarantee.response_ns);
                // All that is in RAM alone is programmed, or the collection is ended.
                let collection = Cost {
                    reads: pages,
                    spare_reads: 2 * pages,
                    programs: 3 * pages,
                    erases: 1,
                    ..Cost::default()
                };
                bounds.sync = together(&[collection]);
                let image = u64::from(layout.area_blocks) * pages;
                // A shutdown programs what is in RAM alone, which the collection under way holds, and ends it; then it writes the
                // image.
                let written =
                    Cost { programs: image, erases: layout.area_blocks.into(), ..Cost::default() };
                bounds.shutdown = together(&[collection, written]);
                // The second half of a mount: all obsolete blocks of the queue are erased, and a collection runs.
                let queue = Cost {
                    erases: 2 * u64::from(layout.queue_blocks + layout.area_blocks) + 2,
                    ..Cost::default()
                };
                // Maps that a later task made out of date are looked at before.
                let looked = Cost { reads: image, spare_reads: 1, ..Cost::default() };
                let scan = Cost { spare_reads: 4 * all + 2 * u64::from(blocks), ..Cost::default() };
                bounds.mount = together(&[format, looked, scan, collection, queue]);
                // The image's blocks are those that are looked at first.
                bounds.clean_mount = together(&[Cost {
                    reads: image,
                    spare_reads: 1 + u64::from(layout.area_blocks),
                    programs: 1,
                    ..Cost::default()
                }]);
            }
            _ => {
                let copied = match &plan.layout {
                    Layout::PageMapped(ftl::CollectionKind::Partial(_, copies)) => {
                        u64::from(copies.near.max(copies.far)).min(victim)
                    }
                    _ => victim,
                };
                let write = Cost { programs: 1, copies: copied, erases: 1, ..Cost::default() };
                bounds.write = within(write, guarantee.response_ns);
                bounds.mount = together(&[format, scan, recovery]);
            }
        }
        if bounds.clean_mount == Cost::default() {
            bounds.clean_mount = bounds.mount;
        }
        if refreshes {
            let mut rewritten = bounds.read;
            rewritten.add(&bounds.write);
            bounds.idle_step.cover(&rewritten);
        }
        if !copies {
            for cost in [
                &mut bounds.read,
                &mut bounds.write,
                &mut bounds.trim,
                &mut bounds.sync,
                &mut bounds.idle_step,
                &mut bounds.shutdown,
                &mut bounds.mount,
                &mut bounds.clean_mount,
            ] {
                *cost = cost.without_copies();
            }
        }
        bounds
    }
}
