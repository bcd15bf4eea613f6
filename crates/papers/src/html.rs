//! Report of one or more reproductions as a page: an index, the claims of each paper, its matrices, plots and rows.

use crate::matrix::Matrix;
use crate::render::{conditions, heading, ratio, remarks, with_unit};
use crate::reproduction::{Reproduction, Section, tally};
use crate::row::Row;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sim::report::{OutDir, OutError};
use std::path::PathBuf;

const STYLE: &str = "
body { font: 15px/1.45 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1, h2, h3 { line-height: 1.2; } h2 { border-top: 2px solid #888; padding-top: 1rem; margin-top: 3rem; }
table { border-collapse: collapse; margin: .6rem 0 1.2rem; }
th, td { padding: .15rem .7rem .15rem 0; vertical-align: top; text-align: left; border-bottom: 1px solid #ddd; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.equal, .within { color: #17632a; } .differs { color: #a3231d; } .quiet, .cause { color: #666; }
.cause { font-size: 90%; max-width: 60rem; } img { max-width: 100%; } summary { cursor: pointer; }
";

/// Writes `index.html`: one page about all these reproductions. The plots of paper `x` are expected in `x/plots`, or in
/// `plots` if there is only one paper and `folders` is false.
///
/// # Errors
/// [`OutError`] with the file's path.
pub fn write_report(
    reproductions: &[Reproduction],
    folders: bool,
    dir: &OutDir,
) -> Result<PathBuf, OutError> {
    dir.file("index.html", |to| to.write_all(page(reproductions, folders).into_string().as_bytes()))
}

fn page(reproductions: &[Reproduction], folders: bool) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "ftlkit: papers reproduced" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "Papers reproduced" }
                p {
                    "Ratio: ours divided by the paper's figure; for a change in percent, the ratio of what remains. "
                    "A figure that differs names its cause."
                }
                (index(reproductions))
                @for paper in reproductions {
                    (one(paper, &if folders { format!("{}/", paper.paper) } else { String::new() }))
                }
            }
        }
    }
}

fn index(reproductions: &[Reproduction]) -> Markup {
    html! {
        table {
            tr { th { "paper" } th { "claims" } th { "all rows" } }
            @for paper in reproductions {
                tr {
                    td { a href={ "#" (paper.paper) } { (paper.title) } br; span.quiet { (paper.source) } }
                    td { (tally(paper.claims())) }
                    td { (paper.tally()) }
                }
            }
        }
    }
}

fn one(paper: &Reproduction, folder: &str) -> Markup {
    let claims: Vec<&Row> = paper.claims().collect();
    html! {
        h2 id=(paper.paper) { (paper.title) }
        p { (paper.source) br; span.quiet { (conditions(paper)) } }
        @if !claims.is_empty() {
            h3 { "Claims" }
            (rows(&claims, true))
        }
        @for section in &paper.sections {
            (one_section(section, folder))
        }
        @if !paper.notes.is_empty() {
            details { summary { "Notes" } ul { @for note in &paper.notes { li { (note) } } } }
        }
        @if !paper.runs.is_empty() {
            details {
                summary { "Runs: " (paper.runs.len()) " commands" }
                @for run in &paper.runs {
                    p { (run.name) br; code { (run.command) } }
                    @for (scheme, why) in &run.missing { p.differs { (scheme) ": " (why) } }
                }
            }
        }
    }
}

fn one_section(section: &Section, folder: &str) -> Markup {
    let all: Vec<&Row> = section.rows.iter().collect();
    html! {
        h3 { (heading(&section.id)) " · " (section.title) }
        @for matrix in &section.matrices { (one_matrix(matrix)) }
        @for plot in &section.plots {
            p { img src={ (folder) "plots/" (plot.name) } alt=(plot.name) loading="lazy"; }
        }
        @if !all.is_empty() {
            details { summary { "Rows: " (tally(all.iter().copied())) } (rows(&all, false)) }
        }
        @for note in &section.notes { p.quiet { (note) } }
    }
}

fn one_matrix(matrix: &Matrix) -> Markup {
    html! {
        table {
            caption { (matrix.title) @if matrix.has_printed() { "; the paper's in parentheses" } }
            tr { th {} @for column in &matrix.columns { th.n { (column) } } }
            @for (name, cells) in &matrix.rows {
                tr { td { (name) } @for cell in cells { td.n { (cell.text()) } } }
            }
        }
    }
}

fn rows(rows: &[&Row], claims: bool) -> Markup {
    let words = |row: &Row| match (&row.claim, claims) {
        (Some(claim), true) => with_unit(&claim.text, &row.unit),
        _ => with_unit(&row.what, &row.unit),
    };
    let figure = |figure: &Option<crate::figure::Figure>| {
        figure.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string)
    };
    html! {
        table {
            tr {
                th {} @if claims { th { "section" } }
                th.n { "paper" } th.n { "ours" } th.n { "ratio" } th { "verdict" }
            }
            @for row in rows {
                tr {
                    td { (words(row)) @for remark in remarks(row) { div.cause { (remark) } } }
                    @if claims { td { (row.claim.as_ref().map_or("", |claim| claim.section.as_str())) } }
                    td.n { (figure(&row.paper)) }
                    td.n { (figure(&row.ours)) }
                    td.n { (ratio(row)) }
                    td class=(row.verdict.name().replace(' ', "-")) { (row.verdict) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::tests::sample;

    #[test]
    fn a_page_has_an_index_the_claims_and_every_row() {
        let mut odd = sample();
        odd.paper = "y".into();
        odd.title = "Larger < smaller".into();
        let text = page(&[sample(), odd], true).into_string();
        for part in [
            "<a href=\"#x\">A title</a>",
            "<a href=\"#y\">Larger &lt; smaller</a>",
            "<td>2 compared: 1 equal, 1 differs</td>",
            "<h2 id=\"y\">",
            "GFTL erases more blocks [%]<div class=\"cause\">stand-in workload: 88 % remain",
            "<td>Table II</td>",
            "src=\"y/plots/fig-9.svg\"",
            "12.3 (12.0)",
            "on financial-like",
            "GFTL is 1",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(page(&[sample()], false).into_string().contains("src=\"plots/fig-9.svg\""));
    }
}
