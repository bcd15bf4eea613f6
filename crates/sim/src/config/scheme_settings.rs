//! Settings of schemes: the one list that knows their names, values and help. The compact text, the TOML
//! table, `ftlkit list schemes` and the schemes' pages use it.

use super::scheme_table::SchemeTable;
use crate::catalogue;
use ftl::Preset;
use ftl::page_mapped::placement::PlacementPolicy;
use std::fmt::Display;
use std::str::FromStr;
use workload::quantity::{Count, Duration, decimal};

/// One setting of a scheme.
pub struct SchemeSetting {
    /// Name in the compact text.
    pub key: &'static str,
    /// Name in a TOML table.
    pub long_key: &'static str,
    /// A valid value; `None` if the name alone sets it.
    pub example: Option<&'static str>,
    /// Values that it accepts.
    pub values: fn() -> String,
    /// One line of help.
    pub doc: &'static str,
    /// True if every scheme has the setting; otherwise only schemes whose preset names it have it.
    pub of_all: bool,
    /// Parses a value and stores it.
    pub(super) read: fn(&mut SchemeTable, &str) -> Result<(), String>,
    /// The value if it is set; empty if the name alone says it.
    pub(super) print: fn(&SchemeTable) -> Option<String>,
}

/// Settings of all schemes that a scheme with zones has, too: it neither copies pages nor buffers them.
const SETTINGS_WITH_ZONES: [&str; 3] = ["share", "spare", "label"];

