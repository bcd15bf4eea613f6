//! Further results of a run on several channels, and the work of victim selection.

use flash::channels::PlaneCounts;
use ftl::{Accesses, Processor, VictimWork};
use serde::Serialize;

/// Results of an SSD with several channels in the measured part.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SsdReport {
    /// Most outstanding requests.
    pub queue_depth: u32,
    /// Bound of a page task's completion with one outstanding, ns: that of its response, and a step before it. The next task
    /// may come while the step of the one before is under way. Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_bound_ns: Option<u64>,
    /// The longest time that was compared with it, ns: the wait for the task before, and the service; without the processor
    /// and the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounded_completion_ns: Option<u64>,
    /// Page reads and page programs of all causes, also those that end after the last request, as `counts` has them; a
    /// copy is one of each.
    pub page_commands: u64,
    /// Page commands per second of device time.
    pub page_commands_per_second: f64,
    /// Length of a window in which they are counted, ns.
    pub window_ns: u64,
    /// Whole windows of the measured part.
    pub windows: u64,
    /// Page commands per second in the whole window with the fewest; 0 without a whole window.
    pub window_least_per_second: f64,
    /// Page commands per second in the whole window with the most.
    pub window_most_per_second: f64,
    /// Page reads and writes of the host per second.
    pub host_pages_per_second: f64,
    /// Longest time without a completion while requests were outstanding, ns.
    pub longest_stall_ns: u64,
    /// Longest time that a collection occupied the controller, ns.
    pub longest_collection_ns: u64,
    /// Suspensions of erases by host reads.
    pub suspended_erases: u64,
    /// Suspensions of programs by host reads.
    pub suspended_programs: u64,
    /// Total delay of the suspended operations' ends, ns.
    pub suspension_ns: u64,
    /// Operations of dies that may take several planes; `null` if the planes work together or one at a time.
    pub planes: Option<PlaneReport>,
    /// Share of time that a channel's bus was busy, mean over the channels.
    pub channel_use: f64,
    /// Share of time that a die was busy, mean over the dies.
    pub die_use: f64,
    /// Share of time that the link to the host was busy; `null` without a link.
    pub link_use: Option<f64>,
    /// Cores of the controller.
    pub cores: u32,
    /// Processor time, sum of the cores, ns.
    pub processor_ns: u64,
    /// Share of the duration that a core was busy, mean over the cores.
    pub processor_share: f64,
    /// Share of the duration that the busiest core was busy.
    pub busiest_core_share: f64,
    /// Processor time for lookups and for updates of the map by host tasks, ns.
    pub map_ns: u64,
    /// Processor time for pages programmed for other causes than the host: collection, merges, wear levelling, ns.
    pub moves_ns: u64,
    /// Processor time for victim selection, ns.
    pub victims_ns: u64,
    /// Processor time for requests, besides their table entries, ns.
    pub commands_ns: u64,
    /// Longest uninterrupted processor time, ns.
    pub longest_processor_ns: u64,
}

impl SsdReport {
    /// The resource with the largest share of time in use, and that share: of the busiest core, of the link, or the mean
    /// of the dies or channels.
    pub fn busiest(&self) -> (&'static str, f64) {
        let shares = [
            ("dies", self.die_use),
            ("channels", self.channel_use),
            ("link", self.link_use.unwrap_or(0.0)),
            ("processor", self.busiest_core_share),
        ];
        shares.into_iter().fold(shares[0], |most, one| if one.1 > most.1 { one } else { most })
    }
}

/// One window of a run on several channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowSample {
    /// Start, ns since the start of the measured part.
    pub start_ns: u64,
    /// Page reads and page programs in it; a copy is one of each.
    pub page_commands: u64,
    /// Page reads and writes of the host that ended in it.
    pub host_pages: u64,
    /// Of these, pages written.
    pub host_written: u64,
    /// Fewest free pages in it.
    pub least_free_pages: u64,
}

/// Operations of dies whose planes have writes of their own, and the pages and blocks that they concern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PlaneReport {
    /// Reads, also of the spare area alone.
    pub reads: u64,
    /// Pages that they read.
    pub pages_read: u64,
    /// Programs.
    pub programs: u64,
    /// Pages that they program.
    pub pages_programmed: u64,
    /// Erases.
    pub erases: u64,
    /// Blocks that they erase.
    pub blocks_erased: u64,
}

