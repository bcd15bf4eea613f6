//! Workloads that show where pages go: streams, their places, and what is trimmed.

use crate::common::take;
use ftlkit_workload::{Op, Request, Space, WorkloadSpec};
use std::collections::{BTreeMap, BTreeSet};

const PAGE: u64 = 4096;
const MIB: u64 = 1 << 20;

fn space(bytes: u64) -> Space {
    Space { bytes, page_bytes: PAGE as u32, pages_per_block: 64 }
}

/// Bytes written per stream.
fn written(requests: &[Request]) -> BTreeMap<u8, u64> {
    let mut written = BTreeMap::new();
    for request in requests.iter().filter(|request| request.op == Op::Write) {
        *written.entry(request.stream).or_default() += request.length;
    }
    written
}

fn refused(spec: WorkloadSpec, space: Space) -> String {
    spec.check(space).unwrap_err().to_string()
}

#[test]
fn a_cache_writes_buckets_at_random_and_regions_in_order() {
    let spec = WorkloadSpec::builtin("flash-cache")
        .with("small_space", 0.1)
        .with("small_writes", 0.3)
        .with("region", "1MiB")
        .with("large", "96k")
        .limited(200_000);
    let requests = take(&spec, space(100 * MIB), 1);
    let bytes = written(&requests);
    let share = bytes[&1] as f64 / (bytes[&1] + bytes[&2]) as f64;
    assert!((share - 0.3).abs() < 0.01, "{share}");
    let mut next = 0;
    for request in &requests {
        if request.stream == 1 {
            assert!(request.offset >= 90 * MIB && request.length == PAGE);
            continue;
        }
        assert_eq!(request.offset, next);
        let end = request.offset + request.length;
        assert_eq!(request.offset / MIB, (end - 1) / MIB, "a write crosses two regions");
        next = end % (90 * MIB);
    }
    let buckets: BTreeSet<_> =
        requests.iter().filter(|r| r.stream == 1).map(|r| r.offset).collect();
    assert_eq!(buckets.len() as u64, 10 * MIB / PAGE, "every bucket is written");
    let none = WorkloadSpec::builtin("flash-cache").with("small_writes", 1).limited(1000);
    assert_eq!(written(&take(&none, space(MIB), 1)).into_keys().collect::<Vec<_>>(), [1]);
    let error = refused(WorkloadSpec::builtin("flash-cache"), space(MIB));
    assert!(error.contains("region must be such that regions fit"), "{error}");
}

#[test]
fn three_writers_keep_to_their_parts_and_shares() {
    let spec = WorkloadSpec::builtin("three-streams")
        .with("jumper", "zoned:80/20:10/20:10/60")
        .with("random_weight", 2)
        .limited(400_000);
    let requests = take(&spec, space(100 * MIB), 1);
    let bytes = written(&requests);
    let all: u64 = bytes.values().sum();
    for (stream, share) in [(1, 0.25), (2, 0.5), (3, 0.25)] {
        let found = bytes[&stream] as f64 / all as f64;
        assert!((found - share).abs() < 0.02, "stream {stream}: {found}");
    }
    let mut next = 0;
    for request in &requests {
        match request.stream {
            1 => {
                assert_eq!(request.offset, next);
                next = (request.offset + request.length) % (90 * MIB);
            }
            2 => assert!(request.offset >= 90 * MIB && request.length == PAGE),
            _ => assert!(request.offset < 90 * MIB && request.length == PAGE),
        }
    }
    let jumps: Vec<u64> = requests.iter().filter(|r| r.stream == 3).map(|r| r.offset).collect();
    let hot = jumps.iter().filter(|offset| **offset < 18 * MIB).count() as f64;
    assert!((hot / jumps.len() as f64 - 0.8).abs() < 0.01);
    let error =
        refused(WorkloadSpec::builtin("three-streams").with("jumper", "zipf:x"), space(MIB));
    assert!(error.contains("jumper must be uniform"), "{error}");
}

#[test]
fn a_switched_workload_is_its_parts_one_after_the_other() {
    let plain = |name: &str, requests| WorkloadSpec::builtin(name).limited(requests);
    let spec = plain("switched", 4000)
        .with("first", "zipf+theta=0.8+scatter=no")
        .with("then", "sequential+size=8k")
        .with("at", "25%");
    let requests = take(&spec, space(MIB), 9);
    let first = plain("zipf", 1000).with("theta", 0.8).with("scatter", "no");
    assert_eq!(requests[..1000], take(&first, space(MIB), 9));
    assert_eq!(
        requests[1000..],
        take(&plain("sequential", 3000).with("size", "8k"), space(MIB), 9)
    );
    let paced = take(&spec.clone().with("rate", 1000), space(MIB), 9);
    assert_eq!(paced[3999].arrival_ns, 3_999_000_000);
    assert_eq!(take(&spec.clone().with("at", 0), space(MIB), 9)[0].length, 8192);
    for (first, told) in [
        ("zpf", "did you mean"),
        ("zipf+theta", "NAME+KEY=VALUE"),
        ("zipf+theta=1+theta=2", "names theta once"),
        ("zipf+thta=1", "did you mean theta"),
        ("zipf+theta=11", "theta must be 0 to 10"),
        ("zipf+rate=7", "without arrival times"),
        ("iozone+fit=scale", "goes on for any number of requests"),
        ("switched", "does not switch itself"),
        ("zipf+size=1GiB", "must be such that requests of 1"),
    ] {
        let error = refused(spec.clone().with("first", first), space(MIB));
        assert!(error.contains(told), "{first}: {error}");
    }
}

