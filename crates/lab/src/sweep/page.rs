//! A sweep as a page.

use super::plan::Plan;
use super::plot::{PlotChoice, plot};
use super::rows::{Outcome, Status, rows, varied};
use super::summary::{LATE, Summary, times};
use crate::report::About;
use crate::report::page as report_page;
use crate::report::plots::Figure;
use crate::report::units;
use maud::{Markup, html};
use report::html::Page;

/// The page of a sweep: table and lines of its summary, and its plots. Those of `chosen` come first; then each leading
/// measure over each varied key of which none is chosen.
pub fn page(
    plan: &Plan,
    outcomes: &[Outcome],
    summary: &Summary,
    chosen: &[(Figure, &PlotChoice)],
    about: &About,
) -> String {
    let count = |status| outcomes.iter().filter(|outcome| outcome.status == status).count();
    let left = count(Status::NotRun);
    let (figures, unplotted) = figures(plan, outcomes, chosen);
    let axes = plan
        .axes
        .iter()
        .map(|axis| ("varied", format!("{}: {}", axis.key, axis.values.join(", "))));
    let mut facts: Vec<(&'static str, String)> = vec![("schemes", schemes(plan).join(", "))];
    facts.extend(axes);
    let body = html! {
        @if left > 0 {
            (report_page::banner(&format!("INTERRUPTED: {left} of {} runs were not run.", outcomes.len())))
        }
        @for failure in &about.failures { (report_page::banner(failure)) }
        h2 { "Results" }
        (summary.table.html(true))
        (report_page::lines(&summary.lines))
        h2 { "What was run" }
        p.quiet { "Device, workload and precondition are those of the first run, where they are varied." }
        (about.facts(&facts))
        (about.repeated())
        h2 { "Plots" }
        @for figure in chosen.iter().map(|(figure, _)| figure).chain(&figures) { (figure.html()) }
        @for reason in unplotted { p.quiet { (reason) } }
        (notes(about))
        (report_page::terms())
    };
    let title = format!("Sweep of {}", units::counted(outcomes.len() as u64, "run"));
    Page::new(title).subtitle(&about.program).with_plots().render(&body)
}

fn notes(about: &About) -> Markup {
    let notes: Vec<&String> =
        about.summary.iter().filter(|(what, _)| *what == "note").map(|(_, text)| text).collect();
    html! { @if !notes.is_empty() { h2 { "Notes" } ul { @for note in notes { li { (note) } } } } }
}

/// The schemes as given, each once.
fn schemes(plan: &Plan) -> Vec<&str> {
    let mut schemes: Vec<&str> = Vec::new();
    for point in &plan.points {
        if !schemes.contains(&point.scheme.as_str()) {
            schemes.push(&point.scheme);
        }
    }
    schemes
}

/// Each leading measure over each varied key, unless it is chosen; and why there is no plot of some.
fn figures(
    plan: &Plan,
    outcomes: &[Outcome],
    chosen: &[(Figure, &PlotChoice)],
) -> (Vec<Figure>, Vec<String>) {
    let (rows, varied) = (rows(plan, outcomes, ""), varied(plan));
    let times = times(outcomes);
    let mut measures = vec!["waf".to_owned()];
    measures.extend(["mean", "p99.9", "max"].map(|of| format!("{times}.{of}")));
    if rows.iter().any(|row| row.get(LATE).is_some_and(|late| !late.is_null())) {
        measures.push(LATE.to_owned());
    }
    // Over the schemes only where nothing else is varied.
    let keys = || varied.iter().filter(|key| *key != "scheme" || varied.len() == 1);
    let choices = keys().flat_map(|x| measures.iter().map(move |y| PlotChoice::of(x, y)));
    let is_chosen = |of: &PlotChoice| chosen.iter().any(|(_, by)| (&by.x, &by.y) == (&of.x, &of.y));
    let (mut figures, mut unplotted) = (Vec::new(), Vec::new());
    for choice in choices.filter(|choice| !is_chosen(choice)) {
        match plot(&rows, &varied, &choice) {
            Ok(means) => figures.push(means.into()),
            Err(error) => {
                unplotted.push(format!("No plot of {} over {}: {error}", choice.y, choice.x));
            }
        }
    }
    (figures, unplotted)
}
