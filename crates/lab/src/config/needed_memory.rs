//! Memory check of an experiment against this machine, before anything is allocated. A failed allocation
//! would end the process without a message.

use super::bit_errors::PageErrors;
use super::device::ResolvedScheme;
use super::error::ConfigError;
use super::resolve::Resolved;
use crate::{allocator, memory};
use ::run::report::units;
use flash::{Array, Geometry};
use ftl::{FrontierSharing, Layout, PlacementKind};
use workload::{AddressPolicy, TraceFacts};

/// Bytes per logical page of a scheme's map.
const MAP_BYTES: u64 = 4;
/// Bytes per physical page for everything else: valid bits, victims, blocks.
const OTHER_BYTES: u64 = 1;
/// Bytes per physical page for its sequence number, if several blocks are written at a time.
const NUMBER_BYTES: u64 = 4;
/// On channels: bytes per block for the order of its operations, and per die for its queue and its busy state.
const ORDER_BYTES: u64 = 8;
const DIE_BYTES: u64 = 512;
/// Bytes per outstanding request, with its operations.
const REQUEST_BYTES: u64 = 1024;
/// Bytes per physical page for its read count, if reads cause bit errors.
const READS_BYTES: u64 = 4;
/// Bytes per physical page for the time of its program, if retention causes bit errors.
const AGE_BYTES: u64 = 4;
/// Bytes per entry of a cached map: the entry, its place in lists and in the table that finds it.
const ENTRY_BYTES: u64 = 24;
/// Bytes per logical page of a map that lies in the array: its entry there, and of the map that checks it.
const TRANSLATION_BYTES: u64 = 8;
/// Bytes per page of a write buffer, whose data are not kept.
const BUFFERED_BYTES: u64 = 512;
/// Bytes per block for its age, its reads and its place among those that are due.
const REFRESH_BYTES: u64 = 24;

impl Resolved {
    /// Rejects the experiment if the schemes that run at once need more memory than the machine, or a limit of the
    /// process, leaves. Accepts it if that is unknown.
    ///
    /// # Errors
    /// [`ConfigError::Setting`] on `capacity` with both sizes and the settings that would need less.
    pub fn check_memory(&self) -> Result<(), ConfigError> {
        let available = memory::available_bytes();
        let (at_once, needed) = self.at_once(rayon::current_num_threads());
        if allocator::gives(needed) {
            return available.map_or(Ok(()), |available| self.fits(at_once, needed, available));
        }
        // Refused in one piece, whatever is said to be available.
        self.fits(at_once, needed, available.unwrap_or(0).min(needed - 1))
    }

    /// About the memory that the run takes, bytes: that of the schemes that run at once.
    pub fn run_bytes(&self) -> u64 {
        self.at_once(rayon::current_num_threads()).1
    }

    /// How many schemes run at once with so many threads, and the memory that the largest of them need, bytes.
    fn at_once(&self, threads: usize) -> (usize, u64) {
        let at_once = self.schemes.len().min(threads.max(1));
        let mut each: Vec<u64> =
            self.schemes.iter().map(|scheme| self.needed_bytes(scheme)).collect();
        each.sort_unstable_by(|a, b| b.cmp(a));
        (at_once, each.iter().take(at_once).sum())
    }

    /// Checks that `needed` bytes, for so many schemes at once, are among `available` bytes.
    fn fits(&self, at_once: usize, needed: u64, available: u64) -> Result<(), ConfigError> {
        if needed <= available {
            return Ok(());
        }
        let schemes = if at_once == 1 { "scheme" } else { "schemes" };
        let trace = self.facts.trace.as_ref();
        let wraps = |trace: &TraceFacts| trace.addresses.policy == AddressPolicy::Wrap;
        // What a trace touches must fit, unless its addresses wrap.
        let mut ways = match trace {
            Some(trace) if !wraps(trace) => vec!["--addresses wrap with a smaller --capacity"],
            _ => vec!["a smaller --capacity"],
        };
        if at_once > 1 {
            ways.push("fewer --schemes");
        }
        let spread = |trace: &TraceFacts| trace.addresses.policy != AddressPolicy::Dense;
        if trace.is_some_and(spread) {
            ways.push("--addresses dense");
        }
        let touched = trace
            .map(|_| format!(" (the trace takes {})", units::bytes(self.facts.footprint_bytes)));
        Err(ConfigError::setting(
            "capacity",
            format!(
                "{}{} needs about {} of memory for {at_once} {schemes} at once, {} available; use {}",
                units::bytes(self.geometry.capacity_bytes()),
                touched.unwrap_or_default(),
                gib(needed),
                gib(available),
                ways.join(" or "),
            ),
        ))
    }

