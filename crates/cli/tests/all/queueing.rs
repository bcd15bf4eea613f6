//! `bounds --arrivals`: delays that are proved with queueing, and runs that never exceed them.

use crate::common::{Scratch, ftlkit, unwrapped, words};
use serde_json::Value;

/// Requests in bursts: page writes with some reads between, over 6 MiB.
fn trace() -> String {
    let mut text = String::from("time_us,op,offset,length\n");
    for burst in 0..60u64 {
        for at in 0..24 {
            let page = (burst * 977 + at * 131) % 3000;
            let op = if at % 5 == 4 { "R" } else { "W" };
            let time_us = burst * (60_000 + burst * 700) + at * 150;
            text.push_str(&format!("{time_us},{op},{},2048\n", page * 2048));
        }
    }
    text
}

fn of<'a>(json: &'a Value, scheme: &str) -> &'a Value {
    let rows = json["parts"][0]["schemes"].as_array().unwrap();
    rows.iter().find(|row| row["scheme"] == scheme).unwrap_or_else(|| panic!("no {scheme}"))
}

const SCHEMES: &str = "lazy-rtgc,rftl,gftl,lazy-rtgc-on-demand,2lgc+share=0.7,\
    page-level+share=0.7+frontiers=shared,fsr+share=0.7,nftl";

#[test]
fn no_run_of_a_trace_exceeds_what_its_curve_proves() {
    let scratch = Scratch::new("queueing");
    let file = scratch.file("trace.csv", trace());
    let blocks = ["--part", "evaluation-slc", "--capacity", "8MiB"];
    let proved = |arrivals: &str| {
        let args = ["bounds", "--arrivals", arrivals, "--schemes", SCHEMES, "--json"];
        ftlkit(args.iter().chain(&blocks)).json()
    };
    let json = proved(&file);
    let args = ["compare", &file, "--schemes", SCHEMES, "--share", "own", "--json", "--quiet"];
    let more = ["--precondition", "full+age=1"];
    let run = ftlkit(args.iter().chain(&blocks).chain(&more)).json();
    let mut nearest = 0.0;
    for scheme in run["schemes"].as_array().unwrap() {
        let name = scheme["name"].as_str().unwrap();
        let row = json["parts"][0]["schemes"].as_array().unwrap();
        let row = row.iter().find(|row| row["scheme"] == name).unwrap_or_else(|| panic!("{name}"));
        let longest = scheme["request_completion_ns"]["max"].as_u64().unwrap();
        match row["delay_ns"].as_u64() {
            Some(bound) => {
                assert!(longest <= bound, "{name}: {longest} ns, bound {bound}");
                nearest = f64::max(nearest, longest as f64 / bound as f64);
            }
            None => assert!(row["why_not"].is_string(), "{row}"),
        }
    }
    assert!(nearest > 0.5, "{nearest}");
    // The curve that `trace curve` writes says the same.
    let curve = ftlkit(["trace", "curve", &file, "--page", "2KiB", "--json"]).ok();
    let curve = scratch.file("curve.json", curve);
    assert_eq!(proved(&curve)["parts"], json["parts"]);
    let other = ftlkit(["trace", "curve", &file, "--page", "4KiB", "--json"]).ok();
    let other = scratch.file("other.json", other);
    ftlkit(["bounds", "--arrivals", &other]).refused(&[
        "pages of 4.0 KiB",
        "pages of 2.0 KiB",
        "--page 2048 --json",
    ]);
}

#[test]
fn a_deadline_is_judged_with_queueing() {
    let arrivals = "writes=bucket:4:20/s,reads=periodic:10ms:2";
    let line = format!("bounds --arrivals {arrivals} --schemes lazy-rtgc,rftl --json");
    let json = words(&line).json();
    // Two reads and four writes, two with an erase and two with the copies of a step; no more comes in that time.
    let lazy = of(&json, "lazy-rtgc");
    assert_eq!(lazy["delay_ns"], 4 * 220_900 + 2 * 2_000_000 + 2 * 1_999_200 + 2 * 29_000);
    assert_eq!((&lazy["window_ns"], &lazy["backlog_pages"]), (&0.into(), &6.into()));
    assert_eq!(
        (&lazy["by"], &lazy["keeps_deadline"]),
        (&"collections in a row".into(), &Value::Null)
    );
    assert_eq!(of(&json, "rftl")["by"], "each page task");
    // Between both.
    let strict = |deadline: &str| {
        format!(
            "bounds --arrivals {arrivals} --schemes lazy-rtgc,rftl --deadline {deadline} --strict"
        )
    };
    let text = unwrapped(&words(&strict("10ms")).ok());
    assert!(text.contains("deadline 10ms") && text.contains("kept"), "{text}");
    let text = unwrapped(&words(&strict("9ms")).ended(1).stdout);
    assert!(text.contains("kept") && text.contains("+115.6 µs"), "{text}");
    words(&format!("bounds --arrivals {arrivals} --deadline 9ms --strict")).ended(0);
    words(&format!("bounds --arrivals {arrivals} --deadline 1ms --strict")).ended(1);
}

#[test]
fn what_has_no_bound_says_why() {
    let line = "bounds --arrivals writes=bucket:1:2000/s --schemes lazy-rtgc,2lgc,lazy-rtgc+idle,page-level+idle";
    let text = unwrapped(&words(line).ok());
    for said in [
        "lazy-rtgc, 2lgc: the arrivals ask for more than the worst case can serve",
        "lazy-rtgc+idle, page-level+idle: it works in idle time",
        "No scheme has a bound.",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    words(&format!("{line} --deadline 1s --strict")).ended(1);
}

#[test]
fn bad_arrivals_are_refused() {
    let scratch = Scratch::new("queueing-bad");
    let addresses = scratch.file("addresses.csv", "op,offset,length\nW,0,4096\n");
    let curve =
        scratch.file("curve.json", "{\"page_bytes\": 2048, \"requests\": 1, \"flushes\": 0}");
    let line = |arrivals: &str| ftlkit(["bounds", "--arrivals", arrivals]);
    line(&addresses).refused(&["no arrival times"]);
    line(&curve).refused(&["curve of writes", "shortest_windows", "trace curve FILE --json"]);
    line(&scratch.at("none.csv")).refused(&["none.csv"]);
    line(&scratch.at("none.json")).refused(&["none.json"]);
    line("writes=64").refused(&["is no bucket and not periodic", "writes=bucket:PAGES:RATE/s"]);
    words("bounds --arrivals writes=bucket:1:1/s --tasks x.toml").refused(&["--tasks"]);
    words("bounds --arrivals writes=bucket:1:1/s --copy all").refused(&["copy paths"]);
}
