//! Addresses modulo the space.

use crate::policy::mapped::Mapped;
use crate::request::Request;

/// Modulo the whole pages of a space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrap {
    /// Bytes, a multiple of the page.
    pub(crate) bytes: u64,
}

impl Wrap {
    /// Where a request goes; one that reaches around the end is two. Of one longer than the space, every byte
    /// is asked for once: reads and writes as long as that are refused before, trims are not.
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
