//! The figures of a report, each declared once.
//!
//! A figure is a field of a struct in `run::report`, with its doc and its unit: it is filled where it is measured. JSON,
//! its schema, columns of sweeps and of CSV files follow from the field by serde. What they do not follow from it stands
//! here, in one entry per figure, found by its name in the JSON with those of the objects around it (`buffer.evicted`):
//!
//! - `Figure::column`: its name in CSV files and tables of reports, where that of the field does not end in the unit;
//! - `Figure::sentence`: it is in `notes.csv`, not in `summary.csv`;
//! - `Figure::row`: its label and its form with `--details`, and in "Every figure" of a page;
//! - `Figure::first`: the same on the first screen, with its place there.
//!
//! Entries are in the order of the rows of `--details`. A row that no scheme has a value for is left out: so a part that
//! some schemes lack needs no condition. A `*` in a name stands for parts that vary, such as causes: a row for each, with
//! the part as `{}` in its label. Text that more than one field makes comes from a function of the scheme.

use super::flat;
use super::forms::{has_queueing, longest_response, one_share, verdict, wear_ratios};
use super::grid::Grid;
use ::run::report::units::{above, bytes, count, energy, grouped, number, percent, rate, time};
use ::run::report::{
    DeadlineReport, HandleReport, JobReport, PlaneReport, Report, RequestDeadline, RunMean,
    SchemeReport, SsdReport,
};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use workload::quantity::Duration;

/// A figure of `T`: a scheme, a job or a placement handle.
pub(super) struct Figure<T: 'static> {
    /// Its name in the JSON.
    pub(super) name: &'static str,
    /// Its name in CSV, with its unit.
    pub(super) column: Option<&'static str>,
    /// True if it is a sentence.
    pub(super) is_sentence: bool,
    details: Option<Row<T>>,
    first: Option<(u8, Row<T>)>,
}

/// What a report must have for rows or words to be shown.
pub(super) type When = fn(&Report) -> bool;

/// How a figure is shown in a table.
struct Row<T: 'static> {
    label: &'static str,
    cell: Cell<T>,
    when: When,
}

/// A cell; `–` where there is no value.
enum Cell<T: 'static> {
    /// The figure's value in this form.
    Of(fn(f64) -> String),
    /// The same of a whole number.
    Whole(fn(u64) -> String),
    /// The same in rows that only a value above 0 in one of their cells makes worth a line.
    AnyOf(fn(f64) -> String),
    /// The same of whole numbers.
    AnyWhole(fn(u64) -> String),
    /// Text made of several fields.
    By(fn(&Report, &T) -> Option<String>),
}
use Cell::{AnyOf, AnyWhole, By, Of, Whole};

const fn figure<T>(name: &'static str) -> Figure<T> {
    Figure { name, column: None, is_sentence: false, details: None, first: None }
}

impl<T: 'static> Figure<T> {
    const fn column(self, name: &'static str) -> Self {
        Self { column: Some(name), ..self }
    }

    const fn sentence(self) -> Self {
        Self { is_sentence: true, ..self }
    }

    const fn row(self, label: &'static str, cell: Cell<T>) -> Self {
        self.row_if(always, label, cell)
    }

    const fn row_if(self, when: When, label: &'static str, cell: Cell<T>) -> Self {
        Self { details: Some(Row { label, cell, when }), ..self }
    }

    const fn first(self, place: u8, label: &'static str, cell: Cell<T>) -> Self {
        self.first_if(always, place, label, cell)
    }

    const fn first_if(self, when: When, place: u8, label: &'static str, cell: Cell<T>) -> Self {
        Self { first: Some((place, Row { label, cell, when })), ..self }
    }
}

// Conditions of rows.
fn always(_: &Report) -> bool {
    true
}
fn on_channels(report: &Report) -> bool {
    report.is_of_channels()
}
fn serial(report: &Report) -> bool {
    !on_channels(report)
}
fn any(report: &Report, is: impl Fn(&SchemeReport) -> bool) -> bool {
    report.schemes.iter().any(is)
}
fn any_ssd(report: &Report, is: impl Fn(&SsdReport) -> bool) -> bool {
    any(report, |s| s.ssd.as_ref().is_some_and(&is))
}
fn promises(report: &Report) -> bool {
    serial(report) || any(report, SchemeReport::can_promise)
}
fn queueing(report: &Report) -> bool {
    serial(report) && any(report, has_queueing)
}
/// A bound is per page: where requests have several, the longest of these must not be taken for it.
fn longer_requests(report: &Report) -> bool {
    serial(report) && any(report, |s| s.request_response_ns.max > s.response_ns.max)
}
/// Whether the firmware limits: only where it takes time.
fn processor(report: &Report) -> bool {
    any_ssd(report, |ssd| ssd.processor_ns > 0)
}
fn several_cores(report: &Report) -> bool {
    processor(report) && any_ssd(report, |ssd| ssd.cores > 1)
}
fn firmware(report: &Report) -> bool {
    any_ssd(report, |ssd| ssd.processor_ns > 0)
        && any_ssd(report, |ssd| ssd.map_ns + ssd.moves_ns + ssd.commands_ns > 0)
}
fn commands(report: &Report) -> bool {
    firmware(report) && any_ssd(report, |ssd| ssd.commands_ns > 0)
}
fn suspensions(report: &Report) -> bool {
    any_ssd(report, |ssd| ssd.suspended_erases + ssd.suspended_programs > 0)
}

