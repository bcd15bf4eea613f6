//! The report of a comparison as a page.

use super::plots::{Figure, PLOTS};
use super::table::class_of;
use super::terms::TERMS;
use super::{details, figures, overview};
use crate::html::{Page, copyable, folded};
use ::run::report::Report;
use maud::{Markup, html};

/// What a page tells besides results.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The program and its version.
    pub program: String,
    /// The command that made it.
    pub command: String,
    /// The experiment with all its settings, as TOML.
    pub experiment: String,
    /// What was run, one item after the other: device, workload, addresses, precondition, notes.
    pub summary: Vec<(&'static str, String)>,
    /// What went wrong.
    pub failures: Vec<String>,
}

/// The page of a comparison.
pub fn page(report: &Report, about: &About) -> String {
    let names: Vec<&str> = report.schemes.iter().map(|scheme| scheme.name.as_str()).collect();
    let body = html! {
        @if report.interrupted {
            (banner("INTERRUPTED: the figures cover the run until then."))
        }
        @for failure in &about.failures { (banner(failure)) }
        h2 { "Results" }
        (results(report))
        h2 { "What was run" }
        (about.facts(&[("schemes", names.join(", "))]))
        (about.repeated())
        h2 { "Plots" }
        @for plot in PLOTS.iter().filter(|plot| (plot.of)(report)) {
            (untitled(plot.figure(report), &report.title()))
        }
        (notes(report, about))
        (terms())
    };
    let line = format!("{}; {}", about.program, details::conditions(report));
    Page::new(report.title()).subtitle(line).with_plots().render(&body)
}

/// The table of the first screen, and what it does not show.
fn results(report: &Report) -> Markup {
    html! {
        @if report.schemes.is_empty() {
            p { "No scheme was run." }
        } @else {
            (figures::overview(report).by_scheme().html(true))
            @for grid in figures::parts(report) { (grid.by_scheme().html(true)) }
            (lines(&overview::lines(report)))
            p.quiet { (overview::of_times(report)) }
            (folded("Every figure", every_figure(report)))
        }
        (lines(&details::not_run(report)))
    }
}

fn every_figure(report: &Report) -> Markup {
    html! {
        (figures::every(report).by_field().html(false))
        @for line in details::how_to_read(report) { p.quiet { (line) } }
    }
}

fn notes(report: &Report, about: &About) -> Markup {
    let of_run = about.summary.iter().filter(|(what, _)| *what == "note").map(|(_, text)| text);
    html! {
        h2 { "Notes" }
        ul {
            @for note in of_run { li { (note) } }
            @for scheme in &report.schemes { li { (details::collection(scheme)) } }
        }
    }
}

/// A figure without what the page's title says.
fn untitled(figure: Figure, title: &str) -> crate::html::Figure {
    let figure = figure.html();
    let short = figure.title.strip_suffix(title).map(|rest| rest.trim_end_matches(": ").to_owned());
    crate::html::Figure { title: short.unwrap_or(figure.title), ..figure }
}

/// What a reader must see first.
pub fn banner(text: &str) -> Markup {
    html! { p.banner { (text) } }
}

/// Lines below a table.
pub fn lines(lines: &[String]) -> Markup {
    html! { div.lines { @for line in lines { p class=[class_of(line)] { (line) } } } }
}

/// The words of reports.
pub fn terms() -> Markup {
    let words = html! { dl.terms { @for (term, text) in TERMS { dt { (term) } dd { (text) } } } };
    folded("The words of this page", words)
}

impl About {
    /// What was run, as a list; notes stand elsewhere.
    pub fn facts(&self, more: &[(&'static str, String)]) -> Markup {
        let shown = self.summary.iter().filter(|(what, _)| *what != "note");
        html! { dl.facts { @for (what, text) in shown.chain(more) { dt { (what) } dd { (text) } } } }
    }

    /// How it is repeated.
    pub fn repeated(&self) -> Markup {
        html! {
            p { "The command that made this page:" }
            (copyable(&self.command))
            @if !self.experiment.is_empty() {
                (folded("The experiment with all its settings: a file for ftlkit run", copyable(&self.experiment)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn about() -> About {
        About {
            program: "ftlkit 9.9".into(),
            command: "ftlkit compare '<b>.csv'".into(),
            experiment: "seed = 7".into(),
            summary: vec![("device", "a <device>".into()), ("note", "a note".into())],
            failures: vec!["scheme `x` could not be run".into()],
        }
    }

    #[test]
    fn everything_is_on_the_page_and_names_are_escaped() {
        let mut report = samples::report();
        report.schemes[0].name = "<b>+victim=fifo".into();
        report.workload = serde_json::json!({ "file": "/data/<b>.csv" });
        let text = page(&report, &about());
        for part in [
            "<title>&lt;b&gt;.csv on slc-2k</title>",
            "ftlkit 9.9; seed ",
            "<dt>device</dt><dd>a &lt;device&gt;</dd>",
            "<pre>ftlkit compare '&lt;b&gt;.csv'</pre>",
            "<pre>seed = 7</pre>",
            "scheme `x` could not be run",
            "<td>&lt;b&gt;+victim=fifo</td>",
            "class=\"bad\">fsr: BOUND EXCEEDED",
            "requests: 200,000 taken, all completed",
            "<li>a note</li>",
            "<dt>WAF</dt>",
            "<figcaption>Response</figcaption>",
            "bound 2220.9 µs (fsr, lazy-rtgc)",
        ] {
            assert!(text.contains(part), "{part}");
        }
        assert!(!text.contains("<b>+") && !text.contains("<b>."), "a name is markup");
        assert!(!text.contains("https:") && !text.contains("src="), "something is loaded");
        assert_eq!(
            text.matches("<figure").count(),
            PLOTS.iter().filter(|p| (p.of)(&report)).count()
        );
        assert_eq!(text, page(&report, &about()), "same report, same bytes");
    }

    #[test]
    fn an_interrupted_run_says_so_first() {
        let mut report = samples::report();
        assert!(!page(&report, &About::default()).contains("banner\">"));
        report.interrupted = true;
        report.not_run = vec!["nftl".into()];
        let text = page(&report, &About::default());
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}"));
        assert!(at("INTERRUPTED") < at("<table"));
        at("nftl: not run (interrupted");
        report.schemes.clear();
        assert!(page(&report, &About::default()).contains("No scheme was run."));
    }

    #[test]
    fn a_page_of_many_schemes_and_long_series_is_below_5_mb() {
        let mut report = samples::on_channels();
        let some = report.schemes.clone();
        report.schemes = (0..28)
            .map(|n| {
                let mut scheme = some[n % some.len()].clone();
                scheme.name = format!("{}-{n}", scheme.name);
                let many = |points: u64| (0..points).map(move |at| at * 1_234_567);
                let uneven = |at: u64| (at / 7 + n as u64) % 977;
                scheme.series.response_ccdf =
                    many(50_000).map(|ns| (ns + 1000, 1.0 - ns as f64 / 7e10)).collect();
                scheme.series.free_pages = many(50_000).map(|at| (at, uneven(at))).collect();
                scheme.series.throughput =
                    many(50_000).map(|at| (at, uneven(at) as f64 / 3.0)).collect();
                scheme
            })
            .collect();
        let text = page(&report, &About::default());
        assert!(text.len() < 5_000_000, "{}", text.len());
    }
}
