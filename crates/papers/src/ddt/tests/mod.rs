//! Tests of the control unit, its windows and signals, and the copy methods.

mod closed_forms;
mod messages;
mod properties;
mod waveform;
mod windows;
