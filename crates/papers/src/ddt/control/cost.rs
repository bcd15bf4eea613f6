//! Cost of widening a bus cycle that is too short for the pins.

use super::transaction::{ControlError, Transaction};
use super::unit::ControlUnit;
use flash::Ns;
use flash::channels::Timing;
use flash::pins::WindowCheck;

/// Cost of a wider bus cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Bus time added to each page, ns.
    pub page_ns: Ns,
    /// Duration of the transaction with the requested cycle, ns: hypothetical, since that cycle does not work.
    pub asked_ns: Ns,
    /// Duration of the transaction with the wider cycle, ns.
    pub widened_ns: Ns,
}

impl Cost {
    /// Compares the widened cycle with the requested one: bus time per page and duration of a transaction, each with
    /// its own skew. Returns `None` if the requested cycle works or no cycle does.
    ///
    /// # Errors
    /// See [`ControlUnit::run`].
    pub fn of(
        check: &WindowCheck,
        unit: &ControlUnit,
        transaction: &Transaction<'_>,
    ) -> Result<Option<Self>, ControlError> {
        let Some(widened) = check.widened else { return Ok(None) };
        let timings = [check.asked, widened].map(|windows| windows.applied_to(&unit.timing));
        let run = |timing: Timing| ControlUnit { timing, ..*unit }.run(transaction, &[], &mut ());
        Ok(Some(Self {
            page_ns: timings[1].t_dio_ns() - timings[0].t_dio_ns(),
            asked_ns: run(timings[0])?.total_ns,
            widened_ns: run(timings[1])?.total_ns,
        }))
    }

    /// Increase of the transaction's duration in parts per million, rounded down.
    pub fn added_ppm(&self) -> u64 {
        let added = u128::from(self.widened_ns - self.asked_ns) * 1_000_000;
        (added / u128::from(self.asked_ns)) as u64
    }
}
