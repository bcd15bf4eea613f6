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
        "None of these schemes has a bound.",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    words(&format!("{line} --deadline 1s --strict")).ended(1);
}

#[test]
fn an_ssd_has_a_bound_with_one_request_at_a_time() {
    let line = "bounds --arrivals writes=bucket:4:20/s,reads=bucket:2:5/s,trims=bucket:1:1/s --part ddt-mlc \
        --schemes lazy-rtgc,page-level+buffer=lru+buffer_age=0 --channels 2 --ways 2 --json";
    let of_depth = |more: &str| words(&format!("{line} {more}")).json();
    let one = of_depth("--queue-depth 1");
    assert_eq!(one["parts"][0]["part"], "an SSD of ddt-mlc");
    let lazy = of(&one, "lazy-rtgc");
    // Each page task takes its worst case; a trim, too, since units take turns.
    let costs = words("bounds --part ddt-mlc --ways 4 --schemes lazy-rtgc --json").json();
    let cost = |key: &str| of(&costs, "lazy-rtgc")[key].as_u64().unwrap();
    let (write_ns, read_ns) = (cost("page_write_ns"), cost("page_read_ns"));
    // Between devices a copy alone takes longer than its share of a run of them, which the worst case counts.
    let (counted, delay_ns) = (5 * write_ns + 2 * read_ns, lazy["delay_ns"].as_u64().unwrap());
    assert!(delay_ns > counted && delay_ns < 2 * counted, "{delay_ns} {counted}");
    assert_eq!(lazy["by"], "each page task");
    let buffered = &one["parts"][0]["schemes"][1];
    assert!(buffered["why_not"].as_str().unwrap().contains("write buffer"), "{buffered}");
    // SATA at 300 MB/s, on which a trim takes no time: a transfer with each page; the trim counts as a write.
    let sata = of_depth("--queue-depth 1 --interface sata2");
    let page = 1e9 / 3e8 * one_page("ddt-mlc") as f64;
    let added = of(&sata, "lazy-rtgc")["delay_ns"].as_u64().unwrap() - delay_ns;
    assert_eq!(added, 7 * page.ceil() as u64);
    for more in ["", "--queue-depth 2"] {
        let found = of_depth(more);
        let why = of(&found, "lazy-rtgc")["why_not"].as_str().unwrap();
        assert!(
            why.contains("several requests at once") && why.contains("--queue-depth 1"),
            "{why}"
        );
    }
}

fn one_page(part: &str) -> u32 {
    flash::parts::by_name(part).unwrap().page_bytes
}

#[test]
fn built_in_workloads_with_arrival_times_have_curves_of_their_requests() {
    let text = "uniform:rate=100:size=4KiB:requests=400:space=64MiB";
    // A request of two pages every 10 ms: one alone is done before the next.
    let json = words(&format!("bounds --arrivals {text} --schemes lazy-rtgc --json")).json();
    let lazy = of(&json, "lazy-rtgc");
    assert_eq!(lazy["delay_ns"], 2 * 2_220_900);
    let note = json["notes"][0].as_str().unwrap();
    assert!(note.contains("seed 1") && !note.contains("Poisson"), "{note}");
    let curve = words(&format!("trace curve {text} --page 2KiB --json")).json();
    assert_eq!(
        (&curve["requests"], &curve["curves"]["writes"]["pages"]),
        (&400.into(), &800.into())
    );
    assert_eq!(curve["curves"]["writes"]["lasts_ns"], 399 * 10_000_000_u64);
    let random = words(&format!("trace curve {text}:arrivals=poisson:seed=7")).ok();
    assert!(unwrapped(&random).contains("seed 7") && random.contains("Poisson"), "{random}");
    // What is proved of a run's own requests is kept by it.
    let line = "choose uniform --set rate=40 --set arrivals=poisson --set size=4KiB --requests 2000 --exported 6MiB --deadline 60ms \
        --parts evaluation-slc --schemes lazy-rtgc,rftl --shares 0.8";
    let found = words(&format!("{line} --json --quiet")).json();
    let rows = found["choices"].as_array().unwrap();
    let proved = rows.iter().filter(|row| row["verdict"] == "proved-with-queueing");
    assert!(proved.clone().count() > 1, "{rows:?}");
    for row in proved {
        assert!(row["longest_ns"].as_u64() <= row["queued_ns"].as_u64(), "{row}");
    }
    let text = unwrapped(&words(line).ok());
    assert!(
        text.contains("requests that uniform gives with seed 1") && text.contains("Poisson"),
        "{text}"
    );
}

