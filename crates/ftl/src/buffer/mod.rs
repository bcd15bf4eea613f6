//! Write buffers: RAM above any scheme that holds written pages for a while.
//!
//! ```text
//! write(lpn):    in the buffer: overwritten there
//!                else: while the buffer is full: evict; then the page is added, dirty
//! evict:         the policy's unit, or the one clean for longest if clean units go first: its dirty pages are
//!                written below, in order; all its pages leave
//! over time:     a unit that has been dirty for `buffer_age` (by the clock that is set) is written below, and
//!                stays, clean
//! flush:         all dirty pages are written below, and stay, clean; then the scheme's own flush
//! forced write:  is written below at once
//! read(lpn):     from the buffer if the page is there, else from below
//! ```
//!
//! A unit is one page, or all pages of a logical block. The policy chooses the unit to evict ([`BufferPolicy`]). A
//! power cut loses only pages that are not written below yet. Page lookup and the choice of a unit take one step
//! each, without a search.
//!
//! Collectors may ask the buffer for the newest copy of a page to be moved, and for the probability that it changes
//! once more ([`DirtyPages`](crate::DirtyPages)).

pub(crate) mod chain;
pub(crate) mod log;
pub(crate) mod policy;
pub(crate) mod settings;

pub use log::BufferLog;
pub use policy::{
    BUFFER_POLICIES, BufferPolicy, BufferUnit, Evictor, Regions, Room, UPDATE_PROBABILITIES,
    UnitOrder, Use, Used,
};
pub use settings::{AgeClock, BufferDefaults, BufferPlan, BufferSettings, CleanUnits};
