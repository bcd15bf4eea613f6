//! How busy buses and dies have been, and the log of grants.

use super::script::Segment;
use super::topology::DieAddress;
use crate::time::Ns;

/// Time that a bus was held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BusUse {
    /// Commands, addresses, status and the waits within a tenure (tADL, tCCS, tWHR).
    pub command_ns: Ns,
    /// Data into registers, also directly from another die's.
    pub data_in_ns: Ns,
    /// Data out of registers to the controller alone.
    pub data_out_ns: Ns,
    /// Tenures.
    pub grants: u64,
    /// From the request for the bus to its grant, over all tenures.
    pub waited_ns: Ns,
}

impl BusUse {
    /// Time held in all.
    #[inline]
    pub fn busy_ns(&self) -> Ns {
        self.command_ns + self.data_in_ns + self.data_out_ns
    }

    #[inline]
    pub(super) fn add(&mut self, segment: Segment, bus_ns: Ns, data_ns: Ns, waited_ns: Ns) {
        self.command_ns += bus_ns - data_ns;
        match segment {
            Segment::DataOut => self.data_out_ns += data_ns,
            _ => self.data_in_ns += data_ns,
        }
        self.grants += 1;
        self.waited_ns += waited_ns;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.command_ns += other.command_ns;
        self.data_in_ns += other.data_in_ns;
        self.data_out_ns += other.data_out_ns;
        self.grants += other.grants;
        self.waited_ns += other.waited_ns;
    }
}

/// Time that a die, or the dies of a way together, were at work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DieUse {
    /// Cells busy (tR, tPROG, tBERS), summed over the dies; an operation on several planes counts once.
    pub array_ns: Ns,
    /// The bus's time for them.
    pub bus: BusUse,
    /// Operations granted their last tenure.
    pub operations: u64,
}

impl DieUse {
    pub(super) fn merge(&mut self, other: &Self) {
        self.array_ns += other.array_ns;
        self.bus.merge(&other.bus);
        self.operations += other.operations;
    }
}

/// Share of an elapsed time, in parts per million, rounded down; 0 where no time has passed.
pub fn share_ppm(busy_ns: Ns, elapsed_ns: Ns) -> u64 {
    let share = u128::from(busy_ns) * 1_000_000;
    share.checked_div(elapsed_ns.into()).unwrap_or(0) as u64
}

/// One tenure of a bus (GRANT), and what the cells do after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The request's tag.
    pub tag: u64,
    /// The die.
    pub die: DieAddress,
    /// What the bus carries.
    pub segment: Segment,
    /// When the die asked for the bus (REQ).
    pub asked_ns: Ns,
    /// From when it has it.
    pub begin_ns: Ns,
    /// Until when.
    pub end_ns: Ns,
    /// From when the cells work in consequence.
    pub array_begin_ns: Ns,
    /// Until when; the same where they do not.
    pub array_end_ns: Ns,
}

/// Sees each grant as it is given, in order of time (of channels, where times are the same). For logs,
/// waveforms and checks; `()` sees nothing and costs nothing.
pub trait GrantObserver {
    /// A grant has been given.
    fn granted(&mut self, grant: &Grant);
}

impl GrantObserver for () {
    #[inline(always)]
    fn granted(&mut self, _: &Grant) {}
}

/// A log of all grants.
impl GrantObserver for alloc::vec::Vec<Grant> {
    fn granted(&mut self, grant: &Grant) {
        self.push(*grant);
    }
}
