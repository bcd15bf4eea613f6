//! What a run on several channels reports besides what every run does, and what the choice of victims cost.

use ftl::{Accesses, Processor, VictimWork};
use serde::Serialize;

/// An SSD of several channels in the measured part.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SsdReport {
    /// Requests outstanding at once, at most.
    pub queue_depth: u32,
    /// Page reads and page programs, whatever their cause; a copy is one of each.
    pub page_commands: u64,
    /// The same a second of device time.
    pub page_commands_per_second: f64,
    /// Length of a window in which they are counted, ns.
    pub window_ns: u64,
    /// Whole windows of the measured part.
    pub windows: u64,
    /// Page commands a second in the whole window with fewest of them; 0 where no window is whole.
    pub window_least_per_second: f64,
    /// The same in that with most.
    pub window_most_per_second: f64,
    /// Page tasks of the host a second.
    pub host_pages_per_second: f64,
    /// Longest time without the end of any request while some were outstanding, ns.
    pub longest_stall_ns: u64,
    /// Longest time that a collection kept the controller, ns.
    pub longest_collection_ns: u64,
    /// How often a read of the host suspended an erase.
    pub suspended_erases: u64,
    /// The same of programs.
    pub suspended_programs: u64,
    /// By how much the ends of these were put off in all, ns.
    pub suspension_ns: u64,
    /// Share of the time that a channel's bus was in use, mean over the channels.
    pub channel_use: f64,
    /// Share of the time that a die was busy, mean over the dies.
    pub die_use: f64,
    /// Share of the time that the link to the host was in use; `null` without one.
    pub link_use: Option<f64>,
    /// Time that the processor worked on choosing victims, ns.
    pub processor_ns: u64,
    /// The same as a share of the time.
    pub processor_share: f64,
    /// Longest time that it worked in one go, ns.
    pub longest_processor_ns: u64,
}

/// One window of a run on several channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowSample {
    /// When it began, ns since the start of the measured part.
    pub start_ns: u64,
    /// Page reads and page programs in it; a copy is one of each.
    pub page_commands: u64,
    /// Page tasks of the host that ended in it.
    pub host_pages: u64,
    /// Fewest free pages in it.
    pub least_free_pages: u64,
}

/// Entries of tables that were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
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

/// What choosing victims cost the controller in the measured part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct VictimWorkReport {
    /// Entries when a page became invalid.
    pub invalidated: EntryCount,
    /// Entries when a block became full.
    pub filled: EntryCount,
    /// Entries when victims were chosen.
    pub chosen: EntryCount,
    /// All of them.
    pub entries: u64,
    /// The same a victim; `null` without victims.
    pub entries_per_victim: Option<f64>,
    /// Processor time that they took, ns; `null` where the work takes no time.
    pub processor_ns: Option<u64>,
    /// The same a victim, ns.
    pub processor_ns_per_victim: Option<f64>,
}

impl VictimWorkReport {
    /// This much work for so many victims, in no time.
    pub fn new(work: &VictimWork, victims: u64) -> Self {
        let entries = work.total();
        Self {
            invalidated: work.invalidated.into(),
            filled: work.filled.into(),
            chosen: work.chosen.into(),
            entries,
            entries_per_victim: a_victim(entries, victims),
            ..Self::default()
        }
    }

    /// Has `processor` do it.
    pub fn charge(&mut self, processor: &Processor, victims: u64) {
        let accesses = |count: EntryCount| Accesses::new(count.reads, count.writes);
        let ns = processor.time_ns(&VictimWork {
            invalidated: accesses(self.invalidated),
            filled: accesses(self.filled),
            chosen: accesses(self.chosen),
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
    fn work_is_told_per_victim_and_in_time() {
        let work = VictimWork {
            invalidated: Accesses::new(5, 0),
            filled: Accesses::new(0, 10),
            chosen: Accesses::new(30, 15),
        };
        let mut report = VictimWorkReport::new(&work, 4);
        assert_eq!((report.entries, report.entries_per_victim), (60, Some(15.0)));
        assert_eq!((report.processor_ns, report.processor_ns_per_victim), (None, None));
        report.charge(&Processor::ARM7, 4);
        // 35 reads of 10 cycles and 25 writes of 4, of 11.43 ns each.
        assert_eq!(report.processor_ns, Some(5143));
        assert_eq!(report.processor_ns_per_victim, Some(5143.0 / 4.0));
        assert_eq!(VictimWorkReport::new(&work, 0).entries_per_victim, None);
    }
}
