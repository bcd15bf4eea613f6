//! `gftl`: block mapping with one page-mapped write queue, and a collection step, no longer than an erase,
//! after every request. So the response bound holds for any history of requests.
//!
//! ```text
//! write(lpn):                                 # GCQ: garbage collection queue
//!   if its block is under collection, in the read or erase state (`ram=collection`: in any): keep the page in RAM
//!   elif its data block has room: program its next page; if that fills it: to the tail of the GCQ
//!                                 (`enqueue=overflow`: not yet)
//!   else: program the next page of the write queue; to the tail of the GCQ, if not there
//!   step
//! read(lpn): from RAM, else the write queue's page, else search the data block's OOBs backwards; step
//! step: of the current collection, else erase an obsolete block of the write queue, else begin on the
//!     GCQ's first block b; ⌊t_er/t⌋ operations of time t, or one erase
//!   read: b's pages in the write queue, then b's OOBs backwards and pages not seen yet
//!   write: all of them to a new block; erase: the old block; then program the pages that RAM took meanwhile
//! ```
//!
//! State and cost (N logical blocks of π pages, U blocks in the queue, P in all): a controller needs
//! - a block map (8 B × N), a map of the write queue (16 B × U·π) and the GCQ (4 B × N);
//! - free blocks and live pages of queue blocks (6 B × P);
//! - one block's pages in RAM.
//!
//! Here one flat array (4 B × N·π) holds the location of each page. So a lookup is one access, and one contiguous
//! stretch of the array lists a block's pages in the queue. O(1) per task except OOB reads; O(π) per collection.
//!
//! Formulas (t in ns): U(e_w) = t_wr, U(e_r) = π·t_oob + t_rd, step ≤ t_er, U(R) = t_er + max(U(e_w), U(e_r))
//! (Table III). κ = ⌈(3π−1)/⌊t_er/max(t_rd, t_oob)⌋⌉ + β + 1 steps, β = ⌈π/⌊t_er/t_wr⌋⌉, and H more to program the h
//! pages that RAM alone holds when the old block is erased: h = H = 1, with `ram=collection` h = β + 1 and
//! H = ⌈h/(⌊t_er/t_wr⌋ − 1)⌉ (h if that is 0). P ≥ N + U + 1 + A with U = ⌈((N+2)(κ+H) + h + 1 + π)/(π−1)⌉, proved for every order of
//! requests, and A blocks for the maps at shutdown: [`bounds::gftl::Space`].
//!
//! Invariants: a page of the write queue is live only while its block waits in the GCQ or is under collection.
//! Such a block has a data block, and no page is programmed into it. The queue never takes up more than U blocks.
//! Asserted by the conformance and power-cut suites and the tests of the worst orders.
//!
//! Parameters:
//! - `logical_share`: up to, and by default, N·π.
//! - `queue`: `proven`, the default: U as above; `printed`: ⌈L/π⌉ blocks, L = ⌈N(κ+1)/2⌉. Some orders overflow the
//!   printed queue: then writes are refused until collection has made room.
//! - `ram`: `states`, the default: RAM takes the writes of a block in the read and erase states of its collection
//!   (Algorithm 1); `collection`: in every state (§VI). A write that RAM takes is lost in a power cut before the next flush.
//! - `enqueue`: `full`, the default: a block is queued with its last page (§IV-A); `overflow`: with the first page that
//!   it cannot take, from which Fig. 7 and Table VI come nearest.
//! - `idle`: a step in idle time; default off.
//! - `spare_blocks`: default 0.
//!
//! Errors: an operation longer than an erase, too few blocks, or too large a share: refused before the run.
//! [`FtlError::Full`] with the printed queue.
//!
//! Deviations:
//! - Steps hold whole operations, so κ is larger than printed.
//! - A block that is full after its collection is not queued until it is written again. Otherwise an idle device would
//!   rewrite itself forever.
//! - Obsolete queue blocks are erased before the next data block is taken. After N blocks in the GCQ they would double
//!   the queue.
//! - Pages written in the write state go to the queue (Algorithm 1). They put their block back at the tail when its
//!   collection ends; otherwise they would stay in the queue without bound.
//! - Pages taken before the erase are programmed in steps of their own. With `ram=collection` these are the pages whose turn
//!   in the new block had passed; the others are programmed with it.
//! - A flush programs pages held in RAM alone in the write queue.
//! - A read of a trimmed page, or of one never written, reads no flash. After a mount it does, because the mount takes
//!   every page of a data block as present.
//! - A mount after a power cut also reads the last OOB of each data block (log₂π more if it is not full), and
//!   runs one collection.
//! - A shutdown finishes the current collection. The first task after it, or after the mount from it, programs one
//!   page more, which marks the maps as out of date.
//! - The list of pages lost to bit errors is kept until the next mount only: after it an older version may be read.
//!
//! Source: S. Choudhuri, T. Givargis, Deterministic Service Guarantees for NAND Flash using Partial Block
//! Cleaning, CODES+ISSS 2008 and its journal version: §IV, Algorithms 1–3, §VI.

