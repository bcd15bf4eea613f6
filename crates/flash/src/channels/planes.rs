//! Multi-plane operations: a die's operations on different planes that wait together run as one.
//!
//! ```text
//! when an operation gets its first tenure, those among the next 16 in its queue join it that
//!     have arrived, have the same command and class, and are on other planes of the die
//!     obey the address rules: programs the same page number in each block; reads too, unless the part reads its
//!         planes independently; with PlaneRule::SamePlace also the same place of the blocks in their planes
//!     have no earlier operation of their own plane before them in the queue
//! its commands and data cross the bus plane by plane; the cells work once
//! a read completes with the data of its own plane, programs and erases complete together
//! ```
//!
//! Reads, reads of the spare area, programs and erases join. Copy-back, cache operations, direct transfers and reads of
//! a read retry run alone.
//!
//! Source: ONFI 2.1, multi-plane operations. MQSim (Tavakkol et al., FAST 2018) forms them in the same way: from
//! transactions that wait for a die, on different planes and of the same page number.

/// Addresses that a multi-plane operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaneRule {
    /// The same page number, in any block of each plane.
    SamePage,
    /// The same page number, in blocks at the same place of their planes (ONFI's block address restriction).
    SamePlace,
}

/// How a die's operations on different planes run as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultiPlane {
    /// Addresses of programs and erases, and of reads.
    pub rule: PlaneRule,
    /// True if reads take any page and block of each plane.
    pub independent_reads: bool,
}

/// Counts of operations that may be on several planes, since the channels were created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaneCounts {
    /// Reads.
    pub reads: PlaneCount,
    /// Programs.
    pub programs: PlaneCount,
    /// Erases.
    pub erases: PlaneCount,
}

/// Operations, and the pages (or blocks) that they concern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaneCount {
    /// Operations of a die.
    pub operations: u64,
    /// Pages read or programmed, or blocks erased, in them.
    pub pages: u64,
}
