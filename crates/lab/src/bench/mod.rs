//! Speed benchmark: every scheme under uniform random overwrites at steady state, with all measures on. The bare
//! memory roofline of the same run is the reference.

mod buffers;
mod ssd;

pub use ::run::bench::channels::ChannelsRow;
pub use ::run::bench::drawn::{SHAPES, Shape};
pub use buffers::BufferRow;
pub use ssd::{Load, SsdRow};

use ::run::bench::drawn::{Drawn, ROUNDS, WRITES};
use ::run::bench::{channels, roofline};

use super::precondition::Preconditioning;
use crate::catalogue;
use crate::config::SchemeTable;
use ::run::Device;
use ::run::Observer;
use ::run::RunError;
use ::run::Setup;
use ::run::{array_heap_bytes, array_without_errors, counts};
use ::workload::quantity::Bytes;
use flash::{Geometry, Operation, Part, parts};
use ftl::{AnyScheme, FtlError, Preset, SchemeConfig};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use serde::Serialize;
use std::time::Instant;
use workload::WorkloadError;

/// Shape whose logical space the measurement of write buffers uses.
const BUFFER_SHAPE: Shape = SHAPES[1];

/// Subjects and settings of the benchmark.
#[derive(Clone, Debug)]
pub struct Options {
    /// Schemes, which keep any logical share of their own; all presets if empty.
    pub schemes: Vec<SchemeTable>,
    /// Shapes; [`SHAPES`] if empty.
    pub shapes: Vec<Shape>,
    /// Logical share of all schemes, so that they do the same work. A scheme that cannot work with it uses its
    /// default share. `None`: each scheme uses its default.
    pub logical_share: Option<f64>,
    /// Seed of the writes.
    pub seed: u64,
    /// Subjects. If empty: all of them, or only schemes if any scheme is named.
    pub only: Vec<Subject>,
    /// Loads of the SSD; all if empty.
    pub loads: Vec<Load>,
}

/// Subjects of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Schemes, on each shape.
    Schemes,
    /// Write buffers alone.
    Buffers,
    /// Scheduling of operations on channels, alone.
    Channels,
    /// Schemes on channels: page-level, or the named schemes.
    Ssd,
}

impl Subject {
    /// Every subject.
    pub const ALL: [Self; 4] = [Self::Schemes, Self::Buffers, Self::Channels, Self::Ssd];

    /// Name in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Schemes => "schemes",
            Self::Buffers => "buffers",
            Self::Channels => "channels",
            Self::Ssd => "ssd",
        }
    }
}

impl Options {
    /// The shapes for the measurement of schemes.
    pub fn shapes_to_measure(&self) -> &[Shape] {
        match (self.wants(Subject::Schemes), self.shapes.is_empty()) {
            (false, _) => &[],
            (true, true) => &SHAPES,
            (true, false) => &self.shapes,
        }
    }

    /// True if this subject is to be measured.
    pub fn wants(&self, subject: Subject) -> bool {
        let named = subject == Subject::Schemes || self.schemes.is_empty();
        self.only.contains(&subject) || self.only.is_empty() && named
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            schemes: Vec::new(),
            shapes: Vec::new(),
            logical_share: Some(DEFAULT_SHARE),
            seed: 1,
            only: Vec::new(),
            loads: Vec::new(),
        }
    }
}

/// Logical share at which greedy collection has a write amplification of about 4.1 under uniform writes.
pub const DEFAULT_SHARE: f64 = 0.875;

/// The roofline of one shape.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Roofline {
    /// Raw capacity, bytes.
    pub capacity_bytes: u64,
    /// Page size, bytes.
    pub page_bytes: u32,
    /// Bytes of the array that stands for the map: 4 per page.
    pub array_bytes: u64,
    /// ns per random load and store.
    pub load_store_ns: f64,
}