// Forms of values.
fn pages(number: u64) -> String {
    format!("{} pages", count(number))
}
fn whole_percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
fn three(number: f64) -> String {
    format!("{number:.3}")
}
fn four(number: f64) -> String {
    format!("{number:.4}")
}

// Texts made of several fields.
fn in_windows(scheme: &SchemeReport, of: fn(&SsdReport) -> f64) -> Option<String> {
    let ssd = scheme.ssd.as_ref().filter(|ssd| ssd.windows > 0)?;
    Some(rate(of(ssd)))
}
fn per_operation(scheme: &SchemeReport, counts: fn(&PlaneReport) -> [u64; 2]) -> Option<String> {
    let [pages, operations] = counts(scheme.ssd.as_ref()?.planes.as_ref()?);
    (operations > 0).then(|| format!("{:.2}", pages as f64 / operations as f64))
}
fn of_processor(scheme: &SchemeReport, ns: fn(&SsdReport) -> u64) -> Option<String> {
    let ssd = scheme.ssd.as_ref()?;
    Some(percent(ns(ssd) as f64 / ssd.processor_ns.max(1) as f64))
}
fn busiest(_: &Report, scheme: &SchemeReport) -> Option<String> {
    let (what, share) = scheme.ssd.as_ref()?.busiest();
    Some(format!("{what} {:.0} %", share * 100.0))
}
fn deadline(
    scheme: &SchemeReport,
    cell: fn(&RequestDeadline, &SchemeReport) -> String,
) -> Option<String> {
    scheme.request_deadline.as_ref().map(|deadline| cell(deadline, scheme))
}
fn misses(_: &Report, scheme: &SchemeReport) -> Option<String> {
    let misses = scheme.deadlines.as_ref()?.misses;
    // Nothing had to be collected: the worst case has not been near.
    let near = scheme.collection.victims > 0;
    Some(if near { count(misses) } else { format!("{misses} (no collection)") })
}
fn verdict_or_late(_: &Report, scheme: &SchemeReport) -> Option<String> {
    deadline(scheme, |deadline, scheme| match deadline.kept {
        true => deadline.verdict(scheme),
        false => format!("{} late", deadline.late_percent()),
    })
}
fn settled(_: &Report, scheme: &SchemeReport) -> Option<String> {
    Some(match (scheme.steady.waf_is_steady, scheme.steady.steady_from_fills) {
        (Some(true), Some(from)) => format!("from {from:.1} fills on"),
        (Some(_), _) => "no".into(),
        (None, _) => "too short".into(),
    })
}
fn behind_warm_up(_: &Report, scheme: &SchemeReport) -> Option<String> {
    let RunMean { settled, mean, ci95, .. } = scheme.batch_means.waf;
    Some(match (settled?, mean?, ci95) {
        (true, mean, Some(half)) => format!("{} ±{}", number(mean), percent(half / mean)),
        _ => "not settled".into(),
    })
}
fn warm_up(_: &Report, scheme: &SchemeReport) -> Option<String> {
    let RunMean { settled, warm_up_share, .. } = scheme.batch_means.waf;
    warm_up_share.filter(|_| settled == Some(true)).map(percent)
}
fn bound(_: &Report, scheme: &SchemeReport) -> Option<String> {
    scheme.bound_ns.filter(|_| scheme.can_promise()).map(|ns| time(ns as f64))
}
fn completion_bound(_: &Report, scheme: &SchemeReport) -> Option<String> {
    let ns = scheme.ssd.as_ref()?.completion_bound_ns;
    ns.filter(|_| scheme.bound_ns.is_some()).map(|ns| time(ns as f64))
}
fn longest(_: &Report, scheme: &SchemeReport) -> Option<String> {
    Some(longest_response(scheme)).filter(|_| scheme.response_ns.count > 0)
}

