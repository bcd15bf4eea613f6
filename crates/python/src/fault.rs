//! Faults as exceptions with the command's text.

use arrow_schema::ArrowError;
use lab::Fault;
use lab::config::ConfigError;
use pyo3::prelude::*;
use workload::WorkloadError;

/// The exception of a fault: `ftlkit.InputError`, or `ftlkit.RunError` if the input is not to blame.
pub(crate) fn raised(py: Python<'_>, fault: impl Into<Fault>) -> PyErr {
    let fault: Fault = fault.into();
    let class = if fault.internal { "RunError" } else { "InputError" };
    exception(py, class, (of_this_package(fault.what), fault.help))
}

/// A text that names the feature which brings what this build lacks, with how to get it into the package.
fn of_this_package(what: String) -> String {
    const HOW: &str =
        "`pip install ./crates/python --config-settings=build-args=\"--features full\"` brings it";
    match what.split_once(": `cargo build ") {
        Some((lacks, _)) => format!("{lacks}: {HOW}"),
        None => what,
    }
}

/// An exception of `ftlkit._errors`.
pub(crate) fn exception<'py>(
    py: Python<'py>,
    class: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyErr {
    let made = py
        .import("ftlkit._errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| class.call1(arguments));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// The exception of a fault of a trace.
pub(crate) fn of_workload(py: Python<'_>, error: WorkloadError) -> PyErr {
    raised(py, ConfigError::from(error))
}

/// An error of the Arrow library, which no input causes.
pub(crate) fn failed(py: Python<'_>, error: &ArrowError) -> PyErr {
    raised(py, Fault::internal(format!("Arrow: {error}")))
}

/// The exception of a stream's error.
pub(crate) fn of_stream(py: Python<'_>, error: ArrowError) -> PyErr {
    match error {
        ArrowError::ExternalError(source) => match source.downcast::<WorkloadError>() {
            Ok(error) => of_workload(py, *error),
            Err(source) => raised(py, Fault::input(source)),
        },
        other => failed(py, &other),
    }
}
