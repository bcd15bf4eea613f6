//! `--deadline`: late requests, their explanation and the exit code.

use crate::common::{Scratch, ftlkit, words};

/// 20,000 writes of one page to 2,000 pages, four at a time every 20 ms.
fn bursts() -> String {
    let mut text = "arrival_ns,op,offset_bytes,length_bytes\n".to_owned();
    let mut draw = 1_u64;
    for n in 0..20_000_u64 {
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let page = (draw >> 33) % 2000;
        text.push_str(&format!("{},write,{},2048\n", n / 4 * 20_000_000, page * 2048));
    }
    text
}

/// One line of words, whatever the line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_kept_bound_beside_a_missed_deadline_is_explained() {
    let scratch = Scratch::new("deadline-bursts");
    let trace = scratch.file("bursts.csv", bursts());
    let line = ["compare", &trace, "--schemes", "lazy-rtgc", "--deadline", "3ms"];
    let text = flat(&ftlkit(line).ok());
    for said in [
        "verdict bound kept",
        "violations 0",
        "deadline 3ms MISSED",
        "although the bound, 2220.9 µs, was kept: it is per page task, without queueing",
        "had to wait for earlier work of the device, and would have been in time alone",
    ] {
        assert!(text.contains(said), "`{said}` is not in: {text}");
    }
    let report = ftlkit(line.iter().chain(&["--json"])).json();
    let scheme = &report["schemes"][0];
    let deadline = &scheme["request_deadline"];
    assert_eq!(deadline["deadline_ns"], 3_000_000);
    assert_eq!(deadline["kept"], false);
    assert!(deadline["late_requests"].as_u64() > Some(1000), "{deadline}");
    assert_eq!(deadline["late_requests"], deadline["late_write_requests"]);
    assert_eq!(deadline["late_requests"], deadline["late_by_queueing_requests"]);
    assert_eq!(deadline["longest_ns"], scheme["request_completion_ns"]["max"]);
    assert!(scheme["response_ns"]["max"].as_u64() <= Some(2_220_900));
    // The same writes one at a time are in time.
    let alone = ftlkit(line.iter().chain(&["--closed", "--strict"])).ok();
    assert!(flat(&alone).contains("deadline 3ms kept"), "{alone}");
    assert!(flat(&alone).contains("for requests of one page that do not queue"), "{alone}");
}

#[test]
fn a_missed_deadline_fails_only_if_strict() {
    let line = "compare uniform --capacity 16MiB --requests 20000 --set size=16k --schemes lazy-rtgc \
                --deadline 3ms";
    let text = flat(&words(line).ok());
    assert!(text.contains("their pages add up; no page took that long"), "{text}");
    let strict = words(&format!("{line} --strict")).ended(1);
    assert!(strict.stdout.contains("MISSED"), "the report is printed");
    words(&line.replace("3ms", "100ms --strict")).ok();
    words("compare uniform --strict").refused(&["--strict judges a deadline", "--deadline 3ms"]);
    words("compare uniform --deadline 0ms").refused(&["deadline", "3ms"]);
    let without = words(&line.replace(" --deadline 3ms", " --json")).json();
    assert!(without["schemes"][0]["request_deadline"].is_null());
}

#[test]
fn a_file_has_a_deadline_and_an_ssd_judges_it() {
    let scratch = Scratch::new("deadline-file");
    let line = "compare uniform --part ddt-mlc --channels 2 --capacity 256MiB --requests 2000 \
                --schemes lazy-rtgc --deadline 2500us";
    let toml = words(&format!("{line} --dry-run")).ok();
    assert!(toml.contains("deadline = \"2500us\""), "{toml}");
    let file = scratch.file("ssd.toml", &toml);
    let ran = ftlkit(["run", &file, "--strict"]).ended(1);
    let text = flat(&ran.stdout);
    assert!(text.contains("from when the SSD took them, with up to 32 outstanding"), "{text}");
    ftlkit(["run", &file, "--strict", "--deadline", "10s"]).ok();
}
