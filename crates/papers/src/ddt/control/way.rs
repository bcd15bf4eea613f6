//! Way controllers: their reactions to messages, to the end of a bus tenure and to the end of a wait.

use super::cycles::Cycles;
use super::message::{Message, PagePosition};
use super::transaction::Transaction;
use flash::Ns;
use flash::channels::Timing;

/// Wait of a way controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wait {
    /// tWB after a command that makes the device busy; then R/B# goes low.
    Busy(PagePosition, Cycles),
    /// Until the device is ready; then R/B# goes high.
    Ready(PagePosition, Cycles),
    /// tRR after R/B# goes high.
    DataReady(PagePosition),
    /// Until the cells have programmed a page of a cache program.
    CellsDone(PagePosition),
}

/// Action of a way controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Sends a message to the master.
    Send(Message, PagePosition),
    /// Requests the bus.
    Ask(PagePosition, Cycles),
    /// Starts a wait.
    Wait(Ns, Wait),
    /// R/B# goes low (`true`) or high (`false`).
    Line(bool),
    /// The device is busy with an operation's program.
    ProgramBusy,
    /// The ECC engine has delivered the corrected bytes.
    Delivered,
}

/// Data available to all controllers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'a> {
    pub(super) timing: &'a Timing,
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) now_ns: Ns,
}

/// Controllers of source and destination; the state is that of the destination's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Controllers {
    /// True if the register can be filled.
    register_free: bool,
    /// Page that waits for the register.
    waiting: Option<PagePosition>,
    /// Time at which the cells become idle.
    cells_free_ns: Ns,
}

impl Controllers {
    pub(super) const IDLE: Self = Self { register_free: true, waiting: None, cells_free_ns: 0 };

    /// Requests the first address of an operation once the register is free.
    fn address(&mut self, steps: &mut Vec<Step>) {
        if self.register_free
            && let Some(place) = self.waiting.take()
        {
            self.register_free = false;
            steps.push(Step::Ask(place, Cycles::ProgramAddress));
        }
    }

    fn free(&mut self, steps: &mut Vec<Step>) {
        self.register_free = true;
        self.address(steps);
    }

    /// Starts the program after the confirm command; the device is now busy.
    fn program(
        &mut self,
        place: PagePosition,
        cached: bool,
        known: &Known<'_>,
        steps: &mut Vec<Step>,
    ) {
        let begin_ns = self.cells_free_ns.max(known.now_ns);
        self.cells_free_ns = begin_ns + known.timing.t_prog_ns;
        let until = |ns: Ns| ns - known.now_ns;
        let confirm = Cycles::Confirm { cached };
        if cached {
            let register_ns = begin_ns + known.timing.t_cbsy_ns;
            steps.push(Step::Wait(until(register_ns), Wait::Ready(place, confirm)));
            steps.push(Step::Wait(until(self.cells_free_ns), Wait::CellsDone(place)));
        } else {
            steps.push(Step::Wait(until(self.cells_free_ns), Wait::Ready(place, confirm)));
        }
        steps.push(Step::ProgramBusy);
    }

    /// Handles a message from the master.
    pub(super) fn receive(
        &mut self,
        message: Message,
        place: PagePosition,
        known: &Known<'_>,
        steps: &mut Vec<Step>,
    ) {
        let transaction = known.transaction;
        let cycles = match message {
            Message::ReadInit => Cycles::Read { last: transaction.planes == 1 },
            Message::ProgInit if place.plane > 0 => Cycles::NextPlane,
            Message::ProgInit => {
                self.waiting = Some(place);
                return self.address(steps);
            }
            // Both sides request the bus; the arbiter grants the source's cycles to both.
            Message::DdtBegin => Cycles::Direct { choose: place.plane > 0 },
            Message::ErrRetransmit => Cycles::Corrections { bytes: transaction.wrong(place) },
            Message::ProgStart => {
                let last = place.operation + 1 == transaction.operations();
                Cycles::Confirm { cached: transaction.cache_program && !last }
            }
            _ => unreachable!("a slave is sent {message}"),
        };
        steps.push(Step::Ask(place, cycles));
    }

    /// Handles the end of a bus tenure.
    pub(super) fn released(
        &mut self,
        place: PagePosition,
        cycles: Cycles,
        known: &Known<'_>,
        steps: &mut Vec<Step>,
    ) {
        match cycles {
            Cycles::ProgramAddress => steps.push(Step::Send(Message::DinReady, place)),
            Cycles::Direct { .. } => steps.push(Step::Send(Message::DdtDone, place)),
            Cycles::Corrections { .. } => steps.push(Step::Delivered),
            Cycles::Status => self.programmed(place, steps),
            _ => steps.push(Step::Wait(known.timing.t_wb_ns, Wait::Busy(place, cycles))),
        }
    }

    /// Handles the end of a wait.
    pub(super) fn waited(&mut self, wait: Wait, known: &Known<'_>, steps: &mut Vec<Step>) {
        match wait {
            Wait::Busy(place, cycles) => {
                steps.push(Step::Line(true));
                self.busy(place, cycles, known, steps);
            }
            Wait::Ready(place, cycles) => {
                steps.push(Step::Line(false));
                self.ready(place, cycles, known, steps);
            }
            Wait::DataReady(place) => steps.push(Step::Send(Message::ReadEnd, place)),
            Wait::CellsDone(place) => steps.push(Step::Send(Message::ProgEnd, place)),
        }
    }

    /// Handles R/B# low.
    fn busy(
        &mut self,
        place: PagePosition,
        cycles: Cycles,
        known: &Known<'_>,
        steps: &mut Vec<Step>,
    ) {
        let t = known.timing;
        let busy_ns = match cycles {
            Cycles::Read { last: true } => {
                steps.push(Step::Send(Message::ReadStart, place));
                t.t_r_ns
            }
            Cycles::Confirm { cached } => return self.program(place, cached, known, steps),
            _ => t.t_dbsy_ns,
        };
        steps.push(Step::Wait(busy_ns, Wait::Ready(place, cycles)));
    }

    /// Handles R/B# high.
    fn ready(
        &mut self,
        place: PagePosition,
        cycles: Cycles,
        known: &Known<'_>,
        steps: &mut Vec<Step>,
    ) {
        match cycles {
            Cycles::Read { last: true } => {
                steps.push(Step::Wait(known.timing.t_rr_ns, Wait::DataReady(place)));
            }
            Cycles::Read { last: false } => {
                let plane = place.plane + 1;
                let last = plane + 1 == known.transaction.planes;
                steps.push(Step::Ask(PagePosition { plane, ..place }, Cycles::Read { last }));
            }
            Cycles::NextPlane => steps.push(Step::Ask(place, Cycles::ProgramAddress)),
            Cycles::Confirm { cached: true } => self.free(steps),
            _ if known.timing.status => steps.push(Step::Ask(place, Cycles::Status)),
            _ => self.programmed(place, steps),
        }
    }

    /// Handles the end of a program; its status, if any, has been read.
    fn programmed(&mut self, place: PagePosition, steps: &mut Vec<Step>) {
        steps.push(Step::Send(Message::ProgEnd, place));
        self.free(steps);
    }
}
