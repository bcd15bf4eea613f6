//! Why a promise cannot be made.

use crate::moves::move_ns;
use alloc::string::String;
use flash::{Ns, Part};

/// Why a promise cannot be made on this part and space.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoundError {
    /// Collection steps of one erase time cannot copy a page.
    #[error(
        "part `{part}`: a page copy ({copy_ns} ns) is longer than a block erase \
         ({erase_ns} ns: t_bers_ns), so no page can be copied in a step of one erase; partial collection \
         needs a part whose erase is at least as long as a copy"
    )]
    CopyLongerThanErase {
        /// The part's name.
        part: String,
        /// Page copy.
        copy_ns: Ns,
        /// Block erase.
        erase_ns: Ns,
    },
    /// A collection step of one erase time does not hold one operation.
    #[error(
        "part `{part}`: a {operation} ({ns} ns) is longer than a block erase ({erase_ns} ns: t_bers_ns), \
         so it does not fit into a collection step of one erase; partial collection needs a part whose \
         erase is the longest operation"
    )]
    OperationLongerThanErase {
        /// The part's name.
        part: String,
        /// What does not fit.
        operation: &'static str,
        /// How long it takes.
        ns: Ns,
        /// Block erase.
        erase_ns: Ns,
    },
    /// A block is too small for the writes that its own collection is spread over.
    #[error(
        "part `{part}`: a block has {pages_per_block} pages, but at {copies_per_step} page copies per step of one \
        erase (t_bers_ns / (t_r_ns + t_prog_ns)) the collection of a logical block is spread over {needed} \
        writes; use larger blocks, or a longer erase relative to a copy"
    )]
    BlockTooSmall {
        /// The part's name.
        part: String,
        /// Pages a block.
        pages_per_block: u32,
        /// Page copies that fit into a step.
        copies_per_step: u32,
        /// Pages that would do with so many copies a step.
        needed: u64,
    },
    /// Too few blocks for any logical page.
    #[error(
        "{blocks} blocks of {pages_per_block} pages are too few for any bound: at least {least} are needed"
    )]
    TooFewBlocks {
        /// Blocks asked for.
        blocks: u32,
        /// Pages a block.
        pages_per_block: u32,
        /// The fewest that work.
        least: u32,
    },
    /// More pages than a 32-bit page number names.
    #[error("{blocks} blocks of {pages_per_block} pages are more than the {} pages that a 32-bit page number can name", u32::MAX - 1)]
    TooManyPages {
        /// Blocks asked for.
        blocks: u32,
        /// Pages a block.
        pages_per_block: u32,
    },
    /// The logical space is outside what the promise covers.
    #[error(
        "{logical_pages} logical pages on {blocks} blocks of {pages_per_block} pages have no bound: ask for 1 \
        to {largest}"
    )]
    LogicalPages {
        /// Logical pages asked for.
        logical_pages: u32,
        /// Blocks of the array.
        blocks: u32,
        /// Pages a block.
        pages_per_block: u32,
        /// The most that can be promised.
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
