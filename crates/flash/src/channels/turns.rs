//! Choice of a die's next operation: see [`super::precedence`].

use super::die::{Die, NONE, Pending};
use super::engine::Channels;
use super::precedence::{COLLECTION, Class, Precedence, READS, Suspended, Suspensions, WRITES};
use super::request::Command;
use super::usage::GrantObserver;
use crate::prefetch::prefetch;
use crate::time::Ns;
use core::hint::select_unpredictable;

impl<W: GrantObserver> Channels<W> {
    /// Sets the precedence from here on.
    pub fn set_precedence(&mut self, precedence: Precedence) {
        self.precedence = precedence;
    }

    /// Current precedence.
    pub fn precedence(&self) -> &Precedence {
        &self.precedence
    }

    /// Makes collection for tasks up to `order` urgent, because the host waits for it. From here on it goes
    /// before the host's programs and erases, but not before its reads.
    pub fn urge(&mut self, order: u64) {
        self.urgent = self.urgent.max(order.saturating_add(1));
    }

    /// The order up to which collection is urgent, plus 1; 0 if none ever was.
    #[cfg(test)]
    pub(crate) fn urgent(&self) -> u64 {
        self.urgent
    }

    /// Queue of an operation. Without precedence all operations share one queue.
    #[inline]
    pub(super) fn queue_of(&self, class: Class) -> usize {
        if self.precedence.host_first == 0 { WRITES } else { class.queue() }
    }

    /// Suspensions so far.
    pub fn suspensions(&self) -> Suspensions {
        self.suspensions
    }

    /// Gives a free die its next operation, which asks for the bus no earlier than `from_ns`. False if none waits.
    #[inline]
    pub(super) fn next(&mut self, at: usize, from_ns: Ns) -> bool {
        let die = &self.dies[at];
        let queue = match (die.bound, die.suspended) {
            _ if self.precedence.host_first == 0 => WRITES,
            (Some(queue), _) => queue.into(),
            // While an operation is suspended the die takes only reads.
            (None, Some(_)) if self.reads_on(at) => READS,
            (None, suspended) => {
                if suspended.is_some() {
                    self.resume(at);
                }
                self.choose_queue(at, from_ns)
            }
        };
        let die = &mut self.dies[at];
        let queue = &mut die.queues[queue];
        let entry = queue.head;
        if entry == NONE {
            return false;
        }
        queue.head = self.pending[entry as usize].next;
        if queue.head == NONE {
            queue.tail = NONE;
        } else {
            prefetch(&self.pending, queue.head as usize);
        }
        die.head = entry;
        die.head_queue = self.pending[entry as usize].queue;
        self.begin(at, from_ns);
        true
    }

    /// The queue whose first operation is next.
    #[inline]
    fn choose_queue(&self, at: usize, from_ns: Ns) -> usize {
        let can_suspend = |die: &Die| self.can_suspend(die, from_ns);
        let Self { pending, orders, precedence, urgent, .. } = self;
        Self::first_queue(&self.dies[at], pending, orders, precedence, *urgent, can_suspend)
    }

    /// The same; `can_suspend`: whether a read would suspend what the die's cells do.
    #[inline(always)]
    pub(super) fn first_queue(
        die: &Die,
        pending: &[Pending],
        orders: &[u64],
        rule: &Precedence,
        urgent: u64,
        can_suspend: impl FnOnce(&Die) -> bool,
    ) -> usize {
        let [read, write, collection] = die.queues.each_ref().map(|queue| queue.head);
        let host = match (read, write) {
            (NONE, _) => WRITES,
            (_, NONE) => READS,
            _ if can_suspend(die) => READS,
            _ => usize::from(pending[write as usize].serial < pending[read as usize].serial),
        };
        if collection == NONE {
            return host;
        }
        if die.passed >= rule.host_first {
            return COLLECTION;
        }
        // Host writes do not go before urgent collection; host reads do.
        match orders[collection as usize] <= urgent {
            false if read & write != NONE => host,
            true if read != NONE => READS,
            _ => COLLECTION,
        }
    }

