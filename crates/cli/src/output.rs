//! Tables, JSON and text on standard output.

use crate::failure::Failure;
use clap::builder::styling::{AnsiColor, Style};
use lab::report::Table;
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

/// A table of these headings and rows as plain text, as [`shown`] makes it.
pub(crate) fn table<const N: usize>(
    headings: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    shown(&Table::new(headings, rows))
}

/// The table as plain text, never wider than the terminal, or than [`width`] where there is none.
pub(crate) fn shown(table: &Table) -> String {
    table.text(match io::stdout().is_terminal() {
        true => terminal_size::terminal_size().map(|(columns, _)| columns.0),
        false => Some(width() as u16),
    })
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
}
