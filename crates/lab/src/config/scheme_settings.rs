//! A setting of schemes is declared once, as a field of [`SchemeTable`] with its help and its rules, by `scheme_settings!`.
//! From there come the compact text, the TOML table, the configuration of `ftl`, the keys of a sweep,
//! `ftlkit list schemes`, help, and the schemes' pages.

use super::notation::{Notation, Percent, Word, placement_values, victim_values};
use flash::{CopyPath, WearRule};
use ftl::{
    AgeClock, BufferPolicy, BufferUnit, CleanUnits, CmtEviction, CmtPolicy, CollectionRam, Enqueue,
    FrontierSharing, PlacementKind, Preset, Probability, Regions, RftlTrigger, SchemeConfig,
    SlcSize, VictimKind, WhenFull, WriteQueue,
};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt::Display;
use workload::quantity::{Bytes, Count, Duration, Quantity, Units, read_share, share};

/// Schemes that have a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Those whose preset names it.
    Named,
    /// All but those with zones, which neither copy pages nor buffer them.
    Unzoned,
    /// All.
    All,
}

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
    /// Schemes that have it.
    pub of: Of,
    /// True if a bare number is refused: it would be nanoseconds, which users who omit the unit hardly ever mean.
    pub(super) needs_unit: bool,
    /// Parses a value and stores it.
    pub(super) read: fn(&mut SchemeTable, &str, &Self) -> Result<(), String>,
    /// The value if it is set.
    pub(super) text: fn(&SchemeTable) -> Option<String>,
}

/// A field of a scheme's table.
pub(super) trait Value {
    /// The field in a configuration of `ftl`.
    type Plain;

    /// Values that it accepts.
    fn values() -> String;

    fn read(&mut self, text: &str, of: &SchemeSetting) -> Result<(), String>;

    /// The value if it is set.
    fn text(&self) -> Option<String>;

    fn plain(&self) -> Self::Plain;
}

/// Leaves a field out of a table if it is not set.
pub(super) fn is_unset(field: &impl Value) -> bool {
    field.text().is_none()
}

/// A value of a setting that has no value by default.
pub(super) trait Given: Clone + Display {
    type Plain;

    fn values() -> String {
        String::new()
    }

    fn read(text: &str, of: &SchemeSetting) -> Result<Self, String>;

    fn plain(self) -> Self::Plain;
}

impl<T: Given> Value for Option<T> {
    type Plain = Option<T::Plain>;

    fn values() -> String {
        T::values()
    }

    fn read(&mut self, text: &str, of: &SchemeSetting) -> Result<(), String> {
        *self = Some(T::read(text, of)?);
        Ok(())
    }

    fn text(&self) -> Option<String> {
        self.as_ref().map(T::to_string)
    }

    fn plain(&self) -> Self::Plain {
        self.clone().map(T::plain)
    }
}

impl<N: Notation + Clone> Given for Word<N> {
    type Plain = N;

    fn values() -> String {
        N::values()
    }

    fn read(text: &str, _: &SchemeSetting) -> Result<Self, String> {
        text.parse()
    }

    fn plain(self) -> N {
        self.0
    }
}

impl<U: Units + Clone> Given for Quantity<U> {
    type Plain = u64;

    fn values() -> String {
        U::WHAT.into()
    }

    fn read(text: &str, _: &SchemeSetting) -> Result<Self, String> {
        text.parse().map_err(|error: workload::quantity::QuantityError| error.to_string())
    }

    fn plain(self) -> u64 {
        self.0
    }
}

/// Values that are themselves in a configuration, and how they are read.
macro_rules! plain {
    ($($Type:ty, $text:ident, $of:ident => $read:expr, $fault:expr, $values:literal;)*) => {$(
        impl Given for $Type {
            type Plain = Self;

            fn values() -> String {
                $values.into()
            }

            fn read($text: &str, $of: &SchemeSetting) -> Result<Self, String> {
                let read: Option<Self> = $read;
                read.ok_or_else(|| format!("{} {}, not `{}`", $of.key, $fault, $text))
            }

            fn plain(self) -> Self {
                self
            }
        }
    )*};
}
plain! {
    bool, text, of => text.parse().ok(), "is `true` or `false`", "true or false";
    f64, text, of => text.parse().ok(), format!("must be a number such as {}", of.example.unwrap_or_default()), "";
    // What is counted, without the range.
    u32, text, of => text.parse::<Count>().ok().and_then(|count| count.0.try_into().ok()),
        format!("is {}", (of.values)().split(',').next().unwrap_or_default()), "";
    String, text, of => Some(text.into()), "", "";
}

