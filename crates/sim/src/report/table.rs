//! The report as a table for users.

use super::cells::{longest, mean, none, p99_9, percent};
use super::grid::{Grid, wrap};
use super::late_rows::LateCells;
use super::{jobs_rows, ssd_rows, stream_rows, zone_rows};
use ::run::report::DeadlineReport;
use ::run::report::RequestDeadline;
use ::run::report::units;
use ::run::report::{
    BitErrorReport, BufferReport, RefreshReport, Report, SchemeReport, SlcCacheReport, Violation,
};
use workload::quantity::Duration;

/// Most schemes shown as columns; more are shown as rows.
const MOST_COLUMNS: usize = 5;

/// The report as plain text of at most `width` columns. 100 suits most terminals; below about 60, single
/// cells may exceed the width.
///
/// Up to five schemes are columns if they fit; otherwise they are rows of as many tables as the fields need.
pub fn render(report: &Report, width: usize) -> String {
    let mut out = heading(report, width);
    if report.schemes.is_empty() {
        out.push_str("No scheme was run.\n");
        out.push_str(&not_run(report, width));
        return out;
    }
    let grid = grid(report);
    let columns = (report.schemes.len() <= MOST_COLUMNS).then(|| grid.schemes_as_columns(width));
    out.push_str(&columns.flatten().unwrap_or_else(|| grid.schemes_as_rows(width)));
    out.push('\n');
    out.push_str(&jobs_rows::render(report, width));
    out.push_str(&stream_rows::render(report, width));
    for scheme in &report.schemes {
        out.push_str(&notes(scheme, width));
    }
    out.push_str(&not_run(report, width));
    out.push('\n');
    how_to_read(report).iter().for_each(|line| out.push_str(&wrap(line, width, "  ")));
    out
}

/// What the words of the table mean.
pub(super) fn how_to_read(report: &Report) -> Vec<&'static str> {
    let buffered = report.schemes.iter().any(|scheme| scheme.buffer.is_some());
    let [of_time, of_all] = HOW_TO_READ;
    let of_time = if report.is_of_channels() { ssd_rows::HOW_TO_READ } else { of_time };
    let cached = report.schemes.iter().any(|scheme| scheme.slc_cache.is_some());
    let more = buffered.then_some(OF_BUFFERS).into_iter().chain(cached.then_some(OF_SLC_CACHES));
    let more = more.chain(report.has_streams().then_some(stream_rows::HOW_TO_READ));
    let more = more.chain(report.has_zones().then_some(zone_rows::HOW_TO_READ));
    [of_time, of_all].into_iter().chain(more).collect()
}

/// One line for each scheme that cannot hold the data, or that was interrupted before its measurement.
pub(super) fn not_run(report: &Report, width: usize) -> String {
    not_run_lines(report).iter().map(|line| wrap(line, width, "  ")).collect()
}

/// The same without a width.
pub(super) fn not_run_lines(report: &Report) -> Vec<String> {
    let left_out = report.left_out.iter();
    let left_out = left_out.map(|scheme| format!("{}: not run: {}", scheme.name, scheme.reason));
    let stopped = |name| format!("{name}: not run (interrupted before it was measured)");
    left_out.chain(report.not_run.iter().map(stopped)).collect()
}

const HOW_TO_READ: [&str; 2] = [
    "Response = service + collection after it, of a page task, without queueing. p99.9: 999 of 1000 tasks took no longer. \
        Collection pause: the part of a response that is collection.",
    "Bound: of page tasks, without queueing; a request of n pages may take n times as long. Bound kept: no page task \
        exceeded it. Real-time (one step): at most one collection step per task. Whole-victim worst \
        case: a task may wait for whole victims, folds or merges. WAF: pages programmed per host page; wear: erases \
        per block.",
];

const OF_BUFFERS: &str = "Write buffers: flushes (by the host, by age, at the end) count in \
    execution time, completion and WAF, not in responses; hits: pages that were in the buffer, clean ones too; needless \
    copies: share of copies of pages with a newer version in the buffer; collected: written by collection from the buffer.";

