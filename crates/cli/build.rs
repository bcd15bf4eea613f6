//! Sets `FTLKIT_VERSION`: the version, and the commit where the sources are a git checkout.

use std::process::Command;

fn git(words: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(words).output().ok().filter(|out| out.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

fn main() {
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