/// Result of one scheme on one shape.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Row {
    /// The scheme.
    pub scheme: String,
    /// Raw capacity, bytes.
    pub capacity_bytes: u64,
    /// Page size, bytes.
    pub page_bytes: u32,
    /// Pages per block.
    pub pages_per_block: u32,
    /// Logical pages / physical pages.
    pub logical_share: f64,
    /// Wall time per flash page operation (read, OOB read, program or copy), ns.
    pub ns_per_flash_op: f64,
    /// Ratio of that time to the roofline's load + store.
    pub ratio_to_roofline: f64,
    /// Wall time per host write, ns.
    pub ns_per_host_write: f64,
    /// Write amplification.
    pub waf: f64,
    /// Memory of the whole simulation (scheme and array) per physical page, bytes.
    pub ram_bytes_per_page: f64,
    /// Host writes measured.
    pub host_writes: u64,
}

/// Results of `bench`.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// One per shape.
    pub roofline: Vec<Roofline>,
    /// One per scheme and shape.
    pub rows: Vec<Row>,
    /// One per policy of write buffers alone.
    pub buffers: Vec<BufferRow>,
    /// One per load and arbiter policy of the channels alone.
    pub channels: Vec<ChannelsRow>,
    /// One per scheme on channels and load.
    pub ssd: Vec<SsdRow>,
    /// Schemes that cannot work on a shape, with the reason.
    pub left_out: Vec<String>,
    /// True if the benchmark was stopped early and results are missing.
    pub interrupted: bool,
}

/// Runs the benchmark; calls `seen` with each row. If the observer stops it, returns the results so far.
///
/// # Errors
/// A scheme that cannot be set up on a shape, or that fails.
pub fn run(
    options: &Options,
    observer: &dyn Observer,
    seen: &mut dyn FnMut(&Row),
) -> Result<Report, RunError> {
    let mut report = Report::default();
    for shape in options.shapes_to_measure() {
        match measure_shape(*shape, options, observer, seen, &mut report) {
            Err(RunError::Stopped) => {
                report.interrupted = true;
                break;
            }
            done => done?,
        }
    }
    if options.wants(Subject::Buffers) && !report.interrupted {
        report.buffers = buffers::rows(BUFFER_SHAPE, options.seed);
        report.interrupted = observer.stop();
    }
    if options.wants(Subject::Channels) && !report.interrupted {
        report.channels = channels::rows();
    }
    if options.wants(Subject::Ssd) && !report.interrupted {
        report.ssd = ssd::rows(&options.schemes, &options.loads, options.seed, observer)?;
        report.interrupted = observer.stop();
    }
    Ok(report)
}

