//! Tests of traces and generators in one binary.

mod ba_gc;
mod common;
mod generators;
mod lists;
mod locality;
mod placement;
mod trace_workloads;
mod traces;
mod within_space;
