//! The built-in workloads, and what they are made of.

pub(crate) mod ba_gc;
pub(crate) mod gftl_traces;
pub(crate) mod hot_cold;
pub(crate) mod lazy_rtgc_traces;
pub(crate) mod map_misses;
pub(crate) mod mixed;
pub(crate) mod pareto;
pub(crate) mod randrw;
pub(crate) mod sequential;
pub(crate) mod snia;
pub(crate) mod uniform;
pub(crate) mod worst_case;
pub(crate) mod zipf;

mod character;
mod draw;
pub(crate) mod generated;
mod iozone;
mod law;
mod mix;
pub(crate) mod pace;
mod quota;
mod ranks;
pub(crate) mod scramble;
mod written_once;
