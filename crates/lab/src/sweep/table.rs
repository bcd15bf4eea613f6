//! Tables of rows as files for other programs: CSV and JSON lines.

use super::rows::Row;
use crate::report::{figures, flat};
use ::run::report::Report;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write};

/// Rows under one set of columns.
#[derive(Clone, Debug)]
pub struct Table {
    /// Names of the columns, in the order in which rows first have them.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Table {
    /// The table of these rows.
    pub fn new(rows: Vec<Row>) -> Self {
        let mut columns: Vec<String> = Vec::new();
        let mut known = std::collections::BTreeSet::new();
        for row in &rows {
            // A column of a later row goes behind the one that it follows there.
            let mut after = None;
            for (name, _) in &row.0 {
                if known.insert(name.as_str()) {
                    let at =
                        after.and_then(|after: &String| columns.iter().position(|c| c == after));
                    columns.insert(at.map_or(columns.len(), |at| at + 1), name.clone());
                }
                after = Some(name);
            }
        }
        Self { columns, rows }
    }

    /// A row per scheme of a report, with the columns of `summary.csv`; times in ns.
    pub fn of_report(report: &Report) -> Self {
        Self::new(report.schemes.iter().map(|scheme| Row(figures::with_units(scheme))).collect())
    }

    /// A row per value, of which each must serialize as an object; objects in it are flattened, `a.b`.
    ///
    /// # Errors
    /// A value that is no object.
    pub fn of_values<T: Serialize>(values: &[T]) -> serde_json::Result<Self> {
        let row = |value: &T| serde_json::to_value(value).map(|value| Row(flat::fields(&value)));
        Ok(Self::new(values.iter().map(row).collect::<Result<_, _>>()?))
    }

    /// The values of a row, one per column; `None` where the row has none.
    pub fn cells<'a>(&self, row: &'a Row) -> Vec<Option<&'a Value>> {
        let index: std::collections::BTreeMap<&str, &Value> =
            row.0.iter().map(|(name, value)| (name.as_str(), value)).collect();
        let cell = |name: &String| index.get(name.as_str()).copied().filter(|v| !v.is_null());
        self.columns.iter().map(cell).collect()
    }

    /// The table as a file, and the ending of its name: Parquet, or CSV in a build without the feature `parquet`.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn packed(&self) -> io::Result<(&'static str, Vec<u8>)> {
        #[cfg(feature = "parquet")]
        return self.parquet().map(|bytes| ("parquet", bytes));
        #[cfg(not(feature = "parquet"))]
        {
            let mut bytes = Vec::new();
            self.write_csv(&mut bytes).map(|()| ("csv", bytes))
        }
    }

    /// Writes CSV, header first. What was not measured is empty.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_csv(&self, to: &mut dyn Write) -> io::Result<()> {
        let mut writer = ::csv::Writer::from_writer(to);
        let record = |result: Result<(), ::csv::Error>| result.map_err(io::Error::other);
        record(writer.write_record(&self.columns))?;
        for row in &self.rows {
            let texts = self.cells(row).into_iter().map(|value| match value {
                None => String::new(),
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
            });
            record(writer.write_record(texts))?;
        }
        writer.flush()
    }

    /// Writes one JSON object per line, each with every column. What was not measured is `null`.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_json_lines(&self, to: &mut dyn Write) -> io::Result<()> {
        for row in &self.rows {
            let cells =
                self.cells(row).into_iter().map(|value| value.cloned().unwrap_or(Value::Null));
            let full = Row(self.columns.iter().cloned().zip(cells).collect());
            serde_json::to_writer(&mut *to, &full)?;
            to.write_all(b"\n")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(text: Value) -> Row {
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn rows_may_differ_in_their_columns() {
        let rows = vec![
            Row(vec![("a".into(), json!(1)), ("d".into(), json!("x,y"))]),
            Row(vec![
                ("a".into(), json!(0.1)),
                ("b".into(), json!(true)),
                ("d".into(), Value::Null),
            ]),
        ];
        let table = Table::new(rows);
        assert_eq!(table.columns, ["a", "b", "d"]);
        let text = |write: fn(&Table, &mut dyn Write) -> io::Result<()>| {
            let mut out = Vec::new();
            write(&table, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(Table::write_csv), "a,b,d\n1,,\"x,y\"\n0.1,true,\n");
        let lines = text(Table::write_json_lines);
        assert_eq!(
            lines,
            "{\"a\":1,\"b\":null,\"d\":\"x,y\"}\n{\"a\":0.1,\"b\":true,\"d\":null}\n"
        );
    }

    #[test]
    fn a_row_is_read_back_to_the_bit() {
        for number in [
            0.1,
            1.0 / 3.0,
            2.225e-308,
            123_456_789.123_456_78,
            5e-324,
            9.007_199_254_740_993e15_f64,
        ] {
            let text = serde_json::to_string(&Row(vec![("x".into(), json!(number))])).unwrap();
            let again: Row = serde_json::from_str(&text).unwrap();
            assert_eq!(
                again.get("x").and_then(Value::as_f64).map(f64::to_bits),
                Some(number.to_bits()),
                "{text}"
            );
        }
        assert_eq!(row(json!({"b": 1})).get("b"), Some(&json!(1)));
    }
}
