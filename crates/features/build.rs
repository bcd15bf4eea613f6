//! Nothing to build: without a build script cargo passes build-dependencies over.

fn main() {}
