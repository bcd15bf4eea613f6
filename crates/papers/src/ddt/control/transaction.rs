//! Requests to a control unit, and the errors that reject them.

use super::message::PagePosition;
use flash::Ns;
use flash::channels::{Addressing, MAX_PLANES, Timing, TimingError};

/// Pages copied by direct transfer from one way to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction<'a> {
    /// Way of the source device.
    pub source: u16,
    /// Way of the destination device; differs from `source`.
    pub destination: u16,
    /// Planes operated together, 1 to [`MAX_PLANES`].
    pub planes: u8,
    /// True if all programs but the last are cache programs.
    pub cache_program: bool,
    /// Time of the destination's first address in an operation: after READ_END or after READ_START.
    pub addressing: Addressing,
    /// Bytes in error of each page, in copy order, with the planes of an operation adjacent. One entry per page, 1 to
    /// [`MAX_PAGES`].
    pub wrong_bytes: &'a [u32],
    /// Maximum bytes in error per page that the ECC engine corrects.
    pub most_wrong_bytes: u32,
}

/// Maximum pages per transaction.
pub const MAX_PAGES: usize = 1 << 16;

impl Transaction<'_> {
    /// Number of operations; each copies one page per plane.
    pub fn operations(&self) -> u32 {
        (self.wrong_bytes.len() / usize::from(self.planes)) as u32
    }

    /// Bytes in error of the page at `place`.
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

/// Kind of a request of another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackgroundKind {
    /// Reads a page and transfers it to the controller.
    Read,
    /// Transfers a page to the device and programs it.
    Program,
    /// Erases a block.
    Erase,
}

/// Request of a way outside the transaction; it competes for the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Background {
    /// Arrival time since the first message; at most [`Background::LATEST_NS`]. Each way serves its requests in order
    /// of arrival.
    pub arrival_ns: Ns,
    /// Way of the request: neither source nor destination.
    pub way: u16,
    /// Caller's tag for the request.
    pub tag: u64,
    /// Kind of the request.
    pub work: BackgroundKind,
}

impl Background {
    /// The latest arrival: about eleven and a half days.
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

/// Reasons why a control unit rejects a transaction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ControlError {
    /// A timing parameter is outside its range.
    #[error(transparent)]
    Timing(#[from] TimingError),
    /// The number of ways is outside its range.
    #[error("a channel with direct transfers has 2 to 64 ways, not {0}")]
    Ways(u16),
    /// A way outside the channel.
    #[error("{role} is on way {way}, but the channel has ways 0 to {}", ways - 1)]
    NoSuchWay {
        /// The requester: `source`, `destination` or `a request`.
        role: &'static str,
        /// Its way.
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
    /// The number of pages is outside its range or no multiple of the planes.
    #[error(
        "{pages} pages are no transaction: it has a multiple of its {planes} planes, 1 to {MAX_PAGES}"
    )]
    Pages {
        /// Pages given.
        pages: usize,
        /// Planes.
        planes: u8,
    },
    /// A page has more bytes in error than the ECC corrects, so it must not be programmed.
    #[error(
        "page {page} of the transaction has {found} wrong bytes; the ECC corrects {most} at most"
    )]
    Uncorrectable {
        /// Page number, from 0.
        page: usize,
        /// Bytes in error of the page.
        found: u32,
        /// Maximum that the ECC corrects.
        most: u32,
    },
    /// A request for a device that takes part in the transaction.
    #[error(
        "request {tag} is for way {way}, which takes part in the transaction: give another way"
    )]
    TakesPart {
        /// Way of the request.
        way: u16,
        /// Tag of the request.
        tag: u64,
    },
    /// A request arrives too late.
    #[error("request {tag} arrives at {found} ns, beyond {} ns", Background::LATEST_NS)]
    Arrival {
        /// Tag of the request.
        tag: u64,
        /// Arrival time of the request.
        found: Ns,
    },
}
