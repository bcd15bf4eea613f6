//! Declarations of placement policies, and their names in configurations.

use super::interface::Placement;
use crate::frontier_sharing::FrontierSharing;
use crate::policy_kind::{MOST_NUMBERS, Policy, PolicyKind, PolicyNumber, write_usage};
use crate::victims::VictimKind;
use alloc::boxed::Box;
use core::fmt;

/// Placement policy: its name, help, classes, costs and constructor. Its own file declares it, and
/// [`PLACEMENT_POLICIES`](super::PLACEMENT_POLICIES) lists it.
#[derive(Debug)]
pub struct PlacementPolicy {
    /// Name in configurations.
    pub name: &'static str,
    /// Numbers after the name, as in `dac:4`; at most [`MOST_NUMBERS`]. All have defaults.
    pub numbers: &'static [PolicyNumber],
    /// Summary in one line.
    pub summary: &'static str,
    /// Source: authors, venue; where it departs from it, the policy's module says how.
    pub source: &'static str,
    /// What becomes of its state at a mount.
    pub after_mount: &'static str,
    /// Victim policies that are its other half. Empty: it needs none.
    pub victims: &'static [VictimKind],
    /// How its pages are placed.
    pub places: Places,
}

/// How a policy places pages.
#[derive(Clone, Copy, Debug)]
pub enum Places {
    /// By their origin alone, which needs no state.
    ByOrigin(FrontierSharing),
    /// By their origin, in two regions that share what room is left: host writes go on in a block that copies have begun.
    TwoRegions,
    /// By a state of its own.
    ByState(ByState),
}

/// A policy with a state.
#[derive(Clone, Copy, Debug)]
pub struct ByState {
    /// Classes for these numbers.
    pub classes: fn([u16; MOST_NUMBERS]) -> Classes,
    /// Times that it uses.
    pub times: Times,
    /// True if it uses the future of the run ([`Future`](super::Future)): 4 bytes per logical page. It then works in
    /// simulated runs only.
    pub future: bool,
    /// RAM of a controller for its own state, bytes, besides times and the classes of blocks.
    pub controller_bytes: fn(&PlacedSpace) -> u64,
    /// Makes the policy.
    pub make: fn(&PlacedSpace) -> Box<dyn Placement>,
}

/// Times that are kept for a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// None.
    No,
    /// When each block was opened: 4 bytes per block.
    OfBlocks,
    /// When the host wrote each page, too: lifespans and ages of pages, for 4 bytes per logical page more.
    OfPages,
}

/// Classes of a policy: open blocks of each unit of the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classes {
    /// Host writes go to the first so many classes.
    pub hosts: usize,
    /// Number of classes, 2 to 16.
    pub count: usize,
}

/// The space whose pages are placed, and the policy's numbers.
#[derive(Clone, Copy, Debug)]
pub struct PlacedSpace {
    /// Logical pages (Λ).
    pub logical_pages: u32,
    /// Blocks of the array (N).
    pub blocks: u32,
    /// Pages per block (π).
    pub pages_per_block: u32,
    /// Numbers of the policy; 0 where it has none.
    pub numbers: [u16; MOST_NUMBERS],
}

/// A placement policy with its numbers.
pub type PlacementKind = PolicyKind<PlacementPolicy>;

impl PlacementPolicy {
    /// The policy with these numbers: [`PolicyKind::of`].
    pub fn kind(&'static self, given: &[u16]) -> Option<PlacementKind> {
        PolicyKind::of(self, given)
    }
}

impl Policy for PlacementPolicy {
    fn name(&self) -> &'static str {
        self.name
    }

    fn numbers(&self) -> &'static [PolicyNumber] {
        self.numbers
    }
}

impl fmt::Display for PlacementPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_usage(self, f)
    }
}

impl PlacementKind {
    /// The policy if it has a state.
    pub(crate) fn by_state(self) -> Option<ByState> {
        match self.policy().places {
            Places::ByOrigin(_) | Places::TwoRegions => None,
            Places::ByState(state) => Some(state),
        }
    }

    /// True if host writes fill up the blocks that copies have begun: [`Places::TwoRegions`].
    pub fn fills_up(self) -> bool {
        matches!(self.policy().places, Places::TwoRegions)
    }

    /// True if it needs the future of the run ([`SchemeConfig::future`](crate::SchemeConfig::future)).
    pub fn needs_future(self) -> bool {
        self.by_state().is_some_and(|state| state.future)
    }

    /// Sharing of frontiers that it amounts to; with a state, host writes and copies are always apart in some way.
    pub fn sharing(self) -> FrontierSharing {
        match self.policy().places {
            Places::ByOrigin(sharing) => sharing,
            Places::TwoRegions | Places::ByState(_) => FrontierSharing::Split,
        }
    }

    /// Classes of pages.
    pub fn classes(self) -> Classes {
        match self.policy().places {
            Places::ByOrigin(sharing) => Classes { hosts: 1, count: sharing.classes() },
            Places::TwoRegions => Classes { hosts: 1, count: 2 },
            Places::ByState(state) => (state.classes)(self.numbers()),
        }
    }

    /// The space with the policy's numbers.
    pub(crate) fn space(
        self,
        logical_pages: u32,
        [blocks, pages_per_block]: [u32; 2],
    ) -> PlacedSpace {
        PlacedSpace { logical_pages, blocks, pages_per_block, numbers: self.numbers() }
    }

    /// Placement handles that the policy gives the host's streams, if it follows them.
    pub fn handles(self) -> Option<usize> {
        let state = self.by_state()?;
        (state.make)(&self.space(1, [2, 2])).handles()
    }

    /// RAM of a controller for the policy, its times and the classes of blocks, bytes; without its open blocks.
    pub fn controller_bytes(self, logical_pages: u32, [blocks, pages_per_block]: [u32; 2]) -> u64 {
        let Some(state) = self.by_state() else { return 0 };
        let space = self.space(logical_pages, [blocks, pages_per_block]);
        let times = match state.times {
            Times::No => 0,
            Times::OfBlocks => 4 * u64::from(blocks),
            Times::OfPages => 4 * (u64::from(logical_pages) + u64::from(blocks)),
        };
        let times = times + if state.future { 4 * u64::from(logical_pages) } else { 0 };
        u64::from(blocks) + times + (state.controller_bytes)(&space)
    }
}
