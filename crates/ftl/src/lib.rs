//! Flash translation layers: maps, victim selection, collection, and the schemes built from them.
//!
//! Mapping code knows no time. A scheme requests operations from [`flash::Flash`], each with a cause, and the backend
//! decides what they cost.
//!
//! ```
//! use ftlkit_ftl::flash::{AnyArray, Array, Geometry, Lpn, Probe, Serial, Store, parts};
//! use ftlkit_ftl::{SchemeConfig, registry};
//!
//! let part = parts::by_name("evaluation-slc").expect("it is in the catalogue").clone();
//! let geometry = Geometry::new(16, part.pages_per_block, part.page_bytes)?;
//! let flash = AnyArray::new(Serial::new(Array::new(geometry, part, Store::All)));
//!
//! let config = SchemeConfig::preset(registry::by_name("lazy-rtgc")?);
//! let mut scheme = registry::format(&config, flash)?;
//! let page = vec![42; geometry.page_bytes() as usize];
//! for round in 0..20 {
//!     for lpn in 0..scheme.logical_pages() {
//!         let before = scheme.flash().worked().busy_ns;
//!         scheme.write(Lpn(lpn * 7 % scheme.logical_pages()), Some(&page))?;
//!         let response_ns = scheme.flash().worked().busy_ns - before;
//!         assert!(Some(response_ns) <= scheme.telemetry().guarantee.response_ns, "round {round}");
//!     }
//! }
//!
//! // The power fails: all that is left is the array.
//! let mut scheme = registry::mount(&config, scheme.into_flash())?;
//! let mut read = vec![0; page.len()];
//! assert!(scheme.read(Lpn(7), Some(&mut read))?);
//! assert_eq!(read, page);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]

extern crate alloc;

mod allocation;
mod batch;
mod block_mapped;
mod block_set;
pub mod buffer;
mod buffered;
mod dirty_pages;
mod error;
mod events;
pub mod firmware;
mod fork;
mod frontier_sharing;
mod guarantee;
mod idle;
mod inspection;
mod interface;
mod layout;
mod log_block;
pub mod on_demand;
mod page;
pub mod page_mapped;
mod page_task;
pub mod placement;
mod plan;
mod planning;
mod policy_kind;
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
mod stream_log;
mod telemetry;
mod victim_work;
pub mod victims;
mod wear;
mod zones;

// The crates whose types are in this one's: a crate that depends on it needs no other.
pub use {::bounds, ::flash};

pub use allocation::{Allocation, AllocationOrder, Level};
pub use batch::{Done, FAR, HostClock, NEAR, Notes, Served};
pub use bounds::gftl::CollectionRam;
pub use buffer::{
    AgeClock, BUFFER_POLICIES, BufferDefaults, BufferLog, BufferPlan, BufferPolicy, BufferSettings,
    BufferUnit, CleanUnits, Regions, UPDATE_PROBABILITIES,
};
pub use buffered::with_buffer;
pub use dirty_pages::{DirtyPages, DirtyRange, NoBuffer, Probability};
pub use error::FtlError;
pub use frontier_sharing::FrontierSharing;
pub use guarantee::{Guarantee, Ram};
pub use idle::{IdleTime, refresh_start_ns};
pub use inspection::{BlockUse, Inspection, List, Place, Placed};
pub use interface::{Background, Ftl, Prefetch};
pub use layout::{
    CmtEviction, CmtPolicy, CollectionKind, CopiesPerStep, Enqueue, GftlLayout, GftlThreshold,
    Layout, LogBlockLayout, LogVictim, OnDemandLayout, PoolLimits, RftlLayout, RftlTrigger, Steps,
    ZoneLayout,
};
pub use page_task::{Asks, PageTask, TaskKind};
pub use placement::{Future, FutureNotes, PLACEMENT_POLICIES, PlacementKind};
pub use plan::Plan;
pub use policy_kind::{MOST_NUMBERS, Policy, PolicyKind, PolicyNumber};
pub use preset::{BuildResult, Preset, SchemeConfig, Setup, Start, WriteQueue};
pub use processor::Processor;
pub use refresh::{RefreshStep, Refreshed};
pub use scheme::{AnyScheme, Scheme};
pub use slc_cache::{SlcLog, SlcPlan, SlcSize, WhenFull};
pub use stream_log::{HandleLog, StreamLog};
pub use telemetry::{CollectionLog, MapCache, MergeKind, SlcCacheState, Telemetry};
pub use victim_work::{Accesses, VictimWork};
pub use victims::{VICTIM_POLICIES, VictimKind};
pub use zones::{Refusal, ZoneAction, ZoneLimits, ZoneLog, ZoneShape, ZoneState, ZonesState};
