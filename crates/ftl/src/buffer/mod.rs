//! Write buffers: RAM above any scheme, in which written pages wait for a while.
//!
//! ```text
//! write(lpn):    in the buffer: replaced there
//!                else: while the buffer is full: evict; it comes in, dirty
//! evict:         the policy's unit: its dirty pages are written below, in order; all its pages leave
//! every write:   units that have been dirty for longer than `buffer_age` are written below, and stay, clean
//! flush:         all dirty pages are written below, and stay, clean; then the scheme's own flush
//! forced write:  goes below at once
//! read(lpn):     from the buffer where the page is there, else from below
//! ```
//!
//! A unit is a page, or the pages of a logical block; the policy says which unit goes
//! ([`BufferPolicy`]). What is not yet written below is lost when the power fails, and
//! nothing else. A page is looked up in one step, and every policy finds its unit in one, without a search.
//!
//! Collectors may ask the buffer for the newest copy of what they move, and how likely that is to change
//! once more ([`DirtyPages`](crate::DirtyPages)).

pub(crate) mod buffered;
mod chain;
mod layout;
pub(crate) mod log;
pub(crate) mod policy;
pub(crate) mod settings;
mod units;
mod write_buffer;

pub use buffered::with_buffer;
pub use log::BufferLog;
pub use policy::{
    BUFFER_POLICIES, BufferPolicy, BufferUnit, Evictor, Regions, Room, UPDATE_PROBABILITIES, Use,
    Used,
};
pub use settings::{BufferDefaults, BufferPlan, BufferSettings};