/// Settings that are `false` or 0 by default.
macro_rules! nothing_by_default {
    ($($Type:ty),*) => {$(
        impl Value for $Type {
            type Plain = Self;

            fn values() -> String {
                <Self as Given>::values()
            }

            fn read(&mut self, text: &str, of: &SchemeSetting) -> Result<(), String> {
                *self = Given::read(text, of)?;
                Ok(())
            }

            fn text(&self) -> Option<String> {
                (*self != Self::default()).then(|| self.to_string())
            }

            fn plain(&self) -> Self {
                *self
            }
        }
    )*};
}
nothing_by_default!(bool, u32);

/// Declares a scheme's table and its settings.
///
/// A setting is its help as a doc comment, `key (rules of serde): type => field of SchemeConfig via function`, and in braces
/// whatever of [`SchemeSetting`] differs.
macro_rules! scheme_settings {
    ($(
        $(#[doc = $doc:literal])+
        $field:ident $(($($serde:tt)*))?: $Type:ty $(=> $($to:ident).+ $(via $via:path)?)?,
            { $($rule:ident: $value:expr),* $(,)? }
    )*) => {
        /// One scheme of an experiment.
        ///
        /// In TOML it is a text (`"fsr"`, `"lazy-rtgc+victim=fifo+share=0.8+idle"`) or a table with these fields.
        /// Values of each field: [`SCHEME_SETTINGS`].
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct SchemeTable {
            /// Preset of the registry.
            pub name: String,
            $(
                $(#[doc = $doc])+
                #[serde(default, skip_serializing_if = "is_unset" $(, $($serde)*)?)]
                pub $field: $Type,
            )*
        }

        impl SchemeTable {
            /// Sets what a field of the configuration says as it is.
            pub(super) fn configure(&self, config: &mut SchemeConfig) {
                $($(config.$($to).+ = $($via)?(self.$field.plain());)?)*
            }
        }

        const DECLARED: [SchemeSetting; [$(stringify!($field)),*].len()] = [$(SchemeSetting {
            $($rule: $value,)*
            ..SchemeSetting {
                key: stringify!($field),
                long_key: stringify!($field),
                example: None,
                values: <$Type as Value>::values,
                doc: concat!($($doc),+).trim_ascii(),
                of: Of::Named,
                needs_unit: false,
                read: |scheme, text, of| scheme.$field.read(text, of),
                text: |scheme| scheme.$field.text(),
            }
        }),*];
    };
}

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

    /// collection of translation pages writes the dirty mappings of each page with its copy; default: false
    merges_map: bool => merges_map, { key: "merge" }

    /// data and translation pages take their blocks from one pool, in which the block with the fewest valid pages of either
    /// kind is collected next; no bound is derived; default: false
    one_pool: bool => one_pool, { key: "one_pool" }

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
    /// (primary-full), when its buffer block holds this many pages, or as late as the bound allows (late); default:
    /// primary-full
    trigger: Option<Word<RftlTrigger>> => trigger, { example: Some("late") }

    /// log blocks (update blocks), which take overwrites; default: the scheme's own
    log_blocks: Option<u32> => log_blocks, { example: Some("64"), values: || "a count of blocks, at least 1".into() }

    /// adjacent logical blocks that share their physical blocks; default: 8
    superblock: Option<u32> => superblock, { example: Some("16"), values: || "a power of 2".into() }

    /// cost, in page programs, of the merges that the eviction of a dirty page causes, as victim selection by least cost
    /// counts it; default: (t_R + t_PROG)/t_PROG of the part
    alpha: Option<f64>, { example: Some("1.125"), values: || "0 to 1000, rounded to thousandths".into() }

    /// open blocks for host writes and for copies: separate (split) or the same (shared); default: split if whole blocks are
    /// collected, else shared
    frontiers: Option<Word<FrontierSharing>> => frontiers, { example: Some("shared") }

    /// blocks' worth of pages that collection frees once it begins, over as many victims as that takes; needs frontiers=shared;
    /// default: none, one victim that gives the write room
    refill: Option<u32> => refill, { example: Some("1"), values: || "a count of blocks, at least 1".into() }

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
    logical_share (alias = "share", deserialize_with = "some_share"): Option<f64>,
        {
            key: "share",
            example: Some("0.8"),
            values: || {
                "above 0 and below 1, or in per cent; `op=28%` is the same as `share=0.78125`".into()
            },
            of: Of::All,
            read: |scheme, value, _| {
                scheme.logical_share = Some(share(value).map_err(|why| format!("share: {why}"))?);
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
fn some_share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    read_share(deserializer).map(Some)
}

/// Key of the other notation of `share`: user pages and their over-provisioning, as data sheets give them.
pub(super) const OVER_PROVISIONING: &str = "op";

/// The share of an over-provisioning ratio, (physical − logical) / logical, in millionths: `28%` is 0.78125.
///
/// # Errors
/// If it is no ratio above 0.
pub(super) fn share_of_op(text: &str) -> Result<f64, String> {
    let is = "op is (physical - logical) / logical pages, above 0, such as 28% or 0.28";
    // Unlike a share, it may be above 1.
    let ratio = share(text).map_err(|why| match text.trim().parse::<f64>() {
        Ok(ratio) if ratio.is_finite() => {
            format!("{is}: {why}, or `{}%` if there are so many more", (ratio * 1e8).round() / 1e6)
        }
        _ => format!("{is}: {why}"),
    })?;
    if ratio <= 0.0 {
        return Err(format!("{is}, not `{text}`"));
    }
    Ok((1e6 / (1.0 + ratio)).round() / 1e6)
}

impl SchemeSetting {
    /// True if every scheme has the setting, but for those with zones; otherwise only schemes whose preset names it have it.
    pub fn of_all(&self) -> bool {
        self.of != Of::Named
    }

    /// Sets it.
    ///
    /// # Errors
    /// Why the text is none of its values.
    pub(super) fn set(&self, scheme: &mut SchemeTable, text: &str) -> Result<(), String> {
        if self.needs_unit && text != "0" && text.bytes().all(|byte| byte.is_ascii_digit()) {
            let key = self.key;
            return Err(format!("{key} takes a time with its unit, as `{text}s` or `{text}us`"));
        }
        (self.read)(scheme, text, self)
    }

    /// The setting of this short or long name.
    pub(super) fn by_name(name: &str) -> Option<&'static Self> {
        SCHEME_SETTINGS.iter().find(|setting| setting.key == name || setting.long_key == name)
    }

    /// The settings of a scheme: its own, then those that all schemes have.
    pub fn of(preset: &Preset) -> impl Iterator<Item = &'static Self> {
        let settings = preset.settings;
        let own = SCHEME_SETTINGS.iter().filter(|setting| settings.contains(&setting.key));
        let zoned = preset.is_zoned();
        own.chain(
            SCHEME_SETTINGS.iter().filter(move |setting| {
                setting.of == Of::All || setting.of == Of::Unzoned && !zoned
            }),
        )
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
    use crate::catalogue;
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
                true => SCHEME_SETTINGS.iter().filter(|setting| setting.of == Of::All).count(),
                false => SCHEME_SETTINGS.iter().filter(|setting| setting.of_all()).count(),
            };
            assert_eq!(SchemeSetting::of(preset).count(), preset.settings.len() + of_all);
        }
    }

    #[test]
    fn the_table_takes_every_setting_and_the_examples_are_right() {
        let mut table = SchemeTable { name: "any".into(), ..SchemeTable::default() };
        for setting in SCHEME_SETTINGS {
            setting.set(&mut table, setting.example.unwrap_or("true")).unwrap();
        }
        let text = toml::Table::try_from(&table).unwrap();
        let keys: std::collections::BTreeSet<_> = text.keys().map(String::as_str).collect();
        let long = SCHEME_SETTINGS.iter().map(|setting| setting.long_key);
        assert_eq!(keys, long.chain(["name"]).collect());
        assert_eq!(text.try_into(), Ok(table));
    }
}