/// All settings, in the order in which the compact text prints them.
pub static SCHEME_SETTINGS: &[SchemeSetting] = &[
    SchemeSetting {
        key: "victim",
        long_key: "victim",
        example: Some("fifo"),
        values: victim_values,
        doc: "victim selection among full blocks; the scheme's page lists the policies that it accepts; \
            default: the scheme's own",
        of_all: false,
        read: |scheme, value| read(&mut scheme.victim, value),
        print: |scheme| printed(&scheme.victim),
    },
    SchemeSetting {
        key: "share",
        long_key: "logical_share",
        example: Some("0.8"),
        values: || {
            "above 0 and below 1, or in per cent; `op=28%` is the same as `share=0.78125`".into()
        },
        doc: "logical pages / physical pages, or with `op` (physical - logical) / logical pages",
        of_all: true,
        read: |scheme, value| {
            let share = decimal(value);
            let share = share.ok_or_else(|| {
                format!("share must be a number such as 0.8 or 80%, not `{value}`")
            })?;
            scheme.logical_share = Some(share);
            Ok(())
        },
        print: |scheme| printed(&scheme.logical_share),
    },
    SchemeSetting {
        key: "idle",
        long_key: "idle_collection",
        example: None,
        values: || "true or false".into(),
        doc: "also collect in idle time; default: false",
        of_all: false,
        read: |scheme, value| {
            scheme.idle_collection =
                value.parse().map_err(|_| format!("idle is `true` or `false`, not `{value}`"))?;
            Ok(())
        },
        print: |scheme| scheme.idle_collection.then(String::new),
    },
    SchemeSetting {
        key: "cmt",
        long_key: "cmt_bytes",
        example: Some("256KiB"),
        values: || "a size".into(),
        doc: "RAM of the cached mapping table (CMT); default: the scheme's own",
        of_all: false,
        read: |scheme, value| read(&mut scheme.cmt_bytes, value),
        print: |scheme| printed(&scheme.cmt_bytes),
    },
    SchemeSetting {
        key: "cmt_policy",
        long_key: "cmt_policy",
        example: Some("slru"),
        values: || "lru or slru".into(),
        doc: "eviction policy of the cached mapping table: least recently used (lru), or segmented LRU, which \
            evicts mappings used once first (slru); default: the scheme's own",
        of_all: false,
        read: |scheme, value| read(&mut scheme.cmt_policy, value),
        print: |scheme| printed(&scheme.cmt_policy),
    },
    SchemeSetting {
        key: "cmt_evict",
        long_key: "cmt_eviction",
        example: Some("mapping"),
        values: || "clean, page, reads or mapping".into(),
        doc: "eviction of dirty mappings from the cached mapping table: not at all (clean), with all dirty mappings \
            of their translation page (page), each alone (mapping), or alone if a read evicts it (reads); default: the scheme's own",
        of_all: false,
        read: |scheme, value| read(&mut scheme.cmt_eviction, value),
        print: |scheme| printed(&scheme.cmt_eviction),
    },
    SchemeSetting {
        key: "threshold",
        long_key: "queue_threshold",
        example: Some("80%"),
        values: || "0% to 100%".into(),
        doc: "fill level of the collection queue below which nothing is collected; default: the scheme's own",
        of_all: false,
        read: |scheme, value| read(&mut scheme.queue_threshold, value),
        print: |scheme| printed(&scheme.queue_threshold),
    },
    SchemeSetting {
        key: "queue",
        long_key: "write_queue",
        example: Some("printed"),
        values: || "printed or proven".into(),
        doc: "length of the write queue: as its paper prints it (printed), or as the worst-case order of \
            requests needs it (proven); default: proven",
        of_all: false,
        read: |scheme, value| read(&mut scheme.write_queue, value),
        print: |scheme| printed(&scheme.write_queue),
    },
    SchemeSetting {
        key: "ram",
        long_key: "collection_ram",
        example: Some("collection"),
        values: || "states or collection".into(),
        doc: "when RAM takes writes to the block under collection: in its read and erase states (states, as in \
            Algorithm 1) or in every state (collection, as in the paper's evaluation); default: states",
        of_all: false,
        read: |scheme, value| read(&mut scheme.collection_ram, value),
        print: |scheme| printed(&scheme.collection_ram),
    },
    SchemeSetting {
        key: "enqueue",
        long_key: "enqueue",
        example: Some("overflow"),
        values: || "full or overflow".into(),
        doc: "when a data block is queued for collection: with its last page (full) or with the first page that \
            it cannot take (overflow); default: full",
        of_all: false,
        read: |scheme, value| read(&mut scheme.enqueue, value),
        print: |scheme| printed(&scheme.enqueue),
    },
    SchemeSetting {
        key: "folds",
        long_key: "folds",
        example: Some("8"),
        values: || "a count of logical blocks, at least 1".into(),
        doc: "logical blocks folded when no block is free; default: 1",
        of_all: false,
        read: |scheme, value| read_count("folds", "logical blocks", &mut scheme.folds, value),
        print: |scheme| printed(&scheme.folds),
    },
    SchemeSetting {
        key: "zone",
        long_key: "zone_size",
        example: Some("64MiB"),
        values: || "a size, in whole blocks".into(),
        doc: "size of a zone, which is its capacity too; default: a block on each die",
        of_all: false,
        read: |scheme, value| read(&mut scheme.zone_size, value),
        print: |scheme| printed(&scheme.zone_size),
    },
    SchemeSetting {
        key: "max_open",
        long_key: "max_open",
        example: Some("8"),
        values: || "a count of zones, 1 to max_active".into(),
        doc: "most zones that are open at once; one more closes the one that a write opened first; default: 14, at most \
            max_active",
        of_all: false,
        read: |scheme, value| read_count("max_open", "zones", &mut scheme.max_open, value),
        print: |scheme| printed(&scheme.max_open),
    },
    SchemeSetting {
        key: "max_active",
        long_key: "max_active",
        example: Some("14"),
        values: || "a count of zones, at least 1".into(),
        doc: "most zones that are open or closed at once; writes to one more are refused; default: 14",
        of_all: false,
        read: |scheme, value| read_count("max_active", "zones", &mut scheme.max_active, value),
        print: |scheme| printed(&scheme.max_active),
    },
    SchemeSetting {
        key: "trigger",
        long_key: "trigger",
        example: Some("primary-full"),
        values: || "primary-full or late".into(),
        doc: "moment at which collection of a logical block begins: with the first write that finds its primary \
            block full (primary-full), or as late as the bound allows (late); default: late",
        of_all: false,
        read: |scheme, value| read(&mut scheme.trigger, value),
        print: |scheme| printed(&scheme.trigger),
    },
    SchemeSetting {
        key: "log_blocks",
        long_key: "log_blocks",
        example: Some("64"),
        values: || "a count of blocks, at least 1".into(),
        doc: "log blocks (update blocks), which take overwrites; default: the scheme's own",
        of_all: false,
        read: |scheme, value| read_count("log_blocks", "blocks", &mut scheme.log_blocks, value),
        print: |scheme| printed(&scheme.log_blocks),
    },
    SchemeSetting {
        key: "alpha",
        long_key: "alpha",
        example: Some("1.125"),
        values: || "0 to 1000, rounded to thousandths".into(),
        doc: "cost, in page programs, of the merges that the eviction of a dirty page causes, as victim selection by \
            least cost counts it; default: (t_R + t_PROG)/t_PROG of the part",
        of_all: false,
        read: |scheme, value| {
            let alpha = value.parse();
            let alpha = alpha
                .map_err(|_| format!("alpha must be a number such as 1.125, not `{value}`"))?;
            scheme.alpha = Some(alpha);
            Ok(())
        },
        print: |scheme| printed(&scheme.alpha),
    },
    SchemeSetting {
        key: "frontiers",
        long_key: "frontiers",
        example: Some("shared"),
        values: || "split or shared".into(),
        doc: "open blocks for host writes and for copies: separate (split) or the same (shared); default: split \
            if whole blocks are collected, else shared",
        of_all: false,
        read: |scheme, value| read(&mut scheme.frontiers, value),
        print: |scheme| printed(&scheme.frontiers),
    },
    SchemeSetting {
        key: "placement",
        long_key: "placement",
        example: Some("sepbit"),
        values: placement_values,
        doc: "open blocks to which host writes and copies go: one for all (none), one for each of the two (split), or \
            several, chosen by a policy; not together with `frontiers`; default: that of `frontiers`",
        of_all: false,
        read: |scheme, value| read(&mut scheme.placement, value),
        print: |scheme| printed(&scheme.placement),
    },
    SchemeSetting {
        key: "slc",
        long_key: "slc",
        example: Some("static:10%"),
        values: || {
            "none, static:SHARE or dynamic, SHARE above 0% and below 100% of the blocks".into()
        },
        doc: "SLC cache: host writes go to blocks in SLC mode first, and idle time folds them: into blocks set aside \
            (static), or as many as the pages in use leave over (dynamic); needs a part with an SLC mode; default: none",
        of_all: false,
        read: |scheme, value| read(&mut scheme.slc, value),
        print: |scheme| printed(&scheme.slc),
    },
    SchemeSetting {
        key: "slc_full",
        long_key: "slc_full",
        example: Some("fold"),
        values: || "direct or fold".into(),
        doc: "host writes that find the SLC cache full: go to blocks in the part's own mode (direct), or wait until a \
            block of the cache is folded (fold); default: direct",
        of_all: false,
        read: |scheme, value| read(&mut scheme.slc_full, value),
        print: |scheme| printed(&scheme.slc_full),
    },
    SchemeSetting {
        key: "buffer",
        long_key: "buffer",
        example: Some("three-region"),
        values: buffer_values,
        doc: "write buffer above the scheme; default: the scheme's own buffer, if it has one",
        of_all: true,
        read: |scheme, value| read(&mut scheme.buffer, value),
        print: |scheme| printed(&scheme.buffer),
    },
    SchemeSetting {
        key: "buffer_size",
        long_key: "buffer_size",
        example: Some("16MiB"),
        values: || "a size".into(),
        doc: "capacity of the buffer, in user bytes; default: 16 MiB, but at most an eighth of the array",
        of_all: true,
        read: |scheme, value| read(&mut scheme.buffer_size, value),
        print: |scheme| printed(&scheme.buffer_size),
    },
    SchemeSetting {
        key: "buffer_unit",
        long_key: "buffer_unit",
        example: Some("block"),
        values: || "page or block".into(),
        doc: "eviction unit of the buffer; default: page for lru and cflru, block for the others",
        of_all: true,
        read: |scheme, value| read(&mut scheme.buffer_unit, value),
        print: |scheme| printed(&scheme.buffer_unit),
    },
    SchemeSetting {
        key: "buffer_age",
        long_key: "buffer_age",
        example: Some("30s"),
        values: || "a time; 0: no limit".into(),
        doc: "longest time that a page stays dirty in the buffer; default: 30 s",
        of_all: true,
        read: |scheme, value| read_time("buffer_age", &mut scheme.buffer_age, value),
        print: |scheme| printed(&scheme.buffer_age),
    },
    SchemeSetting {
        key: "buffer_clock",
        long_key: "buffer_clock",
        example: Some("arrival"),
        values: || "device or arrival".into(),
        doc: "clock by which dirty pages age: the device's own, or the arrival times of requests, as in a simulator \
            that takes the times of a trace (not with an SSD); default: device",
        of_all: true,
        read: |scheme, value| read(&mut scheme.buffer_clock, value),
        print: |scheme| printed(&scheme.buffer_clock),
    },
    SchemeSetting {
        key: "buffer_clean",
        long_key: "buffer_clean",
        example: Some("first"),
        values: || "order or first".into(),
        doc: "when units without a dirty page leave a full buffer: in the order of its policy (order), or before all \
            others, the longest clean first (first); default: order",
        of_all: true,
        read: |scheme, value| read(&mut scheme.buffer_clean, value),
        print: |scheme| printed(&scheme.buffer_clean),
    },
    SchemeSetting {
        key: "buffer_time",
        long_key: "buffer_time",
        example: Some("500ns"),
        values: || "a time".into(),
        doc: "access time of the buffer per page; default: 0",
        of_all: true,
        read: |scheme, value| read_time("buffer_time", &mut scheme.buffer_time, value),
        print: |scheme| printed(&scheme.buffer_time),
    },
    SchemeSetting {
        key: "buffer_reads",
        long_key: "buffer_reads",
        example: None,
        values: || "true or false".into(),
        doc: "whether reads bring pages into the buffer; default: true for cflru, false for the others",
        of_all: true,
        read: |scheme, value| read_flag("buffer_reads", &mut scheme.buffer_reads, value),
        print: |scheme| printed_flag(scheme.buffer_reads),
    },
    SchemeSetting {
        key: "buffer_window",
        long_key: "buffer_window",
        example: Some("25%"),
        values: || "0% to 100%".into(),
        doc: "cflru: share of the buffer, at its least recently used end, in which clean pages are evicted \
            first; default: 25 %",
        of_all: true,
        read: |scheme, value| read(&mut scheme.buffer_window, value),
        print: |scheme| printed(&scheme.buffer_window),
    },
    SchemeSetting {
        key: "buffer_regions",
        long_key: "buffer_regions",
        example: Some("25%:50%"),
        values: || "adaptive, adaptive:LEAST:MOST or I:U, shares in percent".into(),
        doc: "three-region: sizes of the initial and the to-be-updated region, or the limits between which each \
            adapts; default: adaptive:5%:10%",
        of_all: true,
        read: |scheme, value| read(&mut scheme.buffer_regions, value),
        print: |scheme| printed(&scheme.buffer_regions),
    },
    SchemeSetting {
        key: "buffer_updates",
        long_key: "buffer_updates",
        example: Some("30%:100%:0%"),
        values: || "I:U:E, in percent".into(),
        doc: "three-region: probability that a dirty page of the initial, the to-be-updated and the to-be-evicted \
            region is updated before it is evicted, as victim selection counts it; default: 30%:100%:0%",
        of_all: true,
        read: |scheme, value| read(&mut scheme.buffer_updates, value),
        print: |scheme| printed(&scheme.buffer_updates),
    },
    SchemeSetting {
        key: "aware",
        long_key: "aware",
        example: None,
        values: || "true or false".into(),
        doc: "whether collection takes dirty pages from the buffer (BA-BM); default: the scheme's own",
        of_all: false,
        read: |scheme, value| read_flag("aware", &mut scheme.aware, value),
        print: |scheme| printed_flag(scheme.aware),
    },
    SchemeSetting {
        key: "copy",
        long_key: "copy",
        example: Some("dgcb"),
        values: || "icb, icb-unchecked, lcb, gcb or dgcb".into(),
        doc: "copy path, where the two blocks allow it: within a device internally (icb; icb-unchecked: bit \
            errors are copied, too) or through the controller (lcb); between devices through the controller \
            (gcb) or directly (dgcb); needs a part with bus cycles; default: lcb on one device, gcb on several",
        of_all: true,
        read: |scheme, value| read(&mut scheme.copy, value),
        print: |scheme| printed(&scheme.copy),
    },
    SchemeSetting {
        key: "copy_cache",
        long_key: "copy_cache",
        example: None,
        values: || "true or false".into(),
        doc: "whether copies between devices use cache program; default: false",
        of_all: true,
        read: |scheme, value| read_flag("copy_cache", &mut scheme.copy_cache, value),
        print: |scheme| printed_flag(scheme.copy_cache),
    },
    SchemeSetting {
        key: "wear",
        long_key: "wear",
        example: Some("gap:50"),
        values: || "off, bet:T[:K] or gap:N, T and N at least 1, K from 0 to 16".into(),
        doc: "static wear levelling: after an erase the data of a cold block move to the worn block, by a table \
            of the sets of 2^K blocks erased recently, from T erases per set on (bet), or beyond a difference \
            of N erases (gap); default: off",
        of_all: true,
        read: |scheme, value| read(&mut scheme.wear, value),
        print: |scheme| printed(&scheme.wear),
    },
    SchemeSetting {
        key: "dynamic_wear",
        long_key: "dynamic_wear",
        example: None,
        values: || "true or false".into(),
        doc: "dynamic wear levelling: the least worn free block is written next, not the one erased first; \
            default: true for page-mapped schemes, which alone can choose",
        of_all: true,
        read: |scheme, value| read_flag("dynamic_wear", &mut scheme.dynamic_wear, value),
        print: |scheme| printed_flag(scheme.dynamic_wear),
    },
    SchemeSetting {
        key: "spare",
        long_key: "spare_blocks",
        example: Some("4"),
        values: || "a count of blocks".into(),
        doc: "blocks held back to replace blocks that go bad; default: 0",
        of_all: true,
        read: |scheme, value| {
            scheme.spare_blocks =
                count(value).ok_or_else(|| format!("spare is a count of blocks, not `{value}`"))?;
            Ok(())
        },
        print: |scheme| (scheme.spare_blocks > 0).then(|| scheme.spare_blocks.to_string()),
    },
    SchemeSetting {
        key: "label",
        long_key: "label",
        example: Some("mine"),
        values: || "a text".into(),
        doc: "name in the report; default: the scheme and its settings",
        of_all: true,
        read: |scheme, value| {
            scheme.label = Some(value.into());
            Ok(())
        },
        // A label replaces the compact text and is not part of it.
        print: |_| None,
    },
];

