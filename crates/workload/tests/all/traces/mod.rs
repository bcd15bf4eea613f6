//! Trace readers: one sample a format with the traps of each, what is refused and how, compression, fuzzing,
//! conversion, and the counts of real traces where these are at hand.

mod blktrace;
mod compressed;
mod convert;
mod errors;
mod fuzz;
mod golden;
mod info;
mod samples;
mod text;
mod vscsi;
