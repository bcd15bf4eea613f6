//! Traces: their contents, their requests as Arrow batches, and traces made of arrays.

use crate::arrow::Stream;
use crate::fault::{of_workload, raised};
use crate::watched::watched;
use arrow_array::{
    ArrayRef, BooleanArray, RecordBatch, RecordBatchReader, StringArray, UInt8Array, UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use lab::Fault;
use lab::config::ConfigError;
use lab::curves::{CurveError, Curves, Generated};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use workload::{
    Op, Request, Source, TraceInfo, TraceOptions, TraceReader, WorkloadError, open_all,
};

/// Options of an experiment's `workload.options`.
fn options(py: Python<'_>, keys: &Bound<'_, PyDict>) -> PyResult<TraceOptions> {
    let table = crate::values::table(keys, "options")?;
    let mut workload = toml::Table::new();
    workload.insert("trace".into(), toml::Value::String("-".into()));
    workload.insert("options".into(), toml::Value::Table(table));
    let mut experiment = toml::Table::new();
    experiment.insert("workload".into(), toml::Value::Table(workload));
    let read = lab::config::Experiment::from_table(experiment, "options of the trace");
    match read.map_err(|error| raised(py, error))?.workload.0 {
        workload::WorkloadSpec::Trace { options, .. } => Ok(options),
        _ => Ok(TraceOptions::default()),
    }
}

fn opened(py: Python<'_>, paths: &[PathBuf], options: &TraceOptions) -> PyResult<TraceReader> {
    py.detach(|| open_all(paths, options)).map_err(|error| of_workload(py, error))
}

/// Contents of a trace as JSON: the same as `ftlkit trace info --json` says of it.
#[pyfunction]
pub(crate) fn trace_info(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    keys: &Bound<'_, PyDict>,
) -> PyResult<String> {
    let reader = opened(py, &paths, &options(py, keys)?)?;
    let gather = |watch: &crate::watched::Watched| TraceInfo::gather(reader, |_| !watch.stop());
    let (info, exception) = watched(py, None, "", gather)?;
    if let Some(exception) = exception {
        return Err(exception);
    }
    let info = info.map_err(|error| of_workload(py, error))?;
    serde_json::to_string(&info).map_err(|error| raised(py, Fault::internal(error)))
}

/// Curves as JSON, and their drawing as SVG.
fn drawn(
    name: &str,
    note: Option<String>,
    found: Result<Curves, CurveError>,
) -> Result<(String, String), Fault> {
    let curves = found.map_err(|error| match error {
        CurveError::Workload(error) => Fault::from(ConfigError::from(error)),
        error => Fault::input(format!("{name}: {error}")),
    })?;
    let mut json = curves.json();
    if let Some(note) = note {
        json["notes"] = serde_json::json!([note]);
    }
    let svg = curves.drawing(name).svg().map_err(Fault::internal)?;
    Ok((json.to_string(), svg))
}

/// The curve of a trace on pages of so many bytes.
#[pyfunction]
pub(crate) fn trace_curve(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    keys: &Bound<'_, PyDict>,
    page_bytes: u32,
) -> PyResult<(String, String)> {
    let reader = opened(py, &paths, &options(py, keys)?)?;
    let name = reader.path().display().to_string();
    let gather =
        |watch: &crate::watched::Watched| Curves::of_trace(reader, page_bytes, |_| !watch.stop());
    let (found, exception) = watched(py, None, "", gather)?;
    match exception {
        Some(exception) => Err(exception),
        None => drawn(&name, None, found).map_err(|fault| raised(py, fault)),
    }
}

/// The curve of a built-in workload with its parameters; nothing for a text that names none.
#[pyfunction]
pub(crate) fn curve_of(
    py: Python<'_>,
    text: &str,
    page_bytes: u32,
) -> PyResult<Option<(String, String)>> {
    let Some(workload) = Generated::parse(text) else { return Ok(None) };
    let workload = workload.map_err(|why| raised(py, Fault::input(format!("{text}: {why}"))))?;
    let gather = |watch: &crate::watched::Watched| workload.curves(page_bytes, || !watch.stop());
    let (found, exception) = watched(py, None, "", gather)?;
    match exception {
        Some(exception) => Err(exception),
        None => drawn(text, workload.note(), found).map(Some).map_err(|fault| raised(py, fault)),
    }
}

/// The requests of a trace, in batches of at most `rows`.
#[pyfunction]
pub(crate) fn trace_stream(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    keys: &Bound<'_, PyDict>,
    rows: usize,
) -> PyResult<Stream> {
    let reader = opened(py, &paths, &options(py, keys)?)?;
    Ok(Stream::new(Box::new(Batches { schema: schema(), reader, rows: rows.max(1) })))
}

fn schema() -> SchemaRef {
    let field = |name, kind, nullable| Field::new(name, kind, nullable);
    Arc::new(Schema::new(vec![
        field("arrival_ns", DataType::UInt64, true),
        field("device", DataType::Utf8, false),
        field("op", DataType::Utf8, false),
        field("fua", DataType::Boolean, false),
        field("offset_bytes", DataType::UInt64, false),
        field("length_bytes", DataType::UInt64, false),
        field("response_ns", DataType::UInt64, true),
        field("stream", DataType::UInt8, false),
    ]))
}

struct Batches {
    schema: SchemaRef,
    reader: TraceReader,
    rows: usize,
}

impl Batches {
    fn columns(&self, requests: &[Request]) -> Vec<ArrayRef> {
        let timed = self.reader.has_arrivals();
        let whole = |of: fn(&Request) -> u64| -> ArrayRef {
            Arc::new(UInt64Array::from_iter_values(requests.iter().map(of)))
        };
        let maybe = |of: &dyn Fn(&Request) -> Option<u64>| -> ArrayRef {
            Arc::new(UInt64Array::from_iter(requests.iter().map(of)))
        };
        let device = |request: &Request| self.reader.device_name(request.device);
        vec![
            maybe(&|request| timed.then_some(request.arrival_ns)),
            Arc::new(StringArray::from_iter_values(requests.iter().map(device))),
            Arc::new(StringArray::from_iter_values(requests.iter().map(|r| r.op.name()))),
            Arc::new(BooleanArray::from_iter(requests.iter().map(|r| Some(r.fua)))),
            whole(|request| request.offset),
            whole(|request| request.length),
            maybe(&|request| request.response_ns),
            Arc::new(UInt8Array::from_iter_values(requests.iter().map(|r| r.stream))),
        ]
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut requests = Vec::with_capacity(self.rows.min(1 << 20));
        while requests.len() < self.rows {
            let room = self.rows - requests.len();
            match self.reader.fill(&mut requests, room) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => return Some(Err(ArrowError::ExternalError(Box::new(error)))),
            }
        }
        let batch = || RecordBatch::try_new(Arc::clone(&self.schema), self.columns(&requests));
        (!requests.is_empty()).then(batch)
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Columns of a trace as bytes of native numbers: u64, of `op`, `fua` and `stream` u8, of `device` u32.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Columns {
    arrival_ns: Option<PyBackedBytes>,
    op: PyBackedBytes,
    offset: PyBackedBytes,
    length: PyBackedBytes,
    device: Option<PyBackedBytes>,
    fua: Option<PyBackedBytes>,
    stream: Option<PyBackedBytes>,
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[8 * at..8 * at + 8]);
    u64::from_ne_bytes(word)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[4 * at..4 * at + 4]);
    u32::from_ne_bytes(word)
}

