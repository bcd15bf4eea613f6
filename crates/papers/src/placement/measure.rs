//! Write amplification of one placement, victim policy and load.

use super::loads::Load;
use crate::chip::chip;
use crate::observer::ReproductionObserver;
use flash::parts::EVALUATION_SLC;
use flash::{Cause, Counts, Geometry, Lpn, Part, Store};
use ftl::registry::{self, by_name};
use ftl::{
    BuildResult, FtlError, Future, FutureNotes, PLACEMENT_POLICIES, PlacementKind, SchemeConfig,
    VictimKind,
};
use lab::run::plain_array;
use rayon::prelude::*;
use std::sync::Arc;

/// Array, and how long it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) blocks: u32,
    pub(super) pages_per_block: u32,
    /// Writes of as many pages as the array has, behind the fill; the last fifth is measured.
    pub(super) device_writes: u32,
}

/// Arrays of tables, by scale.
pub(super) const QUICK: Shape = Shape { blocks: 512, pages_per_block: 64, device_writes: 15 };
pub(super) const FULL: Shape = Shape { blocks: 1024, pages_per_block: 512, device_writes: 25 };

/// Logical pages of 100 physical ones.
pub(super) const FILL: u32 = 80;

/// Victim policies of SepBIT's paper, with which placements are compared; `2r` and `midas` have their own besides.
pub(super) const VICTIMS: [VictimKind; 2] = [VictimKind::GREEDY, VictimKind::COST_BENEFIT];

/// Placements of other papers that SepBIT is compared with, among those here.
pub(super) const OTHERS: [&str; 6] = ["dac", "sfs", "multilog", "eti", "fadac", "warcip"];

/// A run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) shape: Shape,
    /// Logical pages of 100 physical ones.
    pub(super) fill: u32,
    pub(super) load: Load,
    pub(super) placement: PlacementKind,
    pub(super) victim: VictimKind,
    pub(super) seed: u64,
}

/// Array of a run, and the logical pages on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Device {
    pub(super) blocks: u32,
    pub(super) pages_per_block: u32,
    pub(super) logical_pages: u32,
}

impl Device {
    /// `page-level` on it, formatted.
    pub(super) fn scheme(
        self,
        placement: PlacementKind,
        victim: VictimKind,
        future: Option<Arc<Future>>,
    ) -> BuildResult {
        let Self { blocks, pages_per_block, logical_pages } = self;
        let part = Part { pages_per_block, ..EVALUATION_SLC.clone() };
        let geometry = Geometry::new(blocks, pages_per_block, part.page_bytes)
            .expect("arrays of this study are within the limits");
        let config = SchemeConfig {
            logical_pages: Some(logical_pages),
            victim: Some(victim),
            placement: Some(placement),
            future,
            ..SchemeConfig::preset(by_name("page-level")?)
        };
        registry::format(&config, plain_array(geometry, part, Store::Metadata))
    }
}

/// Pages programmed per page that the host wrote.
pub(super) fn waf(done: &Counts) -> f64 {
    let host = done.pages_programmed(Cause::Host) as f64;
    (host + done.pages_programmed(Cause::Collection) as f64) / host
}

/// Every placement with its defaults and each of these victim policies, and those that are made for it.
pub(super) fn pairs(victims: &[VictimKind]) -> Vec<(PlacementKind, VictimKind)> {
    let kinds = PLACEMENT_POLICIES.iter().filter_map(|policy| policy.kind(&[]));
    let with = |kind: PlacementKind| {
        let each = victims.iter().chain(kind.policy().victims);
        each.map(|victim| (kind, *victim)).collect::<Vec<_>>()
    };
    kinds.flat_map(with).collect()
}

/// Result of a cell: `None` where the reproduction was stopped before.
pub(super) type Measured<T> = Option<Result<T, String>>;

/// Measures the cells on all cores.
pub(super) fn measure_all<C: Sync, T: Send>(
    cells: &[C],
    watch: &dyn ReproductionObserver,
    measure: impl Fn(&C) -> Result<T, FtlError> + Sync,
) -> Vec<Measured<T>> {
    watch.planned(cells.len() as u64);
    let of = |cell: &C| {
        let measured = (!watch.stop()).then(|| measure(cell).map_err(|error| error.to_string()));
        watch.done(1);
        measured
    };
    cells.par_iter().with_max_len(1).map(of).collect()
}

/// The value of a cell, if it has one.
pub(super) fn value<T>(measured: &Measured<T>) -> Option<&T> {
    measured.as_ref()?.as_ref().ok()
}

/// Write amplification of the cell with this load, placement and victim policy.
pub(super) fn waf_of(
    (cells, measured): (&[Cell], &[Measured<f64>]),
    (load, placement, victim): (Load, &str, VictimKind),
) -> Option<f64> {
    let is_it = |cell: &Cell| {
        (cell.load, cell.placement.policy().name, cell.victim) == (load, placement, victim)
    };
    value(&measured[cells.iter().position(is_it)?]).copied()
}

/// A note for each cell that failed.
pub(super) fn failures<C, T>(
    cells: &[C],
    measured: &[Measured<T>],
    name: impl Fn(&C) -> String,
) -> Vec<String> {
    let failed = cells.iter().zip(measured).filter_map(|(cell, measured)| match measured {
        Some(Err(why)) => Some(format!("{}: {why}", name(cell))),
        _ => None,
    });
    failed.collect()
}

impl Cell {
    fn device(&self) -> Device {
        let Shape { blocks, pages_per_block, .. } = self.shape;
        let pages = u64::from(blocks) * u64::from(pages_per_block);
        let logical_pages = (pages * u64::from(self.fill) / 100) as u32;
        Device { blocks, pages_per_block, logical_pages }
    }

    /// Pages programmed per page that the host wrote, over the last fifth.
    pub(super) fn measure(&self) -> Result<f64, FtlError> {
        let Shape { blocks, pages_per_block, device_writes } = self.shape;
        let device @ Device { logical_pages, .. } = self.device();
        let writes = u64::from(blocks) * u64::from(pages_per_block) * u64::from(device_writes);
        let future = self.future(logical_pages, writes);
        let mut scheme = device.scheme(self.placement, self.victim, future)?;
        for lpn in 0..logical_pages {
            scheme.write(Lpn(lpn), None)?;
        }
        let mut load = self.load.writes(logical_pages, self.seed);
        let mut start = *chip(scheme.flash()).counts();
        for write in 0..writes {
            if write == writes / 5 * 4 {
                start = *chip(scheme.flash()).counts();
            }
            scheme.write(Lpn(load.next()), None)?;
        }
        Ok(waf(&chip(scheme.flash()).counts().since(&start)))
    }

    /// The future of the run, for a placement that needs it.
    fn future(&self, logical_pages: u32, writes: u64) -> Option<Arc<Future>> {
        if !self.placement.needs_future() {
            return None;
        }
        let mut notes = FutureNotes::new(logical_pages);
        (0..logical_pages).for_each(|lpn| notes.write(Lpn(lpn)));
        let mut load = self.load.writes(logical_pages, self.seed);
        (0..writes).for_each(|_| notes.write(Lpn(load.next())));
        notes.finish().map(Arc::new)
    }
}
