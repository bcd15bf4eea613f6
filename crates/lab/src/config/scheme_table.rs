//! Table of a scheme in an experiment: every setting of schemes, each declared once.

use super::notation::{Percent, Word, placement_values, victim_values};
use super::scheme_settings::{Of, SchemeSetting, Value, is_unset, scheme_settings};
use flash::{CopyPath, WearRule};
use ftl::{
    AgeClock, BufferPolicy, BufferUnit, CleanUnits, CmtEviction, CmtPolicy, CollectionRam, Enqueue,
    FrontierSharing, PlacementKind, Probability, Regions, RftlTrigger, SchemeConfig, SlcSize,
    VictimKind, WhenFull, WriteQueue,
};
use serde::{Deserialize, Deserializer, Serialize, de};
use workload::quantity::{Bytes, Duration, decimal};

scheme_settings! {
    /// victim selection among full blocks; the scheme's page lists the policies that it accepts; default: the scheme's own
    victim: Option<Word<VictimKind>> => victim, { example: Some("fifo"), values: victim_values }

    /// also collect in idle time; default: false
    idle_collection: bool => idle_collection, { key: "idle" }

    /// RAM of the cached mapping table (CMT); default: the scheme's own
    cmt_bytes: Option<Bytes> => cmt_bytes, { key: "cmt", example: Some("256KiB") }

    /// eviction policy of the cached mapping table: least recently used (lru), or segmented LRU, which evicts mappings used
    /// once first (slru); default: the scheme's own
    cmt_policy: Option<Word<CmtPolicy>> => cmt_policy, { example: Some("slru") }

    /// eviction of dirty mappings from the cached mapping table: not at all (clean), with all dirty mappings of their
    /// translation page (page), each alone (mapping), or alone if a read evicts it (reads); default: the scheme's own
    cmt_eviction: Option<Word<CmtEviction>> => cmt_eviction, { key: "cmt_evict", example: Some("mapping") }

    /// fill level of the collection queue below which nothing is collected; default: the scheme's own
    queue_threshold: Option<Word<Percent>> => queue_threshold_percent via whole,
        { key: "threshold", example: Some("80%") }

    /// length of the write queue: as its paper prints it (printed), or as the worst-case order of requests needs it (proven);
    /// default: proven
    write_queue: Option<Word<WriteQueue>> => write_queue, { key: "queue", example: Some("printed") }

    /// when RAM takes writes to the block under collection: in its read and erase states (states, as in Algorithm 1) or in
    /// every state (collection, as in the paper's evaluation); default: states
    collection_ram: Option<Word<CollectionRam>> => collection_ram, { key: "ram", example: Some("collection") }

    /// when a data block is queued for collection: with its last page (full) or with the first page that it cannot take
    /// (overflow); default: full
    enqueue: Option<Word<Enqueue>> => enqueue, { example: Some("overflow") }

    /// logical blocks folded when no block is free; default: 1
    folds: Option<u32> => folds, { example: Some("8"), values: || "a count of logical blocks, at least 1".into() }

    /// size of a zone, which is its capacity too; default: a block on each die
    zone_size: Option<Bytes> => zone_bytes,
        { key: "zone", example: Some("64MiB"), values: || "a size, in whole blocks".into() }

    /// most zones that are open at once; one more closes the one that a write opened first; default: 14, at most max_active
    max_open: Option<u32> => max_open, { example: Some("8"), values: || "a count of zones, 1 to max_active".into() }

    /// most zones that are open or closed at once; writes to one more are refused; default: 14
    max_active: Option<u32> => max_active, { example: Some("14"), values: || "a count of zones, at least 1".into() }

    /// moment at which collection of a logical block begins: with the first write that finds its primary block full
    /// (primary-full), or as late as the bound allows (late); default: late
    trigger: Option<Word<RftlTrigger>> => trigger, { example: Some("primary-full") }

    /// log blocks (update blocks), which take overwrites; default: the scheme's own
    log_blocks: Option<u32> => log_blocks, { example: Some("64"), values: || "a count of blocks, at least 1".into() }

    /// cost, in page programs, of the merges that the eviction of a dirty page causes, as victim selection by least cost
    /// counts it; default: (t_R + t_PROG)/t_PROG of the part
    alpha: Option<f64>, { example: Some("1.125"), values: || "0 to 1000, rounded to thousandths".into() }

    /// open blocks for host writes and for copies: separate (split) or the same (shared); default: split if whole blocks are
    /// collected, else shared
    frontiers: Option<Word<FrontierSharing>> => frontiers, { example: Some("shared") }

    /// open blocks to which host writes and copies go: one for all (none), one for each of the two (split), or several,
    /// chosen by a policy; not together with `frontiers`; default: that of `frontiers`
    placement: Option<Word<PlacementKind>> => placement, { example: Some("sepbit"), values: placement_values }

    /// SLC cache: host writes go to blocks in SLC mode first, and idle time folds them: into blocks set aside (static), or as
    /// many as the pages in use leave over (dynamic); needs a part with an SLC mode; default: none
    slc: Option<Word<Option<SlcSize>>> => slc via Option::flatten, { example: Some("static:10%") }

    /// host writes that find the SLC cache full: go to blocks in the part's own mode (direct), or wait until a block of the
    /// cache is folded (fold); default: direct
    slc_full: Option<Word<WhenFull>> => slc_full, { example: Some("fold") }

    /// write buffer above the scheme; default: the scheme's own buffer, if it has one
    buffer: Option<Word<Option<&'static BufferPolicy>>> => buffer.policy,
        { example: Some("three-region"), of: Of::Unzoned }

    /// capacity of the buffer, in user bytes; default: 16 MiB, but at most an eighth of the array
    buffer_size: Option<Bytes> => buffer.bytes, { example: Some("16MiB"), of: Of::Unzoned }

    /// eviction unit of the buffer; default: page for lru and cflru, block for the others
    buffer_unit: Option<Word<BufferUnit>> => buffer.unit, { example: Some("block"), of: Of::Unzoned }

    /// longest time that a page stays dirty in the buffer; default: 30 s
    buffer_age: Option<Duration> => buffer.age_ns,
        { example: Some("30s"), values: || "a time; 0: no limit".into(), of: Of::Unzoned, needs_unit: true }

    /// clock by which dirty pages age: the device's own, or the arrival times of requests, as in a simulator that takes the
    /// times of a trace (not with an SSD); default: device
    buffer_clock: Option<Word<AgeClock>> => buffer.clock, { example: Some("arrival"), of: Of::Unzoned }

    /// when units without a dirty page leave a full buffer: in the order of its policy (order), or before all others, the
    /// longest clean first (first); default: order
    buffer_clean: Option<Word<CleanUnits>> => buffer.clean, { example: Some("first"), of: Of::Unzoned }

    /// access time of the buffer per page; default: 0
    buffer_time: Option<Duration> => buffer.ram_ns, { example: Some("500ns"), of: Of::Unzoned, needs_unit: true }

    /// whether reads bring pages into the buffer; default: true for cflru, false for the others
    buffer_reads: Option<bool> => buffer.reads, { of: Of::Unzoned }

    /// cflru: share of the buffer, at its least recently used end, in which clean pages are evicted first; default: 25 %
    buffer_window: Option<Word<Percent>> => buffer.window_percent via whole, { example: Some("25%"), of: Of::Unzoned }

    /// three-region: sizes of the initial and the to-be-updated region, or the limits between which each adapts; default:
    /// adaptive:5%:10%
    buffer_regions: Option<Word<Regions>> => buffer.regions, { example: Some("25%:50%"), of: Of::Unzoned }

    /// three-region: probability that a dirty page of the initial, the to-be-updated and the to-be-evicted region is updated
    /// before it is evicted, as victim selection counts it; default: 30%:100%:0%
    buffer_updates: Option<Word<[Probability; 3]>> => buffer.updates, { example: Some("30%:100%:0%"), of: Of::Unzoned }

    /// whether collection takes dirty pages from the buffer (BA-BM); default: the scheme's own
    aware: Option<bool> => buffer.aware, {}

    /// copy path, where the two blocks allow it: within a device internally (icb; icb-unchecked: bit errors are copied, too)
    /// or through the controller (lcb); between devices through the controller (gcb) or directly (dgcb); needs a part with
    /// bus cycles; default: lcb on one device, gcb on several
    copy: Option<Word<CopyPath>>, { example: Some("dgcb"), of: Of::Unzoned }

    /// whether copies between devices use cache program; default: false
    copy_cache: Option<bool>, { of: Of::Unzoned }

    /// static wear levelling: after an erase the data of a cold block move to the worn block, by a table of the sets of 2^K
    /// blocks erased recently, from T erases per set on (bet), or beyond a difference of N erases (gap); default: off
    wear: Option<Word<Option<WearRule>>> => static_wear via Option::flatten,
        { example: Some("gap:50"), of: Of::Unzoned }

    /// dynamic wear levelling: the least worn free block is written next, not the one erased first; default: true for
    /// page-mapped schemes, which alone can choose
    dynamic_wear: Option<bool> => dynamic_wear, { of: Of::Unzoned }

    /// logical pages / physical pages, or with `op` (physical - logical) / logical pages
    logical_share (alias = "share", deserialize_with = "share"): Option<f64>,
        {
            key: "share",
            example: Some("0.8"),
            values: || {
                "above 0 and below 1, or in per cent; `op=28%` is the same as `share=0.78125`".into()
            },
            of: Of::All,
            read: |scheme, value, _| {
                let share = decimal(value);
                let fault = || format!("share must be a number such as 0.8 or 80%, not `{value}`");
                scheme.logical_share = Some(share.ok_or_else(fault)?);
                Ok(())
            },
        }

    /// blocks held back to replace blocks that go bad; default: 0
    spare_blocks: u32 => spare_blocks,
        { key: "spare", example: Some("4"), values: || "a count of blocks".into(), of: Of::All }

    /// name in the report; default: the scheme and its settings
    label: Option<String>, {
        example: Some("mine"),
        values: || "a text".into(),
        of: Of::All,
        // A label replaces the compact text and is not part of it.
        text: |_| None,
    }
}

/// All settings, in the order in which the compact text prints them: the share, which a table has beside the spare blocks,
/// comes second.
pub static SCHEME_SETTINGS: &[SchemeSetting] = &{
    let mut all = DECLARED;
    let mut at = all.len() - 3;
    while at > 1 {
        all.swap(at, at - 1);
        at -= 1;
    }
    all
};

fn whole(percent: Option<Percent>) -> Option<u8> {
    percent.map(|percent| percent.0)
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
