//! Page maps on demand: the map lies in translation pages on flash, and RAM holds a part of it.
//!
//! State (Λ logical pages, E entries a translation page): the global translation directory, 4 B × ⌈Λ/E⌉;
//! the cached mapping table (CMT), 8 B an entry, with lists by recency and of the dirty entries of each
//! translation page; two areas of fixed numbers of blocks, data and translation, each with a frontier and
//! greedy victims of its own. A block's kind is that of the pages in it.
//!
//! A translation page holds the PPNs of E = page bytes / 4 consecutive logical pages, little-endian, all
//! ones where a logical page is nowhere. Entries that are newer in RAM are dirty: the newest data page of
//! each LPN, told by the OOB, is the truth, and dirty entries need not survive a power cut.
//!
//! Invariants (asserted by the conformance suite over both presets and by this module's own tests):
//! - an entry is where the CMT has it, else where its translation page says, else nowhere;
//! - a valid data page is the one that its LPN's entry names; a valid translation page, the one that the
//!   directory names;
//! - no block with a valid page is erased.

mod cmt;
mod collection;
mod core;
mod layout;
mod medium;
mod mount;
mod repair;
mod scheme;
mod state;

pub(crate) use self::layout::{asked_entries, build, ram};

#[cfg(test)]
mod tests;
