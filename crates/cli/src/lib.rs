//! The `ftlkit` command as a function: a crate with its own schemes or victim policies gets its own command with one
//! line.
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     // `.scheme(&MY_PRESET)` and `.victim(&MY_POLICY)` add one's own.
//!     ftlkit::main(sim::catalogue::Catalogue::default())
//! }
//! ```
//!
//! Feature `parquet` (on by default) reads traces, and writes the tables of sweeps, as Apache Parquet.

mod cli;
mod commands;
mod failure;
mod html;
mod interrupt;
mod output;
mod progress;
mod result_file;
mod snippet;

use clap::Parser;
use sim::catalogue::Catalogue;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: sim::allocator::HugePages = sim::allocator::HugePages;

/// Runs the command of the process's arguments, with these schemes and policies.
pub fn main(catalogue: Catalogue) -> ExitCode {
    let installed = catalogue.install();
    let ran = match installed {
        Err(error) => Err(failure::Failure::input(error.to_string())),
        Ok(()) => cli::Cli::parse().command.run(),
    };
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