mod area;
mod collection;
mod collection_queue;
mod in_progress;
mod inspect;
mod mount;
mod scheme;
mod stamp;
mod state;
mod tasks;
mod words;
mod write_queue;

use crate::block_mapped::Pool;
use crate::error::FtlError;
use crate::guarantee::{Guarantee, Ram};
use crate::layout::{GftlLayout, GftlThreshold, Layout};
use crate::page::page;
use crate::plan::Plan;
use crate::preset::{BuildResult, Preset, SchemeConfig, Setup, Start, WriteQueue};
use alloc::boxed::Box;
use alloc::{
    format,
    string::{String, ToString},
};
use bounds::{
    BoundError,
    gftl::{self as bound, QueueBound, Space},
};
use collection_queue::{CollectionQueue, Dirtiest};
use flash::{Geometry, Part, Probe};
use state::AreaBlock;

pub(crate) use collection_queue::Fifo;
pub(crate) use state::Gftl;

pub(crate) static PRESET: Preset = Preset {
    name: "gftl",
    summary: "block map and a write queue, one collection step of at most t_er after every request",
    source: "Choudhuri, Givargis, CODES+ISSS 2008, Algorithms 1-3",
    settings: &["queue", "ram", "enqueue", "idle"],
    victims: None,
    page: page!("gftl.rs"),
    buffer: None,
    plan,
    build,
};

fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    plan_with(config, part, geometry, blocks, QueueBound::Fifo, None)
}

/// The plan of GFTL and its variants: `proven` is the space bound for the order of collection, `percent` the
/// threshold.
pub(super) fn plan_with(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
    proven: QueueBound,
    percent: Option<u8>,
) -> Result<Plan, FtlError> {
    if let Some(percent) = percent.filter(|percent| *percent > 100) {
        let reason = format!("is {percent} %; it must be 0 to 100");
        return Err(FtlError::Config { scheme: config.preset.name, setting: "threshold", reason });
    }
    plan_or(config, part, geometry, blocks, (proven, percent), |error| error.to_string())
}

/// The same with a threshold of at most 100, or an error in these words.
pub(crate) fn plan_or(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
    (proven, percent): (QueueBound, Option<u8>),
    words: fn(&BoundError) -> String,
) -> Result<Plan, FtlError> {
    let error = |setting, reason| FtlError::Config { scheme: config.preset.name, setting, reason };
    let printed = config.write_queue == Some(WriteQueue::Printed);
    let queue = if printed { QueueBound::Printed } else { proven };
    let in_ram = config.collection_ram.unwrap_or_default();
    let space = match config.logical_pages {
        None => bound::space(part, blocks, queue, in_ram),
        Some(logical_pages) => bound::space_for(part, blocks, queue, in_ram, logical_pages),
    };
    let space = space.map_err(|reason| {
        let setting = match reason {
            BoundError::LogicalPages { .. } => "logical share",
            BoundError::OperationLongerThanErase { .. } => "part",
            _ => "capacity",
        };
        error(setting, words(&reason))
    })?;
    let pages_per_block = geometry.pages_per_block();
    let logical_pages = space.logical_blocks * pages_per_block;
    let threshold =
        percent.filter(|percent| *percent > 0).map(|percent| threshold(&space, percent));
    let dirtiest_first = proven == QueueBound::Aged;
    let ram = if dirtiest_first { ram::<Dirtiest> } else { ram::<Fifo> };
    Ok(Plan {
        logical_pages: config.logical_pages.unwrap_or(logical_pages),
        threshold_pages: 0,
        spare_blocks: 0,
        layout: Layout::Gftl(GftlLayout {
            queue_blocks: space.queue_blocks,
            queue_limit: if printed { space.queue_blocks } else { u32::MAX },
            area_blocks: space.area_blocks,
            saves_maps: config.static_wear.is_none(),
            reads: operations(part, part.t_r_ns.max(part.t_r_oob_ns)),
            programs: operations(part, part.t_prog_ns),
            threshold,
            ram: in_ram,
            enqueue: config.enqueue.unwrap_or_default(),
            dirtiest_first,
        }),
        buffer: None,
        slc: None,
        guarantee: guarantee(part, &space, threshold.is_some(), printed),
        ram: ram(geometry, space.logical_blocks, space.queue_blocks),
    })
}

/// Operations of `ns` per step; [`bounds::gftl::whole_steps`] ensures at least one.
fn operations(part: &Part, ns: u64) -> u32 {
    let operations = part.t_bers_ns.checked_div(ns).unwrap_or(u64::MAX);
    u32::try_from(operations).unwrap_or(u32::MAX)
}

