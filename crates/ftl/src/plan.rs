//! How a preset lays out one array: what it exports, promises and costs there, before anything is run.

use crate::buffer::settings::BufferPlan;
use crate::guarantee::{Guarantee, Ram};
use crate::layout::Layout;

/// The layout of one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Logical pages exported (Λ).
    pub logical_pages: u32,
    /// Free pages at or below which collection starts (ρ_th); 0 where collection starts at something else.
    pub threshold_pages: u32,
    /// Blocks that may yet go bad without breaking the promise.
    pub spare_blocks: u32,
    /// What the family of the scheme needs to know.
    pub layout: Layout,
    /// The write buffer above the scheme, where there is one.
    pub buffer: Option<BufferPlan>,
    /// What is promised, the buffer included.
    pub guarantee: Guarantee,
    /// RAM of a controller, the buffer included.
    pub ram: Ram,
}
