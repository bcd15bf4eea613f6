//! `ftlkit sweep`: the same bytes however it is run, and what it keeps.

use crate::common::{Scratch, command, csv_trace, ftlkit, ran, unwrapped, wait_until, words};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;

/// 2 schemes × 3 shares × 2 policies × 2 seeds, of which `lazy-rtgc` cannot have one of the policies.
const SMALL: &str = "sweep uniform --capacity 8MiB --requests 3k --schemes page-level,lazy-rtgc \
    --vary share=0.6..0.8:0.1 --vary victim=greedy,fifo --seed 1..2 -q";

fn rows(csv: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = csv::Reader::from_reader(csv.as_bytes());
    let header = lines.headers().expect("a header").clone();
    let row = |record: csv::StringRecord| {
        header.iter().zip(&record).map(|(name, cell)| (name.to_owned(), cell.to_owned())).collect()
    };
    lines.records().map(|record| row(record.expect("a record"))).collect()
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn with(line: &str, more: &[&str]) -> Vec<String> {
    line.split_whitespace().chain(more.iter().copied()).map(str::to_owned).collect()
}

#[test]
fn every_point_is_a_row_and_impossible_ones_say_why() {
    let found = rows(&ftlkit(with(SMALL, &["--csv"])).ok());
    assert_eq!(found.len(), 24);
    let first = &found[0];
    for (key, value) in [
        ("trace", "uniform"),
        ("part", "evaluation-slc"),
        ("capacity_bytes", "8388608"),
        ("scheme", "page-level"),
        ("victim", "greedy"),
        ("share", "0.6"),
        ("seed", "1"),
        ("status", "ok"),
        ("reason", ""),
        ("requests", "3000"),
    ] {
        assert_eq!(first[key], value, "{key}");
    }
    assert_eq!(first["hash"].len(), 16);
    assert!(first["version"].starts_with(env!("CARGO_PKG_VERSION")));
    assert!(first["response_ns.max"].parse::<u64>().is_ok_and(|ns| ns >= 220_900));
    let impossible: Vec<_> = found.iter().filter(|row| row["status"] == "impossible").collect();
    assert_eq!(impossible.len(), 6);
    for row in impossible {
        assert_eq!((row["scheme"].as_str(), row["victim"].as_str()), ("lazy-rtgc", "fifo"));
        assert!(row["reason"].contains("must be greedy"), "{}", row["reason"]);
        assert_eq!(row["waf"], "");
    }
    let mut hashes: Vec<_> = found.iter().map(|row| &row["hash"]).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 24);
}

/// A row is what `ftlkit compare` says of the same settings.
#[test]
fn a_row_is_the_comparison_of_its_settings() {
    let found = rows(&ftlkit(with(SMALL, &["--csv"])).ok());
    let row = found.iter().find(|row| {
        row["scheme"] == "lazy-rtgc"
            && row["share"] == "0.7"
            && row["seed"] == "2"
            && row["status"] == "ok"
    });
    let row = row.expect("a row");
    let report = words(
        "compare uniform --capacity 8MiB --requests 3000 --seed 2 --schemes lazy-rtgc+victim=greedy+share=0.7 --json",
    )
    .json();
    let scheme = &report["schemes"][0];
    assert_eq!(row["waf"], scheme["waf"].to_string());
    assert_eq!(row["response_ns.mean"], scheme["response_ns"]["mean"].to_string());
    assert_eq!(row["erases"], scheme["erases"].to_string());
}

