//! The commands on real traces, in the folder that `FTLKIT_TRACES` names.

use crate::common::ftlkit;
use std::path::Path;

/// Path of this trace.
fn trace(name: &str) -> String {
    let folder = std::env::var_os("FTLKIT_TRACES").expect("FTLKIT_TRACES names a folder of traces");
    let path = Path::new(&folder).join(name);
    assert!(path.exists(), "{} is not there", path.display());
    path.display().to_string()
}

#[test]
#[ignore = "needs a folder of real traces: set FTLKIT_TRACES and pass --include-ignored"]
fn lazy_rtgc_keeps_its_promise_on_a_virtual_machine() {
    let path = trace("cloudphysics-vm-2h.csv");
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
#[ignore = "needs a folder of real traces: set FTLKIT_TRACES and pass --include-ignored"]
fn formats_that_look_alike_are_told_by_name() {
    let path = trace("financial1-10k.ssdsim");
    let info = &ftlkit(["trace", "info", &path, "--json"]).json()["traces"][0];
    assert_eq!(info["format"], "ssdsim");
    assert_eq!(info["counts"]["kept"], 10_000);
    ftlkit(["compare", &path, "--addresses", "exact"]).refused(&["22", "spaces, or dense"]);
}
