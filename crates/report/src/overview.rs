//! The report's first screen: one line per scheme, and what changes a decision.

use super::details::{framed, push_parts, statements};
use super::figures;
use super::forms::{beyond_bound, verdict};
use super::grid::wrap;
use ::run::report::{RefusedReport, Report, SchemeReport, units};

/// The first screen as plain text of at most `width` columns: a line per scheme, then exceeded bounds, missed deadlines,
/// warnings (each once), and requests that did not complete. [`super::details::render`] has the rest.
pub fn render(report: &Report, width: usize) -> String {
    framed(report, width, |out| {
        let grids = [figures::overview(report)].into_iter().chain(figures::parts(report));
        push_parts(out, grids, width);
        let details = "`--details`: every figure; `ftlkit help terms`: the words.";
        let lines = lines(report).into_iter().chain([format!("{} {details}", of_times(report))]);
        lines.for_each(|line| out.push_str(&wrap(&line, width, "  ")));
    })
}

/// What the table does not show: exceeded bounds, missed deadlines, warnings, verdicts with what kept bounds leave out,
/// and the account of requests.
pub(super) fn lines(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    for scheme in &report.schemes {
        lines.extend(statements(scheme).iter().map(|line| format!("{}: {line}", scheme.name)));
    }
    lines.extend(warnings(&report.schemes));
    lines.extend(verdicts(&report.schemes));
    let beyond = |s: &SchemeReport| Some(format!("{}: {}", s.name, beyond_bound(s)?));
    lines.extend(report.schemes.iter().filter_map(beyond));
    lines.push(requests(&report.schemes));
    lines
}

/// The verdicts on the bounds, each with its schemes and the kind of their bounds.
fn verdicts(schemes: &[SchemeReport]) -> Vec<String> {
    type Named<'a> = Vec<&'a str>;
    let mut found: Vec<(String, Vec<(&str, Named)>)> = Vec::new();
    for scheme in schemes {
        let verdict = verdict(scheme).replace('\n', " ");
        let kind = match (scheme.bound_ns.is_some() && scheme.can_promise(), scheme.real_time) {
            (false, _) => "",
            (true, true) => " (real-time: one step)",
            (true, false) => " (whole-victim worst case)",
        };
        let at = found.iter().position(|(of, _)| *of == verdict).unwrap_or_else(|| {
            found.push((verdict, Vec::new()));
            found.len() - 1
        });
        let kinds = &mut found[at].1;
        match kinds.iter_mut().find(|(of, _)| *of == kind) {
            Some((_, names)) => names.push(&scheme.name),
            None => kinds.push((kind, vec![&scheme.name])),
        }
    }
    let told = |(verdict, kinds): (String, Vec<(&str, Named)>)| {
        let names = kinds.iter().map(|(kind, names)| format!("{}{kind}", names.join(", ")));
        format!("{verdict}: {}", names.collect::<Vec<_>>().join("; "))
    };
    found.into_iter().map(told).collect()
}

/// The warnings, each once, with the schemes that it is of.
fn warnings(schemes: &[SchemeReport]) -> Vec<String> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    for scheme in schemes {
        for warning in &scheme.warnings {
            match found.iter_mut().find(|(text, _)| text == warning) {
                Some((_, of)) => of.push(&scheme.name),
                None => found.push((warning, vec![&scheme.name])),
            }
        }
    }
    let line = |(text, of): (&str, Vec<&str>)| match of.len() == schemes.len() {
        true => format!("warning: {text}"),
        false => format!("warning: {}: {text}", of.join(", ")),
    };
    found.into_iter().map(line).collect()
}

/// The account of all requests: taken = completed + refused + those under way when a run was interrupted.
fn requests(schemes: &[SchemeReport]) -> String {
    let account = |s: &SchemeReport| {
        let (taken, done) = (units::grouped(s.requests_taken), units::grouped(s.requests));
        let mut text = match s.requests == s.requests_taken {
            true => format!("{taken} taken, all completed"),
            false => format!("{taken} taken, {done} completed"),
        };
        if s.requests_refused > 0 {
            text.push_str(&format!(", {} refused", units::grouped(s.requests_refused)));
            let of = |refused: &RefusedReport| {
                format!("{} {}", refused.reason, units::grouped(refused.requests))
            };
            let reasons: Vec<String> = s.refusals.iter().map(of).collect();
            if !reasons.is_empty() {
                text.push_str(&format!(" ({})", reasons.join(", ")));
            }
        }
        text
    };
    let accounts: Vec<String> = schemes.iter().map(account).collect();
    match accounts.iter().all(|text| *text == accounts[0]) {
        true => format!("requests: {}", accounts[0]),
        false => {
            let each = schemes.iter().zip(&accounts).map(|(s, text)| format!("{}: {text}", s.name));
            format!("requests: {}", each.collect::<Vec<_>>().join("; "))
        }
    }
}

/// What the times are of.
pub(super) fn of_times(report: &Report) -> &'static str {
    match report.is_of_channels() {
        true => "Completion: of host requests, from arrival or issue to end.",
        false => {
            "Response and bound: of page tasks with the collection behind them, without queueing; a request of n pages \
             may take n times as long."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn many_schemes_stay_within_100_columns() {
        let mut report = samples::report();
        let first = report.schemes[0].clone();
        report.schemes = (0..28).map(|_| first.clone()).collect();
        let text = render(&report, 100);
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 100, "{widest}: {text}");
        assert_eq!(text.lines().filter(|line| line.starts_with(&first.name)).count(), 28, "{text}");
    }

    #[test]
    fn warnings_are_told_once_and_columns_without_figures_are_left_out() {
        let mut report = samples::report();
        report.schemes.iter_mut().for_each(|s| {
            s.warnings = vec!["never collected".into()];
            s.bound_ns = None;
        });
        report.schemes[0].warnings.push("too short".into());
        let text = render(&report, 100);
        assert_eq!(text.matches("never collected").count(), 1, "{text}");
        let alone = format!("warning: {}: too short", report.schemes[0].name);
        assert!(text.contains(&alone) && !text.contains("its"), "{text}");
    }

    #[test]
    fn verdicts_are_told_by_kind_of_bound() {
        let mut report = samples::report();
        let first = report.schemes[0].clone();
        let of = |name: &str, real_time, violations| SchemeReport {
            name: name.into(),
            bound_ns: Some(7),
            real_time,
            violations,
            ..first.clone()
        };
        report.schemes = vec![
            of("a", true, 0),
            of("b", false, 0),
            of("c", true, 0),
            of("d", true, 1),
            SchemeReport { bound_ns: None, ..of("e", false, 0) },
        ];
        assert_eq!(
            verdicts(&report.schemes),
            [
                "bound kept: a, c (real-time: one step); b (whole-victim worst case)",
                "BOUND EXCEEDED: d (real-time: one step)",
                "no bound: e",
            ]
        );
    }

    #[test]
    fn requests_that_did_not_complete_are_told() {
        let mut report = samples::report();
        assert!(render(&report, 100).contains("taken, all completed"));
        let scheme = &mut report.schemes[0];
        scheme.requests = 3;
        scheme.requests_taken = 5;
        scheme.requests_refused = 2;
        let text = render(&report, 100);
        assert!(text.contains("5 taken, 3 completed, 2 refused"), "{text}");
    }
}
