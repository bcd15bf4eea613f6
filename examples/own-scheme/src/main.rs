//! The `ftlkit` command with three additions.

fn main() -> std::process::ExitCode {
    ftlkit::main(own_scheme::catalogue())
}
