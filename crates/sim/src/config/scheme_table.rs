//! A scheme as an experiment writes it: every setting, none of them read yet.

use super::notation::{Percent, Word};
use flash::{CopyPath, WearRule};
use ftl::{BufferPolicy, BufferUnit, CmtPolicy, FrontierSharing, Regions, VictimKind, WriteQueue};
use serde::{Deserialize, Serialize};
use workload::quantity::{Bytes, Duration};

/// One scheme of an experiment.
///
/// In TOML a text (`"fsr"`, `"lazy-rtgc+victim=fifo+share=0.8+idle"`) or a table with these fields; what
/// each means and takes: [`SCHEME_SETTINGS`](super::SCHEME_SETTINGS).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchemeTable {
    /// Preset of the registry.
    pub name: String,
    /// Victim selection ([`ftl::VICTIM_POLICIES`]), where not the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub victim: Option<Word<VictimKind>>,
    /// Collect in idle time as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idle_collection: bool,
    /// Size of the cached mapping table, where not the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cmt_bytes: Option<Bytes>,
    /// Replacement in the cached mapping table (`lru`, `slru`), where not the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cmt_policy: Option<Word<CmtPolicy>>,
    /// Share of the collection queue below which nothing is collected, where not the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_threshold: Option<Word<Percent>>,
    /// Length of the write queue (`printed`, `proven`), where not the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_queue: Option<Word<WriteQueue>>,
    /// Log blocks, where not as many as the preset chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_blocks: Option<u32>,
    /// Whether host writes and copies share frontiers (`split`, `shared`), where not the preset's own way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frontiers: Option<Word<FrontierSharing>>,
    /// Write buffer (`none`, `lru` and others), where not the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Word<Option<&'static BufferPolicy>>>,
    /// User bytes that the buffer holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_size: Option<Bytes>,
    /// What it evicts at a time (`page`, `block`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_unit: Option<Word<BufferUnit>>,
    /// How long a page may stay dirty in it; 0 for as long as it may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_age: Option<Duration>,
    /// Time of a page in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_time: Option<Duration>,
    /// Whether pages that are read come into it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_reads: Option<bool>,
    /// Of `cflru`: the share of it in which clean pages go first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_window: Option<Word<Percent>>,
    /// Of `three-region`: sizes of its regions (`adaptive`, `25%:50%`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_regions: Option<Word<Regions>>,
    /// Whether collectors take dirty pages from it, where not the preset's own way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aware: Option<bool>,
    /// Path of copies (`icb`, `icb-unchecked`, `lcb`, `gcb`, `dgcb`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<Word<CopyPath>>,
    /// Whether copies between devices use cache program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_cache: Option<bool>,
    /// Static wear levelling (`bet:100`, `gap:50`), where there is to be any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wear: Option<Word<Option<WearRule>>>,
    /// Whether the least worn free block is written next, where not the scheme's own way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dynamic_wear: Option<bool>,
    /// Logical pages / physical pages, above 0 and below 1, where not the preset's own choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_share: Option<f64>,
    /// Blocks held back to replace blocks that go bad.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub spare_blocks: u32,
    /// Name in the report, where not the compact text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

fn is_zero(blocks: &u32) -> bool {
    *blocks == 0
}