/// Names of the write buffers.
fn buffer_values() -> String {
    let policies = catalogue::buffers().iter().map(|policy| policy.name.into());
    enumerated(["none".into()].into_iter().chain(policies), "or")
}

/// The policies and the ranges of their numbers; numbers with the same range are listed together.
fn victim_values() -> String {
    let policies = catalogue::victims().iter();
    let numbers: Vec<_> = policies.clone().flat_map(|policy| policy.numbers).collect();
    let mut ranges: Vec<_> = numbers.iter().map(|number| (number.most, number.unit)).collect();
    ranges.sort_unstable();
    ranges.dedup();
    let range = |(most, unit)| {
        let of_it = numbers.iter().filter(|number| (number.most, number.unit) == (most, unit));
        let mut letters: Vec<String> = of_it.map(|number| number.letter.to_string()).collect();
        letters.dedup();
        let letters = enumerated(letters.into_iter(), "and");
        format!(", {letters} from 1{unit} to {most}{unit}")
    };
    enumerated(policies.map(ToString::to_string), "or")
        + &ranges.into_iter().map(range).collect::<String>()
}

/// The placement policies.
fn placement_values() -> String {
    let range = |policy: &&PlacementPolicy| {
        let numbers = policy.numbers.iter();
        let numbers = numbers
            .map(|of| format!(", {} from 1{} to {}{}", of.letter, of.unit, of.most, of.unit));
        format!("{policy}{}", numbers.collect::<String>())
    };
    enumerated(catalogue::placements().iter().map(range), "or")
}

