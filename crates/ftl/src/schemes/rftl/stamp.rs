//! Sequence numbers of blocks.
//!
//! ```text
//! bits   40       1      15
//!     +--------+------+----------+
//!     | number | role | boundary |
//!     +--------+------+----------+
//! number    of blocks opened so far; copies have that of the buffer of their collection
//! role      1 data block or buffer; 0 copies
//! boundary  of copies: pages that the buffer held when the collection began
//! ```
//!
//! So a replacement sorts before the buffer of its collection and after all older blocks.

const BOUNDARY_BITS: u32 = 15;
const WRITES: u64 = 1 << BOUNDARY_BITS;

/// The sequence number of a data block or buffer.
#[inline]
pub(super) fn of_writes(number: u64) -> u64 {
    number << (BOUNDARY_BITS + 1) | WRITES
}

/// The sequence number of copies that replace a data block and the first `boundary` pages of the buffer with this
/// number.
#[inline]
pub(super) fn of_copies(number: u64, boundary: u16) -> u64 {
    number << (BOUNDARY_BITS + 1) | u64::from(boundary)
}

/// The number of a block.
#[inline]
pub(super) fn number(seq: u64) -> u64 {
    seq >> (BOUNDARY_BITS + 1)
}

/// The boundary if the block holds copies; `None` for a data block or buffer.
pub(super) fn boundary(seq: u64) -> Option<u32> {
    (seq & WRITES == 0).then_some((seq & (WRITES - 1)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Most pages per block whose count fits the boundary.
    const MOST_PAGES: u32 = (1 << BOUNDARY_BITS) - 1;

    #[test]
    fn copies_sort_between_the_older_blocks_and_their_buffer() {
        let (older, copies, buffer) = (of_writes(6), of_copies(7, MOST_PAGES as u16), of_writes(7));
        assert!(older < of_copies(7, 0) && of_copies(7, 0) < copies && copies < buffer);
        assert_eq!((number(copies), number(buffer)), (7, 7));
        assert_eq!((boundary(copies), boundary(buffer)), (Some(MOST_PAGES), None));
        const { assert!(super::super::MOST_PAGES <= MOST_PAGES) };
        assert_eq!(flash::Oob::MAX_SEQ, of_writes((1 << 40) - 1) | u64::from(MOST_PAGES));
    }
}
