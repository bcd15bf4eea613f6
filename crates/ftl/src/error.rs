//! Errors of schemes.

use crate::zones::Refusal;
use alloc::string::String;
use flash::{FlashError, Lpn};

/// Reason why a scheme refuses or fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FtlError {
    /// The host addressed a page beyond the logical space.
    #[error("{lpn} is beyond the {logical_pages} logical pages")]
    BeyondDevice {
        /// The page addressed.
        lpn: Lpn,
        /// Pages exported.
        logical_pages: u32,
    },
    /// A setting cannot work; reported before anything runs.
    #[error("scheme `{scheme}`: {setting} {reason}")]
    Config {
        /// The scheme.
        scheme: &'static str,
        /// The setting at fault.
        setting: &'static str,
        /// Fault of the setting, and a value that would work.
        reason: String,
    },
    /// No scheme of this name.
    #[error("no scheme is called `{name}`; {hint}")]
    Unknown {
        /// The unknown name.
        name: String,
        /// The nearest name, or a way to list all names.
        hint: String,
    },
    /// A write found no free page: the scheme exceeded its own bound (or grown bad blocks used up the spare ones).
    #[error(
        "no free page is left: {free_pages} free pages, least valid victim holds {victim_valid} of {pages_per_block}"
    )]
    Full {
        /// Free pages left.
        free_pages: u64,
        /// Valid pages of the best victim.
        victim_valid: u32,
        /// Pages per block.
        pages_per_block: u32,
    },
    /// The array holds data that this scheme does not write.
    #[error("mount: {0}")]
    Mount(String),
    /// The command is refused. The device goes on.
    #[error("refused: {0}")]
    Refused(Refusal),
    /// The array failed.
    #[error(transparent)]
    Flash(#[from] FlashError),
}