    /// About the memory that a run of this scheme needs, bytes.
    pub fn needed_bytes(&self, scheme: &ResolvedScheme) -> u64 {
        least_bytes(&self.geometry, scheme.plan.logical_pages)
            + self.number_bytes(scheme)
            + self.placement_bytes(scheme)
            + self.bit_error_bytes()
            + self.refresh_bytes()
            + self.ssd_bytes()
            + tables_bytes(scheme)
    }

    /// About the memory that the scheme needs where its array is elsewhere, as in the file of an image, bytes.
    pub fn scheme_bytes(&self, scheme: &ResolvedScheme) -> u64 {
        let array = Array::least_heap_bytes(&self.geometry) + self.number_bytes(scheme);
        self.needed_bytes(scheme) - array
    }

    /// Bytes for sequence numbers, which an array keeps if consecutive writes go to different blocks.
    fn number_bytes(&self, scheme: &ResolvedScheme) -> u64 {
        let ResolvedScheme { config, plan, .. } = scheme;
        let in_turns =
            matches!(plan.layout, Layout::PageMapped(_)) && config.allocation.units() > 1;
        let split =
            FrontierSharing::of(config.asked_frontiers(), &plan.layout) == FrontierSharing::Split;
        if in_turns || split { NUMBER_BYTES * u64::from(self.geometry.pages()) } else { 0 }
    }

    /// Bytes for the tables of a placement policy: as many as a controller's.
    fn placement_bytes(&self, scheme: &ResolvedScheme) -> u64 {
        let array = [self.geometry.blocks(), self.geometry.pages_per_block()];
        let of = |kind: PlacementKind| kind.controller_bytes(scheme.plan.logical_pages, array);
        scheme.config.placement.map_or(0, of)
    }

    /// Bytes for scheduling on channels.
    fn ssd_bytes(&self) -> u64 {
        let Some(ssd) = &self.ssd else { return 0 };
        ORDER_BYTES * u64::from(self.geometry.blocks())
            + DIE_BYTES * u64::from(self.channel.units())
            + REQUEST_BYTES * u64::from(ssd.queue_depth)
    }

    /// Bytes for the ages and reads of blocks, which an array keeps where they may be due for a refresh.
    fn refresh_bytes(&self) -> u64 {
        let off = self.experiment.refresh_limits().are_off();
        if off { 0 } else { REFRESH_BYTES * u64::from(self.geometry.blocks()) }
    }

    /// Bytes for read counts and times, which an array keeps if bit errors grow with reads or retention.
    fn bit_error_bytes(&self) -> u64 {
        match self.channel.bit_errors.errors {
            PageErrors::Wear { per_read: 1.., .. } => {
                READS_BYTES * u64::from(self.geometry.pages())
            }
            PageErrors::Law(_) => AGE_BYTES * u64::from(self.geometry.pages()),
            _ => 0,
        }
    }
}

/// Bytes for the entries of a cached map and of a write buffer, which take more here than in a controller.
fn tables_bytes(scheme: &ResolvedScheme) -> u64 {
    let ResolvedScheme { plan, part, .. } = scheme;
    let cached = match &plan.layout {
        Layout::OnDemand(layout) => {
            ENTRY_BYTES * u64::from(layout.cmt_entries.min(plan.logical_pages))
                + TRANSLATION_BYTES * u64::from(plan.logical_pages)
        }
        _ => 0,
    };
    let pages = plan.ram.buffer / u64::from(part.page_bytes.max(1));
    cached + BUFFERED_BYTES * pages
}

/// Lower bound of the bytes of a scheme and its array.
fn least_bytes(geometry: &Geometry, logical_pages: u32) -> u64 {
    Array::least_heap_bytes(geometry)
        + MAP_BYTES * u64::from(logical_pages)
        + OTHER_BYTES * u64::from(geometry.pages())
}

/// Memory size for messages: GiB with one decimal.
fn gib(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30))
}

#[cfg(test)]
mod tests {
    use crate::config::{ConfigError, Experiment, Resolved};

    fn of(capacity: &str) -> Resolved {
        let text = format!(
            "capacity = '{capacity}'\nschemes = ['page-level', 'fsr', 'lazy-rtgc']\nworkload = 'uniform'"
        );
        Experiment::from_toml(&text, "test").unwrap().resolve().unwrap()
    }

