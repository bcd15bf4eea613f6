//! GFTL: block mapping with one page-mapped write queue, and partial collection after every request.
//!
//! Source: Choudhuri and Givargis, "Deterministic Service Guarantees for NAND Flash using Partial Block
//! Cleaning" (CODES+ISSS 2008 and its journal version): §IV, Table III, §VI.

mod queue;
mod space;
mod start_up;
mod steps;

pub use queue::{queue_blocks, queue_growth_pages, queue_pages, queue_share};
pub use space::{
    QueueBound, Space, aged_wait, collection_steps, proven_queue_blocks, space, space_for,
};
pub use start_up::{image_pages, mount_after_cut_ns, shutdown_ns, start_up_ns};
pub use steps::{CollectionRam, Steps, paper_steps, whole_steps};

use crate::ratio::Ratio;
use flash::{Ns, Part};

/// U(e_w) = t_wr (Table III): one program, to the next page of the block or of the write queue.
pub fn write_ns(part: &Part) -> Ns {
    part.t_prog_ns
}

/// U(e_r) = π·t_oob + t_rd (Table III): a backward search of the OOB areas finds the newest version.
pub fn read_ns(part: &Part) -> Ns {
    u64::from(part.pages_per_block) * part.t_r_oob_ns + part.t_r_ns
}

/// L(p) = t_er + max(U(e_w), U(e_r)) (Table III): the shortest request period, and the worst-case response.
///
/// One step of at most t_er runs after every request.
pub fn period_ns(part: &Part) -> Ns {
    part.t_bers_ns + write_ns(part).max(read_ns(part))
}

/// U(λ) = π: nothing limits the valid pages of a block under collection.
pub fn victim_valid(part: &Part) -> u32 {
    part.pages_per_block
}

/// κ = ⌊((π−1)t_rd + π·t_oob + π·t_wr)/t_er + 1⌋: GFTL's steps as Lazy-RTGC's Table I counts them.
pub fn steps_in_lazy_rtgc(part: &Part) -> u64 {
    let pages = u64::from(part.pages_per_block);
    let ns = pages.saturating_sub(1) * part.t_r_ns + pages * (part.t_r_oob_ns + part.t_prog_ns);
    ns.checked_div(part.t_bers_ns).unwrap_or(0) + 1
}

/// U(σ) = 1 − (κ+1)/2π with [`steps_in_lazy_rtgc`] (Lazy-RTGC, Tables I and III).
///
/// 0 if the queue would be larger than the array.
pub fn share_in_lazy_rtgc(part: &Part) -> Ratio {
    let twice = 2 * u64::from(part.pages_per_block);
    Ratio::of(twice.saturating_sub(steps_in_lazy_rtgc(part) + 1), twice)
}