#[test]
fn a_tree_writes_free_places_in_order_and_trims_what_it_merged() {
    let pages = 512 * 16;
    let spec = WorkloadSpec::builtin("lsm").with("write", "12k").limited(300_000);
    let requests = take(&spec, space(pages * PAGE), 3);
    let mut live = vec![false; pages as usize];
    let (mut most, mut count, mut streams) = (0, 0, BTreeMap::new());
    // Where each stream goes on within its table.
    let mut next: BTreeMap<u8, u64> = BTreeMap::new();
    for request in &requests {
        let range = request.offset / PAGE..(request.offset + request.length) / PAGE;
        assert_eq!(request.length % PAGE, 0);
        let writes = request.op == Op::Write;
        for page in range {
            assert_ne!(live[page as usize], writes, "{request:?}: live written, or dead trimmed");
            live[page as usize] = writes;
        }
        *streams.entry((request.stream, request.op.name())).or_insert(0u64) += request.length;
        if writes {
            let starts = request.offset.is_multiple_of(16 * PAGE);
            assert!(starts || next[&request.stream] == request.offset, "{request:?}");
            next.insert(request.stream, request.offset + request.length);
        }
        let now = request.length / PAGE;
        count = if writes { count + now } else { count - now };
        most = most.max(count);
    }
    // Three levels below level 0, each with a stream; the space is well used.
    assert_eq!(streams.keys().map(|key| key.0).collect::<BTreeSet<_>>(), [1, 2, 3, 4].into());
    assert!(most > pages * 6 / 10, "{most} of {pages} pages are live at most");
    // What is flushed is written again at each level; all of level 0 but what is there is trimmed.
    let of = |stream, op| streams[&(stream, op)] as f64;
    assert!(of(1, "trim") / of(1, "write") > 0.95);
    for stream in 2..=4 {
        let again = of(stream, "write") / of(1, "write");
        assert!((1.0..10.0).contains(&again), "stream {stream}: {again}");
    }
    // Levels are written at once, not one after the other.
    let writes: Vec<u8> = requests.iter().filter(|r| r.op == Op::Write).map(|r| r.stream).collect();
    let changes = writes.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(changes * 8 > writes.len(), "{changes} changes in {} writes", writes.len());
    let error = refused(WorkloadSpec::builtin("lsm").with("table", "1MiB"), space(8 * MIB));
    assert!(error.contains("table must be such that"), "{error}");
}

#[test]
fn nested_zones_have_their_share_at_every_depth() {
    let spec = WorkloadSpec::builtin("nested-zones")
        .with("zones", "10/90:20/75")
        .with("scatter", "no")
        .limited(400_000);
    let requests = take(&spec, space(10_000 * PAGE), 1);
    let below =
        |pages: u64| requests.iter().filter(|r| r.offset < pages * PAGE).count() as f64 / 400_000.0;
    assert!((below(200) - 0.675).abs() < 0.004, "{}", below(200));
    assert!((below(1000) - 0.9).abs() < 0.003, "{}", below(1000));
    let error = refused(WorkloadSpec::builtin("nested-zones").with("zones", "10"), space(MIB));
    assert!(error.contains("PERCENT OF SPACE/PERCENT OF REQUESTS"), "{error}");
}

#[test]
fn beta_leans_to_its_end_and_fio_zipf_leaves_places_out() {
    let mean = |alpha: f64, beta: f64| {
        let spec = WorkloadSpec::builtin("beta").with("alpha", alpha).with("beta", beta);
        let requests = take(&spec.with("scatter", "no").limited(100_000), space(1000 * PAGE), 1);
        requests.iter().map(|r| r.offset / PAGE).sum::<u64>() as f64 / 1e8
    };
    assert!((mean(1.0, 10.0) - 1.0 / 11.0).abs() < 0.002);
    assert!((mean(5.0, 1.0) - 5.0 / 6.0).abs() < 0.002);
    let spec = WorkloadSpec::builtin("fio-zipf").with("theta", 0.5).limited(500_000);
    let places = |pages: u64| {
        let requests = take(&spec, space(pages * PAGE), 1);
        requests.iter().map(|r| r.offset).collect::<BTreeSet<_>>().len() as f64 / pages as f64
    };
    assert!(places(8192) > 0.99, "{}", places(8192));
    assert!(places(8190) < 0.8, "{}", places(8190));
    let error = refused(WorkloadSpec::builtin("fio-zipf").with("theta", 1), space(MIB));
    assert!(error.contains("`zipf` takes 1"), "{error}");
}
