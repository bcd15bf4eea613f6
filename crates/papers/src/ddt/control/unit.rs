//! The channel controller: way arbiter, way controllers and DDT master, driven by an event queue.

use super::cycles::Cycles;
use super::event::{Event, EventKind, EventObserver, Job};
use super::master::{Master, Order, Side};
use super::message::{Message, PagePosition, Party};
use super::transaction::{Background, ControlError, Transaction};
use super::way::{Destination, Known, Step, Wait, Way};
use flash::Ns;
use flash::channels::{Ask, Policy, Timing, choose};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The control unit of one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlUnit {
    /// Bus and cell times, the same for all devices. A direct transfer uses tDL and the longer of tRC and tWC.
    pub timing: Timing,
    /// Number of devices, 2 to 64.
    pub ways: u16,
    /// Policy of the way arbiter.
    pub policy: Policy,
}

/// Result of a transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Time from the first READ_INIT to the last PROG_END.
    pub total_ns: Ns,
    /// Time for which the transaction held the bus: its cycles, with tADL, tCCS, tWHR, tDL between them.
    pub bus_ns: Ns,
    /// Completion time of each background request, in the order of the `background` argument.
    pub background_done_ns: Vec<Ns>,
}

impl ControlUnit {
    /// Executes a transaction beside background requests of other ways; `watch` receives every event.
    ///
    /// # Errors
    /// See [`ControlError`]; no event has occurred in that case.
    pub fn run<W: EventObserver>(
        &self,
        transaction: &Transaction<'_>,
        background: &[Background],
        watch: &mut W,
    ) -> Result<Outcome, ControlError> {
        self.timing.validate()?;
        if !(2..=64).contains(&self.ways) {
            return Err(ControlError::Ways(self.ways));
        }
        transaction.check(self.ways, &self.timing)?;
        for request in background {
            request.check(self.ways, transaction)?;
        }
        let mut run = Run::new(self, transaction, background, watch);
        run.begin();
        while run.next() {}
        debug_assert!(run.master.is_done(), "no event is left, and the transaction is not done");
        Ok(run.outcome)
    }
}

/// Event that is due at a certain time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    ToSlave(Message, Side, PagePosition),
    ToMaster(Message),
    Released(u16, Job, Cycles),
    Waited(u16, Wait),
    Checked(PagePosition),
    Arrived(usize),
}

/// Transaction in progress.
struct Run<'a, W> {
    unit: &'a ControlUnit,
    transaction: &'a Transaction<'a>,
    background: &'a [Background],
    watch: &'a mut W,
    master: Master,
    ways: Vec<Way>,
    now_ns: Ns,
    /// Ordered by time, then by insertion.
    due: BinaryHeap<Reverse<(Ns, u64, Due)>>,
    serial: u64,
    asks: Vec<Ask>,
    wanted: Vec<Option<(Job, Cycles)>>,
    bus_free_ns: Ns,
    granted_last: usize,
    outcome: Outcome,
}

impl<'a, W: EventObserver> Run<'a, W> {
    fn new(
        unit: &'a ControlUnit,
        transaction: &'a Transaction<'a>,
        background: &'a [Background],
        watch: &'a mut W,
    ) -> Self {
        let ways = usize::from(unit.ways);
        let way = |way: u16| match way {
            _ if way == transaction.source => Way::Side(Side::Source, Destination::IDLE),
            _ if way == transaction.destination => Way::Side(Side::Destination, Destination::IDLE),
            _ => Way::Server(VecDeque::new()),
        };
        Self {
            unit,
            transaction,
            background,
            watch,
            master: Master::new(
                transaction.operations(),
                transaction.planes,
                transaction.addressing,
            ),
            ways: (0..unit.ways).map(way).collect(),
            now_ns: 0,
            due: BinaryHeap::new(),
            serial: 0,
            asks: vec![Ask::NONE; ways],
            wanted: vec![None; ways],
            bus_free_ns: 0,
            granted_last: ways - 1,
            outcome: Outcome {
                background_done_ns: vec![0; background.len()],
                ..Outcome::default()
            },
        }
    }

    fn begin(&mut self) {
        for (index, request) in self.background.iter().enumerate() {
            self.after(request.arrival_ns, Due::Arrived(index));
        }
        self.order(Master::begin);
    }

    /// Processes the next event, or the next grant if no event is due before it. Returns `false` when nothing is
    /// pending.
    fn next(&mut self) -> bool {
        let asked_ns = self.asks.iter().map(|ask| ask.since_ns).min().unwrap_or(Ns::MAX);
        let grant_ns = if asked_ns == Ns::MAX { Ns::MAX } else { asked_ns.max(self.bus_free_ns) };
        match self.due.peek() {
            Some(Reverse((due_ns, ..))) if *due_ns <= grant_ns => {
                if let Some(Reverse((due_ns, _, due))) = self.due.pop() {
                    self.now_ns = due_ns;
                    self.fall_due(due);
                }
            }
            _ if grant_ns == Ns::MAX => return false,
            _ => {
                self.now_ns = grant_ns;
                self.grant();
            }
        }
        true
    }

