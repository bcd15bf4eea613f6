//! The write queue: how long does it get in the worst arrival order 0, 1, …, N−1, 0, 1, … (§IV-D)?

use super::steps::Steps;
use crate::ratio::Ratio;
use flash::Part;

/// L = ⌈N(κ+1)/2⌉: pages that the write queue must hold for N logical blocks.
pub fn queue_pages(blocks: u32, steps: Steps) -> u64 {
    (u64::from(blocks) * (u64::from(steps.total()) + 1)).div_ceil(2)
}

/// ⌈L/π⌉: blocks of the write queue.
pub fn queue_blocks(part: &Part, blocks: u32, steps: Steps) -> u64 {
    queue_pages(blocks, steps).div_ceil(part.pages_per_block.max(1).into())
}

/// L/π/N = (κ+1)/2π: the write queue's blocks over the logical blocks (without rounding).
///
/// Table V prints 16, 14, 14 % and 16, 13, 12 % for π = 16, 32, 64; this formula gives 18.75, 12.5 and 10.9
/// %.
pub fn queue_share(part: &Part, steps: Steps) -> Ratio {
    Ratio::of(u64::from(steps.total()) + 1, 2 * u64::from(part.pages_per_block))
}

/// Σ L_i: pages in the write queue after the `interval`-th group of N requests of the worst order.
///
/// L_i = N − ⌊iN/κ⌋ (§IV-D, Fig. 6); the sum is constant from the κ-th group on.
pub fn queue_growth_pages(blocks: u32, steps: Steps, interval: u32) -> u64 {
    let (blocks, total) = (u64::from(blocks), u64::from(steps.total()));
    (1..=u64::from(interval).min(total)).map(|i| blocks - i * blocks / total).sum()
}