#[rustfmt::skip]
pub(super) static OF_SCHEMES: &[Figure<SchemeReport>] = &[
    figure("warnings").sentence(),
    figure("request_deadline.unproved").sentence(),
    figure("collection.why").sentence(),
    figure("first_violation.replay").sentence(),
    figure("ram.map").column("ram.map_bytes"),
    figure("ram.blocks").column("ram.blocks_bytes"),
    figure("ram.victims").column("ram.victims_bytes"),
    figure("ram.buffer").column("ram.buffer_bytes"),
    figure("ram.other").column("ram.other_bytes"),
    figure("collection.victims").column("collection.victims_blocks"),
    figure("collection.first_at_task").column("collection.first_at_page_task"),
    figure("ssd.queue_depth").column("ssd.queue_depth_requests"),
    figure("wear_index").column("wear_index_percent"),
    figure("violations").row("verdict", By(|_, s| Some(verdict(s).to_owned()))),
    figure("real_time").row_if(
        promises,
        "bound",
        By(|_, s| {
            let of = ["whole-victim\nworst case", "real-time\n(one step)"];
            s.bound_ns.map(|_| of[usize::from(s.real_time)].to_owned())
        }),
    ),
    figure("bound_ns").row_if(promises, "response bound", Of(time)).first(50, "its bound{per page}", By(bound)),
    figure("response_ns.max").row_if(promises, "longest response", By(longest))
        .first_if(serial, 42, "worst response", By(longest)),
    figure("bounded_response_ns").row_if(promises, "  compared with the bound", Of(time)),
    figure("ssd.completion_bound_ns").row_if(promises, "bound with a step before it", Of(time))
        .first(51, "with a step before it", By(completion_bound)),
    figure("ssd.bounded_completion_ns").row_if(promises, "  longest", Of(time)),
    figure("violations").row_if(promises, "violations", Whole(count)),
    // Times and work of an SSD.
    figure("read_completion_ns.mean").row_if(on_channels, "page read completion mean", Of(time)),
    figure("read_completion_ns.p99").row_if(on_channels, "  p99", Of(time)),
    figure("read_completion_ns.p99.9").row_if(on_channels, "  p99.9", Of(time)),
    figure("read_completion_ns.max").row_if(on_channels, "  max", Of(time)),
    figure("write_completion_ns.mean").row_if(on_channels, "page write completion mean", Of(time)),
    figure("write_completion_ns.p99").row_if(on_channels, "  p99", Of(time)),
    figure("write_completion_ns.p99.9").row_if(on_channels, "  p99.9", Of(time)),
    figure("write_completion_ns.max").row_if(on_channels, "  max", Of(time)),
    figure("request_completion_ns.mean").row_if(on_channels, "request completion mean", Of(time))
        .first_if(on_channels, 31, "mean completion", Of(time)),
    figure("request_completion_ns.p99").row_if(on_channels, "  p99", Of(time)),
    figure("request_completion_ns.p99.9").row_if(on_channels, "  p99.9", Of(time))
        .first_if(on_channels, 32, "p99.9 completion", Of(time)),
    figure("request_completion_ns.max").row_if(on_channels, "  max", Of(time))
        .first_if(on_channels, 33, "worst completion", Of(time)),
    figure("ssd.page_commands_per_second").row("page commands", Of(rate)),
    figure("ssd.window_least_per_second")
        .row("  minimum per window", By(|_, s| in_windows(s, |ssd| ssd.window_least_per_second))),
    figure("ssd.window_most_per_second")
        .row("  maximum per window", By(|_, s| in_windows(s, |ssd| ssd.window_most_per_second))),
    figure("ssd.host_pages_per_second").row("host pages", Of(rate)).first(30, "host pages /s", Of(number)),
    figure("ssd.longest_stall_ns").row("longest stall", Of(time)),
    figure("ssd.longest_collection_ns").row(
        "longest collection",
        // 0 if tasks run between the steps of a collection: it then never occupies the controller.
        By(|_, s| {
            let ns = s.ssd.as_ref()?.longest_collection_ns;
            (ns > 0).then(|| time(ns as f64))
        }),
    ),
    figure("ssd.channel_use").column("ssd.channel_use_share_of_time").row("channel use", Of(percent)),
    figure("ssd.die_use").column("ssd.die_use_share_of_time").row("die use", Of(percent)),
    figure("ssd.planes.reads")
        .row("planes per read", By(|_, s| per_operation(s, |planes| [planes.pages_read, planes.reads]))),
    figure("ssd.planes.programs")
        .row("planes per program", By(|_, s| per_operation(s, |planes| [planes.pages_programmed, planes.programs]))),
    figure("ssd.planes.erases")
        .row("planes per erase", By(|_, s| per_operation(s, |planes| [planes.blocks_erased, planes.erases]))),
    figure("ssd.suspended_erases").row_if(suspensions, "suspended erases", Whole(grouped)),
    figure("ssd.suspended_programs").row_if(suspensions, "suspended programs", Whole(grouped)),
    figure("ssd.suspension_ns").row_if(suspensions, "  total delay", Of(time)),
    figure("ssd.link_use").column("ssd.link_use_share_of_time").row("link use", Of(percent)),
    figure("ssd.processor_ns").row_if(processor, "busiest", By(busiest)).first_if(processor, 34, "busiest", By(busiest)),
    figure("ssd.processor_share").row_if(processor, "processor use", Of(percent)),
    figure("ssd.busiest_core_share").row_if(several_cores, "  busiest core", Of(percent)),
    figure("ssd.longest_processor_ns").row_if(processor, "  longest run", Of(time)),
    figure("ssd.map_ns").row_if(firmware, "  for the map", By(|_, s| of_processor(s, |ssd| ssd.map_ns))),
    figure("ssd.moves_ns").row_if(firmware, "  for moved pages", By(|_, s| of_processor(s, |ssd| ssd.moves_ns))),
    figure("ssd.victims_ns").row_if(firmware, "  for victims", By(|_, s| of_processor(s, |ssd| ssd.victims_ns))),
    figure("ssd.commands_ns").row_if(commands, "  for commands", By(|_, s| of_processor(s, |ssd| ssd.commands_ns))),
    // Times where one operation runs at a time.
    figure("response_ns.mean").row_if(serial, "response mean", Of(time))
        .first_if(serial, 40, "mean response", Of(time)),
    figure("response_ns.p99.9").row_if(serial, "response p99.9", Of(time))
        .first_if(serial, 41, "p99.9 response", Of(time)),
    figure("request_response_ns.max").row_if(longer_requests, "longest request (without queueing)", Of(time))
        .first_if(|r| longer_requests(r) && !queueing(r), 51, "longest request", Of(time)),
    figure("service_ns.mean").row_if(serial, "mean without collection", Of(time)),
    figure("step_ns.max").row_if(serial, "longest collection pause", Of(time)),
    figure("completion_ns.mean").row_if(queueing, "completion mean", Of(time)),
    figure("completion_ns.p99.9").row_if(queueing, "completion p99.9", Of(time))
        .first_if(queueing, 43, "p99.9 completion", Of(time)),
    figure("completion_ns.max").row_if(queueing, "completion max", Of(time)),
    figure("elapsed_ns").row_if(on_channels, "run time", Of(time)),
    figure("busy_ns").row_if(
        |r| serial(r) && any(r, |s| s.buffer.is_some() || s.copies_by_path.is_some()),
        "execution time",
        Of(time),
    ),
    figure("request_deadline.kept")
        .row("deadline {deadline}", By(|_, s| deadline(s, RequestDeadline::verdict)))
        .first(53, "deadline {deadline}", By(verdict_or_late)),
    figure("request_deadline.late_requests").row("  late requests", By(|_, s| deadline(s, |d, _| d.late()))),
    figure("request_deadline.longest_ns")
        .row("  longest request (completion)", By(|_, s| deadline(s, RequestDeadline::longest))),
    figure("deadlines.schedulable").row("schedulable", By(|_, s| s.deadlines.as_ref().map(DeadlineReport::verdict))),
    figure("deadlines.misses").row("deadline misses", By(misses)).first(54, "deadlines missed", Whole(count)),
    // Writes.
    figure("waf").column("waf_pages_per_host_page").row("WAF", Of(number)).first(20, "WAF", Of(number)),
    figure("waf_above_oracle").column("waf_above_oracle_share").row("above oracle", Of(above))
        .first(23, "above oracle", Of(above)),
    figure("waf_by_cause.*").row("  of it {}", AnyOf(number)),
    figure("steady.waf_is_steady").row("  settled by rounds", By(settled)),
    figure("batch_means.waf.mean").row("  mean behind warm-up", By(behind_warm_up)),
    figure("batch_means.waf.warm_up_share").row("  warm-up", By(warm_up)),
    figure("steady.writes_per_capacity").row("host writes / capacity", Of(three)),
    figure("copies").column("copies_pages").row("page copies", Whole(count)),
    figure("copies_by_path.*_pages").row("  of them {}", Whole(count)),
    figure("erases").column("erases_blocks").row("block erases", Whole(count)),
    // Bit errors.
    figure("bit_errors.corrected_bits").row("bits corrected", Whole(count)),
    figure("bit_errors.corrected_bytes_sent_again").row("  bytes sent again", Whole(count)),
    figure("bit_errors.propagated_bits").row("  bits propagated", Whole(count)),
    figure("bit_errors.uncorrectable_reads").row("uncorrectable reads", Whole(count)),
    figure("bit_errors.uncorrectable_host_reads").row("  of the host", Whole(count)),
    figure("bit_errors.lost_pages").row("pages lost", Whole(count)),
    figure("refresh.refresh_due_blocks").row("blocks due for refresh", Whole(count)),
    figure("refresh.refreshed_pages").row("  pages moved", Whole(count)),
    figure("refresh.reclaim_due_blocks").row("blocks due for read reclaim", Whole(count)),
    figure("refresh.reclaimed_pages").row("  pages moved", Whole(count)),
    figure("refresh.waiting_blocks").row("blocks due at the end", Whole(count)),
    figure("bit_errors.retry.reads_by_steps.0").row("reads without retry", Whole(count)),
    figure("bit_errors.retry.reads_by_steps.1").row("  after 1 retry step", Whole(count)),
    figure("bit_errors.retry.reads_by_steps.*").row("  after {} retry steps", Whole(count)),
    figure("bit_errors.retry.reads_by_steps.soft").row("  with soft decoding", Whole(count)),
    figure("bit_errors.retry.reads_by_steps.failed").row("  read by no step", Whole(count)),
    figure("bit_errors.retry.bound_cycles").row(
        "bounds hold up to",
        By(|_, s| {
            let retry = s.bit_errors.as_ref()?.retry.as_ref()?;
            let (Some(cycles), Some(age_s)) = (retry.bound_cycles, retry.bound_age_s) else {
                return Some("every step".into());
            };
            let age = Duration::new(u64::from(age_s) * 1_000_000_000);
            Some(format!("{} cycles, {age}", count(cycles.into())))
        }),
    ),
    // What some schemes have.
    figure("collection.merges.switch").row("merges: switch", Whole(count)),
    figure("collection.merges.partial").row("merges: partial", Whole(count)),
    figure("collection.merges.full").row("merges: full", Whole(count)),
    figure("buffer.capacity_pages").row("write buffer", Whole(pages)),
    figure("buffer.longest_flush_ns").row("flush max", Of(time)),
    figure("buffer.longest_age_flush_ns").row("flush by age max", Of(time)),
    figure("buffer.write_hit_share").row("buffer write hits", Of(percent)),
    figure("buffer.read_hit_share").row("buffer read hits", Of(percent)),
    figure("buffer.evicted").row("  evicted pages", Whole(count)),
    figure("buffer.aged").row("  flushed by age", Whole(count)),
    figure("buffer.flushed").row("  flushed by host", Whole(count)),
    figure("buffer.through").row("  forced writes", Whole(count)),
    figure("buffer.at_end").row("  flushed at the end", Whole(count)),
    figure("buffer.padded").row("  padded pages", Whole(count)),
    figure("buffer.collected").row("  collected pages", Whole(count)),
    figure("buffer.moved_in_vain_share").row("needless copies", Of(percent)),
    figure("slc_cache.capacity_pages").row("SLC cache", Whole(pages)),
    figure("slc_cache.written_share").row("  host pages in it", Of(percent)),
    figure("slc_cache.folded_blocks").row("  folded blocks", Whole(count)),
    figure("slc_cache.folded_idle_blocks").row("  of these when idle", Whole(count)),
    figure("slc_cache.moved").row("  pages moved", Whole(count)),
    figure("streams.collected_blocks").row("collected blocks", Whole(count)),
    figure("streams.media_reallocated_blocks").row("  reallocated", Whole(count)),
    figure("streams.not_fully_written_blocks").row("  not written fully", Whole(count)),
    figure("streams.invalid_handle_pages").row("pages without a handle", Whole(count)),
    figure("refused.*").row("refused: {}", Whole(count)),
    figure("host_log.application_pages").row("application's pages", Whole(count)),
    figure("host_log.moved_pages").row("  moved by the host", Whole(count)),
    figure("host_log.host_waf").row("  host WAF", Of(three)).first(21, "host WAF", Of(number)),
    figure("host_log.total_waf").row("  total WAF", Of(three)).first(22, "total WAF", Of(number)),
    figure("zones.zones").row(
        "zones",
        By(|_, s| {
            let zones = s.zones.as_ref()?;
            let [zones, pages] = [zones.zones, zones.pages].map(|n| count(n.into()));
            Some(format!("{zones} of {pages} pages"))
        }),
    ),
    figure("zones.resets").row("  resets", Whole(count)),
    figure("zones.finishes").row("  finishes", Whole(count)),
    figure("zones.appended").row("  appended pages", Whole(count)),
    figure("zones.most_open")
        .row("  most open", By(|_, s| s.zones.as_ref().map(|z| format!("{} of {}", z.most_open, z.max_open)))),
    figure("zones.most_active")
        .row("  most active", By(|_, s| s.zones.as_ref().map(|z| format!("{} of {}", z.most_active, z.max_active)))),
    figure("zones.implicit_closes").row("  closed by the controller", Whole(count)),
    figure("zones.finished_by_controller").row("  finished by the controller", Whole(count)),
    figure("zones.full").row(
        "  states",
        By(|_, s| {
            let zones = s.zones.as_ref()?;
            let each = [
                ("empty", zones.empty),
                ("open", zones.implicitly_opened + zones.explicitly_opened),
                ("closed", zones.closed),
                ("full", zones.full),
                ("read only", zones.read_only),
                ("offline", zones.offline),
            ];
            let used = each.iter().filter(|(_, zones)| *zones > 0);
            let used = used.map(|(name, zones)| format!("{zones} {name}"));
            Some(used.collect::<Vec<_>>().join(", "))
        }),
    ),
    figure("collection.idle").column("collection.idle_blocks").row(
        "idle victims",
        By(|report, s| report.collects_when_idle(&s.name).then(|| count(s.collection.idle))),
    ),
    figure("collection.idle_steps").row("  idle steps", AnyWhole(count)),
    figure("victim_work.entries_per_victim").row("entries touched\n  per victim selection", Of(number)),
    figure("victim_work.processor_ns").row("processor time", Of(time)),
    figure("victim_work.processor_ns_per_victim").row("  per victim", Of(time)),
    // Cost.
    figure("erases_per_block.mean")
        .row("wear σ/mean", By(|_, s| wear_ratios(s).map(|(spread, _)| number(spread)))),
    figure("erases_per_block.most")
        .row("wear max/mean", By(|_, s| wear_ratios(s).map(|(_, most)| number(most)))),
    figure("logical_share").row("logical share", Of(four))
        .first_if(|r| one_share(&r.schemes).is_none(), 10, "share", Of(three)),
    figure("ram_bytes").row("RAM", Whole(bytes)).first(60, "RAM", Whole(bytes)),
    figure("busy_share").column("busy_share_of_time").row_if(serial, "device busy", Of(percent))
        .first_if(|r| any(r, has_queueing) && r.deadline_ns().is_none(), 52, "device busy", Of(whole_percent)),
    figure("energy_nj_per_task")
        .row("energy per task", By(|_, s| (s.tasks > 0).then(|| energy(s.energy_nj_per_task)))),
    figure("read_tasks").row("page reads", Whole(count)),
    figure("write_tasks").row("page writes", Whole(count)),
    figure("trim_tasks").row("page trims", AnyWhole(count)),
    figure("partial_pages").row("pages written in part", AnyWhole(count)),
    figure("requests_taken").row(
        "requests taken",
        By(|_, s| {
            let taken = grouped(s.requests_taken);
            Some(match s.requests == s.requests_taken {
                true => format!("{taken}, all done"),
                false => format!("{taken}, {} done", grouped(s.requests)),
            })
        }),
    ),
    figure("requests_refused").row("  refused", AnyWhole(count)),
];

