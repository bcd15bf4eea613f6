//! Direct transfers between two dies of a channel: the read of one and the program of the other meet on the
//! bus.

use super::arbiter::NEVER;
use super::engine::{Channels, Entered};
use super::precedence::Class;
use super::request::{Addressing, Last, Request};
use super::rules::{Follows, RequestError, check, check_direct, follows};
use super::script::{Busy, Scripts, Segment};
use super::usage::GrantObserver;
use crate::time::Ns;

impl<W: GrantObserver> Channels<W> {
    /// Queues a direct transfer: a read of `source` whose data go to `destination` and to the controller at the
    /// same time. The controller checks them; then `destination` programs them. Each side queues behind the
    /// operations of its die and has its own completion. The source completes with its data out, the
    /// destination when it is programmed.
    ///
    /// The bus time of the data counts once, for the destination.
    ///
    /// # Errors
    /// As [`Channels::submit`], for either side. Also if the sides break a rule of direct transfers:
    ///
    /// - They are two dies of one channel, with equal numbers of planes.
    /// - They are a read and a program or cache program.
    /// - The source does not continue a cache read.
    ///
    /// An error leaves the state unchanged.
    pub fn submit_direct(
        &mut self,
        source: &Request,
        destination: &Request,
        addressing: Addressing,
    ) -> Result<(), RequestError> {
        self.submit_direct_as(source, destination, addressing, Class::default())
    }

    /// As [`Channels::submit_direct`], behind the operations of its class. All direct transfers between the
    /// same dies must have one class. Two that wait for each other's dies would deadlock.
    ///
    /// # Errors
    /// As [`Channels::submit_direct`].
    pub fn submit_direct_as(
        &mut self,
        source: &Request,
        destination: &Request,
        addressing: Addressing,
        class: Class,
    ) -> Result<(), RequestError> {
        let queue = self.queue_of(class);
        check(source, &self.topology, self.now_ns, false)?;
        check(destination, &self.topology, self.now_ns, true)?;
        check_direct(source, destination)?;
        let (from, to) = (self.index(source.die), self.index(destination.die));
        let source_follows = follows(self.dies[from].queues[queue].last, source, &self.topology)?;
        if source_follows != Follows::Alone {
            return Err(RequestError::Direct("cannot go on with a cache-read: end the run before"));
        }
        let follows = follows(self.dies[to].queues[queue].last, destination, &self.topology)?;
        let planes = source.pages.planes();
        let read = self.enter(
            &Entered::of(source),
            (from, queue),
            class,
            Follows::Alone,
            Scripts::direct(source.command, planes),
        );
        let script = Scripts::direct(destination.command, planes);
        let program = self.enter(&Entered::of(destination), (to, queue), class, follows, script);
        for (side, other) in [(read, program), (program, read)] {
            let side = &mut self.pending[side as usize];
            (side.partner, side.plain) = (other, false);
        }
        self.pending[program as usize].addressing = addressing;
        for (at, entry, side) in [(from, read, source), (to, program, destination)] {
            self.queue((at, queue), entry, side.arrival_ns, Last::of(side.command, &side.pages));
        }
        Ok(())
    }

    /// Continues a side of a direct transfer after a tenure that ended at `end_ns`. It can go on at `next_ns`.
    #[cold]
    pub(super) fn directed(&mut self, at: usize, entry: u32, next_ns: Ns, end_ns: Ns) {
        if self.step_is_direct(entry, -1) {
            self.source_sent(self.pending[entry as usize].partner, end_ns);
        }
        if !self.step_is_direct(entry, 0) {
            self.ask_from(at, next_ns);
            return;
        }
        self.ask_from(at, NEVER);
        self.pending[entry as usize].ready_ns = next_ns;
        self.meet(entry);
    }

    /// Ends the source's part of a page transfer: its data were on the bus until `end_ns`.
    fn source_sent(&mut self, entry: u32, end_ns: Ns) {
        let op = &mut self.pending[entry as usize];
        let die = op.die;
        let steps = self.scripts.get(op.script.into()).steps();
        let sent = steps[usize::from(op.step)];
        op.step += 1;
        op.ready_ns = end_ns;
        let last = usize::from(op.step) == steps.len();
        let at = self.index(die);
        self.dies[at].interface_free_ns = end_ns;
        if let (true, Busy::None { after_ns }) = (last, sent.busy) {
            self.finish(at, end_ns, end_ns + after_ns);
        }
    }

    /// Called when one side is ready. The destination asks for the bus if the other side is ready too. A
    /// destination that waits for the source's read before it is addressed is addressed now.
    fn meet(&mut self, entry: u32) {
        let op = &self.pending[entry as usize];
        let other = &self.pending[op.partner as usize];
        let source = op.command.is_read();
        let program = if source { op.partner } else { entry };
        let to = self.index(self.pending[program as usize].die);
        if source && self.pending[program as usize].step == 0 {
            if self.dies[to].head == program {
                self.begin(to, 0);
            }
        } else if other.ready_ns != NEVER && op.ready_ns != NEVER {
            self.ask_from(to, op.ready_ns.max(other.ready_ns));
        }
    }

    /// True if the step at distance `from` from the operation's current step is the data of a direct transfer.
    fn step_is_direct(&self, entry: u32, from: isize) -> bool {
        let op = &self.pending[entry as usize];
        let step = usize::from(op.step).checked_add_signed(from);
        let steps = self.scripts.get(op.script.into()).steps();
        step.and_then(|step| steps.get(step)).is_some_and(|step| step.segment == Segment::Direct)
    }
}
