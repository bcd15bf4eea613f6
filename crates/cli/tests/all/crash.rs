//! The server is killed at random while a client writes; the long run is `scripts/crash_test.py` itself.

use std::path::Path;
use std::process::Command;

/// Runs the crash test; returns what it printed.
fn crash_test(arguments: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/crash_test.py");
    let folder = if Path::new("/dev/shm").exists() { "/dev/shm" } else { "/tmp" };
    let ran = Command::new("python3")
        .arg(script)
        .args(["--ftlkit", env!("CARGO_BIN_EXE_ftlkit"), "--folder", folder])
        .args(arguments)
        .output()
        .expect("python3 starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let out = text(&ran.stdout) + &text(&ran.stderr);
    assert!(ran.status.success(), "{out}");
    out
}

/// Records that were durable, of each scheme: the third word of its row, if nothing was lost or corrupt.
fn records(out: &str) -> Vec<u64> {
    let sound = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [_, _, records, "0", "0"] => records.parse().ok(),
            _ => None,
        }
    };
    out.lines().filter_map(sound).collect()
}

#[test]
#[cfg_attr(not(has_python3), ignore = "needs python3 (Debian: python3)")]
fn what_was_answered_outlives_kills_of_the_server() {
    let schemes = "lazy-rtgc,fast,gftl-priority,page-level+buffer=lru+buffer_size=256KiB";
    let short = ["--level", "block", "--kills", "12", "--capacity", "8MiB", "--answers", "150"];
    let out = crash_test(&[&short[..], &["--scheme", schemes]].concat());
    let found = records(&out);
    assert!(found.len() == 4 && found.iter().all(|records| *records > 200), "{out}");
}

#[test]
#[cfg_attr(
    not(all(has_python3, can_mount)),
    ignore = "needs python3 (Debian: python3), root, FUSE, loop devices, nbdfuse (libnbd-bin), mkfs.ext4 (e2fsprogs)"
)]
fn what_was_synced_on_ext4_outlives_kills_of_the_server() {
    let out = crash_test(&["--level", "ext4", "--kills", "3", "--scheme", "lazy-rtgc"]);
    assert!(records(&out).len() == 1, "{out}");
}
