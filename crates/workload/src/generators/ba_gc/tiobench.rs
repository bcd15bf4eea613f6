//! Tiobench (`tiobench.pl --size 256 --block 4096`): runs with 1, 2, 4 and 8 threads.
//!
//! Each thread writes its own file in order, and then blocks of it at random.
//!
//! The total size of all files is 256 MiB for any number of threads, twice the memory of a small PC.
//! The threads' writes leave the host's cache interleaved, in transfers of 64 KiB in order and of 4 KiB at
//! random.
//! The script's 4,000 random writes per run are a sixteenth of all written bytes.
//! A buffer of 16 MiB holds a sixteenth of the files, so about one random write in sixteen hits.
//! With the tables of the file system this gives the printed ratio of 4.4 %.
//! With `random=32768`, a third of the bytes, `commit=512KiB` keeps that ratio.

use crate::generators::ba_gc::script::{CLUSTER, Program, Script, TRANSFER};
use crate::generators::ba_gc::stand_in::{self, STAND_IN, build};
use crate::generators::ba_gc::volume::{BLOCK, Behind, Volume};
use crate::generators::draw;
use crate::generators::generator::BuiltinInfo;
use crate::parameters::{Kind, ParameterInfo};
use rand_pcg::Pcg64;

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "ba-gc-tiobench",
    summary: "Tiobench on NTFS: 1 to 8 threads that each write a large file in order, and then at random",
    requests: Some(45_168),
    parameters: &[stand_in::PARAMETERS, stand_in::RATE, PARAMETERS],
    build: |request| {
        build(request, |volume, request| {
            let count = |name, or: u64| request.parameters.count(name).unwrap_or(or);
            let commit = request.parameters.bytes("commit").unwrap_or(COMMIT);
            Tiobench::new(volume, count("random", RANDOM), commit, request.rng())
        })
    },
    ..STAND_IN
};

static PARAMETERS: &[ParameterInfo] = &[
    ParameterInfo {
        name: "random",
        summary: "random writes of 4 KiB per run, of all threads (`--random`)",
        unit: "writes",
        kind: Kind::Count { min: 1, max: 1 << 20 },
        default: "4000",
    },
    ParameterInfo {
        name: "commit",
        summary: "bytes written in order after which the file system's tables are written",
        unit: "bytes",
        kind: Kind::Bytes,
        default: "256KiB",
    },
];

/// Random writes per run: the script's default.
const RANDOM: u64 = 4_000;

/// Numbers of threads, one run each.
const THREADS: [u64; 4] = [1, 2, 4, 8];

/// Total bytes of all files, if the volume has room for them.
const FILES: u64 = 256 << 20;

/// Bytes written in order after which the lazy writer writes a file's record.
const COMMIT: u64 = 256 << 10;

/// Random writes after which the lazy writer writes a file's record.
const RANDOM_COMMIT: u64 = 64;

/// Time without a write for the reading tests between two runs, ns.
const READING_NS: u64 = 10_000_000_000;

pub(super) struct Tiobench {
    rng: Pcg64,
    volume: Volume,
    places: Behind,
    /// Bytes of all files, bytes per file, and first byte of the first file.
    total: u64,
    file: u64,
    start: u64,
    run: usize,
    /// Bytes that each thread has written in order, and the threads still writing.
    written: [u64; 8],
    busy: Vec<u64>,
    /// Bytes written in order since the last commit, and number of random writes.
    uncommitted: u64,
    random: u64,
    /// Random writes per run, and bytes in order per commit.
    most_random: u64,
    commit: u64,
}

impl Tiobench {
    pub(super) fn new(volume: Volume, random: u64, commit: u64, rng: Pcg64) -> Self {
        // Whole blocks for each of the most threads.
        let most = THREADS[THREADS.len() - 1] * BLOCK;
        let total = volume.scaled(FILES) / most * most;
        let places = Behind::new(volume.data);
        let mut tiobench = Self {
            rng,
            volume,
            places,
            total: total.max(most),
            file: 0,
            start: 0,
            run: 0,
            written: [0; 8],
            busy: Vec::new(),
            uncommitted: 0,
            random: 0,
            // Files shrink with the volume, and their random writes with them.
            most_random: (random * total.max(most) / FILES).max(1),
            commit,
        };
        tiobench.begin();
        tiobench
    }

    /// Creates new files, one per thread.
    fn begin(&mut self) {
        let threads = THREADS[self.run];
        self.file = self.total / threads;
        self.start = self.places.place(self.total, BLOCK);
        self.written = [0; 8];
        self.busy.clear();
        self.busy.extend(0..threads);
        (self.uncommitted, self.random) = (0, 0);
    }

    /// An unfinished thread writes its next transfer.
    fn write_in_order(&mut self, script: &mut Script) {
        let index = draw::below(&mut self.rng, self.busy.len() as u64) as usize;
        let thread = self.busy[index];
        let written = &mut self.written[thread as usize];
        let at = self.start + thread * self.file + *written;
        script.write(at, TRANSFER);
        *written += TRANSFER;
        self.uncommitted += TRANSFER;
        if *written == self.file {
            self.busy.swap_remove(index);
        }
        if self.uncommitted >= self.commit {
            self.uncommitted = 0;
            self.volume.commit(thread, at, script);
        }
    }

    /// Writes one random block of a file.
    fn write_at_random(&mut self, script: &mut Script) {
        let at = self.start + draw::below(&mut self.rng, self.total / CLUSTER) * CLUSTER;
        script.write(at, CLUSTER);
        self.random += 1;
        if self.random.is_multiple_of(RANDOM_COMMIT) {
            self.volume.log(512, script);
            self.volume.record((at - self.start) / self.file, script);
        }
    }
}

impl Program for Tiobench {
    fn act(&mut self, script: &mut Script) {
        if !self.busy.is_empty() {
            self.write_in_order(script);
            return;
        }
        self.write_at_random(script);
        if self.random >= self.most_random {
            script.pause(READING_NS);
            self.run = (self.run + 1) % THREADS.len();
            self.begin();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators::ba_gc::script::requests_until;
    use rand::SeedableRng;

    #[test]
    fn a_run_tries_every_number_of_threads_once() {
        let tiobench = Tiobench::new(Volume::new(1 << 30), RANDOM, COMMIT, Pcg64::seed_from_u64(5));
        assert_eq!(tiobench.total, FILES);
        assert_eq!(tiobench.most_random, RANDOM);
        let requests = requests_until(tiobench, |tiobench| {
            tiobench.run == 0 && tiobench.busy.len() == 1 && tiobench.written[0] == 0
        });
        assert_eq!(INFO.requests, Some(requests));
    }

    #[test]
    fn threads_write_their_files_out_at_the_same_time() {
        let mut tiobench =
            Tiobench::new(Volume::new(1 << 30), RANDOM, COMMIT, Pcg64::seed_from_u64(5));
        let mut script = Script::default();
        while tiobench.run < 3 {
            tiobench.act(&mut script);
        }
        while tiobench.busy.len() == 8 {
            tiobench.act(&mut script);
        }
        let least = tiobench.written.iter().min().unwrap();
        assert!(*least * 10 > tiobench.file * 8, "{least} of {} bytes", tiobench.file);
    }
}
