//! How waiting operations join that of a die: see [`super::planes`].

use super::die::NONE;
use super::engine::Channels;
use super::planes::{MultiPlane, PlaneCounts, PlaneRule};
use super::request::Command;
use super::rules::Follows;
use super::script::Scripts;
use super::topology::MAX_PLANES;
use super::usage::GrantObserver;
use crate::time::Ns;

/// Operations of a queue that are looked at.
const MOST_SEEN: u32 = 4 * MAX_PLANES as u32;

impl<W: GrantObserver> Channels<W> {
    /// Sets from here on whether operations on different planes of a die run as one. Default: `None`, each runs as it
    /// was submitted.
    ///
    /// # Panics
    /// If operations are outstanding.
    pub fn set_multi_plane(&mut self, multi_plane: Option<MultiPlane>) {
        assert_eq!(self.outstanding(), 0, "operations are under way");
        self.multi_plane = multi_plane;
    }

    /// Counts of operations and their planes; 0 without [`Channels::set_multi_plane`].
    pub fn plane_counts(&self) -> &PlaneCounts {
        &self.plane_counts
    }

    /// Lets operations join that of a die, which gets its first tenure at `begin_ns`. The last one stands for all: the
    /// others are chained behind it, in the order of their planes on the bus.
    #[cold]
    pub(super) fn gather(&mut self, at: usize, begin_ns: Ns) {
        let Some(rules) = self.multi_plane else { return };
        let head = self.dies[at].head;
        let op = &self.pending[head as usize];
        if op.step > 0 || op.repeated {
            return;
        }
        let (command, of) = (op.command, usize::from(op.queue));
        let mut members = [head, NONE, NONE, NONE];
        let mut count = 1;
        if self.joins(head, self.dies[at].queues[of].head) {
            let all = (1u32 << self.topology.planes) - 1;
            // Planes on which an operation has joined, or waits and must not be passed.
            let mut taken = self.plane_bit(head);
            let (mut before, mut entry) = (NONE, self.dies[at].queues[of].head);
            for _ in 0..MOST_SEEN {
                if entry == NONE || taken == all || self.planes_of(entry) > 1 {
                    break;
                }
                let next = self.pending[entry as usize].next;
                let plane = self.plane_bit(entry);
                let free = taken & plane == 0;
                taken |= plane;
                if free && self.fits(head, entry, &rules, begin_ns) && self.joins(entry, next) {
                    self.unlink(at, of, before, next);
                    members[count] = entry;
                    count += 1;
                } else {
                    before = entry;
                }
                entry = next;
            }
        }
        let counted = match command {
            Command::Erase => &mut self.plane_counts.erases,
            command if command.is_read() => &mut self.plane_counts.reads,
            _ => &mut self.plane_counts.programs,
        };
        counted.operations += 1;
        counted.pages += count as u64;
        self.chain(at, &members[..count], begin_ns);
    }

    /// Chains the others behind the last member, which takes the die.
    fn chain(&mut self, at: usize, members: &[u32], begin_ns: Ns) {
        let Some((last, others)) = members.split_last() else { return };
        let mut behind = *last;
        for entry in others {
            self.pending[behind as usize].next = *entry;
            behind = *entry;
            let op = &self.pending[*entry as usize];
            Self::begun(&mut self.dies[at], op.queue, op.serial, true);
            let (page, slc) = {
                let rest = &mut self.rest[*entry as usize];
                rest.granted_ns = begin_ns;
                (rest.page, rest.slc)
            };
            // Independent reads take as long as the slowest page.
            let rest = &mut self.rest[*last as usize];
            if self.timing.t_r_of_ns(page, slc) > self.timing.t_r_of_ns(rest.page, slc) {
                rest.page = page;
            }
        }
        self.pending[behind as usize].next = NONE;
        if !others.is_empty() {
            let op = &mut self.pending[*last as usize];
            op.script = Scripts::index(op.command, Follows::Alone, members.len()) as u16;
            self.dies[at].head = *last;
        }
    }

