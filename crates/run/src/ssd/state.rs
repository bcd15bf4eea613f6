//! State of an SSD under a workload: host, controller and array.

use super::jobs::Jobs;
use super::link::Link;
use super::queue::Queue;
use super::windows::{Totals, Windows};
use crate::account::Account;
use crate::front_end::{Cores, SsdSetup};
use crate::measures::Arrivals;
use crate::promise::Location;
use crate::tasks::Cutter;
use flash::{Flash, Ns, ParallelArray};
use ftl::{AnyScheme, PageTask, Processor, Refusal, TaskKind};
use std::collections::VecDeque;

/// No event pending.
pub(super) const NEVER: Ns = Ns::MAX;

/// Statistics of the host's and the controller's time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HostStats {
    pub(super) longest_stall_ns: Ns,
    pub(super) longest_collection_ns: Ns,
}

/// The array of a scheme on an SSD.
#[inline]
pub fn array(scheme: &AnyScheme) -> &ParallelArray {
    scheme.flash().parallel().expect("an SSD's array is on channels")
}

/// Same, mutable.
#[inline]
pub(crate) fn array_mut(scheme: &mut AnyScheme) -> &mut ParallelArray {
    scheme.flash_mut().parallel_mut().expect("an SSD's array is on channels")
}

/// An outstanding request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outstanding {
    pub(super) arrival_ns: Ns,
    /// Time at which the controller took it.
    pub(super) taken_ns: Ns,
    /// Page tasks not yet done; not counted of a `whole` one.
    pub(super) left: u32,
    /// Wait of its first page task for earlier work, if one is outstanding at a time; [`NEVER`] before it.
    pub(super) waited_ns: Ns,
    /// Bytes that cross the link after the last task.
    pub(super) bytes_out: u64,
    /// What it does, if it reads or writes.
    pub(super) kind: Option<TaskKind>,
    /// Its length.
    pub(super) bytes: u64,
    /// True if it has one page task, which ends with it and begins when it arrives: their times are equal.
    pub(super) whole: bool,
    /// Why it was refused, if a page task of it was.
    pub(super) refused: Option<Refusal>,
}

/// Pace of refreshes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RefreshPace {
    /// Page tasks so far.
    pub(super) tasks: u64,
    /// True after a block could not be moved, until the next task.
    pub(super) waits: bool,
}

/// Calls of the scheme for background work that had the array do nothing, one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VainCalls {
    /// Those at one time, and that time.
    pub(super) calls: u32,
    pub(super) at_ns: Ns,
}

/// The only page task on the device (queue depth 1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Alone {
    pub(super) kind: TaskKind,
    pub(super) place: Location,
    /// Start.
    pub(super) begun_ns: Ns,
    /// Time from then on that the processor took, which no bound covers.
    pub(super) processed_ns: Ns,
    /// Wait for the operations of the task before it; `None` if there were others that no bound covers.
    pub(super) waited_ns: Option<Ns>,
    /// True for a forced write that bounds exclude.
    pub(super) forced_apart: bool,
    /// Service time and end − arrival, once the task is done.
    pub(super) done: Option<(Ns, Ns)>,
}

/// An SSD under a workload.
pub struct SsdDevice<'a> {
    pub(super) scheme: Box<AnyScheme>,
    /// True if tasks may run between the operations of a collection.
    pub(super) yields: bool,
    /// True if nothing but the array and the controller takes time: no link, no jobs, no refresh, several requests at once.
    pub(super) is_plain: bool,
    pub(super) setup: &'a SsdSetup,
    /// The controller's cores.
    pub(super) cores: Cores,
    /// True if requests have arrival times; otherwise one arrives whenever there is room.
    pub(super) timed: bool,
    pub(super) now_ns: Ns,
    pub(super) cutter: Cutter,
    pub(super) works: Vec<PageTask>,
    pub(super) queue: Queue,
    pub(super) requests: Vec<Outstanding>,
    pub(super) free_requests: Vec<u32>,
    pub(super) outstanding: u32,
    /// Jobs with submission queues, if there are any; then requests come from them alone.
    pub(super) jobs: Option<Box<Jobs>>,
    pub(super) link: Link,
    /// Reads whose data cross the link, ordered by the end of the transfer.
    pub(super) outward: VecDeque<(Ns, u32)>,
    /// Start of the collection that occupies the controller.
    pub(super) collecting_since_ns: Option<Ns>,
    /// Last end of a request, or the time at which the queue became non-empty.
    pub(super) quiet_since_ns: Ns,
    pub(super) alone: Option<Alone>,
    /// End of the last such task, as its host sees it.
    pub(super) last_end_ns: Ns,
    /// True if other work, which no bound covers, came after the last such task began: for no task, a flush, a forced write.
    pub(super) other_work: bool,
    /// The last calls for background work.
    pub(super) vain: VainCalls,
    /// The scheme's next background work, and its free pages. They change only with a call of the scheme.
    pub(super) due_ns: Ns,
    pub(super) free_pages: u64,
    /// Pace of refreshes, if they are on.
    pub(super) refresh: Option<RefreshPace>,
    pub(super) windows: Windows,
    pub(super) totals: Totals,
    pub(super) seen: HostStats,
    pub(super) account: Account,
}

impl<'a> SsdDevice<'a> {
    /// Starts the measurement of `scheme` in its current state.
    pub fn new(
        mut scheme: Box<AnyScheme>,
        setup: &'a SsdSetup,
        processor: Option<Processor>,
        timed: bool,
    ) -> Self {
        let account = Account::open(&mut *scheme, Arrivals::Timed);
        let yields = setup.yields(scheme.telemetry().yields);
        setup.start(&mut **array_mut(&mut *scheme), yields);
        let page_bytes = scheme.flash().geometry().page_bytes();
        let work = processor.and_then(|_| scheme.telemetry().victim_work);
        let cores = Cores::new(processor, setup.cores, work, array(&*scheme).counts());
        Self {
            cores,
            timed,
            now_ns: 0,
            cutter: Cutter::new(page_bytes).with_zones(scheme.zones()),
            works: Vec::new(),
            queue: Queue::default(),
            requests: Vec::new(),
            free_requests: Vec::new(),
            outstanding: 0,
            jobs: None,
            link: Link::new(setup.interface),
            outward: VecDeque::new(),
            collecting_since_ns: None,
            quiet_since_ns: 0,
            alone: None,
            last_end_ns: 0,
            other_work: true,
            vain: VainCalls::default(),
            due_ns: scheme.due_ns(),
            free_pages: scheme.free_pages(),
            refresh: None,
            windows: Windows::new(setup.window_ns),
            totals: Totals::default(),
            seen: HostStats::default(),
            account,
            is_plain: setup.queue_depth > 1 && setup.interface.is_none() && setup.host.is_none(),
            yields,
            scheme,
            setup,
        }
    }

    /// The scheme.
    pub fn scheme(&self) -> &AnyScheme {
        &*self.scheme
    }

    /// True if every page task begins after everything before it has ended.
    pub(super) fn is_alone(&self) -> bool {
        self.setup.queue_depth == 1
    }

    /// Whether pages written in part are not read.
    pub(crate) fn free_partial_pages(&mut self, free: bool) {
        self.cutter = Cutter::new(self.scheme.flash().geometry().page_bytes())
            .with_free_partial_pages(free)
            .with_zones(self.scheme.zones());
    }
}
