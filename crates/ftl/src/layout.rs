//! Per-family part of a plan, as plain values.

use crate::victims::VictimKind;
use crate::zones::ZoneLimits;
use bounds::gftl::CollectionRam;
use flash::Ns;

/// The families of schemes, each with its own settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A page map in RAM.
    PageMapped(CollectionKind),
    /// A page map on flash, cached in RAM.
    OnDemand(OnDemandLayout),
    /// A primary and a replacement block per logical block.
    Nftl {
        /// Logical blocks folded when no block may be opened.
        folds: u32,
    },
    /// A data block per logical block, and a write queue.
    Gftl(GftlLayout),
    /// Three blocks per logical block.
    Rftl(RftlLayout),
    /// Data blocks, with log blocks for updates.
    LogBlock(LogBlockLayout),
    /// Zones that the host writes in order.
    Zoned(ZoneLayout),
    /// A scheme of another crate; it derives its layout when it is made.
    Own,
}

/// Division of an array into zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneLayout {
    /// B: blocks per zone.
    pub zone_blocks: u32,
    /// Most open and active zones.
    pub limits: ZoneLimits,
}

/// Kind of collection of a preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionKind {
    /// [`WholeBlock`](crate::page_mapped::WholeBlock), with this victim policy.
    WholeBlock(VictimKind),
    /// [`Partial`](crate::page_mapped::Partial), with this many copies per step (α). If the copy paths differ in α, a
    /// victim is chosen per path: [`ByDevice`](crate::victims::ByDevice).
    Partial(VictimKind, CopiesPerStep),
    /// [`Preemptible`](crate::page_mapped::Preemptible), with this victim policy and a window of this many pages.
    Preemptible(VictimKind, u32),
    /// A collector of another crate.
    Own,
}

/// Moment at which `rftl` begins to collect a logical block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RftlTrigger {
    /// With the first write that finds the data block full.
    PrimaryFull,
    /// With the write after which the buffer holds this many pages.
    Pages(u16),
    /// As late as its bound allows: when the buffer has only those erased pages left that the steps need.
    Late,
}

/// Values that `rftl` needs besides the common part of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RftlLayout {
    /// Steps of a collection.
    pub steps: bounds::rftl::CollectionSteps,
    /// Moment at which it begins.
    pub trigger: RftlTrigger,
}

/// Copies per step. 0 if no copy is certain to fit, because it takes longer than a step may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopiesPerStep {
    /// α: from a block of the device that is written, or from any block if there is one copy path only.
    pub near: u32,
    /// α_f: from a block of another device on the channel.
    pub far: u32,
}

impl CopiesPerStep {
    /// The same number for every victim.
    pub const fn same(copies: u32) -> Self {
        Self { near: copies, far: copies }
    }
}

/// Values that a map on demand needs besides the common part of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnDemandLayout {
    /// N_d: blocks of data pages.
    pub data_blocks: u32,
    /// N_t: blocks of translation pages.
    pub translation_blocks: u32,
    /// Free translation pages at or below which translation blocks are collected.
    pub translation_threshold_pages: u32,
    /// Entries of the cached mapping table, 8 bytes each.
    pub cmt_entries: u32,
    /// Eviction policy of the table.
    pub policy: CmtPolicy,
    /// What becomes of dirty entries at eviction.
    pub eviction: CmtEviction,
    /// Collection and write-back in steps. `None`: whole blocks, and write-back at eviction.
    pub steps: Option<Steps>,
    /// One pool of blocks for data and translation pages. `None`: two areas with blocks of their own.
    pub pool: Option<PoolLimits>,
}

/// How one pool of blocks may be divided between data and translation pages: so that each can always be collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolLimits {
    /// Fewest translation blocks; the others are data blocks.
    pub least_translation_blocks: u32,
    /// Most translation blocks.
    pub most_translation_blocks: u32,
}

/// Steps of at most one erase time each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// α: copies per step of collection.
    pub copies: u32,
    /// Translation pages written back per step.
    pub pages: u32,
    /// Number of dirty entries at which write-back of translation pages starts.
    pub dirty_threshold: u32,
    /// True if a step that copies translation pages brings them up to date.
    pub merges: bool,
}

/// What the eviction from a full cached mapping table does with dirty mappings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CmtEviction {
    /// Dirty mappings are not evicted. They wait for a write-back in groups.
    Clean,
    /// A dirty mapping is written back with all dirty mappings of its translation page.
    Page,
    /// A dirty mapping is written back alone if a read evicts it, else as with `Page`.
    Reads,
    /// A dirty mapping is written back alone. The others of its translation page stay dirty.
    Mapping,
}

/// Eviction policy of a cached mapping table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CmtPolicy {
    /// The least recently used mapping goes first.
    Lru,
    /// Segmented LRU: mappings used once go before mappings used again.
    SegmentedLru,
}

/// Division of a GFTL device, and work per step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GftlLayout {
    /// U: largest number of blocks in the write queue. It follows from the proof, or from refused writes with the
    /// printed length.
    pub queue_blocks: u32,
    /// Blocks of the queue from which writes are refused; no limit with the proven length.
    pub queue_limit: u32,
    /// Blocks for the maps that a shutdown writes.
    pub area_blocks: u32,
    /// True if a shutdown writes the maps. With static wear levelling it does not: after the next power-up, blocks
    /// may be elsewhere than the maps say.
    pub saves_maps: bool,
    /// Page or OOB reads per step, at least 1.
    pub reads: u32,
    /// Programs per step, at least 1.
    pub programs: u32,
    /// Collection waits until one of these is exceeded; `None`: it never waits.
    pub threshold: Option<GftlThreshold>,
    /// States of a collection in which RAM takes the block's writes.
    pub ram: CollectionRam,
    /// Time at which a data block is queued for collection.
    pub enqueue: Enqueue,
    /// True if the dirtiest block is collected first; false for the block queued first.
    pub dirtiest_first: bool,
}

/// Time at which GFTL puts a data block in the collection queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Enqueue {
    /// When the block's last page is programmed (§IV-A).
    #[default]
    Full,
    /// When a page of the full block is written to the write queue.
    Overflow,
}

/// Thresholds of collection. Data blocks are collected if either is exceeded and at least one is queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GftlThreshold {
    /// Data blocks in the collection queue.
    pub waiting_blocks: u32,
    /// Blocks of the write queue.
    pub queue_blocks: u32,
}

/// Selection of the random log block to merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogVictim {
    /// The oldest log block.
    RoundRobin,
    /// The log block whose merge costs least, with the writes counted that a write buffer saves by it.
    LeastCost,
}

/// Schemes of the family, with their log blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogBlockLayout {
    /// Log blocks that serve one logical block each.
    Bast {
        /// Log blocks (K).
        log_blocks: u32,
    },
    /// Log blocks shared by all logical blocks.
    Fast {
        /// Random log blocks (K).
        log_blocks: u32,
        /// Selection of the one to merge.
        victim: LogVictim,
        /// C_p·(1 + α): what a page that a merge takes from the buffer saves, if it stays clean, ns.
        saved_ns: Ns,
    },
    /// Blocks shared within superblocks.
    Superblock {
        /// Update blocks (K).
        log_blocks: u32,
        /// log2 D, of D logical blocks per superblock.
        shift: u32,
    },
}
