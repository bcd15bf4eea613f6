//! Apache Parquet as a container of ftlkit's own table: columns of the same names and units, and rows that are read as its
//! lines.

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::bloom_filter::Sbbf;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{ChunkReader, FileReader, RowGroupReader};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};
use parquet::schema::types::Type;
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::request::{Op, Request};
use crate::zstd_frames::MultiZstd;

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
        let file = Pages::open(from).map_err(io::Error::other)?;
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
                Field::Float(number) => {
                    float(&mut self.text, name, f64::from(*number), f32::MANTISSA_DIGITS)?;
                }
                Field::Double(number) => {
                    float(&mut self.text, name, *number, f64::MANTISSA_DIGITS)?
                }
                Field::Decimal(_) => {
                    let number = cell.to_string();
                    let whole = number.trim_end_matches('0');
                    // `12.00` and `12.` are 12, and `120` has no point.
                    let number = whole.strip_suffix('.').unwrap_or(&number);
                    self.text.extend_from_slice(number.as_bytes());
                }
                Field::Str(words) => word(&mut self.text, words.as_bytes()),
                Field::Bytes(words) => word(&mut self.text, words.data()),
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

/// Writes a word, in quotes if it holds what separates values or lines.
fn word(text: &mut Vec<u8>, word: &[u8]) {
    if !word.iter().any(|b| b",\"\r\n".contains(b)) {
        return text.extend_from_slice(word);
    }
    text.push(b'"');
    for &b in word {
        match b {
            b'"' => text.extend_from_slice(b"\"\""),
            b'\r' | b'\n' => text.push(b' '),
            _ => text.push(b),
        }
    }
    text.push(b'"');
}

/// Writes a float of so many binary digits without an exponent, which no column takes; no number is an empty cell.
fn float(text: &mut Vec<u8>, column: &str, number: f64, digits: u32) -> io::Result<()> {
    if number.is_nan() {
        return Ok(());
    }
    let most = (1_u64 << digits) as f64;
    // A whole number beyond may have been rounded to it.
    if number.abs() >= most {
        return Err(io::Error::other(format!(
            "column `{column}`: a float of {digits} binary digits may be wrong from {most} on: write the column as integers"
        )));
    }
    write!(text, "{number}")
}

/// A file whose pages are read by the library, but those in Zstandard unpacked here: its own codec is in C.
struct Pages<R: ChunkReader> {
    from: Arc<R>,
    metadata: ParquetMetaData,
}

impl<R: ChunkReader> Pages<R> {
    /// # Errors
    /// No metadata; a codec that is not read.
    fn open(from: R) -> Result<Self, ParquetError> {
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&from)?;
        for column in metadata.row_groups().iter().flat_map(RowGroupMetaData::columns) {
            use Compression::{GZIP, SNAPPY, UNCOMPRESSED, ZSTD};
            let codec = match column.compression() {
                UNCOMPRESSED | SNAPPY | GZIP(_) | ZSTD(_) => continue,
                Compression::BROTLI(_) => "Brotli".into(),
                other => other.to_string(),
            };
            return Err(ParquetError::General(format!(
                "{codec} inside Parquet is not supported (column `{}`): write it with snappy, gzip or zstd, or uncompressed",
                column.column_path().string()
            )));
        }
        Ok(Self { from: Arc::new(from), metadata })
    }
}

impl<R: ChunkReader + 'static> FileReader for Pages<R> {
    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }

    fn num_row_groups(&self) -> usize {
        self.metadata.num_row_groups()
    }

    fn get_row_group(&self, i: usize) -> Result<Box<dyn RowGroupReader + '_>, ParquetError> {
        Ok(Box::new(Group { from: &self.from, metadata: self.metadata.row_group(i) }))
    }

    fn get_row_iter(&self, projection: Option<Type>) -> Result<RowIter<'_>, ParquetError> {
        RowIter::from_file(projection, self)
    }
}

/// A row group of such a file.
struct Group<'a, R: ChunkReader> {
    from: &'a Arc<R>,
    metadata: &'a RowGroupMetaData,
}

impl<R: ChunkReader + 'static> RowGroupReader for Group<'_, R> {
    fn metadata(&self) -> &RowGroupMetaData {
        self.metadata
    }

