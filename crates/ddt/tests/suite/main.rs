//! The control unit, its windows and signals, and ways of copying, as one binary.

mod closed_forms;
mod messages;
mod properties;
mod waveform;
mod windows;
