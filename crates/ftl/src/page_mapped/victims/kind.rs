//! Every victim policy, one line each: what configurations may ask for, the conformance, power-cut and exhaustive suites,
//! and the documentation go through this list.

use super::{Choices, CostBenefit, Fifo, Greedy, GreedyScan, TwoLevelList, WindowedGreedy};
use core::fmt;

/// How a victim is chosen among full blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VictimKind {
    /// Fewest valid pages, in O(1): [`Greedy`](super::Greedy).
    Greedy,
    /// Fewest valid pages by a search of all, so many victims a search: [`GreedyScan`].
    GreedyScan(u8),
    /// Few valid pages and long since the last was lost: [`CostBenefit`](super::CostBenefit).
    CostBenefit,
    /// Lists kept while pages become invalid: [`TwoLevelList`](super::TwoLevelList).
    TwoLevelList,
    /// The block that was filled longest ago: [`Fifo`](super::Fifo).
    Fifo,
    /// Any, uniformly: [`Choices`](super::Choices), one.
    Random,
    /// Fewest valid pages of this many drawn uniformly: [`Choices`](super::Choices).
    Choices(u8),
    /// Fewest valid pages of this many that were filled longest ago: [`WindowedGreedy`](super::WindowedGreedy).
    WindowedGreedy(u16),
}

/// One policy of the list.
#[derive(Debug)]
pub struct VictimPolicy {
    /// Its name in configurations.
    pub name: &'static str,
    /// The number behind it, as in `choices:4`, where it has one.
    pub number: Option<PolicyNumber>,
    /// One line.
    pub summary: &'static str,
    /// Authors, venue.
    pub source: &'static str,
    make: fn(u16) -> VictimKind,
}

/// A policy's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyNumber {
    /// What it is called: `D` of `choices:D`.
    pub letter: char,
    /// The greatest; the least is 1.
    pub most: u16,
    /// What it is where it is left out, if it may be.
    pub default: Option<u16>,
}

/// All policies, in the order in which they are listed.
pub static VICTIM_POLICIES: &[VictimPolicy] = &[
    VictimPolicy {
        name: "greedy",
        number: None,
        summary: "fewest valid pages, found in O(1)",
        source: "Wu and Zwaenepoel, ASPLOS 1994",
        make: |_| VictimKind::Greedy,
    },
    VictimPolicy {
        name: "greedy-scan",
        number: Some(PolicyNumber {
            letter: 'K',
            most: 64,
            default: Some(GreedyScan::AT_ONCE as u16),
        }),
        summary: "all blocks are searched and sorted by valid pages when room is short; the best K are collected in one go",
        source: "the baseline of Jung and Song, 2LGC, §3.2",
        make: |victims| VictimKind::GreedyScan(victims as u8),
    },
    VictimPolicy {
        name: "cost-benefit",
        number: None,
        summary: "greatest age × (1 − u) / 2u; all blocks are searched",
        source: "Kawaguchi, Nishioka, Motoda, USENIX 1995",
        make: |_| VictimKind::CostBenefit,
    },
    VictimPolicy {
        name: "two-level-list",
        number: None,
        summary: "head of a list of blocks without valid pages, else of one of blocks with more than 3/4 invalid",
        source: "Jung and Song, 2LGC, §4.3",
        make: |_| VictimKind::TwoLevelList,
    },
    VictimPolicy {
        name: "fifo",
        number: None,
        summary: "filled longest ago",
        source: "Desnoyers, SYSTOR 2012",
        make: |_| VictimKind::Fifo,
    },
    VictimPolicy {
        name: "random",
        number: None,
        summary: "any, uniformly",
        source: "Van Houdt, SIGMETRICS 2013",
        make: |_| VictimKind::Random,
    },
    VictimPolicy {
        name: "choices",
        number: Some(PolicyNumber { letter: 'D', most: 64, default: None }),
        summary: "fewest valid pages of D drawn uniformly",
        source: "Van Houdt, SIGMETRICS 2013",
        make: |draws| VictimKind::Choices(draws as u8),
    },
    VictimPolicy {
        name: "windowed-greedy",
        number: Some(PolicyNumber { letter: 'W', most: u16::MAX, default: None }),
        summary: "fewest valid pages of the W filled longest ago",
        source: "Hu, Eleftheriou, Haas, Iliadis, Pletka, SYSTOR 2009",
        make: VictimKind::WindowedGreedy,
    },
];

impl VictimPolicy {
    /// The policy with this number; none where it has no number and one is given, needs one that is not, or it is out of
    /// range.
    pub fn kind(&self, number: Option<u16>) -> Option<VictimKind> {
        match (self.number, number) {
            (None, None) => Some((self.make)(0)),
            (Some(known), given) => {
                let number = given.or(known.default)?;
                (1..=known.most).contains(&number).then(|| (self.make)(number))
            }
            (None, Some(_)) => None,
        }
    }
}

