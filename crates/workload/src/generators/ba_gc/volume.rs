//! An NTFS volume, as far as its writes go: file table, journal, bitmap, directories, and file clusters.
//!
//! ```text
//! | $MFT, 1/8 | $LogFile, 1/128 | $Bitmap | directories, 1/64 | data ...                         |
//! ```
//!
//! Sizes are those of Windows XP: clusters of 4 KiB, file records of 1 KiB, an eighth of the volume for the
//! file table, a circular journal.
//! The position of the zones of a large NTFS volume is not modelled: the order is as above.
//! Data begins at a multiple of [`BLOCK`], as on a medium formatted for flash, so a file written in order
//! fills whole logical blocks.

use crate::generators::ba_gc::script::{CLUSTER, Script};

/// Bytes per logical block of the paper's part: 64 pages of 2 KiB.
pub(super) const BLOCK: u64 = 128 << 10;

pub(super) const SMALLEST: u64 = 4 << 20;

/// Bytes per file record.
const RECORD: u64 = 1 << 10;

const LARGEST_LOG: u64 = 64 << 20;

/// Bytes of data from which files have their nominal sizes; on a smaller volume they shrink with it.
const FULL_SIZE: u64 = 512 << 20;

/// A contiguous range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) start: u64,
    pub(super) length: u64,
}

impl Extent {
    pub(super) fn end(&self) -> u64 {
        self.start + self.length
    }

    /// Number of whole clusters.
    pub(super) fn clusters(&self) -> u64 {
        self.length / CLUSTER
    }

    /// First byte of the cluster that holds byte `offset` of the extent; offsets wrap around.
    fn cluster_of(&self, offset: u64) -> u64 {
        self.start + offset / CLUSTER % self.clusters() * CLUSTER
    }

    /// Cuts off and returns the first `length` bytes, rounded up to whole blocks, or everything if there is
    /// less.
    pub(super) fn cut(&mut self, length: u64) -> Self {
        let length = length.next_multiple_of(BLOCK).min(self.length);
        let cut = Self { start: self.start, length };
        *self = Self { start: cut.end(), length: self.length - length };
        cut
    }
}

/// Zones of a volume, and the position in its journal.
#[derive(Clone, Debug)]
pub(super) struct Volume {
    mft: Extent,
    log: Extent,
    bitmap: Extent,
    directories: Extent,
    /// File clusters, in whole blocks.
    pub(super) data: Extent,
    /// Total bytes appended to the journal.
    logged: u64,
}

impl Volume {
    /// A volume on the first `bytes` of the space, at least [`SMALLEST`].
    pub(super) fn new(bytes: u64) -> Self {
        let mut end = 0;
        let mut zone = |length: u64| {
            let zone = Extent { start: end, length: length.next_multiple_of(CLUSTER) };
            end = zone.end();
            zone
        };
        let mft = zone(bytes / 8);
        let log = zone((bytes / 128).min(LARGEST_LOG));
        let bitmap = zone(bytes / CLUSTER / 8);
        let directories = zone(bytes / 64);
        let start = end.next_multiple_of(BLOCK);
        let data = Extent { start, length: (bytes - start) / BLOCK * BLOCK };
        Self { mft, log, bitmap, directories, data, logged: 0 }
    }

    /// `bytes` in whole blocks; if this volume's data is smaller than [`FULL_SIZE`], the same fraction of it.
    pub(super) fn scaled(&self, bytes: u64) -> u64 {
        let share = self.data.length.min(FULL_SIZE);
        // Counting in units of 4 KiB keeps the product below 2⁶⁴.
        (bytes / CLUSTER * share / FULL_SIZE * CLUSTER).next_multiple_of(BLOCK)
    }

    /// Appends `bytes` to the journal and writes the new clusters; a partly filled cluster is written again.
    pub(super) fn log(&mut self, bytes: u64, script: &mut Script) {
        let first = self.logged / CLUSTER;
        self.logged += bytes;
        for cluster in first..self.logged.div_ceil(CLUSTER) {
            script.write(self.log.cluster_of(cluster * CLUSTER), CLUSTER);
        }
    }

    /// Writes the cluster of the file table that holds this file's record.
    pub(super) fn record(&self, file: u64, script: &mut Script) {
        script.write(self.mft.cluster_of(file * RECORD), CLUSTER);
    }

    /// Writes this cluster of the directories.
    pub(super) fn directory(&self, cluster: u64, script: &mut Script) {
        script.write(self.directories.cluster_of(cluster * CLUSTER), CLUSTER);
    }

    /// Writes the cluster of the bitmap that covers byte `offset`.
    pub(super) fn bits(&self, offset: u64, script: &mut Script) {
        script.write(self.bitmap.cluster_of(offset / CLUSTER / 8), CLUSTER);
    }

    /// Writes the lazy writer's updates for a file that has grown: journal, record and bitmap.
    ///
    /// `offset` is the position of its data.
    pub(super) fn commit(&mut self, file: u64, offset: u64, script: &mut Script) {
        self.log(512, script);
        self.record(file, script);
        self.bits(offset, script);
    }
}

/// Allocates files one after another, each at a new unit, and wraps around; earlier files there are removed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Behind {
    zone: Extent,
    at: u64,
}

impl Behind {
    pub(super) fn new(zone: Extent) -> Self {
        Self { zone, at: zone.start }
    }

    /// First byte for a file of `length` bytes; `length` is at most the zone's.
    pub(super) fn place(&mut self, length: u64, unit: u64) -> u64 {
        let length = length.next_multiple_of(unit);
        if self.at + length > self.zone.end() {
            self.at = self.zone.start;
        }
        let place = self.at;
        self.at += length;
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_follow_one_another_within_the_volume() {
        for bytes in [SMALLEST, SMALLEST + 4096, 100_000_000, 1 << 30, 4 << 30, 16 << 40] {
            let volume = Volume::new(bytes);
            let zones = [volume.mft, volume.log, volume.bitmap, volume.directories, volume.data];
            assert!(zones.windows(2).all(|pair| pair[0].end() <= pair[1].start), "{volume:?}");
            assert!(zones.iter().all(|zone| zone.clusters() > 0 && zone.end() <= bytes));
            assert!(
                volume.data.start.is_multiple_of(BLOCK) && volume.data.length.is_multiple_of(BLOCK)
            );
            assert!(volume.data.length > bytes / 2);
            assert_eq!(
                volume.scaled(256 << 20),
                (volume.data.length / 2).next_multiple_of(BLOCK).min(256 << 20),
                "{bytes}"
            );
        }
    }

    #[test]
    fn the_journal_writes_its_last_cluster_again_until_it_is_full() {
        let mut volume = Volume::new(SMALLEST);
        let (clusters, mut script) = (volume.log.clusters(), Script::default());
        for _ in 0..clusters * 2 {
            volume.log(CLUSTER / 2, &mut script);
        }
        let expected = (0..clusters * 2).map(|i| volume.log.start + i / 2 * CLUSTER);
        assert!(script.offsets().eq(expected));
    }
}