#[test]
fn deadlines_of_a_length_judge_requests_of_that_length() {
    let scratch = Scratch::new("lengths");
    // Each 40 ms a request of 8 pages, and one of a page behind it.
    let line = |n: u64| {
        let (at, page) = (n * 40_000, n * 67 % 1000 * 2048);
        format!("{at},W,{page},16384\n{},W,{page},2048\n", at + 1000)
    };
    let lines: String = (0..300).map(line).collect();
    let trace = scratch.file("trace.csv", format!("time_us,op,offset,length\n{lines}"));
    let verdict = |deadline: &str, scheme: &str| {
        let line = format!(
            "choose {trace} --deadline {deadline} --capacity 8MiB --parts evaluation-slc --shares 0.8 --schemes {scheme} \
             --precondition full --json --quiet"
        );
        let found = words(&line);
        let json = found.stdout;
        let json: Value = serde_json::from_str(&json).unwrap();
        json["choices"][0].clone()
    };
    // The long ones take eight programs at least, 1.77 ms.
    let missed = verdict("16384..:1ms,..2048:1s", "lazy-rtgc");
    assert_eq!((&missed["why"], &missed["missed"]), (&"pruned".into(), &"16KiB..:1ms".into()));
    assert_eq!(missed["least_ns"], 8 * 220_900);
    // A short one waits for a long one: it is late, though alone it takes a page's time.
    let missed = verdict("..2KiB:800us,16KiB..:1s", "page-level");
    assert_eq!(
        (&missed["verdict"], &missed["why"]),
        (&"missed".into(), &"queueing".into()),
        "{missed}"
    );
    let proved = verdict("..2KiB:60ms,writes:16KiB..:60ms", "lazy-rtgc");
    assert_eq!(proved["verdict"], "proved-with-queueing", "{proved}");
    // A bound that is not proved with queueing is of the pages that such a length can touch.
    let alone = verdict("..2KiB:13ms,16KiB..:1s", "lazy-rtgc");
    assert_eq!(alone["verdict"], "proved-alone", "{alone}");
    words(&format!("choose {trace} --deadline ..:1ms --capacity 8MiB"))
        .refused(&["needs a length"]);
}

/// What a proof takes for granted of a trace is told beside it, wherever it is proved.
#[test]
fn units_that_are_taken_for_granted_are_told_beside_what_is_proved() {
    let scratch = Scratch::new("granted");
    let file = scratch.file("amb.csv", "time,rw,lba,size\n1000,W,8,8\n1010,R,8,8\n");
    let curve = ftlkit(["trace", "curve", &file, "--page", "2KiB", "--json"]).ok();
    let curve = scratch.file("curve.json", curve);
    let bounds = ["bounds", "--schemes", "lazy-rtgc", "--arrivals"];
    let choose = "choose --deadline 40ms --exported 16MiB --parts evaluation-slc --schemes lazy-rtgc --trace";
    let choose: Vec<&str> = choose.split_whitespace().chain([&file[..]]).collect();
    let commands: [Vec<&str>; 4] = [
        vec!["trace", "curve", &file],
        bounds.into_iter().chain([&file[..]]).collect(),
        bounds.into_iter().chain([&curve[..]]).collect(),
        choose,
    ];
    for line in commands {
        let text = unwrapped(&ftlkit(line.clone()).ok());
        assert!(
            text.contains("`time` names no unit: its times were taken as s"),
            "{line:?} {text}"
        );
        assert!(text.contains("`lba` names no unit: taken as sectors"), "{line:?} {text}");
        let json = ftlkit(line.iter().copied().chain(["--json"])).json();
        assert!(json["notes"][0].as_str().unwrap().contains("names no unit"), "{json}");
    }
}

/// The command that a verdict on tasks is confirmed by has the same part, and names as a shell takes them.
#[test]
fn the_run_that_is_to_confirm_tasks_has_the_part_of_the_bounds() {
    let scratch = Scratch::new("confirm");
    let tasks = "[[tasks]]\nname = 'log'\noperation = 'write'\nperiod = '50ms'\npages = 1\n";
    let tasks = scratch.file("my tasks.toml", tasks);
    let part = scratch.file(
        "own.toml",
        "page_bytes = 2048\npages_per_block = 64\nt_r_ns = 25000\nt_prog_ns = 200000\nt_bers_ns = 1500000\n",
    );
    let said = |more: &[&str]| {
        let args = ["bounds", "--tasks", &tasks, "--schemes", "lazy-rtgc"];
        let text = ftlkit(args.iter().chain(more)).ok();
        let line = text.lines().find(|line| line.contains("ftlkit compare --tasks")).unwrap();
        line.trim().to_owned()
    };
    let line = said(&["--part", "znand-slc", "--margin", "tPROG=2", "--set", "part.t_r_ns=4us"]);
    assert!(line.starts_with(&format!("ftlkit compare --tasks '{tasks}' --part znand-slc --set")));
    assert!(line.contains("--set part.t_prog_ns=200000"), "{line}");
    assert!(line.contains("part.t_r_ns=4us") || line.contains("part.t_r_ns=4000"), "{line}");
    let line = said(&["--part-file", &part, "--margin", "tPROG=1.5"]);
    assert!(line.contains(&format!("--part-file {part} --margin=tPROG=1.5 ")), "{line}");
    assert!(said(&[]).contains(" --part evaluation-slc --precondition"), "{}", said(&[]));
}
