//! Copy-back on a channel, and the effect of direct data transfer (DDT) on it.
//!
//! - Copy methods, by closed form and by event-driven simulation.
//! - The control unit, with its messages as text and its signals as a waveform.
//! - The effect of collection on a host that shares the channel.

mod alone;
pub mod control;
mod copier;
pub mod files;
pub mod host_load;
pub mod messages;
mod study;
mod timing_diagram;
pub mod waveform;
pub mod waveform_plot;
mod way;

pub use alone::{Alone, CopyJob, CopyRunError, alone, logged};
pub use copier::{Copier, EraseAt, Loads, Step};
pub use study::{Crossover, Study, StudyRow};
pub use way::{Way, channels_timing, in_mode};
