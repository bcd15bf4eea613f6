//! The `ftlkit` command as a function: a crate with its own schemes or victim policies gets its own command with one
//! line.
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     // `.scheme(&MY_PRESET)` and `.victim(&MY_POLICY)` add one's own.
//!     ftlkit::main(ftlkit::lab::catalogue::Catalogue::default())
//! }
//! ```
//!
//! The feature `html` (on by default) makes pages. Off by default: `man` (manual pages), `papers` (`reproduce`, `copyback`),
//! `parquet` (traces, and tables of sweeps), `pictures` (plots as PDF and PNG), `tls` (of `serve`), `watch` (`serve --watch`),
//! `zstd` (traces written as .zst), and `full`, which is all of them.

mod absent;
mod cli;
mod commands;
mod failure;
mod help;
mod html;
mod interrupt;
mod output;
mod progress;
mod result_file;
mod settings;
mod snippet;
mod terminal;

// The crates whose types are in this one's: a crate that depends on it needs no other.
pub use {::flash, ::ftl, ::lab};

use clap::FromArgMatches;
use lab::catalogue::Catalogue;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: lab::allocator::HugePages = lab::allocator::HugePages;

/// What the arguments say.
enum Arguments {
    /// Print this help, or that there is none.
    Help(Result<String, failure::Failure>),
    /// Run this command.
    Command(cli::Cli),
}

fn parsed() -> Result<Arguments, clap::Error> {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(text) = help::requested(&arguments) {
        return Ok(Arguments::Help(text));
    }
    let matches = help::command().try_get_matches()?;
    cli::Cli::from_arg_matches(&matches).map(Arguments::Command)
}

/// Runs the command of the process's arguments, with these schemes and policies.
pub fn main(catalogue: Catalogue) -> ExitCode {
    let installed = catalogue.install();
    let ran = match installed {
        Err(error) => Err(failure::Failure::input(error.to_string())),
        Ok(()) => match parsed() {
            Ok(Arguments::Help(text)) => text.and_then(|text| output::text(&text)),
            Ok(Arguments::Command(cli)) => cli.command.run(),
            Err(error) => match absent::message(&error) {
                Some(absent) => Err(failure::Failure::input(absent)),
                None => error.exit(),
            },
        },
    };
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
