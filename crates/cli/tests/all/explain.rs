//! `ftlkit explain`.

use crate::common::{Scratch, command, csv_trace, ftlkit, ran, words};
use serde_json::Value;

fn events(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
}

#[test]
fn the_page_is_written_where_it_says() {
    let scratch = Scratch::new("explain-page");
    let path = scratch.at("fast.html");
    let run = ftlkit(["explain", "fast", "--html", &path]);
    assert!(
        run.stderr.contains("steps written to") && run.stderr.contains(&path),
        "{}",
        run.stderr
    );
    assert_eq!(run.ok(), "");
    let page = std::fs::read_to_string(&path).expect("the page");
    assert!(page.contains("full merge of LBN"), "its captions are in it");
    // By default into the directory of the process.
    let line = ["explain", "page-level+victim=fifo", "--requests", "5", "--channels", "2"];
    for (line, name) in [(&line[..4], "fifo.html"), (&line, "fifo-ssd.html")] {
        let there = command().args(line).current_dir(scratch.path()).output().expect("it starts");
        ran(there).ok();
        assert!(scratch.path().join(format!("explain-page-level+victim={name}")).is_file());
    }
}

#[test]
fn events_and_text_go_to_standard_output_or_a_file() {
    let scratch = Scratch::new("explain-events");
    let run = words("explain lazy-rtgc --events --requests 20");
    assert!(!run.stderr.contains("written to"), "no page was asked for: {}", run.stderr);
    let lines = run.ok();
    let all = events(&lines);
    assert_eq!(all[0]["scheme"], "lazy-rtgc");
    let measured = all.iter().filter(|line| line["type"] == "task" && line["fill"] == false);
    assert_eq!(measured.count(), 20);
    let path = scratch.at("events.jsonl");
    let text =
        ftlkit(["explain", "lazy-rtgc", "--requests", "20", &format!("--events={path}"), "--text"])
            .ok();
    assert_eq!(std::fs::read_to_string(&path).expect("events"), lines);
    assert!(text.starts_with("lazy-rtgc: ") && text.contains("task 20: "), "{text}");
}

#[test]
fn array_part_seed_and_workload_are_those_given() {
    let of = |rest: &str| events(&words(&format!("explain page-level {rest} --events")).ok());
    let header =
        &of("uniform --blocks 12 --pages-per-block 16 --part toshiba-slc --requests 5 --seed 9")[0];
    assert_eq!(header["blocks"], 12);
    assert_eq!(header["pages_per_block"], 16);
    // With other pages per block it is not the part of the catalogue.
    assert_eq!(header["part"], "toshiba-slc-modified");
    assert_eq!(header["seed"], 9);
    assert_eq!(header["workload"], "uniform");
    let header = &of("uniform --set part.t_bers_ns=3ms --set write_share=0.5 --requests 5")[0];
    assert_eq!(header["erase_ns"], 3_000_000);
    assert_eq!(header["workload"], "uniform, share of writes 0.5");
    let all = of("--precondition none --requests 5");
    assert_eq!(all[0]["first"], 0);
    let cut = of("--power-cut 2,5 --requests 20");
    let cuts: Vec<_> = cut.iter().filter(|line| line["type"] == "power-cut").collect();
    assert_eq!(cuts.len(), 2);
    assert_eq!(cuts[1]["operation"], 5);
}

#[test]
fn a_trace_is_shown_at_its_times() {
    let scratch = Scratch::new("explain-trace");
    let trace = scratch.file("t.csv", csv_trace(12));
    let all = events(&ftlkit(["explain", "page-level", &trace, "--events"]).ok());
    let tasks = all.iter().filter(|line| line["type"] == "task" && line["fill"] == false).count();
    assert_eq!(tasks, 24, "4 KiB are two pages");
    // Only what is shown has to fit.
    let long = scratch.file("long.csv", csv_trace(5000));
    ftlkit(["explain", "page-level", &long, "--requests", "10", "--events"]).ok();
    // A request every ms.
    let last = all.last().expect("a frame")["at_ns"].as_u64().expect("a time");
    assert!((11_000_000..13_000_000).contains(&last), "{last}");
    let closed = events(&ftlkit(["explain", "page-level", &trace, "--events", "--closed"]).ok());
    assert!(closed.last().expect("a frame")["at_ns"].as_u64().expect("a time") < 11_000_000);
}

