//! Tables, JSON and text on standard output.

use crate::failure::Failure;
use clap::builder::styling::{AnsiColor, Style};
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use serde::Serialize;
use std::io::{self, IsTerminal, Write};

/// This program, in the files that it writes.
pub(crate) const WRITTEN_BY: &str = concat!("ftlkit ", env!("FTLKIT_VERSION"));

/// Writes text, and a line break if it does not end in one.
///
/// # Errors
/// If standard output fails or is closed.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Words of which a reader must not lose sight, and their style.
const STRESSED: [(&str, Style); 5] = [
    ("BOUND EXCEEDED", BAD),
    ("DEADLINE MISSED", BAD),
    ("INTERRUPTED", BAD),
    ("warning:", WARNING),
    ("bound kept", GOOD),
];
const BAD: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default();
const GOOD: Style = AnsiColor::Green.on_default();

/// As [`text`], in colour on a terminal, unless `NO_COLOR` is set.
///
/// # Errors
/// As [`text`].
pub(crate) fn painted(plain: &str) -> Result<(), Failure> {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty());
    match io::stdout().is_terminal() && !no_color {
        true => text(&paint(plain)),
        false => text(plain),
    }
}

fn paint(plain: &str) -> String {
    STRESSED.iter().fold(plain.to_owned(), |text, (words, style)| {
        text.replace(words, &format!("{style}{words}{style:#}"))
    })
}

/// Writes one JSON object.
///
/// # Errors
/// As [`text`].
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::internal(format!("cannot write JSON: {error}")))?;
    text(&json)
}

/// A heading without its mark; true if its column is left-aligned.
fn heading(heading: &str) -> (&str, bool) {
    heading.strip_prefix('<').map_or((heading, false), |words| (words, true))
}

/// A table without frame, with underlined headings; never wider than the terminal, or than [`width`] where there is
/// none.
///
/// Columns are right-aligned; a heading that begins with `<` (not printed) makes its column left-aligned.
pub(crate) fn table<const N: usize>(
    headings: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    table_of(&headings, rows.into_iter().map(Vec::from).collect())
}

/// Same with as many columns as there are headings.
pub(crate) fn table_of(headings: &[&str], rows: Vec<Vec<String>>) -> String {
    const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Dynamic);
    match io::stdout().is_terminal() {
        true => terminal_size::terminal_size().map(|(columns, _)| table.set_width(columns.0)),
        false => Some(table.set_width(width() as u16)),
    };
    table.set_header(headings.iter().map(|name| heading(name).0));
    table.add_rows(rows);
    for (index, (_, left)) in headings.iter().map(|name| heading(name)).enumerate() {
        if let Some(column) = table.column_mut(index) {
            column.set_padding((0, 2));
            column.set_cell_alignment(if left {
                CellAlignment::Left
            } else {
                CellAlignment::Right
            });
        }
    }
    table.trim_fmt()
}

/// The same table as Markdown.
pub(crate) fn markdown<const N: usize>(
    headings: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let line = |cells: [String; N]| {
        format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
    };
    let mut text = line(headings.map(|name| heading(name).0.to_owned()));
    text.push_str(&line(
        headings.map(|name| if heading(name).1 { "---" } else { "---:" }.to_owned()),
    ));
    text.extend(rows.into_iter().map(line));
    text
}

/// Columns of the terminal, limited to 60 to 160; 100 if unknown.
pub(crate) fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.unwrap_or(100).clamp(60, 160)
}

/// Microseconds with all their decimals.
pub(crate) fn micros(ns: u64) -> String {
    let text = format!("{}.{:03}", ns / 1000, ns % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_are_exact() {
        assert_eq!(micros(220_900), "220.9");
        assert_eq!(micros(29_000), "29");
        assert_eq!(micros(7), "0.007");
    }

    #[test]
    fn stressed_words_are_painted() {
        assert_eq!(paint("a  bound kept  b"), "a  \u{1b}[32mbound kept\u{1b}[0m  b");
        assert_eq!(paint("plain"), "plain");
    }

    #[test]
    fn markdown_has_bars() {
        let text = markdown(["<a", "b"], [["x|y".into(), "1".into()]]);
        assert_eq!(text, "| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n");
    }

    #[test]
    fn a_table_lines_up() {
        let text =
            table(["<name", "pages"], [["a".into(), "7".into()], ["longer".into(), "1234".into()]]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0].trim_end(), "name    pages");
        assert_eq!(lines[2].trim_end(), "a           7");
        assert_eq!(lines[3].trim_end(), "longer   1234");
    }
}
