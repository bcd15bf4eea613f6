//! What goes before what on a die: the host's operations before those of collection, up to a limit, and reads before
//! what the cells are at, where the part can suspend that.
//!
//! ```text
//! a die that is free takes the first operation of its host queue before the first of its collection queue, unless
//!     so many of the host's have gone before that already (the limit), or
//!     it is urgent (the host waits for it) and that of the host is no read
//! an operation of collection that has not been granted its first tenure gives way to one of the host that comes
//! a read of the host that finds the cells at a program or an erase that can be suspended, and long enough from its
//!     end, suspends it; when no more reads wait, or so many have gone before, it is resumed
//! ```
//!
//! Operations of one queue keep their order, and those that must follow each other (a run of cache reads; a read and
//! the program of what it left in the registers) have the die without a break.
//!
//! Source: G. Wu, X. He, Reducing SSD read latency via NAND flash program and erase suspension, USENIX FAST 2012.

use super::die::{Die, NONE};
use super::engine::Channels;
use super::request::Command;
use super::usage::Watch;
use crate::time::Ns;
use core::cmp::Reverse;

/// In whose name an operation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Class {
    /// The host waits for it.
    #[default]
    Host,
    /// Collection; `order` grows from task to task.
    Collection {
        /// The task behind which it is collected.
        order: u64,
    },
}

impl Class {
    /// Which of a die's queues.
    #[inline]
    pub(crate) fn queue(self) -> usize {
        queue_of(self.order())
    }

    /// The class in one number: 0 of the host, else one more than the order of collection.
    #[inline]
    pub(super) fn order(self) -> u64 {
        match self {
            Self::Host => 0,
            Self::Collection { order } => order.saturating_add(1),
        }
    }
}

