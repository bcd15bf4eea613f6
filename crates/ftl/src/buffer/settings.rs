//! Settings of a write buffer, and its plan for one array.

use crate::buffer::policy::{BufferPolicy, BufferUnit, Regions};
use crate::dirty_pages::Probability;
use flash::Ns;

/// Clock by which dirty data ages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AgeClock {
    /// The device's: a device that falls behind the requests ages its data meanwhile.
    #[default]
    Device,
    /// The arrival times of requests: what was due before a request arrived is written before it is served, however
    /// far the device is behind. If requests have no arrival times, the device's.
    Arrival,
}

/// When units without a dirty page leave a full buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CleanUnits {
    /// In the policy's order.
    #[default]
    InOrder,
    /// Before all others, the longest clean first.
    First,
}

/// Settings of a buffer; `None` stands for the preset's value, or else the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferSettings {
    /// Policy. `Some(None)` for no buffer, even if the preset has one.
    pub policy: Option<Option<&'static BufferPolicy>>,
    /// Capacity in bytes of user data; default: 16 MiB, or less on small arrays.
    pub bytes: Option<u64>,
    /// Unit of eviction; default: the policy's.
    pub unit: Option<BufferUnit>,
    /// Longest time that a page may stay dirty, ns; 0 for no limit. Default: 30 s.
    pub age_ns: Option<Ns>,
    /// Clock of that time; default: the device's.
    pub clock: Option<AgeClock>,
    /// When units without a dirty page leave; default: in the policy's order.
    pub clean: Option<CleanUnits>,
    /// Time of one page write or read in the buffer, ns; default: 0.
    pub ram_ns: Option<Ns>,
    /// True if pages that are read are added to the buffer; default: the policy's.
    pub reads: Option<bool>,
    /// Part of the buffer at the end of the order in which clean pages go first, percent; default: 25.
    pub window_percent: Option<u8>,
    /// Sizes of the regions; default: adaptive.
    pub regions: Option<Regions>,
    /// P(U) of the initial, the to-be-updated and the to-be-evicted region; default: those of the paper.
    pub updates: Option<[Probability; 3]>,
    /// True if collectors also write dirty pages of the buffer (BA-BM); default: true for presets designed for it.
    pub aware: Option<bool>,
}

/// A preset's own buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferDefaults {
    /// Eviction policy.
    pub policy: &'static BufferPolicy,
    /// True if collectors also write dirty pages of the buffer.
    pub aware: bool,
}

/// A buffer on one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferPlan {
    /// Eviction policy.
    pub policy: &'static BufferPolicy,
    /// Capacity, pages.
    pub pages: u32,
    /// Pages per unit.
    pub unit_pages: u32,
    /// Longest time that a page may stay dirty, ns; [`Ns::MAX`] for no limit.
    pub age_ns: Ns,
    /// Clock of that time.
    pub clock: AgeClock,
    /// When units without a dirty page leave.
    pub clean: CleanUnits,
    /// Time of one page access in RAM, ns.
    pub ram_ns: Ns,
    /// True if pages that are read are added to the buffer.
    pub reads: bool,
    /// Pages at the end of the order in which clean ones go first.
    pub window_pages: u32,
    /// Sizes of the regions.
    pub regions: Regions,
    /// P(U) of the initial, the to-be-updated and the to-be-evicted region.
    pub updates: [Probability; 3],
    /// True if collectors also write dirty pages of the buffer.
    pub aware: bool,
}
