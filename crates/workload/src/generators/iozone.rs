//! Order of IOzone's automatic mode: files of 64 KiB to 32 MiB, each with records of 4 KiB to 16 MiB.
//!
//! Each combination uses a new file.
//! It is written, rewritten, written in random order of its records, rewritten in one record repeatedly, and
//! written and rewritten through the standard library.
//!
//! These tests write 2.46 million sectors of 2 KiB.
//! The rest of the trace's 3.09 million goes to the tables of the file system, a few sectors that are
//! rewritten all the time.
//! Reads, most of which a page cache answers, are few and anywhere in the file.

use crate::generators::draw;
use crate::generators::generated::{Access, Counted, Pattern};
use crate::generators::quota::Quota;
use crate::request::Op;
use rand::SeedableRng;
use rand_pcg::Pcg64;

/// Sectors of 2 KiB in the printed range of the benchmark; file sizes scale with the range.
const RANGE: u64 = 65_588;

/// Sectors of the smallest and of the largest file, 64 KiB and 32 MiB.
const FILES: (u64, u64) = (32, 16_384);

/// Sectors of the smallest and of the largest record, 4 KiB and 16 MiB.
const RECORDS: (u64, u64) = (2, 8_192);

/// Share of the writes that goes to the tables, in 1/10,000: 3,089,393 less 2,457,024.
const TABLES: u64 = 2_047;

/// The tables occupy the first 1/`TABLE_SECTORS` of the range.
const TABLE_SECTORS: u64 = 500;

/// A test of IOzone that writes the whole file once.
#[derive(Clone, Copy, Debug)]
pub(super) enum Test {
    /// From the first sector to the last.
    InOrder,
    /// Record by record, each drawn at random.
    RandomRecords,
    /// The same record every time.
    OneRecord,
    /// In order, to a file that was truncated.
    Fwrite,
}

/// Writing tests, in order: write, rewrite, random write, record rewrite, fwrite, frewrite.
const TESTS: [Test; 6] = [
    Test::InOrder,
    Test::InOrder,
    Test::RandomRecords,
    Test::OneRecord,
    Test::Fwrite,
    Test::InOrder,
];

/// Position in the automatic mode: sizes double from the smallest to the largest, in any unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sweep {
    files: (u64, u64),
    records: (u64, u64),
    /// Size of the file and of its records.
    pub(super) file: u64,
    pub(super) record: u64,
    test: usize,
}

impl Sweep {
    /// Starts at the smallest file and record. Each pair is the smallest and the largest size; their ratio is
    /// a power of two.
    pub(super) fn new(files: (u64, u64), records: (u64, u64)) -> Self {
        Self { files, records, file: files.0, record: records.0, test: 0 }
    }

    pub(super) fn test(&self) -> Test {
        TESTS[self.test]
    }

    /// Goes to the next test; true if it writes a new file.
    pub(super) fn advance(&mut self) -> bool {
        self.test += 1;
        if self.test < TESTS.len() {
            return false;
        }
        self.test = 0;
        self.record *= 2;
        if self.record > self.records.1.min(self.file) {
            self.record = self.records.0;
            self.file = if self.file == self.files.1 { self.files.0 } else { self.file * 2 };
        }
        true
    }
}

/// The requests, each one sector of a part of the space.
pub(crate) struct Iozone {
    rng: Pcg64,
    quota: Quota,
    /// First byte of the part, and bytes per sector.
    base: u64,
    sector: u64,
    /// Sectors of the part.
    range: u64,
    sweep: Sweep,
    /// First sector of the file, and sectors of it written by the current test.
    start: u64,
    written: u64,
    /// First sector of the current record within the file.
    at: u64,
}

impl Iozone {
    /// `quota` requests on `range` sectors from byte `base` on.
    pub(crate) fn new(base: u64, sector: u64, range: u64, quota: Quota, seed: u64) -> Self {
        let rng = Pcg64::seed_from_u64(seed);
        let start = tables(range).min(range - 1);
        let sweep = Sweep::new(FILES, RECORDS);
        Self { rng, quota, base, sector, range, sweep, start, written: 0, at: 0 }
    }