#[test]
fn one_thread_and_many_and_a_second_time_give_the_same_bytes() {
    let scratch = Scratch::new("sweep-threads");
    let [one, many] = ["one", "many"].map(|name| scratch.path().join(name));
    let line = with(SMALL, &["--plot", "x=share,y=waf,by=victim"]);
    let run = |out: &Path, threads: &str| {
        let more = ["--threads", threads, "--out"].map(str::to_owned);
        let out = [out.display().to_string()];
        ftlkit(line.iter().cloned().chain(more).chain(out)).ok()
    };
    let told = run(&one, "1");
    assert_eq!(told, run(&many, "4"));
    let plot = "waf_over_share_by_victim";
    let [drawn, data] = ["svg", "csv"].map(|ending| format!("{plot}.{ending}"));
    let names = ["runs.csv", "runs.jsonl", "points.csv", "points.jsonl", &drawn, &data];
    for name in names {
        assert_eq!(read(&one, name), read(&many, name), "{name}");
    }
    if cfg!(feature = "parquet") {
        for name in ["runs.parquet", "points.parquet"] {
            let bytes = |folder: &Path| std::fs::read(folder.join(name)).expect("a file");
            assert!(bytes(&one).starts_with(b"PAR1") && bytes(&one) == bytes(&many), "{name}");
        }
    }
    let kept = |folder: &Path| std::fs::read_dir(folder.join("runs")).expect("runs").count();
    assert_eq!(kept(&one), 18, "a file for each run, none for impossible points");
    // Kept runs are read, not run again: a mark in one of them comes out in the table.
    let hash = &rows(&read(&one, "runs.csv"))[0]["hash"];
    let file = one.join(format!("runs/{hash}.json"));
    let text = std::fs::read_to_string(&file).expect("a kept run");
    assert!(text.contains("\"requests\":3000"), "{text}");
    let marked = text.replace("\"requests\":3000", "\"requests\":3003");
    std::fs::write(&file, &marked).expect("a file");
    run(&one, "2");
    assert_eq!(rows(&read(&one, "runs.csv"))[0]["requests"], "3003");
    // One in part, or of another program, is run again.
    for broken in
        [marked[..text.len() / 2].to_owned(), marked.replacen("\"build\":\"", "\"build\":\"0", 1)]
    {
        std::fs::write(&file, broken).expect("a file");
        assert_eq!(run(&one, "2"), told);
        assert_eq!(read(&one, "runs.csv"), read(&many, "runs.csv"));
    }
    // The kept experiment repeats it.
    let again = scratch.path().join("again");
    std::fs::create_dir(&again).expect("a directory");
    let file = one.join("experiment.toml").display().to_string();
    ftlkit(["run", &file, "--out", &again.display().to_string(), "-q"]).ok();
    assert_eq!(rows(&read(&again, "runs.csv")).len(), 24);
    let sorted = |folder: &Path| {
        let mut rows: Vec<_> =
            rows(&read(folder, "runs.csv")).iter().map(|row| row["hash"].clone()).collect();
        rows.sort_unstable();
        rows
    };
    assert_eq!(sorted(&again), sorted(&one));
}

#[cfg(unix)]
#[test]
fn killed_or_interrupted_and_resumed_gives_the_same_bytes() {
    let scratch = Scratch::new("sweep-killed");
    let line = "sweep uniform --capacity 16MiB --requests 60k --schemes page-level,fsr --vary share=0.5..0.8:0.05 \
        --seed 1..3 -q --threads 2 --out";
    let straight = scratch.at("straight");
    let expected = ftlkit(with(line, &[&straight])).ok();
    for (name, signal) in [("killed", "-KILL"), ("interrupted", "-INT")] {
        let folder = scratch.path().join(name);
        let out = folder.display().to_string();
        let mut command = command();
        command.args(with(line, &[&out])).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("ftlkit starts");
        let kept = || {
            let entries = std::fs::read_dir(folder.join("runs"));
            entries.map_or(0, |entries| entries.count())
        };
        wait_until(|| kept() >= 4 || child.try_wait().expect("its state").is_some());
        let sent =
            std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
        let ended = ran(child.wait_with_output().expect("it ends"));
        // A fast machine may be done before the signal.
        if sent.is_ok_and(|sent| sent.success()) && ended.code == Some(130) {
            assert!(ended.stdout.contains("not-run"), "{}", ended.stdout);
            assert!(ended.stderr.contains("the same command goes on"), "{}", ended.stderr);
        }
        assert!(kept() >= 4);
        assert_eq!(ftlkit(with(line, &[&out])).ok(), expected, "{name}");
        for table in ["runs.csv", "runs.jsonl", "points.csv", "points.jsonl"] {
            assert_eq!(read(&folder, table), read(Path::new(&straight), table), "{name}: {table}");
        }
    }
}

