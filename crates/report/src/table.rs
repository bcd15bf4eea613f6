//! A table, as plain text, as Markdown or as a part of a page.

use super::one_unit::{is_quantity, one_unit};
use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, TableStyle, Width,
};

/// Blanks between columns.
pub(super) const GAP: usize = 2;

/// Terminal columns of text: one per character, because the reports use no wide ones.
pub(super) fn columns(text: &str) -> usize {
    text.chars().count()
}

/// Widths within `room`, of columns that need at least and at most so much: those that lack least are served first.
fn divided(needs: &[(usize, usize)], room: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = needs.iter().map(|(least, _)| *least).collect();
    let mut left = room.saturating_sub(widths.iter().sum());
    let lacks = |at: &usize| needs[*at].1 - needs[*at].0;
    let mut order: Vec<usize> = (0..needs.len()).collect();
    order.sort_by_key(lacks);
    for (served, at) in order.iter().enumerate() {
        let more = lacks(at).min(left / (needs.len() - served));
        widths[*at] += more;
        left -= more;
    }
    widths
}

/// Headings and rows. Columns are right-aligned; one whose heading begins with `<` (not shown) is left-aligned.
#[derive(Clone, Debug, Default)]
pub struct Table {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table of these headings and rows.
    pub fn new<H: Into<String>, R: IntoIterator<Item = String>>(
        headings: impl IntoIterator<Item = H>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        Self {
            headings: headings.into_iter().map(Into::into).collect(),
            rows: rows.into_iter().map(|row| row.into_iter().collect()).collect(),
        }
    }

    /// The headings without their marks; true for columns that are left-aligned.
    fn heads(&self) -> impl Iterator<Item = (&str, bool)> {
        self.headings.iter().map(|heading| match heading.strip_prefix('<') {
            Some(words) => (words, true),
            None => (heading.as_str(), false),
        })
    }

    /// Plain text without a frame, with underlined headings. Where it would be wider than `width` columns, cells are broken
    /// between words, and what then does not fit is a further table below, with the first column again. Each column
    /// has one unit.
    pub fn text(&self, width: Option<u16>) -> String {
        let table = self.in_one_unit();
        let all: Vec<usize> = (0..table.headings.len()).collect();
        let Some(width) = width.map(usize::from) else {
            return table.arranged(&all, None, (0, GAP));
        };
        let mut parts = Vec::new();
        let mut rest = &all[..];
        while !rest.is_empty() {
            let lead: Vec<usize> = if parts.is_empty() { Vec::new() } else { vec![0] };
            let with = |count: usize| [&lead[..], &rest[..count]].concat();
            let fits = |count: &usize| {
                let least = with(*count).iter().map(|at| table.needs(*at).0 + GAP).sum::<usize>();
                least <= width
            };
            // The first column and another one, however wide they are.
            let fewest = rest.len().min(if parts.is_empty() { 2 } else { 1 });
            let count = (fewest..=rest.len()).rev().find(fits).unwrap_or(fewest);
            parts.push(table.arranged(&with(count), Some(width), (0, GAP)));
            rest = &rest[count..];
        }
        parts.join("\n\n")
    }

    /// The same with only the lines that cells and headings have, and with a rule as long as the lines.
    pub fn unbroken(&self) -> String {
        let all: Vec<usize> = (0..self.headings.len()).collect();
        self.arranged(&all, None, (GAP, 0)) + "\n"
    }

    /// The table with one unit per column.
    fn in_one_unit(&self) -> Self {
        let mut table = self.clone();
        for at in 0..table.headings.len() {
            one_unit(table.rows.iter_mut().filter_map(|row| row.get_mut(at)).collect());
        }
        table
    }

    /// Columns of the longest word and of the longest line of a column.
    fn needs(&self, at: usize) -> (usize, usize) {
        let cells = self.rows.iter().filter_map(|row| row.get(at)).map(String::as_str);
        let texts = || cells.clone().chain(self.heads().nth(at).map(|(head, _)| head));
        let longest = |text: &str, is_end: fn(char) -> bool| {
            text.split(is_end).map(columns).max().unwrap_or(0)
        };
        let word = |text: &str| match is_quantity(text) {
            true => columns(text),
            false => longest(text, |c| c == ' ' || c == '\n'),
        };
        let line = |text: &str| longest(text, |c| c == '\n');
        (texts().map(word).max().unwrap_or(0), texts().map(line).max().unwrap_or(0))
    }

    /// These columns side by side, with blanks before and after each.
    fn arranged(
        &self,
        of: &[usize],
        width: Option<usize>,
        (before, after): (usize, usize),
    ) -> String {
        const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));
        let mut table = comfy_table::Table::new();
        table.load_style(STYLE).set_content_arrangement(ContentArrangement::Disabled);
        let heads: Vec<_> = self.heads().collect();
        table.set_header(of.iter().map(|at| heads[*at].0));
        table.add_rows(
            self.rows.iter().map(|row| of.iter().map(|at| row.get(*at).map_or("", String::as_str))),
        );
        let needs: Vec<_> = of.iter().map(|at| self.needs(*at)).collect();
        let gap = before + after;
        let room = width.map(|width| width.saturating_sub(gap * of.len()));
        let widths = room.map(|room| divided(&needs, room));
        for (place, at) in of.iter().enumerate() {
            if let Some(column) = table.column_mut(place) {
                let before = if place == 0 { 0 } else { before };
                column.set_padding((before as u16, after as u16));
                if let Some(widths) = &widths {
                    let fixed = Width::Fixed((widths[place] + gap) as u16);
                    column.set_constraint(ColumnConstraint::Absolute(fixed));
                }
                column.set_cell_alignment(match heads[*at].1 {
                    true => CellAlignment::Left,
                    false => CellAlignment::Right,
                });
            }
        }
        table.trim_fmt()
    }

    /// Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let rule = |(_, left)| if left { "---" } else { "---:" }.to_owned();
        let rows = self.rows.iter().map(|row| row.iter().map(|cell| cell.replace('|', "\\|")));
        let head = [
            self.heads().map(|(head, _)| head.to_owned()).collect(),
            self.heads().map(rule).collect(),
        ];
        head.into_iter().chain(rows.map(Iterator::collect)).map(line).collect()
    }
}

