//! The `ftlkit` command.

mod allocator;
mod cli;
mod commands;
mod failure;
mod interrupt;
mod output;
mod progress;

use clap::Parser;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocator::HugePages = allocator::HugePages;

fn main() -> ExitCode {
    match cli::Cli::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