/// Figures of a job, in the order of its columns.
#[rustfmt::skip]
static OF_JOBS: &[Figure<JobReport>] = &[
    figure("requests").row("requests", Whole(count)),
    figure("requests_refused").row("refused", AnyWhole(count)),
    figure("requests_per_second").row("requests /s", Of(number)),
    figure("read_bytes_per_second").row(
        "MB/s",
        By(|_, job| {
            let bytes = job.read_bytes_per_second + job.written_bytes_per_second;
            Some(number(bytes / 1e6))
        }),
    ),
    figure("completion_ns.mean").row("mean completion", Of(time)),
    figure("completion_ns.p99").row("p99", Of(time)),
    figure("completion_ns.p99.9").row("p99.9", Of(time)),
    figure("completion_ns.max").row("worst", Of(time)),
    figure("wait_ns.mean").row("of it in queue", Of(time)),
    figure("share_of_page_writes").row("share of writes", AnyOf(percent)),
];

/// Figures of a placement handle, in the order of its columns.
#[rustfmt::skip]
static OF_HANDLES: &[Figure<HandleReport>] = &[
    figure("written").row("page writes", Whole(count)),
    figure("moved").row("moved", Whole(count)),
    figure("waf").row("WAF", Of(three)),
    figure("displaced").row("displaced", Whole(count)),
    figure("opened_blocks").row("blocks opened", Whole(count)),
];