#[test]
fn faults_are_named() {
    let scratch = Scratch::new("explain-large");
    let far = "arrival_ns,op,offset_bytes,length_bytes\n0,write,0,1048576\n";
    let trace = scratch.file("t.csv", far);
    ftlkit(["explain", "fast", &trace]).refused(&["touches 1 MiB", "addresses = wrap"]);
    let small = scratch.file("s.csv", csv_trace(60));
    for scheme in ["fast", "lazy-rtgc"] {
        ftlkit(["explain", scheme, &small, "--addresses", "wrap", "--events"]).ok();
    }
}

#[test]
fn files_that_are_not_of_explain_are_not_replaced() {
    let scratch = Scratch::new("explain-files");
    let trace = scratch.file("t.csv", csv_trace(5));
    ftlkit(["explain", "fast", &trace, "-o", &trace]).refused(&[
        "--out",
        "is not an HTML page",
        "not replaced",
    ]);
    let notes = scratch.file("notes.txt", "mine");
    ftlkit(["explain", "fast", &format!("--events={notes}")]).refused(&[
        "--events",
        "is not a recording",
        "not replaced",
    ]);
    let read = |path: &str| std::fs::read_to_string(path).expect("a file");
    assert_eq!((read(&trace), read(&notes)), (csv_trace(5), "mine".to_owned()));
    // Its own are.
    let lines = scratch.at("run.jsonl");
    for scheme in ["fast", "page-level"] {
        ftlkit(["explain", scheme, "--requests", "5", &format!("--events={lines}")]).ok();
    }
    assert_eq!(events(&read(&lines))[0]["scheme"], "page-level");
}

#[test]
fn pictures_are_written_and_written_again() {
    let scratch = Scratch::new("explain-pictures");
    let (step, run, page) =
        (scratch.at("step.svg"), scratch.at("run.svg"), scratch.at("fast.html"));
    let read = |path: &str| std::fs::read_to_string(path).expect("a file");
    for _ in 0..2 {
        ftlkit(["explain", "fast", "--frame", "207", "--out", &step]).ok();
        ftlkit(["explain", "fast", "--out", &run, "--frame", "200..230", "--speed", "3"]).ok();
        ftlkit(["explain", "fast", "--requests", "5", "-o", &page]).ok();
    }
    assert!(
        read(&step).contains("full merge of LBN 0: copy LPN 1")
            && !read(&step).contains("<animate")
    );
    assert!(
        read(&run).contains("<animate") && read(&run).contains("frames 200 to 230, 3 per second")
    );
    let whole = scratch.at("whole.svg");
    ftlkit(["explain", "fast", "-o", &whole]).ok();
    assert!(read(&whole).contains("frames 125 to 458, 1 per second"), "behind the fill");
    for wrong in ["x", "9..3", "3..", "-1"] {
        ftlkit(["explain", "fast", &format!("--frame={wrong}"), "--out", &step])
            .refused(&["140..180"]);
    }
    ftlkit(["explain", "fast", "--frame", "459", "--out", &step]).refused(&["0 to 458"]);
    ftlkit(["explain", "fast", "--frame", "5", "--out", &page]).refused(&["are for pictures"]);
    ftlkit(["explain", "fast", "--out", &scratch.file("mine.svg", "mine")])
        .refused(&["not replaced"]);
}

#[test]
fn streams_of_a_cache_are_shown() {
    let all = events(&words("explain page-level --fdp ruhs=3 --events").ok());
    assert_eq!(all[0]["handles"], serde_json::json!([3, 1]));
    assert_eq!(all[0]["workload"], "flash-cache");
    let streams: std::collections::BTreeSet<_> =
        all.iter().filter_map(|line| line["stream"].as_u64()).collect();
    assert_eq!(streams, [1, 2].into());
    words("explain fast --fdp ruhs=3").refused(&["has no placement handles"]);
    words("explain page-level --fdp ruhs").refused(&["KEY=VALUE"]);
}
