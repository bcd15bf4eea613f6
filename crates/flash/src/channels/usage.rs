//! Busy times of buses and dies, and the log of grants.

use super::request::Command;
use super::script::Segment;
use super::topology::DieAddress;
use crate::address::BlockId;
use crate::time::Ns;

/// Time that a bus was held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BusUse {
    /// Commands, addresses, status and the waits within a tenure (tADL, tCCS, tWHR).
    pub command_ns: Ns,
    /// Data into registers, including direct transfers from another die.
    pub data_in_ns: Ns,
    /// Data out of registers to the controller alone.
    pub data_out_ns: Ns,
    /// Tenures.
    pub grants: u64,
    /// Time from the request for the bus to its grant, summed over all tenures.
    pub waited_ns: Ns,
}

impl BusUse {
    /// Total time held.
    #[inline]
    pub fn busy_ns(&self) -> Ns {
        self.command_ns + self.data_in_ns + self.data_out_ns
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.command_ns += other.command_ns;
        self.data_in_ns += other.data_in_ns;
        self.data_out_ns += other.data_out_ns;
        self.grants += other.grants;
        self.waited_ns += other.waited_ns;
    }
}

/// Busy time of a die, or of all dies of a way together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DieUse {
    /// Cells busy (tR, tPROG, tBERS), summed over the dies. A multi-plane operation counts once.
    pub array_ns: Ns,
    /// Bus time for them.
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

/// Use of a die as it is counted, with little to do per tenure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) array_ns: Ns,
    bus_ns: Ns,
    /// Data into registers, and out of them to the controller.
    data_ns: [Ns; 2],
    grants: u64,
    waited_ns: Ns,
    pub(super) operations: u64,
}

impl Tally {
    /// Adds a tenure; `out`: its data go out to the controller.
    #[inline]
    pub(super) fn tenure(&mut self, out: bool, bus_ns: Ns, data_ns: Ns, waited_ns: Ns) {
        self.bus_ns += bus_ns;
        // Without a branch: the segments alternate from grant to grant.
        self.data_ns[usize::from(out)] += data_ns;
        self.grants += 1;
        self.waited_ns += waited_ns;
    }

    pub(super) fn of_die(&self) -> DieUse {
        let Self { array_ns, bus_ns, data_ns, grants, waited_ns, operations } = *self;
        let [data_in_ns, data_out_ns] = data_ns;
        let command_ns = bus_ns - data_in_ns - data_out_ns;
        let bus = BusUse { command_ns, data_in_ns, data_out_ns, grants, waited_ns };
        DieUse { array_ns, bus, operations }
    }
}

/// Share of an elapsed time in parts per million, rounded down; 0 if no time has passed.
pub fn share_ppm(busy_ns: Ns, elapsed_ns: Ns) -> u64 {
    let share = u128::from(busy_ns) * 1_000_000;
    share.checked_div(elapsed_ns.into()).unwrap_or(0) as u64
}

/// One tenure of a bus (GRANT), and the cell operation after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Tag of the request.
    pub tag: u64,
    /// Die that is granted the bus.
    pub die: DieAddress,
    /// Content of the tenure.
    pub segment: Segment,
    /// Time of the die's request for the bus (REQ).
    pub asked_ns: Ns,
    /// Start of the tenure.
    pub begin_ns: Ns,
    /// End of the tenure.
    pub end_ns: Ns,
    /// Start of the cell operation that follows.
    pub array_begin_ns: Ns,
    /// End of the cell operation; equal to its start if there is none.
    pub array_end_ns: Ns,
}

/// What an array on channels ([`Parallel`](crate::parallel::Parallel)) sends to a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Tag of the request: that of the grants that follow, until another is sent with it.
    pub tag: u64,
    /// The command.
    pub command: Command,
    /// Block of the channels.
    pub block: BlockId,
    /// Page of the block; 0 for an erase.
    pub page: u32,
    /// True for an operation of a collection step.
    pub step: bool,
}

/// Observer of grants, called in order of time (of channels, for equal times). For logs, waveforms and checks;
/// `()` ignores every grant at no cost.
pub trait GrantObserver {
    /// Called for each grant.
    fn granted(&mut self, grant: &Grant);

    /// Called for each command that an array sends to a die, before its grants. Default: nothing.
    #[inline(always)]
    fn sent(&mut self, _sent: Sent) {}
}

impl GrantObserver for () {
    #[inline(always)]
    fn granted(&mut self, _: &Grant) {}
}

/// Log of all grants.
impl GrantObserver for alloc::vec::Vec<Grant> {
    fn granted(&mut self, grant: &Grant) {
        self.push(*grant);
    }
}