    /// Scales `sectors` from the printed range to this one.
    fn scaled(&self, sectors: u64) -> u64 {
        (sectors * self.range / RANGE).clamp(1, self.range)
    }

    /// Table sector for the place being written, or the directory.
    fn table(&mut self) -> u64 {
        let tables = tables(self.range);
        if draw::below(&mut self.rng, 2) == 0 { 0 } else { self.start * tables / self.range }
    }

    /// The next sector that the test writes.
    fn data(&mut self) -> u64 {
        let (file, record) = (self.scaled(self.sweep.file), self.scaled(self.sweep.record));
        let within = self.written % record;
        if within == 0 {
            let records = file.div_ceil(record);
            self.at = match self.sweep.test() {
                Test::InOrder | Test::Fwrite => self.written,
                Test::RandomRecords => draw::below(&mut self.rng, records) * record,
                Test::OneRecord => records / 2 * record,
            };
        }
        let place = (self.at + within).min(file - 1);
        self.written += 1;
        let sector = self.start + place;
        if self.written >= file {
            self.next_test(file);
        }
        sector.min(self.range - 1)
    }

    fn next_test(&mut self, file: u64) {
        self.written = 0;
        if !self.sweep.advance() {
            return;
        }
        // The new file follows the one that was removed: FAT searches for free clusters from there.
        self.start += file;
        if self.start + self.scaled(self.sweep.file) > self.range {
            self.start = tables(self.range).min(self.range - 1);
        }
    }
}

/// Number of table sectors at the start of the range.
fn tables(range: u64) -> u64 {
    (range / TABLE_SECTORS).max(1)
}

impl Counted for Iozone {
    fn left(&self) -> u64 {
        self.quota.left()
    }

    fn write_at(&mut self, offset: u64) -> Access {
        Access::plain(self.quota.take_write(), self.base + offset, self.sector)
    }
}

impl Pattern for Iozone {
    fn next(&mut self) -> Access {
        let op = self.quota.draw(&mut self.rng);
        let sector = if op == Op::Read {
            let file = self.scaled(self.sweep.file);
            (self.start + draw::below(&mut self.rng, file)).min(self.range - 1)
        } else if draw::below(&mut self.rng, 10_000) < TABLES {
            self.table()
        } else {
            self.data()
        };
        Access::plain(op, self.base + sector * self.sector, self.sector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pass_of_the_tests_and_the_tables_make_up_the_printed_writes() {
        let pass: u64 = (0..10)
            .map(|doubled| FILES.0 << doubled)
            .map(|file| {
                let records =
                    (0..).map(|d| RECORDS.0 << d).take_while(|r| *r <= RECORDS.1.min(file));
                file * records.count() as u64 * TESTS.len() as u64
            })
            .sum();
        assert_eq!(pass, 2_457_024);
        let tables = (3_089_393 - pass) * 10_000 / 3_089_393;
        assert!(tables.abs_diff(TABLES) <= 1, "{tables}");
    }

    #[test]
    fn every_sector_lies_in_the_range_whatever_its_size() {
        for range in [1, 2, 3, 40, 700, RANGE, 1 << 20] {
            let mut iozone = Iozone::new(0, 512, range, Quota::new(50, 20_000), 3);
            for _ in 0..20_050 {
                let access = iozone.next();
                assert!(access.offset / 512 < range, "{access:?} of {range}");
            }
            assert_eq!(iozone.left(), 0);
        }
    }

    #[test]
    fn most_writes_go_on_where_the_one_before_ended() {
        let mut iozone = Iozone::new(0, 1, RANGE, Quota::new(0, 3_089_393), 1);
        let mut data = Vec::new();
        while iozone.left() > 0 {
            let sector = iozone.next().offset;
            if sector >= tables(RANGE) {
                data.push(sector);
            }
        }
        let on = data.windows(2).filter(|pair| pair[1] == pair[0] + 1).count();
        assert!(on as f64 / data.len() as f64 > 0.8, "{on} of {}", data.len());
    }
}