#[test]
fn intervals_are_over_the_seeds() {
    let scratch = Scratch::new("sweep-seeds");
    let line =
        "sweep uniform --capacity 8MiB --requests 2000 --schemes fsr --seed 1..4 --json -q --out";
    let lines = ftlkit(with(line, &[&scratch.at("out")])).ok();
    let wafs: Vec<f64> = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["waf"].as_f64())
        .map(|waf| waf.expect("a number"))
        .collect();
    assert_eq!(wafs.len(), 4);
    let point = &rows(&read(&scratch.path().join("out"), "points.csv"))[0];
    let mean = wafs.iter().sum::<f64>() / 4.0;
    let deviation = (wafs.iter().map(|waf| (waf - mean).powi(2)).sum::<f64>() / 3.0).sqrt();
    let number = |name: &str| point[name].parse::<f64>().expect("a number");
    assert!((number("waf") - mean).abs() < 1e-12);
    assert!((number("waf.ci95") - 3.182 * deviation / 2.0).abs() < 1e-9, "{point:?}");
    assert_eq!(point["runs"], "4");
    assert!(!point.contains_key("seed") && !point.contains_key("hash"));
}

#[test]
fn traces_parts_and_any_key_are_varied() {
    let scratch = Scratch::new("sweep-traces");
    let trace = scratch.file("a.csv", csv_trace(300));
    let same = scratch.file("b.csv", csv_trace(300));
    let other = scratch.file("c.csv", csv_trace(200));
    let out = ftlkit([
        "sweep",
        &trace,
        &same,
        &other,
        "--schemes",
        "fsr",
        "--capacity",
        "4MiB",
        "--part",
        "toshiba-slc,evaluation-slc",
        "--vary",
        "time_scale=1,0.5",
        "--vary",
        "buffer_size=64KiB,128KiB",
        "--vary",
        "buffer=lru",
        "--csv",
    ]);
    let found = rows(&out.ok());
    assert_eq!(found.len(), 24);
    assert_eq!(found[0]["trace"], trace);
    assert_eq!(found[0]["trace_sha256"], found[8]["trace_sha256"]);
    assert_ne!(found[0]["trace_sha256"], found[16]["trace_sha256"]);
    let hash = |at: usize| found[at]["hash"].as_str();
    assert_eq!(hash(0), hash(8), "the content counts, not the path");
    assert_ne!(hash(0), hash(16));
    assert_eq!(
        (found[0]["part"].as_str(), found[4]["part"].as_str()),
        ("toshiba-slc", "evaluation-slc")
    );
    assert_eq!(
        (found[0]["buffer_size_bytes"].as_str(), found[1]["buffer_size_bytes"].as_str()),
        ("65536", "131072")
    );
    assert_eq!((found[0]["time_scale"].as_str(), found[2]["time_scale"].as_str()), ("1", "0.5"));
    let channels = "sweep uniform --part ddt-mlc --channels 2 --capacity 16MiB --requests 500 --schemes fsr --csv \
        --vary depth=1..4:x2 --vary workload.write_share=50%,100%";
    let found = rows(&words(channels).ok());
    let told =
        |name: &str| found.iter().map(|row| row[name].as_str()).collect::<Vec<_>>().join(" ");
    assert_eq!(told("queue_depth"), "1 1 2 2 4 4");
    assert_eq!(told("workload.write_share"), "0.5 1.0 0.5 1.0 0.5 1.0");
}

