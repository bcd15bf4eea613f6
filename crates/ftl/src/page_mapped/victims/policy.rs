//! What a victim policy declares of itself, and how one is asked for.

use super::interface::Victims;
use alloc::boxed::Box;
use core::{
    fmt,
    hash::{Hash, Hasher},
};

/// A victim policy: its name, its help, what it promises and costs, and how it is made. It stands in its own file, and in
/// [`VICTIM_POLICIES`](super::VICTIM_POLICIES).
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
    /// What its number does to a choice: as many victims are chosen at once. Else it chooses one.
    pub chooses_many: bool,
    /// Valid pages of what it chooses.
    pub valid_pages: ValidPages,
    /// Bytes of RAM that a controller needs for it.
    pub controller_bytes: fn(&Candidates) -> u64,
    /// Makes it, without candidates yet.
    pub make: fn(&Candidates) -> Box<dyn Victims>,
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

/// How many valid pages a victim may have, where the blocks that are full hold few enough together.
#[derive(Clone, Copy, Debug)]
pub enum ValidPages {
    /// As few as any full block has: at most the mean.
    Fewest,
    /// As few, or what this says of π, whichever is more.
    OrAtMost(fn(u32) -> u32),
    /// Fewer than π: it goes by something else.
    Gaining,
}

/// What a policy chooses among, and its number.
#[derive(Clone, Copy, Debug)]
pub struct Candidates {
    /// Blocks of the array (N).
    pub blocks: u32,
    /// Pages per block (π).
    pub pages_per_block: u32,
    /// The policy's number; 0 where it has none.
    pub number: u16,
    /// Seed of policies that draw.
    pub seed: u64,
}

/// A policy with its number.
#[derive(Clone, Copy, Debug)]
pub struct VictimKind {
    policy: &'static VictimPolicy,
    number: u16,
}

impl VictimPolicy {
    /// The policy with this number; none where it has no number and one is given, needs one that is not, or it is out of
    /// range.
    pub fn kind(&'static self, number: Option<u16>) -> Option<VictimKind> {
        match (self.number, number) {
            (None, None) => Some(VictimKind::new(self, 0)),
            (Some(known), given) => {
                let number = given.or(known.default)?;
                (1..=known.most).contains(&number).then(|| VictimKind::new(self, number))
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
    /// Unchecked: for the policies' own files.
    pub(super) const fn new(policy: &'static VictimPolicy, number: u16) -> Self {
        Self { policy, number }
    }

    /// The policy.
    pub fn policy(self) -> &'static VictimPolicy {
        self.policy
    }

    /// Its number; 0 where the policy has none.
    pub fn number(self) -> u16 {
        self.number
    }

    /// Most victims of one choice.
    pub fn victims_at_once(self) -> u32 {
        if self.policy.chooses_many { u32::from(self.number).max(1) } else { 1 }
    }

    fn candidates(self, blocks: u32, pages_per_block: u32, seed: u64) -> Candidates {
        Candidates { blocks, pages_per_block, number: self.number, seed }
    }

    /// Makes it for an array of `blocks` × `pages_per_block`; `seed` is for policies that draw.
    pub fn make(self, blocks: u32, pages_per_block: u32, seed: u64) -> Box<dyn Victims> {
        (self.policy.make)(&self.candidates(blocks, pages_per_block, seed))
    }

    /// RAM that a controller needs for it on an array of `blocks` × `pages_per_block`, bytes.
    pub fn controller_bytes(self, blocks: u32, pages_per_block: u32) -> u64 {
        (self.policy.controller_bytes)(&self.candidates(blocks, pages_per_block, 0))
    }

    /// U(λ): most valid pages of the first victim of a choice, where `full` blocks (1 or more) are full and hold at most
    /// `logical_pages` valid pages together.
    pub fn most_valid(self, pages_per_block: u32, logical_pages: u32, full: u32) -> u32 {
        let gaining = pages_per_block - 1;
        let least = (logical_pages / full).min(gaining);
        match self.policy.valid_pages {
            ValidPages::Fewest => least,
            ValidPages::OrAtMost(most) => least.max(most(pages_per_block)),
            ValidPages::Gaining => gaining,
        }
    }
}

impl PartialEq for VictimKind {
    fn eq(&self, other: &Self) -> bool {
        (self.policy.name, self.number) == (other.policy.name, other.number)
    }
}

impl Eq for VictimKind {}

impl Hash for VictimKind {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.policy.name, self.number).hash(state);
    }
}

impl fmt::Display for VictimKind {
    /// As configurations have it; a number that is the default is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.policy.name)?;
        match self.policy.number {
            Some(known) if known.default != Some(self.number) => write!(f, ":{}", self.number),
            _ => Ok(()),
        }
    }
}
