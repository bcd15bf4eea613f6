//! Tells tests which NBD clients this machine has: tests of the others are ignored, with the package that brings them.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Command, and the name of its `cfg`.
const CLIENTS: [(&str, &str); 8] = [
    ("nbdcopy", "has_nbdcopy"),
    ("nbdinfo", "has_nbdinfo"),
    ("qemu-io", "has_qemu_io"),
    ("fio", "has_fio"),
    ("nbdsh", "has_nbdsh"),
    ("nbdfuse", "has_nbdfuse"),
    ("mkfs.ext4", "has_mkfs_ext4"),
    ("sqlite3", "has_sqlite3"),
];

/// True if PostgreSQL's server and tools are where Debian puts them.
fn has_postgresql() -> bool {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    versions.map(|version| version.path().join("bin")).any(|bin| {
        ["initdb", "pgbench", "pg_amcheck"].iter().all(|command| bin.join(command).is_file())
    })
}

/// True if this machine lets this user mount file systems: root, FUSE and loop devices.
fn can_mount() -> bool {
    let devices = ["/dev/fuse", "/dev/loop-control"];
    let root = fs::metadata("/proc/self").is_ok_and(|of_this| of_this.uid() == 0);
    root && devices.iter().all(|device| Path::new(device).exists())
}

fn main() {
    println!("cargo::rerun-if-env-changed=PATH");
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    for (command, name) in CLIENTS {
        println!("cargo::rustc-check-cfg=cfg({name})");
        let places = folders.iter().map(|folder| folder.join(command));
        // Debian's packages put them here: a change there, too, runs this again.
        let system = if command.starts_with("mkfs") { "sbin" } else { "bin" };
        println!("cargo::rerun-if-changed=/usr/{system}/{command}");
        if places.into_iter().any(|place| place.is_file()) {
            println!("cargo::rustc-cfg={name}");
        }
    }
    println!("cargo::rerun-if-changed=/usr/lib/postgresql");
    for (name, is_so) in [("can_mount", can_mount()), ("has_postgresql", has_postgresql())] {
        println!("cargo::rustc-check-cfg=cfg({name})");
        if is_so {
            println!("cargo::rustc-cfg={name}");
        }
    }
}
