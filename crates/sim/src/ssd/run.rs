//! One scheme on an SSD: format, precondition, replay, report.

use super::feeder::Feeder;
use super::setup::SsdSetup;
use super::state::SsdDevice;
use crate::report::SchemeReport;
use crate::run::error::RunError;
use crate::run::late::Late;
use crate::run::medium::levelled;
use crate::run::observer::{Observer, Unobserved};
use crate::run::precondition;
use crate::run::setup::{Setup, check_space};
use flash::faults::BitErrors;
use flash::{Array, parallel::Parallel};
use ftl::{FtlError, SchemeConfig};
use workload::Source;

/// Runs one scheme on the channels of `ssd`.
///
/// # Errors
/// [`RunError`].
pub(crate) fn run_scheme(
    (setup, ssd): (&Setup, &SsdSetup),
    (scheme, array): (&SchemeConfig, BitErrors<Array>),
    label: &str,
    source: Box<dyn Source>,
    observer: &dyn Observer,
) -> Result<SchemeReport, RunError> {
    let array = Parallel::new(array, ssd.topology, ssd.timing, ssd.policy, ssd.ganged);
    let mut array = array.map_err(|error| FtlError::Config {
        scheme: scheme.preset.name,
        setting: "channels",
        reason: error.to_string(),
    })?;
    array.set_timed(false);
    let array = levelled(scheme, array);
    let mut made = ftl::registry::format(scheme, array)?;
    check_space(&*made, setup, label)?;
    let settled = precondition(&mut *made, setup, label, observer)?;
    let timed = source.has_arrivals() && !setup.closed;
    let limit = setup.max_requests.unwrap_or(u64::MAX);
    let total = source.len_hint().map_or(setup.max_requests, |hint| Some(hint.min(limit)));
    let mut device = SsdDevice::new(made, ssd, scheme.processor, timed);
    device.account.rounds.after(settled);
    device.account.late = Late::new(setup.deadline_ns);
    device.free_partial_pages(setup.free_partial_pages);
    let replayed = device.replay(&mut Feeder::new(source, limit), label, total, observer);
    // After an interruption, the requests taken must still end.
    let ended = replayed
        .and_then(|()| device.replay(&mut Feeder::of(Vec::new()), label, total, &Unobserved));
    ended.map_err(|error| device.account.refuse(error))?;
    let elapsed_ns = device.now_ns;
    device.finish(label)?;
    device.account.close(label)?;
    Ok(device.report(elapsed_ns, setup, label))
}