fn threshold(space: &Space, percent: u8) -> GftlThreshold {
    let share = |blocks: u32| (u64::from(blocks) * u64::from(percent) / 100) as u32;
    GftlThreshold {
        waiting_blocks: share(space.logical_blocks),
        queue_blocks: share(space.queue_blocks),
    }
}

/// With a threshold, a write that finds the queue full waits for the collection of (at worst) every block
/// and the erase of every queue block.
fn guarantee(part: &Part, space: &Space, threshold: bool, printed: bool) -> Guarantee {
    let step = part.t_bers_ns;
    let whole_cycle = (u64::from(space.logical_blocks) + 1) * bound::collection_steps(space.steps)
        + u64::from(space.queue_blocks);
    let service = bound::write_ns(part).max(bound::read_ns(part));
    let step_ns = if threshold { (whole_cycle + 1) * step } else { step };
    Guarantee {
        read_ns: Some(bound::read_ns(part)),
        write_ns: Some(bound::write_ns(part)),
        step_ns: Some(step_ns),
        response_ns: Some(step_ns + service),
        victim_valid: Some(bound::victim_valid(part)),
        real_time: !threshold && !printed,
        volatile: true,
        step_with_read: true,
        forced_apart: true,
        ..Guarantee::default()
    }
}

/// Controller RAM: see the module header.
fn ram<Q: CollectionQueue>(geometry: &Geometry, logical_blocks: u32, queue_blocks: u32) -> Ram {
    let pages = u64::from(geometry.pages_per_block());
    let logical = u64::from(logical_blocks);
    Ram {
        map: logical * 8 + u64::from(queue_blocks) * pages * 16,
        blocks: u64::from(geometry.blocks()) * (4 + 2),
        victims: Q::ram_bytes(logical_blocks),
        // One bit per page (written or not); one block's pages and their flags.
        other: (logical * pages).div_ceil(8) + pages * (u64::from(geometry.page_bytes()) + 1),
        ..Ram::default()
    }
}

/// Formats or mounts the array, and returns the scheme.
pub(crate) fn build<F: Probe + Clone + 'static>(setup: &Setup<'_>, flash: F) -> BuildResult<F> {
    let Layout::Gftl(layout) = setup.plan.layout else { return Err(setup.foreign_plan()) };
    fn started<F: Probe + Clone + 'static, Q: CollectionQueue + 'static>(
        setup: &Setup<'_>,
        mut device: Gftl<F, Q>,
    ) -> BuildResult<F> {
        start_up(setup, &mut device)?;
        Ok(setup.finish(device))
    }
    let idle = setup.config.idle_collection;
    match layout.dirtiest_first {
        true => started::<F, Dirtiest>(setup, Gftl::new(flash, layout, setup.plan, idle)),
        false => started::<F, Fifo>(setup, Gftl::new(flash, layout, setup.plan, idle)),
    }
}

/// As [`build`], in queue order. All memory is taken here, and by a shutdown: none is taken or given back by what comes between.
pub(crate) fn plain<F: Probe>(setup: &Setup<'_>, flash: F) -> Result<Box<Gftl<F, Fifo>>, FtlError> {
    let Layout::Gftl(layout) = setup.plan.layout else { return Err(setup.foreign_plan()) };
    let geometry = *flash.geometry();
    let mut device = boxed(setup, layout, flash);
    start_up(setup, &mut device)?;
    device.pool.reserve(&geometry);
    device.collection.failed.reserve_exact(geometry.blocks() as usize);
    Ok(device)
}

/// By itself, so that its stack is free again before a mount.
#[inline(never)]
fn boxed<F: Probe>(setup: &Setup<'_>, layout: GftlLayout, flash: F) -> Box<Gftl<F, Fifo>> {
    Box::new(Gftl::new(flash, layout, setup.plan, setup.config.idle_collection))
}

fn start_up<F: Probe, Q: CollectionQueue>(
    setup: &Setup<'_>,
    device: &mut Gftl<F, Q>,
) -> Result<(), FtlError> {
    let Setup { config, plan, start } = *setup;
    match start {
        Start::Format => format_array(device, config, plan),
        Start::Mount => device.mount(),
    }
}

/// Erases all blocks, and reserves the area.
fn format_array<F: Probe, Q: CollectionQueue>(
    device: &mut Gftl<F, Q>,
    config: &SchemeConfig,
    plan: &Plan,
) -> Result<(), FtlError> {
    let Gftl { flash, pool, log, .. } = device;
    Pool::format(pool, flash, config, plan, log)?;
    let aside = device.last_good_blocks();
    for _ in 0..device.pool.len() {
        let Some(block) = device.pool.take() else { break };
        if aside.first().is_some_and(|first| block.0 >= *first) {
            device.area.push(AreaBlock { block: block.0, written: 0 });
        } else {
            device.pool.put_back(block);
        }
    }
    Ok(())
}
