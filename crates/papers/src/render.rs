//! Plain-text report of a reproduction.

use crate::reproduction::{Reproduction, RunRecord, Section};
use crate::row::{Figure, Row, Verdict, decimal};
use sim::report::wrap;

/// Spaces between columns.
const GAP: usize = 2;
/// Maximum length of a figure in the table; longer ones get a separate line.
const LONGEST_FIGURE: usize = 14;
/// Indentation of reasons.
const INDENT: &str = "      ";

/// Renders the reproduction as plain text of about `width` columns, including wall-clock measurements.
pub fn render(reproduction: &Reproduction, width: usize) -> String {
    text(reproduction, width, true)
}

/// As [`render`] without wall-clock measurements, hence the same in every run.
pub(super) fn render_without_clock(reproduction: &Reproduction, width: usize) -> String {
    text(reproduction, width, false)
}

fn text(reproduction: &Reproduction, width: usize, clock: bool) -> String {
    let mut out = wrap(&reproduction.title, width, "");
    out.push_str(&wrap(&reproduction.source, width, ""));
    out.push_str(&wrap(&conditions(reproduction), width, ""));
    for section in &reproduction.sections {
        out.push('\n');
        out.push_str(&render_section(section, width));
        if clock {
            section.clock.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
        }
    }
    if !reproduction.notes.is_empty() {
        out.push_str("\nNotes\n");
        for note in &reproduction.notes {
            out.push_str(&wrap(&format!("  · {note}"), width, "    "));
        }
    }
    if !reproduction.runs.is_empty() {
        out.push_str("\nRuns\n");
        for run in &reproduction.runs {
            out.push_str(&render_run(run, width));
        }
    }
    out.push('\n');
    out.push_str(&wrap(&tally(reproduction), width, "  "));
    out
}

fn conditions(reproduction: &Reproduction) -> String {
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

fn render_section(section: &Section, width: usize) -> String {
    let mut out = wrap(&format!("{} · {}", heading(&section.id), section.title), width, "  ");
    out.push_str(&rows(&section.rows, width));
    for note in &section.notes {
        out.push_str(&wrap(&format!("  · {note}"), width, "    "));
    }
    for plot in &section.plots {
        out.push_str(&format!("  plot: plots/{}\n", plot.name));
    }
    for curves in &section.curves {
        out.push_str(&format!("  points: curves/{}\n", curves.name));
    }
    out
}

/// Display name: `table-2` becomes `Table 2`, `fig-9` becomes `Fig. 9`; other names are unchanged.
fn heading(id: &str) -> String {
    match id.split_once('-') {
        Some(("table", rest)) => format!("Table {rest}"),
        Some(("fig", rest)) => format!("Fig. {rest}"),
        _ => id.to_owned(),
    }
}

struct Cells([String; 5]);

impl Cells {
    fn of(row: &Row) -> Self {
        let figure = |figure: &Option<Figure>| match figure {
            None => "–".to_owned(),
            Some(figure) => {
                let text = figure.to_string();
                if text.chars().count() > LONGEST_FIGURE { "below".into() } else { text }
            }
        };
        let what = match row.unit.as_str() {
            "" => row.what.clone(),
            unit => format!("{} [{unit}]", row.what),
        };
        let decimals = |figure: &Option<Figure>| match figure {
            Some(Figure::Number { decimals, .. }) => *decimals,
            _ => 0,
        };
        let decimals = decimals(&row.paper).max(decimals(&row.ours));
        let difference = row.difference.map_or_else(String::new, |difference| {
            let text = decimal(difference, decimals);
            let plus = difference > 0.0 && text.chars().any(|c| ('1'..='9').contains(&c));
            if plus { format!("+{text}") } else { text }
        });
        Self([what, figure(&row.paper), figure(&row.ours), difference, row.verdict.to_string()])
    }
}

const HEADS: [&str; 5] = ["", "paper", "ours", "difference", "verdict"];

fn rows(rows: &[Row], width: usize) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let cells: Vec<Cells> = rows.iter().map(Cells::of).collect();
    let letters = |text: &str| text.chars().count();
    let mut widths = HEADS.map(letters);
    for Cells(cells) in &cells {
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = (*width).max(letters(cell));
        }
    }
    // Wrap the first column rather than let figures exceed the width.
    let others: usize = widths[1..].iter().map(|w| w + GAP).sum::<usize>() + GAP;
    widths[0] = widths[0].min(width.saturating_sub(others).max(24));

    let mut out = line(&HEADS.map(str::to_owned), &widths);
    out.push_str(&format!("  {}\n", "─".repeat(widths[0] + others - GAP)));
    for (row, Cells(cells)) in rows.iter().zip(&cells) {
        let fits = letters(&cells[0]) <= widths[0];
        let broken = if fits { cells[0].clone() } else { wrap(&cells[0], widths[0], "  ") };
        let mut lines: Vec<&str> = broken.lines().collect();
        let last = lines.pop().unwrap_or_default();
        lines.iter().for_each(|above| out.push_str(&format!("  {above}\n")));
        let mut cells = cells.clone();
        cells[0] = last.to_owned();
        out.push_str(&line(&cells, &widths));
        for (whose, figure) in [("paper", &row.paper), ("ours", &row.ours)] {
            if let Some(text) = figure.as_ref().map(ToString::to_string)
                && letters(&text) > LONGEST_FIGURE
            {
                out.push_str(&wrap(&format!("{INDENT}{whose}: {text}"), width, INDENT));
            }
        }
        if !row.why.is_empty() {
            out.push_str(&wrap(&format!("{INDENT}{}", row.why), width, INDENT));
        }
    }
    out
}

