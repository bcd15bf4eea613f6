//! Division of the collection of one block into steps of at most one erase time (§IV-C).

use crate::error::BoundError;
use flash::{Ns, Part};

/// States of a block's collection in which its writes are taken in RAM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CollectionRam {
    /// The read and the erase state (Algorithm 1). In the write state they go to the write queue.
    #[default]
    States,
    /// Every state (§VI: a block "in the middle of partial garbage collection").
    Collection,
}

/// Steps of one block's collection: read, then write, then erase (one step), then what RAM took meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// α: steps that read.
    pub read: u32,
    /// β: steps that write.
    pub write: u32,
    /// Most pages that are in RAM alone when the old block is erased.
    pub held: u32,
    /// Steps that program them.
    pub after: u32,
}

impl Steps {
    /// κ = α + β + 1.
    pub fn total(self) -> u32 {
        self.read.saturating_add(self.write).saturating_add(1)
    }
}

/// α = ⌈(2π−1)t_rd/t_er⌉ and β = ⌈π·t_wr/t_er⌉, as printed.
///
/// Errata: a page operation cannot be split, so a step of t_er holds ⌊t_er/t⌋ operations.
/// β is therefore too small wherever t_wr does not divide t_er.
/// The text also counts the read phase as (2π−1)t_oob + π·t_rd, more than the (2π−1)t_rd of α.
/// [`whole_steps`] corrects both.
pub fn paper_steps(part: &Part) -> Steps {
    let pages = u64::from(part.pages_per_block);
    let steps = |ns: Ns| count(Some(ns.div_ceil(part.t_bers_ns.max(1))));
    Steps {
        read: steps((2 * pages).saturating_sub(1) * part.t_r_ns),
        write: steps(pages * part.t_prog_ns),
        held: 1,
        after: 1,
    }
}

/// Steps that hold whole operations.
///
/// - Read: ⌈(3π−1)/⌊t_er/max(t_rd, t_oob)⌋⌉ (2π−1 OOB areas and π pages, the text's read phase).
/// - Write: ⌈π/⌊t_er/t_wr⌋⌉.
/// - Held: h = 1 page, that of the task before the erase, and one step for it. If RAM takes writes in every state, one
///   page for each of the β + 1 tasks between the last read and the erase. A step after the erase programs
///   p = ⌊t_er/t_wr⌋ pages while the task before it may bring one more: ⌈h/(p − 1)⌉ steps. If p = 1 writes after the
///   erase go to flash, and there are h steps.
///
/// For the large-block part of Table I at π = 64 this gives κ = 3 + 11 + 1 = 15.
/// That κ yields the paper's 1.84 s of start-up after a power cut; the printed formulas give κ = 13 and 1.638
/// s.
///
/// # Errors
/// [`BoundError::OperationLongerThanErase`] if not even one page operation fits into a step.
pub fn whole_steps(part: &Part, ram: CollectionRam) -> Result<Steps, BoundError> {
    let pages = u64::from(part.pages_per_block);
    let read = per_step(part, "page or OOB read", part.t_r_ns.max(part.t_r_oob_ns))?;
    let write = per_step(part, "page program", part.t_prog_ns)?;
    let steps = pages.div_ceil(write);
    let (held, after) = match ram {
        CollectionRam::States => (1, 1),
        CollectionRam::Collection => {
            let held = steps.saturating_add(1).min(pages);
            (held, held.div_ceil(write.saturating_sub(1).max(1)))
        }
    };
    Ok(Steps {
        read: count(Some((3 * pages).saturating_sub(1).div_ceil(read))),
        write: count(Some(steps)),
        held: count(Some(held)),
        after: count(Some(after)),
    })
}

/// Operations of `ns` per step, at least 1.
fn per_step(part: &Part, operation: &'static str, ns: Ns) -> Result<u64, BoundError> {
    match part.t_bers_ns.checked_div(ns) {
        Some(0) => Err(BoundError::OperationLongerThanErase {
            part: part.name.clone().into_owned(),
            operation,
            ns,
            erase_ns: part.t_bers_ns,
        }),
        Some(operations) => Ok(operations),
        None => Ok(u64::MAX),
    }
}

fn count(steps: Option<u64>) -> u32 {
    steps.and_then(|steps| u32::try_from(steps).ok()).unwrap_or(u32::MAX)
}
