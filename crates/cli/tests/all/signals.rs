//! Ctrl-C and closed pipes.

use crate::common::{Ran, command, interrupted, ran};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// A run that would take ages without the signal: of the most requests that can be counted.
const LONG: &str =
    "compare uniform --capacity 64MiB --schemes lazy-rtgc --requests 18446744073709551615";

fn start(line: &str) -> Child {
    let mut command = command();
    command.args(line.split_whitespace());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("ftlkit starts")
}

#[test]
fn ctrl_c_prints_what_was_measured() {
    let tasks = |report: &serde_json::Value| report["schemes"][0]["tasks"].as_u64().unwrap_or(0);
    let report = |done: &Ran| serde_json::from_str(&done.stdout).unwrap_or_default();
    let words: Vec<&str> = LONG.split_whitespace().chain(["--json"]).collect();
    let done = interrupted("-INT", &words, |done| tasks(&report(done)) > 0);
    let report = report(&done);
    assert_eq!(done.code, Some(130), "{}", done.stderr);
    assert!(done.stderr.contains("the figures so far follow"), "{}", done.stderr);
    assert_eq!(report["interrupted"], true);
    let tasks = tasks(&report);
    assert!(tasks < 100_000_000_000);
    assert_eq!(report["schemes"][0]["response_ns"]["count"], tasks);
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut child = start("list workloads");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));

    let mut child = start("completions bash");
    let mut first = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut first).expect("a line");
    let done = ran(child.wait_with_output().expect("it ends"));
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
}