const OF_SLC_CACHES: &str = "SLC caches: the pages that they hold in SLC mode; host pages in it: the share of host \
    writes that found room there; folded: valid pages moved to blocks in the part's own mode, and the block erased.";

pub(super) fn heading(report: &Report, width: usize) -> String {
    let mut out = wrap(&format!("{}, {}", report.title(), conditions(report)), width, "  ");
    if report.interrupted {
        out.push_str(&wrap("INTERRUPTED: the figures cover the run until then.", width, "  "));
    }
    out.push('\n');
    out
}

/// Seed, and the share that all schemes export, if it is one.
pub(super) fn conditions(report: &Report) -> String {
    let share = one_share(&report.schemes);
    let share = share.map_or_else(String::new, |share| format!("; share exported: {share:.3}"));
    format!("seed {}{share}", report.seed)
}

/// The share of the array that all schemes export, if it is one, in three decimals.
pub(super) fn one_share(schemes: &[SchemeReport]) -> Option<f64> {
    let rounded = |s: &SchemeReport| (s.logical_share * 1000.0).round();
    let first = schemes.first()?;
    schemes.iter().all(|s| rounded(s) == rounded(first)).then_some(first.logical_share)
}

/// Verdict on the bound, in unambiguous words.
pub fn verdict(scheme: &SchemeReport) -> &'static str {
    match (scheme.violations, scheme.tasks, scheme.bound_ns) {
        (1.., _, _) => "BOUND EXCEEDED",
        (0, _, _) if !scheme.can_promise() => "no bound at\nthis queue depth",
        (0, _, None) => "no bound",
        (0, 0, Some(_)) => "not tested",
        (0, _, Some(_)) => "bound kept",
    }
}

