//! The plan of one scheme on its array, before the workload is looked at.

use super::device::ResolvedScheme;
use super::error::ConfigError;
use super::experiment::Experiment;
use ::run::report::units;
use ::workload::quantity::Bytes;
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
    /// True if several operations may run at once.
    pub is_ssd: bool,
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
            (Some(bytes), _) => sizing.exporting(bytes, LARGEST).map_err(|why| {
                let bytes = units::bytes(bytes);
                let reason = format!("no array of up to {LARGEST} times that exports {bytes}{why}");
                ConfigError::setting("exported", reason)
            })?,
            (None, Some(capacity)) => sizing.array(capacity)?,
            (None, None) => return Err(ConfigError::setting("capacity", "is missing")),
        };
        let scheme = sizing.schemes_on(&geometry)?.into_iter().next();
        let scheme = scheme.ok_or_else(|| ConfigError::setting("schemes", "is empty"))?;
        let is_ssd = device.board.is_some();
        drop(sizing);
        Ok(Sketch { part: device.part, geometry, scheme, is_ssd })
    }
}

impl Sketch {
    /// Raw capacity of the array.
    pub fn capacity(&self) -> Bytes {
        Bytes::new(self.geometry.capacity_bytes())
    }
}
