//! What a scheme may refuse or fail at.

use alloc::string::String;
use flash::{FlashError, Lpn};

/// Why a scheme cannot do what it is asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FtlError {
    /// The host addressed a page beyond the logical space.
    #[error("{lpn} is beyond the {logical_pages} logical pages")]
    BeyondDevice {
        /// The page.
        lpn: Lpn,
        /// Pages exported.
        logical_pages: u32,
    },
    /// The setting cannot work; found before anything is run.
    #[error("scheme `{scheme}`: {setting} {reason}")]
    Config {
        /// The scheme.
        scheme: &'static str,
        /// The setting at fault.
        setting: &'static str,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// No scheme of this name.
    #[error("no scheme is called `{name}`; {hint}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The nearest name, or how to list them.
        hint: String,
    },
    /// A write found no free page: the scheme's own promise is broken (or spare blocks are used up by
    /// blocks gone bad).
    #[error(
        "no free page is left: {free_pages} free pages, least valid victim holds {victim_valid} of {pages_per_block}"
    )]
    Full {
        /// Free pages left.
        free_pages: u64,
        /// Valid pages of the best victim.
        victim_valid: u32,
        /// Pages of a block.
        pages_per_block: u32,
    },
    /// What is on flash is not what this scheme writes.
    #[error("mount: {0}")]
    Mount(String),
    /// The flash below failed.
    #[error(transparent)]
    Flash(#[from] FlashError),
}