/// What a table is of, with its values by their names in the JSON, in their order.
struct Column<'a, T> {
    name: String,
    of: &'a T,
    values: Vec<(String, Value)>,
    index: BTreeMap<String, usize>,
}

impl<'a, T: Serialize> Column<'a, T> {
    fn new(name: String, of: &'a T) -> Self {
        let value = serde_json::to_value(of).expect("a report has only text keys");
        Self { name, of, values: Vec::new(), index: BTreeMap::new() }.with(flat::fields(&value))
    }

    fn with(mut self, more: impl IntoIterator<Item = (String, Value)>) -> Self {
        for (name, value) in more {
            self.index.insert(name.clone(), self.values.len());
            self.values.push((name, value));
        }
        self
    }

    /// A value that was measured: not mean and maximum of no times.
    fn value(&self, name: &str) -> Option<&Value> {
        let found = |name: &str| self.index.get(name).map(|at| &self.values[*at].1);
        let times = name.strip_suffix(".mean").or_else(|| name.strip_suffix(".max"));
        let times = times.and_then(|times| found(&format!("{times}.count")));
        found(name)
            .filter(|value| !value.is_null() && times.is_none_or(|count| count.as_u64() != Some(0)))
    }
}

/// Figures that are shown, and how.
type Rows<T> = Vec<(&'static Figure<T>, &'static Row<T>)>;

