//! `gftl-priority`: GFTL that collects the dirtiest block first, so that the write queue grows more slowly.
//!
//! ```text
//! as `gftl`, but the step that begins a collection takes
//!   the block that waits longest, if ⌈N/8⌉ collections were begun since it was queued
//!   else the block with the most invalid pages, by eighths of π; within an eighth the one queued first
//! ```
//!
//! State and cost: as `gftl`, plus two doubly linked lists through the waiting blocks, by age and by eighth
//! (21 B × N). Queuing a block, taking it, and moving it when pages become invalid are O(1).
//!
//! Formulas: as in `gftl`, with U = ⌈((N + ⌈N/8⌉ + 2)(κ+1) + 2 + π)/(π−1)⌉. Dirtier blocks overtake a block for at
//! most ⌈N/8⌉ collections; after that only blocks queued before it precede it. So the choice costs an eighth more
//! queue. Proof: [`bounds::gftl::Space`].
//!
//! Invariants: as in `gftl`; no block waits for more than N + ⌈N/8⌉ collections.
//!
//! Parameters: as in `gftl`.
//!
//! Errors: as in `gftl`.
//!
//! Deviations: the source sorts the whole queue, or its buckets, at every idle step and lets clean blocks
//! starve. Then neither the age of a page in the write queue nor the queue's length is bounded. After a mount,
//! blocks that waited before it go first, in the order of their oldest page in the write queue.
//!
//! Source: S. Choudhuri, T. Givargis, Deterministic Service Guarantees for NAND Flash using Partial Block
//! Cleaning, CODES+ISSS 2008 and its journal version: §VII-B.

use super::gftl::plan_with;
use crate::error::FtlError;
use crate::page::page;
use crate::plan::Plan;
use crate::preset::{Preset, SchemeConfig};
use bounds::gftl::QueueBound;
use flash::{Geometry, Part};

pub(crate) static PRESET: Preset = Preset {
    name: "gftl-priority",
    summary: "as gftl, but the dirtiest block is collected first, until one has waited too long",
    source: "Choudhuri, Givargis, CODES+ISSS 2008, §VII-B",
    settings: &["queue", "ram", "enqueue", "idle"],
    victims: None,
    page: page!("gftl_priority.rs"),
    buffer: None,
    plan,
    build: crate::schemes::gftl::build,
};

fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    plan_with(config, part, geometry, blocks, QueueBound::Aged, None)
}
