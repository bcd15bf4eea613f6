//! Log of a write buffer.

/// Counters of a write buffer, in pages unless stated otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferLog {
    /// Writes of pages that were in the buffer.
    pub write_hits: u64,
    /// Writes of pages that were not in the buffer.
    pub write_misses: u64,
    /// Reads from the buffer.
    pub read_hits: u64,
    /// Reads from below.
    pub read_misses: u64,
    /// Units (pages or blocks) evicted to make room.
    pub evictions: u64,
    /// Dirty pages written below to make room.
    pub evicted: u64,
    /// Clean pages dropped to make room.
    pub dropped: u64,
    /// Pages written below because their unit had been dirty for too long.
    pub aged: u64,
    /// Pages written below because the host flushed.
    pub flushed: u64,
    /// Forced writes, written below at once (force unit access).
    pub through: u64,
    /// Clean or missing pages written below with the others of their block (page padding). Those missing in the
    /// buffer were read first.
    pub padded: u64,
    /// Dirty pages that a collector took from the buffer and wrote; they are clean since.
    pub collected: u64,
    /// Pages that a collector moved within flash while a newer version was in the buffer: unnecessary migrations. 0
    /// if the scheme does not report moves ([`Telemetry::tells_moves`](crate::Telemetry::tells_moves)). A page being
    /// written below already counts as clean.
    pub moved_in_vain: u64,
    /// Dirty pages now.
    pub dirty: u64,
    /// Pages in the buffer now.
    pub held: u64,
    /// Present page limits of three-region's initial and to-be-updated regions.
    pub regions: [u64; 2],
}
