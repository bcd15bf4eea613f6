//! Why a copy cannot be timed.

use alloc::string::String;

/// Why no time can be given for a copy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopybackError {
    /// The part's bus cycles are contained in its array times.
    #[error(
        "part `{part}` has no {field}: its array times include the transfer, so copy paths, which differ in \
        what they transfer, cannot be modelled; give t_rc_ns and t_wc_ns of 1 ns or more"
    )]
    NoBusCycle {
        /// The part's name.
        part: String,
        /// The field that is 0.
        field: &'static str,
    },
    /// A figure is outside its range.
    #[error("{field} must be {least} to {most}, not {found}")]
    Figure {
        /// The field at fault.
        field: &'static str,
        /// The least it may be.
        least: u64,
        /// The most it may be.
        most: u64,
        /// What it was.
        found: u64,
    },
    /// More bytes of a page are wrong than its ECC corrects.
    #[error(
        "{found} wrong bytes per page cannot be corrected: the ECC corrects {most} bits per page; give 0 to \
        {most}"
    )]
    Uncorrectable {
        /// Bytes asked for.
        found: u32,
        /// The most that can be corrected.
        most: u32,
    },
    /// A transaction that does not consist of whole operations on all planes.
    #[error(
        "a transaction of {pages} pages is none on {planes} planes: it must be a multiple of {planes} from \
         {planes} to {most}"
    )]
    TransactionSize {
        /// Pages asked for.
        pages: u32,
        /// Pages an operation.
        planes: u32,
        /// Pages of one block on every plane.
        most: u32,
    },
}