/// Words that a reader must not miss, and their class.
#[cfg(feature = "html")]
const STRESSED: [(&str, &str); 7] = [
    ("BOUND EXCEEDED", "bad"),
    ("DEADLINE MISSED", "bad"),
    ("INTERRUPTED", "bad"),
    ("missed by", "bad"),
    ("% late", "bad"),
    ("warning", "warning"),
    ("bound kept", "good"),
];

/// The class of a text with words that a reader must not miss.
#[cfg(feature = "html")]
pub(crate) fn class_of(text: &str) -> Option<&'static str> {
    STRESSED.iter().find(|(words, _)| text.contains(words)).map(|(_, class)| *class)
}

#[cfg(feature = "html")]
impl Table {
    /// A part of a page; where it is sortable, a click on a heading sorts it.
    pub fn html(&self, is_sortable: bool) -> maud::Markup {
        let heads: Vec<_> = self.heads().collect();
        let side = |at: usize| heads.get(at).is_none_or(|(_, left)| !left).then_some("n");
        let class = |at: usize, text: &str| {
            let classes: Vec<&str> = side(at).into_iter().chain(class_of(text)).collect();
            (!classes.is_empty()).then(|| classes.join(" "))
        };
        maud::html! {
            div.wide {
                table.sortable[is_sortable] {
                    thead {
                        tr {
                            @for (at, (head, _)) in heads.iter().enumerate() {
                                th class=[side(at)] scope="col" { (head) }
                            }
                        }
                    }
                    tbody {
                        @for row in &self.rows {
                            tr { @for (at, cell) in row.iter().enumerate() { td class=[class(at, cell)] { (cell) } } }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn table() -> Table {
        let row = |cells: [&str; 3]| cells.map(str::to_owned);
        let rows = [row(["<b>", "1.5", "bound kept"]), row(["x|y", "2", "BOUND EXCEEDED"])];
        Table::new(["<scheme", "WAF", "<verdict"], rows)
    }

    #[test]
    fn one_table_has_three_forms() {
        let text = "scheme  WAF  verdict\n";
        let rows = "<b>     1.5  bound kept\nx|y       2  BOUND EXCEEDED";
        let rule = "─".repeat(27);
        assert_eq!(table().text(Some(80)), format!("{text}{rule}──\n{rows}"));
        assert_eq!(table().unbroken(), format!("{text}{rule}\n{rows}\n"));
        assert_eq!(
            table().markdown(),
            "| scheme | WAF | verdict |\n| --- | ---: | --- |\n| <b> | 1.5 | bound kept |\n\
             | x\\|y | 2 | BOUND EXCEEDED |\n"
        );
    }

    #[test]
    fn no_line_is_too_wide_and_no_word_is_broken() {
        let heads = ["<scheme", "exported", "mean response", "<what it does, in some words"];
        let row = |at: usize| {
            let scheme = ["page-level", "lazy-rtgc+victim=fifo", "2lgc"][at % 3];
            let time = ["220.9 µs", "16.47 ms", "58.3 s"][at % 3];
            let words = "writes to the block with the fewest valid pages";
            [scheme.into(), format!("{}.5 MiB", at * 1000), time.into(), words.into()]
        };
        let table = Table::new(heads, (0..5).map(row));
        let words = |text: &str| -> BTreeSet<String> {
            let words = text.split_whitespace().filter(|word| !word.starts_with('─'));
            words.map(str::to_owned).collect()
        };
        let whole = words(&table.text(None));
        for width in [0, 1, 20, 26, 30, 40, 60, 79, 80, 100, 160, 200] {
            let text = table.text(Some(width));
            assert_eq!(words(&text), whole, "{width}\n{text}");
            // The first column and one beside it.
            let least = 2 * GAP + columns("lazy-rtgc+victim=fifo") + columns("0.0002209 s");
            let widest = text.lines().map(columns).max().unwrap();
            assert!(widest <= least.max(width.into()), "{width}: {widest}\n{text}");
        }
        assert!(whole.contains("0.01647") && !whole.contains("ms"), "{whole:?}");
    }

    #[cfg(feature = "html")]
    #[test]
    fn sides_classes_and_names_are_kept() {
        let text = table().html(true).into_string();
        for part in [
            "<table class=\"sortable\">",
            "<th scope=\"col\">scheme</th>",
            "<th class=\"n\" scope=\"col\">WAF</th>",
            "<td>&lt;b&gt;</td><td class=\"n\">1.5</td><td class=\"good\">bound kept</td>",
            "<td class=\"bad\">BOUND EXCEEDED</td>",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
