//! A preset's plan for one array: exported capacity, bounds and cost, before anything runs.

use crate::buffer::settings::BufferPlan;
use crate::guarantee::{Guarantee, Ram};
use crate::layout::Layout;

/// The plan for one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Logical pages exported (Λ).
    pub logical_pages: u32,
    /// Threshold of free pages for collection (ρ_th); 0 if collection starts on other grounds. Whole-block collectors
    /// start at it, [`Partial`](crate::page_mapped::Partial) below it.
    /// [`Preemptible`](crate::page_mapped::Preemptible) keeps it as a reserve.
    pub threshold_pages: u32,
    /// Blocks that may still go bad without an effect on the bounds.
    pub spare_blocks: u32,
    /// The part of the scheme's family.
    pub layout: Layout,
    /// The write buffer above the scheme, if any.
    pub buffer: Option<BufferPlan>,
    /// Bounds, the buffer included.
    pub guarantee: Guarantee,
    /// Controller RAM, the buffer included.
    pub ram: Ram,
}
