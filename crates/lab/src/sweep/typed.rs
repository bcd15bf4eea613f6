//! Columns of a table with one type each, for formats that need it.

use super::table::Table;
use serde_json::Value;

/// The values of a column; `None` where a row has none.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Whole numbers.
    Whole(Vec<Option<i64>>),
    /// Numbers, some of them not whole; also a column without any value.
    Number(Vec<Option<f64>>),
    /// True or false.
    Flag(Vec<Option<bool>>),
    /// Texts, or values of several kinds as texts.
    Text(Vec<Option<String>>),
}

impl Column {
    /// The column of these values: the narrowest kind that holds every value.
    fn of(cells: &[Option<&Value>]) -> Self {
        let all = |is: fn(&Value) -> bool| cells.iter().flatten().all(|value| is(value));
        if cells.iter().all(Option::is_none) {
            Self::Number(vec![None; cells.len()])
        } else if all(Value::is_i64) {
            Self::Whole(each(cells, Value::as_i64))
        } else if all(Value::is_number) {
            Self::Number(each(cells, Value::as_f64))
        } else if all(Value::is_boolean) {
            Self::Flag(each(cells, Value::as_bool))
        } else {
            let text = |value: &Value| {
                Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            };
            Self::Text(each(cells, text))
        }
    }
}

fn each<T>(cells: &[Option<&Value>], read: impl Fn(&Value) -> Option<T>) -> Vec<Option<T>> {
    cells.iter().map(|cell| cell.and_then(&read)).collect()
}

impl Table {
    /// The columns with their names.
    pub fn typed(&self) -> Vec<(&str, Column)> {
        let rows: Vec<_> = self.rows.iter().map(|row| self.cells(row)).collect();
        let cells = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<_>>();
        let names = self.columns.iter().enumerate();
        names.map(|(at, name)| (name.as_str(), Column::of(&cells(at)))).collect()
    }
}
