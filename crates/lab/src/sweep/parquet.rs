//! A table as an Apache Parquet file: one row group, every column optional.

use super::table::Table;
use super::typed::Column;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

/// Physical type of a column.
fn field(name: &str, column: &Column) -> Result<Type, ParquetError> {
    let (physical, logical) = match column {
        Column::Whole(_) => (Physical::INT64, None),
        Column::Number(_) => (Physical::DOUBLE, None),
        Column::Flag(_) => (Physical::BOOLEAN, None),
        Column::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()
}

impl Table {
    /// The table as a file: whole numbers as INT64, others as DOUBLE. What was not measured is null.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn parquet(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        write_table(self, &mut bytes).map_err(io::Error::other)?;
        Ok(bytes)
    }
}

fn write_table(table: &Table, to: &mut (dyn Write + Send)) -> Result<(), ParquetError> {
    let columns = table.typed();
    let fields = columns.iter().map(|(name, column)| field(name, column).map(Arc::new));
    let fields = fields.collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder("runs").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_created_by(format!("ftlkit {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::UNCOMPRESSED)
        .set_statistics_enabled(EnabledStatistics::None)
        .build();
    let mut writer = SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (_, column) in columns {
        match column {
            Column::Whole(values) => write::<Int64Type, _>(&mut group, values)?,
            Column::Number(values) => write::<DoubleType, _>(&mut group, values)?,
            Column::Flag(values) => write::<BoolType, _>(&mut group, values)?,
            Column::Text(values) => {
                let bytes = |text: String| ByteArray::from(text.into_bytes());
                let values = values.into_iter().map(|text| text.map(bytes)).collect();
                write::<ByteArrayType, _>(&mut group, values)?;
            }
        }
    }
    group.close()?;
    writer.close().map(|_| ())
}

/// Writes the next column.
fn write<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: Vec<Option<T::T>>,
) -> Result<(), ParquetError> {
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("there are more columns than in the schema".into()));
    };
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    column.close()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::rows::Row;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    use serde_json::{Value, json};

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
        assert_eq!(table.parquet().unwrap(), table.parquet().unwrap());
        let reader =
            SerializedFileReader::new(bytes::Bytes::from(table.parquet().unwrap())).unwrap();
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