impl fmt::Display for VictimPolicy {
    /// As it is documented: `greedy`, `greedy-scan[:K]`, `choices:D`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        match self.number {
            None => Ok(()),
            Some(PolicyNumber { letter, default: Some(_), .. }) => write!(f, "[:{letter}]"),
            Some(PolicyNumber { letter, default: None, .. }) => write!(f, ":{letter}"),
        }
    }
}

impl VictimKind {
    /// The place in [`VICTIM_POLICIES`], and the number.
    fn parts(self) -> (usize, Option<u16>) {
        match self {
            Self::Greedy => (0, None),
            Self::GreedyScan(victims) => (1, Some(victims.into())),
            Self::CostBenefit => (2, None),
            Self::TwoLevelList => (3, None),
            Self::Fifo => (4, None),
            Self::Random => (5, None),
            Self::Choices(draws) => (6, Some(draws.into())),
            Self::WindowedGreedy(window) => (7, Some(window)),
        }
    }

    /// Its line of the list.
    pub fn policy(self) -> &'static VictimPolicy {
        &VICTIM_POLICIES[self.parts().0]
    }

    /// Most victims of one choice.
    pub fn victims_at_once(self) -> u32 {
        match self {
            Self::GreedyScan(victims) => u32::from(victims).max(1),
            _ => 1,
        }
    }

    /// RAM that a controller needs for it on an array of `blocks` × `pages_per_block`, bytes.
    pub(crate) fn controller_bytes(self, blocks: u32, pages_per_block: u32) -> u64 {
        match self {
            Self::Greedy => Greedy::controller_bytes(blocks, pages_per_block),
            Self::GreedyScan(at_once) => GreedyScan::controller_bytes(blocks, at_once.max(1)),
            Self::CostBenefit => CostBenefit::controller_bytes(blocks),
            Self::TwoLevelList => TwoLevelList::controller_bytes(blocks),
            Self::Fifo => Fifo::controller_bytes(blocks),
            Self::Random | Self::Choices(_) => Choices::controller_bytes(blocks),
            Self::WindowedGreedy(_) => WindowedGreedy::controller_bytes(blocks),
        }
    }

    /// U(λ): most valid pages of the first victim of a choice, where `full` blocks (1 or more) are full and hold at most
    /// `logical_pages` valid pages together. Those that choose by something else than valid pages are bounded by what
    /// collection gains alone: π − 1.
    pub(crate) fn most_valid(self, pages_per_block: u32, logical_pages: u32, full: u32) -> u32 {
        let gaining = pages_per_block - 1;
        let least = (logical_pages / full).min(gaining);
        match self {
            Self::Greedy | Self::GreedyScan(_) => least,
            // A list's head need not be the best, but has few; where the lists are empty the best is searched.
            Self::TwoLevelList => least.max(TwoLevelList::most_valid_listed(pages_per_block)),
            _ => gaining,
        }
    }

    /// One of each policy, its number being its default or else this one: for tests.
    pub fn each(number: u16) -> impl Iterator<Item = Self> {
        VICTIM_POLICIES.iter().filter_map(move |policy| {
            policy.kind(policy.number.map(|known| known.default.unwrap_or(number)))
        })
    }
}

impl fmt::Display for VictimKind {
    /// As configurations have it; a number that is the default is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (policy, number) = (self.policy(), self.parts().1);
        f.write_str(policy.name)?;
        match number {
            Some(number) if policy.number.is_none_or(|known| known.default != Some(number)) => {
                write!(f, ":{number}")
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{string::ToString, vec::Vec};

    #[test]
    fn every_line_makes_its_own_kind() {
        for policy in VICTIM_POLICIES {
            let number = policy.number.map(|known| known.most);
            let kind = policy.kind(number).unwrap();
            assert_eq!(kind.policy().name, policy.name);
            assert_eq!(kind.parts().1, number);
            assert!(policy.kind(Some(0)).is_none());
            let without = policy.number.is_none_or(|known| known.default.is_some());
            assert_eq!(policy.kind(None).is_some(), without);
        }
        assert_eq!(VictimKind::each(3).count(), VICTIM_POLICIES.len());
    }

    #[test]
    fn kinds_and_lines_as_texts() {
        let lines: Vec<_> = VICTIM_POLICIES.iter().map(ToString::to_string).collect();
        assert_eq!(
            (&*lines[0], &*lines[1], &*lines[6]),
            ("greedy", "greedy-scan[:K]", "choices:D")
        );
        let texts: Vec<_> = VictimKind::each(3).map(|kind| kind.to_string()).collect();
        assert_eq!((&*texts[0], &*texts[1], &*texts[6]), ("greedy", "greedy-scan", "choices:3"));
        assert_eq!(VictimKind::GreedyScan(5).to_string(), "greedy-scan:5");
        assert!(VICTIM_POLICIES[6].kind(Some(65)).is_none());
    }

    #[test]
    fn one_victim_at_a_time_but_for_the_search() {
        assert_eq!(VictimKind::GreedyScan(7).victims_at_once(), 7);
        assert_eq!(VictimKind::Greedy.victims_at_once(), 1);
    }
}
