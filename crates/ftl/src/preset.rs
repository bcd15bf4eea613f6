//! Declaration of a scheme, and its configuration.

use crate::allocation::Allocation;
use crate::buffer::settings::{BufferDefaults, BufferSettings};
use crate::error::FtlError;
use crate::frontier_sharing::FrontierSharing;
use crate::layout::{CmtEviction, CmtPolicy, Enqueue, RftlTrigger};
use crate::placement::{ByState, Future, PlacementKind};
use crate::plan::Plan;
use crate::processor::Processor;
use crate::scheme::Scheme;
use crate::slc_cache::{SlcSize, WhenFull};
use crate::victims::VictimKind;
use alloc::{boxed::Box, sync::Arc};
use bounds::gftl::CollectionRam;
use flash::{AnyArray, Geometry, Part, WearRule};

/// One scheme: its name, help, settings, plan and constructor.
#[derive(Debug)]
pub struct Preset {
    /// Name on the command line.
    pub name: &'static str,
    /// Summary of one line.
    pub summary: &'static str,
    /// Source: authors, venue, algorithm.
    pub source: &'static str,
    /// Settings beyond those of every scheme (`share`, `spare`).
    pub settings: &'static [&'static str],
    /// Victim policies that its setting `victim` takes, as documented; `None` if it takes all or has no such setting.
    pub victims: Option<&'static str>,
    /// Documentation page in Markdown: the header of its module.
    pub page: &'static str,
    /// Default write buffer of the scheme, if it has one.
    pub buffer: Option<BufferDefaults>,
    /// Plans the scheme for an array with this many usable blocks.
    pub plan: fn(&SchemeConfig, &Part, &Geometry, u32) -> Result<Plan, FtlError>,
    /// Constructor, compiled for any array: a function `build<F: Probe + Clone + 'static>(&Setup<'_>, F) -> BuildResult<F>`
    /// gives it.
    pub build: fn(&Setup<'_>, AnyArray) -> BuildResult,
}

impl Preset {
    /// True if the host writes in zones: only at write pointers.
    pub fn is_zoned(&self) -> bool {
        self.settings.contains(&"zone")
    }
}

impl PartialEq for Preset {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Preset {}

/// Start of a scheme on an array: format or mount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Erase all written blocks.
    Format,
    /// Rebuild from flash.
    Mount,
}

/// Input of a scheme's constructor, besides its array.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The scheme's configuration.
    pub config: &'a SchemeConfig,
    /// The scheme's plan for the array.
    pub plan: &'a Plan,
    /// Format or mount.
    pub start: Start,
}

/// A scheme, or the reason why it cannot be made.
pub type BuildResult<F = AnyArray> = Result<Box<dyn Scheme<Flash = F>>, FtlError>;

/// Length rule of a write queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteQueue {
    /// L as printed in its paper.
    Printed,
    /// The largest number of blocks that any order of requests can fill.
    Proven,
}