    /// True if an operation may be one of several planes; `next` is the operation behind it in its queue.
    fn joins(&self, entry: u32, next: u32) -> bool {
        let op = &self.pending[entry as usize];
        let kind = match op.command {
            // Its data stay in the register for the program behind it.
            Command::Read => {
                next == NONE || self.pending[next as usize].command != Command::CopyProgram
            }
            Command::ReadOob | Command::Program | Command::Erase => true,
            _ => false,
        };
        kind && op.follows == Follows::Alone
            && op.partner == NONE
            && op.repeats.reads == 0
            && !op.repeats.soft
            && self.planes_of(entry) == 1
    }

    /// True if an operation on another plane has arrived and may join `head`.
    fn fits(&self, head: u32, entry: u32, rules: &MultiPlane, begin_ns: Ns) -> bool {
        let (first, op) = (&self.pending[head as usize], &self.pending[entry as usize]);
        let (of, other) = (&self.rest[head as usize], &self.rest[entry as usize]);
        let is_step = |entry: u32| self.orders[entry as usize] > 0;
        if op.arrival_ns > begin_ns
            || op.command != first.command
            || of.slc != other.slc
            // A task's own operation never waits for collection that joins it.
            || is_step(head) != is_step(entry)
        {
            return false;
        }
        if op.command.is_read() && rules.independent_reads {
            return true;
        }
        let place = |block: u32| block / u32::from(self.topology.planes);
        (op.command == Command::Erase || of.page == other.page)
            && (rules.rule == PlaneRule::SamePage || place(of.block) == place(other.block))
    }

    /// Takes the entry between `before` and `next` out of a queue.
    fn unlink(&mut self, at: usize, of: usize, before: u32, next: u32) {
        let queue = &mut self.dies[at].queues[of];
        if next == NONE {
            queue.tail = before;
        }
        match before {
            NONE => queue.head = next,
            before => self.pending[before as usize].next = next,
        }
    }

    fn plane_bit(&self, entry: u32) -> u32 {
        1 << self.topology.plane_of(self.rest[entry as usize].block)
    }

    /// Planes of a request as it was submitted.
    fn planes_of(&self, entry: u32) -> usize {
        Scripts::planes(self.pending[entry as usize].script.into())
    }

    /// Completes the first operation that is chained behind a read, whose data are out.
    #[cold]
    pub(super) fn plane_out(&mut self, at: usize, entry: u32, released_ns: Ns) {
        let member = self.pending[entry as usize].next;
        if member != NONE {
            self.pending[entry as usize].next = self.pending[member as usize].next;
            self.joined_done(at, member, released_ns, released_ns + self.timing.ecc_ns);
        }
    }

    /// Completes all operations that are chained behind one.
    #[cold]
    pub(super) fn planes_done(&mut self, at: usize, entry: u32, released_ns: Ns, done_ns: Ns) {
        let mut member = self.pending[entry as usize].next;
        while member != NONE {
            self.joined_done(at, member, released_ns, done_ns);
            member = self.pending[member as usize].next;
        }
    }

    fn joined_done(&mut self, at: usize, member: u32, released_ns: Ns, done_ns: Ns) {
        self.dies[at].usage.operations += 1;
        self.rest[member as usize].released_ns = released_ns;
        self.plan_completion(member, done_ns);
    }

    /// Sets the completion time of the operations chained behind a program or erase that is suspended (`None`) or resumed.
    pub(super) fn replan_joined(&mut self, entry: u32, done_ns: Option<Ns>) {
        if self.multi_plane.is_none() {
            return;
        }
        let mut member = self.pending[entry as usize].next;
        while member != NONE {
            match done_ns {
                None => self.pending[member as usize].ready_ns = Ns::MAX,
                Some(done_ns) => self.plan_completion(member, done_ns),
            }
            member = self.pending[member as usize].next;
        }
    }
}