/// `a`, `a or b`, `a, b or c`.
fn enumerated(words: impl Iterator<Item = String>, last: &str) -> String {
    let words: Vec<_> = words.collect();
    match words.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{} {last} {end}", rest.join(", ")),
        _ => words.concat(),
    }
}

fn read<T: FromStr<Err: Display>>(setting: &mut Option<T>, value: &str) -> Result<(), String> {
    *setting = Some(value.parse().map_err(|error: T::Err| error.to_string())?);
    Ok(())
}

/// Rejects bare numbers: they would be nanoseconds, which users who omit the unit hardly ever mean.
fn read_time(key: &str, setting: &mut Option<Duration>, value: &str) -> Result<(), String> {
    if value != "0" && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("{key} takes a time with its unit, as `{value}s` or `{value}us`"));
    }
    read(setting, value)
}

fn read_count(key: &str, of: &str, setting: &mut Option<u32>, value: &str) -> Result<(), String> {
    let number = count(value);
    *setting = Some(number.ok_or_else(|| format!("{key} is a count of {of}, not `{value}`"))?);
    Ok(())
}

fn read_flag(key: &str, setting: &mut Option<bool>, value: &str) -> Result<(), String> {
    let flag = value.parse();
    *setting = Some(flag.map_err(|_| format!("{key} is `true` or `false`, not `{value}`"))?);
    Ok(())
}

