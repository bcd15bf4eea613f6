//! Flexible data placement: reclaim units, handles, what is told of them, what is refused.

use crate::common::{Scratch, unwrapped, words};
use serde_json::Value;

/// A cache with a fifth of small objects, on 0.85 of the array.
const CACHE: &str = "compare flash-cache --set small_space=0.2 --share 0.85 --precondition full+workload=2 \
    --requests 60000 --seed 3";

const SERIAL: &str = "--capacity 256MiB --fdp ruhs=3,ru=2MiB";
const SSD: &str = "--part ddt-mlc --channels 4 --ways 2 --capacity 1GiB --fdp ruhs=3,ru=8MiB";

fn schemes(report: &Value) -> &[Value] {
    report["schemes"].as_array().expect("a list")
}

/// With handles a reclaim unit's pages die together, and the log of the handles is what the array has done.
#[test]
fn handles_take_the_place_of_collection() {
    for device in [SERIAL, SSD] {
        let with_and_without = "--schemes page-level,page-level+placement=split --json";
        let report = words(&format!("{CACHE} {device} {with_and_without}")).json();
        let [with, without] = schemes(&report) else { panic!("two schemes") };
        let waf = [with, without].map(|scheme| scheme["waf"].as_f64().expect("a number"));
        assert!(waf[0] < 0.75 * waf[1], "{device}: {waf:?}");
        assert_eq!(without.get("streams"), None);
        let streams = &with["streams"];
        let handles = streams["handles"].as_array().expect("a list");
        let of = |key: &str| -> u64 {
            handles.iter().map(|handle| handle[key].as_u64().expect("a count")).sum()
        };
        assert_eq!(Some(of("written")), with["write_tasks"].as_u64(), "{streams}");
        assert_eq!(Some(of("moved")), with["copies"].as_u64(), "{streams}");
        assert_eq!(streams["media_pages"], of("written") + of("moved"), "{streams}");
        assert_eq!(streams["collected_blocks"], with["erases"], "{streams}");
        assert_eq!(streams["invalid_handle_pages"], 0);
        let used: Vec<_> = handles.iter().filter(|handle| handle["written"] != 0).collect();
        assert_eq!(used.len(), 2, "{streams}");
        assert!(used.iter().all(|handle| handle["waf"].as_f64() >= Some(1.0)), "{streams}");
        let units = report["configuration"]["device"]["blocks"].as_u64();
        assert_eq!(units, Some(128));
    }
}

/// A reclaim unit of one block is a block: nothing else changes.
#[test]
fn a_reclaim_unit_of_one_block_is_that_block() {
    let figures = |device: &str| {
        let line = format!("{CACHE} {device} --schemes page-level+placement=stream:3 --json");
        let mut report = words(&line).json();
        report["schemes"][0].take()
    };
    assert_eq!(figures("--capacity 256MiB"), figures("--capacity 256MiB --fdp ruhs=3"));
    let ssd = "--part ddt-mlc --channels 4 --ways 2 --capacity 256MiB";
    assert_eq!(figures(ssd), figures(&format!("{ssd} --fdp ruhs=3,ru=1MiB")));
}

/// On one channel a reclaim unit is as a block of as many pages, whose erase takes as long as all of its blocks'.
#[test]
fn a_reclaim_unit_is_as_a_larger_block() {
    let figures = |device: &str| {
        let schemes = "--schemes page-level+placement=stream-initial:3 --json";
        let line = format!("{CACHE} --capacity 256MiB {device} {schemes}");
        let mut report = words(&line).json();
        report["schemes"][0].take()
    };
    let larger = "--set part.pages_per_block=1024 --set part.t_bers_ns=32ms";
    assert_eq!(figures("--fdp ruhs=3,ru=2MiB"), figures(larger));
}

