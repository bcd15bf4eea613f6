//! Lazy-RTGC over an on-demand page map (§5).
//!
//! Data and translation blocks are collected separately, each with its own threshold.
//! New mappings are written back in groups.
//!
//! Erratum: §5.2 prints N_t = σ_t × Λ_t, which gives the translation pages fewer physical pages than logical
//! ones.
//! With σ_t as the share of logical in physical translation space, N_t = Λ_t / σ_t.
//!
//! [`divide`] is the division to build on, with the table size that the bound needs.
//! [`share_max`], [`pages_written_back`] and [`cached_entries_max`] are the paper's own, for comparison.

mod areas;
mod printed;

pub use areas::{Division, LEAST_TRANSLATION_BLOCKS, divide, translation_blocks};
pub use printed::{
    ENTRY_BYTES, EVALUATION_TRANSLATION_SHARE, cached_entries_max, collection_steps,
    mean_response_ns, pages_written_back, read_ns, response_ns, share_max, translation_pages,
    translation_space_pages, translation_victim_valid, write_ns,
};
