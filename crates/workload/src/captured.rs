//! Captured traces: what real programs asked of `ftlkit serve`. They are part of the program: a trace whose path is one of
//! these names is read from here, and `./NAME` is always a file.
//!
//! Each is `traces/NAME.csv.xz`, with its description in `traces/NAME.md` and its script in `scripts/capture/NAME.sh`.

use std::path::Path;

/// A captured trace.
#[derive(Debug)]
#[non_exhaustive]
pub struct CapturedTrace {
    /// Its name, by which it is run.
    pub name: &'static str,
    /// What ran, in one line.
    pub summary: &'static str,
    /// Its description, as Markdown: program, version, file system, time, what is in it.
    pub page: &'static str,
    /// Its file, compressed.
    pub bytes: &'static [u8],
}

macro_rules! captured {
    ($($name:literal: $summary:literal,)*) => {
        &[$(CapturedTrace {
            name: $name,
            summary: $summary,
            page: include_str!(concat!("../traces/", $name, ".md")),
            bytes: include_bytes!(concat!("../traces/", $name, ".csv.xz")),
        }),*]
    };
}

/// All captured traces, in list order.
pub static CAPTURED: &[CapturedTrace] = captured![
    "sqlite-wal": "SQLite with a write-ahead log: a shop, 80 commits per second",
    "sqlite-journal": "SQLite with its rollback journal: the same shop, fewer commits",
    "postgres-pgbench": "PostgreSQL under pgbench (TPC-B-like), four clients",
    "leveldb": "LevelDB, a log-structured merge tree: writes, reads, deletes, compaction",
    "maildir": "mail as small files: delivery with fsync, moves, deletions",
    "git-history": "Git: a clone, commits that are synced, branches, garbage collection",
    "rust-build": "Cargo: a build from nothing, builds of what changed, `cargo clean`",
    "desktop-copies": "trees of files copied, archived, edited and deleted, with trims",
];

/// The captured trace of this name.
pub fn captured(name: &str) -> Option<&'static CapturedTrace> {
    CAPTURED.iter().find(|trace| trace.name == name)
}

/// The captured trace that this path names: it is the name, and nothing else.
pub(crate) fn captured_at(path: &Path) -> Option<&'static CapturedTrace> {
    path.to_str().and_then(captured)
}
