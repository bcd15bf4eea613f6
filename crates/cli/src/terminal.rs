//! The terminal: its width and its colours.

use std::io::{self, IsTerminal};

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

/// Lines, each broken where it is beyond [`width`] columns.
pub(crate) fn fitted(text: &str) -> String {
    text.lines().map(|line| lab::report::fit(line, width())).collect()
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

/// True if a terminal shows colours: not where `NO_COLOR` is set, nor on `TERM=dumb`.
pub(crate) fn colors(is_terminal: bool) -> bool {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty());
    is_terminal && !no_color && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
