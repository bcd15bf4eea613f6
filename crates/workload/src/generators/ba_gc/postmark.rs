//! Postmark (`set number 28672; set size 500 16384`, 22 subdirectories): the many small files of a mail
//! server.
//!
//! Each transaction creates or removes one file, and reads one or appends to one.
//!
//! The workload has the transactions only, so that every part of a run is alike.
//! It leaves out the creation of all files before them and the removal after them.
//!
//! Every file has a place with room for the largest size, and seven of eight places are occupied.
//! A new file gets the next free place after the last one, as file systems search, so writes go forward with
//! gaps.
//! Appends go to any file, and of 231 MiB of files few are in a buffer of 16 MiB.
//! The lazy writer writes file records, directory and bitmap for 80 transactions at a time.
//! Together this gives the printed ratio of 3.1 %.

use crate::generators::ba_gc::script::{CLUSTER, Program, Script};
use crate::generators::ba_gc::stand_in::{STAND_IN, build};
use crate::generators::ba_gc::volume::{Extent, Volume};
use crate::generators::draw;
use crate::generators::generator::BuiltinInfo;
use rand::Rng;
use rand_pcg::Pcg64;

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "ba-gc-postmark",
    summary: "Postmark on NTFS: small files made, appended to and removed, hardly a page written twice",
    requests: Some(200_000),
    build: |request| build(request, |volume, request| Postmark::new(volume, request.rng())),
    ..STAND_IN
};

/// Bytes reserved for files, if the volume has room.
const POOL: u64 = 512 << 20;

/// Smallest and largest file, bytes; each place has room for the largest.
const SIZES: (u64, u64) = (500, 16 << 10);
const PLACE: u64 = SIZES.1;

/// Transactions per write of the tables, and file records due at that time.
const COMMIT: u64 = 80;
const RIPE: usize = 8;

/// Journal bytes per transaction that changes the tables.
const LOGGED: u64 = 256;

/// Directory entries per cluster.
const ENTRIES: u64 = 40;

/// Time without a write per transaction, ns: reads, and the program's own time.
const TRANSACTION_NS: u64 = 2_000_000;

#[derive(Clone, Copy, Debug)]
struct File {
    place: u32,
    size: u32,
}

/// Places with their occupation, and the position of the last allocation.
#[derive(Clone, Debug)]
struct SlotSet {
    taken: Vec<u64>,
    count: u64,
    at: u64,
}

impl SlotSet {
    /// Takes the next free place after the last one; at least one must be free.
    fn take(&mut self) -> u32 {
        loop {
            let word = &mut self.taken[(self.at / 64) as usize];
            let free = !*word & (u64::MAX << (self.at % 64));
            if free == 0 {
                self.at = (self.at / 64 + 1) * 64 % self.count;
                continue;
            }
            let bit = free.trailing_zeros();
            *word |= 1 << bit;
            let place = self.at / 64 * 64 + u64::from(bit);
            self.at = (place + 1) % self.count;
            return place as u32;
        }
    }

    fn free(&mut self, place: u32) {
        self.taken[place as usize / 64] &= !(1 << (place % 64));
    }
}

pub(super) struct Postmark {
    rng: Pcg64,
    volume: Volume,
    pool: Extent,
    places: SlotSet,
    files: Vec<File>,
    /// Fewest and most files.
    limits: (usize, usize),
    transactions: u64,
    /// Ring of the files changed last: their records and places.
    changed: [(u64, u32); RIPE],
}

impl Postmark {
    pub(super) fn new(volume: Volume, mut rng: Pcg64) -> Self {
        let mut rest = volume.data;
        let pool = rest.cut(volume.scaled(POOL));
        // Whole words of places: at least two, on the smallest volume.
        let count = pool.length / PLACE / 64 * 64;
        let mut places = SlotSet { taken: vec![0; (count / 64) as usize], count, at: 0 };
        let (number, slack) = (count as usize / 8 * 7, count as usize / 16);
        let mut files = Vec::with_capacity(number + slack);
        while files.len() < number {
            let place = draw::below(&mut rng, count) as u32;
            let word = &mut places.taken[place as usize / 64];
            if *word >> (place % 64) & 1 == 0 {
                *word |= 1 << (place % 64);
                files.push(File { place, size: size(&mut rng) });
            }
        }
        let limits = (number - slack, number + slack);
        Self { rng, volume, pool, places, files, limits, transactions: 0, changed: [(0, 0); RIPE] }
    }