/// The table of these rows.
fn grid<T: Serialize>(report: &Report, rows: &Rows<T>, columns: &[Column<'_, T>]) -> Grid {
    let mut grid = Grid::new(columns.iter().map(|column| column.name.clone()).collect());
    let deadline =
        report.deadline_ns().map_or_else(String::new, |ns| Duration::new(ns).to_string());
    let per_page = if on_channels(report) { " (page task)" } else { "" };
    for (figure, row) in rows.iter().filter(|(_, row)| (row.when)(report)) {
        let label = row.label.replace("{deadline}", &deadline).replace("{per page}", per_page);
        let mut push = |label: &str, name: &str| {
            let real = |column: &Column<'_, T>| column.value(name).and_then(Value::as_f64);
            let cell = |column: &Column<'_, T>| match row.cell {
                Of(form) | AnyOf(form) => real(column).map(form),
                Whole(form) | AnyWhole(form) => {
                    column.value(name).and_then(Value::as_u64).map(form)
                }
                By(text) => text(report, column.of),
            };
            let has_any = || columns.iter().filter_map(real).any(|value| value > 0.0);
            if !matches!(row.cell, AnyOf(_) | AnyWhole(_)) || has_any() {
                grid.row(label, columns.iter().map(cell).collect());
            }
        };
        let Some((before, after)) = figure.name.split_once('*') else {
            push(&label, figure.name);
            continue;
        };
        let mut parts: Vec<&str> = Vec::new();
        for (name, _) in columns.iter().flat_map(|column| &column.values) {
            let part = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
            let has_own = || rows.iter().any(|(other, _)| other.name == name);
            parts.extend(part.filter(|part| !parts.contains(part) && !has_own()));
        }
        for part in parts {
            push(&label.replace("{}", part), &format!("{before}{part}{after}"));
        }
    }
    grid
}

