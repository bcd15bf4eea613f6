//! Plain-text report of a reproduction: the claims, the matrices, and on request every row.

use crate::figure::{Figure, decimal};
use crate::matrix::{Cell, Matrix};
use crate::reproduction::{Reproduction, RunRecord, Section, tally};
use crate::row::Row;
use lab::report::{Table, wrap};
use std::collections::BTreeSet;

/// Spaces between columns.
const GAP: usize = 2;
/// Maximum length of a figure in the table; longer ones get a separate line.
const LONGEST_FIGURE: usize = 14;
/// Indentation of causes and notes.
const INDENT: &str = "      ";

/// How much a report shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The claims and the matrices.
    Claims,
    /// Also every row, note, run, and the names of the plots.
    All,
}

/// Renders the reproduction as plain text of about `width` columns, including wall-clock measurements.
pub fn render(reproduction: &Reproduction, width: usize, detail: Detail) -> String {
    text(reproduction, width, detail, true)
}

/// As [`render`] of everything, without wall-clock measurements: the same in every run.
pub(super) fn render_without_clock(reproduction: &Reproduction, width: usize) -> String {
    text(reproduction, width, Detail::All, false)
}

fn text(reproduction: &Reproduction, width: usize, detail: Detail, clock: bool) -> String {
    let mut out = wrap(&reproduction.title, width, "");
    out.push_str(&wrap(&reproduction.source, width, ""));
    out.push_str(&wrap(&conditions(reproduction), width, ""));
    let claims: Vec<&Row> = reproduction.claims().collect();
    if !claims.is_empty() {
        out.push_str(&format!("\nClaims · {}\n", tally(claims.iter().copied())));
        let words = |row: &Row| {
            let claim = row.claim.as_ref().expect("rows of claims have one");
            (with_unit(&claim.text, &row.unit), Some(claim.section.clone()))
        };
        out.push_str(&rows(&claims, words, width));
    }
    for section in &reproduction.sections {
        out.push('\n');
        out.push_str(&render_section(section, width, detail));
        if clock {
            section.clock.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
        }
    }
    if detail == Detail::All && !reproduction.notes.is_empty() {
        out.push_str("\nNotes\n");
        for note in &reproduction.notes {
            out.push_str(&wrap(&format!("  · {note}"), width, "    "));
        }
    }
    let runs = || reproduction.runs.iter();
    if detail == Detail::All && !reproduction.runs.is_empty() {
        out.push_str("\nRuns\n");
        runs().for_each(|run| out.push_str(&render_run(run, width)));
    } else {
        // What is missing is never left out.
        let failed: Vec<&RunRecord> = runs().filter(|run| !run.missing.is_empty()).collect();
        if !failed.is_empty() {
            out.push_str("\nRuns that did not end\n");
            failed.iter().for_each(|run| out.push_str(&render_run(run, width)));
        }
    }
    out.push('\n');
    out.push_str(&wrap(&format!("All rows · {}", reproduction.tally()), width, "  "));
    out
}

pub(crate) fn conditions(reproduction: &Reproduction) -> String {
    let scale = match reproduction.scale {
        crate::settings::Scale::Quick => {
            "quick: smaller arrays and shorter workloads than the paper's"
        }
        crate::settings::Scale::Full => "full: the paper's sizes",
    };
    let interrupted =
        if reproduction.interrupted { "; interrupted: some runs are missing" } else { "" };
    format!("ftlkit {}, seed {}, {scale}{interrupted}", reproduction.version, reproduction.seed)
}

fn render_section(section: &Section, width: usize, detail: Detail) -> String {
    let mut title = format!("{} · {}", heading(&section.id), section.title);
    if !section.rows.is_empty() {
        title.push_str(&format!(" · {}", tally(section.rows.iter())));
    }
    let mut out = wrap(&title, width, "  ");
    for matrix in &section.matrices {
        out.push_str(&render_matrix(matrix, width));
    }
    if detail == Detail::All {
        let all: Vec<&Row> = section.rows.iter().collect();
        out.push_str(&rows(&all, |row| (with_unit(&row.what, &row.unit), None), width));
        let faults = all.iter().map(|row| row.fault.as_str()).filter(|fault| !fault.is_empty());
        for fault in faults.collect::<BTreeSet<&str>>() {
            let turned = all.iter().filter(|row| row.fault == fault).count();
            out.push_str(&wrap(&format!("  turns {turned}: {fault}"), width, "    "));
        }
        for note in &section.notes {
            out.push_str(&wrap(&format!("  · {note}"), width, "    "));
        }
        for plot in &section.plots {
            out.push_str(&format!("  plot: plots/{}\n", plot.name));
        }
        for curves in &section.curves {
            out.push_str(&format!("  points: curves/{}\n", curves.name));
        }
    }
    out
}

