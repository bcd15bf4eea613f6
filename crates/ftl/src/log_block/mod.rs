//! Common part of the log-block schemes: data blocks with pages in place, log blocks, and merges of both.
//!
//! A data block belongs to one logical block and holds its page `k` at page index `k`. NAND programs the
//! pages of a block in order. A host write therefore goes in place only if that page is the next one and
//! was never written. All other writes go to a log block, in order of arrival. A merge collects the newest
//! version of each page of a logical block in one block:
//!
//! ```text
//! switch    a log block that holds all pages in place becomes the data block
//! partial   a log block that holds the first pages in place gets the other pages, and becomes the data block
//! full      all pages go to a new block
//! ```
//!
//! If a page before the last one has no version (never written, or trimmed), its place gets a padding page.
//! A padding page has kind `Other`, the LPN of its place and no bytes. Merges, padding included, are
//! charged to the [`flash::Cause`] of their kind. Moved pages count as copies there; padding and pages from
//! the write buffer count as programs.
//!
//! All pages of a block carry one sequence number, its [stamp](stamp).

mod core;
mod merge;
mod mount;
mod scheme;
mod space;
pub(crate) mod stamp;

pub(crate) use self::core::{LogBlockCore, NONE, Room};
pub(crate) use merge::Tail;
pub(crate) use mount::{ScannedBlock, Survey};
pub(crate) use scheme::{LogBlock, Logs};
pub(crate) use space::{Division, divide};
