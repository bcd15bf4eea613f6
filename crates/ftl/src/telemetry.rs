//! All that reports ask of a scheme.

use crate::buffer::{log::BufferLog, settings::BufferPlan};
use crate::guarantee::{Guarantee, Ram};
use crate::victim_work::VictimWork;
use alloc::vec::Vec;
use flash::Cause;

/// What a scheme promises and costs, and what it has done since its logs began.
#[derive(Clone, Debug)]
pub struct Telemetry<'a> {
    /// What it promises on this part and geometry.
    pub guarantee: Guarantee,
    /// What its state takes in a controller's RAM.
    pub ram: Ram,
    /// Bytes of memory that this simulation of it takes (array excluded).
    pub heap_bytes: usize,
    /// What was collected, and when.
    pub collections: &'a CollectionLog,
    /// Entries that the choice of victims read and wrote, where a policy of the list chooses them.
    pub victim_work: Option<VictimWork>,
    /// Lookups in the map's cache, where there is one.
    pub map_cache: Option<MapCache>,
    /// Pages taken up in the write queue, where there is one: from the oldest block that is not erased
    /// yet to the next page to be written.
    pub write_queue_pages: Option<u64>,
    /// The write buffer and what it did, where there is one.
    pub buffer: Option<(&'a BufferPlan, &'a BufferLog)>,
    /// Whether the buffer is told of every page that a collector moves.
    pub tells_moves: bool,
    /// Whether a task may come between the operations of a collection. Else the controller does nothing else until a
    /// collection has ended.
    pub yields: bool,
}

impl<'a> Telemetry<'a> {
    /// Of a scheme that has nothing to tell but this.
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
            tells_moves: false,
            yields: false,
        }
    }
}

/// How the blocks of one logical block are merged (Kim et al., IEEE TCE 48(2), 2002).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MergeKind {
    /// The log block holds all pages in place and becomes the data block.
    Switch = 0,
    /// The log block holds the first pages in place, gets the rest and becomes the data block.
    Partial = 1,
    /// All pages go to a new block.
    Full = 2,
}

impl MergeKind {
    /// Every kind, in order of its number.
    pub const ALL: [Self; 3] = [Self::Switch, Self::Partial, Self::Full];

    /// What its operations are charged to.
    pub fn cause(self) -> Cause {
        match self {
            Self::Switch => Cause::SwitchMerge,
            Self::Partial => Cause::PartialMerge,
            Self::Full => Cause::FullMerge,
        }
    }

    /// How reports name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Switch => "switch",
            Self::Partial => "partial",
            Self::Full => "full",
        }
    }
}

/// What a scheme has collected so far, and why it could.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectionLog {
    /// Victims taken.
    pub started: u64,
    /// Victims erased.
    pub finished: u64,
    /// Victims by valid pages when taken: `0..=π`.
    pub victim_valid: Vec<u64>,
    /// Steps of partial collection run (whole-block collection: one a victim).
    pub steps: u64,
    /// Victims taken in idle time.
    pub idle: u64,
    /// Fewest free pages seen at the end of a host write.
    pub least_free_pages: u64,
    /// Free pages below which collection starts (ρ_th).
    pub threshold_pages: u64,
    /// Logical pages whose only copy became unreadable while it was to be copied.
    pub lost_pages: u64,
    /// Erases beyond what the scheme's tables can count, since the format or mount (2LGC's counts of 13 bits).
    pub saturated_erases: u64,
    /// Blocks retired as bad since the format.
    pub retired_blocks: u32,
    /// Merges of logical blocks, by [`MergeKind`]; 0 in schemes without log blocks.
    pub merges: [u64; MergeKind::ALL.len()],
}

impl CollectionLog {
    /// An empty log of a scheme whose victims have at most `pages_per_block` valid pages and which starts
    /// collecting below `threshold_pages` free pages.
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
