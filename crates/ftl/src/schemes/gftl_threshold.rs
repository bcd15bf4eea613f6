//! `gftl-threshold`: GFTL that collects only while many blocks wait. It takes less energy and wear, and has no
//! real-time bound.
//!
//! ```text
//! as `gftl`, but a data block is taken only while more than t % of all N data blocks wait in the GCQ, or
//!   the write queue takes up more than t % of its U blocks
//! a write that finds the write queue full: as many steps as it takes to make room
//! ```
//!
//! State and cost: as `gftl`.
//!
//! Formulas: U(e_w), U(e_r) as in `gftl`. Below the threshold, pages of up to t % of the blocks stay in the
//! write queue for any time. Each of these pages may hold one queue block. To keep the bound, the queue would
//! need its U blocks beyond the threshold, U/(1 − t) in all. With U blocks, the worst step is a whole cycle:
//! ((N+1)(κ+1) + U + 1)·t_er. No write is refused: without writes, N + 1 collections empty the queue.
//!
//! Invariants: as in `gftl`; asserted there and by the test that fills the queue below the threshold.
//!
//! Parameters: `threshold` (t, 0 to 100 %, default 80; 0 is `gftl`, with its bound); the others as in `gftl`.
//!
//! Errors: as in `gftl`, but no write is refused for lack of room, even with the printed queue.
//!
//! Deviations: the source compares |GCQ|, in blocks, with a share of N(κ+1)/2, a length of the write queue in
//! pages. |GCQ| ≤ N never reaches it for κ > 1. Here each queue is compared with its own limit.
//!
//! Source: S. Choudhuri, T. Givargis, Deterministic Service Guarantees for NAND Flash using Partial Block
//! Cleaning, CODES+ISSS 2008 and its journal version: §VII-A.

use super::gftl::plan_with;
use crate::error::FtlError;
use crate::page::page;
use crate::plan::Plan;
use crate::preset::{Preset, SchemeConfig};
use bounds::gftl::QueueBound;
use flash::{Geometry, Part};

pub(crate) static PRESET: Preset = Preset {
    name: "gftl-threshold",
    summary: "as gftl, but data blocks are collected only while many wait",
    source: "Choudhuri, Givargis, CODES+ISSS 2008, §VII-A",
    settings: &["threshold", "queue", "ram", "enqueue", "idle"],
    victims: None,
    page: page!("gftl_threshold.rs"),
    buffer: None,
    plan,
    build: crate::schemes::gftl::build,
};

/// Threshold of the source's evaluation, in percent.
const DEFAULT_PERCENT: u8 = 80;

fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    let percent = config.queue_threshold_percent.unwrap_or(DEFAULT_PERCENT);
    plan_with(config, part, geometry, blocks, QueueBound::Fifo, Some(percent))
}
