//! The out-of-band (spare) area of a page: what a scheme writes beside the user's bytes, so that the
//! map can be rebuilt from flash alone.

use crate::address::Lpn;

/// What a page holds, as its writer marked it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PageKind {
    /// User data; `lpn` is the logical page.
    Data = 0,
    /// Mapping metadata; `lpn` is the translation page's number.
    Translation = 1,
    /// Anything else a scheme keeps on flash (checkpoints, padding); meaning is the scheme's own.
    Other = 2,
}

/// A page's OOB record: the inverse map entry, its kind, and a sequence number that orders versions.
///
/// `seq` grows with the age of writing (at most [`Oob::MAX_SEQ`]). A scheme with one open block may give all
/// pages of a block the same number (order within the block is program order); the array then keeps it
/// once a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oob {
    /// Logical page (or translation page) that these bytes are a version of.
    pub lpn: Lpn,
    /// What the page holds.
    pub kind: PageKind,
    /// Order of writing.
    pub seq: u64,
}

impl Oob {
    /// The largest sequence number that an OOB holds.
    pub const MAX_SEQ: u64 = (1 << 56) - 1;

    /// For [`Flash::copy`](crate::Flash::copy): each page keeps its own number.
    pub const KEEP_SEQ: u64 = u64::MAX;

    /// A user-data page.
    #[inline]
    pub fn data(lpn: Lpn, seq: u64) -> Self {
        Self { lpn, kind: PageKind::Data, seq }
    }

    /// Kind and sequence in one word: the part that neighbouring pages mostly share.
    #[inline]
    pub(crate) fn stamp(self) -> u64 {
        (self.kind as u64) << 56 | self.seq
    }

    /// Inverse of [`Oob::stamp`].
    #[inline]
    pub(crate) fn from_stamp(lpn: u32, stamp: u64) -> Self {
        let kind = match stamp >> 56 {
            0 => PageKind::Data,
            1 => PageKind::Translation,
            _ => PageKind::Other,
        };
        Self { lpn: Lpn(lpn), kind, seq: stamp & Self::MAX_SEQ }
    }
}