    fn num_columns(&self) -> usize {
        self.metadata.num_columns()
    }

    fn get_column_page_reader(&self, i: usize) -> Result<Box<dyn PageReader>, ParquetError> {
        let column = self.metadata.column(i);
        let rows = usize::try_from(self.metadata.num_rows())?;
        let pages = |column| SerializedPageReader::new(Arc::clone(self.from), column, rows, None);
        if !matches!(column.compression(), Compression::ZSTD(_)) {
            return Ok(Box::new(pages(column)?));
        }
        let plain = column.clone().into_builder().set_compression(Compression::UNCOMPRESSED);
        Ok(Box::new(Unpacked(pages(&plain.build()?)?)))
    }

    fn get_column_bloom_filter(&self, _: usize) -> Option<&Sbbf> {
        None
    }

    fn get_row_iter(&self, projection: Option<Type>) -> Result<RowIter<'_>, ParquetError> {
        RowIter::from_row_group(projection, self)
    }
}

/// Most bytes of a page, whose header has 31 bits for them.
const PAGE: u64 = 1 << 31;

/// Pages in Zstandard, unpacked.
struct Unpacked<P>(P);

impl<P: PageReader> Unpacked<P> {
    fn unpacked(mut page: Page) -> Result<Page, ParquetError> {
        let (buf, levels) = match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => (buf, 0),
            Page::DataPageV2 { is_compressed: false, .. } => return Ok(page),
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
                (buf, *def_levels_byte_len as usize + *rep_levels_byte_len as usize)
            }
        };
        let (levels, packed) = buf
            .split_at_checked(levels)
            .ok_or_else(|| ParquetError::General("a page is shorter than its levels".into()))?;
        let mut whole = levels.to_vec();
        MultiZstd::new(packed).take(PAGE).read_to_end(&mut whole)?;
        *buf = whole.into();
        Ok(page)
    }
}

impl<P: PageReader> Iterator for Unpacked<P> {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<P: PageReader> PageReader for Unpacked<P> {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        self.0.get_next_page()?.map(Self::unpacked).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.0.skip_next_page()
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

    #[test]
    fn floats_end_where_whole_numbers_are_rounded() {
        for (most, digits) in [(16_777_216.0, 24), (9_007_199_254_740_992.0, 53)] {
            let write = |number: f64| {
                let mut text = Vec::new();
                super::float(&mut text, "time", number, digits).map(|()| text)
            };
            assert_eq!(write(most - 1.0).unwrap(), (most - 1.0).to_string().as_bytes());
            // 16 777 217 is stored as 16 777 216.
            for number in [most, -most, f64::from((most + 1.0) as f32)] {
                assert!(write(number).is_err(), "{number}");
            }
        }
    }

    /// Written by another library: pages of both versions, codecs, decimals and floats; 12 requests each.
    #[test]
    fn files_of_others_are_read_exactly_or_refused_by_name() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/traces/parquet");
        let read = |name: &str| {
            let path = std::path::Path::new(folder).join(name).with_extension("parquet");
            let mut reader = open(&path, &TraceOptions::default())?;
            let mut out = Vec::new();
            while reader.fill(&mut out, 999)? > 0 {}
            Ok::<_, crate::WorkloadError>(out)
        };
        for name in ["zstd_v1", "zstd_v2", "decimal", "double"] {
            let requests = read(name).unwrap();
            assert_eq!(requests.len(), 12, "{name}");
            for (n, request) in (0..).zip(requests) {
                let place = (request.arrival_ns, request.offset, request.length);
                assert_eq!(place, (n * 250_000_000, n * 7 % 11 * 4096, 4096), "{name}");
            }
        }
        for (name, words) in [
            ("lz4", "LZ4_RAW inside Parquet is not supported (column `arrival_s`)"),
            ("brotli", "Brotli inside Parquet is not supported"),
            (
                "float_large",
                "column `offset_bytes`: a float of 24 binary digits may be wrong from 16777216 on",
            ),
            ("double_half", "`.5`"),
            ("timestamp", "column `arrival_s`: `"),
        ] {
            let told = read(name).unwrap_err().to_string();
            assert!(told.contains(words) && !told.contains("damaged"), "{told}");
        }
    }
}
