//! Sets `FTLKIT_SOURCES`: a hash of all sources that decide what a run measures.
//!
//! These are the crates from `flash` to `lab`, and the versions of what they are built with. Kept runs of a sweep are
//! valid for every program of the same sources: the command and the Python package go on with each other's.

use std::fs;
use std::path::{Path, PathBuf};

/// Crates that decide, beside this one in a checkout.
const CRATES: [&str; 7] = ["flash", "bounds", "ftl", "workload", "run", "report", "lab"];

fn files(path: &Path, into: &mut Vec<PathBuf>) {
    if path.is_file() {
        into.push(path.to_owned());
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        files(&entry.path(), into);
    }
}

fn main() {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut found = Vec::new();
    for name in CRATES {
        // In a package of its own this crate stands alone, and its dependencies have fixed versions.
        let folder = if name == "lab" { here.clone() } else { here.join("..").join(name) };
        for part in
            ["src", "Cargo.toml"].map(|part| folder.join(part)).iter().filter(|p| p.exists())
        {
            println!("cargo::rerun-if-changed={}", part.display());
            files(part, &mut found);
        }
    }
    let lock = here.join("../../Cargo.lock");
    if lock.is_file() {
        println!("cargo::rerun-if-changed={}", lock.display());
        found.push(lock);
    }
    found.sort();
    let mut hash = Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    for file in found {
        let name = file.strip_prefix(&here).unwrap_or(&file);
        hash.add(name.to_string_lossy().as_bytes());
        hash.add(&fs::read(&file).unwrap_or_default());
    }
    hash.add(std::env::var("CARGO_PKG_VERSION").unwrap_or_default().as_bytes());
    println!("cargo::rustc-env=FTLKIT_SOURCES={:032x}", hash.0);
}

/// FNV-1a of 128 bits: enough to tell sources apart, and without a dependency.
struct Fnv(u128);

impl Fnv {
    /// Adds a text and its length, so that no two lists of texts are the same.
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().chain(&bytes.len().to_le_bytes()) {
            self.0 = (self.0 ^ u128::from(*byte))
                .wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
}
