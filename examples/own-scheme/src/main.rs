//! The `ftlkit` command with what this crate adds.

fn main() -> std::process::ExitCode {
    ftlkit::main(own_scheme::catalogue())
}