/// The queue of operations of this order ([`Class::order`]).
#[inline]
pub(super) fn queue_of(order: u64) -> usize {
    usize::from(order > 0)
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
    fn most_suspended(&self) -> u32 {
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
    entry: u32,
    /// When it would have ended.
    end_ns: Ns,
    /// What is left of it.
    left_ns: Ns,
}

impl Suspend {
    /// How long it takes to suspend such an operation, if it can be.
    fn time_ns(self, command: Command) -> Option<Ns> {
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

impl<W: Watch> Channels<W> {
    /// Sets what goes before what from here on.
    pub fn set_precedence(&mut self, precedence: Precedence) {
        self.precedence = precedence;
    }

    /// What goes before what.
    pub fn precedence(&self) -> &Precedence {
        &self.precedence
    }

    /// The host waits for what was collected behind the tasks up to this one: that goes before its programs and erases
    /// from here on, though not before its reads.
    pub fn urge(&mut self, order: u64) {
        self.urgent = self.urgent.max(order.saturating_add(1));
    }

    /// The class of an operation: where none goes before another all are of one.
    #[inline]
    pub(super) fn class(&self, class: Class) -> Class {
        if self.precedence.host_first == 0 { Class::Host } else { class }
    }

    /// What was suspended so far.
    pub fn suspensions(&self) -> Suspensions {
        self.suspensions
    }

    /// Gives a die that is free its next operation.
    pub(super) fn next(&mut self, at: usize) {
        let queue = match self.dies[at].bound {
            Some(queue) => queue.into(),
            None => {
                if self.dies[at].suspended.is_some() && !self.reads_on(at) {
                    self.resume(at);
                }
                self.choose_queue(at)
            }
        };
        let die = &mut self.dies[at];
        let queue = &mut die.queues[queue];
        let entry = queue.head;
        if entry == NONE {
            return;
        }
        queue.head = self.pending[entry as usize].next;
        if queue.head == NONE {
            queue.tail = NONE;
        }
        die.head = entry;
        self.begin(at);
    }

    /// The queue whose first operation is next.
    #[inline]
    fn choose_queue(&self, at: usize) -> usize {
        let die = &self.dies[at];
        let [host, collection] = [die.queues[0].head, die.queues[1].head];
        if collection == NONE || host == NONE {
            return usize::from(host == NONE);
        }
        let read = self.pending[host as usize].command.is_read();
        usize::from(!self.goes_before(die, read, collection))
    }

    /// Whether an operation of the host, a read or not, goes before this one of collection.
    fn goes_before(&self, die: &Die, read: bool, collection: u32) -> bool {
        let is_urgent = self.pending[collection as usize].order <= self.urgent;
        die.passed < self.precedence.host_first && (read || !is_urgent)
    }

    /// Takes the die from an operation of collection that has not begun, for one of the host that came.
    pub(super) fn give_way(&mut self, at: usize, read: bool) -> bool {
        let die = &self.dies[at];
        let head = die.head;
        let op = &self.pending[head as usize];
        let gives = op.order > 0 && op.step == 0 && die.bound.is_none();
        if !gives || !self.goes_before(die, read, head) {
            return false;
        }
        let die = &mut self.dies[at];
        let queue = &mut die.queues[1];
        self.pending[head as usize].next = queue.head;
        queue.head = head;
        if queue.tail == NONE {
            queue.tail = head;
        }
        die.head = NONE;
        true
    }

    /// An operation of a die is granted its first tenure.
    #[inline]
    pub(super) fn begun(die: &mut Die, order: u64, serial: u64) {
        die.previous = serial as u32;
        if order > 0 {
            die.passed = 0;
        } else if die.queues[1].head != NONE {
            die.passed += 1;
        }
    }

    /// From when a die can take a read of the host whose cells work: it suspends what they are at, where that is worth it.
    pub(super) fn suspend(&mut self, at: usize, arrival_ns: Ns) {
        let die = &mut self.dies[at];
        let Some((entry, begin_ns)) = die.running else { return };
        // Its interface is as busy as its cells.
        let from_ns = arrival_ns.max(begin_ns);
        let op = &mut self.pending[entry as usize];
        let Some(suspend_ns) = self.precedence.suspend.time_ns(op.command) else { return };
        let ends_ns = die.array_free_ns;
        let can = ends_ns > from_ns
            && op.ready_ns == ends_ns
            && u32::from(op.suspended) < self.precedence.most_suspended();
        if !can || ends_ns - from_ns <= suspend_ns {
            return;
        }
        op.suspended += 1;
        op.ready_ns = Ns::MAX;
        die.suspended = Some(Suspended { entry, end_ns: ends_ns, left_ns: ends_ns - from_ns });
        die.running = None;
        die.array_free_ns = from_ns + suspend_ns;
        die.interface_free_ns = die.array_free_ns;
        match op.command {
            Command::Erase => self.suspensions.erases += 1,
            _ => self.suspensions.programs += 1,
        }
    }

    /// Whether another read of the host goes before what is suspended.
    fn reads_on(&mut self, at: usize) -> bool {
        let die = &mut self.dies[at];
        let Some(suspended) = die.suspended else { return false };
        let host = die.queues[0].head;
        if host == NONE || !self.pending[host as usize].command.is_read() {
            return false;
        }
        let op = &mut self.pending[suspended.entry as usize];
        op.suspended += 1;
        u32::from(op.suspended) <= self.precedence.most_suspended()
    }

    /// The cells go on with what was suspended.
    fn resume(&mut self, at: usize) {
        let die = &mut self.dies[at];
        let Some(Suspended { entry, end_ns, left_ns }) = die.suspended.take() else {
            return;
        };
        let begin_ns = die.array_free_ns.max(die.interface_free_ns);
        let done_ns = begin_ns + left_ns;
        die.array_free_ns = done_ns;
        die.interface_free_ns = done_ns;
        die.running = Some((entry, begin_ns));
        let op = &mut self.pending[entry as usize];
        op.ready_ns = done_ns;
        self.done.push(Reverse((done_ns, op.serial, entry)));
        self.last_done_ns = self.last_done_ns.max(done_ns);
        self.suspensions.delay_ns += done_ns - end_ns;
    }
}
