//! Ctrl-C and closed pipes.

use crate::common::{command, ran};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A run that would take hours without the signal.
const LONG: &str = "compare uniform --capacity 64MiB --schemes lazy-rtgc --requests 100000000000";

fn start(line: &str) -> Child {
    let mut command = command();
    command.args(line.split_whitespace());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("ftlkit starts")
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
}

#[test]
fn ctrl_c_prints_what_was_measured() {
    let started = Instant::now();
    let child = start(&format!("{LONG} --json"));
    std::thread::sleep(Duration::from_secs(1));
    interrupt(&child);
    let done = ran(child.wait_with_output().expect("it ends"));
    assert!(started.elapsed() < Duration::from_secs(30));
    assert_eq!(done.code, Some(130), "{}", done.stderr);
    assert!(done.stderr.contains("the figures so far follow"), "{}", done.stderr);
    let report: serde_json::Value = serde_json::from_str(&done.stdout).expect("one JSON object");
    assert_eq!(report["interrupted"], true);
    let scheme = &report["schemes"][0];
    let tasks = scheme["tasks"].as_u64().expect("a count");
    assert!(tasks > 0 && tasks < 100_000_000_000);
    assert_eq!(scheme["response_ns"]["count"], tasks);
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
