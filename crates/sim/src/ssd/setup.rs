//! Settings of an SSD besides its array.

use super::cores::CoreSettings;
use super::interface::HostInterface;
use flash::channels::{Policy, Precedence, Timing, Topology};

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
    /// Outstanding requests: the constant number without arrival times, otherwise the maximum.
    pub queue_depth: u32,
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

impl SsdSetup {
    /// Default number of host operations that may pass one collection operation on its die.
    pub const HOST_FIRST: u32 = 16;
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
