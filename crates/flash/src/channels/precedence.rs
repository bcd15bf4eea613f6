//! What goes before what on a die: the host's operations before those of collection, up to a limit, and reads before
//! what the cells are at, where the part can suspend that.
//!
//! ```text
//! a die has three queues: the host's reads, its other operations, collection; it takes, when it is free,
//!     the host's first before collection's, unless so many of the host's have gone before that already (the limit)
//!     the host's first read before collection's that is urgent (the host waits for it), but nothing else of the host's
//! an operation of collection that has not been granted its first tenure gives way to one of the host that comes
//! a read of the host that finds the cells at a program or an erase that can be suspended, and long enough from its
//!     end, suspends it; when no more reads wait, or so many have gone before, it is resumed
//! ```
//!
//! Operations of one queue keep their order, and those that must follow each other (a run of cache reads; a read and
//! the program of what it left in the registers) have the die without a break.
//!
//! Source: G. Wu, X. He, Reducing SSD read latency via NAND flash program and erase suspension, USENIX FAST 2012.

use super::request::Command;
use crate::time::Ns;

/// In whose name an operation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Class {
    /// A read for which the host waits.
    Read,
    /// Anything else for which the host waits.
    #[default]
    Write,
    /// Collection; `order` grows from task to task.
    Collection {
        /// The task behind which it is collected.
        order: u64,
    },
}

/// A die's queues: one of each class.
pub(crate) const QUEUES: usize = 3;
pub(super) const READS: usize = 0;
pub(super) const WRITES: usize = 1;
pub(super) const COLLECTION: usize = Class::COLLECTION;

impl Class {
    /// The queue of collection.
    pub(crate) const COLLECTION: usize = 2;

    /// Which of a die's queues.
    #[inline]
    pub(crate) fn queue(self) -> usize {
        match self {
            Self::Read => READS,
            Self::Write => WRITES,
            Self::Collection { .. } => COLLECTION,
        }
    }

    /// One more than the order of collection, 0 of the host.
    #[inline]
    pub(super) fn order(self) -> u64 {
        match self {
            Self::Read | Self::Write => 0,
            Self::Collection { order } => order.saturating_add(1),
        }
    }
}

/// What goes before what on a die.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Precedence {
    /// How many operations of the host may go before one of collection that waits; 0: none, all are done in the order in
    /// which they were submitted.
    pub host_first: u32,
    /// Which operations a read of the host suspends.
    pub suspend: Suspend,
}

impl Precedence {
    /// Reads that an operation gives way to while its cells work.
    pub(super) fn most_suspended(&self) -> u32 {
        self.host_first.clamp(1, 1000)
    }
}

/// Which operations a read of the host suspends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Suspend {
    /// None.
    #[default]
    Never,
    /// Erases.
    Erases {
        /// From the suspend command until the die takes a read, ns.
        erase_ns: Ns,
    },
    /// Erases and programs.
    ErasesAndPrograms {
        /// As above.
        erase_ns: Ns,
        /// The same of a program.
        program_ns: Ns,
    },
}

/// What was suspended so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Suspensions {
    /// How often an erase was.
    pub erases: u64,
    /// How often a program was.
    pub programs: u64,
    /// By how much their ends were put off in all, ns.
    pub delay_ns: Ns,
}

/// An operation that is suspended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspended {
    pub(super) entry: u32,
    /// When it would have ended.
    pub(super) end_ns: Ns,
    /// What is left of it.
    pub(super) left_ns: Ns,
}

impl Suspend {
    /// How long it takes to suspend such an operation, if it can be.
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
