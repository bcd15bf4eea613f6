//! Declarations of victim policies, and their names in configurations.

use super::interface::{Victims, most_valid_sparse};
pub use crate::policy_kind::{MOST_NUMBERS, PolicyNumber};
use crate::policy_kind::{Policy, PolicyKind, write_usage};
use alloc::boxed::Box;
use core::fmt;

/// Victim policy: its name, help, bounds, costs and constructor. Its own file declares it, and
/// [`VICTIM_POLICIES`](super::VICTIM_POLICIES) lists it.
#[derive(Debug)]
pub struct VictimPolicy {
    /// Name in configurations.
    pub name: &'static str,
    /// Numbers after the name, as in `choices:4`; at most [`MOST_NUMBERS`]. Those without a default come first.
    pub numbers: &'static [PolicyNumber],
    /// Summary in one line.
    pub summary: &'static str,
    /// Source: authors, venue.
    pub source: &'static str,
    /// True if the policy's first number is the number of victims chosen at once. Otherwise it chooses one.
    pub chooses_many: bool,
    /// Bound on the valid pages of the chosen victim.
    pub valid_pages: ValidPages,
    /// RAM of a controller for the policy, bytes.
    pub controller_bytes: fn(&Candidates) -> u64,
    /// Makes the policy, without candidates.
    pub make: fn(&Candidates) -> Box<dyn Victims>,
}

/// Bound on a victim's valid pages, if the full blocks together hold few enough.
#[derive(Clone, Copy, Debug)]
pub enum ValidPages {
    /// Fewest of any full block: at most the mean.
    Fewest,
    /// Fewest of any full block, or this function of the array, whichever is larger.
    OrAtMost(fn(&Candidates) -> u32),
    /// Fewest of any full block, or the policy's number, whichever is larger.
    OrItsNumber,
    /// Fewer than π: the policy selects by another criterion.
    Gaining,
}

/// Array whose full blocks a policy chooses among, and the policy's numbers.
#[derive(Clone, Copy, Debug)]
pub struct Candidates {
    /// Name of the policy.
    pub policy: &'static str,
    /// Blocks of the array (N).
    pub blocks: u32,
    /// Pages per block (π).
    pub pages_per_block: u32,
    /// Numbers of the policy; 0 where it has none.
    pub numbers: [u16; MOST_NUMBERS],
    /// Seed of policies that draw.
    pub seed: u64,
}

/// A victim policy with its numbers.
pub type VictimKind = PolicyKind<VictimPolicy>;

impl VictimPolicy {
    /// The policy with these numbers: [`PolicyKind::of`].
    pub fn kind(&'static self, given: &[u16]) -> Option<VictimKind> {
        PolicyKind::of(self, given)
    }

    /// Returns the policy with its defaults, and with `number` where its first number has none.
    pub fn kind_or(&'static self, number: u16) -> Option<VictimKind> {
        self.kind(&[]).or_else(|| self.kind(&[number]))
    }
}

impl Policy for VictimPolicy {
    fn name(&self) -> &'static str {
        self.name
    }

    fn numbers(&self) -> &'static [PolicyNumber] {
        self.numbers
    }
}

impl fmt::Display for VictimPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_usage(self, f)
    }
}

impl VictimKind {
    /// Makes a kind without checks, for the policies' own files.
    pub(super) const fn new(policy: &'static VictimPolicy, number: u16) -> Self {
        Self::of_numbers(policy, [number, 0, 0])
    }

    /// First number of the policy; 0 if it has none.
    pub fn number(self) -> u16 {
        self.numbers()[0]
    }

    /// Most victims of one choice.
    pub fn victims_at_once(self) -> u32 {
        if self.policy().chooses_many { u32::from(self.number()).max(1) } else { 1 }
    }

    fn candidates(self, blocks: u32, pages_per_block: u32, seed: u64) -> Candidates {
        let (policy, numbers) = (self.policy().name, self.numbers());
        Candidates { policy, blocks, pages_per_block, numbers, seed }
    }

    /// Makes the policy for an array of `blocks` × `pages_per_block`; `seed` is for policies that draw.
    pub fn make(self, blocks: u32, pages_per_block: u32, seed: u64) -> Box<dyn Victims> {
        (self.policy().make)(&self.candidates(blocks, pages_per_block, seed))
    }

    /// RAM of a controller for the policy on an array of `blocks` × `pages_per_block`, bytes.
    pub fn controller_bytes(self, blocks: u32, pages_per_block: u32) -> u64 {
        (self.policy().controller_bytes)(&self.candidates(blocks, pages_per_block, 0))
    }

    /// Most valid pages of a block that is collected in idle time: see [`Victims::most_sparse`].
    pub(crate) fn most_sparse(self, pages_per_block: u32) -> u32 {
        match self.policy().valid_pages {
            ValidPages::OrAtMost(_) => self.most_listed(pages_per_block),
            _ => most_valid_sparse(pages_per_block),
        }
    }

    /// Most valid pages of a block that the policy may prefer to the one with fewest; 0 if it prefers that.
    pub(crate) fn most_listed(self, pages_per_block: u32) -> u32 {
        match self.policy().valid_pages {
            ValidPages::OrAtMost(most) => most(&self.candidates(0, pages_per_block, 0)),
            ValidPages::OrItsNumber => u32::from(self.number()).min(pages_per_block - 1),
            ValidPages::Fewest | ValidPages::Gaining => 0,
        }
    }

    /// U(λ): most valid pages of the first victim of a choice, if `full` full blocks (1 or more) hold at most
    /// `logical_pages` valid pages together.
    pub fn most_valid(self, pages_per_block: u32, logical_pages: u32, full: u32) -> u32 {
        let gaining = pages_per_block - 1;
        let least = (logical_pages / full).min(gaining);
        match self.policy().valid_pages {
            ValidPages::Fewest => least,
            ValidPages::OrAtMost(_) | ValidPages::OrItsNumber => {
                least.max(self.most_listed(pages_per_block))
            }
            ValidPages::Gaining => gaining,
        }
    }
}