/// Aligns words in the first and last column left, figures in the others right.
fn line(cells: &[String; 5], widths: &[usize; 5]) -> String {
    let [what, paper, ours, difference, verdict] = cells;
    let [w, p, o, d, _] = widths;
    let line = format!("  {what:<w$}  {paper:>p$}  {ours:>o$}  {difference:>d$}  {verdict}");
    format!("{}\n", line.trim_end())
}

fn render_run(run: &RunRecord, width: usize) -> String {
    // Commands are not wrapped, so that they can be copied.
    let mut out = format!("  {}\n    {}\n", run.name, run.command);
    for (scheme, why) in &run.missing {
        out.push_str(&wrap(&format!("    {scheme}: {why}"), width, INDENT));
    }
    out
}

/// Number of rows per verdict.
fn tally(reproduction: &Reproduction) -> String {
    let rows = || reproduction.sections.iter().flat_map(|section| &section.rows);
    let counted = Verdict::NAMES.iter().filter_map(|name| {
        let count = rows().filter(|row| row.verdict.name() == *name).count();
        (count > 0).then(|| format!("{count} {name}"))
    });
    format!("{} rows: {}", rows().count(), counted.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduction::PlotFile;
    use crate::settings::Scale;

    fn sample() -> Reproduction {
        let rows = vec![
            Row::exact("U(σ)", "", "0.875", 0.875, ""),
            Row::measured("copies against GFTL", "%", "-95.36", -91.2, 10.0, ""),
            Row::measured("erases against GFTL", "%", "-83.66", -12.0, 10.0, "few blocks are full"),
            Row::order(
                "order",
                &[&["lazy-rtgc"], &["gftl"]],
                &[("lazy-rtgc", Some(1.0)), ("gftl", Some(2.0))],
                "",
            ),
            Row::evidence("on financial-like", "%", -90.123, 2),
        ];
        let section = Section {
            id: "fig-9".into(),
            title: "Valid-page copies".into(),
            rows,
            plots: vec![PlotFile { name: "fig-9.svg".into(), svg: String::new() }],
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
    fn the_whole_text() {
        let expected = "\
A title
A. Author, 2015
ftlkit 0, seed 1, quick: smaller arrays and shorter workloads than the paper's

Fig. 9 · Valid-page copies
                            paper    ours  difference  verdict
  ────────────────────────────────────────────────────────────────
  U(σ)                      0.875   0.875       0.000  equal
  copies against GFTL [%]  −95.36  −91.20       +4.16  within 10
  erases against GFTL [%]  −83.66  −12.00      +71.66  shape only
      few blocks are full
  order                     below   below              equal
      paper: lazy-rtgc < gftl
      ours: lazy-rtgc < gftl
  on financial-like [%]         –  −90.12              not printed
  · GFTL is 1
  plot: plots/fig-9.svg

Notes
  · how it was done

Runs
  financial-like
    ftlkit compare
    rftl: stopped

5 rows: 2 equal, 1 within, 1 shape only, 1 not printed
";
        assert_eq!(render(&sample(), 100), expected);
    }

    #[test]
    fn narrow_screens_break_words_and_reasons() {
        let text = render(&sample(), 60);
        assert!(text.lines().all(|line| line.chars().count() <= 84), "{text}");
        assert!(text.contains("few blocks are full"));
    }
}
