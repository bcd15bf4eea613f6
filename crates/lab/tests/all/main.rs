//! Runs through the library, as in `compare`.

#[path = "../common/mod.rs"]
mod common;

mod accounting;
mod alone;
mod bit_errors;
mod choose_map_ram;
mod choose_queueing;
mod choose_search;
mod copy_paths;
mod extremes;
mod jobs;
mod parts_of_today;
mod planes;
mod promises;
mod read_retry;
mod refresh;
mod settings_act;
mod ssd_queueing;
mod steady;
mod task_sets;
mod warnings;
mod wear_levelling;
