//! `--html`.

use crate::common::{Ran, Scratch, command, csv_trace, ftlkit, interrupted, words};

/// A run of a second, and one that would take hours.
const SHORT: &str =
    "compare uniform --capacity 32MiB --requests 5000 --schemes page-level,lazy-rtgc --quiet";
const LONG: &str = "compare uniform --capacity 64MiB --schemes lazy-rtgc --requests 100000000000";

fn read(path: &str) -> String {
    std::fs::read_to_string(path).expect(path)
}

#[test]
fn a_comparison_is_a_page_beside_its_other_results() {
    let dir = Scratch::new("html");
    let (page, out) = (dir.at("report.html"), dir.at("out"));
    let json = words(&format!("{SHORT} --json --out {out} --html {page}")).json();
    assert_eq!(json["schemes"].as_array().map(Vec::len), Some(2));
    let text = read(&page);
    for part in [
        "<!DOCTYPE html>",
        "<h1>uniform on evaluation-slc</h1>",
        "<dt>device</dt><dd>evaluation-slc, 32.0 MiB",
        "<dt>precondition</dt>",
        "requests: 5,000 taken, all completed",
        "requests = 5000",
        "<td>lazy-rtgc</td>",
        "bound 2220.9 µs",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert!(text.contains(&format!("--json --out {out} --html {page}</pre>")), "the command");
    assert!(text.len() < 5_000_000 && !text.contains("https:"));
    // As a file, and from an experiment; a page is replaced, and nothing is left beside it.
    words(&format!("run {out}/experiment.toml --out {out} --force --quiet --html {page}")).ok();
    let again = read(&page);
    assert!(again.contains("ftlkit run ") && again.contains("<td>lazy-rtgc</td>"));
    let files = std::fs::read_dir(dir.path()).expect("a folder").count();
    assert_eq!(files, 2, "the page and the folder of --out");
}

#[test]
fn a_page_is_written_even_if_the_reader_of_the_output_is_gone() {
    let dir = Scratch::new("html-closed");
    for (name, line) in [
        ("sweep", "sweep uniform --capacity 16MiB --requests 500 --vary share=0.6,0.7 --quiet"),
        (
            "choose",
            "choose uniform --deadline 3ms --capacity 16MiB --requests 500 --parts evaluation-slc --schemes \
             page-level --quiet",
        ),
        ("reproduce", "reproduce lazy-rtgc --only table-2 --quiet"),
    ] {
        let page = dir.at(&format!("{name}.html"));
        let mut run = command()
            .args(line.split_whitespace().chain(["--html", &page]))
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("ftlkit starts");
        drop(run.stdout.take());
        run.wait().expect("it ends");
        assert!(read(&page).contains("<h2"), "{name}");
    }
}

#[test]
fn pages_of_sweeps_and_choices_say_what_was_run() {
    let dir = Scratch::new("html-run");
    let page = dir.at("page.html");
    let sweep = "sweep uniform --capacity 16MiB --requests 500 --vary share=0.6,0.7 --quiet --html";
    words(&format!("{sweep} {page}")).ok();
    let text = read(&page);
    assert!(text.contains("<dt>device</dt><dd>evaluation-slc, 16.0 MiB"), "{text}");
    assert!(text.contains("<dt>workload</dt><dd>uniform, 500 requests"));
    // A plot that is asked for stands in place of the page's own of the same axes.
    let plots = text.matches("This plot is drawn when").count();
    assert!(plots >= 3, "{plots}");
    let out = dir.at("out");
    words(&format!("{sweep} {page} --out {out} --plot x=share,y=waf,by=scheme")).ok();
    assert_eq!(read(&page).matches("This plot is drawn when").count(), plots);
    words(&format!("{sweep} {page} --out {out} --force --plot x=share,y=p99")).ok();
    assert_eq!(read(&page).matches("This plot is drawn when").count(), plots + 1);
    let choose = "choose uniform --deadline 3ms --capacity 16MiB --requests 500 --parts evaluation-slc --schemes \
                  lazy-rtgc --quiet --html";
    words(&format!("{choose} {page}")).ok();
    let text = read(&page);
    assert!(text.contains("\"range\":["), "the axis of times has ends, and so names of ours");
    for part in [
        "<dt>workload</dt><dd>uniform",
        "<dt>capacity</dt><dd>16.0 MiB",
        "<dt>precondition</dt>",
        "<dt>parts</dt><dd>evaluation-slc",
        "<dt>schemes</dt><dd>lazy-rtgc",
    ] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn names_of_files_are_no_markup() {
    let dir = Scratch::new("html-names");
    let trace = dir.file("<b>.csv", csv_trace(200));
    let page = dir.at("report.html");
    ftlkit(["compare", &trace, "--schemes", "page-level", "--quiet", "--html", &page]).ok();
    let text = read(&page);
    assert!(text.contains("<h1>&lt;b&gt;.csv on evaluation-slc</h1>"));
    assert!(!text.contains("<b>.csv"));
}

#[test]
fn a_file_that_cannot_be_a_page_is_refused_before_the_run() {
    let dir = Scratch::new("html-refused");
    let folder = dir.path().display().to_string();
    words(&format!("{LONG} --html -")).refused(&["--html -", "report.html"]);
    words(&format!("{LONG} --html {folder}")).refused(&["this is a folder", "name a file"]);
    words(&format!("{LONG} --html {folder}/none/report.html")).refused(&[
        "none/report.html",
        "cannot be written",
        "folder must be there",
    ]);
    let trace = dir.file("trace.csv", csv_trace(10));
    words(&format!("{LONG} --html {trace}")).refused(&["is not an HTML page", "not replaced"]);
    assert_eq!(read(&trace), csv_trace(10));
    words("compare --html /dev/null --requests 100000000000").refused(&["is not an HTML page"]);
    for other in [
        "sweep uniform --vary share=0.6,0.7 --requests 100000000000 --html",
        "choose uniform --deadline 3ms --capacity 64MiB --requests 100000000000 --html",
        "reproduce all --full --html",
    ] {
        words(&format!("{other} {folder}")).refused(&["this is a folder"]);
    }
}

#[test]
fn a_sweep_is_a_page_with_what_is_impossible() {
    let dir = Scratch::new("html-sweep");
    let page = dir.at("sweep.html");
    words(&format!(
        "sweep uniform --capacity 16MiB --requests 2000 --vary share=0.6,0.99 --seed 1..2 --schemes \
         page-level,lazy-rtgc --quiet --html {page}"
    ))
    .ok();
    let text = read(&page);
    for part in [
        "<h1>Sweep of 8 runs</h1>",
        "<dd>share: 0.6, 0.99</dd>",
        "<dd>page-level, lazy-rtgc</dd>",
        "<dt>varied</dt>",
        "impossible",
        "write amplification (WAF) over share, by scheme",
        "\"errors\":[",
    ] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn choices_are_a_page_with_the_deadline() {
    let dir = Scratch::new("html-choose");
    let page = dir.at("choose.html");
    words(&format!(
        "choose uniform --deadline 3ms --capacity 16MiB --requests 2000 --parts evaluation-slc --schemes \
         page-level,lazy-rtgc --quiet --html {page}"
    ))
    .ok();
    let text = read(&page);
    for part in [
        "deadline of 3ms</h1>",
        "Kept in these runs, not proved with queueing",
        "\"label\":\"deadline 3ms\"",
        "alone",
    ] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn a_paper_is_a_page_with_its_figures() {
    let dir = Scratch::new("html-paper");
    let (page, out) = (dir.at("paper.html"), dir.at("out"));
    words(&format!("reproduce lazy-rtgc --only table-2,fig-11 --quiet --out {out} --html {page}"))
        .ok();
    let text = read(&page);
    for part in [
        "Table 2 ·",
        "Fig. 11",
        "<figure class=\"plot\">",
        "spansion-slc: U(σ)",
        "reproduce lazy-rtgc --only",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert_eq!(read(&format!("{out}/index.html")), text);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_writes_its_page_and_says_so() {
    let dir = Scratch::new("html-interrupted");
    let page = dir.at("report.html");
    let words: Vec<&str> = LONG.split_whitespace().chain(["--html", &page]).collect();
    let has_figures = |_: &Ran| {
        std::fs::read_to_string(&page).is_ok_and(|text| text.contains("<td>lazy-rtgc</td>"))
    };
    interrupted("-TERM", &words, has_figures).ended(130);
    let text = read(&page);
    assert!(
        text.contains("INTERRUPTED: the figures cover the run until then."),
        "{}",
        &text[..2000]
    );
    // A run that was interrupted before it had figures replaces none.
    let words: Vec<&str> =
        "compare uniform --capacity 1GiB --precondition full+age=1000 --schemes page-level --html"
            .split_whitespace()
            .chain([&*page])
            .collect();
    let ran = interrupted("-TERM", &words, |ran| ran.code == Some(130)).ended(130);
    assert!(ran.stderr.contains("no page is written"), "{}", ran.stderr);
    assert_eq!(read(&page), text);
}
