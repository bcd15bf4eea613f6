//! The array of a run, and what it tells besides operations and time: copies by path, bit errors.

use super::{RunError, Setup};
use crate::report::{BitErrorReport, CopyCount};
use flash::faults::{BitErrorModel, BitErrors};
use flash::{Array, CopyPath, Flash, Geometry, Operation, Part, Serial, Store};

/// The simulated array that runs are made on: serial time over an array that keeps no user bytes and may have bit
/// errors.
pub type SimulatedArray = Serial<BitErrors<Array>>;

/// An array without bit errors.
pub(crate) fn array_without_errors(geometry: Geometry, part: Part) -> SimulatedArray {
    Serial::new(BitErrors::none(Array::new(geometry, part, Store::Metadata)))
}

/// The array of a scheme's run.
pub(super) fn array_of(setup: &Setup) -> Result<SimulatedArray, RunError> {
    let (geometry, part) = (setup.geometry, setup.part.clone());
    let Some(model) = setup.bit_errors else { return Ok(array_without_errors(geometry, part)) };
    let array = Array::new(geometry, part, Store::Metadata);
    Ok(Serial::new(BitErrors::new(array, model, setup.seed)?))
}

/// Energy of each operation, picojoules: of the array times, on all planes. Bus cycles take none that a source tells.
pub(crate) fn operation_pj(part: &Part, planes: u32) -> [u64; Operation::ALL.len()] {
    Operation::ALL.map(|operation| {
        let plane = match operation {
            Operation::Read => part.read_pj(),
            Operation::ReadOob => part.read_oob_pj(),
            Operation::Program => part.program_pj(),
            Operation::Copy => part.read_pj() + part.program_pj(),
            Operation::Erase => part.erase_pj(),
        };
        plane * u64::from(planes)
    })
}

/// What the array has counted so far, besides operations.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Medium {
    copies_by: [u64; CopyPath::ALL.len()],
    corrected_bits: u64,
    bytes_sent_again: u64,
    propagated_bits: u64,
    uncorrectable_reads: u64,
}

impl Medium {
    pub(super) fn of(flash: &SimulatedArray) -> Self {
        Self {
            copies_by: CopyPath::ALL.map(|path| flash.copies_by(path)),
            corrected_bits: flash.corrected_bits(),
            bytes_sent_again: flash.bytes_sent_again(),
            propagated_bits: flash.inner().propagated_bits(),
            uncorrectable_reads: flash.inner().uncorrectable_reads(),
        }
    }

    /// What was counted since.
    pub(super) fn since(&self, before: &Self) -> Self {
        let mut copies_by = self.copies_by;
        copies_by.iter_mut().zip(before.copies_by).for_each(|(now, before)| *now -= before);
        Self {
            copies_by,
            corrected_bits: self.corrected_bits - before.corrected_bits,
            bytes_sent_again: self.bytes_sent_again - before.bytes_sent_again,
            propagated_bits: self.propagated_bits - before.propagated_bits,
            uncorrectable_reads: self.uncorrectable_reads - before.uncorrectable_reads,
        }
    }

    /// Copies by path, of the paths that this part's copies may take.
    pub(super) fn copies(&self, part: &Part) -> Option<Vec<CopyCount>> {
        let copies = part.copies.as_ref()?;
        let far = (copies.ways > 1).then_some(copies.far.path);
        let paths = [copies.near.path].into_iter().chain(far);
        let count = |path: CopyPath| CopyCount {
            path: path.name().into(),
            copies: self.copies_by[path as usize],
        };
        Some(paths.map(count).collect())
    }

    /// Bit errors, where the array may have any.
    pub(super) fn bit_errors(
        &self,
        model: Option<BitErrorModel>,
        uncorrectable_host_reads: u64,
        [lost_pages, lost_pages_before]: [u64; 2],
    ) -> Option<BitErrorReport> {
        model.map(|_| BitErrorReport {
            corrected_bits: self.corrected_bits,
            corrected_bytes_sent_again: self.bytes_sent_again,
            propagated_bits: self.propagated_bits,
            uncorrectable_reads: self.uncorrectable_reads,
            uncorrectable_host_reads,
            lost_pages,
            lost_pages_before,
        })
    }
}
