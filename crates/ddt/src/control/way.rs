//! Way controllers: what each does upon a message, once a tenure of the bus is over, and once a wait is.

use super::cycles::Cycles;
use super::event::Job;
use super::master::Side;
use super::message::{Message, PagePosition};
use super::transaction::{BackgroundKind, Transaction};
use flash::Ns;
use flash::channels::Timing;
use std::collections::VecDeque;

/// Something that a way controller has waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wait {
    /// tWB after a command that makes the device busy: R/B# goes low.
    Busy(Job, Cycles),
    /// The device is ready again: R/B# goes high.
    Ready(Job, Cycles),
    /// tRR after that.
    DataReady(Job),
    /// The cells have programmed a page behind the cache register.
    CellsDone(Job),
    /// The ECC engine is done with a page read for a request.
    Corrected(Job),
}

/// What a way controller does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Sends a message to the master.
    Send(Message, PagePosition),
    /// Asks for the bus.
    Ask(Job, Cycles),
    /// Waits.
    Wait(Ns, Wait),
    /// R/B# goes low (`true`) or high.
    Line(bool),
    /// The program of an operation begins.
    ProgramBusy,
    /// Corrected bytes have left the ECC engine.
    Delivered,
    /// A request is done.
    Done(u64),
}

/// What controllers know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'a> {
    pub(super) timing: &'a Timing,
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) now_ns: Ns,
}

/// The controller of a way.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// Its device takes part in the transaction.
    Side(Side, Destination),
    /// It does requests, one after another.
    Server(VecDeque<(u64, BackgroundKind)>),
}

/// What the destination's controller keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Destination {
    /// Whether its register can be filled.
    register_free: bool,
    /// The page that waits for it.
    waiting: Option<PagePosition>,
    /// Until when its cells work.
    cells_free_ns: Ns,
}

impl Destination {
    pub(super) const IDLE: Self = Self { register_free: true, waiting: None, cells_free_ns: 0 };

    /// Gives the first address of an operation once the register is free.
    fn address(&mut self, steps: &mut Vec<Step>) {
        if self.register_free
            && let Some(place) = self.waiting.take()
        {
            self.register_free = false;
            steps.push(Step::Ask(Job::Copy(place), Cycles::ProgramAddress));
        }
    }

    /// The register is free.
    fn free(&mut self, steps: &mut Vec<Step>) {
        self.register_free = true;
        self.address(steps);
    }

    /// A program is confirmed, and the device busy with it.
    fn program(&mut self, job: Job, cached: bool, known: &Known<'_>, steps: &mut Vec<Step>) {
        let begin_ns = self.cells_free_ns.max(known.now_ns);
        self.cells_free_ns = begin_ns + known.timing.t_prog_ns;
        let until = |ns: Ns| ns - known.now_ns;
        let confirm = Cycles::Confirm { cached };
        if cached {
            let register_ns = begin_ns + known.timing.t_cbsy_ns;
            steps.push(Step::Wait(until(register_ns), Wait::Ready(job, confirm)));
            steps.push(Step::Wait(until(self.cells_free_ns), Wait::CellsDone(job)));
        } else {
            steps.push(Step::Wait(until(self.cells_free_ns), Wait::Ready(job, confirm)));
        }
        steps.push(Step::ProgramBusy);
    }
}

impl Way {
    /// A message from the master.
    pub(super) fn receive(
        &mut self,
        message: Message,
        place: PagePosition,
        known: &Known<'_>,
        steps: &mut Vec<Step>,
    ) {
        let Self::Side(side, destination) = self else { return };
        let job = Job::Copy(place);
        let transaction = known.transaction;
        let cycles = match message {
            Message::ReadInit => Cycles::Read { last: transaction.planes == 1 },
            Message::ProgInit if place.plane > 0 => Cycles::NextPlane,
            Message::ProgInit => {
                destination.waiting = Some(place);
                return destination.address(steps);
            }
            // Both sides ask; the arbiter grants both what the source asks for.
            Message::DdtBegin => Cycles::Direct { choose: place.plane > 0 },
            Message::ErrRetransmit => Cycles::Corrections { bytes: transaction.wrong(place) },
            Message::ProgStart => {
                let last = place.operation + 1 == transaction.operations();
                Cycles::Confirm { cached: transaction.cache_program && !last }
            }
            _ => unreachable!("{side:?} is sent {message}"),
        };
        steps.push(Step::Ask(job, cycles));
    }

    /// A request of this way has arrived.
    pub(super) fn arrive(&mut self, tag: u64, work: BackgroundKind, steps: &mut Vec<Step>) {
        if let Self::Server(queue) = self {
            queue.push_back((tag, work));
            if queue.len() == 1 {
                serve(queue, steps);
            }
        }
    }

