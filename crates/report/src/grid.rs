//! Layout of aligned plain text.

use super::one_unit::{is_unit, one_unit};
use super::table::{GAP, Table, columns};

/// A cell without a value.
pub(super) const NONE: &str = "–";
/// Width above which names are broken instead of widening their column beyond its cells.
const NAME_WIDTH: usize = 30;

/// Cells by field and scheme; schemes may be columns or rows.
pub(super) struct Grid {
    names: Vec<String>,
    rows: Vec<(String, Vec<String>)>,
}

impl Grid {
    pub(super) fn new(names: Vec<String>) -> Self {
        Self { names, rows: Vec::new() }
    }

    /// Adds a field with one cell per scheme, unless none has a value. Cells and labels may have several lines.
    pub(super) fn row(&mut self, label: &str, cells: Vec<Option<String>>) {
        debug_assert_eq!(cells.len(), self.names.len());
        if cells.iter().any(Option::is_some) {
            let cells = cells.into_iter().map(|cell| cell.unwrap_or_else(|| NONE.to_owned()));
            let mut cells: Vec<String> = cells.collect();
            one_unit(cells.iter_mut().collect());
            self.rows.push((label.to_owned(), cells));
        }
    }

    /// A row per scheme.
    #[cfg(feature = "html")]
    pub(super) fn by_scheme(&self) -> Table {
        let heads = self.rows.iter().map(|(label, _)| label.trim());
        let row = |(at, name): (usize, &String)| {
            let cells = self.rows.iter().map(move |(_, cells)| cells[at].replace('\n', " "));
            [name.clone()].into_iter().chain(cells)
        };
        Table::new(["<"].into_iter().chain(heads), self.names.iter().enumerate().map(row))
    }

    /// A row per field.
    #[cfg(feature = "html")]
    pub(super) fn by_field(&self) -> Table {
        // Blanks before a label mark a part of what is above it, and are lost in a page.
        let label = |label: &str| label.replacen("  ", "· ", 1).replace('\n', " ");
        let row = |(name, cells): &(String, Vec<String>)| {
            let cells = cells.iter().map(|cell| cell.replace('\n', " "));
            [label(name)].into_iter().chain(cells).collect::<Vec<_>>()
        };
        let names = self.names.iter().map(String::as_str);
        Table::new(["<"].into_iter().chain(names), self.rows.iter().map(row))
    }

    /// One column per scheme, with the fields as rows; `None` if that is too wide.
    pub(super) fn schemes_as_columns(&self, width: usize) -> Option<String> {
        let labels = self.rows.iter().map(|(label, _)| widest_line(label)).max().unwrap_or(0);
        let room = width.checked_sub(labels)? / self.names.len();
        let widest = |at: usize| {
            let cells =
                self.rows.iter().map(|(_, cells)| widest_line(&cells[at])).max().unwrap_or(0);
            let name = broken_name(&self.names[at], room.saturating_sub(GAP));
            name.iter().map(|line| columns(line)).chain([cells]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.names.len()).map(widest).collect();
        if labels + widths.iter().map(|w| w + GAP).sum::<usize>() > width {
            return None;
        }
        let heads = self.names.iter().zip(&widths).map(|(name, width)| {
            // A column is as wide as its name may be, also where the name's lines are shorter.
            let lines = broken_name(name, *width);
            lines.iter().map(|line| format!("{line:>width$}")).collect()
        });
        let rows = self.rows.iter().map(|(label, cells)| [label].into_iter().chain(cells).cloned());
        Some(Table::new(headings(heads.collect()), rows).unbroken())
    }

    /// One row per scheme, in as many tables below each other as the fields need.
    pub(super) fn schemes_as_rows(&self, width: usize) -> String {
        let names: Vec<Vec<String>> =
            self.names.iter().map(|name| broken_name(name, NAME_WIDTH)).collect();
        let lead = names.iter().flatten().map(|line| columns(line)).max().unwrap_or(0);
        let mut parts = Vec::new();
        let mut from = 0;
        while from < self.rows.len() {
            let (to, widths) = self.fields_that_fit(from, width.saturating_sub(lead));
            let part = &self.rows[from..to];
            let heads = part.iter().zip(&widths).map(|((label, _), width)| lines(label, *width));
            let row = |(scheme, name): (usize, &Vec<String>)| {
                // The cells stand beside the last line of a name.
                let above = "\n".repeat(name.len() - 1);
                let cells = part.iter().map(|(_, cells)| cells[scheme].replace('\n', " "));
                let cells = cells.map(|cell| format!("{above}{cell}"));
                [name.join("\n")].into_iter().chain(cells).collect::<Vec<_>>()
            };
            let rows = names.iter().enumerate().map(row);
            parts.push(Table::new(headings(heads.collect()), rows).unbroken());
            from = to;
        }
        parts.join("\n")
    }

    /// End of the fields from `from` on that fit side by side (at least one), and their widths.
    fn fields_that_fit(&self, from: usize, room: usize) -> (usize, Vec<usize>) {
        let mut widths = Vec::new();
        let mut used = 0;
        for (label, cells) in &self.rows[from..] {
            let cells = cells.iter().map(|cell| columns(cell));
            let words = label.split_whitespace().map(columns);
            let widest = cells.chain(words).max().unwrap_or(0);
            used += widest + GAP;
            if used > room && !widths.is_empty() {
                break;
            }
            widths.push(widest);
        }
        (from + widths.len(), widths)
    }
}

/// Columns of the widest line.
fn widest_line(text: &str) -> usize {
    text.lines().map(columns).max().unwrap_or(0)
}

/// Headings of several lines, which all end on the line above the rule, after one of names.
fn headings(heads: Vec<Vec<String>>) -> impl Iterator<Item = String> {
    let height = heads.iter().map(Vec::len).max().unwrap_or(0);
    let bottom = move |head: Vec<String>| "\n".repeat(height - head.len()) + &head.join("\n");
    ["<".to_owned()].into_iter().chain(heads.into_iter().map(bottom))
}

/// A scheme's name in lines of this width, broken after `+` if possible, else after other marks; a longer word exceeds it.
fn broken_name(name: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut push = |piece: &str| {
        let line = lines.last_mut().expect("never empty");
        match line.is_empty() || columns(line) + columns(piece) <= width {
            true => line.push_str(piece),
            false => lines.push(piece.to_owned()),
        }
    };
    for part in name.split_inclusive('+') {
        match columns(part) <= width {
            true => push(part),
            false => part.split_inclusive(['-', '=', ':', ',', ' ']).for_each(&mut push),
        }
    }
    lines
}

/// True for a number and its unit, which stay on one line.
fn is_measured(number: &str, unit: &str) -> bool {
    number.ends_with(|c: char| c.is_ascii_digit())
        && is_unit(unit.trim_end_matches([',', ';', ':', '.', ')']))
}

/// Words in lines of this width; a longer word exceeds it. A number and its unit are one word.
fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let unit = words.next_if(|unit| is_measured(word, unit));
        let word = unit.map_or(word.to_owned(), |unit| format!("{word} {unit}"));
        let line = lines.last_mut().expect("never empty");
        if line.is_empty() {
            line.push_str(&word);
        } else if columns(line) + 1 + columns(&word) <= width {
            line.push(' ');
            line.push_str(&word);
        } else {
            lines.push(word);
        }
    }
    lines
}

