//! `--deadline`: late requests, their explanation and the exit code.

use crate::common::{Scratch, ftlkit, unwrapped, words};
use serde_json::Value;

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

#[test]
fn a_kept_bound_beside_a_missed_deadline_is_explained() {
    let scratch = Scratch::new("deadline-bursts");
    let trace = scratch.file("bursts.csv", bursts());
    let line = ["compare", &trace, "--schemes", "lazy-rtgc", "--deadline", "3ms"];
    let short = unwrapped(&ftlkit(line).ok());
    assert!(
        short.contains("% late") && short.contains("bound kept: lazy-rtgc (real-time"),
        "{short}"
    );
    let text = unwrapped(&ftlkit(line.iter().chain(&["--details"])).ok());
    for said in [
        "verdict bound kept",
        "violations 0",
        "deadline 3ms MISSED",
        "although the bound, 2220.9 µs, was kept: it is per page task, without queueing",
        "had to wait for earlier work of the device, and would have been in time alone",
    ] {
        assert!(text.contains(said), "`{said}` is not in: {text}");
    }
    for said in ["although the bound, 2220.9 µs, was kept", "had to wait for earlier work"] {
        assert!(short.contains(said), "`{said}` is not in: {short}");
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
    // The same writes one at a time are in time: a row says it, and a sentence.
    let alone = ftlkit(line.iter().chain(&["--closed", "--strict", "--details"])).ok();
    assert_eq!(unwrapped(&alone).matches("deadline 3ms kept").count(), 2, "{alone}");
    assert!(unwrapped(&alone).contains("for requests of one page that do not queue"), "{alone}");
}

#[test]
fn a_missed_deadline_fails_only_if_strict() {
    let line = "compare uniform --capacity 16MiB --requests 20000 --set size=16k --schemes lazy-rtgc \
                --deadline 3ms";
    let text = unwrapped(&words(line).ok());
    assert!(text.contains("their pages add up; no page took that long"), "{text}");
    let strict = words(&format!("{line} --strict")).ended(1);
    assert!(strict.stdout.contains("% late"), "the report is printed");
    words(&line.replace("3ms", "100ms --strict")).ok();
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
    let text = unwrapped(&ran.stdout);
    assert!(text.contains("from when the SSD took them, with up to 32 outstanding"), "{text}");
    ftlkit(["run", &file, "--strict", "--deadline", "10s"]).ok();
}

#[test]
fn bounds_tell_which_schemes_keep_a_deadline_on_the_array_asked_for() {
    let line = "bounds --part toshiba-slc --capacity 4GiB";
    let text = words(&format!("{line} --deadline 3ms")).ok();
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    assert!(
        text.starts_with("Bounds on 4.0 GiB of toshiba-slc (16,384 blocks; 8 devices of 512.0 MiB")
    );
    let said = unwrapped(&text);
    assert!(said.contains(
        "None of 15 schemes keeps 3ms on toshiba-slc: the least is 3300.0 µs (`lazy-rtgc`)"
    ));
    assert!(said.contains("A program and an erase alone take 3300.0 µs"), "{said}");
    assert!(said.contains("467.3 s") && !said.contains("Table VII"), "{said}");
    words(&format!("{line} --deadline 3ms --strict")).ended(1);
    // A sum of bounds is no longest time.
    let sums = unwrapped(&words(&format!("{line} --deadline 3ms --pages 8")).ok());
    assert!(
        sums.contains("8 × the bound of a page is over 3ms for each of 15 schemes on toshiba-slc")
    );
    assert!(sums.contains("bounds --arrivals writes=bucket:8:1/s"), "{sums}");
    let shorter = format!("{line} --deadline 3ms --set part.t_bers_ns=2ms");
    let text = unwrapped(&words(&format!("{shorter} --schemes lazy-rtgc,gftl,fsr+share=0.6")).ok());
    assert!(
        text.contains("1 of 3 schemes keeps 3ms on toshiba-slc-modified: `lazy-rtgc`, which"),
        "{text}"
    );
    let alone = unwrapped(&words(&format!("{shorter} --schemes lazy-rtgc")).ok());
    assert!(alone.contains("`lazy-rtgc` keeps 3ms on toshiba-slc-modified; it"), "{alone}");
    assert!(alone.contains("Judged are requests of one whole page"), "{alone}");
    assert!(text.contains("gftl † 3.2 GiB") && text.contains("reads +"), "{text}");
    words(&format!("{shorter} --schemes lazy-rtgc --strict")).ok();
    words(&format!("{shorter} --schemes lazy-rtgc,gftl --strict")).ended(1);
    let json = words(&format!("{shorter} --json")).json();
    let rows = json["parts"][0]["schemes"].as_array().expect("a list");
    let row = |name: &str| rows.iter().find(|row| row["scheme"] == name).expect(name);
    assert_eq!(
        (&row("lazy-rtgc")["keeps_deadline"], &row("gftl")["keeps_deadline"]),
        (&true.into(), &false.into())
    );
    assert_eq!(row("gftl")["page_write_ns"], 2_300_000);
}

#[test]
fn choose_tells_proved_from_measured_and_what_fails_by_how_much() {
    let line = "choose uniform --capacity 16MiB --requests 20000 --parts evaluation-slc,spansion-slc,toshiba-tlc \
                --schemes lazy-rtgc,gftl,page-level,rftl+label=three --shares 0.6 --deadline";
    let text = words(&format!("{line} 3ms")).ok();
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let said = unwrapped(&text);
    assert!(said.starts_with("Deadline 3ms, 16MiB raw, uniform: "), "{said}");
    let at = |words: &str| said.find(words).unwrap_or_else(|| panic!("{words}: {said}"));
    assert!(at("Kept in these runs, not proved with queueing") < at("Missed, the nearest first"));
    assert!(said.contains("per P/E") && !said.contains("mJ/MiB TBW"), "{said}");
    let with_cycles = words(&format!("{line} 3ms --set part.endurance_cycles=1000 --json")).json();
    let choices = with_cycles["choices"].as_array().expect("a list");
    let of = |part: &str, scheme: &str| {
        let fits = |c: &&serde_json::Value| {
            c["part"].as_str().is_some_and(|name| name.starts_with(part))
                && c["scheme"] == scheme
                && c["share_tried"].is_null()
        };
        choices.iter().find(fits).expect(scheme)
    };
    assert_eq!(of("spansion-slc", "lazy-rtgc")["verdict"], "proved-alone");
    assert_eq!(of("evaluation-slc", "three")["verdict"], "proved-alone");
    assert_eq!(of("evaluation-slc", "gftl")["verdict"], "measured");
    assert_eq!(of("toshiba-tlc", "lazy-rtgc")["verdict"], "missed");
    let missed = of("evaluation-slc", "page-level");
    assert_eq!(missed["over_ns"].as_u64(), missed["longest_ns"].as_u64().map(|ns| ns - 3_000_000));
    assert!(of("evaluation-slc", "lazy-rtgc")["years"].as_f64() > Some(0.0));
    // One nanosecond after an erase alone: nothing keeps it.
    words(&format!("{line} 100us --quiet")).ended(1);
}

#[test]
fn choose_names_own_parts_and_says_what_it_does_not_prove() {
    let scratch = Scratch::new("choose-own");
    let part = scratch.file("mine.toml", "base = 'evaluation-slc'\nt_prog_ns = '200us'\n");
    let trace = scratch.file("bursts.csv", bursts());
    let line = format!(
        "choose {trace} --part-file {part} --capacity 16MiB --schemes lazy-rtgc --shares 0.6 --deadline 30ms -q"
    );
    let said = unwrapped(&words(&line).ok());
    assert!(said.contains("mine lazy-rtgc") && !said.contains("evaluation-slc"), "{said}");
    assert!(said.contains("a supply voltage and currents that are assumed for 1 of 1 part"));
    assert!(!said.contains("Nothing is proved with queueing"), "{said}");
    let said = unwrapped(&words(&format!("{line} --loops 2")).ok());
    assert!(said.contains("Nothing is proved with queueing of a trace that is played more than"));
}

/// A page that is written in part is read first, and several planes have no proof.
#[test]
fn a_bound_of_page_tasks_proves_no_more_than_it_is_of() {
    let line = "compare uniform --capacity 16MiB --requests 500 --schemes lazy-rtgc -q --deadline";
    let whole = unwrapped(&words(&format!("{line} 2230us")).ok());
    assert!(whole.contains("the bound, 2220.9 µs, proves it"), "{whole}");
    let half = unwrapped(&words(&format!("{line} 2230us --set size=1k")).ok());
    assert!(half.contains("not proved: a page that is written in part is read first"), "{half}");
    let half = unwrapped(&words(&format!("{line} 3ms --set size=1k")).ok());
    assert!(half.contains("the bound, 2220.9 µs, proves it"), "{half}");
    let free = words(&format!("{line} 2230us --set size=1k --partial free")).ok();
    assert!(unwrapped(&free).contains("proves it"), "{free}");
    let ssd = "compare uniform --part ddt-mlc --channels 2 --queue-depth 1 --capacity 256MiB \
               --requests 300 --schemes page-level -q --deadline 9s";
    let ran = unwrapped(&words(ssd).ok());
    assert!(ran.contains("proves it"), "{ran}");
    let planes = unwrapped(&words(&format!("{ssd} --planes 2")).ok());
    assert!(planes.contains("not proved: its planes work together"), "{planes}");
}

#[test]
fn a_margin_lengthens_times_and_a_bound_says_what_it_covers() {
    let text = unwrapped(
        &words("bounds --part toshiba-slc --margin tPROG=1.5 --margin tBERS=2 --schemes lazy-rtgc")
            .ok(),
    );
    assert!(text.contains("tPROG 450.0 µs, tBERS 6000.0 µs"), "{text}");
    assert!(text.contains("6450.0 µs"), "{text}");
    let line =
        "compare uniform --capacity 16MiB --requests 3000 --set size=16k --schemes lazy-rtgc";
    let report = words(&format!("{line} --margin all=2 --json")).json();
    assert_eq!(report["schemes"][0]["bound_ns"], 4_441_800);
    let short = words(line).ok();
    assert!(unwrapped(&short).contains("without queueing; a request of n pages may take n times"));
    assert!(
        unwrapped(&short).contains("longest") && !unwrapped(&short).contains("Bound:"),
        "{short}"
    );
    let line = &format!("{line} --details");
    let text = words(line).ok();
    assert!(
        unwrapped(&text).contains("Bound: of page tasks, without queueing; a request of n pages"),
        "{text}"
    );
    let longest = text.lines().find(|line| line.starts_with("longest request")).expect("a row");
    assert!(longest.ends_with(" ms"), "eight pages take longer than the bound of one: {longest}");
    let pages = words(&line.replace("16k", "2k")).ok();
    assert!(!pages.contains("longest request"), "requests of one page: {pages}");
}

#[test]
fn several_devices_of_a_part_are_said_to_be_one_array() {
    let text = words(
        "compare uniform --part toshiba-slc --capacity 4GiB --requests 1 --precondition none",
    )
    .ok();
    assert!(unwrapped(&text).contains("; 8 devices of 512.0 MiB as one array"), "{text}");
    let text = words("compare uniform --part evaluation-slc --capacity 16MiB --requests 1").ok();
    assert!(!text.contains("as one array"), "{text}");
}

#[test]
fn a_small_trace_on_a_large_device_warns_of_its_precondition() {
    let scratch = Scratch::new("deadline-cold");
    let trace = scratch.file("bursts.csv", bursts());
    let line = ["compare", &trace, "--schemes", "page-level", "--capacity", "16MiB"];
    let told = |more: &[&str]| unwrapped(&ftlkit(line.iter().chain(more)).ok());
    let text = told(&["--loops", "3"]);
    assert!(text.contains("% of the logical space was written by the precondition"), "{text}");
    let aged = told(&["--loops", "3", "--precondition", "full+age=1"]);
    assert!(!aged.contains("never again"), "{aged}");
}

#[test]
fn the_longest_requests_have_names_and_a_deadline_its_own_plot() {
    let scratch = Scratch::new("deadline-plot");
    let trace = scratch.file("bursts.csv", bursts().replace(",2048\n", ",4096\n"));
    let out = scratch.at("out");
    let line = ["compare", &trace, "--schemes", "lazy-rtgc", "--deadline", "3ms", "--details"];
    let text = ftlkit(line.iter().copied().chain(["-q", "--out", &out])).ok();
    let row = |name: &str| text.lines().any(|line| line.trim_start().starts_with(name));
    assert!(row("longest request (without queueing)"), "{text}");
    assert!(row("longest request (completion)"), "{text}");
    let read = |name: &str| std::fs::read_to_string(format!("{out}/{name}")).expect(name);
    let plot = read("request_completion_ccdf.svg");
    assert!(plot.contains("deadline 3ms") && plot.contains("completion of a request"));
    assert!(!read("response_ccdf.svg").contains("deadline"));
    assert!(
        read("request_completion_ccdf.csv").starts_with("scheme,completion_ns,share_of_requests")
    );
}

/// A trace has an arrival curve: what is proved of it includes the queue, and no run comes later.
#[test]
fn choose_proves_a_trace_with_queueing() {
    let scratch = Scratch::new("choose-queueing");
    let trace = scratch.file("bursts.csv", bursts());
    let line = |deadline: &str, more: &str| {
        format!(
            "choose {trace} --exported 6MiB --parts evaluation-slc --schemes lazy-rtgc,rftl,gftl --shares 0.7 \
             --deadline {deadline} {more}"
        )
    };
    let json = words(&line("10ms", "--json")).json();
    assert_eq!(
        (&json["exported_bytes"], &json["capacity_bytes"]),
        (&(6 << 20).into(), &Value::Null)
    );
    let choices = json["choices"].as_array().unwrap();
    let bound = |choice: &Value| choice["queued_ns"].as_u64();
    let mut proved = 0;
    for choice in choices.iter().filter(|choice| choice["verdict"] != "impossible") {
        assert!(choice["exported_bytes"].as_u64() >= Some(6 << 20), "{choice}");
        // One that is far beyond the deadline is not looked for.
        let is_kept = bound(choice).is_none_or(|ns| choice["longest_ns"].as_u64() <= Some(ns));
        assert!(is_kept, "{choice}");
        let in_time = bound(choice).is_some_and(|ns| ns <= 10_000_000);
        assert_eq!(choice["verdict"] == "proved-with-queueing", in_time, "{choice}");
        proved += u32::from(in_time);
    }
    assert!(proved > 0 && choices[0]["verdict"] == "proved-with-queueing", "{choices:?}");
    let text = unwrapped(&words(&line("10ms", "")).ok());
    for said in [
        "Deadline 10ms, at least 6MiB exported,",
        &format!("{proved} proved with queueing"),
        "Proved with queueing part scheme",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    // Without the times of the trace nothing is known of the queue.
    let json = words(&line("10ms", "--closed --json")).json();
    assert!(json["choices"].as_array().unwrap().iter().all(|choice| choice["queued_ns"].is_null()));
}

#[test]
fn a_proof_is_of_the_largest_request() {
    let line = "choose uniform --capacity 16MiB --requests 5000 --parts evaluation-slc --schemes lazy-rtgc \
                --shares 0.6 --deadline 4441500ns --set size=";
    let first = |size: &str| {
        let json = words(&format!("{line}{size} --json")).json();
        json["choices"][0].clone()
    };
    assert_eq!(first("2KiB")["verdict"], "proved-alone");
    let two = first("4KiB");
    assert_eq!((&two["verdict"], &two["request_pages"]), (&"measured".into(), &2.into()));
    assert_eq!(two["request_bound_ns"], 2 * 2_220_900);
    let text = unwrapped(&words(&format!("{line}4KiB")).ok());
    assert!(
        text.contains("keep it, 0 proved with queueing, 0 for requests that do not queue;")
            && !text.contains("as one array"),
        "{text}"
    );
    let text = words(&format!("{line}4KiB")).ok();
    let row = text.lines().find(|line| line.starts_with("evaluation-slc")).expect("a row");
    assert!(row.contains(" run ") && !row.contains("proved"), "{row}");
    // The same judgement without a run.
    let bounds = "bounds --part evaluation-slc --schemes lazy-rtgc --strict --deadline 3ms";
    let text = unwrapped(&words(bounds).ok());
    assert!(
        text.contains("requests of one whole page (--pages N") && text.contains("bounds --tasks")
    );
    let two = words(&format!("{bounds} --pages 2"));
    assert_eq!(two.code, Some(1), "{}", two.stdout);
    assert!(unwrapped(&two.stdout).contains("requests of 2 whole pages"), "{}", two.stdout);
}

/// The search tells what it plans before it runs, each table, one row to take, and why.
#[test]
fn choose_tells_what_is_known_before_it_runs_and_recommends_a_row() {
    let scratch = Scratch::new("choose-plan");
    let trace = scratch.file("bursts.csv", bursts());
    let out = scratch.at("out");
    let line = format!(
        "choose {trace} --exported 6MiB --parts evaluation-slc,toshiba-tlc --schemes lazy-rtgc,gftl,page-level --shares 0.7 \
         --deadline writes:10ms --set part.endurance_cycles=3000 --out {out}"
    );
    let ran = words(&line);
    let note = unwrapped(&ran.stderr);
    for said in [
        "note: ",
        " combinations: ",
        "of them proved with queueing, so far",
        "pruned, since program times",
        "to run",
    ] {
        assert!(note.contains(said), "{said}: {note}");
    }
    let text = ran.ok();
    let said = unwrapped(&text);
    for words in [
        "Recommended: evaluation-slc lazy-rtgc at ",
        "whose completed writes are durable",
        "TBW",
        "written",
        "pruned",
        "≥ ",
        "Rated P/E cycles: evaluation-slc 3000 (as set)",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let table = std::fs::read_to_string(format!("{out}/choices.csv")).expect("a table");
    assert!(table.starts_with("part,scheme,share_tried,verdict,") && table.lines().count() > 6);
    // It goes on with what is there, and replaces no other file.
    assert_eq!(words(&line).ok(), text);
    std::fs::write(format!("{out}/choices.csv"), "mine\n").expect("a file");
    words(&line).refused(&["choices.csv", "--force"]);
    words(&format!("{line} --force")).ok();
}

/// What fits no array has the reason of its size, or of its part, whatever the size. Addresses may wrap, as the advice is.
#[test]
fn choose_tells_why_a_trace_or_a_part_does_not_fit() {
    let scratch = Scratch::new("choose-fit");
    let trace = scratch.file("bursts.csv", bursts());
    let line = format!("choose {trace} --parts evaluation-slc --schemes 2lgc --shares 0.7 --all");
    words(&format!("{line} --deadline 1s")).refused(&["--capacity", "--exported 4GiB"]);
    let many = "--exported 8MiB --set part.endurance_cycles=100000 --deadline 1s";
    let told = unwrapped(&words(&format!("{line} {many}")).ended(1).stdout);
    assert!(told.contains("0 miss it, 2 do not work"), "{told}");
    assert!(told.contains("13 bits count at most 8191") && !told.contains("no array"), "{told}");
    let small = format!("{} --capacity 2MiB --deadline 10s", line.replace("2lgc", "fsr"));
    words(&small).refused(&["addresses = wrap"]);
    let told = unwrapped(&words(&format!("{small} --addresses wrap")).ok());
    assert!(told.contains("Nothing is proved with queueing of requests that reach"), "{told}");
    words("choose uniform --capacity 16MiB --deadline 1s --addresses wrap")
        .refused(&["--addresses is for traces"]);
}

#[test]
fn choose_tries_an_ssd_and_says_that_nothing_is_proved_of_it() {
    let line = "choose uniform --exported 16MiB --deadline 1s --parts ddt-mlc --schemes page-level --shares 0.7 \
                --requests 2000 --channels 2 --interface nvme:gen4x4";
    let said = unwrapped(&words(line).ok());
    assert!(said.contains("Nothing is proved of an SSD"), "{said}");
    assert!(said.contains("0 proved with queueing, 0 for requests that do not queue"), "{said}");
}
