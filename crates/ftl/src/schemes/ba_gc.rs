//! `ba-gc`: `fast` below a three-region write buffer that its collector knows. A merge takes dirty pages from the
//! buffer, and the victim is the log block whose merge costs least and saves most.
//!
//! ```text
//! collect:                           # when `fast` has no page left in its log blocks
//!   L = the log block of least Δ(L), of several the oldest           # BA-VBS
//!   for each logical block D in A(L):                                # BA-BM, Fig. 2
//!     take a new block
//!     for each page p of D, in order:
//!       if p is dirty in the buffer: program it from there; it is clean once D is merged
//!       else: copy it, from the data block or from the log block that has the newest version
//!     erase D's data block
//!   erase L
//! ```
//!
//! State and cost: those of `fast` with the cheapest victim, and the buffer. Victim selection takes one lookup
//! in the buffer for each logical block that has a page in the log. If the buffer keeps pages rather than blocks,
//! it takes one for each of the block's pages.
//!
//! Formulas (t in ns):
//!
//! ```text
//! A(L) = logical blocks with a valid page in L                                         (Eq. 1)
//! B(L) = pages of A(L) that are dirty in the buffer;  F(L) = their other pages         (Eq. 4)
//! δ_merge = |B|·C_bf + |F|·C_ff;  C_bf = C_p;  C_ff = C_r + C_p                        (Eq. 4)
//! δ_erase = (|A| + 1)·C_e                                                              (Eq. 7)
//! δ_benefit = (δ_evict^BU − δ_evict^BA)·(1 + α);  α = (C_p + C_r)/C_p                  (Eq. 5)
//! δ_evict^BU = |B|·C_p;  δ_evict^BA = C_p·Σ_B P(U)                                     (Eqs. 8, 9)
//! Δ(L) = δ_merge + δ_erase − δ_benefit                                                 (Eq. 7)
//! P(U) = 0.3 in the initial region, 1 in the to-be-updated one, 0 in the to-be-evicted one   (§6.1)
//! ```
//!
//! Worst case: that of `fast` ([`bounds::log_block::fast_step_ns`]) for each page that must be evicted before
//! a write. A page that a merge takes from the buffer costs a program, less than the copy it replaces.
//!
//! Power cuts: as in `fast`. A page counts as clean only when the merge that took it is complete; until then
//! the older version is not erased. Pages in the buffer that were not written to flash are lost.
//!
//! Invariants: those of `fast`; the victim is the one that Eqs. 1 to 9 name, page by page. Asserted by the
//! worked examples of Figs. 1 and 3, a comparison with the definition, and the conformance suite.
//!
//! Parameters:
//! - `log_blocks` (K), `logical_share` and `spare_blocks`: as in `fast`.
//! - `buffer` and its settings: default `three-region`, 16 MiB, by blocks. Any policy is possible; all except
//!   `three-region` have P(U) = 0, as in Eq. 6. `none` leaves `fast` with the cheapest victim.
//! - `victim`: `greedy`, the default: least Δ; `fifo`, round robin: BA-BM without BA-VBS.
//! - `aware`: default on. If off, merges take nothing from the buffer and B is empty in Δ too. The victim is then
//!   the one whose merge costs least, without BA-BM and its benefit.
//! - `alpha`: α, 0 to 1000; default (C_p + C_r)/C_p.
//! - `buffer_updates`: P(U) of the three regions; default 30 %, 100 %, 0 %. `buffer_regions`: how the regions' sizes
//!   adapt, or fixed sizes.
//! - `buffer_clock`: the clock by which dirty data ages. The paper's simulator has the trace's own times, `arrival`.
//!
//! Errors: those of `fast`; a buffer smaller than a block or larger than the array: refused before the run.
//!
//! Deviations: those of `fast`. A read from the buffer takes `buffer_time`, which is charged to the host's tasks;
//! C_b is 0 in Δ. Eq. 4's F_d prints the invalid pages of a data block, but must mean the valid ones. α is
//! (C_p + C_r)/C_p of the simulated part: 1.125 for the paper's. The rule by which the regions adapt is not from
//! the paper, which leaves it to a report; fixed sizes can be set.
//!
//! Source: S. Lee, D. Shin, J. Kim, Buffer-aware garbage collection for NAND flash memory-based storage
//! systems, 2008, Fig. 2, Eqs. 1 to 9.

use super::fast;
use crate::buffer::policy::BufferPolicy;
use crate::buffer::settings::BufferDefaults;
use crate::error::FtlError;
use crate::layout::LogVictim;
use crate::page::page;
use crate::plan::Plan;
use crate::preset::{Preset, SchemeConfig};
use flash::{Geometry, Part};

pub(crate) static PRESET: Preset = Preset {
    name: "ba-gc",
    summary: "fast below a three-region write buffer; merges take dirty pages from it, and victim selection \
        counts them",
    source: "Lee, Shin, Kim, Buffer-aware garbage collection, 2008",
    settings: &["log_blocks", "victim", "aware", "alpha"],
    victims: Some(fast::VICTIMS),
    page: page!("ba_gc.rs"),
    buffer: Some(BufferDefaults { policy: BufferPolicy::THREE_REGION, aware: true }),
    plan,
    build: crate::schemes::fast::build,
};

fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    fast::plan_with(config, part, geometry, blocks, LogVictim::LeastCost)
}
