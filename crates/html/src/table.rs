//! Tables, which a click on a heading sorts.

use maud::{Markup, Render, html};

/// A table. Columns are right-aligned; one whose heading begins with `<` (not shown) is left-aligned.
#[derive(Clone, Debug, Default)]
pub struct Table {
    caption: String,
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
    is_sorted: bool,
}

impl Table {
    /// A table of these headings and rows.
    pub fn new<H: Into<String>, R: IntoIterator<Item = String>>(
        headings: impl IntoIterator<Item = H>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        Self {
            caption: String::new(),
            headings: headings.into_iter().map(Into::into).collect(),
            rows: rows.into_iter().map(|row| row.into_iter().collect()).collect(),
            is_sorted: true,
        }
    }

    /// The same in its own order, which no click changes.
    #[must_use]
    pub fn unsorted(self) -> Self {
        Self { is_sorted: false, ..self }
    }

    /// The same with a line above it.
    #[must_use]
    pub fn caption(self, caption: impl Into<String>) -> Self {
        Self { caption: caption.into(), ..self }
    }
}

/// Words that a reader must not miss, and their class.
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
pub fn class_of(text: &str) -> Option<&'static str> {
    STRESSED.iter().find(|(words, _)| text.contains(words)).map(|(_, class)| *class)
}

impl Render for Table {
    fn render(&self) -> Markup {
        let left: Vec<bool> =
            self.headings.iter().map(|heading| heading.starts_with('<')).collect();
        let side = |at: usize| (!left.get(at).copied().unwrap_or(false)).then_some("n");
        let class = |at: usize, text: &str| {
            let classes: Vec<&str> = side(at).into_iter().chain(class_of(text)).collect();
            (!classes.is_empty()).then(|| classes.join(" "))
        };
        html! {
            div.wide {
                table.sortable[self.is_sorted] {
                    @if !self.caption.is_empty() { caption { (self.caption) } }
                    thead {
                        tr {
                            @for (at, heading) in self.headings.iter().enumerate() {
                                th class=[side(at)] scope="col" { (heading.trim_start_matches('<')) }
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

    #[test]
    fn sides_classes_and_names_are_kept() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned);
        let rows = [row(["<b>", "1.5", "bound kept"]), row(["a", "2", "BOUND EXCEEDED"])];
        let text = Table::new(["<scheme", "WAF", "<verdict"], rows).caption("All").render();
        let text = text.into_string();
        for part in [
            "<caption>All</caption>",
            "<th scope=\"col\">scheme</th>",
            "<th class=\"n\" scope=\"col\">WAF</th>",
            "<td>&lt;b&gt;</td><td class=\"n\">1.5</td><td class=\"good\">bound kept</td>",
            "<td class=\"bad\">BOUND EXCEEDED</td>",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
