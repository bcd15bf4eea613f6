//! Tells tests which NBD clients this machine has: tests of the others are ignored, with the package that brings them.

use std::env;
use std::path::PathBuf;

/// Command, and the name of its `cfg`.
const CLIENTS: [(&str, &str); 4] = [
    ("nbdcopy", "has_nbdcopy"),
    ("nbdinfo", "has_nbdinfo"),
    ("qemu-io", "has_qemu_io"),
    ("fio", "has_fio"),
];

fn main() {
    println!("cargo::rerun-if-env-changed=PATH");
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    for (command, name) in CLIENTS {
        println!("cargo::rustc-check-cfg=cfg({name})");
        let places = folders.iter().map(|folder| folder.join(command));
        // Debian's packages put them here: a change there, too, runs this again.
        println!("cargo::rerun-if-changed=/usr/bin/{command}");
        if places.into_iter().any(|place| place.is_file()) {
            println!("cargo::rustc-cfg={name}");
        }
    }
}
