//! Errors of the copy-time models.

use alloc::string::String;

/// Reason why a copy has no time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopybackError {
    /// The part's array times include its bus cycles.
    #[error(
        "part `{part}` has no {field}: its array times include the transfer, so copy paths, which differ in \
        what they transfer, cannot be modelled; give t_rc_ns and t_wc_ns of 1 ns or more"
    )]
    NoBusCycle {
        /// Name of the part.
        part: String,
        /// The field that is 0.
        field: &'static str,
    },
    /// Direct transfers on a synchronous bus, for which they are not defined.
    #[error(
        "direct transfers (dgcb) are defined on an asynchronous bus alone, not on one of {bus_mts} MT/s; use another path"
    )]
    SynchronousBus {
        /// Transfers per second of the bus, in millions.
        bus_mts: u32,
    },
    /// A figure is outside its range.
    #[error("{field} must be {least} to {most}, not {found}")]
    Figure {
        /// The field out of range.
        field: &'static str,
        /// Its minimum.
        least: u64,
        /// Its maximum.
        most: u64,
        /// Its value.
        found: u64,
    },
    /// A page has more wrong bytes than its ECC corrects.
    #[error(
        "{found} wrong bytes per page cannot be corrected: the ECC corrects {most} bits per page; give 0 to \
        {most}"
    )]
    Uncorrectable {
        /// Requested corrected bytes.
        found: u32,
        /// The most bytes that can be corrected.
        most: u32,
    },
    /// The transaction does not consist of whole operations on all planes.
    #[error(
        "a transaction of {pages} pages is none on {planes} planes: it must be a multiple of {planes} from \
         {planes} to {most}"
    )]
    TransactionSize {
        /// Requested pages.
        pages: u32,
        /// Pages per operation.
        planes: u32,
        /// Pages of one block per plane.
        most: u32,
    },
}
