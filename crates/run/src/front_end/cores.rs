//! The controller's cores and the work of the firmware on them.
//!
//! ```text
//! a call of the scheme (a page task, or work of its own) is work of one core, in cycles:
//!   victims: entries that its policy reads and writes
//!   lookup:  one entry read per page task, and one written per trim
//!   map:     one entry read and one written per page programmed for the host
//!   moves:   the same per page programmed for any other cause: collection, merges, wear levelling, translation
//!   command: a constant per request
//! shared: a task waits for the first free core
//! pinned: channel c belongs to core c mod N, which does the work of the tasks that begin on it, one after the other
//! ```
//!
//! The array's operations arrive when the core has done the work. The scheme's tables change in the order of the
//! tasks, whichever core does the work: locks and caches are not modelled.

use flash::{Cause, Counts, Ns, Operation};
use ftl::{PageTask, Processor, TaskKind, VictimWork};

/// The controller's cores, all alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreSettings {
    /// Number of cores, 1 or more.
    pub count: u32,
    /// Core that does the work of a task.
    pub sharing: CoreSharing,
    /// Work that takes time.
    pub work: CpuWork,
    /// Cycles per request, besides those of table entries.
    pub command_cycles: u32,
}

impl CoreSettings {
    /// One core, which only selects victims.
    pub const ONE: Self =
        Self { count: 1, sharing: CoreSharing::Shared, work: CpuWork::Victims, command_cycles: 0 };
}

/// Core that does the work of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoreSharing {
    /// The first that is free.
    #[default]
    Shared,
    /// That of the channel on which the task begins.
    Pinned,
}

impl CoreSharing {
    /// All values.
    pub const ALL: [Self; 2] = [Self::Shared, Self::Pinned];

    /// Name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Pinned => "pinned",
        }
    }
}

/// Firmware work that takes processor time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CpuWork {
    /// Lookups, map updates, moved pages, victim selection and commands.
    #[default]
    All,
    /// Victim selection alone, as in the 2LGC paper.
    Victims,
}

impl CpuWork {
    /// All values.
    pub const ALL: [Self; 2] = [Self::All, Self::Victims];

    /// Name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Victims => "victims",
        }
    }
}

/// Cycles by kind of work.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cycles {
    pub(crate) victims: u128,
    /// Lookups and map updates of host tasks.
    pub(crate) map: u128,
    pub(crate) moves: u128,
    pub(crate) commands: u128,
}

/// The work of a call, as far as it is known before the call.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    lookups: u64,
    trims: u64,
    requests: u64,
}

impl Asked {
    /// The work of a page task; the last one of a request carries the request's own.
    pub(crate) fn of(task: &PageTask) -> Self {
        let page = task.asks.kind().is_some();
        let trims = task.asks.kind() == Some(TaskKind::Trim);
        Self { lookups: page.into(), trims: trims.into(), requests: task.last.into() }
    }
}

/// Pages programmed so far: for the host, and for all other causes.
#[derive(Clone, Copy, Debug, Default)]
struct Programmed {
    host: u64,
    others: u64,
}

impl Programmed {
    fn of(counts: &Counts) -> Self {
        let all = counts.total(Operation::Program) + counts.total(Operation::Copy);
        let host = counts.pages_programmed(Cause::Host);
        Self { host, others: all - host }
    }
}

/// When the work of a call was done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Worked {
    /// From the call to the end of its work; its operations arrive then.
    pub(crate) delay_ns: Ns,
    /// From the call to the end of the processor's work.
    pub(crate) processed_ns: Ns,
}

/// The cores and their work so far.
#[derive(Debug)]
pub(crate) struct Cores {
    processor: Option<Processor>,
    settings: CoreSettings,
    /// End of each core's work.
    free_ns: Vec<Ns>,
    busy_ns: Vec<Ns>,
    /// Time from which a core takes the next task.
    next_ns: Ns,
    programmed: Programmed,
    /// Cycles since the scheme was made, and time that they took.
    victims: u128,
    charged: u128,
    charged_ns: Ns,
    pub(crate) cycles: Cycles,
    pub(crate) longest_ns: Ns,
}

impl Cores {
    /// Idle cores; `work` and `counts` are of the time before.
    pub(crate) fn new(
        processor: Option<Processor>,
        settings: CoreSettings,
        work: Option<VictimWork>,
        counts: &Counts,
    ) -> Self {
        let victims = processor.zip(work).map_or(0, |(processor, work)| processor.cycles(&work));
        let cores = settings.count.max(1) as usize;
        Self {
            processor,
            settings,
            free_ns: vec![0; cores],
            busy_ns: vec![0; cores],
            next_ns: 0,
            programmed: Programmed::of(counts),
            victims,
            charged: victims,
            charged_ns: processor.map_or(0, |processor| processor.cycles_ns(victims)),
            cycles: Cycles::default(),
            longest_ns: 0,
        }
    }

