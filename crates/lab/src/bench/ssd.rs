//! Schemes on channels: the whole loop, with array, scheduling and all measures.

use crate::config::SchemeTable;
use ::run::Observer;
use ::run::RunError;
use ::run::Setup;
use ::run::bench::drawn::{Drawn, ROUNDS};
use ::run::precondition::Preconditioning;
use ::run::prepare;
use ::run::ssd::{CollectionPlace, SsdSetup};
use ::run::ssd::{CoreSettings, Feeder, SsdDevice, array};
use ::run::{array_heap_bytes, counts, levelled};
use flash::channels::{Policy, Precedence, Timing, Topology};
use flash::faults::BitErrors;
use flash::parallel::Stripes;
use flash::{Array, Flash, Geometry, Operation, Part, Store, parallel::Parallel, parts};
use ftl::{Allocation, AllocationOrder, AnyScheme, FtlError, SchemeConfig, registry};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::Serialize;
use std::time::Instant;
use workload::Op;

/// 8 channels of 4 ways, dies of one plane: 32 GiB.
const TOPOLOGY: Topology = Topology {
    channels: 8,
    ways: 4,
    dies: 1,
    planes: 1,
    blocks_per_plane: 1024,
    pages_per_block: 128,
    paired_blocks: false,
};

/// Outstanding requests of the closed loop.
const QUEUE_DEPTH: u32 = 256;

/// Requests per round.
const REQUESTS: usize = 1 << 19;

/// Share of the array that the scheme exports.
const SHARE: f64 = 0.875;

/// Load of the SSD: random requests of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// Writes.
    Writes,
    /// As many reads as writes.
    HalfReads,
    /// Reads.
    Reads,
}

impl Load {
    /// Every load.
    pub const ALL: [Self; 3] = [Self::Writes, Self::HalfReads, Self::Reads];

    /// Name in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Writes => "writes",
            Self::HalfReads => "half-reads",
            Self::Reads => "reads",
        }
    }

    /// Name in tables, and percentage of reads.
    fn title(self) -> (&'static str, u32) {
        match self {
            Self::Writes => ("random writes", 0),
            Self::HalfReads => ("half reads", 50),
            Self::Reads => ("random reads", 100),
        }
    }
}

/// Result of one scheme under one load.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SsdRow {
    /// The scheme's label.
    pub scheme: String,
    /// Name of the load.
    pub load: &'static str,
    /// Wall time per flash operation (a copy is a read and a program), ns.
    pub ns_per_op: f64,
    /// Flash operations per second of wall time.
    pub ops_per_second: f64,
    /// Wall time per host page, ns.
    pub ns_per_host_page: f64,
    /// Flash operations per host page.
    pub ops_per_host_page: f64,
    /// Memory of the simulation, including the array, per physical page, bytes.
    pub ram_bytes_per_page: f64,
}

/// Measures these schemes, or page-level if there are none, under these loads, or every load if there are none.
pub(super) fn rows(
    schemes: &[SchemeTable],
    loads: &[Load],
    seed: u64,
    observer: &dyn Observer,
) -> Result<Vec<SsdRow>, RunError> {
    let default = [SchemeTable { name: "page-level".into(), ..SchemeTable::default() }];
    let schemes = if schemes.is_empty() { &default } else { schemes };
    let loads = if loads.is_empty() { &Load::ALL } else { loads };
    let mut rows = Vec::new();
    for table in schemes {
        for load in loads {
            match row(table, load.title(), seed, observer) {
                Err(RunError::Stopped) => return Ok(rows),
                row => rows.push(row?),
            }
        }
    }
    Ok(rows)
}

