//! The DDT master: the messages it sends in response to those it receives.

use super::message::{Message, PagePosition};
use flash::channels::Addressing;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Source,
    Destination,
}

/// Action of the master.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Send(Message, Side, PagePosition),
    /// Request the ECC engine's verdict on a page.
    Check(PagePosition),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Master {
    operations: u32,
    planes: u8,
    addressing: Addressing,
    place: PagePosition,
    read_end: bool,
    din_ready: bool,
    ddt_done: u8,
    programmed: u32,
}

impl Master {
    pub(super) fn new(operations: u32, planes: u8, addressing: Addressing) -> Self {
        Self {
            operations,
            planes,
            addressing,
            place: PagePosition::default(),
            read_end: false,
            din_ready: false,
            ddt_done: 0,
            programmed: 0,
        }
    }

    /// True if every operation has ended.
    pub(super) fn is_done(&self) -> bool {
        self.programmed == self.operations
    }

    /// Begins the current operation.
    pub(super) fn begin(&mut self, orders: &mut Vec<Order>) {
        orders.push(Order::Send(Message::ReadInit, Side::Source, self.place));
    }

    /// Handles a slave's message.
    pub(super) fn receive(&mut self, message: Message, orders: &mut Vec<Order>) {
        let init = Order::Send(Message::ProgInit, Side::Destination, self.place);
        match message {
            Message::ReadStart if self.addressing == Addressing::DuringRead => orders.push(init),
            Message::ReadEnd => {
                self.read_end = true;
                if self.addressing == Addressing::AfterRead {
                    orders.push(init);
                }
                self.transfer_if_ready(orders);
            }
            Message::DinReady => {
                self.din_ready = true;
                self.transfer_if_ready(orders);
            }
            Message::DdtDone => {
                self.ddt_done += 1;
                if self.ddt_done == 2 {
                    self.ddt_done = 0;
                    orders.push(Order::Check(self.place));
                }
            }
            Message::ProgEnd => self.programmed += 1,
            _ => {}
        }
    }

    fn transfer_if_ready(&mut self, orders: &mut Vec<Order>) {
        if self.read_end && self.din_ready {
            self.din_ready = false;
            for side in [Side::Source, Side::Destination] {
                orders.push(Order::Send(Message::DdtBegin, side, self.place));
            }
        }
    }

    /// Handles the ECC engine's verdict.
    pub(super) fn checked(&mut self, wrong_bytes: u32, orders: &mut Vec<Order>) {
        if wrong_bytes > 0 {
            orders.push(Order::Send(Message::ErrRetransmit, Side::Destination, self.place));
        } else {
            self.go_on(orders);
        }
    }

    /// The destination's register holds the correct page: go on with the next plane or the program. If bytes were in
    /// error, the ECC engine has delivered the corrections.
    pub(super) fn go_on(&mut self, orders: &mut Vec<Order>) {
        let message = if self.place.plane + 1 < self.planes {
            self.place.plane += 1;
            Message::ProgInit
        } else {
            Message::ProgStart
        };
        orders.push(Order::Send(message, Side::Destination, self.place));
    }

    /// The destination's R/B# has gone low for its program: begin the next read, which overlaps it.
    pub(super) fn program_busy(&mut self, orders: &mut Vec<Order>) {
        self.place = PagePosition { operation: self.place.operation + 1, plane: 0 };
        self.read_end = false;
        if self.place.operation < self.operations {
            self.begin(orders);
        }
    }
}
