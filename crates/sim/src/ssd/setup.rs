//! What an SSD is besides its array.

use super::interface::HostInterface;
use flash::channels::{Policy, Timing, Topology};

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
    /// Length of the windows in which page commands are counted, ns.
    pub window_ns: u64,
}
