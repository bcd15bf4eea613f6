//! What a control unit does, event by event.

use super::cycles::Cycles;
use super::message::{Message, PagePosition, Party};
use flash::Ns;

/// For whom a way uses the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Job {
    /// A page of the transaction.
    Copy(PagePosition),
    /// A request of another way, by its tag.
    Background(u64),
}

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, from the first message on.
    pub at_ns: Ns,
    /// What.
    pub kind: EventKind,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A message is sent, and received at once.
    Message {
        /// Which.
        message: Message,
        /// Sender.
        from: Party,
        /// Receiver.
        to: Party,
        /// The page that it is about; the first where it is about those of all planes
        /// ([`Message::about_operation`]).
        place: PagePosition,
    },
    /// A way controller asks the way arbiter for the bus (REQ).
    Request {
        /// Who.
        way: u16,
        /// For whom.
        job: Job,
        /// For what.
        cycles: Cycles,
    },
    /// The way arbiter grants the bus (GRANT) until `end_ns`. Both sides of a direct transfer are granted it at once:
    /// the source drives it, the destination listens.
    Grant {
        /// To whom.
        way: u16,
        /// For whom.
        job: Job,
        /// For what.
        cycles: Cycles,
        /// When it was asked for.
        asked_ns: Ns,
        /// Until when.
        end_ns: Ns,
        /// Whether another way drives the data: the destination of a direct transfer.
        listens: bool,
    },
    /// A device's R/B# goes low.
    Busy {
        /// Whose.
        way: u16,
    },
    /// A device's R/B# goes high.
    Ready {
        /// Whose.
        way: u16,
    },
    /// The ECC engine tells the master how many bytes of a page were wrong.
    Checked {
        /// The page.
        place: PagePosition,
        /// The bytes.
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

/// Sees each event, in order of time and of cause; `()` sees nothing.
pub trait EventObserver {
    /// Something has happened.
    fn saw(&mut self, event: &Event);
}

impl EventObserver for () {
    #[inline(always)]
    fn saw(&mut self, _: &Event) {}
}

/// A log of all events.
impl EventObserver for Vec<Event> {
    fn saw(&mut self, event: &Event) {
        self.push(*event);
    }
}