/// Configuration of a scheme: a preset with overrides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemeConfig {
    /// The preset.
    pub preset: &'static Preset,
    /// Victim policy; default: the preset's.
    pub victim: Option<VictimKind>,
    /// Logical pages exported; default: the preset's choice.
    pub logical_pages: Option<u32>,
    /// Collection in idle time as well.
    pub idle_collection: bool,
    /// Bytes of the cached mapping table of a map on demand; default: the preset's.
    pub cmt_bytes: Option<u64>,
    /// Eviction policy of the cached mapping table.
    pub cmt_policy: Option<CmtPolicy>,
    /// Eviction of dirty entries from the cached mapping table; default: the preset's.
    pub cmt_eviction: Option<CmtEviction>,
    /// True if collection of translation pages brings the copies up to date.
    pub merges_map: bool,
    /// True if data and translation pages of a map on demand take their blocks from one pool.
    pub one_pool: bool,
    /// Threshold of collection, in percent of the collection queue's length.
    pub queue_threshold_percent: Option<u8>,
    /// Length rule of the write queue.
    pub write_queue: Option<WriteQueue>,
    /// States of a collection in which RAM takes the block's writes.
    pub collection_ram: Option<CollectionRam>,
    /// Time at which a data block is queued for collection.
    pub enqueue: Option<Enqueue>,
    /// Logical blocks that NFTL folds when no block may be opened.
    pub folds: Option<u32>,
    /// Bytes of a zone; default: a block on each die.
    pub zone_bytes: Option<u64>,
    /// Most open zones; default: the scheme's choice.
    pub max_open: Option<u32>,
    /// Most active zones; default: the scheme's choice.
    pub max_active: Option<u32>,
    /// Moment at which a logical block of three physical ones is collected; default: the scheme's choice.
    pub trigger: Option<RftlTrigger>,
    /// Number of log blocks, if the scheme has them; default: the scheme's choice.
    pub log_blocks: Option<u32>,
    /// Logical blocks per superblock, a power of two; default: 8.
    pub superblock: Option<u32>,
    /// α of buffer-aware victim selection, in thousandths; default: (C_p + C_r)/C_p of the part.
    pub alpha_thousandths: Option<u32>,
    /// Sharing of frontiers between host writes and copies; default: [`FrontierSharing::of`].
    pub frontiers: Option<FrontierSharing>,
    /// Blocks' worth of pages that collection of whole blocks frees once it begins; default: as few pages as the write needs.
    pub refill: Option<u32>,
    /// Placement policy; default: that of `frontiers`.
    pub placement: Option<PlacementKind>,
    /// Future of the run, for placement policies that need it.
    pub future: Option<Arc<Future>>,
    /// SLC cache in front of an MLC, TLC or QLC array; `None`: none.
    pub slc: Option<SlcSize>,
    /// Destination of host writes that find the SLC cache full; default: [`WhenFull::Direct`].
    pub slc_full: Option<WhenFull>,
    /// The write buffer above the scheme.
    pub buffer: BufferSettings,
    /// Blocks set aside to replace bad ones, from the factory or grown.
    pub spare_blocks: u32,
    /// Spread of consecutive writes over the array.
    pub allocation: Allocation,
    /// True if each unit of `allocation` is a reclaim group: a placement that follows the host's streams binds each to one.
    /// Other placements ignore it.
    pub reclaim_groups: bool,
    /// The controller's processor, if the choice of victims takes time. The owner of the clock charges it; the scheme
    /// ignores it.
    pub processor: Option<Processor>,
    /// Static wear levelling below the scheme. The array must be a [`flash::WearLevel`] with this rule.
    pub static_wear: Option<WearRule>,
    /// Choice of the next free block: true for the least worn one, false for the one erased longest ago. Default: the
    /// scheme's own.
    pub dynamic_wear: Option<bool>,
    /// Refresh and read reclaim: pages of blocks that the array names as due are moved between page tasks.
    pub refresh: bool,
    /// Seed of randomised victim policies.
    pub seed: u64,
}

impl SchemeConfig {
    /// The sharing of frontiers that is asked for: by the placement policy, else by `frontiers`.
    pub fn asked_frontiers(&self) -> Option<FrontierSharing> {
        self.placement.map(PlacementKind::sharing).or(self.frontiers)
    }

    /// The placement policy if it has a state.
    pub(crate) fn placed(&self) -> Option<(PlacementKind, ByState)> {
        self.placement.and_then(|kind| Some((kind, kind.by_state()?)))
    }

    /// Reclaim groups, if there are several and the placement follows the host's streams.
    pub fn groups(&self) -> Option<u32> {
        let handles = self.placement.and_then(PlacementKind::handles);
        let units = handles.map(|_| self.allocation.units());
        units.filter(|units| self.reclaim_groups && (2..=u32::from(u16::MAX)).contains(units))
    }

    /// The preset without overrides.
    pub fn preset(preset: &'static Preset) -> Self {
        Self {
            preset,
            victim: None,
            logical_pages: None,
            idle_collection: false,
            cmt_bytes: None,
            cmt_policy: None,
            cmt_eviction: None,
            merges_map: false,
            one_pool: false,
            queue_threshold_percent: None,
            write_queue: None,
            collection_ram: None,
            enqueue: None,
            folds: None,
            zone_bytes: None,
            max_open: None,
            max_active: None,
            trigger: None,
            log_blocks: None,
            superblock: None,
            alpha_thousandths: None,
            frontiers: None,
            refill: None,
            placement: None,
            future: None,
            slc: None,
            slc_full: None,
            buffer: BufferSettings::default(),
            spare_blocks: 0,
            allocation: Allocation::default(),
            reclaim_groups: false,
            processor: None,
            static_wear: None,
            dynamic_wear: None,
            refresh: false,
            seed: 1,
        }
    }
}
