//! Tenures of operations that go on with no other: [`Pending::plain`](super::die::Pending::plain).
//!
//! Most operations of most runs are such. What a tenure does to its die, and the die's choice of its next operation, are in one
//! function here, over slices that are looked up once: each access through the channels would look them up anew. Whatever is
//! rarer, it leaves to [`Channels::tenure`] and [`Channels::next`]; both give the same times (`plain_tests`).

use super::arbiter::Ask;
use super::asks::Granted;
use super::die::{Die, NONE, settle};
use super::done::Planned;
use super::engine::Channels;
use super::precedence::{Suspend, WRITES};
use super::request::Command;
use super::usage::{Grant, GrantObserver};
use crate::prefetch::prefetch;
use crate::time::Ns;

impl<W: GrantObserver> Channels<W> {
    /// Gives a die of a channel the bus from `begin_ns` on, and returns the end of the tenure. `None`, and nothing is done, if its
    /// operation is not plain.
    #[inline(always)]
    pub(super) fn plain_tenure(
        &mut self,
        channel: usize,
        at: usize,
        granted: &Granted,
        begin_ns: Ns,
    ) -> Option<Ns> {
        let Granted { place, since_ns: asked_ns, .. } = *granted;
        let (dies, pending) = (&mut self.dies[..], &mut self.pending[..]);
        let die = &mut dies[at];
        let entry = die.head;
        let op = &mut pending[entry as usize];
        if !op.plain {
            return None;
        }
        let step = self.scripts.tenure(op.script, op.step);
        Self::begun(die, op.queue, op.serial, op.step == 0);
        if self.tells_grants && op.step == 0 {
            self.rest[entry as usize].granted_ns = begin_ns;
        }
        op.step += 1;
        let end_ns = begin_ns + step.bus_ns;
        die.usage.tenure(step.out, step.bus_ns, step.data_ns, begin_ns - asked_ns);
        let after = settle(die, &step.effect, end_ns);
        self.watch.granted(&Grant {
            tag: op.tag,
            die: op.die,
            segment: step.segment,
            asked_ns,
            begin_ns,
            end_ns,
            array_begin_ns: after.array_begin_ns,
            array_end_ns: after.array_end_ns,
        });
        let asks = &mut self.buses[channel].asks;
        if !step.last {
            die.running = None;
            asks.renew_since(place, after.next_ns);
            return Some(end_ns);
        }
        // Before a status read the die is reserved, so the operation cannot be suspended.
        die.running = step.is_array.then_some((entry, after.array_begin_ns));
        die.usage.operations += 1;
        die.head = NONE;
        if self.tells_grants {
            self.rest[entry as usize].released_ns = end_ns;
        }
        let done_ns = after.done_ns;
        op.ready_ns = done_ns;
        self.last_done_ns = self.last_done_ns.max(done_ns);
        let (command, of, serial, tag) = (op.command, usize::from(op.queue), op.serial, op.tag);
        self.done.push(step.lane.into(), Planned { done_ns, serial, entry, tag: tag as u32 });

        let rule = &self.precedence;
        let has_classes = rule.host_first > 0;
        let goes_on = |die: &Die| {
            let next = pending.get(die.queues[of].head as usize);
            command == Command::CacheRead
                || next.is_some_and(|next| next.command == Command::CopyProgram)
        };
        die.bound = (has_classes && goes_on(die)).then_some(of as u8);
        if die.bound.is_some() || die.suspended.is_some() || rule.suspend != Suspend::Never {
            self.take_next(at, end_ns);
            return Some(end_ns);
        }
        let queue = match has_classes {
            false => WRITES,
            true => Self::first_queue(die, pending, &self.orders, rule, self.urgent, |_| false),
        };
        let queue = &mut die.queues[queue];
        let entry = queue.head;
        let Some(op) = pending.get(entry as usize) else {
            asks.renew(place, Ask::NONE);
            return Some(end_ns);
        };
        queue.head = op.next;
        match queue.head {
            NONE => queue.tail = NONE,
            head => prefetch(pending, head as usize),
        }
        die.head = entry;
        die.head_queue = op.queue;
        if !op.plain {
            self.begin(at, end_ns);
            return Some(end_ns);
        }
        let free_ns = die.interface_free_ns.max(die.array_free_ns);
        let since_ns = free_ns.max(end_ns).max(op.arrival_ns);
        let ask = Ask { since_ns, serial: op.serial, read: op.command.is_read() };
        asks.renew(place, ask);
        Some(end_ns)
    }
}
