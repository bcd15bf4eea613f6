//! What the log-block schemes share: data blocks with pages in place, log blocks before them, and merges of
//! both.
//!
//! A data block belongs to one logical block and holds page `k` of it at page `k`. NAND programs the pages of
//! a block in order, so a page goes to its place in the data block only where it is the next one there and
//! was never written; all else goes to a log block, in the order in which it comes. A merge brings the
//! newest version of each page of a logical block together:
//!
//! ```text
//! switch    a log block that holds all pages, each at its place, becomes the data block
//! partial   a log block that holds the first pages, each at its place, gets the rest and becomes it
//! full      all pages go to a new block
//! ```
//!
//! A place before the last page for which there is no page (never written, or trimmed) is programmed with
//! a padding page: kind `Other`, the LPN of the place, no bytes. Merges, padding included, are charged to
//! the kind's own [`flash::Cause`]; padding is what programs there count, since pages that are moved are copies.
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
