//! Tables, JSON and text on standard output.

use crate::failure::Failure;
pub(crate) use crate::terminal::{colors, fitted, width, wrapped};
use clap::builder::styling::{AnsiColor, Style};
use lab::report::Table;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use workload::escaped_lines;

/// This program, in the files that it writes.
pub(crate) const WRITTEN_BY: &str = concat!("ftlkit ", env!("FTLKIT_VERSION"));

/// Writes text with its control characters [`escaped`], and a line break if it does not end in one.
///
/// # Errors
/// If standard output fails or is closed.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    as_it_is(&escaped_lines(text))
}

/// As [`text`], with colours in the text.
///
/// # Errors
/// As [`text`].
pub(crate) fn as_it_is(text: &str) -> Result<(), Failure> {
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

/// As [`text`], in colour on a terminal that shows it.
///
/// # Errors
/// As [`text`].
pub(crate) fn painted(plain: &str) -> Result<(), Failure> {
    match colors(io::stdout().is_terminal()) {
        true => as_it_is(&paint(&escaped_lines(plain))),
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

/// The table as plain text, not wider than [`width`] where its words allow.
pub(crate) fn shown(table: &Table) -> String {
    table.text(Some(width() as u16))
}

/// A note on standard error.
pub(crate) fn note(text: &str) {
    // If standard error is closed, nobody can read it.
    let _ = writeln!(io::stderr(), "note: {}", escaped_lines(text));
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
