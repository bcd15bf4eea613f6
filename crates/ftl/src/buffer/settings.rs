//! How a write buffer is asked for, and what it is on one array.

use crate::buffer::policy::{BufferPolicy, BufferUnit, Regions};
use flash::Ns;

/// A buffer as it is asked for; what is `None` is the preset's, or the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferSettings {
    /// Its policy; `Some(None)` for no buffer, whatever the preset has.
    pub policy: Option<Option<&'static BufferPolicy>>,
    /// User bytes that it holds; default 16 MiB.
    pub bytes: Option<u64>,
    /// What it evicts at a time; default the policy's.
    pub unit: Option<BufferUnit>,
    /// How long a page may stay dirty, ns; 0 for as long as it may; default 30 s.
    pub age_ns: Option<Ns>,
    /// Time that it takes to write or read a page in the buffer, ns; default 0.
    pub ram_ns: Option<Ns>,
    /// Whether pages that are read come into the buffer; default the policy's.
    pub reads: Option<bool>,
    /// Percent of the buffer, at the end of the order, in which clean pages go first; default
    /// 25.
    pub window_percent: Option<u8>,
    /// Sizes of the regions; default adaptive.
    pub regions: Option<Regions>,
    /// Whether collectors take dirty pages along (BA-BM); default for presets that are made for it.
    pub aware: Option<bool>,
}

/// A preset's own buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferDefaults {
    /// Its policy.
    pub policy: &'static BufferPolicy,
    /// Whether collectors take dirty pages along.
    pub aware: bool,
}

/// A buffer on one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferPlan {
    /// Which unit leaves it.
    pub policy: &'static BufferPolicy,
    /// Pages that it holds.
    pub pages: u32,
    /// Pages of a unit.
    pub unit_pages: u32,
    /// How long a page may stay dirty, ns; [`Ns::MAX`] for as long as it may.
    pub age_ns: Ns,
    /// Time of a page in RAM.
    pub ram_ns: Ns,
    /// Whether pages that are read come into it.
    pub reads: bool,
    /// Pages at the end of the order among which clean ones go first.
    pub window_pages: u32,
    /// Sizes of the regions.
    pub regions: Regions,
    /// Whether collectors take dirty pages along.
    pub aware: bool,
}
