//! The report as a table for users.

use super::figures::{self, When};
use super::forms::{beyond_bound, one_share};
use super::grid::{Grid, wrap};
use ::run::report::{DeadlineReport, Report, SchemeReport, Violation, units};

/// Most schemes shown as columns; more are shown as rows.
const MOST_COLUMNS: usize = 5;

/// The report as plain text of at most `width` columns. 100 suits most terminals; below about 60, single
/// cells may exceed the width.
///
/// Up to five schemes are columns if they fit; otherwise they are rows of as many tables as the fields need.
pub fn render(report: &Report, width: usize) -> String {
    let mut out = framed(report, width, |out| {
        let grid = figures::every(report);
        let columns =
            (report.schemes.len() <= MOST_COLUMNS).then(|| grid.schemes_as_columns(width));
        out.push_str(&columns.flatten().unwrap_or_else(|| grid.schemes_as_rows(width)));
        out.push('\n');
        push_parts(out, figures::parts(report), width);
        report.schemes.iter().for_each(|scheme| out.push_str(&notes(scheme, width)));
    });
    if !report.schemes.is_empty() {
        out.push('\n');
        how_to_read(report).for_each(|line| out.push_str(&wrap(line, width, "  ")));
    }
    out
}

/// What is on the screen of any report, around the part that `push` adds.
pub(super) fn framed(report: &Report, width: usize, push: impl FnOnce(&mut String)) -> String {
    let mut out = wrap(&format!("{}, {}", report.title(), conditions(report)), width, "  ");
    if report.interrupted {
        out.push_str(&wrap("INTERRUPTED: the figures cover the run until then.", width, "  "));
    }
    out.push('\n');
    match report.schemes.is_empty() {
        true => out.push_str("No scheme was run.\n"),
        false => push(&mut out),
    }
    not_run(report).iter().for_each(|line| out.push_str(&wrap(line, width, "  ")));
    out
}

/// Adds tables with a row per scheme, job or handle.
pub(super) fn push_parts(out: &mut String, parts: impl Iterator<Item = Grid>, width: usize) {
    for grid in parts {
        out.push_str(&grid.schemes_as_rows(width));
        out.push('\n');
    }
}

/// What the words of the table mean.
pub(super) fn how_to_read(report: &Report) -> impl Iterator<Item = &'static str> {
    HOW_TO_READ.iter().filter(|(has, _)| has(report)).map(|(_, text)| *text)
}

/// One line for each scheme that cannot hold the data, or that was interrupted before its measurement.
pub(super) fn not_run(report: &Report) -> Vec<String> {
    let left_out = report.left_out.iter();
    let left_out = left_out.map(|scheme| format!("{}: not run: {}", scheme.name, scheme.reason));
    let stopped = |name| format!("{name}: not run (interrupted before it was measured)");
    left_out.chain(report.not_run.iter().map(stopped)).collect()
}

/// What the words of the rows mean, with the reports that have these rows.
const HOW_TO_READ: [(When, &str); 7] = [
    (
        Report::is_of_channels,
        "Completion: end − arrival (or − issue, if the host keeps requests outstanding), \
        queueing included. Page commands: page reads and programs; a copy is one of each. Stall: time without a completion \
        while requests are outstanding. Use: share of the time, mean over channels or dies.",
    ),
    (
        |report| !report.is_of_channels(),
        "Response = service + collection after it, of a page task, without queueing. p99.9: 999 of 1000 tasks took no longer. \
        Collection pause: the part of a response that is collection.",
    ),
    (
        |_| true,
        "Bound: of page tasks, without queueing; a request of n pages may take n times as long. Bound kept: no page task \
        exceeded it. Real-time (one step): at most one collection step per task. Whole-victim worst \
        case: a task may wait for whole victims, folds or merges. WAF: pages programmed per host page; wear: erases \
        per block.",
    ),
    (
        |report| report.schemes.iter().any(|scheme| scheme.buffer.is_some()),
        "Write buffers: flushes (by the host, by age, at the end) count in \
        execution time, completion and WAF, not in responses; hits: pages that were in the buffer, clean ones too; needless \
        copies: share of copies of pages with a newer version in the buffer; collected: written by collection from the buffer.",
    ),
    (
        |report| report.schemes.iter().any(|scheme| scheme.slc_cache.is_some()),
        "SLC caches: the pages that can be written to them before they are full, from the state at the start; host pages in it: the share of host \
        writes that found room there; folded: valid pages moved to blocks in the part's own mode, and the block erased.",
    ),
    (
        Report::has_streams,
        "Streams: handle N is that of the host's stream N, handle 0 of writes without one; with \
        K handles in each reclaim group stream N is handle N mod K of group N div K. \
        Moved: pages of the handle that collection moved. Displaced: written to a block of another handle or reclaim group, for \
        want of free ones or because its group was full. Reallocated: blocks collected with valid pages.",
    ),
    (
        Report::has_zones,
        "Zones: states at the end; active zones are open or closed. Host WAF: pages that the \
        host's own log wrote, per page of its application. Total WAF: pages programmed per page of the application.",
    ),
];

/// Seed, and the share that all schemes export, if it is one.
pub(super) fn conditions(report: &Report) -> String {
    let share = one_share(&report.schemes);
    let share = share.map_or_else(String::new, |share| format!("; share exported: {share:.3}"));
    format!("seed {}{share}", report.seed)
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
    let warnings = scheme.warnings.iter().map(|warning| format!("warning: {warning}"));
    let more = beyond_bound(scheme).into_iter().chain(statements(scheme)).chain(warnings);
    let more = more.map(|line| wrap(&format!("  {line}"), width, "    "));
    [wrap(&collection(scheme), width, "  ")].into_iter().chain(more).collect()
}

/// What a reader must know of a scheme besides its figures: an exceeded bound, and deadlines.
pub(super) fn statements(scheme: &SchemeReport) -> Vec<String> {
    let exceeded = scheme.first_violation.iter();
    let exceeded = exceeded.map(|violation| format!("BOUND EXCEEDED: {}", broken(violation)));
    let deadlines = scheme.deadlines.iter().flat_map(DeadlineReport::lines);
    let late = scheme.request_deadline.iter().filter_map(|of| of.explanation(scheme));
    exceeded.chain(deadlines).chain(late).collect()
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
    use crate::forms::wear_ratios;
    use crate::samples;

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
        assert_eq!(cells("longest response"), ["16.20 ms", "2.220950 ms", "2.2209 ms"]);
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