    fn create(&mut self, script: &mut Script) {
        let file = File { place: self.places.take(), size: size(&mut self.rng) };
        self.write(file.place, 0, file.size, script);
        self.note(self.files.len(), file.place);
        self.files.push(file);
    }

    fn remove(&mut self) {
        let index = draw::below(&mut self.rng, self.files.len() as u64) as usize;
        let file = self.files.swap_remove(index);
        self.places.free(file.place);
        self.note(index, file.place);
    }

    /// Appends to a file with room, up to the largest size, as the program does.
    fn append(&mut self, script: &mut Script) {
        let index = draw::below(&mut self.rng, self.files.len() as u64) as usize;
        let file = self.files[index];
        let room = SIZES.1 - u64::from(file.size);
        if room == 0 {
            return;
        }
        let size = file.size + 1 + draw::below(&mut self.rng, room) as u32;
        self.write(file.place, file.size, size, script);
        self.files[index].size = size;
        self.note(index, file.place);
    }

    /// Writes the clusters that hold bytes `from` to `to` of the file in this place.
    fn write(&self, place: u32, from: u32, to: u32, script: &mut Script) {
        let first = u64::from(from) / CLUSTER * CLUSTER;
        let end = u64::from(to).next_multiple_of(CLUSTER);
        script.write(self.pool.start + u64::from(place) * PLACE + first, end - first);
    }

    fn note(&mut self, index: usize, place: u32) {
        self.changed[(self.transactions % RIPE as u64) as usize] = (index as u64, place);
    }

    fn commit(&mut self, script: &mut Script) {
        self.volume.log(COMMIT * LOGGED, script);
        for (record, _) in self.changed {
            self.volume.record(record, script);
        }
        let (record, place) = self.changed[0];
        self.volume.directory(record / ENTRIES, script);
        self.volume.bits(self.pool.start + u64::from(place) * PLACE, script);
    }

    fn transaction(&mut self, script: &mut Script) {
        script.pause(TRANSACTION_NS);
        let draw = self.rng.next_u64();
        let creates = match self.files.len() {
            few if few <= self.limits.0 => true,
            many if many >= self.limits.1 => false,
            _ => draw & 1 == 0,
        };
        if creates {
            self.create(script)
        } else {
            self.remove()
        }
        if draw & 2 == 0 {
            self.append(script);
        }
        self.transactions += 1;
        if self.transactions.is_multiple_of(COMMIT) {
            self.commit(script);
        }
    }
}

/// Draws the size of a new file, bytes.
fn size(rng: &mut Pcg64) -> u32 {
    (SIZES.0 + draw::below(rng, SIZES.1 - SIZES.0)) as u32
}

impl Program for Postmark {
    fn act(&mut self, script: &mut Script) {
        // A commit writes, so at most `COMMIT` transactions in a row write nothing.
        while script.is_empty() {
            self.transaction(script);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators::ba_gc::volume::SMALLEST;
    use rand::SeedableRng;
    use std::collections::HashSet;

    #[test]
    fn no_two_files_share_a_place_and_their_number_stays_near_what_is_set() {
        for bytes in [SMALLEST, 1 << 30] {
            let mut postmark = Postmark::new(Volume::new(bytes), Pcg64::seed_from_u64(5));
            let mut script = Script::default();
            for _ in 0..100_000 {
                postmark.transaction(&mut script);
            }
            let places: HashSet<u32> = postmark.files.iter().map(|file| file.place).collect();
            assert_eq!(places.len(), postmark.files.len());
            let taken: u32 = postmark.places.taken.iter().map(|word| word.count_ones()).sum();
            assert_eq!(taken as usize, places.len());
            assert!(
                (postmark.limits.0..=postmark.limits.1).contains(&places.len()),
                "{}",
                places.len()
            );
            let pool = postmark.pool;
            assert!(places.iter().all(|&place| (u64::from(place) + 1) * PLACE <= pool.length));
            assert!(postmark.files.iter().all(|file| u64::from(file.size) <= SIZES.1));
        }
    }

    #[test]
    fn the_pool_has_the_number_of_files_that_is_said() {
        let postmark = Postmark::new(Volume::new(1 << 30), Pcg64::seed_from_u64(5));
        assert_eq!(postmark.files.len(), 28_672);
        let bytes: u64 = postmark.files.iter().map(|file| u64::from(file.size)).sum();
        assert!((bytes >> 20).abs_diff(231) <= 2, "{} MiB", bytes >> 20);
    }
}