/// One row per field, with one cell per scheme.
pub(super) fn grid(report: &Report) -> Grid {
    let schemes = &report.schemes;
    let mut grid = Grid::new(schemes.iter().map(|s| s.name.clone()).collect());
    let mut row = |label: &str, cell: &dyn Fn(&SchemeReport) -> String| {
        grid.row(label, schemes.iter().map(cell).collect());
    };
    row("verdict", &|s| verdict(s).to_owned());
    let on_channels = report.is_of_channels();
    if !on_channels || schemes.iter().any(SchemeReport::can_promise) {
        promises(&mut row);
    }
    if on_channels {
        ssd_rows::completions(&mut row);
        ssd_rows::work(schemes, &mut row);
    } else {
        times(schemes, &mut row);
    }
    if on_channels {
        row("run time", &|s| units::time(s.elapsed_ns as f64));
    } else if schemes.iter().any(|s| s.buffer.is_some() || s.copies_by_path.is_some()) {
        row("execution time", &|s| units::time(s.busy_ns as f64));
    }
    if let Some(ns) = report.deadline_ns() {
        let mut of_requests =
            |label: &str, cell: &dyn Fn(&RequestDeadline, &SchemeReport) -> String| {
                row(label, &|s| s.request_deadline.as_ref().map_or_else(none, |d| cell(d, s)));
            };
        let deadline = format!("deadline {}", Duration::new(ns));
        of_requests(&deadline, &RequestDeadline::verdict);
        of_requests("  late requests", &|d, _| d.late());
        of_requests("  longest request (completion)", &RequestDeadline::longest);
    }
    if schemes.iter().any(|s| s.deadlines.is_some()) {
        let mut of_deadlines = |label: &str, figure: &dyn Fn(&DeadlineReport) -> String| {
            row(label, &|s| s.deadlines.as_ref().map_or_else(none, figure));
        };
        of_deadlines("schedulable", &DeadlineReport::verdict);
        row("deadline misses", &|s| match (&s.deadlines, s.collection.victims) {
            (None, _) => none(),
            // Nothing had to be collected: the worst case has not been near.
            (Some(deadlines), 0) => format!("{} (no collection)", deadlines.misses),
            (Some(deadlines), _) => units::count(deadlines.misses),
        });
    }
    row("WAF", &|s| s.waf.map_or_else(none, units::number));
    if schemes.iter().any(|s| s.waf_above_oracle.is_some()) {
        row("above oracle", &|s| s.waf_above_oracle.map_or_else(none, units::above));
    }
    for cause in causes(schemes) {
        row(&format!("  of it {cause}"), &|s| {
            let share = s.waf_by_cause.iter().find(|(name, _)| *name == cause);
            share.map_or_else(none, |(_, waf)| units::number(*waf))
        });
    }
    row("  settled", &|s| match (s.steady.waf_is_steady, s.steady.steady_from_fills) {
        (Some(true), Some(from)) => format!("from {from:.1} fills on"),
        (Some(_), _) => "no".into(),
        (None, _) => "too short".into(),
    });
    row("host writes / capacity", &|s| format!("{:.3}", s.steady.writes_per_capacity));
    row("page copies", &|s| units::count(s.copies));
    for path in paths(schemes) {
        row(&format!("  of them {path}"), &|s| copies_by(s, &path).map_or_else(none, units::count));
    }
    row("block erases", &|s| units::count(s.erases));
    if schemes.iter().any(|s| s.bit_errors.is_some()) {
        let mut of_errors = |label: &str, figure: fn(&BitErrorReport) -> u64| {
            row(label, &|s| {
                s.bit_errors.as_ref().map_or_else(none, |errors| units::count(figure(errors)))
            });
        };
        of_errors("bits corrected", |e| e.corrected_bits);
        of_errors("  bytes sent again", |e| e.corrected_bytes_sent_again);
        of_errors("  bits propagated", |e| e.propagated_bits);
        of_errors("uncorrectable reads", |e| e.uncorrectable_reads);
        of_errors("  of the host", |e| e.uncorrectable_host_reads);
        of_errors("pages lost", |e| e.lost_pages);
    }
    if schemes.iter().any(|s| s.refresh.is_some()) {
        let mut of_refresh = |label: &str, figure: fn(&RefreshReport) -> u64| {
            row(label, &|s| s.refresh.as_ref().map_or_else(none, |of| units::count(figure(of))));
        };
        of_refresh("blocks due for refresh", |of| of.refresh_due_blocks);
        of_refresh("  pages moved", |of| of.refreshed_pages);
        of_refresh("blocks due for read reclaim", |of| of.reclaim_due_blocks);
        of_refresh("  pages moved", |of| of.reclaimed_pages);
        of_refresh("blocks due at the end", |of| of.waiting_blocks);
    }
    let retried = |s: &SchemeReport| s.bit_errors.as_ref().and_then(|e| e.retry.clone());
    if let Some(retry) = schemes.iter().find_map(retried) {
        for (at, reads) in retry.reads_by_steps.iter().enumerate() {
            let label = match reads.steps.as_str() {
                "0" => "reads without retry".into(),
                "soft" => "  with soft decoding".into(),
                "failed" => "  read by no step".into(),
                steps => format!("  after {steps} retry step{}", if at == 1 { "" } else { "s" }),
            };
            row(&label, &|s| {
                let reads = retried(s).and_then(|r| r.reads_by_steps.get(at).map(|r| r.reads));
                reads.map_or_else(none, units::count)
            });
        }
        row("bounds hold up to", &|s| match retried(s) {
            None => none(),
            Some(retry) => match (retry.bound_cycles, retry.bound_age_s) {
                (Some(cycles), Some(age_s)) => format!(
                    "{} cycles, {}",
                    units::count(cycles.into()),
                    Duration::new(u64::from(age_s) * 1_000_000_000)
                ),
                _ => "every step".into(),
            },
        });
    }
    if schemes.iter().any(|s| s.collection.merges.is_some()) {
        row("merges: switch", &|s| {
            s.collection.merges.map_or_else(none, |m| units::count(m.switch))
        });
        row("merges: partial", &|s| {
            s.collection.merges.map_or_else(none, |m| units::count(m.partial))
        });
        row("merges: full", &|s| s.collection.merges.map_or_else(none, |m| units::count(m.full)));
    }
    if schemes.iter().any(|s| s.buffer.is_some()) {
        let mut of_buffer = |label: &str, figure: &dyn Fn(&BufferReport) -> Option<String>| {
            row(label, &|s| s.buffer.as_ref().and_then(figure).unwrap_or_else(none));
        };
        of_buffer("write buffer", &|b| {
            Some(format!("{} pages", units::count(b.capacity_pages.into())))
        });
        of_buffer("flush max", &|b| Some(units::time(b.longest_flush_ns as f64)));
        of_buffer("flush by age max", &|b| Some(units::time(b.longest_age_flush_ns as f64)));
        of_buffer("buffer write hits", &|b| b.write_hit_share.map(percent));
        of_buffer("buffer read hits", &|b| b.read_hit_share.map(percent));
        of_buffer("  evicted pages", &|b| Some(units::count(b.evicted)));
        of_buffer("  flushed by age", &|b| Some(units::count(b.aged)));
        of_buffer("  flushed by host", &|b| Some(units::count(b.flushed)));
        of_buffer("  forced writes", &|b| Some(units::count(b.through)));
        of_buffer("  flushed at the end", &|b| Some(units::count(b.at_end)));
        of_buffer("  padded pages", &|b| Some(units::count(b.padded)));
        of_buffer("  collected pages", &|b| Some(units::count(b.collected)));
        of_buffer("needless copies", &|b| b.moved_in_vain_share.map(percent));
    }
    if schemes.iter().any(|s| s.slc_cache.is_some()) {
        let mut of_cache = |label: &str, figure: &dyn Fn(&SlcCacheReport) -> Option<String>| {
            row(label, &|s| s.slc_cache.as_ref().and_then(figure).unwrap_or_else(none));
        };
        of_cache("SLC cache", &|c| Some(format!("{} pages", units::count(c.capacity_pages))));
        of_cache("  host pages in it", &|c| c.written_share.map(percent));
        of_cache("  folded blocks", &|c| Some(units::count(c.folded_blocks)));
        of_cache("  of these when idle", &|c| Some(units::count(c.folded_idle_blocks)));
        of_cache("  pages moved", &|c| Some(units::count(c.moved)));
    }
    stream_rows::events(schemes, &mut row);
    zone_rows::rows(schemes, &mut row);
    if schemes.iter().any(|s| report.collects_when_idle(&s.name)) {
        row("idle victims", &|s| match report.collects_when_idle(&s.name) {
            true => units::count(s.collection.idle),
            false => none(),
        });
    }
    ssd_rows::victim_work(schemes, &mut row);
    row("wear σ/mean", &|s| wear_ratios(s).map_or_else(none, |(spread, _)| units::number(spread)));
    row("wear max/mean", &|s| wear_ratios(s).map_or_else(none, |(_, most)| units::number(most)));
    row("logical share", &|s| format!("{:.4}", s.logical_share));
    row("RAM", &|s| units::bytes(s.ram_bytes));
    if !on_channels {
        row("device busy", &|s| percent(s.busy_share));
    }
    row("energy per task", &|s| match s.tasks {
        0 => none(),
        _ => units::energy(s.energy_nj_per_task),
    });
    row("page reads", &|s| units::count(s.read_tasks));
    row("page writes", &|s| units::count(s.write_tasks));
    if schemes.iter().any(|s| s.trim_tasks > 0) {
        row("page trims", &|s| units::count(s.trim_tasks));
    }
    if schemes.iter().any(|s| s.partial_pages > 0) {
        row("pages written in part", &|s| units::count(s.partial_pages));
    }
    row("requests taken", &|s| match units::grouped(s.requests_taken) {
        taken if s.requests == s.requests_taken => format!("{taken}, all done"),
        taken => format!("{taken}, {} done", units::grouped(s.requests)),
    });
    if schemes.iter().any(|s| s.requests_refused > 0) {
        row("  refused", &|s| units::count(s.requests_refused));
    }
    grid
}

