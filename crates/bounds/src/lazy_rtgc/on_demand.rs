//! Lazy-RTGC over a page map on demand (§5): data and translation blocks collected apart, each within its
//! own threshold, and new mappings written back in groups.
//!
//! Erratum: §5.2 prints N_t = σ_t × Λ_t, which gives the translation pages fewer physical pages than
//! logical ones; with σ_t the share of logical in physical translation space it is N_t = Λ_t / σ_t.
//!
//! [`divide`] is the division to build on, with the table that the promise needs; [`share_max`],
//! [`pages_written_back`] and [`cached_entries_max`] are the paper's own, for comparison.

mod division;
mod printed;

pub use division::{Division, LEAST_TRANSLATION_BLOCKS, divide, translation_blocks};
pub use printed::{
    ENTRY_BYTES, EVALUATION_TRANSLATION_SHARE, cached_entries_max, collection_steps,
    mean_response_ns, pages_written_back, read_ns, response_ns, share_max, translation_pages,
    translation_space_pages, translation_victim_valid, write_ns,
};
