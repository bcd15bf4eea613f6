//! Apache Parquet as a container of ftlkit's own table: columns of the same names and units, and rows that are read as its
//! lines.

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};
use parquet::schema::types::Type;
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::request::{Op, Request};

/// Bytes of text that are made at a time.
const TEXT: usize = 64 << 10;
/// Requests of a row group.
const GROUP: usize = 1 << 20;
/// Columns that a data frame's index makes are no columns of a trace.
const INDEX: &str = "__index_level";

/// The rows of a file as lines of a table, its header first.
pub(crate) struct Lines {
    rows: RowIter<'static>,
    /// Numbers of the columns that are read.
    columns: Vec<usize>,
    read: u64,
    of: u64,
    bytes: u64,
    done: Arc<AtomicU64>,
    text: Vec<u8>,
    at: usize,
}

impl Lines {
    /// Opens a file of so many bytes; `done` becomes its share that was read.
    pub(crate) fn open<R: ChunkReader + 'static>(
        from: R,
        done: Arc<AtomicU64>,
    ) -> io::Result<Self> {
        let bytes = from.len();
        let file = SerializedFileReader::new(from).map_err(io::Error::other)?;
        let metadata = file.metadata().file_metadata();
        let of = metadata.num_rows().max(0) as u64;
        let names: Vec<String> =
            metadata.schema().get_fields().iter().map(|field| field.name().to_owned()).collect();
        let columns: Vec<usize> =
            (0..names.len()).filter(|at| !names[*at].starts_with(INDEX)).collect();
        let header: Vec<&str> = columns.iter().map(|at| names[*at].as_str()).collect();
        let text = (header.join(",") + "\n").into_bytes();
        let rows = RowIter::from_file_into(Box::new(file));
        Ok(Self { rows, columns, read: 0, of, bytes, done, text, at: 0 })
    }

    fn more(&mut self) -> io::Result<()> {
        self.text.clear();
        self.at = 0;
        while self.text.len() < TEXT {
            let Some(row) = self.rows.next() else { break };
            self.line(row.map_err(io::Error::other)?)?;
            self.read += 1;
        }
        let share = self.read as f64 / self.of.max(1) as f64;
        self.done.store((share * self.bytes as f64) as u64, Ordering::Relaxed);
        Ok(())
    }

    fn line(&mut self, row: Row) -> io::Result<()> {
        let cells = row.into_columns();
        for (n, at) in self.columns.iter().enumerate() {
            if n > 0 {
                self.text.push(b',');
            }
            let (name, cell) = &cells[*at];
            match cell {
                Field::Null => {}
                Field::Bool(flag) => self.text.push(if *flag { b'1' } else { b'0' }),
                Field::Byte(_)
                | Field::Short(_)
                | Field::Int(_)
                | Field::Long(_)
                | Field::UByte(_)
                | Field::UShort(_)
                | Field::UInt(_)
                | Field::ULong(_) => write!(self.text, "{cell}")?,
                // Without an exponent, which no column takes.
                Field::Float(number) => write!(self.text, "{number}")?,
                Field::Double(number) => write!(self.text, "{number}")?,
                Field::Str(words) => self.text.extend_from_slice(words.as_bytes()),
                Field::Bytes(words) => self.text.extend_from_slice(words.data()),
                other => {
                    let reason = format!(
                        "column `{name}`: `{other}` is neither a number, a flag nor a word; times are numbers, in \
                         arrival_ns, _us, _ms or _s"
                    );
                    return Err(io::Error::other(reason));
                }
            }
        }
        self.text.push(b'\n');
        Ok(())
    }
}

