//! The `ftlkit` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ftlkit::main(sim::catalogue::Catalogue::default())
}
