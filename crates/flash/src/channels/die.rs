//! A die: its queues of operations, the busy times of its parts, and the effect of a step on them.

use super::precedence::{QUEUES, Suspended};
use super::request::{Addressing, Command, Last, Repeats};
use super::rules::Follows;
use super::script::{Busy, Effect};
use super::timing::Timing;
use super::topology::DieAddress;
use super::usage::Tally;
use crate::time::Ns;
use core::hint::select_unpredictable;

/// Index of no operation.
pub(super) const NONE: u32 = u32::MAX;

/// An operation that was submitted and not yet delivered: a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Pending {
    pub(super) tag: u64,
    pub(super) arrival_ns: Ns,
    pub(super) serial: u64,
    /// Side of a direct transfer: time from which it is ready for the next page of data. Operation that has
    /// left the bus: its completion time; [`Ns::MAX`] while it is suspended.
    pub(super) ready_ns: Ns,
    /// The next operation in its die's queue; once begun, the next of a multi-plane operation.
    pub(super) next: u32,
    /// The other side of a direct transfer.
    pub(super) partner: u32,
    /// Number of the previous operation in its queue. That operation's cells may work while this one's data
    /// come in.
    pub(super) after: u32,
    pub(super) script: u16,
    pub(super) step: u8,
    /// Reads that are still to be repeated, and whether soft decoding follows them.
    pub(super) repeats: Repeats,
    /// True once a read is being repeated.
    pub(super) repeated: bool,
    /// Queue of its die in which it waits.
    pub(super) queue: u8,
    /// Reads that it gave way to while its cells worked.
    pub(super) suspended: u16,
    pub(super) command: Command,
    pub(super) follows: Follows,
    pub(super) addressing: Addressing,
    pub(super) die: DieAddress,
    /// True if corrected bytes go before the confirm of its program: [`Rest::repair_ns`].
    pub(super) repairs: bool,
    /// True if it goes on with no other operation, is not repeated, and its times and its planes are those of its script.
    pub(super) plain: bool,
}

impl Pending {
    pub(super) const NONE: Self = Self {
        tag: 0,
        arrival_ns: 0,
        serial: 0,
        ready_ns: 0,
        next: NONE,
        partner: NONE,
        after: 0,
        script: 0,
        suspended: 0,
        step: 0,
        repeats: Repeats { reads: 0, soft: false },
        repeated: false,
        queue: 0,
        command: Command::Read,
        follows: Follows::Alone,
        addressing: Addressing::DuringRead,
        die: DieAddress { channel: 0, way: 0, die: 0 },
        repairs: false,
        plain: false,
    };
}

/// What is seldom needed of an operation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rest {
    pub(super) granted_ns: Ns,
    pub(super) released_ns: Ns,
    pub(super) repair_ns: Ns,
    /// Its block and page, where times or planes depend on it, and whether that is in SLC mode.
    pub(super) block: u32,
    pub(super) page: u32,
    pub(super) slc: bool,
}

/// Operations that wait for a die, in order of submission.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    pub(super) head: u32,
    pub(super) tail: u32,
    /// The request submitted last.
    pub(super) last: Option<Last>,
    /// Submission number of that request.
    pub(super) last_serial: u32,
}

/// A die: queues of operations, and busy times of its parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Die {
    /// Its channel, and its number among the dies of that.
    pub(super) channel: u16,
    pub(super) slot: u16,
    /// The operation that has the die, or asks for it.
    pub(super) head: u32,
    /// Its queue.
    pub(super) head_queue: u8,
    /// Queues by class.
    pub(super) queues: [Queue; QUEUES],
    /// The queue whose next operation must follow at once.
    pub(super) bound: Option<u8>,
    /// Host operations that have gone before the waiting operation of collection.
    pub(super) passed: u32,
    /// Submission number of the operation begun last.
    pub(super) previous: u32,
    /// Operation of the cells that may be suspended, and its start.
    pub(super) running: Option<(u32, Ns)>,
    pub(super) suspended: Option<Suspended>,
    /// End of the busy time of its interface and of the register behind it.
    pub(super) interface_free_ns: Ns,
    /// End of the busy time of its cells.
    pub(super) array_free_ns: Ns,
    pub(super) usage: Tally,
}

impl Die {
    const EMPTY: Queue = Queue { head: NONE, tail: NONE, last: None, last_serial: 0 };

    pub(super) fn new(channel: usize, slot: usize) -> Self {
        Self {
            channel: channel as u16,
            slot: slot as u16,
            head: NONE,
            head_queue: 0,
            queues: [Self::EMPTY; QUEUES],
            bound: None,
            passed: 0,
            previous: u32::MAX,
            running: None,
            suspended: None,
            interface_free_ns: 0,
            array_free_ns: 0,
            usage: Tally::default(),
        }
    }
}

/// The work after a step with the cell times of the operation's page and block; the script has those of any page.
pub(super) fn of_page(busy: Busy, command: Command, of: &Rest, timing: &Timing) -> Busy {
    let Rest { page, slc, .. } = *of;
    let cells = |ns| match command {
        Command::Read | Command::CacheRead | Command::CopyRead => timing.t_r_of_ns(page, slc),
        Command::Program | Command::CacheProgram | Command::CopyProgram => {
            timing.t_prog_of_ns(page, slc)
        }
        Command::Erase => timing.t_bers_of_ns(slc),
        Command::ReadOob => ns,
    };
    match busy {
        Busy::Array { ns } => Busy::Array { ns: cells(ns) },
        Busy::ReadArray { ns } => Busy::ReadArray { ns: cells(ns) },
        Busy::CachedArray { ns } => Busy::CachedArray { ns: cells(ns) },
        Busy::Turn { next_ns: 1.. } => Busy::Turn { next_ns: timing.t_r_of_ns(page + 1, slc) },
        other => other,
    }
}

/// Times that follow from a step.
pub(super) struct After {
    /// Earliest start of the operation's next tenure.
    pub(super) next_ns: Ns,
    /// Completion time of the operation, if the step was its last.
    pub(super) done_ns: Ns,
    pub(super) array_begin_ns: Ns,
    pub(super) array_end_ns: Ns,
}

/// Occupies a die's parts for a step whose tenure ends at `end_ns`.
#[inline(always)]
pub(super) fn settle(die: &mut Die, effect: &Effect, end_ns: Ns) -> After {
    let Effect { before_ns, cells, array_ns, next_ns, done_ns } = *effect;
    let begin_ns = (end_ns + before_ns).max(die.array_free_ns & cells);
    let array_end_ns = begin_ns + array_ns;
    let free_ns = die.array_free_ns;
    die.array_free_ns = select_unpredictable(array_ns != 0, array_end_ns, free_ns);
    die.usage.array_ns += array_ns;
    die.interface_free_ns = begin_ns + next_ns;
    After {
        next_ns: begin_ns + next_ns,
        done_ns: begin_ns + done_ns,
        array_begin_ns: begin_ns,
        array_end_ns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pending_operation_takes_a_cache_line() {
        assert_eq!(size_of::<Pending>(), 64);
    }
}
