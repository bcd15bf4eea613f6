//! Precedence on a die: operations of the host go before those of collection, up to a limit. Reads of the host
//! suspend a running program or erase if the part supports it.
//!
//! ```text
//! a die has three queues: the host's reads, the host's other operations, collection
//! a free die takes
//!     a host operation before collection, unless the limit of host operations has gone before it already
//!     before urgent collection (the host waits for it), only a host read
//! an operation of collection without its first tenure gives way to a host operation that arrives
//! a host read suspends a running program or erase that can be suspended and is far enough from its end;
//!     it resumes when no more reads wait, or the limit of reads has gone before
//! ```
//!
//! Operations of one queue keep their order. Operations that must follow each other have the die without a
//! break: a run of cache reads, or a read and the program of what it left in the registers.
//!
//! Source: G. Wu, X. He, Reducing SSD read latency via NAND flash program and erase suspension, USENIX FAST
//! 2012.

use super::request::Command;
use crate::time::Ns;

/// Class of an operation: on whose behalf it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Class {
    /// A read for which the host waits.
    Read,
    /// Any other operation for which the host waits.
    #[default]
    Write,
    /// Collection. `order` grows from task to task.
    Collection {
        /// The task after which it is collected.
        order: u64,
    },
}

/// Queues per die: one for each class.
pub(crate) const QUEUES: usize = 3;
pub(super) const READS: usize = 0;
pub(super) const WRITES: usize = 1;
pub(super) const COLLECTION: usize = Class::COLLECTION;

impl Class {
    /// The queue of collection.
    pub(crate) const COLLECTION: usize = 2;

    /// Queue of the class within a die.
    #[inline]
    pub(crate) fn queue(self) -> usize {
        match self {
            Self::Read => READS,
            Self::Write => WRITES,
            Self::Collection { .. } => COLLECTION,
        }
    }

    /// The order of collection plus 1; 0 for the host.
    #[inline]
    pub(super) fn order(self) -> u64 {
        match self {
            Self::Read | Self::Write => 0,
            Self::Collection { order } => order.saturating_add(1),
        }
    }
}

/// Precedence of operations on a die.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Precedence {
    /// Most host operations that may go before a waiting operation of collection. 0: no precedence; all
    /// operations run in the order of submission.
    pub host_first: u32,
    /// Operations that a host read suspends.
    pub suspend: Suspend,
}

impl Precedence {
    /// Most reads that an operation gives way to while its cells work.
    pub(super) fn most_suspended(&self) -> u32 {
        self.host_first.clamp(1, 1000)
    }
}

/// Operations that a host read suspends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Suspend {
    /// None.
    #[default]
    Never,
    /// Erases.
    Erases {
        /// Time from the suspend command until the die takes a read, ns.
        erase_ns: Ns,
    },
    /// Erases and programs.
    ErasesAndPrograms {
        /// As for [`Suspend::Erases`].
        erase_ns: Ns,
        /// The same for a program.
        program_ns: Ns,
    },
}

/// Counts of suspensions so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Suspensions {
    /// Suspensions of erases.
    pub erases: u64,
    /// Suspensions of programs.
    pub programs: u64,
    /// Total delay of their ends, ns.
    pub delay_ns: Ns,
}

/// A suspended operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspended {
    pub(super) entry: u32,
    /// End without the suspension.
    pub(super) end_ns: Ns,
    /// Remaining cell time.
    pub(super) left_ns: Ns,
}

impl Suspend {
    /// Time to suspend an operation of this command; `None` if it cannot be suspended.
    pub(super) fn time_ns(self, command: Command) -> Option<Ns> {
        match (self, command) {
            (
                Self::Erases { erase_ns } | Self::ErasesAndPrograms { erase_ns, .. },
                Command::Erase,
            ) => Some(erase_ns),
            (
                Self::ErasesAndPrograms { program_ns, .. },
                Command::Program | Command::CopyProgram,
            ) => Some(program_ns),
            _ => None,
        }
    }
}
