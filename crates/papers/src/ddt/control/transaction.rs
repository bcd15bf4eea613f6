//! Requests to a control unit, and the errors that reject them.

use super::message::PagePosition;
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
        /// The requester: `source` or `destination`.
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
}
