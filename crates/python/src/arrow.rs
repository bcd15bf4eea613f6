//! Results by the Arrow C data interface.

use crate::fault::{failed, of_stream, raised};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator,
    RecordBatchReader, StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, ffi::FFI_ArrowSchema};
use lab::Fault;
use lab::sweep::{self, Column};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use std::sync::{Arc, Mutex, PoisonError};

/// A table: its columns are Arrow arrays, which other libraries use without a copy.
#[pyclass(frozen, module = "ftlkit._ftlkit")]
pub(crate) struct Table(RecordBatch);

fn array(column: Column) -> (DataType, ArrayRef) {
    match column {
        Column::Whole(values) => (DataType::Int64, Arc::new(Int64Array::from(values))),
        Column::Number(values) => (DataType::Float64, Arc::new(Float64Array::from(values))),
        Column::Flag(values) => (DataType::Boolean, Arc::new(BooleanArray::from(values))),
        Column::Text(values) => (DataType::Utf8, Arc::new(StringArray::from(values))),
    }
}

fn batch(table: &sweep::Table) -> Result<RecordBatch, ArrowError> {
    let columns = table.typed().into_iter().map(|(name, column)| {
        let (kind, values) = array(column);
        (Field::new(name, kind, true), values)
    });
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.unzip();
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(table.rows.len()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
}

fn schema_capsule<'py>(py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema.as_ref()).map_err(|error| failed(py, &error))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

fn stream_capsule<'py>(
    py: Python<'py>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
}

impl Table {
    /// The table of these rows.
    pub(crate) fn of(py: Python<'_>, table: &sweep::Table) -> PyResult<Self> {
        batch(table).map(Self).map_err(|error| failed(py, &error))
    }

    /// One batch of a stream.
    pub(crate) fn of_batch(batch: RecordBatch) -> Self {
        Self(batch)
    }
}

#[pymethods]
impl Table {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.0.schema())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol leaves it to the producer whether it converts; consumers convert what they get.
        drop(requested_schema);
        let schema = self.0.schema();
        let batches = std::iter::once(Ok(self.0.clone()));
        stream_capsule(py, Box::new(RecordBatchIterator::new(batches, schema)))
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    /// The rows, each a dictionary; `None` where nothing was measured.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let schema = self.0.schema();
        let row = |at| {
            let row = PyDict::new(py);
            for (field, values) in schema.fields().iter().zip(self.0.columns()) {
                row.set_item(field.name(), value(py, values, at)?)?;
            }
            Ok(row)
        };
        (0..self.0.num_rows()).map(row).collect()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.column(py, name)
    }

    fn __repr__(&self) -> String {
        format!("<ftlkit.Table of {} rows, {} columns>", self.0.num_rows(), self.0.num_columns())
    }

    fn _repr_html_(this: Bound<'_, Self>) -> PyResult<String> {
        this.py().import("ftlkit._html")?.call_method1("table", (this,))?.extract()
    }

    /// A pyarrow.Table of the same memory.
    fn to_arrow(this: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        this.py().import("pyarrow")?.call_method1("table", (this,))
    }

    /// A pandas.DataFrame, made by pyarrow.
    fn to_pandas(this: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        Self::to_arrow(this)?.call_method0("to_pandas")
    }

    /// A polars.DataFrame of the same memory.
    fn to_polars(this: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        this.py().import("polars")?.call_method1("DataFrame", (this,))
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.0.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The values of a column; `None` where nothing was measured.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let Some(values) = self.0.column_by_name(name) else {
            let schema = self.0.schema();
            let names = schema.fields().iter().map(|field| field.name().as_str());
            let hint = lab::config::did_you_mean(name, names);
            return Err(pyo3::exceptions::PyKeyError::new_err(format!(
                "no column is called `{name}`; {hint}"
            )));
        };
        (0..values.len()).map(|at| value(py, values, at)).collect()
    }
}

/// One value as Python's.
fn value<'py>(py: Python<'py>, values: &ArrayRef, at: usize) -> PyResult<Bound<'py, PyAny>> {
    use arrow_array::{Array, UInt64Array};
    if values.is_null(at) {
        return Ok(py.None().into_bound(py));
    }
    let any = values.as_any();
    if let Some(whole) = any.downcast_ref::<Int64Array>() {
        return Ok(whole.value(at).into_pyobject(py)?.into_any());
    }
    if let Some(whole) = any.downcast_ref::<UInt64Array>() {
        return Ok(whole.value(at).into_pyobject(py)?.into_any());
    }
    if let Some(number) = any.downcast_ref::<Float64Array>() {
        return Ok(number.value(at).into_pyobject(py)?.into_any());
    }
    if let Some(flag) = any.downcast_ref::<BooleanArray>() {
        return Ok(flag.value(at).into_pyobject(py)?.to_owned().into_any());
    }
    if let Some(text) = any.downcast_ref::<StringArray>() {
        return Ok(text.value(at).into_pyobject(py)?.into_any());
    }
    let error = ArrowError::CastError(format!("no value of type {}", values.data_type()));
    Err(failed(py, &error))
}

/// A reader that can be taken once.
type Reader = Box<dyn RecordBatchReader + Send>;

/// Batches that are read while they are asked for: as a stream for another library, or one by one.
#[pyclass(frozen, module = "ftlkit._ftlkit")]
pub(crate) struct Stream {
    schema: SchemaRef,
    reader: Mutex<Option<Reader>>,
}

impl Stream {
    pub(crate) fn new(reader: Reader) -> Self {
        Self { schema: reader.schema(), reader: Mutex::new(Some(reader)) }
    }
}

#[pymethods]
impl Stream {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let taken = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(reader) = taken else {
            let what = "the stream was taken already";
            return Err(raised(py, Fault::with_help(what, "ask the trace for another one")));
        };
        stream_capsule(py, reader)
    }

    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        let read = py.detach(|| {
            let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
            reader.as_mut().and_then(Iterator::next)
        });
        match read {
            None => Ok(None),
            Some(Ok(batch)) => Ok(Some(Table::of_batch(batch))),
            Some(Err(error)) => Err(of_stream(py, error)),
        }
    }
}
