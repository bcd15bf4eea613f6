//! Tests of the crate's public behaviour: rules, faults, time, parts.

mod bit_errors;
mod channels_planes;
mod channels_precedence;
mod channels_properties;
mod channels_rules;
mod channels_timelines;
mod common;
mod compose;
mod copies;
mod failures;
mod model;
mod part_file;
mod parts;
mod power_cut;
mod propagation;
mod read_retry;
mod refresh;
mod rules;
mod serial;
mod wrappers;
