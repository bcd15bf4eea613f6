//! What the block-mapped schemes share: erased blocks handed out round-robin, the search of a block's OOB
//! areas for the newest version of a page, the scan at a mount, and the set of trimmed pages.
//!
//! A block belongs to one logical block and is written in program order, whatever page comes; the LPN in
//! each page's OOB is the inverse map. All pages of a block carry one sequence number, fresh when the
//! block was opened, so versions are ordered by (sequence number, page).

mod newest;
mod page_set;
mod pool;
mod relocate;
mod scan;

pub(crate) use newest::newest;
pub(crate) use page_set::PageSet;
pub(crate) use pool::Pool;
pub(crate) use relocate::{NONE, Target, relocate};
pub(crate) use scan::{Scanned, scan};
