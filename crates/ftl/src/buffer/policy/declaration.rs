//! Declaration of a buffer policy.

use super::evictor::Evictor;
use super::room::Room;
use alloc::boxed::Box;
use core::{
    fmt,
    hash::{Hash, Hasher},
};

/// Unit of eviction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferUnit {
    /// One page.
    Page,
    /// All pages of a logical block, which has as many pages as a block of the array.
    Block,
}

/// A policy that chooses the unit to evict from a full write buffer: its name, help, settings and constructor. Each
/// has its own file and an entry in [`BUFFER_POLICIES`](super::BUFFER_POLICIES). Policies are equal if their names
/// are.
pub struct BufferPolicy {
    /// Name in configurations.
    pub name: &'static str,
    /// Summary of one line.
    pub summary: &'static str,
    /// Source: authors, venue.
    pub source: &'static str,
    /// Units that it supports; the first is its default.
    pub units: &'static [BufferUnit],
    /// Default for `buffer_reads`: true if pages that are read are added to the buffer.
    pub reads: bool,
    /// True if an evicted block is written whole, with its missing pages read first.
    pub pads: bool,
    /// Settings beyond those of every buffer: `buffer_window`, `buffer_regions`, `buffer_updates`.
    pub settings: &'static [&'static str],
    /// Constructor; the policy starts without units.
    pub make: fn(&Room) -> Box<dyn Evictor>,
}

impl BufferPolicy {
    /// The default unit of eviction.
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
    /// Prints the name, for messages that contain plans and settings.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
