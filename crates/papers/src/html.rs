//! Report of one or more reproductions as a page: an index, the claims of each paper, its matrices, plots and rows.

use crate::figure::Figure;
use crate::matrix::Matrix;
use crate::render::{conditions, heading, ratio, remarks, with_unit};
use crate::reproduction::{Reproduction, Section, tally};
use crate::row::Row;
use lab::report::html::{Page, copyable, folded};
use maud::{Markup, html};

/// One page about all these reproductions, and the command that made it.
pub fn page(reproductions: &[Reproduction], command: &str) -> String {
    let title = match reproductions {
        [one] => format!("{}: reproduced", one.title),
        _ => "Papers reproduced".to_owned(),
    };
    let body = html! {
        @if reproductions.iter().any(|paper| paper.interrupted) {
            p.banner { "INTERRUPTED: what was not run by then is missing." }
        }
        p {
            "Ratio: ours divided by the paper's figure; for a change in percent, the ratio of what remains. "
            "A figure that differs names its cause."
        }
        (copyable(command))
        (index(reproductions))
        @for paper in reproductions { (one(paper)) }
    };
    Page::new(title).with_plots().render(&body)
}

fn index(reproductions: &[Reproduction]) -> Markup {
    html! {
        div.wide { table {
            tr { th { "paper" } th { "claims" } th { "all rows" } }
            @for paper in reproductions {
                tr {
                    td { a href={ "#" (paper.paper) } { (paper.title) } br; span.quiet { (paper.source) } }
                    td { (tally(paper.claims())) }
                    td { (paper.tally()) }
                }
            }
        } }
    }
}

fn one(paper: &Reproduction) -> Markup {
    let claims: Vec<&Row> = paper.claims().collect();
    html! {
        h2 id=(paper.paper) { (paper.title) }
        p { (paper.source) br; span.quiet { (conditions(paper)) } }
        @if !claims.is_empty() {
            h3 { "Claims" }
            (rows(&claims, true))
        }
        @for section in &paper.sections {
            (one_section(section))
        }
        @if !paper.notes.is_empty() {
            (folded("Notes", html! { ul { @for note in &paper.notes { li { (note) } } } }))
        }
        @if !paper.runs.is_empty() {
            (folded(&format!("Runs: {} commands", paper.runs.len()), html! {
                @for run in &paper.runs {
                    p { (run.name) br; code { (run.command) } }
                    @for (scheme, why) in &run.missing { p.differs { (scheme) ": " (why) } }
                }
            }))
        }
    }
}

fn one_section(section: &Section) -> Markup {
    let all: Vec<&Row> = section.rows.iter().collect();
    html! {
        h3 { (heading(&section.id)) " · " (section.title) }
        @for matrix in &section.matrices { (one_matrix(matrix)) }
        @for plot in &section.plots { (plot.figure.html()) }
        @if !all.is_empty() {
            (folded(&format!("Rows: {}", tally(all.iter().copied())), rows(&all, false)))
        }
        @for note in &section.notes { p.quiet { (note) } }
    }
}

fn one_matrix(matrix: &Matrix) -> Markup {
    html! {
        div.wide { table {
            caption { (matrix.title) @if matrix.has_printed() { "; the paper's in parentheses" } }
            tr { th {} @for column in &matrix.columns { th.n { (column) } } }
            @for (name, cells) in &matrix.rows {
                tr { td { (name) } @for cell in cells { td.n { (cell.text()) } } }
            }
        } }
    }
}

fn rows(rows: &[&Row], claims: bool) -> Markup {
    let words = |row: &Row| match (&row.claim, claims) {
        (Some(claim), true) => with_unit(&claim.text, &row.unit),
        _ => with_unit(&row.what, &row.unit),
    };
    // Orders of schemes and other words are broken into lines; numbers are not.
    let figure = |figure: &Option<Figure>| {
        let is_words = matches!(figure, Some(Figure::Words(_)));
        let text = figure.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string);
        html! { td class=(if is_words { "words" } else { "n" }) { (text) } }
    };
    html! {
        div.wide { table.rows {
            tr {
                th {} @if claims { th { "section" } }
                th.n { "paper" } th.n { "ours" } th.n { "ratio" } th { "verdict" }
            }
            @for row in rows {
                tr {
                    td { (words(row)) @for remark in remarks(row) { div.cause { (remark) } } }
                    @if claims { td { (row.claim.as_ref().map_or("", |claim| claim.section.as_str())) } }
                    (figure(&row.paper))
                    (figure(&row.ours))
                    td.n { (ratio(row)) }
                    td class=(row.verdict.name().replace(' ', "-")) { (row.verdict) }
                }
            }
        } }
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
        let text = page(&[sample(), odd], "ftlkit reproduce all");
        for part in [
            "<a href=\"#x\">A title</a>",
            "<a href=\"#y\">Larger &lt; smaller</a>",
            "<td>2 compared: 1 equal, 1 differs</td>",
            "<h2 id=\"y\">",
            "GFTL erases more blocks [%]<div class=\"cause\">stand-in workload: 88 % remain",
            "<td>Table II</td>",
            "<figure class=\"plot\">",
            "<pre>ftlkit reproduce all</pre>",
            "12.3 (12.0)",
            "on financial-like",
            "GFTL is 1",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(!text.contains("INTERRUPTED"));
        let cut = Reproduction { interrupted: true, ..sample() };
        let text = page(&[cut], "");
        assert!(
            text.contains("<title>A title: reproduced</title>") && text.contains("INTERRUPTED")
        );
    }
}