/// Adds a shape's roofline and rows to the report; also the rows found before an error.
fn measure_shape(
    shape: Shape,
    options: &Options,
    observer: &dyn Observer,
    seen: &mut dyn FnMut(&Row),
    report: &mut Report,
) -> Result<(), RunError> {
    let preset =
        |preset: &Preset| SchemeTable { name: preset.name.into(), ..SchemeTable::default() };
    let all: Vec<SchemeTable> = catalogue::schemes_for_any_page().map(preset).collect();
    let schemes = if options.schemes.is_empty() { &all } else { &options.schemes };
    let part = part_of(shape);
    let geometry = part
        .geometry(shape.capacity_bytes)
        .map_err(|error| WorkloadError::Unfit(error.to_string()))?;
    let mut roofline = Roofline {
        capacity_bytes: shape.capacity_bytes,
        page_bytes: shape.page_bytes,
        array_bytes: u64::from(geometry.pages()) * 4,
        load_store_ns: roofline::load_store_ns(geometry.pages()),
    };
    let first = report.rows.len();
    let mut failed = None;
    for scheme in schemes {
        let label = scheme.label();
        let own = scheme.to_config(&geometry, options.seed);
        let own = own.map_err(|error| WorkloadError::Unfit(error.to_string()))?;
        if own.preset.is_zoned() {
            let reason = format!("`{label}` {}", catalogue::ONLY_IN_ZONES);
            return Err(WorkloadError::Unfit(reason).into());
        }
        let config = match config_of(own, &part, &geometry, options.logical_share) {
            Ok(config) => config,
            // Some presets may not work on this shape; an explicitly requested scheme must.
            Err(error) if options.schemes.is_empty() => {
                let capacity = Bytes::new(shape.capacity_bytes);
                report.left_out.push(format!("{label} at {capacity}: {error}"));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let array = array_without_errors(geometry, part.clone());
        let seed = options.seed;
        let case = Case { label: &label, part: &part, geometry, shape, seed, observer };
        let mut row = match case.measure(ftl::registry::format(&config, array)?) {
            Ok(row) => row,
            Err(error) => {
                failed = Some(error);
                break;
            }
        };
        let again = roofline::load_store_ns(geometry.pages());
        roofline.load_store_ns = roofline.load_store_ns.min(again);
        row.ratio_to_roofline = row.ns_per_flash_op / roofline.load_store_ns;
        seen(&row);
        report.rows.push(row);
    }
    // All rows use the best roofline of all rounds, including rows measured before it.
    for row in &mut report.rows[first..] {
        row.ratio_to_roofline = row.ns_per_flash_op / roofline.load_store_ns;
    }
    report.roofline.push(roofline);
    failed.map_or(Ok(()), Err)
}

/// The evaluation part's times with the shape's pages and blocks; the times do not affect the simulator's speed.
fn part_of(shape: Shape) -> Part {
    Part {
        page_bytes: shape.page_bytes,
        pages_per_block: shape.pages_per_block,
        capacity_bytes: shape.capacity_bytes,
        ..parts::EVALUATION_SLC.clone()
    }
}

fn config_of(
    own: SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    share: Option<f64>,
) -> Result<SchemeConfig, FtlError> {
    if own.logical_pages.is_some() {
        return Ok(own);
    }
    let Some(share) = share else {
        ftl::registry::plan(&own, part, geometry, geometry.blocks())?;
        return Ok(own);
    };
    let logical_pages = Some((f64::from(geometry.pages()) * share) as u32);
    let asked = SchemeConfig { logical_pages, ..own.clone() };
    let can = ftl::registry::plan(&asked, part, geometry, geometry.blocks()).is_ok();
    if can {
        return Ok(asked);
    }
    let most = ftl::registry::plan(&own, part, geometry, geometry.blocks())?.logical_pages;
    Ok(SchemeConfig { logical_pages: Some(most), ..own })
}

struct Case<'a> {
    label: &'a str,
    part: &'a Part,
    geometry: Geometry,
    shape: Shape,
    seed: u64,
    observer: &'a dyn Observer,
}

impl Case<'_> {
    fn measure(self, mut scheme: Box<AnyScheme>) -> Result<Row, RunError> {
        let name = self.label;
        let pages = scheme.logical_pages();
        let setup = Setup {
            seed: self.seed,
            precondition: Preconditioning { age: age(pages), ..Preconditioning::default() },
            closed: true,
            ..Setup::new(self.part.clone(), self.geometry, pages)
        };
        ::run::prepare(&mut *scheme, &setup, name, self.observer)?;
        let mut device = Device::new(scheme, false);
        let before = *counts(device.scheme().flash());
        let mut random = Pcg64::seed_from_u64(self.seed);
        let mut best = Round { ns_per_flash_op: f64::INFINITY, ns_per_host_write: f64::INFINITY };
        for _ in 0..ROUNDS {
            let source = Drawn::new(pages, self.shape.page_bytes, &mut random);
            let round = one_round(&mut device, &setup, source, self.observer)?;
            if round.ns_per_flash_op < best.ns_per_flash_op {
                best = round;
            }
        }
        let counts = counts(device.scheme().flash()).since(&before);
        let host = WRITES as u64 * u64::from(ROUNDS);
        let programmed = counts.total(Operation::Program) + counts.total(Operation::Copy);
        let bytes =
            device.scheme().telemetry().heap_bytes + array_heap_bytes(device.scheme().flash());
        Ok(Row {
            scheme: name.into(),
            capacity_bytes: self.shape.capacity_bytes,
            page_bytes: self.shape.page_bytes,
            pages_per_block: self.shape.pages_per_block,
            logical_share: f64::from(pages) / f64::from(self.geometry.pages()),
            ns_per_flash_op: best.ns_per_flash_op,
            ratio_to_roofline: 0.0,
            ns_per_host_write: best.ns_per_host_write,
            waf: programmed as f64 / host as f64,
            ram_bytes_per_page: bytes as f64 / f64::from(self.geometry.pages()),
            host_writes: host,
        })
    }
}

