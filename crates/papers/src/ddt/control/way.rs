//! Way controllers: their reactions to messages, to the end of a bus tenure and to the end of a wait.

use super::cycles::Cycles;
use super::event::Job;
use super::master::Side;
use super::message::{Message, PagePosition};
use super::transaction::{BackgroundKind, Transaction};
use flash::Ns;
use flash::channels::Timing;
use std::collections::VecDeque;

/// Wait of a way controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wait {
    /// tWB after a command that makes the device busy; then R/B# goes low.
    Busy(Job, Cycles),
    /// Until the device is ready; then R/B# goes high.
    Ready(Job, Cycles),
    /// tRR after R/B# goes high.
    DataReady(Job),
    /// Until the cells have programmed a page of a cache program.
    CellsDone(Job),
    /// Until the ECC engine has corrected a page read for a background request.
    Corrected(Job),
}

/// Action of a way controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Sends a message to the master.
    Send(Message, PagePosition),
    /// Requests the bus.
    Ask(Job, Cycles),
    /// Starts a wait.
    Wait(Ns, Wait),
    /// R/B# goes low (`true`) or high (`false`).
    Line(bool),
    /// The device is busy with an operation's program.
    ProgramBusy,
    /// The ECC engine has delivered the corrected bytes.
    Delivered,
    /// A background request is complete.
    Done(u64),
}

/// Data available to all controllers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'a> {
    pub(super) timing: &'a Timing,
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) now_ns: Ns,
}

/// Controller of a way.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// The way takes part in the transaction.
    Side(Side, Destination),
    /// The way serves background requests one after another.
    Server(VecDeque<(u64, BackgroundKind)>),
}

/// State of the destination's controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Destination {
    /// True if the register can be filled.
    register_free: bool,
    /// Page that waits for the register.
    waiting: Option<PagePosition>,
    /// Time at which the cells become idle.
    cells_free_ns: Ns,
}

impl Destination {
    pub(super) const IDLE: Self = Self { register_free: true, waiting: None, cells_free_ns: 0 };

    /// Requests the first address of an operation once the register is free.
    fn address(&mut self, steps: &mut Vec<Step>) {
        if self.register_free
            && let Some(place) = self.waiting.take()
        {
            self.register_free = false;
            steps.push(Step::Ask(Job::Copy(place), Cycles::ProgramAddress));
        }
    }

    fn free(&mut self, steps: &mut Vec<Step>) {
        self.register_free = true;
        self.address(steps);
    }

    /// Starts the program after the confirm command; the device is now busy.
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
    /// Handles a message from the master.
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
            // Both sides request the bus; the arbiter grants the source's cycles to both.
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

    /// Queues a background request that has arrived at this way.
    pub(super) fn arrive(&mut self, tag: u64, work: BackgroundKind, steps: &mut Vec<Step>) {
        if let Self::Server(queue) = self {
            queue.push_back((tag, work));
            if queue.len() == 1 {
                serve(queue, steps);
            }
        }
    }

    /// Handles the end of a bus tenure.
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

    /// Handles the end of a wait.
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

    /// Handles R/B# low.
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

    /// Handles R/B# high.
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

    /// Handles the end of a program or erase; its status, if any, has been read.
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

/// Begins the first request of the queue.
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
