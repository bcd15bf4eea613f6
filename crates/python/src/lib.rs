//! The Python package `ftlkit`, as far as it is Rust: experiments, runs, sweeps, traces and policies, and their results as
//! Arrow tables. What users import is in `python/ftlkit`.

mod arrow;
mod bounds;
mod choose;
mod compare;
mod experiment;
mod fault;
mod lists;
mod placement;
mod policy;
mod sweep;
mod trace;
mod values;
mod version;
mod watched;

#[global_allocator]
static ALLOCATOR: lab::allocator::HugePages = lab::allocator::HugePages;

#[pyo3::pymodule]
mod _ftlkit {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::arrow::{Stream, Table};
    #[pymodule_export]
    use crate::bounds::{bounds, delays};
    #[pymodule_export]
    use crate::choose::{choose, choose_from};
    #[pymodule_export]
    use crate::compare::{Comparison, compare};
    #[pymodule_export]
    use crate::experiment::Experiment;
    #[pymodule_export]
    use crate::lists::{list_json, scheme_page};
    #[pymodule_export]
    use crate::placement::add_placement_policy;
    #[pymodule_export]
    use crate::policy::{Blocks, add_victim_policy};
    #[pymodule_export]
    use crate::sweep::{Sweep, file_sha256, identity, measure};
    #[pymodule_export]
    use crate::trace::{curve_of, trace_curve, trace_info, trace_stream, write_trace};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", crate::version::VERSION)
    }
}
