//! Cost of a write buffer alone: each policy on top of a scheme that does nothing.

use crate::catalogue;
use ::run::bench::drawn::{Drawn, ROUNDS, Shape, WRITES};
use ::run::bench::nothing;
use ftl::{
    AgeClock, AnyScheme, BufferLog, BufferPlan, BufferPolicy, BufferUnit, CleanUnits, Done,
    HostClock, PageTask, Regions, TaskKind, UPDATE_PROBABILITIES,
};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use serde::Serialize;
use std::time::Instant;

/// Capacity in pages: 16 MiB of 4 KiB.
const PAGES: u32 = 4096;

/// Writes per batch, as in a run.
const BATCH: usize = 128;

/// Result of one policy.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct BufferRow {
    /// Name of the policy.
    pub policy: &'static str,
    /// Most pages evicted at a time.
    pub unit_pages: u32,
    /// ns per host write if every page is in the buffer.
    pub ns_per_hit: f64,
    /// ns per host write over the whole logical space: each write inserts a page and evicts a unit.
    pub ns_per_miss: f64,
    /// Share of these writes that hit the buffer nevertheless.
    pub hit_share: f64,
}

/// Measures every policy over the logical space of a shape.
pub(super) fn rows(shape: Shape, seed: u64) -> Vec<BufferRow> {
    let block = shape.pages_per_block;
    let units = [(BufferUnit::Page, 1), (BufferUnit::Block, block)];
    let all = catalogue::buffers().iter().flat_map(|policy| units.map(|unit| (*policy, unit)));
    let taken = all.filter(|(policy, (unit, _))| policy.units.contains(unit));
    taken.map(|(policy, (_, unit_pages))| row(shape, policy, unit_pages, seed)).collect()
}

fn row(shape: Shape, policy: &'static BufferPolicy, unit_pages: u32, seed: u64) -> BufferRow {
    let logical_pages = (shape.capacity_bytes / u64::from(shape.page_bytes)) as u32;
    let plan = BufferPlan {
        policy,
        pages: PAGES,
        unit_pages,
        age_ns: u64::MAX,
        clock: AgeClock::Device,
        clean: CleanUnits::InOrder,
        ram_ns: 0,
        reads: false,
        window_pages: PAGES / 4,
        regions: Regions::ADAPTIVE,
        updates: UPDATE_PROBABILITIES,
        aware: false,
    };
    let mut buffered = nothing::buffered(logical_pages, &plan);
    let mut random = Pcg64::seed_from_u64(seed);
    let ns_per_miss = best_of(&mut *buffered, logical_pages, shape, &mut random);
    let BufferLog { write_hits, write_misses, .. } =
        buffered.telemetry().buffer.map(|(_, log)| log.clone()).unwrap_or_default();
    BufferRow {
        policy: policy.name,
        unit_pages,
        // Half the buffer's capacity: all pages enter and stay.
        ns_per_hit: best_of(&mut *buffered, PAGES / 2, shape, &mut random),
        ns_per_miss,
        hit_share: write_hits as f64 / (write_hits + write_misses) as f64,
    }
}

/// The best of several rounds of writes to the first `pages` pages, ns per write.
fn best_of(scheme: &mut AnyScheme, pages: u32, shape: Shape, random: &mut Pcg64) -> f64 {
    let mut next = || round(scheme, &Drawn::new(pages, shape.page_bytes, random).lpns);
    (0..ROUNDS).map(|_| next()).fold(f64::INFINITY, f64::min)
}

fn round(scheme: &mut AnyScheme, lpns: &[u32]) -> f64 {
    let work: Vec<PageTask> =
        lpns.iter().map(|lpn| PageTask::page(TaskKind::Write, *lpn)).collect();
    let mut clock = HostClock { still: true, ..HostClock::default() };
    let mut done = vec![Done::default(); BATCH];
    let start = Instant::now();
    for at in (0..work.len()).step_by(BATCH) {
        // The underlying scheme never fails.
        let _ = scheme.run(&work, at..work.len().min(at + BATCH), &mut clock, &mut done);
    }
    start.elapsed().as_nanos() as f64 / WRITES as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_is_measured_where_pages_come_in_and_where_they_stay() {
        let shape = Shape { capacity_bytes: 1 << 30, page_bytes: 4096, pages_per_block: 64 };
        for policy in catalogue::buffers() {
            let row = row(shape, policy, 64, 1);
            assert!(row.ns_per_hit > 0.0 && row.ns_per_miss > 0.0, "{row:?}");
            assert!((0.005..0.05).contains(&row.hit_share), "{row:?}");
        }
    }
}
