//! Builds nothing: cargo ignores build-dependencies of a package without a build script.

fn main() {}
