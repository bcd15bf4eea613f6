//! Table of a scheme in an experiment: every setting, not yet checked.

use super::notation::{Percent, Word};
use flash::{CopyPath, WearRule};
use ftl::{
    AgeClock, BufferPolicy, BufferUnit, CleanUnits, CmtEviction, CmtPolicy, CollectionRam, Enqueue,
    FrontierSharing, PlacementKind, Probability, Regions, RftlTrigger, SlcSize, VictimKind,
    WhenFull, WriteQueue,
};
use serde::{Deserialize, Deserializer, Serialize, de};
use workload::quantity::{Bytes, Duration, decimal};

/// One scheme of an experiment.
///
/// In TOML it is a text (`"fsr"`, `"lazy-rtgc+victim=fifo+share=0.8+idle"`) or a table with these fields.
/// Meaning and values of each field: [`SCHEME_SETTINGS`](super::SCHEME_SETTINGS).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchemeTable {
    /// Preset of the registry.
    pub name: String,
    /// Victim selection ([`ftl::VICTIM_POLICIES`]); default: the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub victim: Option<Word<VictimKind>>,
    /// Collection in idle time as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idle_collection: bool,
    /// Size of the cached mapping table; default: the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cmt_bytes: Option<Bytes>,
    /// Replacement in the cached mapping table (`lru`, `slru`); default: the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cmt_policy: Option<Word<CmtPolicy>>,
    /// Eviction of dirty mappings (`clean`, `page`, `reads`, `mapping`); default: the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cmt_eviction: Option<Word<CmtEviction>>,
    /// Fill level of the collection queue below which nothing is collected; default: the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_threshold: Option<Word<Percent>>,
    /// Length of the write queue (`printed`, `proven`); default: the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_queue: Option<Word<WriteQueue>>,
    /// States of a collection in which RAM takes the block's writes (`states`, `collection`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection_ram: Option<Word<CollectionRam>>,
    /// Time at which a data block is queued for collection (`full`, `overflow`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enqueue: Option<Word<Enqueue>>,
    /// Logical blocks folded when no block is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folds: Option<u32>,
    /// Size of a zone; default: a block on each die.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_size: Option<Bytes>,
    /// Most open zones; default: the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_open: Option<u32>,
    /// Most active zones; default: the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_active: Option<u32>,
    /// `rftl`: moment at which a logical block is collected (`primary-full`, `late`); default: the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Word<RftlTrigger>>,
    /// Number of log blocks; default: the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_blocks: Option<u32>,
    /// α of buffer-aware victim selection; default: (C_p + C_r)/C_p of the part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// Frontiers of host writes and copies (`split`, `shared`); default: the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frontiers: Option<Word<FrontierSharing>>,
    /// Placement policy (`split`, `sepbit`); default: that of `frontiers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<Word<PlacementKind>>,
    /// SLC cache (`none`, `static:10%`, `dynamic`); default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slc: Option<Word<Option<SlcSize>>>,
    /// Destination of host writes that find it full (`direct`, `fold`); default: `direct`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slc_full: Option<Word<WhenFull>>,
    /// Write buffer (`none`, `lru` and others); default: the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Word<Option<&'static BufferPolicy>>>,
    /// Capacity of the buffer in user bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_size: Option<Bytes>,
    /// Eviction unit (`page`, `block`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_unit: Option<Word<BufferUnit>>,
    /// Longest time that a page may stay dirty in the buffer; 0: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_age: Option<Duration>,
    /// Clock of that time (`device`, `arrival`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_clock: Option<Word<AgeClock>>,
    /// When units without a dirty page leave (`order`, `first`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_clean: Option<Word<CleanUnits>>,
    /// Access time of the buffer per page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_time: Option<Duration>,
    /// True if reads bring pages into the buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_reads: Option<bool>,
    /// `cflru` only: share of the buffer in which clean pages are evicted first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_window: Option<Word<Percent>>,
    /// `three-region` only: sizes of its regions (`adaptive`, `25%:50%`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_regions: Option<Word<Regions>>,
    /// `three-region` only: P(U) of its regions (`30%:100%:0%`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_updates: Option<Word<[Probability; 3]>>,
    /// True if collectors take dirty pages from the buffer; default: the preset's choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aware: Option<bool>,
    /// Path of copies (`icb`, `icb-unchecked`, `lcb`, `gcb`, `dgcb`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<Word<CopyPath>>,
    /// True if copies between devices use cache program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_cache: Option<bool>,
    /// Static wear levelling (`bet:100`, `gap:50`); default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wear: Option<Word<Option<WearRule>>>,
    /// True if the least worn free block is written next; default: the scheme's choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dynamic_wear: Option<bool>,
    /// Logical pages / physical pages, above 0 and below 1; default: the preset's choice.
    #[serde(
        default,
        alias = "share",
        deserialize_with = "share",
        skip_serializing_if = "Option::is_none"
    )]
    pub logical_share: Option<f64>,
    /// Blocks held back to replace blocks that go bad.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub spare_blocks: u32,
    /// Name in the report; default: the compact text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// A share as a number or as text: `0.8`, `"80%"`.
fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a share such as 0.8 or \"80%\"")]
    enum Share {
        Number(f64),
        Text(String),
    }
    match Share::deserialize(deserializer)? {
        Share::Number(share) => Ok(Some(share)),
        Share::Text(text) => decimal(&text).map(Some).ok_or_else(|| {
            de::Error::custom(format!("a share is a number such as 0.8 or \"80%\", not `{text}`"))
        }),
    }
}

fn is_zero(blocks: &u32) -> bool {
    *blocks == 0
}
