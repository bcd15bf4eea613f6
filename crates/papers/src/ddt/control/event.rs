//! Events of a control unit.

use super::cycles::Cycles;
use super::message::{Message, PagePosition, Party};
use flash::Ns;

/// Reason for which a way uses the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Job {
    /// A page of the transaction.
    Copy(PagePosition),
    /// A request of another way, by its tag.
    Background(u64),
}

/// Event with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Time since the first message.
    pub at_ns: Ns,
    /// Kind of the event.
    pub kind: EventKind,
}

/// Kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A message is sent and received at the same time.
    Message {
        /// The message.
        message: Message,
        /// Sender.
        from: Party,
        /// Receiver.
        to: Party,
        /// The page concerned; plane 0 for messages about all planes ([`Message::about_operation`]).
        place: PagePosition,
    },
    /// A way controller asks the way arbiter for the bus (REQ).
    Request {
        /// The requesting way.
        way: u16,
        /// Reason of the request.
        job: Job,
        /// Requested cycles.
        cycles: Cycles,
    },
    /// The way arbiter grants the bus (GRANT) until `end_ns`. Both sides of a direct transfer receive the grant at
    /// the same time: the source drives the bus, the destination listens.
    Grant {
        /// The way that receives the grant.
        way: u16,
        /// Reason of the request.
        job: Job,
        /// Granted cycles.
        cycles: Cycles,
        /// Time of the request.
        asked_ns: Ns,
        /// End of the tenure.
        end_ns: Ns,
        /// True for the destination of a direct transfer: another way drives the data.
        listens: bool,
    },
    /// A device's R/B# goes low.
    Busy {
        /// The device's way.
        way: u16,
    },
    /// A device's R/B# goes high.
    Ready {
        /// The device's way.
        way: u16,
    },
    /// The ECC engine reports to the master the number of bytes in error of a page.
    Checked {
        /// The page.
        place: PagePosition,
        /// Number of bytes in error.
        wrong_bytes: u32,
    },
    /// A request of another way is done.
    Done {
        /// Its way.
        way: u16,
        /// Its tag.
        tag: u64,
    },
}

/// Receives each event in order of time and of cause; `()` ignores them.
pub trait EventObserver {
    /// Called for each event.
    fn saw(&mut self, event: &Event);
}

impl EventObserver for () {
    #[inline(always)]
    fn saw(&mut self, _: &Event) {}
}

/// Log of all events.
impl EventObserver for Vec<Event> {
    fn saw(&mut self, event: &Event) {
        self.push(*event);
    }
}