/// Rows of the bound and of the longest response against it.
fn promises(row: ssd_rows::Row<'_>) {
    row("bound", &|s| match (s.bound_ns, s.real_time) {
        (None, _) => none(),
        (Some(_), true) => "real-time\n(one step)".to_owned(),
        (Some(_), false) => "whole-victim\nworst case".to_owned(),
    });
    row("response bound", &|s| s.bound_ns.map_or_else(none, |ns| units::time(ns as f64)));
    row("longest response", &longest_response);
    row("violations", &|s| units::count(s.violations));
}

/// Rows of response and completion times, if one operation runs at a time.
fn times(schemes: &[SchemeReport], row: ssd_rows::Row<'_>) {
    row("response mean", &|s| mean(&s.response_ns));
    row("response p99.9", &|s| p99_9(&s.response_ns));
    // A bound is per page: where requests have several, the longest of these must not be taken for it.
    if schemes.iter().any(|s| s.request_response_ns.max > s.response_ns.max) {
        row("longest request (without queueing)", &|s| longest(&s.request_response_ns));
    }
    row("mean without collection", &|s| mean(&s.service_ns));
    row("longest collection pause", &|s| longest(&s.step_ns));
    if schemes.iter().any(has_queueing) {
        row("completion mean", &|s| mean(&s.completion_ns));
        row("completion p99.9", &|s| p99_9(&s.completion_ns));
        row("completion max", &|s| longest(&s.completion_ns));
    }
}

