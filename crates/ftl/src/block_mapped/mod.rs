//! Common parts of the block-mapped schemes: the round-robin pool of erased blocks, the search for a page's newest
//! version, the scan at a mount, and the set of trimmed pages.
//!
//! A block belongs to one logical block. It is written in program order: each write takes the next page, for any page
//! of the logical block. The LPN in each page's OOB area is the inverse map. All pages of a block carry one sequence
//! number, which is new when the block is opened. So versions are ordered by (sequence number, page).

mod newest;
mod page_set;
mod pool;
mod relocate;
mod scan;

pub(crate) use newest::{newest, peek_newest};
pub(crate) use page_set::PageSet;
pub(crate) use pool::Pool;
pub(crate) use relocate::{NONE, Target, relocate};
pub(crate) use scan::{Scanned, scan};