impl Read for Lines {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.at == self.text.len() {
            self.more()?;
        }
        let count = bytes.len().min(self.text.len() - self.at);
        bytes[..count].copy_from_slice(&self.text[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// Writes requests as a file; every field survives.
pub(crate) struct Table {
    writer: SerializedFileWriter<File>,
    arrivals: bool,
    group: Vec<Request>,
}

impl Table {
    pub(crate) fn new(to: File, arrivals: bool) -> io::Result<Self> {
        let column = |name: &str, physical, logical, repetition| {
            Type::primitive_type_builder(name, physical)
                .with_repetition(repetition)
                .with_logical_type(logical)
                .build()
                .map(Arc::new)
        };
        let there = Repetition::REQUIRED;
        let whole = |name| column(name, Physical::INT64, None, there);
        let time = arrivals.then(|| whole("arrival_ns"));
        let others = [
            whole("device"),
            column("op", Physical::BYTE_ARRAY, Some(LogicalType::String), there),
            column("fua", Physical::BOOLEAN, None, there),
            whole("offset_bytes"),
            whole("length_bytes"),
            column("response_ns", Physical::INT64, None, Repetition::OPTIONAL),
            whole("stream"),
        ];
        let fields = time.into_iter().chain(others).collect::<Result<_, _>>();
        let schema =
            fields.and_then(|fields| Type::group_type_builder("trace").with_fields(fields).build());
        let properties = WriterProperties::builder()
            .set_created_by(format!("ftlkit {}", env!("CARGO_PKG_VERSION")))
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::None)
            .build();
        let schema = Arc::new(schema.map_err(io::Error::other)?);
        let writer = SerializedFileWriter::new(to, schema, Arc::new(properties));
        Ok(Self { writer: writer.map_err(io::Error::other)?, arrivals, group: Vec::new() })
    }

    pub(crate) fn add(&mut self, requests: &[Request]) -> io::Result<()> {
        self.group.extend_from_slice(requests);
        if self.group.len() >= GROUP { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let most = self.group.iter().map(|r| r.offset.max(r.arrival_ns).max(r.length)).max();
        if most.is_some_and(|most| i64::try_from(most).is_err()) {
            return Err(io::Error::other(
                "a number of 2^63 or more does not fit into a column of INT64",
            ));
        }
        self.write().map_err(io::Error::other)
    }

    fn write(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        let requests = &self.group;
        let whole = |of: fn(&Request) -> u64| -> Vec<i64> {
            requests.iter().map(|request| of(request) as i64).collect()
        };
        if self.arrivals {
            column::<Int64Type>(&mut group, &whole(|r| r.arrival_ns), None)?;
        }
        column::<Int64Type>(&mut group, &whole(|r| r.device.into()), None)?;
        let names = Op::ALL.map(|op| (op, ByteArray::from(op.name())));
        let name = |op: Op| names.iter().find(|(of, _)| *of == op).map(|(_, name)| name.clone());
        let ops: Vec<ByteArray> = requests.iter().filter_map(|request| name(request.op)).collect();
        column::<ByteArrayType>(&mut group, &ops, None)?;
        let fua: Vec<bool> = requests.iter().map(|request| request.fua).collect();
        column::<BoolType>(&mut group, &fua, None)?;
        column::<Int64Type>(&mut group, &whole(|r| r.offset), None)?;
        column::<Int64Type>(&mut group, &whole(|r| r.length), None)?;
        let responses = requests.iter().filter_map(|request| request.response_ns);
        let responses: Vec<i64> = responses.map(|ns| ns as i64).collect();
        let levels: Vec<i16> =
            requests.iter().map(|request| i16::from(request.response_ns.is_some())).collect();
        column::<Int64Type>(&mut group, &responses, Some(&levels))?;
        column::<Int64Type>(&mut group, &whole(|r| r.stream.into()), None)?;
        group.close()?;
        self.group.clear();
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        if !self.group.is_empty() {
            self.flush()?;
        }
        self.writer.close().map(drop).map_err(io::Error::other)
    }
}

/// Writes the next column; `levels` tells which of an optional one are there.
fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("fewer columns than the schema has".into()));
    };
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}

#[cfg(test)]
mod tests {
    use crate::formats::find;
    use crate::options::TraceOptions;
    use crate::reader::open;
    use crate::source::Source;

    #[test]
    fn a_trace_comes_back_from_parquet_as_it_was() {
        let folder = std::env::temp_dir().join(format!("ftlkit-parquet-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let [csv, parquet, back] = ["t.csv", "t.parquet", "back.csv"].map(|name| folder.join(name));
        for header in [
            "arrival_ns,device,op,fua,offset_bytes,length_bytes,response_ns,stream\n",
            "op,offset_bytes,length_bytes\n",
        ] {
            let mut text = header.to_owned();
            for n in 0..3000u64 {
                let op = ["read", "write", "trim", "write-zeroes"][n as usize % 4];
                let response = if n % 3 == 0 { String::new() } else { (n * 7).to_string() };
                text += &match header.starts_with("arrival") {
                    true => format!(
                        "{},{},{op},{},{},512,{response},{}\n",
                        n * 1_000_003,
                        n % 2,
                        n % 2,
                        n * 512,
                        n % 256
                    ),
                    false => format!("{op},{},4096\n", n * 4096),
                };
            }
            std::fs::write(&csv, &text).unwrap();
            let convert = |from: &std::path::Path, to: &std::path::Path| {
                let reader = open(from, &TraceOptions::default()).unwrap();
                crate::convert(reader, to, find("csv").unwrap(), false, |_| true).unwrap();
            };
            convert(&csv, &parquet);
            assert!(std::fs::read(&parquet).unwrap().starts_with(b"PAR1"));
            let read = |path: &std::path::Path| {
                let mut reader = open(path, &TraceOptions::default()).unwrap();
                let mut out = Vec::new();
                while reader.fill(&mut out, 999).unwrap() > 0 {}
                (out, reader.has_arrivals(), reader.format().name)
            };
            assert_eq!(read(&parquet), read(&csv));
            convert(&parquet, &back);
            assert_eq!(read(&back), read(&csv));
        }
        let whole = std::fs::read(&parquet).unwrap();
        std::fs::write(&parquet, &whole[..whole.len() / 2]).unwrap();
        let told = open(&parquet, &TraceOptions::default()).unwrap_err().to_string();
        assert!(told.contains("t.parquet"), "{told}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