fn details<T>(figures: &'static [Figure<T>]) -> Rows<T> {
    figures.iter().filter_map(|figure| Some((figure, figure.details.as_ref()?))).collect()
}

fn schemes(report: &Report) -> Vec<Column<'_, SchemeReport>> {
    // A reason that any scheme gave is a row of all; one without such refusals has 0 of them.
    let reasons = || report.schemes.iter().flat_map(|scheme| &scheme.refusals).map(|of| &of.reason);
    let refused = |scheme: &SchemeReport, reason: &String| {
        let found = scheme.refusals.iter().find(|refused| refused.reason == *reason);
        found.map_or(0, |refused| refused.requests).into()
    };
    let columns = report.schemes.iter().map(|scheme| {
        let of = |reason| (format!("refused.{reason}"), refused(scheme, reason));
        Column::new(scheme.name.clone(), scheme).with(reasons().map(of))
    });
    columns.collect()
}

/// The figures of the first screen.
pub(super) fn overview(report: &Report) -> Grid {
    let shown = OF_SCHEMES.iter().filter_map(|figure| Some((figure, figure.first.as_ref()?)));
    let mut first: Vec<_> = shown.collect();
    first.sort_by_key(|(_, (place, _))| *place);
    let rows = first.into_iter().map(|(figure, (_, row))| (figure, row)).collect();
    grid(report, &rows, &schemes(report))
}

/// Every figure of the schemes that a table shows.
pub(super) fn every(report: &Report) -> Grid {
    grid(report, &details(OF_SCHEMES), &schemes(report))
}

/// The figures of each job, and of each placement handle that was used; without these no table.
pub(super) fn parts(report: &Report) -> impl Iterator<Item = Grid> {
    let jobs = report.jobs().into_iter().map(|(name, job)| Column::new(name, job));
    let (jobs, handles) = (jobs.collect::<Vec<_>>(), handles(report));
    let jobs = (!jobs.is_empty()).then(|| grid(report, &details(OF_JOBS), &jobs));
    let handles = (!handles.is_empty()).then(|| grid(report, &details(OF_HANDLES), &handles));
    jobs.into_iter().chain(handles)
}

