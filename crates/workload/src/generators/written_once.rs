//! Stored pictures, music and films: each sector is written once, in order, and reads go to random written
//! sectors.
//!
//! The few writes beyond one per sector go to the file system's tables.

use crate::generators::draw;
use crate::generators::generated::{Access, Counted, Pattern};
use crate::generators::quota::Quota;
use crate::request::Op;
use rand::SeedableRng;
use rand_pcg::Pcg64;

/// The tables occupy the first 1/`TABLE_SECTORS` of the range.
const TABLE_SECTORS: u64 = 500;

/// The requests, each one sector of a part of the space.
pub(crate) struct WrittenOnce {
    rng: Pcg64,
    quota: Quota,
    /// First byte of the part, and bytes per sector.
    base: u64,
    sector: u64,
    /// Sectors of the part, and number of written sectors.
    range: u64,
    written: u64,
    /// Remaining writes to new sectors (as writes) and to the tables (as reads).
    order: Quota,
}

impl WrittenOnce {
    /// `quota` requests on `range` sectors from byte `base` on.
    pub(crate) fn new(
        base: u64,
        sector: u64,
        range: u64,
        quota: Quota,
        writes: u64,
        seed: u64,
    ) -> Self {
        let once = writes.min(range);
        let rng = Pcg64::seed_from_u64(seed);
        let order = Quota::new(writes - once, once);
        Self { rng, quota, base, sector, range, written: 0, order }
    }
}

impl Counted for WrittenOnce {
    fn left(&self) -> u64 {
        self.quota.left()
    }

    fn write_at(&mut self, offset: u64) -> Access {
        Access::plain(self.quota.take_write(), self.base + offset, self.sector)
    }
}

impl Pattern for WrittenOnce {
    fn next(&mut self) -> Access {
        let op = self.quota.draw(&mut self.rng);
        let sector = if op == Op::Read {
            draw::below(&mut self.rng, self.written.max(1))
        } else if self.order.draw(&mut self.rng) == Op::Write {
            self.written += 1;
            self.written - 1
        } else {
            draw::below(&mut self.rng, (self.range / TABLE_SECTORS).max(1))
        };
        Access::plain(op, self.base + sector * self.sector, self.sector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sector_is_written_once_and_read_after_that() {
        let (reads, writes, range) = (5_000, 10_300, 10_000);
        let mut once = WrittenOnce::new(0, 1, range, Quota::new(reads, writes), writes, 1);
        let mut written = vec![0u32; range as usize];
        while once.left() > 0 {
            let Access { op, offset, .. } = once.next();
            match op {
                Op::Write => written[offset as usize] += 1,
                _ => {
                    assert!(written[offset as usize] > 0 || offset == 0, "{offset} was not written")
                }
            }
        }
        assert!(written.iter().all(|times| *times > 0));
        let again = written.iter().filter(|times| **times > 1).count();
        assert!(again <= 20, "{again} sectors were written again");
    }
}
