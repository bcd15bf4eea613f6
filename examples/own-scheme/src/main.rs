//! The `ftlkit` command with the three additions.

fn main() -> std::process::ExitCode {
    ftlkit::main(own_scheme::catalogue())
}
