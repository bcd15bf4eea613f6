//! The commands on captured traces.

use crate::common::{Scratch, ftlkit};
use workload::CAPTURED;

#[test]
fn a_reproduction_has_rows_on_the_traces_of_a_folder() {
    let folder = Scratch::new("folder-of-traces");
    for name in ["financial1-as-maildir.csv", "websearch1-as-leveldb.csv", "another.csv"] {
        let from = if name.contains("leveldb") { "leveldb" } else { "maildir" };
        ftlkit(["trace", "convert", from, &folder.at("all.csv"), "-q", "--force"]).ok();
        let all = std::fs::read_to_string(folder.at("all.csv")).expect("text");
        let first: Vec<&str> = all.lines().take(4000).collect();
        folder.file(name, first.join("\n") + "\n");
    }
    let folder = folder.path().display().to_string();
    let words = ["reproduce", "lazy-rtgc", "--only", "fig-8", "--traces", &folder, "--json", "-q"];
    let found = ftlkit(words).json();
    let rows = found["sections"][0]["rows"].as_array().expect("a list");
    let hits = |begins: &str| {
        let what = |row: &&serde_json::Value| row["what"].as_str().unwrap().starts_with(begins);
        let row = rows.iter().find(what).unwrap_or_else(|| panic!("no row {begins}"));
        row["ours"].as_f64().expect("a figure")
    };
    let lowest = "lowest hit ratio of the five sizes, financial1-as-maildir.csv, cmt_evict=reads";
    let highest = "highest hit ratio of the five sizes, websearch1-as-leveldb.csv, cmt_evict=reads";
    // The heads' own LRU hit ratios: the traces are part of the program, so these never change.
    assert!((hits(lowest) - 3.1).abs() < 0.05, "{}", hits(lowest));
    assert!((hits(highest) - 72.8).abs() < 0.05, "{}", hits(highest));
    assert!(rows.iter().all(|row| !row["what"].as_str().unwrap().contains("another.csv")));
}

#[test]
fn a_folder_of_traces_that_is_not_there_is_refused_at_once() {
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
fn bounds_are_kept_on_every_captured_trace() {
    for trace in CAPTURED {
        let name = trace.name;
        let report = ftlkit(["compare", name, "--json"]).json();
        let counts = &report["workload"]["trace"]["counts"];
        let requests = trace.info().expect("a sound trace").counts.requests;
        assert_eq!(
            (&counts["read"], &counts["kept"]),
            (&requests.into(), &requests.into()),
            "{name}"
        );
        let given = report["workload"]["requests"].as_u64().expect("a count");
        let schemes = report["schemes"].as_array().expect("a list");
        assert_eq!(schemes.len(), 3, "{name}");
        for scheme in schemes {
            assert_eq!(
                (&scheme["violations"], &scheme["requests"]),
                (&0.into(), &given.into()),
                "{name}"
            );
        }
        // Where small writes make collection copy, a whole victim takes long; one step of a real-time collector never does.
        let longest = |at: usize| schemes[at]["response_ns"]["max"].as_u64().expect("a time");
        let copies = !["rust-build", "desktop-copies"].contains(&name);
        assert_eq!(longest(0) > 6_000_000, copies, "{name}: page-level: {}", longest(0));
        assert_eq!(longest(2), 2_220_900, "{name}");
    }
}

#[test]
fn a_captured_trace_is_run_by_its_name_and_its_experiment_from_anywhere() {
    let scratch = Scratch::new("captured");
    let file = scratch.at("my.toml");
    let toml = ftlkit(["compare", "maildir", "--requests", "500", "--dry-run"]).ok();
    assert!(toml.contains("trace = \"maildir\""), "{toml}");
    std::fs::write(&file, toml).unwrap();
    let run = ftlkit(["run", &file, "--json"]).json();
    // Trims of what is never written are left out.
    let given = run["workload"]["requests"].as_u64().expect("a count");
    assert!((490..=500).contains(&given), "{given}");
    // A file of that name is a file.
    std::fs::write(scratch.at("maildir"), "op,offset_bytes,length_bytes\nwrite,0,4096\n").unwrap();
    let run = ftlkit(["compare", &scratch.at("maildir"), "--json"]).json();
    assert_eq!(run["workload"]["requests"], 1);
}

#[test]
fn traces_are_listed_with_their_figures() {
    let table = ftlkit(["list", "traces"]).ok();
    let list = ftlkit(["list", "traces", "--json"]).json();
    for (trace, row) in CAPTURED.iter().zip(list["traces"].as_array().expect("a list")) {
        let requests = row["info"]["counts"]["requests"].as_u64().expect("a count");
        let line = table.lines().find(|line| line.starts_with(trace.name)).expect("a row");
        assert!(line.contains(&requests.to_string()), "{line}");
        assert_eq!(ftlkit(["list", "traces", trace.name]).ok(), trace.page);
    }
}
