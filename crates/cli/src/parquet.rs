//! A table as an Apache Parquet file: one row group, every column optional.

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use serde_json::Value;
use sim::sweep::Table;
use std::io::{self, Write};
use std::sync::Arc;

/// What all values of a column are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Whole,
    Number,
    Flag,
    Text,
}

impl Kind {
    /// The narrowest kind that holds every value; numbers where there is none.
    fn of(cells: &[Option<&Value>]) -> Self {
        let all = |is: fn(&Value) -> bool| cells.iter().flatten().all(|value| is(value));
        if cells.iter().all(Option::is_none) {
            Self::Number
        } else if all(Value::is_i64) {
            Self::Whole
        } else if all(Value::is_number) {
            Self::Number
        } else if all(Value::is_boolean) {
            Self::Flag
        } else {
            Self::Text
        }
    }

    fn column(self, name: &str) -> Result<Type, ParquetError> {
        let (physical, logical) = match self {
            Self::Whole => (Physical::INT64, None),
            Self::Number => (Physical::DOUBLE, None),
            Self::Flag => (Physical::BOOLEAN, None),
            Self::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()
    }
}

/// The table as a file: whole numbers as INT64, others as DOUBLE. What was not measured is null.
///
/// # Errors
/// Those of the writer.
pub(crate) fn file(table: &Table) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write_table(table, &mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

fn write_table(table: &Table, to: &mut (dyn Write + Send)) -> Result<(), ParquetError> {
    let rows: Vec<_> = table.rows.iter().map(|row| table.cells(row)).collect();
    let cells = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<_>>();
    let kinds: Vec<Kind> = (0..table.columns.len()).map(|at| Kind::of(&cells(at))).collect();
    let fields = table.columns.iter().zip(&kinds);
    let fields = fields.map(|(name, kind)| kind.column(name).map(Arc::new));
    let fields = fields.collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder("runs").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_created_by(format!("ftlkit {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::UNCOMPRESSED)
        .set_statistics_enabled(EnabledStatistics::None)
        .build();
    let mut writer = SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (at, kind) in kinds.iter().enumerate() {
        let cells = cells(at);
        match kind {
            Kind::Whole => write::<Int64Type, _>(&mut group, &cells, Value::as_i64)?,
            Kind::Number => write::<DoubleType, _>(&mut group, &cells, Value::as_f64)?,
            Kind::Flag => write::<BoolType, _>(&mut group, &cells, Value::as_bool)?,
            Kind::Text => write::<ByteArrayType, _>(&mut group, &cells, |value| {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                Some(ByteArray::from(text.into_bytes()))
            })?,
        }
    }
    group.close()?;
    writer.close().map(|_| ())
}

/// Writes the next column.
fn write<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    cells: &[Option<&Value>],
    read: impl Fn(&Value) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let read: Vec<Option<T::T>> = cells.iter().map(|cell| cell.and_then(&read)).collect();
    let levels: Vec<i16> = read.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = read.into_iter().flatten().collect();
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("there are more columns than in the schema".into()));
    };
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    column.close()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    use serde_json::json;
    use sim::sweep::Row;

    #[test]
    fn columns_have_their_types_and_nulls() {
        let row = |values: [Value; 4]| {
            Row(["text", "whole", "number", "flag"]
                .map(String::from)
                .into_iter()
                .zip(values)
                .collect())
        };
        let rows = vec![
            row([json!("a"), json!(7), json!(1), json!(true)]),
            row([json!("µ"), json!(null), json!(0.1), json!(null)]),
        ];
        let table = Table::new(rows);
        assert_eq!(file(&table).unwrap(), file(&table).unwrap());
        let reader = SerializedFileReader::new(bytes::Bytes::from(file(&table).unwrap())).unwrap();
        let rows: Vec<Vec<Field>> = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| row.unwrap().get_column_iter().map(|(_, field)| field.clone()).collect())
            .collect();
        let text = |text: &str| Field::Str(text.into());
        assert_eq!(rows[0], [text("a"), Field::Long(7), Field::Double(1.0), Field::Bool(true)]);
        assert_eq!(rows[1], [text("µ"), Field::Null, Field::Double(0.1), Field::Null]);
    }
}
