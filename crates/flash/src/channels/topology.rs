//! Channels × ways × dies × planes, and the location of each block of the array on them.

use crate::address::BlockId;
use crate::divisor::Divisor;
use alloc::vec::Vec;

/// Most planes of one operation.
pub const MAX_PLANES: usize = 4;

/// Counts of channels, ways, dies and planes, and the size of a die.
///
/// A way is one chip-enable line of a channel. Its dies work independently but share the channel's bus. Each
/// plane has its own page and cache registers; block `b` of a die lies on plane `b mod planes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Channels, each with a bus of its own: 1 to 256.
    pub channels: u16,
    /// Ways per channel: 1 to 64.
    pub ways: u16,
    /// Dies per way: 1 to 16.
    pub dies: u16,
    /// Planes per die: 1 to [`MAX_PLANES`].
    pub planes: u16,
    /// Blocks per plane, 1 or more.
    pub blocks_per_plane: u32,
    /// Pages per block, 2 or more.
    pub pages_per_block: u32,
    /// True if a multi-plane operation takes only blocks at the same place of their planes (ONFI's block
    /// address restriction). Otherwise it takes any block of each plane.
    pub paired_blocks: bool,
}

/// Address of a die: channel, way, and die within the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DieAddress {
    /// Channel, `0..channels`.
    pub channel: u16,
    /// Way of the channel, `0..ways`.
    pub way: u16,
    /// Die of the way, `0..dies`.
    pub die: u16,
}

/// Where a block of an array is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub(crate) die: DieAddress,
    /// Number of the die among all.
    pub(crate) at: u32,
    /// Its block there.
    pub(crate) block: u32,
}

/// [`Topology::place`] without a division per block, for a topology whose counts are not 0.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    blocks: u64,
    /// Dies in the order of the first blocks, each with its number among all, and their number.
    dies: Vec<(DieAddress, u32)>,
    count: Divisor,
}

impl Places {
    pub(crate) fn of(topology: &Topology) -> Self {
        let of_way = |die| (0..topology.ways).map(move |way| (way, die));
        let ways = (0..topology.dies).flat_map(of_way);
        let of_channels = |(way, die)| {
            (0..topology.channels).map(move |channel| DieAddress { channel, way, die })
        };
        let numbered = |die| (die, topology.index(die) as u32);
        let dies: Vec<_> = ways.flat_map(of_channels).map(numbered).collect();
        let count = Divisor::new(dies.len() as u32);
        Self { blocks: topology.blocks(), dies, count }
    }

    /// As [`Topology::place`].
    #[inline]
    pub(crate) fn place(&self, block: BlockId) -> Option<Place> {
        if u64::from(block.0) >= self.blocks {
            return None;
        }
        let (block, die) = self.count.divide(block.0);
        let (die, at) = *self.dies.get(die as usize)?;
        Some(Place { die, at, block })
    }

    /// True if two blocks are on one die.
    #[inline]
    pub(crate) fn share_die(&self, one: BlockId, other: BlockId) -> bool {
        self.count.divide(one.0).1 == self.count.divide(other.0).1
    }
}

/// Reason why a topology is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopologyError {
    /// A count is outside its range.
    #[error("{field} must be {least} to {most}, not {found}")]
    Count {
        /// Name of the field.
        field: &'static str,
        /// Smallest value.
        least: u32,
        /// Largest value.
        most: u32,
        /// Value of the field.
        found: u32,
    },
    /// More blocks per die than 32-bit block numbers can address.
    #[error("{planes} planes of {blocks_per_plane} blocks exceed the 2^32 - 1 blocks of a die")]
    TooLarge {
        /// Requested planes.
        planes: u16,
        /// Requested blocks per plane.
        blocks_per_plane: u32,
    },
}

