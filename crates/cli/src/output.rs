//! Tables, JSON and text on standard output.

use crate::failure::Failure;
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

/// Columns of the terminal; 100 if there is none or it does not tell, and 40 to 160.
pub(crate) fn width() -> usize {
    let set = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || Some(usize::from(terminal_size::terminal_size_of(io::stdout())?.0.0));
    columns(set, terminal)
}

fn columns(set: Option<usize>, terminal: impl FnOnce() -> Option<usize>) -> usize {
    let told = |columns: &usize| *columns > 0;
    set.filter(told).or_else(|| terminal().filter(told)).unwrap_or(100).clamp(40, 160)
}

/// Paragraphs, a line each, as lines of at most [`width`] columns.
pub(crate) fn wrapped(text: &str) -> String {
    text.lines().map(|line| lab::report::wrap(line, width(), "  ")).collect()
}

/// As [`wrapped`] for standard error, at the width of its terminal; elsewhere a paragraph is a line.
pub(crate) fn wrapped_for_errors(text: &str) -> String {
    let terminal =
        terminal_size::terminal_size_of(io::stderr()).filter(|_| io::stderr().is_terminal());
    let Some((columns, _)) = terminal.filter(|(columns, _)| columns.0 > 0) else {
        return text.to_owned();
    };
    let width = usize::from(columns.0).max(40);
    text.lines().map(|line| lab::report::wrap(line, width, "  ")).collect()
}

/// A note on standard error.
pub(crate) fn note(text: &str) {
    // If standard error is closed, nobody can read it.
    let _ = writeln!(io::stderr(), "note: {}", escaped_lines(text));
}

/// True if a terminal shows colours: not where `NO_COLOR` is set, nor on `TERM=dumb`.
pub(crate) fn colors(is_terminal: bool) -> bool {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty());
    is_terminal && !no_color && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
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
    fn the_terminal_tells_the_width_and_0_is_none() {
        for (set, terminal, expected) in [
            (None, None, 100),
            (Some(0), Some(0), 100),
            (None, Some(60), 60),
            (None, Some(80), 80),
            (Some(120), Some(80), 120),
            (None, Some(7), 40),
            (None, Some(200), 160),
        ] {
            assert_eq!(columns(set, || terminal), expected, "{set:?} {terminal:?}");
        }
    }

    #[test]
    fn stressed_words_are_painted() {
        assert_eq!(paint("a  bound kept  b"), "a  \u{1b}[32mbound kept\u{1b}[0m  b");
        assert_eq!(paint("plain"), "plain");
    }
}
