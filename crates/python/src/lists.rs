//! What configurations may name.

use crate::fault::raised;
use lab::{Fault, lists};
use pyo3::prelude::*;
use serde_json::json;

/// A list as JSON: parts, schemes, workloads, traces, formats, interfaces, victim or placement policies.
#[pyfunction]
pub(crate) fn list_json(py: Python<'_>, what: &str) -> PyResult<String> {
    let list = match what {
        "parts" => lists::parts(),
        "schemes" => json!(lists::schemes()),
        "workloads" => json!(lists::workloads()),
        "traces" => json!(lists::traces().map_err(|error| raised(py, error))?),
        "formats" => json!(lists::formats()),
        "interfaces" => json!(lists::interfaces()),
        "victim_policies" => json!(lists::victim_policies()),
        "placement_policies" => json!(lists::placement_policies()),
        other => return Err(raised(py, Fault::input(format!("there is no list of {other}")))),
    };
    Ok(list.to_string())
}

/// The page of a scheme, as Markdown.
#[pyfunction]
pub(crate) fn scheme_page(py: Python<'_>, name: &str) -> PyResult<String> {
    lists::scheme_page(name).map_err(|error| raised(py, error))
}
