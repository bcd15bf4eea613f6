//! One scheme on an SSD: format, precondition, replay, report.

use super::SsdSetup;
use super::device::SsdDevice;
use super::feeder::Feeder;
use crate::report::SchemeReport;
use crate::run::{
    Observer, ParallelArray, ProcessorTime, RunError, Setup, check_space, levelled, precondition,
};
use flash::faults::BitErrors;
use flash::{Array, parallel::Parallel};
use ftl::{FtlError, Scheme, SchemeConfig, Visitor};
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
    let choosing = ProcessorTime::on(scheme.processor);
    ftl::registry::format(scheme, array, Replay { setup, ssd, choosing, label, source, observer })?
}

/// The run of a scheme, once its type is known.
struct Replay<'a> {
    setup: &'a Setup,
    ssd: &'a SsdSetup,
    choosing: ProcessorTime,
    label: &'a str,
    source: Box<dyn Source>,
    observer: &'a dyn Observer,
}

impl Visitor<ParallelArray> for Replay<'_> {
    type Output = Result<SchemeReport, RunError>;

    fn visit<S: Scheme<Flash = ParallelArray> + Clone>(self, mut scheme: S) -> Self::Output {
        let Self { setup, ssd, choosing, label, source, observer } = self;
        check_space(&scheme, setup, label)?;
        precondition(&mut scheme, setup, label, observer)?;
        let timed = source.has_arrivals() && !setup.closed;
        let limit = setup.max_requests.unwrap_or(u64::MAX);
        let total = source.len_hint().map_or(setup.max_requests, |hint| Some(hint.min(limit)));
        let mut device = SsdDevice::new(scheme, ssd, choosing, timed);
        device.replay(&mut Feeder::new(source, limit), label, total, observer)?;
        let elapsed_ns = device.now_ns;
        let end = device.finish();
        end.map_err(|source| RunError::Scheme {
            scheme: label.into(),
            source,
            task: device.measures.tasks(),
            phase: "workload",
        })?;
        Ok(device.report(elapsed_ns, setup, label))
    }
}
