//! Copy-back on a channel, and the effect of direct data transfer (DDT) on it.
//!
//! - Copy methods, by closed form and by event-driven simulation.
//! - The control unit, with its messages as text and its signals as a waveform.
//! - The effect of collection on a host that shares the channel.
//!
//! ```
//! use ftlkit_papers::bounds::copyback::{CopyPath, CopyTimings, Waits};
//! use ftlkit_papers::flash::parts;
//! use ftlkit_papers::ddt::{CopyJob, CopyRunError, Way, alone};
//!
//! let part = parts::by_name("ddt-mlc").expect("it is in the catalogue");
//! let timings = CopyTimings::of_part(part, Waits::STUDY)?;
//! let way = Way::new(CopyPath::Dgcb, true, 1);
//! // The event-driven run of 128 copies takes as long as the closed form says, to the nanosecond.
//! let run = alone(&timings, way, CopyJob::transaction(128))?;
//! assert_eq!(run.copies_ns, way.closed_form(&timings)?.transaction_ns(128)?);
//! # Ok::<(), CopyRunError>(())
//! ```

mod alone;
pub mod control;
mod copier;
pub mod files;
pub mod host_load;
pub mod messages;
mod study;
#[cfg(test)]
mod tests;
pub mod waveform;
mod way;

pub use alone::{Alone, CopyJob, CopyRunError, alone, logged};
pub use copier::{Copier, EraseAt, Loads, Step};
pub use study::{Crossover, Study, StudyRow};
pub use way::{Way, channels_timing, in_mode};
