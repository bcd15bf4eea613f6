//! What a scheme declares of itself, and how one is asked for.

use crate::allocation::Allocation;
use crate::buffer::settings::{BufferDefaults, BufferSettings};
use crate::error::FtlError;
use crate::frontier_sharing::FrontierSharing;
use crate::layout::CmtPolicy;
use crate::page_mapped::victims::VictimKind;
use crate::plan::Plan;
use crate::processor::Processor;
use crate::scheme::Scheme;
use alloc::boxed::Box;
use flash::{AnyArray, Geometry, Part, Probe, WearRule};
#[cfg(not(test))]
use flash::{ParallelArray, SerialArray};

/// One scheme: its name, its help, its settings, its plan, and how it is made.
#[derive(Debug)]
pub struct Preset {
    /// Name on the command line.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Authors, venue, algorithm.
    pub source: &'static str,
    /// Settings that it has besides those of every scheme (`share`, `spare`).
    pub settings: &'static [&'static str],
    /// Which victim policies its setting `victim` takes, as it is documented; `None` where it takes them all, or has no
    /// such setting.
    pub victims: Option<&'static str>,
    /// Its page, Markdown: the header of its module.
    pub page: &'static str,
    /// The write buffer that it is made with, where it is not asked for another.
    pub buffer: Option<BufferDefaults>,
    /// Lays the scheme out on an array with this many usable blocks.
    pub plan: fn(&SchemeConfig, &Part, &Geometry, u32) -> Result<Plan, FtlError>,
    /// Makes it; [`build!`](crate::build) fills this in.
    pub build: Build,
}

impl PartialEq for Preset {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Preset {}

/// Whether the array is to be made ready, or holds data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Erase what is written.
    Format,
    /// Rebuild from flash.
    Mount,
}

/// What a scheme is made from, besides its array.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The scheme as it is asked for.
    pub config: &'a SchemeConfig,
    /// How it is laid out on the array.
    pub plan: &'a Plan,
    /// Whether it finds data there.
    pub start: Start,
}

/// A scheme that was made, or why it cannot be.
pub type BuildResult<F> = Result<Box<dyn Scheme<Flash = F>>, FtlError>;

/// What makes a scheme, once for each array that schemes are compiled for.
#[derive(Clone, Copy, Debug)]
pub struct Build {
    /// On an array in serial time.
    #[cfg(not(test))]
    pub serial: fn(&Setup<'_>, SerialArray) -> BuildResult<SerialArray>,
    /// On an array whose dies work side by side.
    #[cfg(not(test))]
    pub parallel: fn(&Setup<'_>, ParallelArray) -> BuildResult<ParallelArray>,
    /// On any other: drivers, test benches.
    pub any: fn(&Setup<'_>, AnyArray) -> BuildResult<AnyArray>,
}

/// Fills in [`Preset::build`] from a function that is generic over the array:
/// `fn build<F: Probe + Clone + 'static>(setup: &Setup<'_>, flash: F) -> BuildResult<F>`.
#[cfg(not(test))]
#[macro_export]
macro_rules! build {
    ($build:path) => {
        $crate::Build { serial: $build, parallel: $build, any: $build }
    };
}

/// Unit tests of this crate run on any array: so its schemes are compiled once for them, and not three times.
#[cfg(test)]
#[macro_export]
macro_rules! build {
    ($build:path) => {
        $crate::Build { any: $build }
    };
}

/// An array that schemes are compiled for.
pub trait Substrate: Probe + Clone + 'static {
    /// What makes a scheme on it.
    fn build(build: &Build) -> fn(&Setup<'_>, Self) -> BuildResult<Self>;
}

#[cfg(not(test))]
impl Substrate for SerialArray {
    fn build(build: &Build) -> fn(&Setup<'_>, Self) -> BuildResult<Self> {
        build.serial
    }
}

#[cfg(not(test))]
impl Substrate for ParallelArray {
    fn build(build: &Build) -> fn(&Setup<'_>, Self) -> BuildResult<Self> {
        build.parallel
    }
}

impl Substrate for AnyArray {
    fn build(build: &Build) -> fn(&Setup<'_>, Self) -> BuildResult<Self> {
        build.any
    }
}

/// How many blocks a write queue gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteQueue {
    /// L as its paper prints it.
    Printed,
    /// As many as the worst order of requests can fill.
    Proven,
}

/// A scheme as it is asked for: a preset and what differs from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemeConfig {
    /// The preset.
    pub preset: &'static Preset,
    /// Victim selection, where not the preset's.
    pub victim: Option<VictimKind>,
    /// Logical pages exported, where not the preset's own choice.
    pub logical_pages: Option<u32>,
    /// Collect in idle time as well.
    pub idle_collection: bool,
    /// Bytes of the cached mapping table, where the map is on demand and not the preset's own size.
    pub cmt_bytes: Option<u64>,
    /// Which mappings the table keeps.
    pub cmt_policy: Option<CmtPolicy>,
    /// Share of the collection queue's length below which nothing is collected, percent.
    pub queue_threshold_percent: Option<u8>,
    /// How long the write queue may get.
    pub write_queue: Option<WriteQueue>,
    /// Log blocks, where the scheme has them and not as many as it chooses itself.
    pub log_blocks: Option<u32>,
    /// Whether host writes and copies share frontiers, where not as [`FrontierSharing::of`] has it.
    pub frontiers: Option<FrontierSharing>,
    /// The write buffer above it.
    pub buffer: BufferSettings,
    /// Blocks set aside to stand in for bad ones, from the factory or grown.
    pub spare_blocks: u32,
    /// How consecutive writes are spread over the array.
    pub allocation: Allocation,
    /// The controller's processor, where the choice of victims takes time. Whoever keeps the clock charges it; the
    /// scheme ignores it.
    pub processor: Option<Processor>,
    /// Static wear levelling below the scheme: its array is to be a [`flash::WearLevel`] of this rule.
    pub static_wear: Option<WearRule>,
    /// Whether the least worn free block is written next, rather than the one that was erased longest ago; the
    /// scheme's own way where not set.
    pub dynamic_wear: Option<bool>,
    /// Seed of randomised victim selection.
    pub seed: u64,
}

impl SchemeConfig {
    /// The preset as it is.
    pub fn preset(preset: &'static Preset) -> Self {
        Self {
            preset,
            victim: None,
            logical_pages: None,
            idle_collection: false,
            cmt_bytes: None,
            cmt_policy: None,
            queue_threshold_percent: None,
            write_queue: None,
            log_blocks: None,
            frontiers: None,
            buffer: BufferSettings::default(),
            spare_blocks: 0,
            allocation: Allocation::default(),
            processor: None,
            static_wear: None,
            dynamic_wear: None,
            seed: 1,
        }
    }
}