/// Display name: `table-2` becomes `Table 2`, `fig-9` becomes `Fig. 9`; other names are unchanged.
pub(crate) fn heading(id: &str) -> String {
    match id.split_once('-') {
        Some(("table", rest)) => format!("Table {rest}"),
        Some(("fig", rest)) => format!("Fig. {rest}"),
        _ => id.to_owned(),
    }
}

pub(crate) fn with_unit(what: &str, unit: &str) -> String {
    if unit.is_empty() { what.to_owned() } else { format!("{what} [{unit}]") }
}

/// Ratio with three significant digits.
pub(crate) fn ratio(row: &Row) -> String {
    row.ratio.map_or_else(String::new, |ratio| {
        let decimals = match ratio.abs() {
            at if at >= 100.0 => 0,
            at if at >= 10.0 => 1,
            at if at >= 0.095 => 2,
            _ => 3,
        };
        decimal(ratio, decimals)
    })
}

/// Cause and note of a row, as lines of a report. A difference without a cause says so.
pub(crate) fn remarks(row: &Row) -> Vec<String> {
    let cause = match &row.cause {
        Some(cause) => Some(cause.to_string()),
        None => row.verdict.needs_cause().then(|| "open: no measurement has decided".into()),
    };
    cause.into_iter().chain((!row.note.is_empty()).then(|| row.note.clone())).collect()
}

fn rows(rows: &[&Row], words: impl Fn(&Row) -> (String, Option<String>), width: usize) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let figure = |figure: &Option<Figure>| match figure {
        None => "–".to_owned(),
        Some(figure) => {
            let text = figure.to_string();
            if letters(&text) > LONGEST_FIGURE { "below".into() } else { text }
        }
    };
    let section = rows.iter().any(|row| words(row).1.is_some());
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let (what, place) = words(row);
            let mut cells = vec![what];
            cells.extend(place);
            let verdict = row.verdict.to_string();
            cells.extend([figure(&row.paper), figure(&row.ours), ratio(row), verdict]);
            cells
        })
        .collect();
    let below: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let long = [("paper", &row.paper), ("ours", &row.ours)].into_iter().filter_map(
                |(whose, figure)| {
                    let text = figure.as_ref()?.to_string();
                    (letters(&text) > LONGEST_FIGURE).then(|| format!("{whose}: {text}"))
                },
            );
            long.chain(remarks(row)).collect()
        })
        .collect();
    let mut heads = vec!["<"];
    heads.extend(section.then_some("section"));
    heads.extend(["paper", "ours", "ratio", "<verdict"]);
    table(&heads, &cells, &below, width)
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