/// Empty for `true`, because the name alone says it.
fn printed_flag(setting: Option<bool>) -> Option<String> {
    setting.map(|flag| if flag { String::new() } else { flag.to_string() })
}

fn printed<T: Display>(setting: &Option<T>) -> Option<String> {
    setting.as_ref().map(T::to_string)
}

/// Key of the other notation of `share`: user pages and their over-provisioning, as data sheets give them.
pub(super) const OVER_PROVISIONING: &str = "op";

/// The share of an over-provisioning ratio, (physical − logical) / logical, in millionths: `28%` is 0.78125.
///
/// # Errors
/// If it is no ratio above 0.
pub(super) fn share_of_op(text: &str) -> Result<f64, String> {
    let ratio = decimal(text).filter(|ratio| *ratio > 0.0 && ratio.is_finite());
    let ratio = ratio.ok_or_else(|| {
        format!(
            "op is (physical - logical) / logical pages, above 0, such as 28% or 0.28, not `{text}`"
        )
    })?;
    Ok((1e6 / (1.0 + ratio)).round() / 1e6)
}

fn count(text: &str) -> Option<u32> {
    text.parse::<Count>().ok().and_then(|count| count.0.try_into().ok())
}

impl SchemeSetting {
    /// The setting of this short or long name.
    pub(super) fn by_name(name: &str) -> Option<&'static Self> {
        SCHEME_SETTINGS.iter().find(|setting| setting.key == name || setting.long_key == name)
    }

    /// The settings of a scheme: its own, then those that all schemes have.
    pub fn of(preset: &Preset) -> impl Iterator<Item = &'static Self> {
        let settings = preset.settings;
        let own = SCHEME_SETTINGS.iter().filter(|setting| settings.contains(&setting.key));
        let zoned = preset.is_zoned();
        own.chain(SCHEME_SETTINGS.iter().filter(move |setting| {
            setting.of_all && (!zoned || SETTINGS_WITH_ZONES.contains(&setting.key))
        }))
    }

    /// Values that the setting accepts for a scheme.
    pub fn values_of(&self, preset: &Preset) -> String {
        let victims = preset.victims.filter(|_| self.key == "victim");
        victims.map_or_else(self.values, String::from)
    }

    /// Notation after a scheme's name: `victim=fifo`, `idle`.
    pub fn usage(&self) -> String {
        match self.example {
            Some(example) => format!("{}={example}", self.key),
            None => self.key.into(),
        }
    }

    /// As [`SchemeSetting::usage`], with a victim policy that this scheme accepts.
    pub fn usage_of(&self, preset: &Preset) -> String {
        let accepted = preset.victims.filter(|_| self.key == "victim").unwrap_or_default();
        match accepted.split([' ', ',']).next_back() {
            Some(last) if !last.is_empty() && !accepted.contains("fifo") => {
                format!("{}={last}", self.key)
            }
            _ => self.usage(),
        }
    }
}

