//! What a control unit is asked to do, and why it may refuse.

use super::message::PagePosition;
use flash::Ns;
use flash::channels::{Addressing, MAX_PLANES, Timing, TimingError};

/// Pages copied by direct transfer from one way to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction<'a> {
    /// Way of the source.
    pub source: u16,
    /// Way of the destination, another.
    pub destination: u16,
    /// Planes that work as one, 1 to [`MAX_PLANES`].
    pub planes: u8,
    /// Whether all programs but the last go through the cache register.
    pub cache_program: bool,
    /// When the destination is given its first address of an operation: after READ_END or after READ_START.
    pub addressing: Addressing,
    /// Wrong bytes of each page, in the order in which they are copied, the planes of an operation together; as many
    /// as there are pages, 1 to [`MAX_PAGES`].
    pub wrong_bytes: &'a [u32],
    /// The most wrong bytes of a page that the ECC engine corrects.
    pub most_wrong_bytes: u32,
}

/// The most pages of a transaction.
pub const MAX_PAGES: usize = 1 << 16;

impl Transaction<'_> {
    /// Operations, each of a page a plane.
    pub fn operations(&self) -> u32 {
        (self.wrong_bytes.len() / usize::from(self.planes)) as u32
    }

    /// Wrong bytes of a page.
    pub(super) fn wrong(&self, place: PagePosition) -> u32 {
        self.wrong_bytes
            [place.operation as usize * usize::from(self.planes) + usize::from(place.plane)]
    }

    pub(super) fn check(&self, ways: u16, timing: &Timing) -> Result<(), ControlError> {
        for (role, way) in [("source", self.source), ("destination", self.destination)] {
            if way >= ways {
                return Err(ControlError::NoSuchWay { role, way, ways });
            }
        }
        if self.source == self.destination {
            return Err(ControlError::OneWay(self.source));
        }
        if !(1..=MAX_PLANES).contains(&usize::from(self.planes)) {
            return Err(ControlError::Planes(self.planes));
        }
        let pages = self.wrong_bytes.len();
        if pages == 0 || pages > MAX_PAGES || !pages.is_multiple_of(self.planes.into()) {
            return Err(ControlError::Pages { pages, planes: self.planes });
        }
        let most = self.most_wrong_bytes.min(timing.transfer_bytes);
        match self.wrong_bytes.iter().position(|&bytes| bytes > most) {
            Some(page) => {
                Err(ControlError::Uncorrectable { page, found: self.wrong_bytes[page], most })
            }
            None => Ok(()),
        }
    }
}

/// What a way is asked beside the transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackgroundKind {
    /// A page is read and goes out to the controller.
    Read,
    /// A page comes in and is programmed.
    Program,
    /// A block is erased.
    Erase,
}

/// A request of a way that takes no part in the transaction, so that it competes for the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Background {
    /// When it is there to be done, from the first message on; at most [`Background::LATEST_NS`]. A way does its
    /// requests in the order of their arrival.
    pub arrival_ns: Ns,
    /// Its way: neither source nor destination.
    pub way: u16,
    /// Anything by which the caller knows it again.
    pub tag: u64,
    /// What to do.
    pub work: BackgroundKind,
}

impl Background {
    /// The latest arrival: eleven days.
    pub const LATEST_NS: Ns = 1_000_000_000_000_000;

    pub(super) fn check(
        &self,
        ways: u16,
        transaction: &Transaction<'_>,
    ) -> Result<(), ControlError> {
        let way = self.way;
        if way >= ways {
            return Err(ControlError::NoSuchWay { role: "a request", way, ways });
        }
        if way == transaction.source || way == transaction.destination {
            return Err(ControlError::TakesPart { way, tag: self.tag });
        }
        if self.arrival_ns > Self::LATEST_NS {
            return Err(ControlError::Arrival { tag: self.tag, found: self.arrival_ns });
        }
        Ok(())
    }
}

/// Why a transaction cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ControlError {
    /// A figure of the timing is outside its range.
    #[error(transparent)]
    Timing(#[from] TimingError),
    /// The number of ways is outside its range.
    #[error("a channel with direct transfers has 2 to 64 ways, not {0}")]
    Ways(u16),
    /// No such way.
    #[error("{role} is on way {way}, but the channel has ways 0 to {}", ways - 1)]
    NoSuchWay {
        /// Who.
        role: &'static str,
        /// Where.
        way: u16,
        /// Ways of the channel.
        ways: u16,
    },
    /// Source and destination are one device.
    #[error("source and destination are both way {0}: a direct transfer is between two devices")]
    OneWay(u16),
    /// The number of planes is outside its range.
    #[error("planes must be 1 to {MAX_PLANES}, not {0}")]
    Planes(u8),
    /// No transaction of so many pages.
    #[error(
        "{pages} pages are no transaction: it has a multiple of its {planes} planes, 1 to {MAX_PAGES}"
    )]
    Pages {
        /// Pages given.
        pages: usize,
        /// Planes.
        planes: u8,
    },
    /// A page cannot be corrected, so that it must not be programmed.
    #[error(
        "page {page} of the transaction has {found} wrong bytes; the ECC corrects {most} at most"
    )]
    Uncorrectable {
        /// The page, from 0.
        page: usize,
        /// Its wrong bytes.
        found: u32,
        /// The most that can be corrected.
        most: u32,
    },
    /// A request for a device that takes part in the transaction.
    #[error(
        "request {tag} is for way {way}, which takes part in the transaction: give another way"
    )]
    TakesPart {
        /// The way.
        way: u16,
        /// The request's tag.
        tag: u64,
    },
    /// A request arrives too late.
    #[error("request {tag} arrives at {found} ns, beyond {} ns", Background::LATEST_NS)]
    Arrival {
        /// The request's tag.
        tag: u64,
        /// Its arrival.
        found: Ns,
    },
}