/// Table of these headings, marked as those of [`Table`]; the first column, of words, wraps. `below` has the lines under
/// each row.
fn table(heads: &[&str], cells: &[Vec<String>], below: &[Vec<String>], width: usize) -> String {
    let widest = |at: usize| {
        let column = cells.iter().map(|cells| letters(&cells[at]));
        column.chain([letters(heads[at].trim_start_matches('<'))]).max().unwrap_or(0)
    };
    // Wrap the first column rather than let figures exceed the width.
    let others: usize = (1..heads.len()).map(|at| widest(at) + GAP).sum();
    let first = widest(0).min(width.saturating_sub(others + GAP).max(24));
    let broken = |cells: &Vec<String>| {
        let fits = letters(&cells[0]) <= first;
        let lines = if fits { cells[0].clone() } else { wrap(&cells[0], first, "  ") };
        let lines = lines.trim_end_matches('\n').to_owned();
        // Figures stand beside the last line.
        let above = "\n".repeat(lines.matches('\n').count());
        let others = cells[1..].iter().map(|cell| format!("{above}{cell}"));
        [lines].into_iter().chain(others).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = cells.iter().map(broken).collect();
    let heights: Vec<usize> = rows.iter().map(|row| row[0].split('\n').count()).collect();
    let blank = format!("<{:first$}", "");
    let text = Table::new([&*blank].iter().chain(&heads[1..]).copied(), rows);
    let text = if below.is_empty() { text.text(None) } else { text.unbroken() };
    let mut lines = text.lines().map(|line| format!("  {line}").trim_end().to_owned() + "\n");
    let mut out: String = lines.by_ref().take(2).collect();
    for (at, height) in heights.into_iter().enumerate() {
        out.extend(lines.by_ref().take(height));
        let below = below.get(at).into_iter().flatten();
        out.extend(below.map(|text| wrap(&format!("{INDENT}{text}"), width, INDENT)));
    }
    out
}

fn render_matrix(matrix: &Matrix, width: usize) -> String {
    let printed = if matrix.has_printed() { "; the paper's in parentheses" } else { "" };
    let title = wrap(&format!("  {}{printed}", matrix.title), width, "    ");
    let columns = matrix.columns.iter().map(String::as_str);
    let heads: Vec<&str> = ["<"].into_iter().chain(columns).collect();
    let row = |(name, cells): &(String, Vec<Cell>)| {
        [name.clone()].into_iter().chain(cells.iter().map(Cell::text)).collect()
    };
    let cells: Vec<Vec<String>> = matrix.rows.iter().map(row).collect();
    title + &table(&heads, &cells, &[], width.saturating_sub(GAP))
}

fn render_run(run: &RunRecord, width: usize) -> String {
    // Commands are not wrapped, so that they can be copied.
    let mut out = format!("  {}\n    {}\n", run.name, run.command);
    for (scheme, why) in &run.missing {
        out.push_str(&wrap(&format!("    {scheme}: {why}"), width, INDENT));
    }
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::reproduction::PlotFile;
    use crate::settings::Scale;
    use crate::verdict::Reason;

    pub(crate) fn sample() -> Reproduction {
        let rows = vec![
            Row::exact("U(σ)", "", "0.875", 0.875).headline("Table II", "utilisation of the part"),
            Row::changed("copies against GFTL", "-95.36", -95.0, 10.0),
            Row::changed("erases against GFTL", "-83.66", -12.0, 10.0)
                .because(Reason::StandIn("88 % remain on the real head".into()))
                .headline("§6.2", "GFTL erases more blocks"),
            Row::order(
                "order",
                &[&["lazy-rtgc"], &["gftl"]],
                &[("lazy-rtgc", Some(1.0)), ("gftl", Some(2.0))],
            ),
            Row::exact("pages", "", "4", 5.0),
            Row::evidence("on financial-like", "%", -90.123, 2),
            Row::exact("requests", "", "100", 100.0).as_input(),
        ];
        let matrix = Matrix::of(
            "blocks erased",
            &["gftl", "rftl"],
            &["websearch", "mean"],
            |row, column| match (row, column) {
                (0, 0) => Cell::ours(Some(12.34), 1).beside("12.0"),
                (1, 1) => Cell::default(),
                _ => Cell::ours(Some(7.0), 1),
            },
        );
        let section = Section {
            id: "fig-9".into(),
            title: "Valid-page copies".into(),
            rows,
            matrices: vec![matrix],
            plots: vec![PlotFile {
                name: "fig-9.svg".into(),
                figure: lab::report::plots::Bars::default().into(),
            }],
            notes: vec!["GFTL is 1".into()],
            ..Section::default()
        };
        Reproduction {
            version: "0".into(),
            paper: "x".into(),
            title: "A title".into(),
            source: "A. Author, 2015".into(),
            scale: Scale::Quick,
            seed: 1,
            interrupted: false,
            sections: vec![section],
            runs: vec![RunRecord {
                name: "financial-like".into(),
                command: "ftlkit compare".into(),
                missing: vec![("rftl".into(), "stopped".into())],
            }],
            notes: vec!["how it was done".into()],
        }
    }

    #[test]
    fn the_first_screen() {
        let expected = "\
A title
A. Author, 2015
ftlkit 0, seed 1, quick: smaller arrays and shorter workloads than the paper's

Claims · 2 compared: 1 equal, 1 differs
                                section   paper    ours  ratio  verdict
  ─────────────────────────────────────────────────────────────────────
  utilisation of the part      Table II   0.875   0.875   1.00  equal
  GFTL erases more blocks [%]      §6.2  −83.66  −12.00   5.39  differs
      stand-in workload: 88 % remain on the real head

Fig. 9 · Valid-page copies · 5 compared: 2 equal, 1 within, 2 differs, 1 of them without a cause
  blocks erased; the paper's in parentheses
          websearch  mean
  ─────────────────────────
  gftl  12.3 (12.0)   7.0
  rftl          7.0     –

Runs that did not end
  financial-like
    ftlkit compare
    rftl: stopped

All rows · 5 compared: 2 equal, 1 within, 2 differs, 1 of them without a cause
";
        assert_eq!(render(&sample(), 100, Detail::Claims), expected);
    }

    #[test]
    fn every_row_on_request() {
        let text = render(&sample(), 100, Detail::All);
        for part in [
            "  copies against GFTL [%]  −95.36  −95.00   1.08  within 10 %\n",
            "  order                     below   below         equal\n      paper: lazy-rtgc < gftl\n",
            "  pages                         4       5   1.25  differs\n      open: no measurement has decided\n",
            "  on financial-like [%]         –  −90.12         evidence\n",
            "  requests                    100     100   1.00  input\n",
            "  · GFTL is 1\n  plot: plots/fig-9.svg\n",
            "\nNotes\n  · how it was done\n",
            "\nRuns\n  financial-like\n    ftlkit compare\n    rftl: stopped\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn narrow_screens_break_words_and_causes() {
        let text = render(&sample(), 60, Detail::All);
        assert!(text.lines().all(|line| letters(line) <= 84), "{text}");
        assert!(text.contains("88 % remain"));
    }
}
