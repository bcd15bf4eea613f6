//! The commands on real traces, if present: in the folder that `FTLKIT_TRACES` names, otherwise in a default folder
//! beside the workspace.

use crate::common::ftlkit;
use std::path::PathBuf;

/// Path of this trace; prints a note and returns `None` if it is missing.
fn trace(name: &str) -> Option<String> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/traces");
    let folder = std::env::var_os("FTLKIT_TRACES").map_or_else(beside, PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path.display().to_string());
    }
    println!("skipped: {} is not there", path.display());
    None
}

#[test]
fn lazy_rtgc_keeps_its_promise_on_a_virtual_machine() {
    let Some(path) = trace("cloudphysics-vm-2h.csv") else { return };
    let report = ftlkit(["compare", &path, "--json"]).json();
    let counts = &report["workload"]["trace"]["counts"];
    assert_eq!((&counts["read"], &counts["kept"]), (&113_872.into(), &113_872.into()));
    let schemes = report["schemes"].as_array().expect("a list");
    assert!(schemes.iter().all(|scheme| scheme["violations"] == 0));
    assert!(schemes.iter().all(|scheme| scheme["requests"] == 113_872));
    let longest = |at: usize| schemes[at]["response_ns"]["max"].as_u64().expect("a time");
    assert!(longest(0) > 10_000_000, "page-level: {}", longest(0));
    assert_eq!(longest(2), 2_220_900);
}

#[test]
fn formats_that_look_alike_are_told_by_name() {
    let Some(path) = trace("financial1-10k.ssdsim") else { return };
    let info = &ftlkit(["trace", "info", &path, "--json"]).json()["traces"][0];
    assert_eq!(info["format"], "ssdsim");
    assert_eq!(info["counts"]["kept"], 10_000);
    ftlkit(["compare", &path, "--addresses", "exact"]).refused(&["22", "spaces, or dense"]);
}
