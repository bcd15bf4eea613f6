//! What an SSD is besides its array.

use super::interface::HostInterface;
use flash::channels::{Policy, Precedence, Timing, Topology};

/// An SSD: its channels, and how the host uses it. The allocation of writes and the processor are the scheme's
/// ([`ftl::SchemeConfig`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SsdSetup {
    /// Channels, ways, dies, planes and their sizes.
    pub topology: Topology,
    /// Times of buses and cells.
    pub timing: Timing,
    /// The way arbiter of each channel.
    pub policy: Policy,
    /// Whether the planes of a die work as one: a page of the array is a page of each.
    pub ganged: bool,
    /// Requests that the host keeps outstanding (where it does not say when they arrive), or has outstanding at most.
    pub queue_depth: u32,
    /// The link to the host; none: data are there at once.
    pub interface: Option<HostInterface>,
    /// Whether collection keeps the controller, or only the dies that it works on.
    pub collection: CollectionPlace,
    /// What goes before what on a die.
    pub precedence: Precedence,
    /// Length of the windows in which page commands are counted, ns.
    pub window_ns: u64,
}

impl SsdSetup {
    /// Operations of the host that go before one of collection on its die, where nothing else is asked for.
    pub const HOST_FIRST: u32 = 16;
}

/// What collection keeps the host from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CollectionPlace {
    /// The dies that it works on; tasks go on everywhere else.
    #[default]
    PerDie,
    /// All: while one victim is collected nothing else is begun, unless the scheme lets tasks come in between
    /// ([`ftl::Telemetry::yields`]). A controller with one thread, as that of Jung and Song's 2LGC.
    Exclusive,
}

impl CollectionPlace {
    /// Every one.
    pub const ALL: [Self; 2] = [Self::PerDie, Self::Exclusive];

    /// How options and reports name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::PerDie => "per-die",
            Self::Exclusive => "exclusive",
        }
    }
}
