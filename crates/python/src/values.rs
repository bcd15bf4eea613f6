//! Python's values as those of an experiment's file.

use crate::fault::raised;
use lab::Fault;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::path::PathBuf;
use toml::{Table, Value};

/// A dictionary as a table; what is `None` is left out.
pub(crate) fn table(keys: &Bound<'_, PyDict>, place: &str) -> PyResult<Table> {
    let mut table = Table::new();
    for (key, value) in keys {
        let key: String = key.extract().map_err(|_| {
            let what = format!("{place}: a key is of type {}, and keys are texts", type_of(&key));
            raised(keys.py(), Fault::input(what))
        })?;
        if !value.is_none() {
            let value = one(&value, &key)?;
            table.insert(key, value);
        }
    }
    Ok(table)
}

fn one(value: &Bound<'_, PyAny>, key: &str) -> PyResult<Value> {
    let refused = |why: String| raised(value.py(), Fault::input(format!("{key}: {why}")));
    // In Python a bool is an int as well.
    if value.is_instance_of::<PyBool>() {
        return Ok(Value::Boolean(value.extract()?));
    }
    if value.is_instance_of::<PyString>() {
        return Ok(Value::String(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() {
        let whole = value.extract().map(Value::Integer);
        return whole.map_err(|_| refused(format!("{value} does not fit into 63 bits")));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(value.extract()?));
    }
    if let Ok(keys) = value.cast::<PyDict>() {
        return table(keys, key).map(Value::Table);
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| one(&item?, key));
        return items.collect::<PyResult<_>>().map(Value::Array);
    }
    // Schemes, parts, workloads and traces of this package.
    if let Ok(setting) = value.getattr("__ftlkit_setting__") {
        return one(&setting.call0()?, key);
    }
    // NumPy's numbers and arrays.
    if let Ok(plain) = value.getattr("tolist") {
        return one(&plain.call0()?, key);
    }
    if let Ok(path) = value.extract::<PathBuf>() {
        let text = path.to_str().map(str::to_owned);
        return text.map(Value::String).ok_or_else(|| refused("the path is not Unicode".into()));
    }
    Err(refused(format!(
        "a value of type {} is none; it takes texts, numbers, flags, paths, lists and dictionaries",
        type_of(value)
    )))
}

fn type_of(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "?".into(), |name| name.to_string())
}