fn handles(report: &Report) -> Vec<Column<'_, HandleReport>> {
    let streams = || report.schemes.iter().filter_map(|s| Some((&s.name, s.streams.as_ref()?)));
    let one = streams().count() == 1;
    let columns = streams().flat_map(|(scheme, streams)| {
        let scheme = if one { String::new() } else { format!("{scheme}: ") };
        streams.handles.iter().map(move |handle| {
            let group = match streams.groups {
                1 => String::new(),
                _ => format!("group {} ", handle.group),
            };
            Column::new(format!("{scheme}{group}handle {}", handle.handle), handle)
        })
    });
    columns.collect()
}

/// Every scalar of a scheme, in the order of the columns. Text is unchanged; values not measured are empty.
pub(super) fn scalars(scheme: &SchemeReport) -> Vec<(String, String)> {
    let text = |value| match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    };
    with_units(scheme).into_iter().map(|(name, value)| (name, text(value))).collect()
}

/// As [`flat::values`], with names that tell the unit.
pub fn with_units(scheme: &SchemeReport) -> Vec<(String, Value)> {
    let with_unit = |name: String| {
        let figure = OF_SCHEMES.iter().find(|figure| name == figure.name);
        figure.and_then(|figure| figure.column).map_or(name, str::to_owned)
    };
    flat::values(scheme).into_iter().map(|(name, value)| (with_unit(name), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// True if the schema of a report has a scalar of this name below `at`. Items of a list are named by what they are of, or
    /// `*`.
    fn has(schema: &Value, at: &Value, name: &str) -> bool {
        let below = |key: &str| schema.pointer(at[key].as_str()?.strip_prefix('#')?);
        let list = |key: &str| at[key].as_array().into_iter().flatten();
        let is_list = at["items"].is_object() || at["prefixItems"].is_array();
        let is_nested = at["properties"].is_object() || is_list;
        let is_scalar = (at["type"].is_string() && at["type"] != "null") || at["type"].is_array();
        name.is_empty() && is_scalar && !is_nested
            || below("$ref").is_some_and(|of| has(schema, of, name))
            || list("anyOf").any(|of| has(schema, of, name))
            || (is_list && has_part(schema, at, name))
            || at["properties"].as_object().into_iter().flatten().any(|(key, of)| {
                let rest = name.strip_prefix(key.as_str());
                let rest = rest.and_then(|rest| {
                    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
                });
                rest.is_some_and(|rest| has(schema, of, rest))
            })
    }

    /// The same of the part of a list: pairs and times by name, objects by name and field, sentences alone.
    fn has_part(schema: &Value, at: &Value, name: &str) -> bool {
        let item = &at["items"];
        let item = item["$ref"].as_str().and_then(|of| schema.pointer(&of[1..])).unwrap_or(item);
        if at["prefixItems"].is_array() {
            return ["least", "mean", "most"].contains(&name);
        }
        match name.split_once('.') {
            _ if item["type"] == "string" => name.is_empty(),
            None if item["properties"]["path"].is_object() => name.ends_with("_pages"),
            None => {
                !name.is_empty()
                    && (item["prefixItems"].is_array() || item["properties"]["steps"].is_object())
            }
            Some((_, field)) => has(schema, item, field),
        }
    }

    #[test]
    fn the_mean_of_no_times_is_not_measured() {
        let times =
            |count: u64| serde_json::json!({ "t": { "count": count, "mean": 0, "max": 0 } });
        for (count, shown) in [(0, false), (3, true)] {
            let times = times(count);
            let column = Column::new(String::new(), &times);
            assert_eq!(column.value("t.mean").is_some(), shown);
            assert_eq!(column.value("t.max").is_some(), shown);
            assert!(column.value("t.count").is_some());
        }
    }

    #[test]
    fn the_first_screen_is_in_the_order_of_its_places() {
        let text = overview(&super::super::samples::report()).schemes_as_columns(200).unwrap();
        let at = |label: &str| text.find(label).unwrap_or_else(|| panic!("{label}: {text}"));
        assert!(at("WAF") < at("worst response") && at("worst response") < at("RAM"), "{text}");
    }

    #[test]
    fn every_figure_is_a_field_of_the_report() {
        let schema: Value =
            serde_json::from_str(include_str!("../../../docs/report.schema.json")).unwrap();
        fn check<T>(schema: &Value, of: &str, figures: &[Figure<T>]) {
            // Refusals are a list by number in the JSON, and rows by their reasons.
            for figure in figures.iter().filter(|figure| figure.name != "refused.*") {
                assert!(has(schema, &schema["$defs"][of], figure.name), "{of}: {}", figure.name);
            }
        }
        check(&schema, "SchemeReport", OF_SCHEMES);
        check(&schema, "JobReport", OF_JOBS);
        check(&schema, "HandleReport", OF_HANDLES);
        for wrong in
            ["buffer.evict", "buffer", "counts.host.program", "counts", "erases_per_block.median"]
        {
            assert!(!has(&schema, &schema["$defs"]["SchemeReport"], wrong), "{wrong}");
        }
    }
}
