//! On-demand page maps: the map is in translation pages on flash, and RAM holds a part of it.
//!
//! State, with Λ logical pages and E entries per translation page:
//! - the global translation directory, 4 B × ⌈Λ/E⌉;
//! - the cached mapping table (CMT), 8 B per entry, with lists by recency and of the dirty entries of each
//!   translation page;
//! - two areas, data and translation, with a fixed number of blocks each or with one pool of free blocks (`lending.rs`). Each has
//!   its own frontier and its own greedy victim selection. All pages of a block are of the area's kind.
//!
//! A translation page holds the PPNs of E = page bytes / 4 consecutive logical pages, little-endian. An
//! unmapped page has all ones. Entries that are newer in RAM are dirty. The newest data page of each LPN,
//! according to the OOB areas, is authoritative. Dirty entries therefore need not survive a power cut.
//!
//! Invariants (asserted by the conformance suite over both presets and by this module's own tests):
//! - an entry comes from the CMT if it is cached there, else from its translation page, else it is
//!   unmapped;
//! - the entry of a valid data page's LPN points to that page, and the directory points to each valid
//!   translation page;
//! - no block with a valid page is erased.

mod cmt;
mod collection;
mod core;
mod inspect;
mod layout;
mod lean_mount;
mod lending;
mod medium;
mod mount;
mod pool;
mod repair;
mod scheme;
mod seal;
mod sealed_mount;
mod state;

pub(crate) use self::layout::{asked_entries, build, plain, pool, ram};
pub(crate) use self::{collection::Stepwise, scheme::OnDemand};

#[cfg(test)]
mod tests;