    fn fits(capacity: &str, threads: usize, available: u64) -> Result<(), ConfigError> {
        let resolved = of(capacity);
        let (at_once, needed) = resolved.at_once(threads);
        resolved.fits(at_once, needed, available)
    }

    #[test]
    fn what_cannot_be_had_is_refused_with_a_way_out() {
        let error = fits("4TiB", 8, 16 << 30).unwrap_err().to_string();
        for said in ["capacity: 4.0 TiB", "3 schemes at once", "16.0 GiB available", "--schemes"] {
            assert!(error.contains(said), "{said}: {error}");
        }
        // 2^31 pages at slightly more than 9 bytes each; the two schemes with split frontiers need 4 more per page.
        let needed: f64 =
            error.split_once("about ").unwrap().1.split_once(' ').unwrap().0.parse().unwrap();
        assert!((66.0..74.0).contains(&needed), "{error}");
        let error = fits("4TiB", 1, 16 << 30).unwrap_err().to_string();
        assert!(error.contains("1 scheme at once") && !error.contains("--schemes"), "{error}");
    }

    #[test]
    fn times_of_a_placement_are_counted() {
        let needed = |scheme: &str| {
            let text = format!(
                "capacity = '1GiB'\nworkload = 'uniform'\nschemes = ['page-level+share=0.5+placement={scheme}']"
            );
            let resolved = Experiment::from_toml(&text, "test").unwrap().resolve().unwrap();
            resolved.needed_bytes(&resolved.schemes[0])
        };
        // 4 bytes for each of 2^18 logical pages and of 2^13 blocks, and some.
        let times = 4 * ((1 << 18) + (1 << 13));
        assert!((times..times + 20_000).contains(&(needed("sepbit") - needed("split"))));
    }

    /// Schemes that write several blocks at a time need 4 bytes per page for the page order.
    #[test]
    fn numbers_of_pages_are_counted() {
        let pages = (1 << 30) / 2048;
        let numbers = |more: &str| {
            let text = format!("capacity = '1GiB'\nworkload = 'uniform'\n{more}");
            let resolved = Experiment::from_toml(&text, "test").unwrap().resolve().unwrap();
            resolved.number_bytes(&resolved.schemes[0])
        };
        assert_eq!(numbers("schemes = ['page-level']"), 4 * pages);
        assert_eq!(numbers("schemes = ['page-level+frontiers=shared']"), 0);
        assert_eq!(numbers("schemes = ['lazy-rtgc']"), 0);
        let ssd = "channels = 2\nbus_cycle = '5ns'\nschemes = ['page-level+frontiers=shared']";
        assert_eq!(numbers(ssd), 4 * pages);
    }

    #[test]
    fn reads_that_bring_bit_errors_are_counted() {
        let with = |errors: &str| {
            let text = format!("capacity = '1GiB'\nworkload = 'uniform'\nbit_errors = '{errors}'");
            Experiment::from_toml(&text, "test").unwrap().resolve().unwrap()
        };
        let pages = (1 << 30) / 2048;
        for (errors, bytes) in [
            ("off", 0),
            ("wear:1,1,0+ecc=4", 0),
            ("wear:1,1,1+ecc=4", 4),
            ("tlc-72-layer+ecc=4", 4),
        ] {
            assert_eq!(with(errors).bit_error_bytes(), bytes * pages, "{errors}");
        }
    }

    #[test]
    fn cached_maps_and_buffers_are_counted() {
        let needed = |scheme: &str| {
            let text = format!(
                "capacity = '1GiB'\nworkload = 'uniform'\nschemes = ['{scheme}+share=0.5']"
            );
            let resolved = Experiment::from_toml(&text, "test").unwrap().resolve().unwrap();
            resolved.needed_bytes(&resolved.schemes[0])
        };
        let pages = 1 << 18;
        let [small, large] = ["8KiB", "1MiB"].map(|cmt| needed(&format!("dftl+cmt={cmt}")));
        assert!(large - small >= 24 * ((1 << 20) - (8 << 10)) / 8, "{small} {large}");
        assert!(small > 8 * pages, "{small}");
        let [plain, buffered] = ["", "+buffer=lru+buffer_size=16MiB"]
            .map(|buffer| needed(&format!("page-level{buffer}")));
        assert!(buffered - plain >= 512 * (16 << 20) / 2048, "{plain} {buffered}");
    }

    #[test]
    fn what_fits_is_let_through() {
        fits("4TiB", 3, 96 << 30).unwrap();
        fits("1GiB", 3, 64 << 20).unwrap();
    }
}
