//! One scheme on an SSD: format, precondition, replay, report.

use super::feeder::Feeder;
use super::jobs::Jobs;
use super::state::SsdDevice;
use crate::error::RunError;
use crate::front_end::SsdSetup;
use crate::late::Late;
use crate::medium::levelled;
use crate::observer::{Observer, Unobserved};
use crate::prepare::prepare;
use crate::report::SchemeReport;
use crate::setup::{Passes, Setup, check_space};
use flash::faults::BitErrors;
use flash::{Array, parallel::Parallel};
use ftl::{FtlError, SchemeConfig};
use workload::{OpenJob, Source};

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
    let array =
        Parallel::striped(array, ssd.topology, ssd.timing, ssd.policy, ssd.ganged, ssd.stripes);
    let mut array = array.map_err(|error| FtlError::Config {
        scheme: scheme.preset.name,
        setting: "channels",
        reason: error.to_string(),
    })?;
    array.set_timed(false);
    let array = levelled(scheme, array);
    let mut made = ftl::registry::format(scheme, array)?;
    check_space(&*made, setup, label)?;
    let settled = prepare(&mut *made, setup, label, observer)?;
    let jobs = open_jobs(setup, ssd)?;
    let timed = match &jobs[..] {
        [] => source.has_arrivals() && !setup.closed,
        jobs => jobs.iter().any(|job| job.timed),
    };
    let limit = setup.max_requests.unwrap_or(u64::MAX);
    let total = source.len_hint().map_or(setup.max_requests, |hint| Some(hint.min(limit)));
    let mut device = SsdDevice::new(made, ssd, scheme.processor, timed);
    device.account.rounds.after(settled);
    device.account.late = Late::new(setup.deadline_ns, &setup.limits);
    device.free_partial_pages(setup.free_partial_pages);
    if scheme.refresh {
        device.refresh_blocks();
    }
    let mut feeder = match &ssd.host {
        None => Feeder::new(source, limit),
        Some(host) => {
            let alone = || vec![OpenJob { first_byte: 0, stream: 0, timed, source }];
            let jobs = if jobs.is_empty() { alone() } else { jobs };
            device.jobs = Some(Box::new(Jobs::new(jobs, host)));
            Feeder::of(Vec::new())
        }
    };
    let replayed = device.replay(&mut feeder, label, total, observer);
    // After an interruption, the requests taken must still end.
    if let Some(jobs) = &mut device.jobs {
        jobs.stop();
    }
    let ended = replayed
        .and_then(|()| device.replay(&mut Feeder::of(Vec::new()), label, total, &Unobserved));
    ended.map_err(|error| device.account.refuse(error))?;
    device.account.host_log = feeder.host_log();
    let elapsed_ns = device.now_ns;
    device.finish(label)?;
    device.account.close(label)?;
    let jobs = match (device.jobs.take(), &ssd.host) {
        (Some(jobs), Some(host)) => jobs.close(label, host)?,
        _ => Vec::new(),
    };
    let mut report = device.report(elapsed_ns, setup, label);
    let pages = report.write_tasks;
    let of_host = ssd.host.iter().flat_map(|host| &host.jobs);
    report.jobs = of_host.zip(jobs).map(|(of, tally)| tally.report(of, pages)).collect();
    Ok(report)
}

/// The jobs of the workload, if it has any.
fn open_jobs(setup: &Setup, ssd: &SsdSetup) -> Result<Vec<OpenJob>, RunError> {
    let (Some(_), Some(Passes { workload, facts })) = (&ssd.host, &setup.jobs) else {
        return Ok(Vec::new());
    };
    let mut jobs = workload.open_jobs(setup.seed, facts)?;
    jobs.iter_mut().for_each(|job| job.timed &= !setup.closed);
    Ok(jobs)
}
