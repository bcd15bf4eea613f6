//! Declarations of victim policies, and their names in configurations.

use super::interface::Victims;
use alloc::boxed::Box;
use core::{
    fmt,
    hash::{Hash, Hasher},
};

/// Victim policy: its name, help, bounds, costs and constructor. Its own file declares it, and
/// [`VICTIM_POLICIES`](super::VICTIM_POLICIES) lists it.
#[derive(Debug)]
pub struct VictimPolicy {
    /// Name in configurations.
    pub name: &'static str,
    /// Number after the name, as in `choices:4`, if the policy has one.
    pub number: Option<PolicyNumber>,
    /// Summary in one line.
    pub summary: &'static str,
    /// Source: authors, venue.
    pub source: &'static str,
    /// True if the policy's number is the number of victims chosen at once. Otherwise it chooses one.
    pub chooses_many: bool,
    /// Bound on the valid pages of the chosen victim.
    pub valid_pages: ValidPages,
    /// RAM of a controller for the policy, bytes.
    pub controller_bytes: fn(&Candidates) -> u64,
    /// Makes the policy, without candidates.
    pub make: fn(&Candidates) -> Box<dyn Victims>,
}

/// Number of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyNumber {
    /// Name of the number: `D` in `choices:D`.
    pub letter: char,
    /// Maximum; the minimum is 1.
    pub most: u16,
    /// Default, if the number may be omitted.
    pub default: Option<u16>,
}

/// Bound on a victim's valid pages, if the full blocks together hold few enough.
#[derive(Clone, Copy, Debug)]
pub enum ValidPages {
    /// Fewest of any full block: at most the mean.
    Fewest,
    /// Fewest of any full block, or this function of π, whichever is larger.
    OrAtMost(fn(u32) -> u32),
    /// Fewest of any full block, or the policy's number, whichever is larger.
    OrItsNumber,
    /// Fewer than π: the policy selects by another criterion.
    Gaining,
}

/// Array whose full blocks a policy chooses among, and the policy's number.
#[derive(Clone, Copy, Debug)]
pub struct Candidates {
    /// Blocks of the array (N).
    pub blocks: u32,
    /// Pages per block (π).
    pub pages_per_block: u32,
    /// Number of the policy; 0 if it has none.
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
    /// Returns the policy with this number.
    ///
    /// `None` if the number is out of range, is given to a policy without a number, or is missing and has no
    /// default.
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
    /// Writes the documented form: `greedy`, `greedy-scan[:K]`, `choices:D`.
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
    /// Makes a kind without checks, for the policies' own files.
    pub(super) const fn new(policy: &'static VictimPolicy, number: u16) -> Self {
        Self { policy, number }
    }

    /// The policy.
    pub fn policy(self) -> &'static VictimPolicy {
        self.policy
    }

    /// Number of the policy; 0 if it has none.
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

    /// Makes the policy for an array of `blocks` × `pages_per_block`; `seed` is for policies that draw.
    pub fn make(self, blocks: u32, pages_per_block: u32, seed: u64) -> Box<dyn Victims> {
        (self.policy.make)(&self.candidates(blocks, pages_per_block, seed))
    }

    /// RAM of a controller for the policy on an array of `blocks` × `pages_per_block`, bytes.
    pub fn controller_bytes(self, blocks: u32, pages_per_block: u32) -> u64 {
        (self.policy.controller_bytes)(&self.candidates(blocks, pages_per_block, 0))
    }

    /// U(λ): most valid pages of the first victim of a choice, if `full` full blocks (1 or more) hold at most
    /// `logical_pages` valid pages together.
    pub fn most_valid(self, pages_per_block: u32, logical_pages: u32, full: u32) -> u32 {
        let gaining = pages_per_block - 1;
        let least = (logical_pages / full).min(gaining);
        match self.policy.valid_pages {
            ValidPages::Fewest => least,
            ValidPages::OrAtMost(most) => least.max(most(pages_per_block)),
            ValidPages::OrItsNumber => least.max(gaining.min(self.number.into())),
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
    /// Writes the form used in configurations; a default number is omitted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.policy.name)?;
        match self.policy.number {
            Some(known) if known.default != Some(self.number) => write!(f, ":{}", self.number),
            _ => Ok(()),
        }
    }
}
