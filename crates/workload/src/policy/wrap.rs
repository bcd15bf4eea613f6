//! Addresses modulo the space.

use crate::policy::mapped::Mapped;
use crate::request::Request;

/// Addresses modulo the whole pages of a space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrap {
    /// Bytes, a multiple of the page size.
    pub(crate) bytes: u64,
}

impl Wrap {
    /// Maps a request; one that reaches past the end is split in two.
    ///
    /// A request longer than the space covers every byte once. Only trims can be that long: such reads and
    /// writes are refused earlier.
    #[inline]
    pub(crate) fn map(&self, request: &Request) -> Mapped {
        if request.length > self.bytes {
            return Mapped::Cut(Request { offset: 0, length: self.bytes, ..*request });
        }
        let offset = request.offset % self.bytes;
        let to_end = self.bytes - offset;
        if request.length <= to_end {
            return Mapped::One(Request { offset, ..*request });
        }
        let front = Request { offset, length: to_end, ..*request };
        Mapped::Two(front, Request { offset: 0, length: request.length - to_end, ..*request })
    }
}
