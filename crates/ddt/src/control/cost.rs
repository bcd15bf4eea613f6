//! What a cycle that is wider than the one asked for costs.

use super::transaction::{ControlError, Transaction};
use super::unit::ControlUnit;
use flash::Ns;
use flash::channels::Timing;
use flash::pins::WindowCheck;

/// What a wider cycle costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Bus time added to each page, ns.
    pub page_ns: Ns,
    /// The transaction with the cycle asked for, ns: what it would take if that worked.
    pub asked_ns: Ns,
    /// The transaction with the wider cycle, ns.
    pub widened_ns: Ns,
}

impl Cost {
    /// What the wider cycle costs: bus time of a page with it less that with the cycle asked for, and both times of a
    /// transaction, each with its own skew. `None` where the cycle asked for works or none does.
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

    /// Time added to the transaction, in parts per million, rounded down.
    pub fn added_ppm(&self) -> u64 {
        let added = u128::from(self.widened_ns - self.asked_ns) * 1_000_000;
        (added / u128::from(self.asked_ns)) as u64
    }
}
