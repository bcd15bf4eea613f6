//! Flash translation layers: maps, victim selection, collection, and the schemes built from them.
//!
//! Mapping code knows no time. A scheme requests operations from [`flash::Flash`], each with a cause, and the backend
//! decides what they cost.
#![no_std]

extern crate alloc;

mod allocation;
mod batch;
mod block_mapped;
pub mod buffer;
mod dirty_pages;
mod error;
mod events;
mod frontier_sharing;
mod guarantee;
mod inspection;
mod interface;
mod lay_out;
mod layout;
mod log_block;
pub mod on_demand;
mod page;
pub mod page_mapped;
mod plan;
mod preset;
mod processor;
#[cfg(test)]
mod properties;
mod refresh;
mod refresh_bounds;
pub mod registry;
mod scheme;
mod schemes;
mod slc_cache;
mod start;
mod telemetry;
mod victim_work;
mod wear;

pub use allocation::{Allocation, AllocationOrder, Level};
pub use batch::{Asks, Done, FAR, HostClock, NEAR, Notes, PageTask, Served, TaskKind};
pub use bounds::gftl::CollectionRam;
pub use buffer::{
    AgeClock, BUFFER_POLICIES, BufferDefaults, BufferLog, BufferPlan, BufferPolicy, BufferSettings,
    BufferUnit, CleanUnits, Regions, UPDATE_PROBABILITIES, with_buffer,
};
pub use dirty_pages::{DirtyPages, DirtyRange, NoBuffer, Probability};
pub use error::FtlError;
pub use frontier_sharing::FrontierSharing;
pub use guarantee::{Guarantee, Ram};
pub use inspection::{BlockUse, Inspection, List, Place};
pub use interface::{Background, Ftl, Prefetch};
pub use layout::{
    CmtEviction, CmtPolicy, CollectionKind, CopiesPerStep, Enqueue, GftlLayout, GftlThreshold,
    Layout, LogBlockLayout, LogVictim, OnDemandLayout, RftlLayout, RftlTrigger, Steps,
};
pub use page_mapped::victims::{VICTIM_POLICIES, VictimKind};
pub use plan::Plan;
pub use preset::{Build, BuildResult, Preset, SchemeConfig, Setup, Start, Substrate, WriteQueue};
pub use processor::Processor;
pub use refresh::{RefreshStep, Refreshed};
pub use scheme::Scheme;
pub use slc_cache::{SlcLog, SlcPlan, SlcSize, WhenFull};
pub use telemetry::{CollectionLog, MapCache, MergeKind, SlcCacheState, Telemetry};
pub use victim_work::{Accesses, VictimWork};
