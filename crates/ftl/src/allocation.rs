//! Spread of consecutive page writes over the dies of an array.

use alloc::{format, string::String, vec::Vec};
use core::{fmt, str::FromStr};

/// A level of the array's hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Channels, each with a bus of its own.
    Channel,
    /// Ways of a channel.
    Way,
    /// Dies of a way.
    Die,
    /// Planes of a die.
    Plane,
}

impl Level {
    /// All levels, outermost first.
    pub const ALL: [Self; 4] = [Self::Channel, Self::Way, Self::Die, Self::Plane];

    /// Its letter in an order such as `cwdp`.
    pub fn letter(self) -> char {
        match self {
            Self::Channel => 'c',
            Self::Way => 'w',
            Self::Die => 'd',
            Self::Plane => 'p',
        }
    }
}

/// Order of the levels for consecutive writes: the first changes with every write, the last least often (Hu, Jiang,
/// Feng, Tian, Luo, Zhang, Performance impact and interplay of SSD parallelism, ICS 2011).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AllocationOrder([Level; 4]);

impl Default for AllocationOrder {
    /// Channel, way, die, plane.
    fn default() -> Self {
        Self(Level::ALL)
    }
}

impl FromStr for AllocationOrder {
    type Err = String;

    /// Parses four letters: c, w, d and p, once each.
    fn from_str(text: &str) -> Result<Self, String> {
        let level = |letter: char| Level::ALL.into_iter().find(|level| level.letter() == letter);
        let levels: Option<Vec<Level>> = text.chars().map(level).collect();
        let order = levels.and_then(|levels| <[Level; 4]>::try_from(levels).ok());
        order.filter(|order| Level::ALL.iter().all(|level| order.contains(level))).map(Self).ok_or_else(
            || {
                format!(
                    "an allocation order has the letters c (channel), w (way), d (die) and p (plane), each \
                    once, as in cwdp, not `{text}`"
                )
            },
        )
    }
}

impl fmt::Display for AllocationOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|level| write!(f, "{}", level.letter()))
    }
}

/// The units over which writes are spread, each with its own frontier, and their order.
///
/// A unit is a plane of a die (a die if its planes work as one). Block `b` of the array belongs to unit
/// `b mod units`. Channels change first, then ways, dies and planes, as in [`flash::channels::Topology::place`].
///
/// It applies to schemes that map all pages in RAM, such as `page-level`. Other schemes have their own kind of write
/// frontiers, as in their sources, and work as with one unit.
///
/// # Turns
/// Consecutive page programs of the host go to the units in turns, one page per turn; with shared frontiers, copies
/// do as well. A unit with neither an open nor a free block is skipped. With split frontiers
/// ([`FrontierSharing`](crate::FrontierSharing)), copies stay in the unit of their victim. Every page carries a
/// sequence number, so a mount can order the pages of all units under any allocation.
///
/// # Space
/// This section is about shared frontiers; [`FrontierSharing`](crate::FrontierSharing) adds the space that split ones
/// take.
///
/// When collection starts, some blocks are partly written and some are free: with one unit, one block in all. Let
/// collection start at φ ≤ π free pages with one unit. With F units it starts (F − 1)π pages earlier, at
/// φ + (F − 1)π. At most F blocks are open, each with at least one free page. So at most F − 1 blocks are wholly
/// free, or F if none is open: at most 2F − 1 blocks are not full. Let N' = N − 2(F − 1). The full blocks are at
/// least N' − 1 and hold at most all Λ pages. So the one with the fewest holds at most ⌊Λ/(N' − 1)⌋, as with one unit
/// and N' blocks.
///
/// Copies and writes until the victim's erase find φ pages, in any blocks, as with one unit. With the π pages of the
/// erase there are again at least (F − 1)π more than with one unit. So a scheme is planned for one unit and N' ≥ 3
/// blocks, and its threshold is (F − 1)π higher. It needs at least 2F + 1 blocks.
///
/// `2lgc` starts a window of π pages earlier. With at most (F + 1)π free pages, at most 2F blocks are not full. So at
/// least N' − 2 are full, as in its own argument with one unit.
///
/// The higher threshold is for speed. With the threshold of one unit at most F blocks would not be full, so
/// N − (F − 1) blocks in place of N' would do. But most units would have no free page when their turn came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Allocation {
    counts: [u16; 4],
    order: AllocationOrder,
}

impl Default for Allocation {
    /// One unit.
    fn default() -> Self {
        Self { counts: [1; 4], order: AllocationOrder::default() }
    }
}

impl Allocation {
    /// Channels, ways per channel, dies per way and planes per die, in this order. 0 counts as 1.
    pub fn new(counts: [u16; 4], order: AllocationOrder) -> Self {
        Self { counts: counts.map(|count| count.max(1)), order }
    }

    /// Channels, ways per channel, dies per way and planes per die.
    pub fn counts(&self) -> [u16; 4] {
        self.counts
    }

    /// Planes per die that are units of their own; 1 if the units are dies.
    pub fn planes(&self) -> u16 {
        self.counts[Level::Plane as usize]
    }

    /// Number of units (F), limited to `u32::MAX`.
    pub fn units(&self) -> u32 {
        self.counts.iter().fold(1, |units: u32, count| units.saturating_mul((*count).into()))
    }

    /// The units in the order of consecutive writes, each once.
    pub fn turns(&self) -> Vec<u32> {
        let count = |level: Level| u32::from(self.counts[level as usize]);
        // Distance of two units that differ by one in this level.
        let step =
            |level: Level| Level::ALL[..level as usize].iter().map(|l| count(*l)).product::<u32>();
        (0..self.units())
            .map(|turn| {
                let mut rest = turn;
                let mut unit = 0;
                for level in self.order.0 {
                    unit += rest % count(level) * step(level);
                    rest /= count(level);
                }
                unit
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn turns_follow_the_order_of_levels() {
        let turns = |order: &str| Allocation::new([2, 3, 1, 2], order.parse().unwrap()).turns();
        // Unit = channel + 2 way + 6 plane.
        assert_eq!(turns("cwdp"), (0..12).collect::<Vec<_>>());
        assert_eq!(turns("wcdp"), [0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11]);
        assert_eq!(turns("pdwc"), [0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11]);
        assert_eq!(Allocation::default().turns(), [0]);
    }

    #[test]
    fn orders_as_texts() {
        for text in ["cwdp", "pdwc", "wcpd"] {
            assert_eq!(text.parse::<AllocationOrder>().unwrap().to_string(), text);
        }
        for wrong in ["", "cwd", "cwdd", "cwdpp", "cwdx", "CWDP"] {
            let error = wrong.parse::<AllocationOrder>().unwrap_err();
            assert!(error.contains("each once") && error.contains(wrong), "{error}");
        }
    }
}
