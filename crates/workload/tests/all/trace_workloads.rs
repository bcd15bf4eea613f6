//! Traces on a space: address policies, loops, time scale, limits, errors.

use crate::common::{Folder, cases};
use ftlkit_workload::{
    AddressPolicy, CAPTURED, Facts, Op, Request, Space, WorkloadError, WorkloadSpec,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

const PAGE: u64 = 4096;

fn space(pages: u64) -> Space {
    Space { bytes: pages * PAGE, page_bytes: PAGE as u32, pages_per_block: 64 }
}

/// A trace file that is removed when dropped.
struct File(PathBuf, #[expect(dead_code, reason = "removes the file")] Folder);

fn file(text: &str) -> File {
    let folder = Folder::new();
    File(folder.file("trace.csv", text), folder)
}

/// A trace with these rows of arrival ns, device, operation, offset and length.
fn trace(rows: &[(u64, u32, &str, u64, u64)]) -> File {
    let mut text = String::from("arrival_ns,device,op,offset_bytes,length_bytes\n");
    for (arrival, device, op, offset, length) in rows {
        writeln!(text, "{arrival},{device},{op},{offset},{length}").unwrap();
    }
    file(&text)
}

fn with(file: &File, policy: AddressPolicy) -> WorkloadSpec {
    let mut spec = WorkloadSpec::trace(&file.0);
    let WorkloadSpec::Trace { addresses, .. } = &mut spec else { unreachable!() };
    *addresses = policy;
    spec
}

fn run(spec: &WorkloadSpec, space: Space) -> Result<(Facts, Vec<Request>), WorkloadError> {
    let facts = spec.check(space)?;
    let mut source = spec.open(space, 1, &facts)?;
    let mut out = Vec::new();
    while source.fill(&mut out, 3)? > 0 {}
    assert_eq!(out.len() as u64, facts.requests);
    assert!(out.iter().all(|r| r.offset + r.length <= space.bytes), "{out:?}");
    Ok((facts, out))
}

fn error(spec: &WorkloadSpec, space: Space) -> String {
    spec.check(space).unwrap_err().to_string()
}

#[test]
fn dense_packing_closes_gaps_and_keeps_what_is_adjacent() {
    let rows = [
        (0, 0, "write", 100 * PAGE, 2 * PAGE),
        (5, 1, "write", 0, 512),
        (7, 0, "read", 102 * PAGE + 512, 1024),
        (9, 0, "write", 1 << 40, PAGE),
        (9, 0, "trim", 0, 1 << 41),
        (9, 1, "trim", 50 * PAGE, PAGE),
        (9, 0, "flush", 0, 0),
    ];
    let file = trace(&rows);
    let (facts, out) = run(&with(&file, AddressPolicy::Dense), space(5)).unwrap();
    let places: Vec<_> = out.iter().map(|r| (r.op, r.offset, r.length)).collect();
    let expected = [
        (Op::Write, 0, 2 * PAGE),
        (Op::Write, 4 * PAGE, 512),
        (Op::Read, 2 * PAGE + 512, 1024),
        (Op::Write, 3 * PAGE, PAGE),
        (Op::Trim, 0, 4 * PAGE),
        (Op::Flush, 0, 0),
    ];
    assert_eq!(places, expected);
    let addresses = facts.trace.unwrap().addresses;
    assert_eq!((addresses.touched_pages, addresses.intervals), (5, 3));
    assert_eq!((addresses.trims_left_out, addresses.trims_cut), (1, 1));
    let message = error(&with(&file, AddressPolicy::Dense), space(4));
    assert!(message.contains("addresses = dense"), "{message}");
    assert!(message.contains("touches 20 KiB") && message.contains("at least 20 KiB"), "{message}");
}

#[test]
fn wrapping_splits_around_the_end() {
    let rows = [(0, 0, "write", 3 * PAGE, 3 * PAGE), (1, 0, "read", 9 * PAGE, PAGE)];
    let file = trace(&rows);
    let (facts, out) = run(&with(&file, AddressPolicy::Wrap), space(4)).unwrap();
    let places: Vec<_> = out.iter().map(|r| (r.offset, r.length)).collect();
    assert_eq!(places, [(3 * PAGE, PAGE), (0, 2 * PAGE), (PAGE, PAGE)]);
    assert_eq!(facts.trace.unwrap().addresses.split, 1);
    let message = error(&with(&file, AddressPolicy::Wrap), space(2));
    assert!(message.contains("longest request asks for 12 KiB"), "{message}");
}

#[test]
fn devices_get_regions_of_their_own() {
    let rows = [
        (0, 7, "write", 10 * PAGE, PAGE),
        (1, 7, "read", 12 * PAGE, PAGE),
        (2, 9, "write", 90 * PAGE, PAGE),
    ];
    let file = trace(&rows);
    let (facts, out) = run(&with(&file, AddressPolicy::Spaces), space(4)).unwrap();
    assert_eq!(out.iter().map(|r| r.offset / PAGE).collect::<Vec<_>>(), [0, 2, 3]);
    assert_eq!(facts.footprint_bytes, 4 * PAGE);
    let message = error(&with(&file, AddressPolicy::Spaces), space(3));
    assert!(message.contains("ranges of its 2 devices take 16 KiB"), "{message}");
    assert!(message.contains("addresses = dense takes 12 KiB"), "{message}");
}

#[test]
fn exact_addresses_must_fit_and_be_of_one_device() {
    let file = trace(&[(0, 0, "write", 3 * PAGE, PAGE)]);
    let (_, out) = run(&with(&file, AddressPolicy::Exact), space(4)).unwrap();
    assert_eq!(out[0].offset, 3 * PAGE);
    let message = error(&with(&file, AddressPolicy::Exact), space(3));
    assert!(
        message.contains("reaches up to byte 16384") && message.contains("dense takes 4 KiB"),
        "{message}"
    );
    let two = trace(&[(0, 0, "write", 0, PAGE), (0, 1, "write", 0, PAGE)]);
    assert!(error(&with(&two, AddressPolicy::Exact), space(4)).contains("this one has 2"));
}

#[test]
fn loops_keep_arrivals_growing_and_limits_cut() {
    let rows = [(0, 0, "write", 0, PAGE), (100, 0, "write", PAGE, PAGE), (300, 0, "read", 0, PAGE)];
    let file = trace(&rows);
    let mut spec = WorkloadSpec::trace(&file.0);
    spec.replay_mut().loops = 3;
    let arrivals = |spec: &WorkloadSpec| {
        run(spec, space(4)).unwrap().1.iter().map(|r| r.arrival_ns).collect::<Vec<_>>()
    };
    // Each pass takes 300 ns plus a mean gap of 150.
    assert_eq!(arrivals(&spec), [0, 100, 300, 450, 550, 750, 900, 1000, 1200]);
    spec.replay_mut().time_scale = 0.5;
    spec.replay_mut().requests = Some(5);
    assert_eq!(arrivals(&spec), [0, 50, 150, 225, 275]);
    spec.replay_mut().loops = 0;
    spec.replay_mut().requests = Some(8);
    assert_eq!(arrivals(&spec).len(), 8);
    spec.replay_mut().loops = 1;
    spec.replay_mut().requests = Some(2);
    let (facts, _) = run(&spec, space(4)).unwrap();
    assert_eq!(
        (facts.requests, facts.trace.unwrap().operations.reads),
        (2, 0),
        "no more is read than is run"
    );
    spec.replay_mut().requests = Some(99);
    assert_eq!(arrivals(&spec).len(), 3, "a limit does not loop");
}

#[test]
fn what_cannot_run_is_refused_with_what_would() {
    let space = space(100);
    let message = |spec: &WorkloadSpec| error(spec, space);
    let named = WorkloadSpec::builtin;
    assert!(message(&named("unifrom")).contains("did you mean `uniform`?"));
    assert!(message(&named("something-else")).contains("ftlkit list workloads"));
    assert!(message(&named("zipf").with("theta", 11)).contains("theta must be 0 to 10"));
    assert!(message(&named("zipf").with("tetha", 1)).contains("did you mean theta?"));
    assert!(
        message(&named("uniform").with("size", "1G"))
            .contains("size must be such that requests of 1 GiB fit")
    );
    assert!(message(&named("uniform").with("footprint", 0)).contains(
        "footprint must be such that requests of 4 KiB fit the space that is addressed, 0 bytes"
    ));
    assert!(message(&named("randrw").with("footprint", 0)).contains("footprint must be such that"));
    // Too large for any footprint.
    assert!(
        message(&named("randrw").with("footprint", "50%").with("bs", "1G"))
            .contains("bs must be such that")
    );
    assert!(
        message(&named("copy-file-like").with("footprint", "1%"))
            .contains("footprint must be such that")
    );
    assert!(
        message(&named("hot-cold").with("hot_space", 0)).contains("hot_space must be such that")
    );
    assert!(message(&named("randrw").with("bssplit", "4k/50")).contains("100 % in all"));
    assert!(message(&named("randrw").with("random_distribution", "zipf:x")).contains("zipf[:θ]"));
    assert!(
        message(&named("snia").with("block_sizes", "4k").with("mixes", "101"))
            .contains("mixes must be")
    );
    assert!(message(&named("uniform").limited(0)).contains("requests must be at least 1"));
    let mut spec = named("uniform");
    spec.replay_mut().time_scale = 2.0;
    assert!(message(&spec).contains("no arrival times"));
    spec.replay_mut().time_scale = f64::NAN;
    assert!(message(&spec).contains("time_scale must be"));
    spec = named("uniform");
    spec.replay_mut().loops = 0;
    assert!(message(&spec).contains("loops must be at least 1"));
    let empty = trace(&[]);
    assert!(!message(&WorkloadSpec::trace(&empty.0)).is_empty());
    let idle = trace(&[(0, 0, "flush", 0, 0), (0, 0, "trim", 0, 4096)]);
    assert!(message(&WorkloadSpec::trace(&idle.0)).contains("1 trim, 1 flush"));
    assert!(message(&WorkloadSpec::trace("/no/such/file.csv")).contains("/no/such/file.csv"));
    let none = Space { bytes: 100, page_bytes: 4096, pages_per_block: 64 };
    assert!(error(&named("uniform"), none).contains("no page to address"));
    let other = named("uniform").check(space).unwrap();
    assert!(named("uniform").open(Space { bytes: PAGE, ..space }, 1, &other).is_err());
    assert!(WorkloadSpec::trace("x").open(space, 1, &other).is_err());
}

#[test]
fn a_watcher_can_stop_the_first_pass() {
    let file = trace(&[(0, 0, "write", 0, PAGE)]);
    let stopped = WorkloadSpec::trace(&file.0).check_watched(space(4), |_, _| false);
    assert!(stopped.unwrap_err().to_string().contains("stopped"));
    // Also once requests are read on a thread of their own, which ends with the pass.
    let rows: Vec<_> = (0..60_000).map(|at| (at, 0, "write", at % 4 * PAGE, PAGE)).collect();
    let (file, mut calls) = (trace(&rows), 0);
    let stopped = WorkloadSpec::trace(&file.0).check_watched(space(4), |done, _| {
        calls += 1;
        assert!(done > 0);
        calls < 5
    });
    assert!(stopped.unwrap_err().to_string().contains("stopped"));
    assert_eq!(calls, 5);
}

#[test]
fn a_file_that_changed_after_the_check_is_not_run_wrongly_in_silence() {
    // More requests than are kept in memory, so that the file is read again.
    let mut rows = String::from("arrival_ns,op,offset_bytes,length_bytes\n");
    let head = rows.len();
    for i in 0..(2u64 << 20) + 10 {
        writeln!(rows, "{i},write,{},512", i % 100 * 512).unwrap();
    }
    let file = file(&rows);
    let spec = WorkloadSpec::trace(&file.0);
    let facts = spec.check(space(100)).unwrap();
    assert!(!facts.trace.as_ref().unwrap().kept_in_memory);
    assert_eq!(facts.requests, (2 << 20) + 10);
    let drain = || -> Result<u64, WorkloadError> {
        let mut source = spec.open(space(100), 1, &facts)?;
        let (mut out, mut count) = (Vec::new(), 0);
        while source.fill(&mut out, 5000)? > 0 {
            count += out.len() as u64;
            out.clear();
        }
        Ok(count)
    };
    assert_eq!(drain().unwrap(), (2 << 20) + 10);
    std::fs::write(&file.0, &rows[..rows.len() / 2 / 100 * 100 + head]).unwrap();
    assert!(drain().is_err());
    std::fs::write(&file.0, rows.replace(",512,512", ",5120000,512")).unwrap();
    assert!(drain().unwrap_err().to_string().contains("has the file changed?"));
}

#[test]
fn specs_are_tables() {
    let read = |text: &str| toml::from_str::<WorkloadSpec>(text);
    let zipf = read(
        "name = \"zipf\"\nrequests = 1000\nparameters = { theta = 0.9, scatter = false, size = \"8k\" }",
    );
    let expected =
        WorkloadSpec::builtin("zipf").with("theta", 0.9).with("scatter", "no").with("size", "8k");
    assert_eq!(zipf.unwrap(), expected.limited(1000));
    let trace = read(
        "trace = \"a.csv\"\naddresses = \"wrap\"\nloops = 0\nrequests = 5\noptions = { format = \"csv\" }",
    );
    let trace = trace.unwrap();
    assert!(matches!(&trace, WorkloadSpec::Trace { addresses: AddressPolicy::Wrap, options, .. }
        if options.format.as_deref() == Some("csv")));
    for spec in [trace, WorkloadSpec::builtin("uniform"), WorkloadSpec::trace("b").limited(3)] {
        let text = toml::to_string(&spec).unwrap();
        assert_eq!(read(&text).unwrap(), spec, "{text}");
    }
    for (text, hint) in [
        ("", "needs a `name`"),
        ("name = \"a\"\ntrace = \"b\"", "not both"),
        ("name = \"a\"\naddresses = \"wrap\"", "are for traces"),
        ("trace = \"a\"\nparameters = { x = 1 }", "for built-in workloads"),
        ("name = \"a\"\nloop = 3", "unknown field `loop`"),
        ("trace = \"a\"\naddresses = \"wrapped\"", "unknown variant"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(hint), "{text}: {error}");
    }
}

#[test]
fn facts_are_json() {
    let file = trace(&[(0, 3, "write", PAGE, PAGE)]);
    let facts = WorkloadSpec::trace(&file.0).check(space(4)).unwrap();
    let json = serde_json::to_value(&facts).unwrap();
    assert_eq!(json["trace"]["counts"]["kept"], 1);
    assert_eq!(json["trace"]["addresses"]["policy"], "dense");
    assert_eq!(json["trace"]["devices"][0]["end_byte"], 2 * PAGE);
    assert_eq!(json["footprint_bytes"], PAGE);
    assert!(json.get("plan").is_none());
}

/// Rows of a trace over two devices, with gaps, overlaps and unaligned extents.
fn rows() -> impl Strategy<Value = Vec<(u64, u32, &'static str, u64, u64)>> {
    let op = prop::sample::select(vec!["read", "write", "write-zeroes", "trim"]);
    let offset = prop_oneof![0u64..40 * 512, 0u64..400 * 512, (1u64 << 50)..(1 << 50) + 90_000];
    let row = (0u64..10, 0u32..3, op, offset, 1u64..5 * PAGE);
    prop::collection::vec(row, 1..60)
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn dense_packing_is_one_to_one_and_keeps_order(rows in rows()) {
        let file = trace(&rows);
        let pages = |offset: u64, length: u64| offset / PAGE..=(offset + length - 1) / PAGE;
        let touched: BTreeSet<(u32, u64)> = rows.iter().filter(|row| row.2 != "trim")
            .flat_map(|&(_, device, _, offset, length)| pages(offset, length).map(move |page| (device, page)))
            .collect();
        let spec = WorkloadSpec::trace(&file.0);
        if touched.is_empty() {
            prop_assert!(spec.check(space(1000)).is_err());
            return Ok(());
        }
        // The smallest sufficient space: only a bijection fits.
        let least = space(touched.len() as u64);
        prop_assert!(spec.check(space(touched.len() as u64 - 1)).is_err());
        let (facts, out) = run(&spec, least).unwrap();
        prop_assert_eq!(facts.footprint_bytes, least.bytes);
        let place: BTreeMap<_, _> = touched.iter().copied().zip(0u64..).collect();
        let mut out = out.into_iter();
        for (_, device, op, offset, length) in rows {
            let found: Vec<_> = pages(offset, length).filter_map(|page| place.get(&(device, page))).collect();
            if op == "trim" {
                if let (Some(&&first), Some(&&last)) = (found.first(), found.last()) {
                    let request = out.next().unwrap();
                    prop_assert_eq!(pages(request.offset, request.length), first..=last);
                }
                continue;
            }
            let request = out.next().unwrap();
            prop_assert_eq!((request.device, request.length), (device, length));
            prop_assert_eq!(request.offset, found[0] * PAGE + offset % PAGE);
        }
        prop_assert!(out.next().is_none());
    }

    #[test]
    fn every_policy_stays_within_the_space_or_refuses(rows in rows(), pages in 1u64..2000, rest in 0u64..4096) {
        let file = trace(&rows);
        let space = Space { bytes: pages * PAGE + rest, page_bytes: PAGE as u32, pages_per_block: 16 };
        for policy in AddressPolicy::ALL {
            let asked: u64 = rows.iter().filter(|row| row.2 != "trim").map(|row| row.4).sum();
            let Ok((facts, out)) = run(&with(&file, policy), space) else { continue };
            prop_assert!(out.iter().all(|r| r.offset + r.length <= facts.footprint_bytes.max(1)));
            let given: u64 = out.iter().filter(|r| r.op != Op::Trim).map(|r| r.length).sum();
            prop_assert_eq!(given, asked, "no byte is lost");
        }
    }
}

#[test]
fn captured_traces_pack_into_their_footprint_and_loop() {
    for trace in CAPTURED {
        let (name, info) = (trace.name, trace.info().unwrap());
        let mut spec = WorkloadSpec::trace(name);
        spec.replay_mut().loops = 2;
        let space = Space { bytes: 2 << 30, page_bytes: 4096, pages_per_block: 256 };
        let (facts, out) = run(&spec, space).unwrap();
        // Trims of what is never written are left out.
        let left_out = facts.trace.as_ref().unwrap().addresses.trims_left_out;
        let requests = facts.requests_per_pass;
        assert_eq!(requests + left_out, info.counts.requests, "{name}");
        assert_eq!(facts.footprint_bytes, info.footprint_bytes, "{name}");
        let (first, second) = out.split_at(requests as usize);
        assert!(
            first
                .iter()
                .zip(second)
                .all(|(a, b)| (a.op, a.offset, a.length) == (b.op, b.offset, b.length))
        );
        let shift = second[0].arrival_ns - first[0].arrival_ns;
        assert!(first.iter().zip(second).all(|(a, b)| b.arrival_ns - a.arrival_ns == shift));
        assert!(shift > first.iter().map(|r| r.arrival_ns).max().unwrap());
        let tight = Space { bytes: facts.footprint_bytes - 4096, ..space };
        assert!(error(&spec, tight).contains("addresses = dense"), "{name}");
    }
}
