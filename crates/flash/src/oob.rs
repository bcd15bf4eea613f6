//! Out-of-band (spare) area of a page. A scheme writes it beside the user's bytes, so that it can rebuild the
//! map from flash alone.

use crate::address::Lpn;

/// Kind of a page's content, as its writer marked it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PageKind {
    /// User data; `lpn` is the logical page.
    Data = 0,
    /// Mapping metadata; `lpn` is the number of the translation page.
    Translation = 1,
    /// Anything else that a scheme keeps on flash (checkpoints, padding). The scheme defines the meaning.
    Other = 2,
}

/// OOB record of a page: the inverse map entry, its kind, and a sequence number that orders versions.
///
/// A later write has a larger `seq`, up to [`Oob::MAX_SEQ`]. A scheme with one open block may give all pages of
/// a block the same number, because program order orders them. The array then keeps it once per block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oob {
    /// Logical page (or translation page) of which the content is a version.
    pub lpn: Lpn,
    /// Kind of the content.
    pub kind: PageKind,
    /// Sequence number: order of writing.
    pub seq: u64,
}

impl Oob {
    /// Largest sequence number that an OOB area holds.
    pub const MAX_SEQ: u64 = (1 << 56) - 1;

    /// For [`Flash::copy`](crate::Flash::copy): each page keeps its own number.
    pub const KEEP_SEQ: u64 = u64::MAX;

    /// OOB record of a user-data page.
    #[inline]
    pub fn data(lpn: Lpn, seq: u64) -> Self {
        Self { lpn, kind: PageKind::Data, seq }
    }

    /// Kind and sequence number in one word. Neighbouring pages mostly share it.
    #[inline]
    pub(crate) fn stamp(self) -> u64 {
        (self.kind as u64) << 56 | self.seq
    }

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
