//! From settings to the buffer of one array, and its effect on the bounds.

use crate::buffer::policy::{
    BUFFER_POLICIES, BufferPolicy, BufferUnit, Regions, UPDATE_PROBABILITIES,
};
use crate::buffer::settings::{BufferPlan, BufferSettings};
use crate::error::FtlError;
use crate::plan::Plan;
use crate::preset::SchemeConfig;
use alloc::{format, string::String, vec::Vec};
use flash::{Geometry, Ns, Part};

const DEFAULT_BYTES: u64 = 16 << 20;
const DEFAULT_AGE_NS: Ns = 30_000_000_000;
const DEFAULT_WINDOW_PERCENT: u8 = 25;

impl BufferPlan {
    /// The buffer of this configuration for an array of this shape, if any.
    pub(crate) fn new(
        config: &SchemeConfig,
        geometry: &Geometry,
    ) -> Result<Option<Self>, FtlError> {
        let asked = &config.buffer;
        let error =
            |setting, reason| FtlError::Config { scheme: config.preset.name, setting, reason };
        let defaults = config.preset.buffer;
        let policy = asked.policy.unwrap_or(defaults.map(|defaults| defaults.policy));
        if asked.aware == Some(true) && !config.preset.settings.contains(&"aware") {
            let reason = format!("`{}` takes no page from a buffer", config.preset.name);
            return Err(error("aware", reason));
        }
        let Some(policy) = policy else {
            return match asked.first_set() {
                None => Ok(None),
                Some(setting) => Err(error(
                    setting,
                    String::from("is a setting of a write buffer; name one, as in `buffer=lru`"),
                )),
            };
        };
        for (setting, given) in [
            ("buffer_window", asked.window_percent.is_some()),
            ("buffer_regions", asked.regions.is_some()),
            ("buffer_updates", asked.updates.is_some()),
        ] {
            if given && !policy.settings.contains(&setting) {
                return Err(error(setting, format!("is a setting of {}", owners(setting))));
            }
        }
        let regions = asked.regions.unwrap_or(Regions::ADAPTIVE);
        if let Regions::Fixed { initial, updated } = regions
            && (initial == 0 || updated == 0 || u32::from(initial) + u32::from(updated) > 99)
        {
            return Err(error(
                "buffer_regions",
                format!(
                    "are {initial} and {updated} % of the buffer; each must be at least 1 and both together at most 99"
                ),
            ));
        }
        if let Regions::Adaptive { least, most } = regions
            && (least == 0 || least > most || most > 49)
        {
            return Err(error(
                "buffer_regions",
                format!(
                    "adapt between {least} and {most} % of the buffer each; at least 1, and at most 49 so that the third has room"
                ),
            ));
        }
        let window = asked.window_percent.unwrap_or(DEFAULT_WINDOW_PERCENT);
        if window > 100 {
            return Err(error("buffer_window", format!("is {window} %; at most 100")));
        }
        let unit = asked.unit.unwrap_or(policy.default_unit());
        let unit_pages = match unit {
            _ if !policy.units.contains(&unit) => {
                return Err(error("buffer_unit", wrong_unit(policy)));
            }
            BufferUnit::Page => 1,
            BufferUnit::Block => geometry.pages_per_block(),
        };
        let bytes = asked.bytes.unwrap_or(DEFAULT_BYTES);
        let page_bytes = u64::from(geometry.page_bytes());
        let most = u64::from(geometry.pages());
        let pages = match asked.bytes {
            Some(bytes) => bytes / page_bytes,
            // Small arrays get less than the default size, which is a disk's.
            None => (bytes / page_bytes).min(most / 8).max(unit_pages.into()),
        };
        if pages < u64::from(unit_pages) || pages > most {
            return Err(error(
                "buffer_size",
                format!(
                    "{bytes} bytes hold {pages} pages; at least {unit_pages}, what it evicts at a time, and at most {most}, those of the array"
                ),
            ));
        }
        Ok(Some(Self {
            policy,
            pages: pages as u32,
            unit_pages,
            age_ns: match asked.age_ns.unwrap_or(DEFAULT_AGE_NS) {
                0 => Ns::MAX,
                age_ns => age_ns,
            },
            clock: asked.clock.unwrap_or_default(),
            clean: asked.clean.unwrap_or_default(),
            ram_ns: asked.ram_ns.unwrap_or(0),
            reads: asked.reads.unwrap_or(policy.reads),
            window_pages: (pages * u64::from(window) / 100) as u32,
            regions,
            updates: asked.updates.unwrap_or(UPDATE_PROBABILITIES),
            aware: asked.aware.unwrap_or(defaults.is_some_and(|defaults| defaults.aware)),
        }))
    }

