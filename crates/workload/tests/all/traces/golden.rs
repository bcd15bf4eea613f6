//! Counts of the captured traces.

use ftlkit_workload::{CAPTURED, TraceOptions, captured, open};
use std::collections::BTreeSet;
use std::path::Path;

/// Name, reads, writes, trims, flushes, mean KiB, footprint MiB, requests out of order.
type Golden = (&'static str, [u64; 4], f64, f64, u64);

const GOLDEN: [Golden; 8] = [
    ("sqlite-wal", [43513, 40632, 4, 15968], 12.0, 52.0, 0),
    ("sqlite-journal", [6541, 49307, 4, 18978], 11.9, 122.0, 0),
    ("postgres-pgbench", [25425, 27322, 5, 11018], 24.2, 182.2, 0),
    ("leveldb", [167, 52097, 4, 32940], 33.2, 84.1, 0),
    ("maildir", [1229, 38507, 4, 26504], 18.5, 73.4, 0),
    ("git-history", [458, 35308, 4, 15948], 24.1, 79.5, 0),
    ("rust-build", [371, 17549, 6, 144], 86.6, 420.4, 0),
    ("desktop-copies", [58057, 9628, 18290, 1119], 212.8, 313.5, 0),
];

fn rounded(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}

#[test]
fn captured_traces_give_the_known_counts() {
    assert_eq!(
        GOLDEN.map(|golden| golden.0)[..],
        CAPTURED.iter().map(|trace| trace.name).collect::<Vec<_>>()
    );
    for (name, [reads, writes, trims, flushes], kib, mib, out_of_order) in GOLDEN {
        let info = captured(name).unwrap().info().unwrap();
        let requests = ["read", "write", "trim", "flush"].map(|op| info.ops[op].requests);
        assert_eq!(requests, [reads, writes, trims, flushes], "{name}");
        let sum: u64 = info.ops.values().map(|op| op.requests).sum();
        assert_eq!(
            (info.counts.requests, info.counts.read),
            (sum, sum),
            "{name}: nothing is dropped"
        );
        assert_eq!(
            (info.format, info.counts.out_of_order, info.devices.len()),
            ("csv", out_of_order, 1),
            "{name}"
        );
        let figures = [info.mean_bytes / 1024.0, info.footprint_bytes as f64 / 1_048_576.0];
        assert_eq!(figures.map(rounded), [kib, mib], "{name}");
    }
}

#[test]
fn captured_traces_are_small_and_ask_for_what_a_file_system_asks() {
    for trace in CAPTURED {
        let (name, info) = (trace.name, trace.info().unwrap());
        assert!(trace.bytes.len() < 1_500_000, "{name}: {}", trace.bytes.len());
        let requests = |op: &str| info.ops[op].requests;
        assert!(["read", "write", "trim", "flush"].iter().all(|op| requests(op) > 0), "{name}");
        assert!(info.has_arrivals && info.warnings.is_empty(), "{name}: {:?}", info.warnings);
        // ext4 has blocks of 4 KiB; its first block is read in part.
        assert!(info.unaligned_percent < 5.0, "{name}: {}", info.unaligned_percent);
    }
    let total: usize = CAPTURED.iter().map(|trace| trace.bytes.len()).sum();
    assert!(total < 8_000_000, "the program carries all of them: {total}");
}

#[test]
fn every_file_of_a_captured_trace_is_listed_and_described_and_has_its_script() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = |folder: &str, ending: &str| -> BTreeSet<String> {
        let files = std::fs::read_dir(root.join(folder)).unwrap();
        let names = files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned());
        names.filter_map(|name| Some(name.strip_suffix(ending)?.to_owned())).collect()
    };
    let listed: BTreeSet<String> = CAPTURED.iter().map(|trace| trace.name.to_owned()).collect();
    assert_eq!(names("traces", ".csv.xz"), listed);
    assert_eq!(names("traces", ".md"), listed);
    let mut scripts = names("../../scripts/capture", ".sh");
    assert!(scripts.remove("common"));
    assert_eq!(scripts, listed);
    for trace in CAPTURED {
        let info = trace.info().unwrap();
        assert!(trace.page.starts_with(&format!("# {}\n", trace.name)), "{}", trace.name);
        // The figures in the description are those of the trace.
        let requests = info.counts.requests.to_string();
        assert!(
            trace.page.replace(',', "").contains(&format!("{requests} requests")),
            "{}",
            trace.name
        );
    }
}

#[test]
fn a_name_is_a_captured_trace_and_a_path_is_a_file() {
    let options = TraceOptions::default();
    assert!(open(Path::new("maildir"), &options).is_ok());
    assert!(open(Path::new("./maildir"), &options).is_err());
    assert!(captured("Maildir").is_none());
}