#[test]
fn a_dry_run_tells_runs_time_and_memory() {
    let text = ftlkit(with(SMALL, &["--dry-run"])).ok();
    for said in [
        "24: 0 kept, 6 impossible, 18 to run",
        "time         about",
        "memory       about",
        "must be greedy",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(text.contains("share        0.6, 0.7, 0.8"), "{text}");
}

#[test]
fn a_file_has_a_table_of_its_own() {
    let scratch = Scratch::new("sweep-file");
    let text = "capacity = '8MiB'\nschemes = ['fsr']\n[workload]\nname = 'uniform'\nrequests = '2k'\n\
        [sweep]\nshare = '0.6,0.7'\nseed = [1, 2]\n";
    let file = scratch.file("my.toml", text);
    let [by_sweep, by_run] =
        ["sweep", "run"].map(|command| ftlkit([command, &file, "--json"]).ok());
    assert_eq!(by_sweep, by_run);
    assert_eq!(by_sweep.lines().count(), 4);
    let more = ftlkit(["sweep", &file, "--vary", "victim=greedy,fifo", "--csv"]).ok();
    assert_eq!(rows(&more).len(), 8);
    ftlkit(["sweep", &file, "--schemes", "fsr"]).refused(&["my.toml", "--vary"]);
    ftlkit(["sweep", &file, "--vary", "share=0.5"]).refused(&["`share`", "given twice"]);
    let wrong = scratch.file("wrong.toml", "[sweep]\nshare = '0.6..0.9'\n");
    ftlkit(["sweep", &wrong]).refused(&["wrong.toml", "needs a step"]);
}

#[test]
fn faults_are_told_before_anything_runs() {
    words("sweep uniform --capacity 8MiB --requests 9 --schemes fsr --vary share=0.999 -q")
        .ended(2);
}

#[test]
fn numbers_are_as_people_write_them() {
    let json = |line: &str| words(&format!("compare uniform --capacity 8MiB --json {line}")).json();
    let plain =
        json("--requests 20000 --schemes fsr+share=0.78125 --set write_share=0.95,size=4096");
    let written = json("--requests 2e4 --schemes fsr+op=28% --set write_share=95%,size=4k");
    assert_eq!(plain["schemes"], written["schemes"]);
    assert_eq!(json("--requests 20k --seed 1e3 --schemes fsr+share=75%")["seed"], 1000);
}

#[test]
fn another_sweep_is_not_replaced_and_one_with_more_points_goes_on() {
    let scratch = Scratch::new("sweep-taken");
    let part = scratch.file("part.toml", "base = 'toshiba-slc'\nt_prog_ns = 250000\n");
    let out = scratch.at("out");
    let line = "sweep uniform --capacity 8MiB --requests 500 -q";
    let sweep =
        |more: &str| ftlkit(with(&format!("{line} {more} --part-file {part} --out {out}"), &[]));
    sweep("--schemes fsr --vary share=0.6,0.7").ok();
    let first = read(Path::new(&out), "runs.csv");
    // Fewer values, another number of requests, another scheme: rows of the tables would go.
    for other in [
        "--schemes fsr --vary share=0.6",
        "--schemes fsr --vary share=0.6,0.7 --set write_share=0.5",
        "--schemes page-level --vary share=0.6,0.7",
    ] {
        sweep(other).refused(&["another sweep", "--force"]);
        assert_eq!(read(Path::new(&out), "runs.csv"), first, "{other}");
    }
    // The same one; more values; one more axis whose first value is the default.
    let kept = || std::fs::read_dir(format!("{out}/runs")).expect("runs").count();
    sweep("--schemes fsr --vary share=0.6,0.7").ok();
    assert_eq!((read(Path::new(&out), "runs.csv"), kept()), (first, 2));
    sweep("--schemes fsr,page-level --vary share=0.6..0.8:0.1").ok();
    assert_eq!(kept(), 6);
    sweep("--schemes fsr,page-level --vary share=0.6..0.8:0.1 --vary wear=off,gap:50").ok();
    assert_eq!(kept(), 12, "runs without levelling are not run again");
    sweep("--schemes fsr --vary share=0.6 --force").ok();
    assert_eq!((rows(&read(Path::new(&out), "runs.csv")).len(), kept()), (1, 12));
    // A file of the user's own that stands where a table was.
    for name in ["points.csv", "runs.jsonl", "points.parquet"] {
        let path = Path::new(&out).join(name);
        let made = std::fs::read(&path).ok();
        std::fs::write(&path, "trace,mine\n").expect("a file");
        sweep("--schemes fsr --vary share=0.6").refused(&[name, "is there", "--force"]);
        assert_eq!(read(Path::new(&out), name), "trace,mine\n");
        match made {
            Some(made) => std::fs::write(&path, made),
            None => std::fs::remove_file(&path),
        }
        .expect("a file");
    }
    sweep("--schemes fsr --vary share=0.6").ok();
    // Results of a comparison are not replaced either.
    let other = scratch.at("other");
    words(&format!(
        "compare uniform --capacity 8MiB --requests 500 --schemes fsr -q --out {other}"
    ))
    .ok();
    let refused =
        ftlkit(with(&format!("{line} --schemes fsr --vary share=0.6 --out {other}"), &[]));
    refused.refused(&["another run", "--force"]);
}

#[test]
fn the_first_screen_tells_what_matters() {
    let scratch = Scratch::new("sweep-screen");
    let mut text = "arrival_ns,op,offset_bytes,length_bytes\n".to_owned();
    for n in 0..4000_u64 {
        text.push_str(&format!("{},write,{},2048\n", n / 4 * 20_000_000, n * 37 % 900 * 2048));
    }
    let trace = scratch.file("bursts.csv", text);
    let line =
        ["sweep", &trace, "--schemes", "lazy-rtgc,fsr", "--vary", "loops=1,3", "--seed", "1..3"];
    let told = ftlkit(line.iter().chain(&["-q", "--deadline", "1ms", "--capacity", "8MiB"])).ok();
    assert!(told.lines().next().expect("a heading").contains("late"), "{told}");
    assert!(told.contains(" %"), "{told}");
    assert!(told.contains("seeds have no effect") && !told.contains('±'), "{told}");
    let flat = unwrapped(&told);
    assert!(flat.contains("completions of requests from their arrival"), "{told}");
    assert!(flat.contains("of 12 runs: "), "{told}");
    let strict = ["-q", "--deadline", "1ms", "--strict", "--capacity", "8MiB"];
    ftlkit(line.iter().chain(&strict)).ended(1);
    // Random workloads differ by their seed, and do not wait.
    let told =
        words("sweep uniform --capacity 8MiB --requests 2k --schemes fsr --seed 1..3 -q").ok();
    assert!(told.contains('±') && told.contains("responses of page tasks"), "{told}");
    assert!(!told.contains("late") && !told.contains("no effect"), "{told}");
    assert_eq!(told.matches("warning in 3 of 3 runs").count(), 1, "{told}");
}

/// What is given beside an axis of its own key would be in no run.
#[test]
fn a_setting_that_is_given_is_not_varied_as_well() {
    let scratch = Scratch::new("given-twice");
    let [one, two] = ["one.csv", "two.csv"].map(|name| scratch.file(name, csv_trace(50)));
    let line = "sweep --capacity 8MiB --dry-run";
    for (given, axis, said) in [
        ("uniform --schemes fsr", "scheme=bast,fast", "--schemes"),
        ("uniform --seed 3", "seed=1..3", "--seed 3"),
        ("uniform --requests 50", "requests=100,200", "--requests 50"),
        ("uniform --requests 50", "workload.requests=100,200", "--requests 50"),
        ("uniform --set write_share=0.5", "write_share=0.6,0.7", "--set write_share=0.5"),
        ("uniform --part ddt-mlc", "part=toshiba-slc,toshiba-tlc", "--part ddt-mlc"),
        ("uniform --margin tPROG=2", "part=toshiba-slc,toshiba-tlc", "what is set of one part"),
        ("uniform --set part.t_bers_ns=2ms", "part.t_bers_ns=1ms,3ms", "part.t_bers_ns=2ms"),
        ("uniform --deadline 3ms", "deadline=1ms,2ms", "--deadline 3ms"),
        ("uniform --capacity 8MiB", "capacity=4MiB,8MiB", "--capacity 8MiB"),
        (&one, &format!("trace={two}"), "one.csv"),
        ("uniform --bit-errors tlc-72-layer+cycles=500+ecc=72", "pe_cycles=1000,2000", "+cycles"),
        ("uniform --bit-errors tlc-72-layer+age=5h+ecc=72", "data_age=1h,2h", "+age"),
    ] {
        let line = format!("{} {given} --vary {axis}", line.replace(" --capacity 8MiB", ""));
        words(&line).refused(&["sweep over", said, "would have no effect"]);
    }
    // How a trace is read and replayed is kept whichever it is; a part of one's own has all its times; a deadline that is varied
    // may be strict.
    words(&format!("{line} --requests 20 --on-bad-line skip --vary trace={one},{two}")).ok();
    let part = scratch.file("part.toml", "base = 'toshiba-slc'\nt_bers_ns = 2000000\n");
    let own = format!("{line} uniform --part-file {part}");
    words(&format!("{own} --vary part.t_bers_ns=1ms,3ms")).ok();
    words(&format!("{line} uniform --strict --vary deadline=1s,2s")).ok();
    // Each workload has the parameters that it knows, the first of several and the others.
    let written = |workloads: &str| {
        let line =
            "--set size=16k,write_share=1 --capacity 8MiB --requests 50 --schemes fsr --csv -q";
        let found = rows(&words(&format!("sweep {workloads} {line}")).ok());
        found.iter().map(|row| row["steady.writes_per_capacity"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(written("uniform zipf")[1..], written("zipf --vary seed=1"));
    // The default may be said; a list is an axis itself; and axes replace what a file has.
    words(&format!("{line} uniform --seed 1 --vary seed=2,3")).ok();
    words(&format!("{line} {one} {two} --requests 20,30 --vary share=0.6,0.7")).ok();
    let file = scratch.file("my.toml", "capacity = '4MiB'\nseed = 3\nworkload = 'uniform'\n");
    words(&format!("sweep {file} --vary seed=4,5 --vary capacity=8MiB --dry-run")).ok();
    words(&format!("sweep {file} --deadline 3ms --vary deadline=1ms,2ms --dry-run"))
        .refused(&["--deadline 3ms would have no effect"]);
}

/// Plots are checked before the runs: a run with so many requests would not end.
#[test]
fn columns_of_plots_are_checked_before_the_runs() {
    let scratch = Scratch::new("plot-columns");
    let out = scratch.at("out");
    for (plot, said) in [
        ("x=share,y=wf", "did you mean `waf`?"),
        ("x=foo,y=waf", "no column is called `foo`"),
        ("x=shar,y=waf", "did you mean `share`?"),
        ("x=share,y=waf,by=chanels", "no column is called `chanels`"),
        ("x=share,y=victim", "no row has a number in `victim`"),
    ] {
        let line = format!(
            "sweep uniform --capacity 8MiB --requests 1e15 --vary share=0.6,0.7 --schemes page-level \
             --out {out} --plot {plot}"
        );
        words(&line).refused(&["--plot", said]);
        words(&format!("{line} --dry-run")).refused(&["--plot", said]);
    }
    assert!(!std::path::Path::new(&out).exists());
}

/// The figures are told first: why no run has any, or those that the plot does not show.
#[test]
fn a_plot_without_numbers_keeps_back_no_figures() {
    let scratch = Scratch::new("plot-numbers");
    let (none, few) = (scratch.at("none"), scratch.at("few"));
    let line = "sweep uniform --capacity 4MiB --requests 3 -q --plot";
    let vary = "--vary share=0.997,0.998 --schemes lazy-rtgc";
    let none = words(&format!("{line} x=share,y=waf {vary} --out {none}")).ended(2);
    assert!(none.stdout.contains("2 runs: 2 impossible"), "{}", none.stdout);
    assert!(none.stderr.contains("all points are impossible"), "{}", none.stderr);
    let vary = "--vary share=0.7,0.8 --schemes page-level";
    let few = words(&format!("{line} x=share,y=p99.9 {vary} --out {few}")).ended(2);
    assert!(few.stdout.contains("2 runs: 2 ok"), "{}", few.stdout);
    assert!(few.stderr.contains("no row has a number in"), "{}", few.stderr);
}

/// One trace of several that cannot be read, from the start or in its middle: the others are measured, and the sweep fails.
#[test]
fn a_trace_that_cannot_be_read_is_told_beside_what_was_measured() {
    let scratch = Scratch::new("unreadable");
    let good = scratch.file("good.csv", csv_trace(50));
    let half =
        scratch.file("half.csv", csv_trace(50).replace("\n30000000,write", "\n30000000,wrote"));
    let none = scratch.file("none.csv", "garbage\n");
    for (bad, said) in
        [(&half, "half.csv:32:10: expected"), (&none, "the format cannot be detected")]
    {
        let out = scratch.at("out");
        let line = format!(
            "sweep --capacity 8MiB --schemes page-level --vary trace={good},{bad} --out {out} --force"
        );
        let ran = words(&line).ended(2);
        assert!(ran.stdout.contains("2 runs: 1 ok, 1 unreadable"), "{}", ran.stdout);
        assert!(unwrapped(&ran.stderr).contains(said), "{}", ran.stderr);
        assert!(ran.stderr.contains("mend this trace, or leave it out"), "{}", ran.stderr);
        let rows = rows(&read(Path::new(&out), "runs.csv"));
        let ended: Vec<_> = rows.iter().map(|row| &row["status"][..]).collect();
        assert_eq!(ended, ["ok", "unreadable"]);
    }
    let line = format!("sweep --capacity 8MiB --schemes page-level --vary trace={good},{none}");
    let told = words(&format!("{line} --dry-run")).ended(2);
    assert!(
        told.stdout.contains("2: 0 kept, 0 impossible, 1 unreadable, 1 to run"),
        "{}",
        told.stdout
    );
    assert!(told.stdout.contains("unreadable   page-level trace="), "{}", told.stdout);
    assert!(told.stderr.contains("mend this trace, or leave it out"), "{}", told.stderr);
    let one = format!("sweep --capacity 8MiB --schemes page-level --vary trace={good}");
    assert!(words(&one).ok().contains("1 run: 1 ok"), "a run is told as one");
}

/// A dry run ends as the sweep would, as far as that is known.
#[test]
fn a_dry_run_has_the_exit_code_of_the_sweep() {
    let scratch = Scratch::new("dry-run-code");
    let small = "sweep uniform --capacity 8MiB --schemes page-level --requests 100";
    let none = format!("{small} --vary share=0.9998,0.9999");
    let told = words(&format!("{none} --dry-run")).ended(2);
    assert!(told.stdout.contains("2 impossible, 0 to run"), "{}", told.stdout);
    assert!(told.stderr.contains("all points are impossible"), "{}", told.stderr);
    words(&none).ended(2);

    let out = scratch.at("out");
    let some = format!("{small} --vary share=0.7,0.9999 --out {out}");
    words(&some).ok();
    let told = words(&format!("{some} --dry-run")).ok();
    assert!(told.contains("2: 1 kept, 1 impossible, 0 to run"), "{told}");
    let late = format!("{some} --deadline 1us --strict --force");
    words(&format!("{late} --dry-run")).ok();
    words(&late).ended(1);
    words(&format!("{late} --dry-run")).ended(1);
    words(&format!("{} --dry-run", late.replace("0.9999", "0.6"))).ended(1);

    // What the sweep would refuse before its first run.
    let other = format!("{small} --vary share=0.6 --out {out}");
    for line in [other, format!("{none} --html {}", scratch.at("there-is-none/page.html"))] {
        let (dry, ran) = (words(&format!("{line} --dry-run")).ended(2), words(&line).ended(2));
        assert_eq!(dry.stderr, ran.stderr, "{line}");
    }
}

/// The time before the first step is bounded, too: the oracle replays all of a run before it.
#[test]
fn a_dry_run_does_not_wait_for_preconditions() {
    let line = "sweep uniform --capacity 64MiB --requests 1e9 --vary share=0.6,0.7 \
                --precondition full+age=1000 --dry-run";
    for schemes in ["page-level", "page-level+placement=oracle"] {
        words(&format!("{line} --schemes {schemes}")).ok();
    }
}
