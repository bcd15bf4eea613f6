//! Copy-back on a channel: the control unit's messages as text, its signals as a waveform.

pub mod messages;
pub mod waveform;
