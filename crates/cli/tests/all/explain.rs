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
    let line = ["explain", "page-level+victim=fifo", "--requests", "5"];
    let there = command().args(line).current_dir(scratch.path()).output().expect("it starts");
    ran(there).ok();
    assert!(scratch.path().join("explain-page-level+victim=fifo.html").is_file());
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
        "--html",
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
