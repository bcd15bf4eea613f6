//! Who lives where: maps, victim selection, collection, and the schemes put together from them.
//!
//! Mapping never knows time: a scheme asks [`flash::Flash`] for operations, each with a cause, and what
//! they cost is the backend's business.
#![no_std]

extern crate alloc;

mod allocation;
mod block_mapped;
mod buffer;
mod dirty_pages;
mod error;
mod guarantee;
mod log_block;
pub mod on_demand;
mod page;
pub mod page_mapped;
mod plan;
mod processor;
pub mod registry;
mod scheme;
mod schemes;
mod start;
mod wear;

pub use allocation::{Allocation, AllocationOrder, Level};
pub use buffer::{
    BufferLog, BufferPlan, BufferPolicy, BufferSettings, BufferUnit, Regions, UPDATE_PROBABILITIES,
    with_buffer,
};
pub use dirty_pages::{DirtyPages, DirtyRange, NoBuffer, Probability};
pub use error::FtlError;
pub use guarantee::{Guarantee, Ram};
pub use log_block::{LogBlockLayout, LogVictim};
pub use page_mapped::victims::{Accesses, VICTIM_POLICIES, VictimKind, VictimWork};
pub use plan::{Layout, Plan};
pub use processor::Processor;
pub use registry::{CmtPolicy, Preset, SchemeConfig, Visitor, WriteQueue};
pub use scheme::{CollectionLog, MapCache, MergeKind, Prefetch, Scheme};
pub use schemes::gftl::{GftlLayout, GftlThreshold};
