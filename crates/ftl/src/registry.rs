//! Every scheme, one line each: the command line's help, the conformance, power-cut and golden suites
//! and the documentation go through this list.

use crate::{
    Allocation, BufferSettings, FtlError, Layout, Plan, Processor, Scheme,
    buffer::{BufferDefaults, WithBuffer},
    log_block, on_demand, page_mapped,
    page_mapped::victims::VictimKind,
    schemes::{
        ba_gc, bast, dftl, fast, fsr, gftl, gftl_priority, gftl_threshold, lazy_rtgc,
        lazy_rtgc_on_demand, nftl, page_level, rftl, superblock, two_level_gc,
    },
    start::{Start, good_blocks},
};
use alloc::{format, vec::Vec};
use flash::{Flash, Geometry, Part, WearRule};

/// All schemes, in the order in which they are listed.
pub static REGISTRY: &[Preset] = &[
    page_level::PRESET,
    fsr::PRESET,
    lazy_rtgc::PRESET,
    two_level_gc::PRESET,
    nftl::PRESET,
    gftl::PRESET,
    gftl_threshold::PRESET,
    gftl_priority::PRESET,
    rftl::PRESET,
    dftl::PRESET,
    lazy_rtgc_on_demand::PRESET,
    bast::PRESET,
    fast::PRESET,
    ba_gc::PRESET,
    superblock::PRESET,
];

/// One scheme of the registry.
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
    /// Its page, Markdown: the header of its module.
    pub page: &'static str,
    /// The write buffer that it is made with, where it is not asked for another.
    pub(crate) buffer: Option<BufferDefaults>,
    /// Lays the scheme out on an array with this many usable blocks.
    pub(crate) plan: fn(&SchemeConfig, &Part, &Geometry, u32) -> Result<Plan, FtlError>,
}

impl Preset {
    /// Which of [`VICTIM_POLICIES`](crate::VICTIM_POLICIES) its setting `victim` takes, as it is documented; nothing where
    /// it takes them all, or has no such setting.
    pub fn victims(&self) -> Option<&'static str> {
        match self.name {
            name if name == lazy_rtgc::PRESET.name => Some(lazy_rtgc::VICTIMS),
            name if [fast::PRESET.name, ba_gc::PRESET.name].contains(&name) => Some(fast::VICTIMS),
            _ => None,
        }
    }
}

impl PartialEq for Preset {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Preset {}

/// Which mappings a cached mapping table keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CmtPolicy {
    /// Least recently used goes first.
    Lru,
    /// Segmented: what was used once goes before what was used again.
    SegmentedLru,
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
    /// The write buffer above it.
    pub buffer: BufferSettings,
    /// Blocks set aside to stand in for bad ones, from the factory or grown.
    pub spare_blocks: u32,
    /// How consecutive writes are spread over the array.
    pub allocation: Allocation,
    /// The controller's processor, where the work of choosing victims is to take time: for whoever keeps the clock; the
    /// scheme knows none.
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

/// What is done with a scheme once it is made: static dispatch, once a run.
pub trait Visitor<F: Flash> {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<S: Scheme<Flash = F> + Clone>(self, scheme: S) -> Self::Output;
}

/// The preset of this name.
///
/// # Errors
/// [`FtlError::Unknown`] with the names that there are.
pub fn by_name(name: &str) -> Result<&'static Preset, FtlError> {
    REGISTRY.iter().find(|preset| preset.name == name).ok_or_else(|| {
        let names: Vec<&str> = REGISTRY.iter().map(|preset| preset.name).collect();
        FtlError::Unknown { name: name.into(), hint: format!("there are {}", names.join(", ")) }
    })
}

/// Makes the scheme on an array whose content is worth nothing: what is written is erased.
///
/// # Errors
/// [`FtlError::Config`] where the scheme cannot work there; what the array says.
pub fn format<F: Flash + Clone, V: Visitor<F>>(
    config: &SchemeConfig,
    flash: F,
    visitor: V,
) -> Result<V::Output, FtlError> {
    build(config, Start::Format, flash, visitor)
}

/// As [`format()`], with a plan of one's own, which is not checked: to see what becomes of one that
/// promises too much.
///
/// # Errors
/// As [`format()`].
pub fn format_planned<F: Flash + Clone, V: Visitor<F>>(
    config: &SchemeConfig,
    plan: &Plan,
    flash: F,
    visitor: V,
) -> Result<V::Output, FtlError> {
    build_planned(config, plan, Start::Format, flash, visitor)
}

/// Rebuilds the scheme from its array alone, after a clean stop or a power cut.
///
/// # Errors
/// As [`format()`]; [`FtlError::Mount`] where the array holds what this scheme does not write.
pub fn mount<F: Flash + Clone, V: Visitor<F>>(
    config: &SchemeConfig,
    flash: F,
    visitor: V,
) -> Result<V::Output, FtlError> {
    build(config, Start::Mount, flash, visitor)
}

fn build<F: Flash + Clone, V: Visitor<F>>(
    config: &SchemeConfig,
    start: Start,
    flash: F,
    visitor: V,
) -> Result<V::Output, FtlError> {
    let (geometry, good) = (flash.geometry(), good_blocks(&flash));
    let plan = crate::plan::plan(config, flash.part(), geometry, good, start)?;
    build_planned(config, &plan, start, flash, visitor)
}

/// The one place of dispatch, once a run.
fn build_planned<F: Flash + Clone, V: Visitor<F>>(
    config: &SchemeConfig,
    plan: &Plan,
    start: Start,
    flash: F,
    visitor: V,
) -> Result<V::Output, FtlError> {
    let visitor = WithBuffer::new(plan, visitor);
    match plan.layout {
        Layout::PageMapped(collection) => {
            page_mapped::build(config, collection, plan, start, flash, visitor)
        }
        Layout::OnDemand(layout) => on_demand::build(config, &layout, plan, start, flash, visitor),
        Layout::Rftl(collection) => rftl::build(config, collection, plan, start, flash, visitor),
        Layout::Nftl => nftl::build(config, plan, start, flash, visitor),
        Layout::Gftl(layout) => gftl::build(config, layout, plan, start, flash, visitor),
        Layout::LogBlock(layout) => log_block::build(config, layout, plan, start, flash, visitor),
    }
}

/// How the scheme would lay out an array of this part and shape with `good_blocks` blocks that are not
/// bad: logical pages, threshold and promise, or why it cannot.
///
/// # Errors
/// [`FtlError::Config`].
pub fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    good_blocks: u32,
) -> Result<Plan, FtlError> {
    crate::plan::plan(config, part, geometry, good_blocks, Start::Format)
}
