//! Write amplification of one placement, victim policy and load.

use super::loads::Load;
use crate::observer::ReproductionObserver;
use flash::parts::EVALUATION_SLC;
use flash::{Cause, Geometry, Lpn, Part, Store};
use ftl::registry::{self, by_name};
use ftl::{FtlError, Future, FutureNotes, PlacementKind, SchemeConfig, VictimKind};
use rayon::prelude::*;
use sim::run::plain_array;
use std::sync::Arc;

/// Array, and how long it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) blocks: u32,
    pub(super) pages_per_block: u32,
    /// Writes of as many pages as the array has, behind the fill; the last fifth is measured.
    pub(super) device_writes: u32,
}

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

/// Runs the cells on all cores; `None` where the reproduction was stopped.
pub(super) fn measure_all(
    cells: &[Cell],
    watch: &dyn ReproductionObserver,
) -> Vec<Option<Result<f64, String>>> {
    watch.planned(cells.len() as u64);
    let of = |cell: &Cell| {
        let measured = (!watch.stop()).then(|| cell.measure().map_err(|error| error.to_string()));
        watch.done(1);
        measured
    };
    cells.par_iter().with_max_len(1).map(of).collect()
}

impl Cell {
    /// Pages programmed per page that the host wrote, over the last fifth.
    pub(super) fn measure(&self) -> Result<f64, FtlError> {
        let Shape { blocks, pages_per_block, device_writes } = self.shape;
        let part = Part { pages_per_block, ..EVALUATION_SLC.clone() };
        let geometry =
            Geometry::new(blocks, pages_per_block, part.page_bytes).expect("a small array");
        let logical_pages = (u64::from(geometry.pages()) * u64::from(self.fill) / 100) as u32;
        let writes = u64::from(geometry.pages()) * u64::from(device_writes);
        let config = SchemeConfig {
            logical_pages: Some(logical_pages),
            victim: Some(self.victim),
            placement: Some(self.placement),
            future: self.future(logical_pages, writes),
            ..SchemeConfig::preset(by_name("page-level")?)
        };
        let mut scheme = registry::format(&config, plain_array(geometry, part, Store::Metadata))?;
        for lpn in 0..logical_pages {
            scheme.write(Lpn(lpn), None)?;
        }
        let mut load = self.load.writes(logical_pages, self.seed);
        let mut start = *scheme.flash().counts();
        for write in 0..writes {
            if write == writes / 5 * 4 {
                start = *scheme.flash().counts();
            }
            scheme.write(Lpn(load.next()), None)?;
        }
        let done = scheme.flash().counts().since(&start);
        let host = done.pages_programmed(Cause::Host) as f64;
        Ok((host + done.pages_programmed(Cause::Collection) as f64) / host)
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
