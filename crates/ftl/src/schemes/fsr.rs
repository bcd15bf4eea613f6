//! `fsr`: page-level collection with a logical share that bounds the valid pages of every victim. So each
//! collection frees a known number of pages.
//!
//! ```text
//! as `page-level`, with Λ = ⌊σ·N·π⌋ logical pages
//! ```
//!
//! Worst case (greedy): with split frontiers a victim has at most U(λ) = ⌊Λ/(N−2)⌋ valid pages. With
//! `frontiers=shared` it has at most ⌊Λ/(N−1)⌋. That is the paper's U(λ) = ⌈σπ⌉ without the block that is free at
//! that moment. U(R) = t_wr + U(λ)(t_rd+t_wr) + t_er; other copy paths as in `page-level`. Table I of the paper
//! uses Definition 2.3 (λ = π − 1) here, since it does not take σ as given for FSR.
//!
//! Parameters: `logical_share` (σ, default 0.75, from the evaluation); `victim`, `idle`, `aware`,
//! `frontiers`, `placement`, `slc`, `slc_full`, `spare_blocks` as in `page-level`. Errors: as there.
//!
//! Deviations: the original free-space replenishment schedules a collection task for each real-time task, which
//! needs the tasks' periods from the file system. As in the paper's comparison, only the bound on space and the
//! trigger are kept. A victim need only yield the promised pages: `victim=first-fit:M` with M = ⌈σπ⌉ takes the next
//! that does, which is nearer to the figures of the comparison than greedy.
//!
//! Source: L.-P. Chang, T.-W. Kuo, S.-W. Lo, Real-time garbage collection for flash-memory storage systems
//! of real-time embedded systems, ACM TECS 3(4), 2004; as compared in Zhang et al., Lazy-RTGC, ACM TODAES
//! 20(3):43, 2015, §6.1.

use super::page_level::{most_logical_pages, whole_block_plan};
use crate::error::FtlError;
use crate::page::page;
use crate::plan::Plan;
use crate::preset::{Preset, SchemeConfig};
use flash::{Geometry, Part};

pub(crate) static PRESET: Preset = Preset {
    name: "fsr",
    summary: "page map in RAM, greedy, whole victims, 75 % logical share, which bounds a victim's valid pages",
    source: "Chang, Kuo, Lo, ACM TECS 3(4), 2004; as in Zhang et al., TODAES 20(3):43, 2015, §6.1",
    settings: &["victim", "idle", "aware", "frontiers", "refill", "placement", "slc", "slc_full"],
    victims: None,
    page: page!("fsr.rs"),
    buffer: None,
    plan,
    build: crate::page_mapped::build,
};

fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    whole_block_plan(config, part, geometry, blocks, default_logical_pages(geometry, blocks))
}

/// Λ = ⌊3Nπ/4⌋, where so many fit.
pub(crate) fn default_logical_pages(geometry: &Geometry, blocks: u32) -> u32 {
    let pages = u64::from(blocks) * u64::from(geometry.pages_per_block());
    ((pages * 3 / 4) as u32).min(most_logical_pages(geometry, blocks))
}
