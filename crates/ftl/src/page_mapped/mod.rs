//! Page-mapped schemes: one product of map × victim selection × collection × logical share.
//!
//! State, for N blocks of π pages, Λ logical pages and F units:
//! - the map: 4 B × Λ;
//! - a valid count and π valid bits per block, in one cache line if π ≤ 448;
//! - the candidates of the victim policy;
//! - the free blocks, by unit and wear;
//! - one write frontier per unit and class (16 B), used in turns ([`Allocation`](crate::Allocation));
//! - a placement policy, if it has a state ([`crate::placement`]);
//! - an SLC cache, if there is one: a frontier per unit and 4 B per block of it.
//!
//! A host write touches one cold line of the map and one of the old page's block. A copy touches one line of the
//! map. All other accesses are sequential or hot.
//!
//! # Pages that are dirty in a write buffer
//! Collectors can query some write buffers. If a valid page of a victim is dirty in such a buffer, it is not
//! copied. The collector programs its newest version from the buffer to the frontier, and the buffered page
//! becomes clean (BA-BM; S. Lee, D. Shin, J. Kim, Buffer-aware garbage collection for NAND flash memory-based
//! storage systems, 2008, §4). A copy costs a read in addition to the program. So on parts without copy commands
//! steps and bounds stay the same. With copy commands such programs interrupt runs of copies, so the pages per
//! step and the bounds count each page separately. The newest version has a later stamp than the older one, so a
//! mount finds it like any other newest version.
//!
//! A controller must know the LPN of a valid page before it reads the page. That takes 4 bytes per buffered page:
//! the PPN of each dirty page. The simulation queries the array ([`flash::Probe::peek_lpn`]); pages are copied if
//! the array cannot tell.
//!
//! # Invariants
//! The conformance suite asserts them for every preset:
//! - a mapped LPN points to a valid page that carries that LPN; all other pages are invalid or free;
//! - free pages = pages not yet programmed in the frontiers and in the free blocks;
//! - a victim is full, is not being written, and has fewer than π valid pages;
//! - no block with a valid page is erased.

pub(crate) mod blocks;
mod collecting;
mod collection;
pub(crate) mod core;
mod duration;
mod fold;
pub(crate) mod free_blocks;
pub(crate) mod frontiers;
mod group_shares;
pub(crate) mod inspect;
pub(crate) mod mount;
pub(crate) mod packed;
mod product;
mod reclaim_groups;
mod refresh;
mod scheme;
pub(crate) mod slc_cache;
mod slc_space;
pub(crate) mod space;
pub(crate) mod tables;
pub(crate) mod worst_case;

pub use collection::{Collection, Partial, Preemptible, WholeBlock};
pub use core::Core;
pub use product::{assemble, ram};
pub(crate) use product::{build, by_device, plain, ram_by_device};
pub use scheme::{BlockState, PageMapped, Role};
pub use tables::Tables;
