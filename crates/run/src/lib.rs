//! Run of one scheme under one workload: format, precondition, replay, report. In serial time, and on the channels of an SSD
//! ([`ssd`]).

mod account;
mod arrivals;
mod batch_means;
pub mod bench;
mod deadlines;
mod device;
mod error;
mod foresight;
mod front_end;
mod interval;
mod late;
pub mod measures;
mod medium;
mod observer;
mod outcome;
pub mod precondition;
mod prepare;
mod promise;
pub mod report;
mod rounds;
#[cfg(test)]
mod script;
mod setup;
mod sink;
pub mod ssd;
mod summary;
mod tasks;

// The crates whose types are in this one's: a crate that depends on it needs no other.
pub use {::flash, ::ftl, ::workload};

pub use device::Device;
pub use error::{Requests, RunError};
pub use foresight::foresee;
pub use interval::Interval;
pub use late::{Length, Limit, Limits, OfRequests};
pub use medium::{array_heap_bytes, array_without_errors, counts, levelled, plain_array};
pub use observer::{Observer, Phase, Unobserved};
pub use prepare::prepare;
pub(crate) use setup::check_space;
pub use setup::{Passes, Setup, operation_pj};
pub use tasks::{Cutter, TaskCounts};

use crate::report::SchemeReport;
use flash::Serial;
use ftl::SchemeConfig;
use workload::Source;

/// Runs one scheme.
///
/// # Errors
/// [`RunError`]; an exceeded bound is no error but counted in the report.
pub fn run_scheme(
    setup: &Setup,
    scheme: &SchemeConfig,
    label: &str,
    source: Box<dyn Source>,
    observer: &dyn Observer,
) -> Result<SchemeReport, RunError> {
    let array = medium::array_of(setup)?;
    let mut report = match &setup.ssd {
        Some(ssd) => ssd::run_scheme((setup, ssd), (scheme, array), label, source, observer)?,
        None => {
            let array = levelled(scheme, Serial::new(array));
            let mut made = ftl::registry::format(scheme, array)?;
            check_space(&*made, setup, label)?;
            let settled = prepare(&mut *made, setup, label, observer)?;
            let timed = source.has_arrivals() && !setup.closed;
            let mut device =
                Device::new(made, timed).choosing(scheme.processor).refreshing(scheme.refresh);
            device.account.rounds.after(settled);
            device.replay(setup, label, source, observer)?;
            device.empty_buffer(label)?;
            device.report(setup, label)
        }
    };
    let victims = report.collection.victims;
    if let Some((work, processor)) = report.victim_work.as_mut().zip(scheme.processor.as_ref()) {
        work.charge(processor, victims);
    }
    Ok(report)
}
