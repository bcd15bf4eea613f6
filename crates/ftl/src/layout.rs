//! What the plan of each family holds for its scheme: plain values.

use crate::page_mapped::victims::VictimKind;

/// The families of schemes, each with its own settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A page map in RAM.
    PageMapped(CollectionKind),
    /// A page map on flash, cached in RAM.
    OnDemand(OnDemandLayout),
    /// A primary and a replacement block a logical block.
    Nftl,
    /// A data block a logical block, and a write queue.
    Gftl(GftlLayout),
    /// Three blocks a logical block.
    Rftl(bounds::rftl::CollectionSteps),
    /// Data blocks, and log blocks before them.
    LogBlock(LogBlockLayout),
    /// A scheme of another crate, which works out all that it needs when it is made.
    Own,
}

/// When and how much a preset collects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionKind {
    /// [`WholeBlock`](crate::page_mapped::WholeBlock), of victims chosen so.
    WholeBlock(VictimKind),
    /// [`Partial`](crate::page_mapped::Partial), with this many copies a step (α). Where the ways of copying differ in
    /// that, so do victims: [`ByDevice`](crate::page_mapped::victims::ByDevice).
    Partial(VictimKind, CopiesPerStep),
    /// [`Preemptible`](crate::page_mapped::Preemptible), with a window of this many pages.
    Preemptible(VictimKind, u32),
    /// A collector of another crate.
    Own,
}

/// Copies of one step. 0: none that can be counted on, as a copy takes longer than a step may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopiesPerStep {
    /// α: from a block of the device that is written, or where copies go but one way.
    pub near: u32,
    /// α_f: from a block of another device of the channel.
    pub far: u32,
}

impl CopiesPerStep {
    /// As many wherever the victim is.
    pub const fn same(copies: u32) -> Self {
        Self { near: copies, far: copies }
    }
}

/// What a map on demand needs to know besides the plan's common part.
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
    /// Which entries the table drops first.
    pub policy: CmtPolicy,
    /// Collection and write-back in steps; `None`: whole blocks, and write-back at eviction.
    pub steps: Option<Steps>,
}

/// Steps of at most one erase time each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// α: copies a step of collection.
    pub copies: u32,
    /// Translation pages written back a step.
    pub pages: u32,
    /// Dirty entries from which translation pages are written back.
    pub dirty_threshold: u32,
}

/// Which mappings a cached mapping table keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CmtPolicy {
    /// Least recently used goes first.
    Lru,
    /// Segmented: what was used once goes before what was used again.
    SegmentedLru,
}

/// How a GFTL device is divided, and what one step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GftlLayout {
    /// U: blocks that the write queue takes up at most, by proof or, with the printed length, by refusal.
    pub queue_blocks: u32,
    /// Blocks beyond which writes are refused: none with the proven length.
    pub queue_limit: u32,
    /// Blocks that hold the maps after a shutdown.
    pub area_blocks: u32,
    /// Whether a shutdown writes them. With static wear levelling it does not: the blocks that they name are not where
    /// they were behind the next power-up.
    pub saves_maps: bool,
    /// Page or OOB reads of one step, at least 1.
    pub reads: u32,
    /// Programs of one step, at least 1.
    pub programs: u32,
    /// Below both of these nothing is collected.
    pub threshold: Option<GftlThreshold>,
    /// The dirtiest block is collected first, rather than the one queued first.
    pub dirtiest_first: bool,
}

/// What must be exceeded before data blocks are collected: either of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GftlThreshold {
    /// Data blocks in the collection queue.
    pub waiting_blocks: u32,
    /// Blocks of the write queue.
    pub queue_blocks: u32,
}

/// Which random log block is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogVictim {
    /// The oldest.
    RoundRobin,
    /// The one whose merge costs least, with regard to what a write buffer saves by it.
    LeastCost,
}

/// The schemes of the family, and their log blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogBlockLayout {
    /// Log blocks of one logical block each.
    Bast {
        /// Log blocks (K).
        log_blocks: u32,
    },
    /// Log blocks shared by all logical blocks.
    Fast {
        /// Random log blocks (K).
        log_blocks: u32,
        /// Which of them is merged.
        victim: LogVictim,
    },
    /// Blocks shared within superblocks.
    Superblock {
        /// Update blocks (K).
        log_blocks: u32,
    },
}
