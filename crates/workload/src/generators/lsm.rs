//! A log-structured merge tree: tables are written in order, merged downwards, and trimmed when they are merged.
//!
//! Keys are written at random, so a flushed table has keys of the whole range. Level 1 divides the range into as many
//! cells as the size ratio, and each level below divides a cell again; a cell holds one table at most. Merges:
//!
//! ```text
//! flush:            write a table at level 0
//! from level 0:     when there are `l0_tables`, merge them with all of level 1
//! from level i:     a full cell, in turns, merges with the cells below it
//! merge:            each cell below gets its share of the keys, at most a table; equal keys are written once
//! end of a merge:   its inputs are trimmed
//! ```
//!
//! A flush and a merge per level run at once; which of them writes next is drawn evenly. A cell that is full waits for
//! room below. The last level has the cells that the space leaves it; it stays full. Reads are none: merges read, but
//! writes alone decide where pages go.

use crate::error::WorkloadError;
use crate::generators::draw;
use crate::generators::generated::{Access, Pattern};
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::mix::{self, FOOTPRINT};
use crate::generators::pace;
use crate::parameters::{Kind, ParameterInfo};
use crate::request::Op;
use rand_pcg::Pcg64;
use std::collections::VecDeque;

static TREE: &[ParameterInfo] = &[
    ParameterInfo {
        name: "ratio",
        summary: "size of a level, as a multiple of the level above it",
        unit: "times",
        kind: Kind::Count { min: 2, max: 100 },
        default: "10",
    },
    ParameterInfo {
        name: "l0_tables",
        summary: "flushed tables that are merged into level 1 together; at twice as many flushes wait",
        unit: "tables",
        kind: Kind::Count { min: 1, max: 64 },
        default: "4",
    },
    ParameterInfo::bytes(
        "table",
        "auto",
        "size of a full table; auto: 1/512 of the space, at least a page, at most 64 MiB",
    ),
    ParameterInfo::bytes("write", "128k", "size of a write; the last of a table may be shorter"),
    FOOTPRINT,
];

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "lsm",
    summary: "an LSM tree: tables of each level written in order at once, inputs of a merge trimmed; a stream per level",
    parameters: &[TREE, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "P. O'Neil et al., The Log-Structured Merge-Tree, Acta Informatica 33, 1996; leveled compaction as in \
             RocksDB, without its key-overlap scores",
    build,
};

const MOST_TABLE: u64 = 64 << 20;
/// Levels below level 0; streams are their numbers + 1.
const MOST_LEVELS: usize = 8;

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let parameters = request.parameters;
    let page = u64::from(request.space.page_bytes);
    let footprint = mix::footprint_bytes(parameters, request.space);
    let auto = || (footprint / 512).clamp(page, MOST_TABLE.max(page));
    let table = parameters.bytes("table").unwrap_or_else(auto);
    let table = table.checked_next_multiple_of(page).unwrap_or(u64::MAX);
    let [ratio, flushed] = ["ratio", "l0_tables"].map(|name| parameters.count(name).unwrap_or(2));
    let slots = footprint / table;
    let Some(cells) = cells(slots, ratio, flushed) else {
        let expected = format!(
            "such that a level of two tables and {} tables being flushed or merged fit {footprint} bytes",
            2 * flushed + 3
        );
        return Err(parameters.refuse("table", expected));
    };
    let pattern = Tree {
        rng: request.rng(),
        page,
        table,
        write: parameters.bytes("write").unwrap_or(4096),
        flushed: flushed as usize,
        free: (0..slots).collect(),
        level_0: VecDeque::new(),
        levels: cells.iter().map(|count| Level::new(*count)).collect(),
        jobs: Vec::new(),
        trims: VecDeque::new(),
    };
    Ok(request.paced(pattern, slots * table))
}

