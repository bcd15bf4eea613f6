//! The `ftlkit` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ftlkit::main(lab::catalogue::Catalogue::default())
}
