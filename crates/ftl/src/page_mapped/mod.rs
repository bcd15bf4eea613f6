//! Page-mapped schemes: a product of map × victim selection × collection × logical share.
//!
//! State, with N blocks of π pages, Λ logical pages and F units:
//! - the map, 4 B × Λ;
//! - a valid count and π valid bits per block, in one cache line if π ≤ 448;
//! - the candidates of the victim policy;
//! - free blocks by unit and wear, and a write frontier per unit (16 B). Consecutive pages go to the units in turn
//!   ([`Allocation`](crate::Allocation)).
//!
//! A host write touches one cold line of the map and one of the old page's block; a copy touches one of the map.
//! Everything else is sequential or hot.
//!
//! Below a write buffer that collectors may query, a valid page of a victim is not copied if it is dirty there. Its
//! newest version is programmed from the buffer to the frontier, in place of the copy, and is clean afterwards
//! (BA-BM; S. Lee, D. Shin, J. Kim, Buffer-aware garbage collection for NAND flash memory-based storage systems,
//! 2008, §4). A copy costs a read more than this program. Steps move as many pages as without a buffer, so no bound
//! changes. The new version follows the older one in the order of stamps, so a mount finds it as it finds any
//! newest version.
//!
//! A controller must know the LPN of a valid page before it reads it. That takes 4 bytes per buffered page: the PPN
//! of each dirty one. The simulation asks the array ([`flash::Probe::peek_lpn`]); if the array cannot tell, pages
//! are copied.
//!
//! Invariants (asserted by the conformance suite over every preset):
//! - a mapped LPN points to a valid page that carries that LPN; all other pages are invalid or free;
//! - free pages = pages not yet programmed in the frontiers and in the free blocks;
//! - a victim is full, is not being written, and has fewer than π valid pages;
//! - no block with a valid page is erased.

pub(crate) mod blocks;
mod collecting;
mod collection;
pub(crate) mod core;
mod duration;
pub(crate) mod free_blocks;
pub(crate) mod frontiers;
pub(crate) mod mount;
pub(crate) mod packed;
mod product;
mod scheme;
pub(crate) mod space;
pub(crate) mod tables;
pub mod victims;
pub(crate) mod worst_case;

pub use collection::{Collection, Partial, Preemptible, WholeBlock};
pub use core::Core;
pub use product::{assemble, ram};
pub(crate) use product::{build, by_device, ram_by_device};
pub use scheme::{BlockState, PageMapped, Role};
pub use tables::Tables;
