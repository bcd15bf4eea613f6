//! IOzone in its automatic mode (`iozone -a -g 32m -q 64k`): files of 64 KiB to 32 MiB.
//!
//! Each file size is tested with records of 4 to 64 KiB, and each of these tests uses a new file.
//! The file is written, rewritten, written in random order of its records, and rewritten in one record
//! repeatedly.
//! Then it is written and rewritten through the standard library, which truncates it and so gives it new
//! clusters.
//!
//! The largest file size is a choice: twice a buffer of 16 MiB.
//! Data rewritten soon is still in the buffer for files up to 8 MiB, but not at 32 MiB.
//! Random records of the large files reach the medium one by one.
//! Sequential data leaves the host's cache in transfers of 64 KiB, whatever the record size.
//! Reads do not appear in the trace.

use crate::generators::ba_gc::script::{CLUSTER, Program, Script};
use crate::generators::ba_gc::stand_in::{STAND_IN, build};
use crate::generators::ba_gc::volume::{BLOCK, Behind, Volume};
use crate::generators::draw;
use crate::generators::generator::BuiltinInfo;
use crate::generators::iozone::{Sweep, Test};
use rand_pcg::Pcg64;

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "ba-gc-iozone",
    summary: "IOzone on NTFS: files of 64 KiB to 32 MiB written, rewritten shortly, and at random",
    requests: Some(98_088),
    build: |request| build(request, |volume, request| Iozone::new(volume, request.rng())),
    ..STAND_IN
};

/// Smallest and largest file, bytes.
const FILES: (u64, u64) = (64 << 10, 32 << 20);

/// Smallest and largest record, bytes.
const RECORDS: (u64, u64) = (CLUSTER, 64 << 10);

/// Bytes of data after which the lazy writer writes the file's record.
const COMMIT: u64 = 1 << 20;

/// Bytes added to the script at a time while a test writes in order.
const CHUNK: u64 = 256 << 10;

/// ns per byte between two tests: the file is closed and opened, and reads take as long as writes.
const READING_NS: u64 = 30;

pub(super) struct Iozone {
    rng: Pcg64,
    volume: Volume,
    places: Behind,
    sweep: Sweep,
    /// First byte of the file, its number, and the bytes that the test has written.
    start: u64,
    number: u64,
    written: u64,
    /// Bytes of data since the file's record was written.
    uncommitted: u64,
}

impl Iozone {
    pub(super) fn new(volume: Volume, rng: Pcg64) -> Self {
        // The largest power of two that fits four times into the volume.
        let fits = 1 << (volume.data.length / 4).ilog2();
        let largest = FILES.1.min(fits);
        let mut places = Behind::new(volume.data);
        let start = places.place(FILES.0, BLOCK);
        let sweep = Sweep::new((FILES.0, largest), (RECORDS.0, RECORDS.1));
        Self { rng, volume, places, sweep, start, number: 0, written: 0, uncommitted: 0 }
    }

    fn next_test(&mut self, script: &mut Script) {
        let file = self.sweep.file;
        script.pause(file * READING_NS);
        self.volume.commit(self.number, self.start, script);
        (self.written, self.uncommitted) = (0, 0);
        let is_new = self.sweep.advance();
        self.number += u64::from(is_new);
        if is_new || matches!(self.sweep.test(), Test::Fwrite) {
            self.start = self.places.place(self.sweep.file, BLOCK);
        }
    }
}

impl Program for Iozone {
    fn act(&mut self, script: &mut Script) {
        let (file, record) = (self.sweep.file, self.sweep.record);
        let (at, length) = match self.sweep.test() {
            Test::InOrder | Test::Fwrite => (self.written, CHUNK.min(file - self.written)),
            Test::RandomRecords => (draw::below(&mut self.rng, file / record) * record, record),
            Test::OneRecord => (file / record / 2 * record, record),
        };
        script.write(self.start + at, length);
        self.written += length;
        self.uncommitted += length;
        if self.written >= file {
            self.next_test(script);
        } else if self.uncommitted >= COMMIT {
            self.volume.commit(self.number, self.start + at, script);
            self.uncommitted = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators::ba_gc::script::requests_until;
    use rand::SeedableRng;

    #[test]
    fn a_run_is_one_sweep_over_files_and_records() {
        let iozone = Iozone::new(Volume::new(1 << 30), Pcg64::seed_from_u64(5));
        // Files of 2¹⁶ to 2²⁴ bytes with records of 2¹² bytes and more.
        let files = (16..=24).map(|file| file - 12 + 1).sum();
        let requests = requests_until(iozone, |iozone| iozone.number == files);
        assert_eq!(INFO.requests, Some(requests));
    }
}
