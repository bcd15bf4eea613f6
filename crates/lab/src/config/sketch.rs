//! The plan of one scheme on its array, before the workload is looked at.

use super::device::ResolvedScheme;
use super::error::ConfigError;
use super::experiment::Experiment;
use super::ssd::{Board, OneAtATime};
use ::workload::quantity::Bytes;
use bounds::task_set::PageCosts;
use flash::{Geometry, Part};

/// Arrays of more than so many times what is to be exported are not looked at.
const LARGEST: u32 = 16;

/// A scheme's plan on its array.
#[derive(Clone, Debug)]
pub struct Sketch {
    /// The part's data sheet.
    pub part: Part,
    /// The array.
    pub geometry: Geometry,
    /// The scheme with its plan.
    pub scheme: ResolvedScheme,
    /// Of an SSD: what it adds to each page task, or why no delay is proved. `None`: one operation runs at a time.
    pub ssd: Option<Result<OneAtATime, &'static str>>,
}

impl Experiment {
    /// The plan of the first scheme on an array of the capacity; or, for `exported` bytes, on the smallest array with which it
    /// exports as many. [`Experiment::resolve`] makes the same plan, and looks at the workload as well.
    ///
    /// # Errors
    /// The setting at fault; the scheme exports less on every array that is not far too large.
    pub fn sketch(mut self, exported: Option<u64>) -> Result<Sketch, ConfigError> {
        let device = self.take_device(&mut Vec::new())?;
        let sizing = device.sizing(&self)?;
        let geometry = match (exported, self.capacity) {
            (Some(bytes), _) => sizing.exporting(bytes, LARGEST)?,
            (None, Some(capacity)) => sizing.array(capacity)?,
            (None, None) => return Err(ConfigError::setting("capacity", "is missing")),
        };
        let scheme = sizing.schemes_on(&geometry)?.into_iter().next();
        let scheme = scheme.ok_or_else(|| ConfigError::setting("schemes", "is empty"))?;
        drop(sizing);
        let processor = self.processor();
        let of = |board: &Board| {
            let seen = (&scheme.plan, &scheme.part);
            board.one_at_a_time(&device.channel, seen, processor.as_ref())
        };
        let ssd = device.board.as_ref().map(of);
        Ok(Sketch { part: device.part, geometry, scheme, ssd })
    }
}

impl Sketch {
    /// What an SSD adds to page tasks, as far as that is derived.
    ///
    /// # Errors
    /// Why nothing is.
    pub fn added(&self) -> Result<OneAtATime, &'static str> {
        self.ssd.unwrap_or(Ok(OneAtATime::NOTHING))
    }

    /// Worst cases of page tasks of requests that do not queue.
    ///
    /// # Errors
    /// Why there are none.
    pub fn page_costs(&self) -> Result<PageCosts, &'static str> {
        let added = self.added()?;
        let PageCosts { read_ns, write_ns } = self.scheme.plan.page_costs()?;
        Ok(PageCosts {
            read_ns: added.of(read_ns).saturating_add(added.link.read_ns),
            write_ns: added.of(write_ns).saturating_add(added.link.write_ns),
        })
    }

    /// Raw capacity of the array.
    pub fn capacity(&self) -> Bytes {
        Bytes::new(self.geometry.capacity_bytes())
    }
}
