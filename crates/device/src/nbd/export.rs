//! What clients open, and what they have agreed on with the server.

/// What clients can open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Its name. Clients that give none get the first export.
    pub name: String,
    /// One line for clients that ask.
    pub description: String,
    /// Size, bytes.
    pub bytes: u64,
    /// Bytes per page: the preferred block size.
    pub page_bytes: u32,
    /// True if nothing may be changed.
    pub read_only: bool,
    /// Placement stream of the writes of its clients; 0: none.
    pub stream: u8,
    /// True if zeros deallocate the pages that they cover, where the client allows it
    /// ([`BlockDevice::deallocates`](crate::BlockDevice::deallocates)).
    pub deallocates: bool,
}

impl Export {
    /// Flags of the transmission phase. One thread does all requests in order, so a flush covers what any connection has
    /// completed before: several connections are allowed.
    pub(super) fn flags(&self) -> u16 {
        let read = flags::HAS_FLAGS | flags::SEND_FLUSH | flags::SEND_DF | flags::CAN_MULTI_CONN;
        if self.read_only {
            return read | flags::READ_ONLY;
        }
        let zeroes = flags::SEND_WRITE_ZEROES | flags::SEND_FAST_ZERO;
        read | flags::SEND_FUA | flags::SEND_TRIM | zeroes
    }

    /// True if a range of bytes is of whole pages.
    pub(super) fn whole_pages(&self, offset: u64, length: u32) -> bool {
        offset.is_multiple_of(self.page_bytes.into()) && length.is_multiple_of(self.page_bytes)
    }
}

/// What a client and the server have agreed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Index of the export.
    pub export: usize,
    /// True if replies are structured.
    pub structured: bool,
    /// True if block status gives `base:allocation`.
    pub allocation: bool,
}

mod flags {
    //! Transmission flags of an export.
    pub(super) const HAS_FLAGS: u16 = 1;
    pub(super) const READ_ONLY: u16 = 1 << 1;
    pub(super) const SEND_FLUSH: u16 = 1 << 2;
    pub(super) const SEND_FUA: u16 = 1 << 3;
    pub(super) const SEND_TRIM: u16 = 1 << 5;
    pub(super) const SEND_WRITE_ZEROES: u16 = 1 << 6;
    pub(super) const SEND_DF: u16 = 1 << 7;
    pub(super) const CAN_MULTI_CONN: u16 = 1 << 8;
    pub(super) const SEND_FAST_ZERO: u16 = 1 << 11;
}