/// A paragraph whose second and later lines start with `indent`. Leading blanks of the text are kept.
pub fn wrap(text: &str, width: usize, indent: &str) -> String {
    let lead: String = text.chars().take_while(|c| *c == ' ').collect();
    // The lead shortens the first line, the indent the others.
    let room = width.saturating_sub(columns(&lead).max(columns(indent)));
    let mut out = String::new();
    for (at, line) in lines(text, room).iter().enumerate() {
        out.push_str(if at == 0 { &lead } else { indent });
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// A line as it is if it fits, else as [`wrap`] breaks it: further lines start where its text does, behind the first blanks within
/// it that are not single, or two columns behind its first.
pub fn fit(line: &str, width: usize) -> String {
    if columns(line) <= width {
        return format!("{line}\n");
    }
    let text = line.trim_start_matches(' ');
    let rest = text.split_once("  ").map_or("", |(_, rest)| rest.trim_start_matches(' '));
    let (what, _) = line.split_at(line.len() - rest.len());
    let hang = " ".repeat(columns(what));
    if rest.is_empty() || hang.len() > width / 2 {
        return wrap(line, width, &" ".repeat(line.len() - text.len() + 2));
    }
    format!("{what}{}", &wrap(&format!("{hang}{rest}"), width, &hang)[hang.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_behind_what_they_are_about() {
        for (line, width, expected) in [
            ("  a  b", 6, "  a  b\n"),
            ("  a  b 4.0 KiB", 9, "  a b\n    4.0 KiB\n"),
            ("  µ  b 4.0 KiB", 12, "  µ  b\n     4.0 KiB\n"),
            (
                "records   12 read (some words)",
                20,
                "records   12 read\n          (some\n          words)\n",
            ),
            ("aa bb cc", 5, "aa\n  bb\n  cc\n"),
        ] {
            assert_eq!(fit(line, width), expected, "{line}");
        }
    }

    #[test]
    fn names_break_after_plus() {
        assert_eq!(broken_name("lazy-rtgc+victim=fifo", 12), ["lazy-rtgc+", "victim=fifo"]);
        assert_eq!(broken_name("page-level+idle", 6), ["page-", "level+", "idle"]);
        assert_eq!(broken_name("abcdefgh", 3), ["abcdefgh"]);
        assert_eq!(broken_name("", 3), [""]);
        assert_eq!(broken_name("µµµ", 0), ["µµµ"]);
    }

    #[test]
    fn paragraphs_hang() {
        assert_eq!(wrap("  aa bb cc dd", 8, "    "), "  aa\n    bb\n    cc\n    dd\n");
        assert_eq!(wrap("aa bb cc", 5, "  "), "aa\n  bb\n  cc\n");
        assert_eq!(wrap("", 5, "  "), "\n");
        assert_eq!(wrap("tR 29.0 µs, 5 %", 8, ""), "tR\n29.0 µs,\n5 %\n");
    }

    #[test]
    fn too_wide_for_columns() {
        let mut grid = Grid::new(vec!["a".into(), "b".into()]);
        for label in ["x", "a word"] {
            grid.row(label, vec![Some("1".into()), Some("22".into())]);
        }
        grid.row("no value", vec![None, None]);
        assert_eq!(grid.schemes_as_columns(12), None);
        assert_eq!(
            grid.schemes_as_columns(14).unwrap(),
            "        a   b\n─────────────\nx       1  22\na word  1  22\n"
        );
        assert_eq!(
            grid.schemes_as_rows(14),
            "          a\n    x  word\n───────────\na   1     1\nb  22    22\n"
        );
    }
}
