//! A die: its queue of operations, until when its parts are taken, and what a step of an operation takes of them.

use super::precedence::{QUEUES, Suspended};
use super::request::{Addressing, Command, Pages};
use super::rules::Follows;
use super::script::{Busy, Step};
use super::timing::Timing;
use super::topology::DieAddress;
use super::usage::DieUse;
use crate::time::Ns;

/// No operation.
pub(super) const NONE: u32 = u32::MAX;

/// An operation that has been submitted and not yet delivered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) tag: u64,
    pub(super) arrival_ns: Ns,
    pub(super) granted_ns: Ns,
    pub(super) released_ns: Ns,
    pub(super) serial: u64,
    pub(super) repair_ns: Ns,
    /// Since when this side of a direct transfer is ready for the next page of data. Of any operation that has left the bus:
    /// when it is done; [`Ns::MAX`] while it is suspended.
    pub(super) ready_ns: Ns,
    /// The operation behind it in its die's queue; in the list of free entries, the next one.
    pub(super) next: u32,
    /// The other side of a direct transfer.
    pub(super) partner: u32,
    /// Number of the one before it in its queue, whose cells may work while its data come in.
    pub(super) after: u32,
    pub(super) script: u16,
    pub(super) step: u8,
    /// Which of its die's queues it waits in.
    pub(super) queue: u8,
    /// Reads that it gave way to while its cells worked.
    pub(super) suspended: u16,
    pub(super) command: Command,
    pub(super) follows: Follows,
    pub(super) addressing: Addressing,
    pub(super) die: DieAddress,
    /// [`Class::order`].
    pub(super) order: u64,
}

impl Pending {
    pub(super) const NONE: Self = Self {
        tag: 0,
        arrival_ns: 0,
        granted_ns: 0,
        released_ns: 0,
        serial: 0,
        repair_ns: 0,
        ready_ns: 0,
        order: 0,
        next: NONE,
        partner: NONE,
        after: 0,
        script: 0,
        suspended: 0,
        step: 0,
        queue: 0,
        command: Command::Read,
        follows: Follows::Alone,
        addressing: Addressing::DuringRead,
        die: DieAddress { channel: 0, way: 0, die: 0 },
    };
}

/// Operations that wait for a die, in the order in which they were submitted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    pub(super) head: u32,
    pub(super) tail: u32,
    /// The request submitted last.
    pub(super) last: Option<(Command, Pages)>,
    /// Its number.
    pub(super) last_serial: u32,
}

/// A die: queues of operations, and until when its parts are taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Die {
    /// The operation that has the die, or asks for it.
    pub(super) head: u32,
    /// By class.
    pub(super) queues: [Queue; QUEUES],
    /// The queue whose next operation must follow at once.
    pub(super) bound: Option<u8>,
    /// Operations of the host that went before the one of collection that waits.
    pub(super) passed: u32,
    /// Number of the operation begun last.
    pub(super) previous: u32,
    /// What the cells are at that might be suspended, and since when.
    pub(super) running: Option<(u32, Ns)>,
    pub(super) suspended: Option<Suspended>,
    /// Until when its interface and the register behind it are taken.
    pub(super) interface_free_ns: Ns,
    /// Until when its cells work.
    pub(super) array_free_ns: Ns,
    pub(super) usage: DieUse,
}

impl Die {
    const EMPTY: Queue = Queue { head: NONE, tail: NONE, last: None, last_serial: 0 };

    /// Idle.
    pub(super) fn new() -> Self {
        Self {
            head: NONE,
            queues: [Self::EMPTY; QUEUES],
            bound: None,
            passed: 0,
            previous: u32::MAX,
            running: None,
            suspended: None,
            interface_free_ns: 0,
            array_free_ns: 0,
            usage: DieUse::default(),
        }
    }
}

/// Whether this step confirms a copy, so that corrected bytes go before it.
#[inline]
pub(super) fn is_confirm(op: &Pending, step: &Step) -> bool {
    op.repair_ns != 0 && matches!(step.busy, Busy::Array { .. } | Busy::CachedArray { .. })
}

/// What comes of a step.
pub(super) struct After {
    /// When the operation's next tenure can begin.
    pub(super) next_ns: Ns,
    /// When the operation is done, if that was its last.
    pub(super) done_ns: Ns,
    pub(super) array_begin_ns: Ns,
    pub(super) array_end_ns: Ns,
}

/// Takes a die's parts for what a step, whose tenure ends at `end_ns`, makes it do.
#[inline]
pub(super) fn settle(die: &mut Die, step: &Step, end_ns: Ns, timing: &Timing) -> After {
    let busy_ns = end_ns + timing.t_wb_ns;
    let (begin, array_ns, next_ns, done_ns) = match step.busy {
        Busy::None { after_ns } => (end_ns, 0, end_ns, end_ns + after_ns),
        Busy::Wait { ns } => (end_ns, 0, end_ns + ns, end_ns + ns),
        Busy::Interface { ns } => (end_ns, 0, busy_ns + ns, busy_ns + ns),
        Busy::Array { ns } => {
            let begin = busy_ns.max(die.array_free_ns);
            (begin, ns, begin + ns, begin + ns)
        }
        Busy::ReadArray { ns } => {
            let begin = busy_ns.max(die.array_free_ns);
            (begin, ns, begin + ns + timing.t_rr_ns, begin + ns + timing.t_rr_ns)
        }
        Busy::CachedArray { ns } => {
            let begin = busy_ns.max(die.array_free_ns);
            (begin, ns, begin + timing.t_cbsy_ns, begin + ns)
        }
        Busy::Turn { next_ns } => {
            let turned = busy_ns + timing.t_cbsy_ns;
            (turned, next_ns, turned + timing.t_rr_ns, turned + timing.t_rr_ns)
        }
    };
    if array_ns != 0 {
        die.array_free_ns = begin + array_ns;
        die.usage.array_ns += array_ns;
    }
    die.interface_free_ns = next_ns;
    After { next_ns, done_ns, array_begin_ns: begin, array_end_ns: begin + array_ns }
}