    fn fall_due(&mut self, due: Due) {
        match due {
            Due::ToSlave(message, side, place) => {
                let way = self.way_of(side);
                self.step(way, |way, known, steps| way.receive(message, place, known, steps));
            }
            Due::ToMaster(message) => {
                if message == Message::ProgEnd {
                    self.outcome.total_ns = self.now_ns;
                }
                self.order(|master, orders| master.receive(message, orders));
            }
            Due::Released(way, job, cycles) => {
                self.step(way, |way, known, steps| way.released(job, cycles, known, steps));
            }
            Due::Waited(way, wait) => {
                self.step(way, |way, known, steps| way.waited(wait, known, steps));
            }
            Due::Checked(place) => {
                let wrong_bytes = self.transaction.wrong(place);
                self.saw(EventKind::Checked { place, wrong_bytes });
                self.order(|master, orders| master.checked(wrong_bytes, orders));
            }
            Due::Arrived(index) => {
                let Background { way, work, .. } = self.background[index];
                self.step(way, |way, _, steps| way.arrive(index as u64, work, steps));
            }
        }
    }

    /// Grants the bus to a requesting way. The grant for the source of a direct transfer includes its destination.
    fn grant(&mut self) {
        let policy = self.unit.policy;
        let chosen = choose(policy, &self.asks, self.now_ns, self.granted_last);
        let Some((job, cycles)) = self.wanted[chosen].take() else { return };
        self.granted_last = chosen;
        let bus_ns = cycles.bus_ns(&self.unit.timing);
        self.bus_free_ns = self.now_ns + bus_ns;
        if let Job::Copy(_) = job {
            self.outcome.bus_ns += bus_ns;
        }
        let destination = self.transaction.destination;
        let listener = matches!(cycles, Cycles::Direct { .. }).then_some(destination);
        let asked_ns = std::mem::replace(&mut self.asks[chosen], Ask::NONE).since_ns;
        for (way, listens) in
            [(chosen as u16, false)].into_iter().chain(listener.map(|way| (way, true)))
        {
            let (job, end_ns) = (self.named(job), self.bus_free_ns);
            self.saw(EventKind::Grant { way, job, cycles, asked_ns, end_ns, listens });
        }
        for way in [chosen as u16].into_iter().chain(listener) {
            self.after(bus_ns, Due::Released(way, job, cycles));
        }
    }

    /// Lets the master act, and carries out its orders.
    fn order(&mut self, act: impl FnOnce(&mut Master, &mut Vec<Order>)) {
        let mut orders = Vec::new();
        act(&mut self.master, &mut orders);
        for order in orders {
            match order {
                Order::Send(message, side, place) => {
                    let to = Party::Slave(self.way_of(side));
                    self.sent(message, Party::Master, to, place);
                    self.after(0, Due::ToSlave(message, side, place));
                }
                Order::Check(place) => self.after(self.unit.timing.ecc_ns, Due::Checked(place)),
            }
        }
    }

    /// Lets a way controller act, and carries out its steps.
    fn step(&mut self, way: u16, act: impl FnOnce(&mut Way, &Known<'_>, &mut Vec<Step>)) {
        let known =
            Known { timing: &self.unit.timing, transaction: self.transaction, now_ns: self.now_ns };
        let mut steps = Vec::new();
        act(&mut self.ways[usize::from(way)], &known, &mut steps);
        for step in steps {
            match step {
                Step::Send(message, place) => {
                    self.sent(message, Party::Slave(way), Party::Master, place);
                    self.after(0, Due::ToMaster(message));
                }
                Step::Ask(job, cycles) => self.ask(way, job, cycles),
                Step::Wait(ns, wait) => self.after(ns, Due::Waited(way, wait)),
                Step::Line(true) => self.saw(EventKind::Busy { way }),
                Step::Line(false) => self.saw(EventKind::Ready { way }),
                Step::ProgramBusy => self.order(Master::program_busy),
                Step::Delivered => self.order(Master::go_on),
                Step::Done(index) => {
                    let tag = self.background[index as usize].tag;
                    self.outcome.background_done_ns[index as usize] = self.now_ns;
                    self.saw(EventKind::Done { way, tag });
                }
            }
        }
    }

    /// Requests the bus for a way. The arbiter sees one request per direct transfer: that of the source, which drives
    /// the bus.
    fn ask(&mut self, way: u16, job: Job, cycles: Cycles) {
        self.saw(EventKind::Request { way, job: self.named(job), cycles });
        if matches!(cycles, Cycles::Direct { .. }) && way == self.transaction.destination {
            return;
        }
        let (since_ns, read) = (self.now_ns, cycles.reads());
        self.asks[usize::from(way)] = Ask { since_ns, serial: self.serial, read };
        self.serial += 1;
        self.wanted[usize::from(way)] = Some((job, cycles));
    }

    fn after(&mut self, ns: Ns, due: Due) {
        self.due.push(Reverse((self.now_ns + ns, self.serial, due)));
        self.serial += 1;
    }

    fn way_of(&self, side: Side) -> u16 {
        match side {
            Side::Source => self.transaction.source,
            Side::Destination => self.transaction.destination,
        }
    }

    /// Replaces the internal request index by the caller's tag.
    fn named(&self, job: Job) -> Job {
        match job {
            Job::Background(index) => Job::Background(self.background[index as usize].tag),
            copy => copy,
        }
    }

    fn sent(&mut self, message: Message, from: Party, to: Party, place: PagePosition) {
        let plane = if message.about_operation() { 0 } else { place.plane };
        let place = PagePosition { plane, ..place };
        self.saw(EventKind::Message { message, from, to, place });
    }

    fn saw(&mut self, kind: EventKind) {
        self.watch.saw(&Event { at_ns: self.now_ns, kind });
    }
}