/// Cells of each level, from level 1: as many as `slots` tables hold, with those that flushes and merges need besides.
fn cells(slots: u64, ratio: u64, flushed: u64) -> Option<Vec<u64>> {
    let mut best = None;
    let mut above = Vec::new();
    // Level 0, and the table that is being flushed.
    let mut needed = 2 * flushed + 1;
    for _ in 0..MOST_LEVELS {
        let parents = above.last().copied().unwrap_or(1);
        // Each cell of the last level takes a table, and a merge into it writes so many at a time.
        let Some(room) = slots.checked_sub(needed) else { break };
        let fan = (room / (parents + 1)).min(ratio);
        if fan < 2 {
            break;
        }
        let mut cells = above.clone();
        cells.push(parents * fan);
        best = Some(cells);
        above.push(parents * ratio);
        needed += parents * ratio + ratio;
    }
    best
}

/// A place of the size of a table, and how much of it is written.
#[derive(Clone, Copy, Debug)]
struct Table {
    slot: u64,
    bytes: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    table: Option<Table>,
    /// True while a merge reads or writes it.
    busy: bool,
}

struct Level {
    cells: Vec<Cell>,
    /// Where the search for a full cell goes on.
    next: usize,
}

impl Level {
    fn new(cells: u64) -> Self {
        Self { cells: vec![Cell::default(); cells as usize], next: 0 }
    }
}

/// A flush or a merge.
struct Job {
    /// Level that it writes, from 0.
    to: usize,
    /// Cell above that it merges downwards.
    source: Option<usize>,
    /// Tables that it replaces, with their streams.
    inputs: Vec<(Table, u8)>,
    /// Cells to be written, with their bytes.
    outputs: VecDeque<(usize, u64)>,
    done: Vec<(usize, Table)>,
    /// The table being written.
    current: Option<(Table, u64)>,
}

struct Tree {
    rng: Pcg64,
    page: u64,
    table: u64,
    write: u64,
    /// Tables of level 0 that are merged together.
    flushed: usize,
    /// Free places, the one that has been free for longest first.
    free: VecDeque<u64>,
    level_0: VecDeque<Table>,
    /// Levels from 1.
    levels: Vec<Level>,
    jobs: Vec<Job>,
    trims: VecDeque<(Table, u8)>,
}

fn stream(level: usize) -> u8 {
    level as u8 + 1
}

impl Tree {
    /// Starts what can run: merges, the lowest first, and a flush.
    fn start(&mut self) {
        for to in (1..=self.levels.len()).rev() {
            if self.jobs.iter().all(|job| job.to != to) {
                let job = if to == 1 { self.merge_level_0() } else { self.merge_level(to - 1) };
                self.jobs.extend(job);
            }
        }
        let flushes = self.jobs.iter().any(|job| job.to == 0);
        // Tables that are being merged still have their places.
        let merged = self.jobs.iter().filter(|job| job.to == 1).count() * self.flushed;
        if !flushes && self.level_0.len() + merged < 2 * self.flushed {
            self.jobs.push(Job {
                to: 0,
                source: None,
                inputs: Vec::new(),
                outputs: [(0, self.table)].into(),
                done: Vec::new(),
                current: None,
            });
        }
    }

    fn merge_level_0(&mut self) -> Option<Job> {
        if self.level_0.len() < self.flushed {
            return None;
        }
        let bytes = self.flushed as u64 * self.table;
        let mut job = self.merge(bytes, 1, 0..self.levels[0].cells.len())?;
        job.inputs.extend(self.level_0.drain(..self.flushed).map(|table| (table, stream(0))));
        Some(job)
    }

