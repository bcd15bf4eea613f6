//! Counts of real traces.

use crate::common::real_trace;
use ftlkit_workload::{TraceInfo, TraceOptions, open};

/// File, format, requests, % writes, mean KiB, footprint MiB, devices, requests out of order.
type Golden = (&'static str, &'static str, u64, f64, f64, f64, usize, u64);

const GOLDEN: [Golden; 8] = [
    ("financial1-10k.ssdsim", "ssdsim", 10_000, 59.2, 5.4, 28.6, 22, 0),
    ("websearch1-25k.mqsim", "mqsim", 24_783, 0.0, 15.1, 363.4, 6, 0),
    ("tpcc-7k.mqsim", "mqsim", 6_999, 37.4, 8.3, 80.0, 16, 0),
    ("cloudphysics-vm-2h.csv", "cloudphysics", 113_872, 58.7, 36.1, 1051.6, 1, 0),
    ("ms-dtrs-127k.ssdsim", "ssdsim", 127_043, 11.0, 55.3, 4969.8, 1, 0),
    ("ycsb-ext4.blkparse", "blkparse", 9_886, 8.6, 128.4, 1238.8, 1, 824),
    ("msr-hm-1k.csv", "msr", 1_000, 49.2, 9.5, 7.5, 1, 0),
    ("fiu-mail-10k.fiu", "fiu", 9_997, 11.0, 4.0, 35.9, 1, 0),
];

fn gather(name: &str) -> TraceInfo {
    let reader = open(&real_trace(name), &TraceOptions::default()).expect(name);
    TraceInfo::gather(reader, |_| true).expect(name)
}

fn rounded(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}

#[test]
#[ignore = "needs a folder of real traces: set FTLKIT_TRACES and pass --include-ignored"]
fn real_traces_give_the_known_counts() {
    for (name, format, requests, writes, kib, mib, devices, out_of_order) in GOLDEN {
        let info = gather(name);
        assert_eq!(info.format, format, "{name}");
        assert_eq!(info.counts.requests, requests, "{name}");
        assert_eq!(info.counts.out_of_order, out_of_order, "{name}");
        assert_eq!(info.devices.len(), devices, "{name}");
        let found = [
            rounded(info.write_percent),
            rounded(info.mean_bytes / 1024.0),
            rounded(info.footprint_bytes as f64 / 1_048_576.0),
        ];
        assert_eq!(found, [writes, kib, mib], "{name}");
    }
}

#[test]
#[ignore = "needs a folder of real traces: set FTLKIT_TRACES and pass --include-ignored"]
fn the_virtual_machine_is_mostly_unaligned() {
    let info = gather("cloudphysics-vm-2h.csv");
    // 80 % of the offsets are 7 sectors beyond a multiple of 4 KiB (the partition starts at sector 63).
    assert_eq!(info.unaligned_offset_percent.round(), 99.0);
    // The file has whole seconds; the last request is spread within the last one.
    assert_eq!(info.duration_ns / 1_000_000_000, 7200);
    assert!(info.notes.iter().any(|note| note.contains("spread evenly")));
}

#[test]
#[ignore = "needs a folder of real traces: set FTLKIT_TRACES and pass --include-ignored"]
fn the_block_trace_loses_one_stray_time_stamp_and_nothing_else() {
    let info = gather("ycsb-ext4.blkparse");
    let dropped: Vec<_> = info.counts.dropped.into_iter().collect();
    assert_eq!(dropped, [("event of another action", 19_775), ("stray time stamp", 1)]);
    assert_eq!(info.duration_ns, 810_379_690_811);
}
