//! Errors for parts and spaces that have no bound.

use crate::moves::move_ns;
use alloc::string::String;
use flash::{Ns, Part};

/// Reason why no bound exists on this part and space.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoundError {
    /// No page copy fits into a collection step of one erase time.
    #[error(
        "part `{part}`: a page copy ({copy_ns} ns) is longer than a block erase \
         ({erase_ns} ns: t_bers_ns), so no page can be copied in a step of one erase; partial collection \
         needs a part whose erase is at least as long as a copy"
    )]
    CopyLongerThanErase {
        /// Name of the part.
        part: String,
        /// Time of one page copy.
        copy_ns: Ns,
        /// Time of one block erase.
        erase_ns: Ns,
    },
    /// One operation does not fit into a collection step of one erase time.
    #[error(
        "part `{part}`: a {operation} ({ns} ns) is longer than a block erase ({erase_ns} ns: t_bers_ns), \
         so it does not fit into a collection step of one erase; partial collection needs a part whose \
         erase is the longest operation"
    )]
    OperationLongerThanErase {
        /// Name of the part.
        part: String,
        /// The operation that does not fit.
        operation: &'static str,
        /// Time of that operation.
        ns: Ns,
        /// Time of one block erase.
        erase_ns: Ns,
    },
    /// A block has fewer pages than the writes over which its own collection is spread.
    #[error(
        "part `{part}`: a block has {pages_per_block} pages, but at {copies_per_step} page copies per step of one \
        erase (t_bers_ns / (t_r_ns + t_prog_ns)) the collection of a logical block is spread over {needed} \
        writes; use larger blocks, or a longer erase relative to a copy"
    )]
    BlockTooSmall {
        /// Name of the part.
        part: String,
        /// Pages per block.
        pages_per_block: u32,
        /// Page copies that fit into one step.
        copies_per_step: u32,
        /// Pages per block needed at this number of copies per step.
        needed: u64,
    },
    /// Too few blocks for any logical page.
    #[error(
        "{blocks} blocks of {pages_per_block} pages are too few for any bound: at least {least} are needed"
    )]
    TooFewBlocks {
        /// Requested blocks.
        blocks: u32,
        /// Pages per block.
        pages_per_block: u32,
        /// The fewest blocks that work.
        least: u32,
    },
    /// More pages than 32-bit page numbers can address.
    #[error("{blocks} blocks of {pages_per_block} pages are more than the {} pages that a 32-bit page number can name", u32::MAX - 1)]
    TooManyPages {
        /// Requested blocks.
        blocks: u32,
        /// Pages per block.
        pages_per_block: u32,
    },
    /// The logical space is outside the range that the bound covers.
    #[error(
        "{logical_pages} logical pages on {blocks} blocks of {pages_per_block} pages have no bound: ask for 1 \
        to {largest}"
    )]
    LogicalPages {
        /// Requested logical pages.
        logical_pages: u32,
        /// Blocks of the array.
        blocks: u32,
        /// Pages per block.
        pages_per_block: u32,
        /// The most logical pages that have a bound.
        largest: u32,
    },
}

impl BoundError {
    pub(crate) fn copy_longer_than_erase(part: &Part) -> Self {
        Self::CopyLongerThanErase {
            part: part.name.clone().into_owned(),
            copy_ns: move_ns(part),
            erase_ns: part.t_bers_ns,
        }
    }
}
