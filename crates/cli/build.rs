//! Sets `FTLKIT_VERSION`: the version, and the commit where the sources are a git checkout. Tells tests what this machine has.

use std::path::Path;
use std::process::Command;

fn git(words: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(words).output().ok().filter(|out| out.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

/// True if a command of this name is in the path.
fn has(command: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(command).is_file())
}

/// True if tests can mount file systems on the device: as root, with FUSE, loop devices, nbdfuse and mkfs.ext4.
#[cfg(unix)]
fn can_mount() -> bool {
    use std::os::unix::fs::MetadataExt;
    let root = std::fs::metadata("/proc/self").is_ok_and(|of_this| of_this.uid() == 0);
    let devices = ["/dev/fuse", "/dev/loop-control"].iter().all(|path| Path::new(path).exists());
    root && devices && has("nbdfuse") && has("mkfs.ext4")
}

#[cfg(not(unix))]
fn can_mount() -> bool {
    false
}

fn main() {
    println!("cargo::rerun-if-env-changed=PATH");
    for path in ["/usr/bin/python3", "/usr/bin/nbdfuse", "/usr/sbin/mkfs.ext4"] {
        println!("cargo::rerun-if-changed={path}");
    }
    for (name, is_so) in [("has_python3", has("python3")), ("can_mount", can_mount())] {
        println!("cargo::rustc-check-cfg=cfg({name})");
        if is_so {
            println!("cargo::rustc-cfg={name}");
        }
    }
    println!("cargo::rerun-if-changed=Cargo.toml");
    // Grows with each commit, and with each change of the branch.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    // A package that was unpacked inside another checkout is not of its commit.
    let tracked = git(&["ls-files", "--error-unmatch", "Cargo.toml"]).is_some();
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).filter(|_| tracked);
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let commit = commit.map_or_else(String::new, |commit| format!(" ({commit})"));
    println!("cargo::rustc-env=FTLKIT_VERSION={version}{commit}");
}