fn row(
    table: &SchemeTable,
    load: (&'static str, u32),
    seed: u64,
    observer: &dyn Observer,
) -> Result<SsdRow, RunError> {
    let part = Part { pages_per_block: TOPOLOGY.pages_per_block, ..parts::DDT_MLC.clone() };
    let config = |reason: String| FtlError::Config { scheme: "bench", setting: "schemes", reason };
    let blocks = TOPOLOGY.blocks() as u32;
    let geometry = Geometry::new(blocks, part.pages_per_block, part.page_bytes)
        .map_err(|error| config(error.to_string()))?;
    let own = table.to_config(&geometry, seed).map_err(|error| config(error.to_string()))?;
    let Topology { channels, ways, dies, planes, .. } = TOPOLOGY;
    let allocation = Allocation::new([channels, ways, dies, planes], AllocationOrder::default());
    let own = SchemeConfig { allocation, ..own };
    let logical_pages = Some((f64::from(geometry.pages()) * SHARE) as u32);
    let asked = SchemeConfig { logical_pages, ..own.clone() };
    let fits = registry::plan(&asked, &part, &geometry, blocks).is_ok();
    let scheme = if fits { asked } else { own };
    let timing = Timing::of(&part).map_err(|error| config(error.to_string()))?;
    let ssd = SsdSetup {
        topology: TOPOLOGY,
        timing,
        policy: Policy::Fifo,
        ganged: false,
        stripes: Stripes::default(),
        multi_plane: None,
        queue_depth: QUEUE_DEPTH,
        host: None,
        interface: None,
        collection: CollectionPlace::default(),
        cores: CoreSettings::ONE,
        precedence: Precedence { host_first: SsdSetup::HOST_FIRST, ..Precedence::default() },
        window_ns: 100_000_000,
    };
    let array = BitErrors::none(Array::new(geometry, part.clone(), Store::Metadata));
    let mut array = Parallel::new(array, TOPOLOGY, timing, Policy::Fifo, false)
        .map_err(|error| config(error.to_string()))?;
    array.set_timed(false);
    let array = levelled(&scheme, array);
    let label = table.label();
    let setup = Setup { seed, ..Setup::new(part, geometry, 1) };
    let made = registry::format(&scheme, array)?;
    Case { label: &label, setup, ssd, load, observer }.measure(made)
}

struct Case<'a> {
    label: &'a str,
    setup: Setup,
    ssd: SsdSetup,
    load: (&'static str, u32),
    observer: &'a dyn Observer,
}

impl Case<'_> {
    fn measure(self, mut scheme: Box<AnyScheme>) -> Result<SsdRow, RunError> {
        let Self { label, setup, ssd, load: (load, reads_percent), observer } = self;
        let pages = scheme.logical_pages();
        let precondition_by = Preconditioning { age: 1.0, ..Preconditioning::default() };
        let setup = Setup { precondition: precondition_by, space_pages: pages, ..setup };
        prepare(&mut *scheme, &setup, label, observer)?;
        let mut device = SsdDevice::new(scheme, &ssd, None, false);
        let mut random = Pcg64::seed_from_u64(setup.seed);
        let mut best = (f64::INFINITY, f64::INFINITY, 0.0);
        for _ in 0..ROUNDS {
            let mut requests = Drawn::new(pages, setup.part.page_bytes, &mut random).all();
            for request in &mut requests {
                if random.random_range(0..100) < reads_percent {
                    request.op = Op::Read;
                }
            }
            let before = *counts(device.scheme().flash());
            let start = Instant::now();
            device.replay(&mut Feeder::of(requests), label, None, observer)?;
            let wall_ns = start.elapsed().as_nanos() as f64;
            if observer.stop() {
                return Err(RunError::Stopped);
            }
            let counts = counts(device.scheme().flash()).since(&before);
            let operations = Operation::ALL.iter().map(|op| match op {
                Operation::Copy => 2 * counts.total(*op),
                other => counts.total(*other),
            });
            let operations = operations.sum::<u64>() as f64;
            let host = REQUESTS as f64;
            if wall_ns / operations < best.0 {
                best = (wall_ns / operations, wall_ns / host, operations / host);
            }
        }
        let flash = array(device.scheme());
        let bytes = device.scheme().telemetry().heap_bytes
            + array_heap_bytes(device.scheme().flash())
            + flash.heap_bytes()
            + (**flash).heap_bytes();
        Ok(SsdRow {
            scheme: label.into(),
            load,
            ns_per_op: best.0,
            ops_per_second: 1e9 / best.0,
            ns_per_host_page: best.1,
            ops_per_host_page: best.2,
            ram_bytes_per_page: bytes as f64 / f64::from(flash.geometry().pages()),
        })
    }
}