    /// True if a host operation (`read`: a read) goes before this operation of collection.
    fn goes_before(&self, die: &Die, read: bool, collection: u32) -> bool {
        let is_urgent = self.orders[collection as usize] <= self.urgent;
        die.passed < self.precedence.host_first && (read || !is_urgent)
    }

    /// Takes the die back from an operation that has not begun, for a host operation that arrives. Collection
    /// gives way. A write gives way to a read that suspends the running cell operation.
    #[inline(always)]
    pub(super) fn give_way(&mut self, at: usize, queue: usize, arrival_ns: Ns) -> bool {
        let die = &self.dies[at];
        // Mostly the die alone tells: collection takes it from none, and a host's read gives it to none.
        let of = usize::from(die.head_queue);
        if queue == COLLECTION || of == READS || die.bound.is_some() {
            return false;
        }
        self.take_back(at, queue, arrival_ns)
    }

    /// The same where the die's operation tells.
    #[inline(never)]
    fn take_back(&mut self, at: usize, queue: usize, arrival_ns: Ns) -> bool {
        let die = &self.dies[at];
        let (of, head) = (usize::from(die.head_queue), die.head);
        let op = &self.pending[head as usize];
        if op.step > 0 || op.repeated {
            return false;
        }
        let gives = match of {
            COLLECTION => self.goes_before(die, queue == READS, head),
            _ => queue == READS && self.can_suspend(die, arrival_ns),
        };
        if !gives {
            return false;
        }
        let die = &mut self.dies[at];
        let queue = &mut die.queues[of];
        self.pending[head as usize].next = queue.head;
        queue.head = head;
        if queue.tail == NONE {
            queue.tail = head;
        }
        die.head = NONE;
        true
    }

    /// True if the die's running cell operation can be suspended at `from_ns` and is far enough from its end.
    fn can_suspend(&self, die: &Die, from_ns: Ns) -> bool {
        let Some((entry, begin_ns)) = die.running else { return false };
        let op = &self.pending[entry as usize];
        let Some(suspend_ns) = self.precedence.suspend.time_ns(op.command) else { return false };
        op.ready_ns == die.array_free_ns
            && u32::from(op.suspended) < self.precedence.most_suspended()
            && die.array_free_ns > from_ns.max(begin_ns) + suspend_ns
    }

    /// Records that an operation of a die is granted a tenure; `first`: its first one. A later one changes nothing: the die
    /// begins no other operation before the last. Without a branch, which would often be mispredicted.
    #[inline(always)]
    pub(super) fn begun(die: &mut Die, queue: u8, serial: u64, first: bool) {
        die.previous = serial as u32;
        let waits = die.queues[COLLECTION].head != NONE;
        let passed = die.passed + u32::from(first & waits);
        die.passed = select_unpredictable(usize::from(queue) == COLLECTION, 0, passed);
    }

    /// Suspends the running cell operation for a host read, if that saves time. The die can then take the read
    /// after the suspend time.
    #[cold]
    pub(super) fn suspend(&mut self, at: usize, from_ns: Ns) {
        if !self.can_suspend(&self.dies[at], from_ns) {
            return;
        }
        let die = &mut self.dies[at];
        let Some((entry, begin_ns)) = die.running else { return };
        let op = &mut self.pending[entry as usize];
        let Some(suspend_ns) = self.precedence.suspend.time_ns(op.command) else { return };
        // The interface is busy as long as the cells.
        let (from_ns, ends_ns) = (from_ns.max(begin_ns), die.array_free_ns);
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
        self.replan_joined(entry, None);
    }

    /// True if another host read goes before the suspended operation.
    #[cold]
    fn reads_on(&mut self, at: usize) -> bool {
        let die = &mut self.dies[at];
        let Some(suspended) = die.suspended else { return false };
        if die.queues[READS].head == NONE {
            return false;
        }
        let op = &mut self.pending[suspended.entry as usize];
        op.suspended += 1;
        u32::from(op.suspended) <= self.precedence.most_suspended()
    }

    /// Resumes the suspended operation.
    #[cold]
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
        self.plan_completion(entry, done_ns);
        self.replan_joined(entry, Some(done_ns));
        self.suspensions.delay_ns += done_ns - end_ns;
    }
}
