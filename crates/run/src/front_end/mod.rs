//! The front end of an SSD: its link to the host, its submission queues, the cores of its controller; and the settings of an
//! SSD besides its array.

mod arbitration;
mod cores;
mod host_interface;

pub(crate) use arbitration::Arbiter;
pub use arbitration::{Arbitration, MOST_QUEUES, Mechanism, NO_LIMIT};
pub(crate) use cores::{Asked, Cores, Worked};
pub use cores::{CoreSettings, CoreSharing, CpuWork};
pub(crate) use host_interface::Crossing;
pub use host_interface::{HostInterface, LinkTimes, Packets};

use flash::Probe;
use flash::channels::{GrantObserver, MultiPlane, Policy, Precedence, Timing, Topology};
use flash::parallel::{Parallel, Stripes};
use workload::QueueClass;

/// Channels of an SSD and their use by the host. The allocation of writes and the processor belong to the scheme
/// ([`ftl::SchemeConfig`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SsdSetup {
    /// Channels, ways, dies, planes and their sizes.
    pub topology: Topology,
    /// Times of buses and cells.
    pub timing: Timing,
    /// The way arbiter of each channel.
    pub policy: Policy,
    /// True if the planes of a die operate together: a page of the array is one page of each plane.
    pub ganged: bool,
    /// How blocks of the array are blocks of the channels: as reclaim units in reclaim groups, else one to one.
    pub stripes: Stripes,
    /// How operations on different planes of a die run as one; `None`: each as the scheme issued it.
    pub multi_plane: Option<MultiPlane>,
    /// Outstanding requests: the constant number without arrival times, otherwise the maximum. With several submission
    /// queues: requests that the controller may have fetched.
    pub queue_depth: u32,
    /// Jobs and their submission queues; `None`: one queue, whose requests the controller takes as they come.
    pub host: Option<HostQueues>,
    /// The link to the host; `None`: transfers take no time.
    pub interface: Option<HostInterface>,
    /// Scope in which collection blocks the host: the controller, or only the dies in use.
    pub collection: CollectionPlace,
    /// The controller's cores. Their clock and cycles belong to the scheme ([`ftl::SchemeConfig::processor`]).
    pub cores: CoreSettings,
    /// Precedence of operations on a die.
    pub precedence: Precedence,
    /// Length of the windows in which page commands are counted, ns.
    pub window_ns: u64,
}

/// Submission queues of the host, and how the controller fetches from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostQueues {
    /// Choice among queues with requests.
    pub arbitration: Arbitration,
    /// Requests that the controller has fetched and not completed, at most; `None`: no limit.
    pub command_slots: Option<u32>,
    /// True if no job goes on once one has submitted its last request.
    pub exitall: bool,
    /// The jobs, in the order of the workload.
    pub jobs: Vec<JobQueues>,
}

/// Submission queues of one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobQueues {
    /// Name in reports.
    pub name: String,
    /// Priority class of its queues.
    pub class: QueueClass,
    /// Number of queues, at least 1.
    pub queues: u32,
    /// Most requests in each, at least 1.
    pub depth: u32,
}

impl HostQueues {
    /// Requests that the controller may have fetched.
    pub fn most_fetched(&self) -> u32 {
        let all = self.jobs.iter().map(|job| job.queues.saturating_mul(job.depth));
        let all = all.fold(0, u32::saturating_add);
        self.command_slots.map_or(all, |slots| slots.min(all))
    }
}

impl SsdSetup {
    /// Default number of host operations that may pass one collection operation on its die.
    pub const HOST_FIRST: u32 = 16;

    /// True if page tasks may begin during a collection; `scheme_yields`: the scheme lets them.
    pub fn yields(&self, scheme_yields: bool) -> bool {
        self.collection == CollectionPlace::PerDie || scheme_yields
    }

    /// Starts the clocks of an idle array on channels, with this precedence and these planes.
    pub fn start<F: Probe, W: GrantObserver>(&self, array: &mut Parallel<F, W>, yields: bool) {
        array.set_timed(true);
        array.set_yields(yields);
        array.set_precedence(self.precedence);
        array.set_multi_plane(self.multi_plane);
    }

    /// Dies, or planes that operate on their own.
    pub(super) fn units(&self) -> u32 {
        let Topology { channels, ways, dies, planes, .. } = self.topology;
        let planes = if self.ganged { 1 } else { planes };
        [channels, ways, dies, planes].into_iter().map(u32::from).product()
    }
}

/// Scope in which collection blocks the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CollectionPlace {
    /// Only the dies in use by collection; tasks continue on all others.
    #[default]
    PerDie,
    /// The whole device: no task begins during the collection of a victim, unless the scheme lets tasks run in between
    /// ([`ftl::Telemetry::yields`]). Models a controller with one thread, as that of Jung and Song's 2LGC.
    Exclusive,
}

impl CollectionPlace {
    /// All values.
    pub const ALL: [Self; 2] = [Self::PerDie, Self::Exclusive];

    /// Name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::PerDie => "per-die",
            Self::Exclusive => "exclusive",
        }
    }
}