/// On channels its blocks are erased side by side, however they divide the dies.
#[test]
fn reclaim_units_of_any_number_of_blocks_fit_the_dies() {
    for unit in ["3MiB", "8MiB", "12MiB"] {
        let line = format!(
            "compare flash-cache --part ddt-mlc --channels 4 --capacity 384MiB --share 0.7 --requests 30000 \
             --fdp ruhs=3,ru={unit} --schemes page-level --json"
        );
        let report = words(&line).json();
        let ssd = &report["configuration"]["ssd"];
        assert_eq!([&ssd["t_bers_ns"], &ssd["blocks_per_plane"]], [3_000_000, 96], "{unit}");
        let device = &report["configuration"]["device"];
        let units = 384 / unit.trim_end_matches("MiB").parse::<u64>().expect("a number");
        assert_eq!(device["blocks"], units, "{unit}");
        let scheme = &schemes(&report)[0];
        assert_eq!(scheme["requests"], 30000);
        assert!(scheme["erases"].as_u64() > Some(0), "{unit}");
    }
}

#[test]
fn handles_are_told_of_in_every_form() {
    let scratch = Scratch::new("fdp");
    let out = scratch.at("results");
    let line = format!("{CACHE} {SERIAL} --schemes page-level --details --out {out}");
    let text = unwrapped(&words(&line).ok());
    for said in [
        "FDP: 3 handles, reclaim units of 2MiB (16 blocks), one reclaim group",
        "initially isolated",
        "handle 1",
        "handle 2",
        "reallocated",
        "pages without a handle",
        "Streams: handle N is that of the host's stream N",
    ] {
        assert!(text.contains(said), "`{said}` is not in: {text}");
    }
    let csv = std::fs::read_to_string(format!("{out}/summary.csv")).expect("a summary");
    let header = csv.lines().next().expect("a header");
    for column in
        ["streams.handles.1.waf", "streams.media_reallocated_blocks", "streams.host_pages"]
    {
        assert!(header.contains(column), "{header}");
    }
    // What `--dry-run` prints runs to the same result.
    let toml = words(&format!("{CACHE} {SERIAL} --schemes page-level --dry-run")).ok();
    assert!(toml.contains("fdp = \"ruhs=3,ru=2MiB,isolation=initially\""), "{toml}");
    let file = scratch.file("my.toml", &toml);
    let again = words(&format!("run {file} --json")).json();
    let first = words(&format!("{CACHE} {SERIAL} --schemes page-level --json")).json();
    assert_eq!(schemes(&again), schemes(&first));
}

#[test]
fn a_load_without_streams_is_told() {
    let said = "no request named a stream";
    let run = |workload: &str| {
        let line =
            format!("compare {workload} --capacity 256MiB --requests 2k --schemes page-level");
        unwrapped(&words(&line).ok())
    };
    assert!(run("uniform --fdp ruhs=3").contains(said));
    assert!(!run("flash-cache --fdp ruhs=3").contains(said));
    assert!(!run("uniform").contains(said));
}

/// Writes of one placement stream each: 4,000 in turns to these streams.
fn writes_of(scratch: &Scratch, name: &str, streams: &[u8]) -> String {
    let mut csv = "op,offset_bytes,length_bytes,stream\n".to_owned();
    for write in 0..4000 {
        let stream = streams[write % streams.len()];
        csv += &format!("write,{},8192,{stream}\n", write * 8192);
    }
    scratch.file(name, &csv)
}

/// Jobs name streams of their own where each is given a number that is added to them.
#[test]
fn jobs_have_streams_of_their_own() {
    let line = "compare --part ddt-mlc --channels 4 --capacity 512MiB --share 0.7 --precondition none --requests 4000 \
        --fdp ruhs=8 --schemes page-level --job name=cache,workload=flash-cache,set.region=1MiB,size=50% \
        --job name=files,workload=uniform,set.write_share=1,stream=3,size=25% \
        --job name=more,workload=flash-cache,set.region=1MiB,stream=3";
    let report = words(&format!("{line} --json")).json();
    let used = |report: &Value| -> Vec<u64> {
        let handles = schemes(report)[0]["streams"]["handles"].as_array().expect("a list").clone();
        let written = handles.iter().filter(|handle| handle["written"] != 0);
        written.map(|handle| handle["handle"].as_u64().expect("a number")).collect()
    };
    assert_eq!(used(&report), [1, 2, 3, 4, 5]);
    // In the passes before a measurement, too, and from what `--dry-run` prints.
    let scratch = Scratch::new("fdp-jobs");
    let toml = words(&format!("{line} --dry-run")).ok();
    assert!(toml.contains("stream = 3"), "{toml}");
    let file = scratch.file("my.toml", &toml);
    assert_eq!(schemes(&words(&format!("run {file} --json")).json()), schemes(&report));
    let first = line.replace("--precondition none", "--precondition none+workload=1");
    assert_eq!(used(&words(&format!("{first} --json")).json()), [1, 2, 3, 4, 5]);
    words(&line.replace("stream=3", "stream=256")).refused(&["stream=256: must be 0 to 255"]);
}

