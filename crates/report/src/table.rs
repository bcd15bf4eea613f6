//! A table, as plain text, as Markdown or as a part of a page.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, TableStyle};

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

    /// Plain text without a frame, with underlined headings; cells are broken into lines where it would be wider than
    /// `width` columns.
    pub fn text(&self, width: Option<u16>) -> String {
        self.arranged(width, |_| (0, 2))
    }

    /// The same with only the lines that cells and headings have, and with a rule as long as the lines.
    pub fn unbroken(&self) -> String {
        self.arranged(None, |at| (if at == 0 { 0 } else { 2 }, 0)) + "\n"
    }

    fn arranged(&self, width: Option<u16>, padding: impl Fn(usize) -> (u16, u16)) -> String {
        const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));
        let mut table = comfy_table::Table::new();
        table.load_style(STYLE).set_content_arrangement(ContentArrangement::Dynamic);
        width.map(|columns| table.set_width(columns));
        table.set_header(self.heads().map(|(head, _)| head));
        table.add_rows(&self.rows);
        for (at, (_, left)) in self.heads().enumerate() {
            if let Some(column) = table.column_mut(at) {
                column.set_padding(padding(at));
                column.set_cell_alignment(match left {
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
