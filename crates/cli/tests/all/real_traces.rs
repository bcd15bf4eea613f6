//! The commands on real traces, in the folder that `FTLKIT_TRACES` names.

use crate::common::{Scratch, ftlkit};
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
fn a_reproduction_has_rows_on_real_traces() {
    let folder = std::env::var("FTLKIT_TRACES").expect("FTLKIT_TRACES names a folder of traces");
    let words = ["reproduce", "lazy-rtgc", "--only", "fig-8", "--traces", &folder, "--json", "-q"];
    let found = ftlkit(words).json();
    let rows = found["sections"][0]["rows"].as_array().expect("a list");
    let row = |begins: &str| {
        let what = |row: &&serde_json::Value| row["what"].as_str().unwrap().starts_with(begins);
        rows.iter().find(what).unwrap_or_else(|| panic!("no row {begins}"))["ours"].as_f64()
    };
    // The heads' own LRU hit ratios.
    let lowest = "lowest hit ratio of the five sizes, financial1-10k.ssdsim, cmt_evict=reads";
    assert!((row(lowest).unwrap() - 56.8).abs() < 0.1);
    let highest = "highest hit ratio of the five sizes, websearch1-25k.mqsim, cmt_evict=reads";
    assert!((row(highest).unwrap() - 0.3).abs() < 0.05);
}

#[test]
fn a_folder_of_traces_that_is_not_there_is_refused_at_once() {
    let words = ["reproduce", "lazy-rtgc", "--only", "fig-8", "--traces", "/no-such-folder"];
    ftlkit(words).refused(&["--traces /no-such-folder"]);
    let empty = Scratch::new("folder-without-traces");
    let folder = empty.path().display().to_string();
    ftlkit(["reproduce", "lazy-rtgc", "--traces", &folder])
        .refused(&["no file in it has a name that begins with websearch1"]);
    for words in [&["reproduce", "gftl"][..], &["reproduce", "lazy-rtgc", "--only", "table-1"]] {
        ftlkit(words.iter().copied().chain(["--traces", &folder]))
            .refused(&["`lazy-rtgc --only fig-8` does"]);
    }
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
