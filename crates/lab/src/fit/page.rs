//! The result of a fit as a page.

use super::measured::{Figure, Measured};
use super::search::{Candidate, Fit, Modelled};
use crate::report::units::percent;
use crate::report::{About, Table};
use maud::html;
use report::html::Page;

/// The page: the ranking, and the points of the best candidate.
pub fn page(points: &[Measured], fit: &Fit, summary: &str, about: &About) -> String {
    let ranked = |candidate: &Candidate| {
        [
            candidate.victim.clone(),
            candidate.placement.clone(),
            candidate.pages_per_block.to_string(),
            format!("{:.4}", candidate.share),
            percent(candidate.over_provisioning),
            percent(candidate.residual),
        ]
    };
    let headings =
        ["<victim", "<placement", "pages/block", "share exported", "over-provisioning", "residual"];
    let pointed = |(measured, modelled): (&Measured, &Modelled)| {
        let (what, value) = match measured.figure {
            Figure::Waf(value) => ("WAF", value),
            Figure::Throughput(value) => ("throughput", value),
        };
        [
            measured.workload.clone(),
            format!("{:.3}", measured.fill),
            measured.writes.map_or("steady".into(), |writes| format!("{writes}")),
            what.to_owned(),
            format!("{value:.3}"),
            format!("{:.3}", modelled.value),
            format!("{:+.1} %", 100.0 * modelled.error),
        ]
    };
    let columns =
        ["<workload", "fill", "drive writes", "<figure", "measured", "candidate", "error"];
    let body = html! {
        p { (summary) }
        h2 { "Candidates" }
        (Table::new(headings, fit.best.iter().map(ranked)).html(true))
        h2 { "Points of the best" }
        @if let Some(best) = fit.best.first() {
            (Table::new(columns, points.iter().zip(&best.points).map(pointed)).html(true))
        }
        h2 { "What was run" }
        (about.facts(&[("runs", fit.runs.to_string())]))
        (about.repeated())
    };
    Page::new("Fit of measured points").subtitle(&about.program).render(&body)
}