    /// Raises the bounds by the worst case of the buffer above the scheme.
    ///
    /// A page task may have to write a whole unit first, each page at the scheme's worst case. If blocks are padded,
    /// it also reads all but one of their pages. If reads are added to the buffer, the page itself was read before.
    /// In some schemes a collection step also goes with each read. A page that a collector takes from the buffer
    /// costs a program, which is less than the copy that it replaces.
    pub(crate) fn apply(&self, part: &Part, plan: &mut Plan) {
        let pages = u64::from(self.unit_pages);
        let padding = if self.policy.pads { pages - 1 } else { 0 };
        let promise = &mut plan.guarantee;
        promise.volatile = true;
        let read_step = promise.step_ns.filter(|_| promise.step_with_read).unwrap_or(0);
        let reads = padding + u64::from(self.reads);
        promise.step_ns = promise.step_ns.map(|step| step * pages + read_step * reads);
        let below = |write: Ns, read: Ns| write * pages + read * padding;
        let (write, read) = (promise.write_ns, promise.read_ns);
        promise.write_ns = write.zip(read).map(|(write, read)| below(write, read) + self.ram_ns);
        promise.read_ns = match self.reads {
            true => read.zip(promise.write_ns).map(|(read, write)| read + write),
            false => read.map(|read| read.max(self.ram_ns)),
        };
        promise.response_ns = promise.response_ns.zip(read).map(|(response, read)| {
            let read = read + read_step;
            let write = below(response, read) + self.ram_ns;
            if self.reads { write + read } else { write }
        });
        plan.ram.buffer = self.ram_bytes(part.page_bytes, plan.logical_pages);
    }

    /// Controller RAM: pages, their metadata, and the index of units.
    pub(super) fn ram_bytes(&self, page_bytes: u32, logical_pages: u32) -> u64 {
        let units = u64::from(self.pages.min(logical_pages.div_ceil(self.unit_pages)));
        // Per unit: its number (and that of one evicted), two lists, the time when it became dirty. Per page: bits
        // for present and dirty, and its cell (which a controller finds by the page's number).
        let of_units = units * (4 + 4 + 16 + 8 + 8);
        let of_pages = u64::from(self.pages) * (u64::from(page_bytes) + 4);
        of_units + of_pages + (2 * u64::from(self.unit_pages) * units).div_ceil(8)
    }
}

/// Names of this crate's policies with a setting, as a configuration gives them.
fn owners(setting: &str) -> String {
    let has = BUFFER_POLICIES.iter().filter(|policy| policy.settings.contains(&setting));
    let owners: Vec<_> = has.map(|policy| format!("`buffer={}`", policy.name)).collect();
    owners.join(" or ")
}

/// Error text of a policy with one unit only.
fn wrong_unit(policy: &BufferPolicy) -> String {
    match policy.default_unit() {
        BufferUnit::Page => format!("`{}` is about pages: `page`", policy.name),
        BufferUnit::Block => format!("`{}` is about blocks: `block`", policy.name),
    }
}

impl BufferSettings {
    /// A setting that is given besides the policy.
    fn first_set(&self) -> Option<&'static str> {
        let set = [
            ("buffer_size", self.bytes.is_some()),
            ("buffer_unit", self.unit.is_some()),
            ("buffer_age", self.age_ns.is_some()),
            ("buffer_clock", self.clock.is_some()),
            ("buffer_clean", self.clean.is_some()),
            ("buffer_time", self.ram_ns.is_some()),
            ("buffer_reads", self.reads.is_some()),
            ("buffer_window", self.window_percent.is_some()),
            ("buffer_regions", self.regions.is_some()),
            ("buffer_updates", self.updates.is_some()),
            ("aware", self.aware == Some(true)),
        ];
        set.iter().find(|(_, given)| *given).map(|(setting, _)| *setting)
    }
}