    /// A merge of a full cell of a level with those below it.
    fn merge_level(&mut self, from: usize) -> Option<Job> {
        let count = self.levels[from - 1].cells.len();
        let fan = self.levels[from].cells.len() / count;
        let first = self.levels[from - 1].next;
        for at in (0..count).map(|step| (first + step) % count) {
            let cell = self.levels[from - 1].cells[at];
            let Some(table) = cell.table.filter(|table| !cell.busy && table.bytes == self.table)
            else {
                continue;
            };
            if let Some(mut job) = self.merge(table.bytes, from + 1, at * fan..(at + 1) * fan) {
                job.inputs.push((table, stream(from)));
                job.source = Some(at);
                let level = &mut self.levels[from - 1];
                level.cells[at].busy = true;
                level.next = (at + 1) % count;
                return Some(job);
            }
        }
        None
    }

    /// A merge of `bytes` into some cells of a level; `None` while one of them is busy, or must go down first.
    fn merge(&mut self, bytes: u64, to: usize, cells: std::ops::Range<usize>) -> Option<Job> {
        let is_last = to == self.levels.len();
        let (page, full) = (self.page, self.table);
        let share = bytes.div_ceil(cells.len() as u64).next_multiple_of(page);
        let below = &mut self.levels[to - 1].cells[cells.clone()];
        let waits = |cell: &Cell| {
            cell.busy || !is_last && cell.table.is_some_and(|table| table.bytes == full)
        };
        if below.iter().any(waits) {
            return None;
        }
        let (mut inputs, mut outputs) = (Vec::new(), VecDeque::new());
        for (cell, at) in below.iter_mut().zip(cells) {
            cell.busy = true;
            let old = cell.table.map_or(0, |table| table.bytes);
            inputs.extend(cell.table.map(|table| (table, stream(to))));
            outputs.push_back((at, (old + share).min(full)));
        }
        Some(Job { to, source: None, inputs, outputs, done: Vec::new(), current: None })
    }

    /// The next write of a job; true with it if the job ends.
    fn advance(&mut self, at: usize) -> (Access, bool) {
        let job = &mut self.jobs[at];
        let (table, written) = job.current.take().unwrap_or_else(|| {
            let bytes = job.outputs.front().map_or(0, |output| output.1);
            match self.free.pop_front() {
                Some(slot) => (Table { slot, bytes }, 0),
                None => unreachable!("`cells` leaves a place for every table of every job"),
            }
        });
        let length = self.write.min(table.bytes - written);
        let offset = table.slot * self.table + written;
        let access = Access { op: Op::Write, offset, length, stream: stream(job.to) };
        if written + length < table.bytes {
            job.current = Some((table, written + length));
        } else if let Some((cell, _)) = job.outputs.pop_front() {
            job.done.push((cell, table));
        }
        (access, job.outputs.is_empty())
    }

    fn end(&mut self, job: Job) {
        for (at, table) in job.done {
            match job.to {
                0 => self.level_0.push_back(table),
                to => self.levels[to - 1].cells[at] = Cell { table: Some(table), busy: false },
            }
        }
        if let Some(at) = job.source {
            self.levels[job.to - 2].cells[at] = Cell::default();
        }
        self.trims.extend(job.inputs);
    }
}

impl Pattern for Tree {
    fn next(&mut self) -> Access {
        if let Some((table, stream)) = self.trims.pop_front() {
            self.free.push_back(table.slot);
            let offset = table.slot * self.table;
            return Access { op: Op::Trim, offset, length: table.bytes, stream };
        }
        self.start();
        let at = draw::below(&mut self.rng, self.jobs.len() as u64) as usize;
        let (access, ends) = self.advance(at);
        if ends {
            let job = self.jobs.remove(at);
            self.end(job);
        }
        access
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_level_takes_what_the_space_leaves() {
        assert_eq!(cells(512, 10, 4), Some(vec![10, 100, 300]));
        assert_eq!(cells(9 + 2 * 2, 10, 4), Some(vec![2]));
        assert_eq!(cells(9 + 2 * 2 - 1, 10, 4), None);
        assert_eq!(cells(0, 2, 1), None);
        let deep = cells(1 << 20, 2, 1).unwrap();
        assert_eq!(deep.len(), MOST_LEVELS);
    }
}