    /// A tenure of the bus is over.
    pub(super) fn released(
        &mut self,
        job: Job,
        cycles: Cycles,
        known: &Known<'_>,
        steps: &mut Vec<Step>,
    ) {
        match (cycles, job) {
            (Cycles::ProgramAddress, Job::Copy(place)) => {
                steps.push(Step::Send(Message::DinReady, place));
            }
            (Cycles::Direct { .. }, Job::Copy(place)) => {
                steps.push(Step::Send(Message::DdtDone, place));
            }
            (Cycles::Corrections { .. }, _) => steps.push(Step::Delivered),
            (Cycles::DataOut, _) => {
                steps.push(Step::Wait(known.timing.ecc_ns, Wait::Corrected(job)));
                self.next_request(steps);
            }
            (Cycles::Status, _) => self.programmed(job, steps),
            _ => steps.push(Step::Wait(known.timing.t_wb_ns, Wait::Busy(job, cycles))),
        }
    }

    /// A wait is over.
    pub(super) fn waited(&mut self, wait: Wait, known: &Known<'_>, steps: &mut Vec<Step>) {
        match wait {
            Wait::Busy(job, cycles) => {
                steps.push(Step::Line(true));
                self.busy(job, cycles, known, steps);
            }
            Wait::Ready(job, cycles) => {
                steps.push(Step::Line(false));
                self.ready(job, cycles, known, steps);
            }
            Wait::DataReady(Job::Copy(place)) => {
                steps.push(Step::Send(Message::ReadEnd, place));
            }
            Wait::DataReady(job) => steps.push(Step::Ask(job, Cycles::DataOut)),
            Wait::CellsDone(job) => {
                if let Job::Copy(place) = job {
                    steps.push(Step::Send(Message::ProgEnd, place));
                }
            }
            Wait::Corrected(job) => {
                if let Job::Background(tag) = job {
                    steps.push(Step::Done(tag));
                }
            }
        }
    }

    /// The device has become busy.
    fn busy(&mut self, job: Job, cycles: Cycles, known: &Known<'_>, steps: &mut Vec<Step>) {
        let t = known.timing;
        let busy_ns = match cycles {
            Cycles::Read { last: true } => {
                if let Job::Copy(place) = job {
                    steps.push(Step::Send(Message::ReadStart, place));
                }
                t.t_r_ns
            }
            Cycles::Program => t.t_prog_ns,
            Cycles::Erase => t.t_bers_ns,
            Cycles::Confirm { cached } => {
                if let Self::Side(_, destination) = self {
                    destination.program(job, cached, known, steps);
                }
                return;
            }
            _ => t.t_dbsy_ns,
        };
        steps.push(Step::Wait(busy_ns, Wait::Ready(job, cycles)));
    }

    /// The device is ready again.
    fn ready(&mut self, job: Job, cycles: Cycles, known: &Known<'_>, steps: &mut Vec<Step>) {
        match cycles {
            Cycles::Read { last: true } => {
                steps.push(Step::Wait(known.timing.t_rr_ns, Wait::DataReady(job)));
            }
            Cycles::Read { last: false } => {
                if let Job::Copy(place) = job {
                    let plane = place.plane + 1;
                    let last = plane + 1 == known.transaction.planes;
                    let job = Job::Copy(PagePosition { plane, ..place });
                    steps.push(Step::Ask(job, Cycles::Read { last }));
                }
            }
            Cycles::NextPlane => steps.push(Step::Ask(job, Cycles::ProgramAddress)),
            Cycles::Confirm { cached: true } => {
                if let Self::Side(_, destination) = self {
                    destination.free(steps);
                }
            }
            _ if known.timing.status => steps.push(Step::Ask(job, Cycles::Status)),
            _ => self.programmed(job, steps),
        }
    }

    /// A program or an erase is over, its status read where it is.
    fn programmed(&mut self, job: Job, steps: &mut Vec<Step>) {
        match (self, job) {
            (Self::Side(_, destination), Job::Copy(place)) => {
                steps.push(Step::Send(Message::ProgEnd, place));
                destination.free(steps);
            }
            (way, Job::Background(tag)) => {
                steps.push(Step::Done(tag));
                way.next_request(steps);
            }
            _ => {}
        }
    }

    fn next_request(&mut self, steps: &mut Vec<Step>) {
        if let Self::Server(queue) = self {
            queue.pop_front();
            serve(queue, steps);
        }
    }
}

/// Begins the first request of a queue.
fn serve(queue: &VecDeque<(u64, BackgroundKind)>, steps: &mut Vec<Step>) {
    if let Some(&(tag, work)) = queue.front() {
        let cycles = match work {
            BackgroundKind::Read => Cycles::Read { last: true },
            BackgroundKind::Program => Cycles::Program,
            BackgroundKind::Erase => Cycles::Erase,
        };
        steps.push(Step::Ask(Job::Background(tag), cycles));
    }
}
