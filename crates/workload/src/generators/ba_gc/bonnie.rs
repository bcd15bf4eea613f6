//! Bonnie++ (`bonnie++ -s 256 -r 128 -n 16`): one large file, then many small files.
//!
//! The large file is written by character, written by block and rewritten; then blocks of it change at
//! random.
//! The small files are created and removed, in order and at random.
//!
//! The three passes over the large file are sequential, and the file is twice as large as the memory.
//! So no page of one pass is in the buffer at the next, and collection does little beyond switch merges.
//! They take 13.5 % of the time (an erase of 2 ms per 64 programs of 0.2 ms), most of the 20 % that the paper
//! gives.
//!
//! The possible saving lies in the file system's tables.
//! Creating 16,384 files twice rewrites them all the time.
//! Their records are as large as a buffer of 16 MiB, and those of files removed at random do not all fit.
//!
//! Every tenth seek writes back the block that it read.
//! 256 MiB are twice the memory of a small PC, so a whole pass takes 1.5 GiB.

use crate::generators::ba_gc::script::{CLUSTER, Program, Script};
use crate::generators::ba_gc::stand_in::{STAND_IN, build};
use crate::generators::ba_gc::volume::{BLOCK, Behind, Volume};
use crate::generators::draw;
use crate::generators::generator::BuiltinInfo;
use crate::generators::scramble::Scramble;
use rand::Rng;
use rand_pcg::Pcg64;

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "ba-gc-bonnie",
    summary: "Bonnie++ on NTFS: a large file written in order three times, then many small ones made and removed",
    requests: Some(212_019),
    build: |request| build(request, |volume, request| Bonnie::new(volume, request.rng())),
    ..STAND_IN
};

/// Bytes of the large file, if the volume has room for it.
const FILE: u64 = 256 << 20;

/// Bytes per block of the program.
const PIECE: u64 = 8 << 10;

/// Bytes added to the script at a time while the file is written in order.
const CHUNK: u64 = 256 << 10;

/// Bytes of data after which the lazy writer writes the file's record.
const COMMIT: u64 = 1 << 20;

/// Seeks that write: 10 % of 8,192.
const SEEKS: u64 = 819;

/// Number of small files, if the volume has room for their records.
const SMALL_FILES: u64 = 16 << 10;

/// Directory entries per cluster.
const ENTRIES: u64 = 40;

/// Times without a write, ns.
///
/// - `PUTC_NS`: `putc` for a chunk (at 16 MiB/s).
/// - `READ_NS`: reading a chunk before it is rewritten.
/// - `SEEK_NS`: the ten seeks around one that writes.
/// - `CALL_NS`: the calls for a small file.
/// - `TEST_NS`: the reading tests.
const PUTC_NS: u64 = 8_000_000;
const READ_NS: u64 = 8_000_000;
const SEEK_NS: u64 = 100_000_000;
const CALL_NS: u64 = 500_000;
const TEST_NS: u64 = 5_000_000_000;

/// Phases of the program, in order.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Writes the file in order, with this pause before each chunk.
    InOrder {
        pause_ns: u64,
    },
    Seek,
    /// Creates or removes the small files, with entries and records in order or at random.
    SmallFiles {
        entries_in_order: bool,
        records_in_order: bool,
    },
}

const PHASES: [Phase; 8] = [
    Phase::InOrder { pause_ns: PUTC_NS },
    Phase::InOrder { pause_ns: 0 },
    Phase::InOrder { pause_ns: READ_NS },
    Phase::Seek,
    // Created and removed in order, then created and removed by random names.
    Phase::SmallFiles { entries_in_order: true, records_in_order: true },
    Phase::SmallFiles { entries_in_order: true, records_in_order: true },
    Phase::SmallFiles { entries_in_order: false, records_in_order: true },
    Phase::SmallFiles { entries_in_order: false, records_in_order: false },
];

pub(super) struct Bonnie {
    rng: Pcg64,
    volume: Volume,
    places: Behind,
    /// Bytes of the large file, its first byte, and the number of small files.
    length: u64,
    start: u64,
    small_files: u64,
    phase: usize,
    /// Bytes, seeks or small files done in this phase.
    done: u64,
    /// Order of small files by random names, and of their removal.
    names: Scramble,
}

impl Bonnie {
    pub(super) fn new(volume: Volume, mut rng: Pcg64) -> Self {
        let length = volume.scaled(FILE).min(volume.data.length);
        let small_files = volume.scaled(SMALL_FILES << 10) >> 10;
        let mut places = Behind::new(volume.data);
        let start = places.place(length, BLOCK);
        let names = Scramble::new(small_files, rng.next_u64());
        Self { rng, volume, places, length, start, small_files, phase: 0, done: 0, names }
    }

    fn in_order(&mut self, pause_ns: u64, script: &mut Script) -> bool {
        let length = CHUNK.min(self.length - self.done);
        script.pause(pause_ns);
        script.write(self.start + self.done, length);
        self.done += length;
        let is_done = self.done == self.length;
        if is_done || self.done.is_multiple_of(COMMIT) {
            self.volume.commit(0, self.start + self.done - length, script);
        }
        is_done
    }

    fn seek(&mut self, script: &mut Script) -> bool {
        script.pause(SEEK_NS);
        let piece = draw::below(&mut self.rng, self.length / PIECE);
        script.write(self.start + piece * PIECE, PIECE);
        self.done += 1;
        self.done >= SEEKS
    }

    fn small_file(
        &mut self,
        entries_in_order: bool,
        records_in_order: bool,
        script: &mut Script,
    ) -> bool {
        let order = |in_order| if in_order { self.done } else { self.names.apply(self.done) };
        let (entry, record) = (order(entries_in_order), order(records_in_order));
        script.pause(CALL_NS);
        self.volume.log(512, script);
        // Record 0 belongs to the large file.
        self.volume.record(1 + record, script);
        self.volume.directory(entry / ENTRIES, script);
        self.done += 1;
        self.done >= self.small_files
    }
}

impl Program for Bonnie {
    fn act(&mut self, script: &mut Script) {
        let is_done = match PHASES[self.phase] {
            Phase::InOrder { pause_ns } => self.in_order(pause_ns, script),
            Phase::Seek => self.seek(script),
            Phase::SmallFiles { entries_in_order, records_in_order } => {
                self.small_file(entries_in_order, records_in_order, script)
            }
        };
        if !is_done {
            return;
        }
        script.pause(TEST_NS);
        self.done = 0;
        self.phase = (self.phase + 1) % PHASES.len();
        if self.phase == 0 {
            self.start = self.places.place(self.length, BLOCK);
            self.names = Scramble::new(self.small_files, self.rng.next_u64());
        }
    }
}

// A chunk consists of whole blocks and whole pieces.
const _: () = assert!(CHUNK.is_multiple_of(BLOCK) && CHUNK.is_multiple_of(PIECE));
const _: () = assert!(PIECE.is_multiple_of(CLUSTER));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators::ba_gc::script::requests_until;
    use rand::SeedableRng;

    #[test]
    fn a_run_goes_once_through_all_phases() {
        let bonnie = Bonnie::new(Volume::new(1 << 30), Pcg64::seed_from_u64(5));
        assert_eq!((bonnie.length, bonnie.small_files), (FILE, SMALL_FILES));
        let requests = requests_until(bonnie, |bonnie| bonnie.phase == 0 && bonnie.done == 0);
        assert_eq!(INFO.requests, Some(requests));
    }
}
