//! Data of a scheme for reports.

use crate::buffer::{log::BufferLog, settings::BufferPlan};
use crate::guarantee::{Guarantee, Ram};
use crate::slc_cache::{SlcLog, SlcPlan};
use crate::stream_log::StreamLog;
use crate::victim_work::VictimWork;
use crate::zones::ZonesState;
use alloc::vec::Vec;
use flash::Cause;

/// Bounds and costs of a scheme, and its logs since they were last cleared.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Telemetry<'a> {
    /// Bounds on this part and geometry.
    pub guarantee: Guarantee,
    /// Controller RAM for its state.
    pub ram: Ram,
    /// Host memory that this simulation of it takes, bytes (array excluded).
    pub heap_bytes: usize,
    /// Log of collections.
    pub collections: &'a CollectionLog,
    /// Table entries accessed to choose victims, if a policy of [`VICTIM_POLICIES`](crate::VICTIM_POLICIES) chooses
    /// them.
    pub victim_work: Option<VictimWork>,
    /// Lookups in the map's cache, if it has one.
    pub map_cache: Option<MapCache>,
    /// Pages that the write queue occupies, if it has one: from the oldest block not erased yet to the next page to
    /// be written.
    pub write_queue_pages: Option<u64>,
    /// The write buffer and its log, if it has one.
    pub buffer: Option<(&'a BufferPlan, &'a BufferLog)>,
    /// The SLC cache and its log, if it has one.
    pub slc_cache: Option<SlcCacheState>,
    /// Log of the host's streams, if the placement policy follows them.
    pub streams: Option<&'a StreamLog>,
    /// Zones and their log, if the host writes in zones.
    pub zones: Option<ZonesState>,
    /// True if the buffer learns of every page that a collector moves.
    pub tells_moves: bool,
    /// True if a task may run between the operations of a collection. If false, the controller does nothing else
    /// until a collection has ended.
    pub yields: bool,
}

impl<'a> Telemetry<'a> {
    /// Telemetry with these parts only.
    pub fn new(guarantee: Guarantee, ram: Ram, collections: &'a CollectionLog) -> Self {
        Self {
            guarantee,
            ram,
            heap_bytes: 0,
            collections,
            victim_work: None,
            map_cache: None,
            write_queue_pages: None,
            buffer: None,
            slc_cache: None,
            streams: None,
            zones: None,
            tells_moves: false,
            yields: false,
        }
    }
}

/// An SLC cache: its plan, its log since that was last cleared, and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlcCacheState {
    /// Size and rules.
    pub plan: SlcPlan,
    /// Log.
    pub log: SlcLog,
    /// Blocks in SLC mode.
    pub blocks: u32,
    /// Pages that can be programmed in those of them that are open.
    pub free_pages: u64,
}

/// Merges of the blocks of one logical block (Kim et al., IEEE TCE 48(2), 2002).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MergeKind {
    /// The log block holds all pages in place and becomes the data block.
    Switch = 0,
    /// The log block holds the first pages in place, gets the other pages and becomes the data block.
    Partial = 1,
    /// All pages are copied to a new block.
    Full = 2,
}

impl MergeKind {
    /// All kinds, in order of their numbers.
    pub const ALL: [Self; 3] = [Self::Switch, Self::Partial, Self::Full];

    /// The cause that its operations are charged to.
    pub fn cause(self) -> Cause {
        match self {
            Self::Switch => Cause::SwitchMerge,
            Self::Partial => Cause::PartialMerge,
            Self::Full => Cause::FullMerge,
        }
    }

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Switch => "switch",
            Self::Partial => "partial",
            Self::Full => "full",
        }
    }
}

/// Log of a scheme's collections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CollectionLog {
    /// Victims taken.
    pub started: u64,
    /// Victims erased.
    pub finished: u64,
    /// Number of victims by valid pages when taken: `0..=π`.
    pub victim_valid: Vec<u64>,
    /// Steps of partial collection. Whole-block collection counts one per victim.
    pub steps: u64,
    /// Victims taken in idle time.
    pub idle: u64,
    /// Fewest free pages at the end of a host write.
    pub least_free_pages: u64,
    /// Threshold of free pages for collection (ρ_th).
    pub threshold_pages: u64,
    /// Logical pages whose only copy became unreadable before it was copied.
    pub lost_pages: u64,
    /// Erases that the scheme's tables could not count, since the format or mount (2LGC's counts of 13 bits).
    pub saturated_erases: u64,
    /// Blocks retired as bad since the format.
    pub retired_blocks: u32,
    /// Merges of logical blocks, by [`MergeKind`]; 0 in schemes without log blocks.
    pub merges: [u64; MergeKind::ALL.len()],
}

impl CollectionLog {
    /// An empty log of a scheme with this threshold, whose victims have at most `pages_per_block` valid pages.
    pub fn new(pages_per_block: u32, threshold_pages: u64) -> Self {
        Self {
            victim_valid: alloc::vec![0; pages_per_block as usize + 1],
            least_free_pages: u64::MAX,
            threshold_pages,
            ..Self::default()
        }
    }

    pub(crate) fn count_merge(&mut self, kind: MergeKind) {
        self.merges[kind as usize] += 1;
    }
}

/// Lookups in a cache of the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MapCache {
    /// Found in RAM.
    pub hits: u64,
    /// Read from a translation page.
    pub misses: u64,
}