    /// True if the processor's work takes time.
    #[inline]
    pub(crate) fn is_slow(&self) -> bool {
        self.processor.is_some()
    }

    /// True if the core of a task depends on where the task begins.
    #[inline]
    pub(crate) fn is_pinned(&self) -> bool {
        self.settings.sharing == CoreSharing::Pinned && self.free_ns.len() > 1
    }

    /// Time from which the next task is taken.
    #[inline]
    pub(crate) fn next_ns(&self) -> Ns {
        self.next_ns
    }

    /// Processor time of the work of a call since the last one, ns.
    pub(crate) fn time_ns(
        &mut self,
        asked: Asked,
        work: Option<VictimWork>,
        counts: &Counts,
    ) -> Ns {
        let Some(processor) = &self.processor else { return 0 };
        let victims = work.map_or(self.victims, |work| processor.cycles(&work));
        let chosen = victims - self.victims;
        self.victims = victims;
        self.cycles.victims += chosen;
        let mut cycles = chosen;
        if self.settings.work == CpuWork::All {
            let programmed = Programmed::of(counts);
            let host = programmed.host - self.programmed.host;
            let others = programmed.others - self.programmed.others;
            self.programmed = programmed;
            let (read, write) =
                (u128::from(processor.read_cycles), u128::from(processor.write_cycles));
            let map =
                u128::from(asked.lookups + host) * read + u128::from(asked.trims + host) * write;
            let moves = u128::from(others) * (read + write);
            let commands = u128::from(asked.requests) * u128::from(self.settings.command_cycles);
            self.cycles.map += map;
            self.cycles.moves += moves;
            self.cycles.commands += commands;
            cycles += map + moves + commands;
        }
        self.charged += cycles;
        let all_ns = processor.cycles_ns(self.charged);
        let took_ns = all_ns - self.charged_ns;
        self.charged_ns = all_ns;
        took_ns
    }

    /// Does work of this time on a core; `channel`: where the task begins.
    #[inline]
    pub(crate) fn work(
        &mut self,
        now_ns: Ns,
        ram_ns: Ns,
        processor_ns: Ns,
        channel: usize,
    ) -> Worked {
        let took_ns = ram_ns.saturating_add(processor_ns);
        match &self.free_ns[..] {
            [free_ns] if took_ns == 0 && *free_ns <= now_ns => {
                Worked { delay_ns: 0, processed_ns: 0 }
            }
            _ => self.spend(now_ns, took_ns, processor_ns, channel),
        }
    }

    /// As [`Cores::work`], for work that takes time, of which `processor_ns` on the processor, or that may wait.
    #[inline(never)]
    fn spend(&mut self, now_ns: Ns, took_ns: Ns, processor_ns: Ns, channel: usize) -> Worked {
        let pinned = self.is_pinned();
        let core = match (pinned, self.free_ns.len()) {
            (_, 1) => 0,
            (true, cores) => channel % cores,
            (false, _) => first_free(&self.free_ns),
        };
        let start_ns = self.free_ns[core].max(now_ns);
        let end_ns = start_ns.saturating_add(took_ns);
        self.free_ns[core] = end_ns;
        self.busy_ns[core] = self.busy_ns[core].saturating_add(processor_ns);
        self.longest_ns = self.longest_ns.max(processor_ns);
        // Pinned cores keep queues of their own: the next task may be another core's.
        self.next_ns = if pinned { 0 } else { self.free_ns[first_free(&self.free_ns)] };
        let waited_ns = start_ns - now_ns;
        Worked { delay_ns: end_ns - now_ns, processed_ns: waited_ns.saturating_add(processor_ns) }
    }

    /// Time of these cycles, ns.
    pub(crate) fn cycles_ns(&self, cycles: u128) -> Ns {
        self.processor.as_ref().map_or(0, |processor| processor.cycles_ns(cycles))
    }

    /// End of the last work of a core.
    pub(crate) fn end_ns(&self) -> Ns {
        self.free_ns.iter().copied().max().unwrap_or(0)
    }

    /// Sum of the cores' time, ns.
    pub(crate) fn total_ns(&self) -> Ns {
        self.busy_ns.iter().fold(0, |sum: Ns, ns| sum.saturating_add(*ns))
    }

    /// Time of the busiest core, ns.
    pub(crate) fn busiest_ns(&self) -> Ns {
        self.busy_ns.iter().copied().max().unwrap_or(0)
    }

    /// Number of cores.
    pub(crate) fn count(&self) -> u32 {
        self.settings.count.max(1)
    }
}

/// Index of the core that is free first.
fn first_free(free_ns: &[Ns]) -> usize {
    let ends = free_ns.iter().enumerate();
    ends.min_by_key(|(at, end_ns)| (**end_ns, *at)).map_or(0, |(at, _)| at)
}
