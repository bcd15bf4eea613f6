//! Tests the closed forms against printed figures, exhaustive searches and simulations.

mod arrivals;
mod common;
mod copyback_device;
mod copyback_printed;
mod copyback_timeline;
mod gftl_printed;
mod lazy_rtgc_printed;
mod space_by_device_exhaustive;
mod space_exhaustive;
mod space_model;
mod waf_simulation;
