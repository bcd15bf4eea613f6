//! Table rows of SSDs with several channels, and of victim selection.

use super::cells::{longest, mean, none, p99_9, percent};
use ::run::measures::Summary;
use ::run::report::SchemeReport;
use ::run::report::units;
use ::run::report::{PlaneReport, SsdReport};

/// Adds one row, given its label and its cell per scheme.
pub(super) type Row<'a> = &'a mut dyn FnMut(&str, &dyn Fn(&SchemeReport) -> String);

/// Explanation of these rows.
pub(super) const HOW_TO_READ: &str = "Completion: end − arrival (or − issue, if the host keeps requests outstanding), \
    queueing included. Page commands: page reads and programs; a copy is one of each. Stall: time without a completion \
    while requests are outstanding. Use: share of the time, mean over channels or dies.";

/// Rows of completion times.
pub(super) fn completions(row: Row<'_>) {
    let mut of = |whose: &str, times: fn(&SchemeReport) -> &Summary| {
        row(&format!("{whose} mean"), &|s| mean(times(s)));
        row("  p99", &|s| times(s).p99.map_or_else(none, |ns| units::time(ns as f64)));
        row("  p99.9", &|s| p99_9(times(s)));
        row("  max", &|s| longest(times(s)));
    };
    of("page read completion", |s| &s.read_completion_ns);
    of("page write completion", |s| &s.write_completion_ns);
    of("request completion", |s| &s.request_completion_ns);
}

/// Rows of throughput and of the use of channels, dies, link and processor.
pub(super) fn work(schemes: &[SchemeReport], row: Row<'_>) {
    let mut of = |label: &str, cell: &dyn Fn(&SsdReport) -> Option<String>| {
        row(label, &|s| s.ssd.as_ref().and_then(cell).unwrap_or_else(none));
    };
    let time = |ns: u64| Some(units::time(ns as f64));
    let in_windows = |ssd: &SsdReport, rate: f64| (ssd.windows > 0).then(|| units::rate(rate));
    of("page commands", &|ssd| Some(units::rate(ssd.page_commands_per_second)));
    of("  minimum per window", &|ssd| in_windows(ssd, ssd.window_least_per_second));
    of("  maximum per window", &|ssd| in_windows(ssd, ssd.window_most_per_second));
    of("host pages", &|ssd| Some(units::rate(ssd.host_pages_per_second)));
    of("longest stall", &|ssd| time(ssd.longest_stall_ns));
    // 0 if tasks run between the steps of a collection: it then never occupies the controller.
    let kept = |ns: u64| (ns > 0).then_some(ns);
    of("longest collection", &|ssd| kept(ssd.longest_collection_ns).and_then(time));
    of("channel use", &|ssd| Some(percent(ssd.channel_use)));
    of("die use", &|ssd| Some(percent(ssd.die_use)));
    if schemes.iter().filter_map(|s| s.ssd.as_ref()).any(|ssd| ssd.planes.is_some()) {
        let mut per = |label: &str, counts: fn(&PlaneReport) -> [u64; 2]| {
            of(label, &|ssd| {
                let [pages, operations] = counts(ssd.planes.as_ref()?);
                (operations > 0).then(|| format!("{:.2}", pages as f64 / operations as f64))
            });
        };
        per("planes per read", |planes| [planes.pages_read, planes.reads]);
        per("planes per program", |planes| [planes.pages_programmed, planes.programs]);
        per("planes per erase", |planes| [planes.blocks_erased, planes.erases]);
    }
    let suspended = |ssd: &SsdReport| ssd.suspended_erases + ssd.suspended_programs;
    let any = |has: fn(&SsdReport) -> bool| schemes.iter().filter_map(|s| s.ssd.as_ref()).any(has);
    if schemes.iter().filter_map(|s| s.ssd.as_ref()).any(|ssd| suspended(ssd) > 0) {
        of("suspended erases", &|ssd| Some(units::grouped(ssd.suspended_erases)));
        of("suspended programs", &|ssd| Some(units::grouped(ssd.suspended_programs)));
        of("  total delay", &|ssd| time(ssd.suspension_ns));
    }
    if any(|ssd| ssd.link_use.is_some()) {
        of("link use", &|ssd| ssd.link_use.map(percent));
    }
    if any(|ssd| ssd.processor_ns > 0) {
        of("busiest", &|ssd| {
            let (what, share) = ssd.busiest();
            Some(format!("{what} {:.0} %", share * 100.0))
        });
        of("processor use", &|ssd| Some(percent(ssd.processor_share)));
        if any(|ssd| ssd.cores > 1) {
            of("  busiest core", &|ssd| Some(percent(ssd.busiest_core_share)));
        }
        of("  longest run", &|ssd| time(ssd.longest_processor_ns));
        let part =
            |ssd: &SsdReport, ns: u64| Some(percent(ns as f64 / (ssd.processor_ns.max(1)) as f64));
        if any(|ssd| ssd.map_ns + ssd.moves_ns + ssd.commands_ns > 0) {
            of("  for the map", &|ssd| part(ssd, ssd.map_ns));
            of("  for moved pages", &|ssd| part(ssd, ssd.moves_ns));
            of("  for victims", &|ssd| part(ssd, ssd.victims_ns));
            if any(|ssd| ssd.commands_ns > 0) {
                of("  for commands", &|ssd| part(ssd, ssd.commands_ns));
            }
        }
    }
}

/// Rows of the work of victim selection.
pub(super) fn victim_work(schemes: &[SchemeReport], row: Row<'_>) {
    let work = || schemes.iter().filter_map(|s| s.victim_work.as_ref());
    if work().next().is_none() {
        return;
    }
    row("entries touched\n  per victim selection", &|s| {
        let entries = s.victim_work.and_then(|work| work.entries_per_victim);
        entries.map_or_else(none, units::number)
    });
    if work().all(|work| work.processor_ns.is_none()) {
        return;
    }
    row("processor time", &|s| {
        let ns = s.victim_work.and_then(|work| work.processor_ns);
        ns.map_or_else(none, |ns| units::time(ns as f64))
    });
    row("  per victim", &|s| {
        let ns = s.victim_work.and_then(|work| work.processor_ns_per_victim);
        ns.map_or_else(none, units::time)
    });
}
