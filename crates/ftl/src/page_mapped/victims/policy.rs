//! Declarations of victim policies, and their selection in configurations.

use super::interface::Victims;
use alloc::boxed::Box;
use core::{
    fmt,
    hash::{Hash, Hasher},
};

/// A victim policy: its name, help, bound, cost and constructor. Each is declared in its own file and listed in
/// [`VICTIM_POLICIES`](super::VICTIM_POLICIES).
#[derive(Debug)]
pub struct VictimPolicy {
    /// Name in configurations.
    pub name: &'static str,
    /// Number after the name, as in `choices:4`, if the policy has one.
    pub number: Option<PolicyNumber>,
    /// Help text of one line.
    pub summary: &'static str,
    /// Authors and venue.
    pub source: &'static str,
    /// True if the policy selects as many victims at once as its number. Otherwise it selects one.
    pub chooses_many: bool,
    /// Bound on the valid pages of a selected victim.
    pub valid_pages: ValidPages,
    /// Bytes of RAM in a controller.
    pub controller_bytes: fn(&Candidates) -> u64,
    /// Constructs the policy, without candidates.
    pub make: fn(&Candidates) -> Box<dyn Victims>,
}

/// The number of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyNumber {
    /// Symbol in help texts: `D` of `choices:D`.
    pub letter: char,
    /// Maximum; the minimum is 1.
    pub most: u16,
    /// Default, if the number may be omitted.
    pub default: Option<u16>,
}

/// Bound on the valid pages of a victim, in terms of the total over all full blocks.
#[derive(Clone, Copy, Debug)]
pub enum ValidPages {
    /// The minimum over all full blocks: at most the mean.
    Fewest,
    /// The minimum, or this function of π, whichever is more.
    OrAtMost(fn(u32) -> u32),
    /// Fewer than π: the policy uses another criterion.
    Gaining,
}

/// Parameters of a policy: the array, the policy's number and a seed.
#[derive(Clone, Copy, Debug)]
pub struct Candidates {
    /// Blocks of the array (N).
    pub blocks: u32,
    /// Pages per block (π).
    pub pages_per_block: u32,
    /// Number of the policy; 0 if it has none.
    pub number: u16,
    /// Seed for random policies.
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
    /// Returns `None` if a number is given to a policy without one, if a required number is missing, or if it is
    /// out of range.
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
    /// Unchecked, for the policies' own files.
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

    /// Maximum number of victims per selection.
    pub fn victims_at_once(self) -> u32 {
        if self.policy.chooses_many { u32::from(self.number).max(1) } else { 1 }
    }

    fn candidates(self, blocks: u32, pages_per_block: u32, seed: u64) -> Candidates {
        Candidates { blocks, pages_per_block, number: self.number, seed }
    }

    /// Constructs the policy for an array of `blocks` × `pages_per_block`. Random policies use `seed`.
    pub fn make(self, blocks: u32, pages_per_block: u32, seed: u64) -> Box<dyn Victims> {
        (self.policy.make)(&self.candidates(blocks, pages_per_block, seed))
    }

    /// Bytes of RAM in a controller, for an array of `blocks` × `pages_per_block`.
    pub fn controller_bytes(self, blocks: u32, pages_per_block: u32) -> u64 {
        (self.policy.controller_bytes)(&self.candidates(blocks, pages_per_block, 0))
    }

    /// U(λ): maximum valid pages of the first victim of a selection. `full` blocks (1 or more) are full, with at
    /// most `logical_pages` valid pages in total.
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
    /// Writes the form used in configurations; a default number is omitted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.policy.name)?;
        match self.policy.number {
            Some(known) if known.default != Some(self.number) => write!(f, ":{}", self.number),
            _ => Ok(()),
        }
    }
}
