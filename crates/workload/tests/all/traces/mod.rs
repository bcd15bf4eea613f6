//! Trace readers: one sample per format with its pitfalls, refused files, compression, fuzzing, conversion.
//!
//! Counts of real traces are tested too, if these are available.

mod blktrace;
mod compressed;
mod convert;
mod errors;
mod fuzz;
mod golden;
mod info;
mod samples;
mod several;
mod text;
mod vscsi;
