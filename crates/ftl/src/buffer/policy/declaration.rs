//! What a buffer's policy declares of itself.

use super::evictor::Evictor;
use super::room::Room;
use alloc::boxed::Box;
use core::{
    fmt,
    hash::{Hash, Hasher},
};

/// What a buffer evicts at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferUnit {
    /// A page.
    Page,
    /// All pages of a logical block, which has as many pages as a block of the array.
    Block,
}

/// A policy of write buffers, which says what unit leaves a full one: its name, its help, its settings, and how it is made.
/// It stands in its own file, and in [`BUFFER_POLICIES`](super::BUFFER_POLICIES). Policies are the same where their names are.
pub struct BufferPolicy {
    /// Its name in configurations.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Authors, venue.
    pub source: &'static str,
    /// Units that it takes; the first is its default.
    pub units: &'static [BufferUnit],
    /// Whether pages that are read come into the buffer, where that is not set.
    pub reads: bool,
    /// Whether a block that is evicted is written whole: what is missing of it is read before.
    pub pads: bool,
    /// Settings that it has besides those of every buffer: `buffer_window`, `buffer_regions`.
    pub settings: &'static [&'static str],
    /// Makes it, without units yet.
    pub make: fn(&Room) -> Box<dyn Evictor>,
}

impl BufferPolicy {
    /// What it evicts at a time, where that is not set.
    pub fn default_unit(&self) -> BufferUnit {
        self.units.first().copied().unwrap_or(BufferUnit::Page)
    }
}

impl PartialEq for BufferPolicy {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for BufferPolicy {}

impl Hash for BufferPolicy {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for BufferPolicy {
    /// Its name: it is part of plans and settings, of which messages tell.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