struct Round {
    ns_per_flash_op: f64,
    ns_per_host_write: f64,
}

fn one_round(
    device: &mut Device,
    setup: &Setup,
    source: Drawn,
    observer: &dyn Observer,
) -> Result<Round, RunError> {
    let before = *counts(device.scheme().flash());
    let start = Instant::now();
    device.replay(setup, "bench", Box::new(source), observer)?;
    let wall_ns = start.elapsed().as_nanos() as f64;
    if observer.stop() {
        return Err(RunError::Stopped);
    }
    let counts = counts(device.scheme().flash()).since(&before);
    let page_ops: u64 = [Operation::Read, Operation::ReadOob, Operation::Program, Operation::Copy]
        .map(|op| counts.total(op))
        .iter()
        .sum();
    Ok(Round {
        ns_per_flash_op: wall_ns / page_ops as f64,
        ns_per_host_write: wall_ns / WRITES as f64,
    })
}

/// Overwrites before measurement, as a multiple of the logical space. Small devices are cheap to age well; on large
/// ones, overwriting once gets within a few per cent of the steady state.
fn age(pages: u32) -> f64 {
    if pages > 1 << 25 { 1.0 } else { 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::run::Phase;

    /// Stops at once, or never.
    struct Stops(bool);

    impl Observer for Stops {
        fn progress(&self, _: &str, _: Phase, _: u64, _: Option<u64>) {}

        fn stop(&self) -> bool {
            self.0
        }
    }

    #[test]
    fn all_schemes_do_the_same_work_where_they_can() {
        let shape = SHAPES[0];
        let part = part_of(shape);
        let geometry = part.geometry(shape.capacity_bytes).unwrap();
        let share_of = |preset: &'static Preset, share| {
            let config = config_of(SchemeConfig::preset(preset), &part, &geometry, share).unwrap();
            config.logical_pages.map(|pages| f64::from(pages) / f64::from(geometry.pages()))
        };
        for preset in catalogue::schemes() {
            assert_eq!(share_of(preset, None), None, "{}", preset.name);
            let share = share_of(preset, Some(0.875)).unwrap();
            assert!(share <= 0.875, "{} at {share}", preset.name);
            // Schemes with a page map in RAM can work with this share; the others use their own.
            if ["page-level", "fsr", "lazy-rtgc"].contains(&preset.name) {
                assert_eq!(share, 0.875, "{}", preset.name);
            }
        }
        let lazy = ftl::registry::by_name("lazy-rtgc").unwrap();
        let own = share_of(lazy, Some(0.99)).unwrap();
        assert!((0.875..0.9).contains(&own), "{own}");
    }

    #[test]
    fn a_stopped_bench_gives_what_it_has() {
        let shape = Shape { capacity_bytes: 64 << 20, page_bytes: 4096, pages_per_block: 64 };
        let options = Options { shapes: vec![shape, shape], ..Options::default() };
        let mut rows = 0;
        let report = run(&options, &Stops(true), &mut |_| rows += 1).unwrap();
        assert!(report.interrupted && report.rows.is_empty() && rows == 0);
        assert_eq!(report.roofline.len(), 1);
    }

    #[test]
    fn memory_grows_with_the_pages() {
        let shape = |capacity_bytes| Shape { capacity_bytes, ..SHAPES[0] };
        assert_eq!(shape(4 << 40).memory_bytes(), 9 << 30);
        assert!(shape(u64::MAX).memory_bytes() > 1 << 50);
    }
}