impl Columns {
    /// Writes a header, and a line per request: the columns that are given, a request's extent last.
    fn write(&self, to: &Path) -> std::io::Result<()> {
        let mut file = BufWriter::with_capacity(1 << 20, File::create(to)?);
        let column = |given: &Option<_>, name| if given.is_some() { name } else { "" };
        let first = column(&self.arrival_ns, "arrival_ns,");
        let [device, fua] = [column(&self.device, "device,"), column(&self.fua, "fua,")];
        let stream = column(&self.stream, "stream,");
        writeln!(file, "{first}{device}{fua}{stream}op,offset_bytes,length_bytes")?;
        for at in 0..self.op.len() {
            if let Some(arrivals) = &self.arrival_ns {
                write!(file, "{},", u64_at(arrivals, at))?;
            }
            if let Some(devices) = &self.device {
                write!(file, "{},", u32_at(devices, at))?;
            }
            if let Some(flags) = &self.fua {
                write!(file, "{},", flags[at])?;
            }
            if let Some(streams) = &self.stream {
                write!(file, "{},", streams[at])?;
            }
            let op = Op::ALL[usize::from(self.op[at]).min(Op::ALL.len() - 1)].name();
            writeln!(file, "{op},{},{}", u64_at(&self.offset, at), u64_at(&self.length, at))?;
        }
        file.flush()
    }
}

/// Writes a trace made of columns of one length as a file of ftlkit's own format, and reads it once: a bad row is the
/// error that it is in a file, with its number from 0.
#[pyfunction]
pub(crate) fn write_trace(py: Python<'_>, path: PathBuf, columns: Columns) -> PyResult<()> {
    let read = py.detach(|| {
        let io = |source| WorkloadError::Io { path: path.clone(), source };
        columns.write(&path).map_err(io)?;
        let mut reader = workload::open(&path, &TraceOptions::default())?;
        let mut batch = Vec::new();
        while reader.fill(&mut batch, 8192)? > 0 {
            batch.clear();
        }
        Ok(())
    });
    read.map_err(|error| match error {
        // The first line is the header.
        WorkloadError::BadRecord { line, expected, found, .. } => {
            let row = line.saturating_sub(2);
            raised(py, Fault::input(format!("row {row}: expected {expected}, found `{found}`")))
        }
        other => of_workload(py, other),
    })
}