/// Pages that go elsewhere are told, and what helps.
#[test]
fn displaced_pages_are_told() {
    let run = |options: &str| {
        let line = format!(
            "compare flash-cache --capacity 256MiB --requests 20k --schemes page-level --set footprint=50% {options}"
        );
        unwrapped(&words(&line).ok())
    };
    let told = run("--share 0.8 --fdp ruhs=1,groups=4,ru=256KiB");
    assert!(
        told.contains("% of the pages of group 2 handle 0 were written to other groups"),
        "{told}"
    );
    assert!(told.contains("--precondition none+workload=N"), "{told}");
    let told = run("--share 0.5 --precondition none --fdp ruhs=1,groups=4,ru=256KiB");
    assert!(!told.contains("were written to other groups"), "{told}");
}

/// A reclaim group has dies of its own: what one stream writes alone takes as many times longer as there are groups.
#[test]
fn a_reclaim_group_has_its_dies_alone() {
    let scratch = Scratch::new("fdp-groups");
    let took = |streams: &[u8]| {
        let trace = writes_of(&scratch, &format!("{}.csv", streams.len()), streams);
        let line = format!(
            "compare {trace} --part ddt-mlc --channels 4 --ways 2 --capacity 1GiB --precondition none \
             --fdp ruhs=2,groups=4 --schemes page-level --json"
        );
        let report = words(&line).json();
        let scheme = &schemes(&report)[0];
        assert_eq!((&scheme["requests"], &scheme["erases"]), (&4000.into(), &0.into()));
        let handles = scheme["streams"]["handles"].as_array().expect("a list").clone();
        let each: Vec<_> = handles
            .iter()
            .map(|handle| ["stream", "group", "handle", "displaced"].map(|key| handle[key].clone()))
            .collect();
        let expected: Vec<_> =
            streams.iter().map(|s| [*s, s / 2, s % 2, 0].map(serde_json::Value::from)).collect();
        assert_eq!(each, expected);
        scheme["elapsed_ns"].as_f64().expect("a time")
    };
    let [one, four] = [took(&[2]), took(&[1, 2, 5, 6])];
    assert!((3.8..4.2).contains(&(one / four)), "{one} {four}");
}

/// On one channel and on several: groups are told of, and each is collected for itself.
#[test]
fn reclaim_groups_are_told_of() {
    for device in [
        "--capacity 256MiB --fdp ruhs=1,ru=1MiB,groups=4",
        "--part ddt-mlc --channels 4 --ways 2 --capacity 1GiB --fdp ruhs=1,groups=4",
    ] {
        let line = format!(
            "compare three-streams --share 0.8 {device} --precondition none+workload=2 --requests 20k \
             --schemes page-level,page-level+placement=split"
        );
        let text = unwrapped(&words(&format!("{line} --details")).ok());
        for said in [
            "4 reclaim groups (stream N: handle N mod 1 of group N div 1;",
            "group 1 handle 0",
            "group 3 handle 0",
            "written to a block of another handle or reclaim group",
        ] {
            assert!(text.contains(said), "`{said}` is not in: {text}");
        }
        let report = words(&format!("{line} --json")).json();
        let [with, without] = schemes(&report) else { panic!("two schemes") };
        assert_eq!(with["requests"], without["requests"]);
        assert_eq!((&with["streams"]["groups"], without.get("streams")), (&4.into(), None));
        // Nothing is promised of a group's victims but that they gain a page; without groups Λ and N tell more.
        let pages = with["pages_per_block"].as_u64();
        let valid = |scheme: &Value| scheme["collection"]["victim_valid_bound"].as_u64();
        assert!(valid(with).map(|valid| valid + 1) == pages && valid(without) < valid(with));
        // A group begins to collect at one free block of its own.
        assert_eq!(with["collection"]["threshold_pages"].as_u64(), pages);
    }
}