/// Standard deviation and maximum of the erases per block, as multiples of their mean; `None` without erases.
pub(super) fn wear_ratios(scheme: &SchemeReport) -> Option<(f64, f64)> {
    let (_, mean, most) = scheme.erases_per_block;
    // The paper's index is σ / N × 100, with N blocks.
    let deviation = scheme.wear_index / 100.0 * scheme.series.erases.len() as f64;
    (mean > 0.0).then(|| (deviation / mean, f64::from(most) / mean))
}

/// Copy paths of all schemes, in the order of their reports.
fn paths(schemes: &[SchemeReport]) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for count in schemes.iter().flat_map(|s| &s.copies_by_path).flatten() {
        if !paths.contains(&count.path) {
            paths.push(count.path.clone());
        }
    }
    paths
}

fn copies_by(scheme: &SchemeReport, path: &str) -> Option<u64> {
    let counts = scheme.copies_by_path.as_ref()?;
    counts.iter().find(|count| count.path == path).map(|count| count.copies)
}

/// The longest response; exact in ns if rounding would hide that it exceeds its bound.
pub(super) fn longest_response(scheme: &SchemeReport) -> String {
    let (worst, rounded) = (scheme.response_ns.max, longest(&scheme.response_ns));
    match scheme.bound_ns {
        Some(bound) if worst > bound && rounded == units::time(bound as f64) => {
            format!("{} ns", units::grouped(worst))
        }
        _ => rounded,
    }
}

/// True if any task waited for another one, so that completion differs from the response.
pub(super) fn has_queueing(scheme: &SchemeReport) -> bool {
    let (completion, response) = (&scheme.completion_ns, &scheme.response_ns);
    completion.count > 0 && (completion.mean != response.mean || completion.max != response.max)
}

/// Causes that programmed pages in any scheme, in the order of the reports.
pub(super) fn causes(schemes: &[SchemeReport]) -> Vec<String> {
    let mut causes: Vec<String> = Vec::new();
    for (cause, waf) in schemes.iter().flat_map(|s| &s.waf_by_cause) {
        if *waf > 0.0 && !causes.contains(cause) {
            causes.push(cause.clone());
        }
    }
    causes
}

/// When and why a scheme collected.
pub(super) fn collection(scheme: &SchemeReport) -> String {
    let why = match scheme.collection.why.as_str() {
        "" => "nothing was noted.",
        why => why,
    };
    format!("{}: collection: {why}", scheme.name)
}

/// Notes on one scheme below the table.
fn notes(scheme: &SchemeReport, width: usize) -> String {
    let mut out = wrap(&collection(scheme), width, "  ");
    if let Some(text) = exceeded(scheme) {
        out.push_str(&wrap(&format!("  {text}"), width, "    "));
    }
    for line in scheme.deadlines.iter().flat_map(DeadlineReport::lines) {
        out.push_str(&wrap(&format!("  {line}"), width, "    "));
    }
    let deadline = scheme.request_deadline.as_ref();
    if let Some(line) = deadline.and_then(|deadline| deadline.explanation(scheme)) {
        out.push_str(&wrap(&format!("  {line}"), width, "    "));
    }
    for warning in &scheme.warnings {
        out.push_str(&wrap(&format!("  warning: {warning}"), width, "    "));
    }
    out
}

