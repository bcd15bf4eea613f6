//! Table of figures, such as scheme × workload, with the printed values beside ours where the paper has a table.

use crate::figure::Figure;
use serde::Serialize;

/// Cell of a matrix.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cell {
    /// Our figure, if there is one.
    pub ours: Option<Figure>,
    /// The paper's figure, if printed.
    pub paper: Option<Figure>,
}

impl Cell {
    /// Cell with our value alone.
    pub fn ours(value: Option<f64>, decimals: usize) -> Self {
        Self { ours: value.map(|value| Figure::number(value, decimals)), paper: None }
    }

    /// The cell with the paper's figure beside ours.
    #[must_use]
    pub fn beside(self, printed: &str) -> Self {
        Self { paper: Some(Figure::printed(printed)), ..self }
    }

    /// Text of the cell: ours, then the paper's in parentheses; a dash if there is none.
    pub(crate) fn text(&self) -> String {
        let ours = self.ours.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string);
        match &self.paper {
            Some(paper) => format!("{ours} ({paper})"),
            None => ours,
        }
    }
}

/// Table of figures of one quantity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Matrix {
    /// Quantity and its unit.
    pub title: String,
    /// Heads of the columns.
    pub columns: Vec<String>,
    /// Rows: name and one cell per column.
    pub rows: Vec<(String, Vec<Cell>)>,
}

fn owned<N: AsRef<str>>(names: &[N]) -> Vec<String> {
    names.iter().map(|name| name.as_ref().to_owned()).collect()
}

impl Matrix {
    /// Matrix of the values that `cell` gives for each row and column.
    // The rest is compiled once, not for each closure.
    #[inline(always)]
    pub fn of<R: AsRef<str>, C: AsRef<str>>(
        title: &str,
        rows: &[R],
        columns: &[C],
        cell: impl Fn(usize, usize) -> Cell,
    ) -> Self {
        Self::made(title, owned(rows), owned(columns), &cell)
    }

    fn made(
        title: &str,
        rows: Vec<String>,
        columns: Vec<String>,
        cell: &dyn Fn(usize, usize) -> Cell,
    ) -> Self {
        let line = |(at, name)| (name, (0..columns.len()).map(|column| cell(at, column)).collect());
        let rows = rows.into_iter().enumerate().map(line).collect();
        Self { title: title.into(), columns, rows }
    }

    /// True if a cell has a printed figure.
    pub(crate) fn has_printed(&self) -> bool {
        self.rows.iter().any(|(_, cells)| cells.iter().any(|cell| cell.paper.is_some()))
    }
}