impl std::fmt::Debug for SchemeSetting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SchemeSetting").field("key", &self.key).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftl::registry::REGISTRY;
    use ftl::{BUFFER_POLICIES, BufferPolicy, BufferUnit};

    #[test]
    fn every_policy_is_among_the_values() {
        let values = |key| (SchemeSetting::by_name(key).unwrap().values)();
        let victims = values("victim");
        let words: Vec<_> = victims.split([',', ' ']).collect();
        for policy in catalogue::victims() {
            assert!(words.contains(&&*policy.to_string()), "{policy}");
            for number in policy.numbers {
                let most = format!("{}{}", number.most, number.unit);
                assert!(words.contains(&&*most), "{policy}");
            }
        }
        let numbers = ", K and D from 1 to 64, T from 1% to 99%, C, G, U and R from 1% to 100%, B from 1 to 255, M and W from 1 to 65535";
        assert!(victims.ends_with(numbers), "{victims}");
        assert_eq!(values("buffer"), "none, lru, cflru, fab, bplru or three-region");
    }

    /// The help of each buffer setting names exactly the policies that declare the setting.
    #[test]
    fn help_names_the_policies_that_it_is_about() {
        type Is = fn(&BufferPolicy) -> bool;
        let about: [(&str, Is); 5] = [
            ("buffer_unit", |policy| policy.default_unit() == BufferUnit::Page),
            ("buffer_reads", |policy| policy.reads),
            ("buffer_window", |policy| policy.settings.contains(&"buffer_window")),
            ("buffer_regions", |policy| policy.settings.contains(&"buffer_regions")),
            ("buffer_updates", |policy| policy.settings.contains(&"buffer_updates")),
        ];
        for (key, is_it) in about {
            let doc = SchemeSetting::by_name(key).unwrap().doc;
            let words: Vec<_> = doc.split([' ', ',', ':', ';']).collect();
            for policy in BUFFER_POLICIES {
                assert_eq!(words.contains(&policy.name), is_it(policy), "{policy:?}: {doc}");
            }
        }
    }

    /// A scheme accepts a policy if and only if its documented values name it.
    #[test]
    fn a_scheme_takes_the_policies_that_its_values_name() {
        let part = &flash::parts::EVALUATION_SLC;
        let geometry = flash::Geometry::new(256, part.pages_per_block, part.page_bytes).unwrap();
        let setting = SchemeSetting::by_name("victim").unwrap();
        for preset in REGISTRY.iter().filter(|preset| preset.settings.contains(&"victim")) {
            let values = setting.values_of(preset);
            let words: Vec<_> = values.split([',', ' ']).collect();
            for policy in catalogue::victims() {
                // Of percentages a scheme may refuse some.
                let given = [&[][..], &[1], &[3]];
                let given = given.iter().take(if policy.numbers.len() > 1 { 1 } else { 3 });
                for kind in given.filter_map(|numbers| policy.kind(numbers)) {
                    let config = ftl::SchemeConfig {
                        victim: Some(kind),
                        ..ftl::SchemeConfig::preset(preset)
                    };
                    let taken = ftl::registry::plan(&config, part, &geometry, 256).is_ok();
                    let named = words.contains(&&*policy.to_string())
                        || words.contains(&&*kind.to_string());
                    assert_eq!(taken, named, "{kind} of {}: {values}", preset.name);
                }
            }
        }
    }

    #[test]
    fn every_setting_of_a_preset_is_known() {
        for preset in crate::catalogue::schemes() {
            for key in preset.settings {
                let known = SCHEME_SETTINGS.iter().any(|setting| setting.key == *key);
                assert!(known, "`{key}` of `{}`", preset.name);
            }
            let of_all = match preset.is_zoned() {
                true => SETTINGS_WITH_ZONES.len(),
                false => SCHEME_SETTINGS.iter().filter(|setting| setting.of_all).count(),
            };
            assert_eq!(SchemeSetting::of(preset).count(), preset.settings.len() + of_all);
        }
    }

    #[test]
    fn the_table_takes_every_setting_and_the_examples_are_right() {
        let mut table = SchemeTable { name: "any".into(), ..SchemeTable::default() };
        for setting in SCHEME_SETTINGS {
            (setting.read)(&mut table, setting.example.unwrap_or("true")).unwrap();
        }
        let text = toml::Table::try_from(&table).unwrap();
        let keys: std::collections::BTreeSet<_> = text.keys().map(String::as_str).collect();
        let long = SCHEME_SETTINGS.iter().map(|setting| setting.long_key);
        assert_eq!(keys, long.chain(["name"]).collect());
        assert_eq!(text.try_into(), Ok(table));
    }
}
