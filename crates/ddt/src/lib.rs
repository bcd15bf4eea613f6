//! Copy-back on a channel, and what direct data transfer (DDT) makes of it: ways of copying by closed form and by
//! events, the control unit with its messages as text and its signals as a waveform, and what collection does to a
//! host on the same channel.

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