impl Topology {
    /// Checks the range of every count.
    ///
    /// # Errors
    /// The first count outside its range.
    pub fn validate(&self) -> Result<(), TopologyError> {
        let counts = [
            ("channels", u32::from(self.channels), 1, 256),
            ("ways", u32::from(self.ways), 1, 64),
            ("dies", u32::from(self.dies), 1, 16),
            ("planes", u32::from(self.planes), 1, MAX_PLANES as u32),
            ("blocks_per_plane", self.blocks_per_plane, 1, u32::MAX),
            ("pages_per_block", self.pages_per_block, 2, u32::MAX),
        ];
        for (field, found, least, most) in counts {
            if !(least..=most).contains(&found) {
                return Err(TopologyError::Count { field, least, most, found });
            }
        }
        if self.blocks_per_plane.checked_mul(self.planes.into()).is_none() {
            let (planes, blocks_per_plane) = (self.planes, self.blocks_per_plane);
            return Err(TopologyError::TooLarge { planes, blocks_per_plane });
        }
        Ok(())
    }

    /// Blocks per die, over its planes.
    #[inline]
    pub fn blocks_per_die(&self) -> u32 {
        self.blocks_per_plane * u32::from(self.planes)
    }

    /// Dies per channel, over its ways.
    #[inline]
    pub fn dies_per_channel(&self) -> usize {
        usize::from(self.ways) * usize::from(self.dies)
    }

    /// Blocks of all dies.
    #[inline]
    pub fn blocks(&self) -> u64 {
        u64::from(self.blocks_per_die()) * self.dies_per_channel() as u64 * u64::from(self.channels)
    }

    /// Plane of a block of a die.
    #[inline]
    pub fn plane_of(&self, block: u32) -> u16 {
        (block % u32::from(self.planes)) as u16
    }

    /// Location of a block of the array: its die, and its block number within that die. `None` beyond the last
    /// block.
    ///
    /// Consecutive blocks go to consecutive channels, then ways, then dies. This spreads a run of blocks as
    /// widely as possible.
    #[inline]
    pub fn place(&self, block: BlockId) -> Option<(DieAddress, u32)> {
        Places::of(self).place(block).map(|Place { die, block, .. }| (die, block))
    }

    /// Inverse of [`Topology::place`]. `None` if there is no such die or block, or if its number exceeds 32
    /// bits.
    pub fn block_at(&self, die: DieAddress, block: u32) -> Option<BlockId> {
        if !self.has(die) || block >= self.blocks_per_die() {
            return None;
        }
        let rest = u64::from(block) * u64::from(self.dies) + u64::from(die.die);
        let rest = rest * u64::from(self.ways) + u64::from(die.way);
        let whole = rest * u64::from(self.channels) + u64::from(die.channel);
        u32::try_from(whole).ok().map(BlockId)
    }

    /// True if there is such a die.
    #[inline]
    pub(super) fn has(&self, die: DieAddress) -> bool {
        die.channel < self.channels && die.way < self.ways && die.die < self.dies
    }

    /// Number of a die among those of its channel.
    #[inline]
    pub(super) fn slot(&self, die: DieAddress) -> usize {
        usize::from(die.way) * usize::from(self.dies) + usize::from(die.die)
    }

    /// Number of a die among all.
    #[inline]
    pub(super) fn index(&self, die: DieAddress) -> usize {
        usize::from(die.channel) * self.dies_per_channel() + self.slot(die)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_names_its_die_by_address_and_by_number() {
        let topology = Topology {
            channels: 3,
            ways: 2,
            dies: 2,
            planes: 1,
            blocks_per_plane: 5,
            pages_per_block: 2,
            paired_blocks: false,
        };
        let places = Places::of(&topology);
        let of = |block| places.place(BlockId(block));
        let mut found = [0; 12];
        for block in 0..60 {
            let place = of(block).unwrap();
            assert_eq!(place.at as usize, topology.index(place.die));
            assert_eq!(topology.block_at(place.die, place.block), Some(BlockId(block)));
            found[place.at as usize] += 1;
            for other in 0..60 {
                let same = of(other).unwrap().die == place.die;
                assert_eq!(places.share_die(BlockId(block), BlockId(other)), same);
            }
        }
        assert_eq!(found, [5; 12]);
        assert!(of(60).is_none());
    }
}
