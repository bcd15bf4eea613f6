//! How consecutive page writes are spread over the dies of an array.

use alloc::{format, string::String, vec::Vec};
use core::{fmt, str::FromStr};
use flash::BlockId;

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
    /// Every level, outermost first.
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

/// In which order consecutive writes go through the levels: the first changes with every write, the last most seldom
/// (Hu, Jiang, Feng, Tian, Luo, Zhang, Performance impact and interplay of SSD parallelism, ICS 2011).
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

    /// Four letters, each of c, w, d, p once.
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

/// The units over which writes are spread, each with a frontier of its own, and their order.
///
/// A unit is a plane of a die (a die where planes work as one). Block `b` of the array is of unit `b mod units`, with
/// channels changing first, then ways, dies and planes: as [`flash::channels::Topology::place`] has it.
///
/// It concerns schemes that map all pages in RAM: `page-level` and those like it. Others have write frontiers of their own
/// kind, as their sources say, and go on as they would with one unit.
///
/// # Turns
/// Consecutive page programs of the host, and with shared frontiers copies as well, go to the units in turns, one page a turn.
/// A unit that has neither a block being written nor a free one is passed over. Copies to frontiers of their own
/// ([`FrontierSharing`](crate::FrontierSharing)) stay in the unit of their victim. Every page carries a number, by which a mount
/// can order all pages of all units, whatever allocation they were written with.
///
/// # Space
/// With shared frontiers; what split ones take besides is told by [`FrontierSharing`](crate::FrontierSharing).
///
/// When collection starts some blocks are partly written and some free: with one unit, one block in all. Let it start with
/// φ ≤ π free pages then. With F units it starts (F − 1)π pages earlier, with φ + (F − 1)π. At most F blocks are being
/// written, each with a free page at least, so that at most F − 1 are wholly free, or F where none is being written:
/// no more than 2F − 1 blocks are not full. The others, N' − 1 or more with N' = N − 2(F − 1), hold no more than all Λ
/// pages, and the one with fewest ⌊Λ/(N' − 1)⌋ at most: as with one unit and N' blocks. Copies and writes up to the
/// victim's erase find φ pages, in whatever blocks, as with one unit; and with the π of the erase there are at least
/// (F − 1)π more than with one unit again. So a scheme is laid out as for one unit and N' blocks, three or more, and its
/// threshold is (F − 1)π higher: 2F + 1 blocks at least.
///
/// `2lgc` starts a window of π pages earlier: with (F + 1)π free pages at most no more than 2F blocks are not full, and N' − 2
/// or more are, as its own argument has it with one unit.
///
/// The higher threshold is for speed: were it as with one unit, no more than F blocks would not be full and N − (F − 1)
/// blocks in place of N' would do, but most units would be without a free page as their turns came.
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
    /// Channels, ways a channel, dies a way and planes a die, none of them 0, in this order.
    pub fn new(counts: [u16; 4], order: AllocationOrder) -> Self {
        Self { counts: counts.map(|count| count.max(1)), order }
    }

    /// Channels, ways a channel, dies a way and planes a die.
    pub fn counts(&self) -> [u16; 4] {
        self.counts
    }

    /// Frontiers (F); `u32::MAX` where there are more.
    pub fn units(&self) -> u32 {
        self.counts.iter().fold(1, |units: u32, count| units.saturating_mul((*count).into()))
    }

    /// The unit of a block.
    #[inline]
    pub fn unit_of(&self, block: BlockId) -> u32 {
        block.0 % self.units()
    }

    /// The units in the order in which consecutive writes go to them, each once.
    pub fn turns(&self) -> Vec<u32> {
        let count = |level: Level| u32::from(self.counts[level as usize]);
        // How far apart two units are that differ by one in a level.
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
