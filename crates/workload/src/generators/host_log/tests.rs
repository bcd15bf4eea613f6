use crate::request::Op;
use crate::source::HostLog;
use crate::space::Space;
use crate::spec::WorkloadSpec;
use std::collections::HashMap;

const PAGE: u64 = 512;
const ZONE: u64 = 16;

/// All requests of the workload on 40 zones of 16 pages: op, page, pages, stream.
fn requests(set: &[(&str, &str)], seed: u64) -> (Vec<(Op, u64, u64, u8)>, HostLog) {
    let space =
        Space { bytes: 40 * ZONE * PAGE, page_bytes: PAGE as u32, pages_per_block: ZONE as u32 };
    let mut workload = WorkloadSpec::builtin("host-log").limited(20_000);
    for (name, value) in set {
        workload = workload.with(name, value);
    }
    let facts = workload.check(space).unwrap();
    let mut source = workload.open(space, seed, &facts).unwrap();
    let mut out = Vec::new();
    while source.fill(&mut out, 7).unwrap() > 0 {}
    assert_eq!(out.len(), 20_000);
    let pages = |bytes: u64| bytes / PAGE;
    let each = out.iter().map(|r| (r.op, pages(r.offset), pages(r.length), r.stream));
    (each.collect(), source.host_log().unwrap())
}

/// Takes the requests as a zoned device does, and refuses what it would refuse. Returns pages written and resets.
fn check(requests: &[(Op, u64, u64, u8)], most_open: usize) -> (u64, u64) {
    let mut pointers: HashMap<u64, u64> = HashMap::new();
    let (mut written, mut resets) = (0, 0);
    for (op, page, pages, _) in requests {
        let (zone, at) = (page / ZONE, page % ZONE);
        match op {
            Op::Trim => {
                assert_eq!((at, *pages), (0, ZONE), "whole zones are reset");
                pointers.insert(zone, 0);
                resets += 1;
            }
            Op::Read => {
                let end = pointers.get(&zone).copied().unwrap_or(0);
                assert!(at + pages <= end, "a page is read that was not written");
            }
            Op::Write | Op::Append => {
                let pointer =
                    pointers.get_mut(&zone).expect("a zone is reset before its first write");
                let expected = if *op == Op::Append { 0 } else { *pointer };
                assert_eq!(at, expected, "zone {zone}");
                *pointer += pages;
                assert!(*pointer <= ZONE);
                written += pages;
            }
            _ => panic!("{op:?}"),
        }
        let open = pointers.values().filter(|pointer| (1..ZONE).contains(*pointer)).count();
        assert!(open <= most_open, "{open} zones are partly written");
    }
    (written, resets)
}

#[test]
fn a_zoned_device_takes_every_request_and_the_tally_is_what_was_written() {
    for (streams, log) in [("1", "write"), ("2", "write"), ("1", "append"), ("2", "append")] {
        for theta in ["0", "0.99"] {
            let set = [("streams", streams), ("log", log), ("theta", theta), ("data", "0.85")];
            let (all, tally) = requests(&set, 3);
            let (written, resets) = check(&all, streams.parse().unwrap());
            assert_eq!(written * PAGE, tally.application_bytes + tally.moved_bytes);
            assert!(
                tally.application_bytes > 2000 * PAGE && tally.moved_bytes > 544 * PAGE,
                "{tally:?}"
            );
            // A zone is reset before its first write, and each time that it is collected.
            assert!((tally.collected_zones..=tally.collected_zones + 40).contains(&resets));
            let second = all.iter().filter(|request| request.3 == 2).map(|request| request.2);
            let moved = if streams == "2" { tally.moved_bytes / PAGE } else { 0 };
            assert_eq!(second.sum::<u64>(), moved, "moved pages have a stream of their own");
        }
    }
}

#[test]
fn less_data_cost_less() {
    let moved = |data, theta, streams| {
        let tally = requests(&[("data", data), ("theta", theta), ("streams", streams)], 1).1;
        tally.moved_bytes as f64 / tally.application_bytes as f64
    };
    assert!(moved("0.5", "0", "1") < moved("0.7", "0", "1"));
    assert!(moved("0.7", "0", "1") < moved("0.9", "0", "1"));
    assert!(moved("0.5", "0.99", "2") < moved("0.8", "0.99", "2"));
}

#[test]
fn the_application_writes_the_same_pages_in_place() {
    let (all, tally) = requests(&[("log", "no")], 5);
    assert_eq!(all.len() as u64 * PAGE, tally.application_bytes);
    assert_eq!((tally.moved_bytes, tally.collected_zones), (0, 0));
    assert!(all[..512].iter().map(|request| request.1).eq(0..512), "each page once");
    let of_log = requests(&[("log", "write")], 5).0;
    assert_eq!(of_log, requests(&[("log", "write")], 5).0, "repeats with its seed");
    assert_ne!(of_log, requests(&[("log", "write")], 6).0);
}

#[test]
fn too_much_data_and_too_large_zones_are_refused_with_what_is_right() {
    let space =
        Space { bytes: 40 * ZONE * PAGE, page_bytes: PAGE as u32, pages_per_block: ZONE as u32 };
    let error = |name: &str, value: &str| {
        WorkloadSpec::builtin("host-log").with(name, value).check(space).unwrap_err().to_string()
    };
    assert!(error("data", "0.93").contains("below 0.9250"), "{}", error("data", "0.93"));
    assert!(error("zone", "1000").contains("a multiple of a page, 512 bytes"));
    assert!(error("zone", "96KiB").contains("more than 3 zones"));
    assert!(error("data", "0").contains("above 0"));
}
