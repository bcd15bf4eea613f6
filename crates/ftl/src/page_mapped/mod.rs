//! Page-mapped schemes: one product of map × victim selection × collection × logical share.
//!
//! State (N blocks of π pages, Λ logical pages, F units): the map, 4 B × Λ; a valid count and π valid bits a
//! block, in one cache line where π ≤ 448; the candidates of the victim policy; free blocks by unit and wear, and a
//! write frontier a unit (16 B), to which consecutive pages go in turns ([`Allocation`](crate::Allocation)).
//! A host write touches one cold line of the map and one of the old page's block; a copy, one of the
//! map. Everything else is sequential or hot.
//!
//! Below a write buffer that collectors may ask, a valid page of a victim that is dirty there is not copied:
//! its newest version is programmed from the buffer to the frontier, where its copy would go, and is clean
//! from then on (BA-BM; S. Lee, D. Shin, J. Kim, Buffer-aware garbage collection for NAND flash memory-based
//! storage systems, 2008, §4). That costs a program where a copy costs a read more, so steps move as many
//! pages as without, and no promise changes. It is behind the older version in the order of stamps, so
//! a mount finds it as it finds any newest version. A controller has to know the LPN of a valid page before
//! it reads it: 4 bytes a buffered page, the PPN of each dirty one. The simulation asks the array
//! ([`flash::Probe::peek_lpn`]); where that cannot tell, pages are copied.
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