impl From<&PlaneCounts> for PlaneReport {
    fn from(counts: &PlaneCounts) -> Self {
        let PlaneCounts { reads, programs, erases } = counts;
        Self {
            reads: reads.operations,
            pages_read: reads.pages,
            programs: programs.operations,
            pages_programmed: programs.pages,
            erases: erases.operations,
            blocks_erased: erases.pages,
        }
    }
}

/// Number of table entries accessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EntryCount {
    /// Entries read.
    pub reads: u64,
    /// Entries written.
    pub writes: u64,
}

impl From<Accesses> for EntryCount {
    fn from(Accesses { reads, writes }: Accesses) -> Self {
        Self { reads, writes }
    }
}

/// Controller work for victim selection in the measured part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct VictimWorkReport {
    /// Entries accessed when pages became invalid.
    pub invalidated: EntryCount,
    /// Entries accessed when blocks became full.
    pub filled: EntryCount,
    /// Entries accessed when victims were selected.
    pub chosen: EntryCount,
    /// Entries accessed by the placement policy.
    pub placed: EntryCount,
    /// Sum of the above.
    pub entries: u64,
    /// Entries per victim; `null` without victims.
    pub entries_per_victim: Option<f64>,
    /// Processor time for them, ns; `null` if the work takes no time.
    pub processor_ns: Option<u64>,
    /// Processor time per victim, ns.
    pub processor_ns_per_victim: Option<f64>,
}

impl VictimWorkReport {
    /// Report of this work for `victims` victims, without processor time.
    pub fn new(work: &VictimWork, victims: u64) -> Self {
        let entries = work.total();
        Self {
            invalidated: work.invalidated.into(),
            filled: work.filled.into(),
            chosen: work.chosen.into(),
            placed: work.placed.into(),
            entries,
            entries_per_victim: a_victim(entries, victims),
            ..Self::default()
        }
    }

    /// Adds the time that `processor` needs for the work.
    pub fn charge(&mut self, processor: &Processor, victims: u64) {
        let accesses = |count: EntryCount| Accesses::new(count.reads, count.writes);
        let ns = processor.time_ns(&VictimWork {
            invalidated: accesses(self.invalidated),
            filled: accesses(self.filled),
            chosen: accesses(self.chosen),
            placed: accesses(self.placed),
        });
        self.processor_ns = Some(ns);
        self.processor_ns_per_victim = a_victim(ns, victims);
    }
}

fn a_victim(of: u64, victims: u64) -> Option<f64> {
    (victims > 0).then(|| of as f64 / victims as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_resource_is_named() {
        let idle = SsdReport { die_use: 0.4, channel_use: 0.3, ..SsdReport::default() };
        assert_eq!(idle.busiest(), ("dies", 0.4));
        let linked = SsdReport { link_use: Some(0.9), ..idle.clone() };
        assert_eq!(linked.busiest(), ("link", 0.9));
        assert_eq!(SsdReport { channel_use: 0.5, ..idle.clone() }.busiest(), ("channels", 0.5));
        assert_eq!(SsdReport { busiest_core_share: 0.95, ..linked }.busiest(), ("processor", 0.95));
    }

    #[test]
    fn work_is_told_per_victim_and_in_time() {
        let work = VictimWork {
            invalidated: Accesses::new(5, 0),
            filled: Accesses::new(0, 10),
            chosen: Accesses::new(30, 15),
            placed: Accesses::new(11, 9),
        };
        let mut report = VictimWorkReport::new(&work, 4);
        assert_eq!((report.entries, report.entries_per_victim), (80, Some(20.0)));
        assert_eq!((report.processor_ns, report.processor_ns_per_victim), (None, None));
        report.charge(&Processor::ARM7, 4);
        // 46 reads of 10 cycles and 34 writes of 4 cycles, at 11.43 ns per cycle.
        assert_eq!(report.processor_ns, Some(6812));
        assert_eq!(report.processor_ns_per_victim, Some(6812.0 / 4.0));
        assert_eq!(VictimWorkReport::new(&work, 0).entries_per_victim, None);
    }
}
