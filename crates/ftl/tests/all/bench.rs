//! Arrays and presets for tests of schemes.

use flash::faults::ProgramEraseFailure;
use flash::parts::EVALUATION_SLC;
use flash::{AnyArray, Array, Geometry, Part, Serial, Store};
use ftlkit_ftl::{AnyScheme, SchemeConfig, registry};

/// A scheme on any array.
pub(crate) type Device = AnyScheme;

/// An array with a clock whose programs may fail.
pub(crate) type Failing = Serial<ProgramEraseFailure<Array>>;

/// An array that keeps all bytes, with a failure rate of programs in parts per million.
pub(crate) fn failing(geometry: Geometry, seed: u64, failures_per_million: u32) -> AnyArray {
    let (pages_per_block, page_bytes) = (geometry.pages_per_block(), geometry.page_bytes());
    let part = Part { pages_per_block, page_bytes, ..EVALUATION_SLC.clone() };
    let mut faults = ProgramEraseFailure::new(Array::new(geometry, part, Store::All), seed);
    faults.fail_programs(failures_per_million);
    AnyArray::new(Serial::new(faults))
}

/// The unchanged preset of this name.
pub(crate) fn preset(name: &str) -> SchemeConfig {
    SchemeConfig::preset(registry::by_name(name).unwrap())
}
