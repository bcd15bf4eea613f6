//! What a write buffer did.

/// Pages, unless said otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferLog {
    /// Written while they were in the buffer.
    pub write_hits: u64,
    /// Written while they were not.
    pub write_misses: u64,
    /// Read from the buffer.
    pub read_hits: u64,
    /// Read from below.
    pub read_misses: u64,
    /// Units (pages or blocks) that made room for others.
    pub evictions: u64,
    /// Written below to make room.
    pub evicted: u64,
    /// Clean, dropped to make room.
    pub dropped: u64,
    /// Written below because they had been dirty for too long.
    pub aged: u64,
    /// Written below because the host flushed.
    pub flushed: u64,
    /// Written below at once (force unit access).
    pub through: u64,
    /// Not dirty, yet written below with the others of their block (page padding); all but those that were in
    /// the buffer were read for it.
    pub padded: u64,
    /// Written by a collector that took them from the buffer, and clean since.
    pub collected: u64,
    /// Moved within flash by a collector while a newer version was in the buffer: unnecessary migrations. 0 where the
    /// scheme does not tell ([`Telemetry::tells_moves`](crate::Telemetry::tells_moves)). A page that is on its way out of
    /// the buffer is clean and not counted.
    pub moved_in_vain: u64,
    /// Dirty now.
    pub dirty: u64,
    /// In the buffer now.
    pub held: u64,
    /// What three-region's initial and to-be-updated regions may hold now.
    pub regions: [u64; 2],
}