/// The first violation of the scheme.
pub(super) fn exceeded(scheme: &SchemeReport) -> Option<String> {
    scheme
        .first_violation
        .as_ref()
        .map(|violation| format!("BOUND EXCEEDED: {}", broken(violation)))
}

/// The first violation, with exact values, because rounding may hide that it exceeds its bound.
fn broken(v: &Violation) -> String {
    let unit = if v.bound == "victim-valid" { "valid pages" } else { "ns" };
    format!(
        "first by page task {} (request {}, LPN {}): {} bound {} {unit}, measured {} {unit}; replay: {}",
        v.task,
        v.request,
        v.lpn,
        v.bound,
        units::grouped(v.promised),
        units::grouped(v.seen),
        v.replay
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    fn widest(text: &str) -> usize {
        text.lines().map(|l| l.chars().count()).max().unwrap_or(0)
    }

    #[test]
    fn three_schemes_stand_as_columns() {
        let text = render(&samples::report(), 100);
        assert!(widest(&text) <= 100, "{text}");
        let line = |label: &str| {
            text.lines().find(|l| l.starts_with(label)).unwrap_or_else(|| panic!("{label}: {text}"))
        };
        let cells = |label: &str| -> Vec<String> {
            let cells = line(label)[label.len()..].split("  ").map(str::trim);
            cells.filter(|c| !c.is_empty()).map(str::to_owned).collect()
        };
        assert_eq!(cells("verdict"), ["no bound", "BOUND EXCEEDED", "bound kept"]);
        assert_eq!(cells("response bound"), ["–", "2220.9 µs", "2220.9 µs"]);
        assert_eq!(cells("longest response"), ["16.20 ms", "2,220,950 ns", "2220.9 µs"]);
        assert_eq!(cells("violations"), ["0", "3", "0"]);
        assert_eq!(cells("  of it collection"), ["1.100", "0.900", "1.400"]);
        assert_eq!(cells("RAM"), ["4.1 MiB", "4.1 MiB", "4.1 MiB"]);
        assert_eq!(cells("requests taken"), ["200,000, all done"; 3]);
        assert!(!text.contains("refused"), "{text}");
        assert_eq!(text.lines().filter(|l| l.contains(": collection: ")).count(), 3);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("response bound 2,220,900 ns, measured 2,220,950 ns"), "{text}");
        assert!(text.contains("warning: "));
        assert!(!text.contains("completion"), "no queueing, no rows of it");
        assert!(!text.contains('\t') && text.lines().all(|l| l.trim_end() == l));
    }

    #[test]
    fn a_bound_says_of_what_kind_it_is() {
        let mut report = samples::report();
        report.schemes[1].real_time = false;
        let text = render(&report, 100);
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.iter().position(|line| line.starts_with("bound ")).expect("a row");
        assert!(lines[at].contains("whole-victim") && lines[at].contains("real-time"), "{text}");
        assert!(lines[at + 1].contains("worst case") && lines[at + 1].contains("(one step)"));
        report.schemes.extend_from_within(..);
        let text = render(&report, 100);
        assert!(text.contains("whole-victim worst case"), "on one line in a table of rows: {text}");
    }

    #[test]
    fn wear_is_in_multiples_of_the_mean() {
        let mut scheme = SchemeReport::default();
        assert_eq!(wear_ratios(&scheme), None);
        scheme.series.erases = vec![2, 4, 4, 4, 5, 5, 7, 9];
        let worn = ::run::measures::wear(&scheme.series.erases);
        (scheme.wear_index, scheme.erases_per_block) =
            (worn.index, (worn.least, worn.mean, worn.most));
        assert_eq!(wear_ratios(&scheme), Some((2.0 / 5.0, 9.0 / 5.0)));
    }

    #[test]
    fn refused_requests_have_a_row_where_there_are_any() {
        let mut report = samples::report();
        report.schemes[1].requests -= 3;
        report.schemes[1].requests_refused = 3;
        let text = render(&report, 100);
        let row = |label: &str| text.lines().find(|line| line.starts_with(label)).unwrap();
        assert!(row("requests taken").contains("200,000, 199,997 done"), "{text}");
        let refused: Vec<_> = row("  refused").split_whitespace().collect();
        assert_eq!(refused, ["refused", "0", "3", "0"]);
    }

    #[test]
    fn the_last_lines_tell_how_to_read_it() {
        let text = render(&samples::report(), 100);
        let last = text.rsplit("\n\n").next().unwrap();
        assert!(last.starts_with("Response ="), "{text}");
        assert!(
            last.lines().any(|line| line.starts_with("Bound: of page tasks, without queueing")),
            "{text}"
        );
    }

    #[test]
    fn an_ssd_has_rows_of_its_own_and_none_of_serial_time() {
        let mut report = samples::on_channels();
        let text = render(&report, 100);
        assert!(widest(&text) <= 100, "{text}");
        let row = |text: &str, label: &str| {
            let line = text.lines().find(|line| line.starts_with(label));
            line.unwrap_or_else(|| panic!("{label}: {text}"))[label.len()..].trim().to_owned()
        };
        assert_eq!(row(&text, "verdict").split("  ").next(), Some("no bound at"));
        assert!(row(&text, "page commands").contains("k/s"));
        assert!(row(&text, "  minimum per window").contains("4.00 k/s"));
        assert!(row(&text, "longest stall").contains("23.00 ms"));
        assert!(row(&text, "link use").contains("40.0 %"));
        assert!(row(&text, "processor time").contains("ms"));
        assert!(
            row(&text, "entries touched").parse::<f64>().is_ok()
                || row(&text, "entries touched").contains('.')
        );
        for absent in
            ["mean without", "longest collection pause", "response", "violations", "execution time"]
        {
            assert!(!text.lines().any(|line| line.starts_with(absent)), "{absent}: {text}");
        }
        assert!(text.contains("Page commands: page reads and programs"), "{text}");
        for scheme in &mut report.schemes {
            scheme.bound_ns = Some(30_000_000);
            scheme.ssd.as_mut().unwrap().queue_depth = 1;
            scheme.ssd.as_mut().unwrap().link_use = None;
        }
        let text = render(&report, 100);
        assert_eq!(row(&text, "verdict").split("  ").next(), Some("bound kept"));
        assert!(row(&text, "response bound").contains("30.00 ms"));
        assert!(!text.contains("link use"));
    }

    #[test]
    fn queueing_is_shown_where_there_is_some() {
        let mut report = samples::report();
        report.schemes[1].completion_ns.max = 60_000_000_000;
        let text = render(&report, 100);
        assert!(text.contains("completion mean") && text.contains("60.0 s"), "{text}");
    }

    #[test]
    fn many_schemes_and_long_names_fit() {
        let mut report = samples::report();
        for n in 0..9 {
            let mut more = report.schemes[n % 3].clone();
            more.name = format!("lazy-rtgc+victim=choices-{n}+share=0.4{n}+idle");
            report.schemes.push(more);
        }
        let text = render(&report, 100);
        assert!(widest(&text) <= 100, "{text}");
        for needle in ["wear", "energy", "BOUND EXCEEDED", "choices-8+", "collection"] {
            assert!(text.contains(needle), "{needle}: {text}");
        }
        report.schemes.truncate(5);
        assert!(widest(&render(&report, 100)) <= 100);
        assert!(widest(&render(&report, 80)) <= 80);
    }

    #[test]
    fn nothing_run_nothing_done() {
        let mut report = samples::report();
        report.schemes.truncate(1);
        report.schemes[0] =
            SchemeReport { name: "x".into(), bound_ns: Some(5), ..SchemeReport::default() };
        report.interrupted = true;
        let text = render(&report, 100);
        assert!(text.contains("not tested") && text.contains("INTERRUPTED"), "{text}");
        assert!(!text.contains("NaN") && !text.contains("inf"));
        report.schemes.clear();
        assert!(render(&report, 100).contains("No scheme was run"));
    }
}
