//! Traces from standard input, in several files, with other units, and as Parquet.

use crate::common::{Scratch, command, csv_trace, ftlkit, ran, unwrapped};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

fn with_input(arguments: &[&str], input: &[u8]) -> crate::common::Ran {
    let mut command = command();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("ftlkit starts");
    child.stdin.take().expect("a pipe").write_all(input).expect("all is taken");
    ran(child.wait_with_output().expect("ftlkit ends"))
}

fn schemes(json: &str) -> Value {
    serde_json::from_str::<Value>(json).expect("JSON")["schemes"].clone()
}

#[test]
fn standard_input_is_a_trace_for_all_schemes() {
    let scratch = Scratch::new("stdin");
    let text = csv_trace(500);
    let file = scratch.file("t.csv", &text);
    let options = ["--capacity", "8MiB", "--loops", "3", "--schemes", "fsr,page-level", "--json"];
    let of_file = ftlkit(["compare", &file].into_iter().chain(options)).ok();
    let piped: Vec<&str> = ["compare", "-"].into_iter().chain(options).collect();
    let piped = with_input(&piped, text.as_bytes()).ok();
    assert_eq!(schemes(&piped), schemes(&of_file));
    let info = with_input(&["trace", "info", "-"], text.as_bytes()).ok();
    assert!(info.starts_with("file         -\n") && info.contains("500 read, 500 kept"), "{info}");
    let out = scratch.at("out");
    with_input(&["compare", "-", "--capacity", "8MiB", "--out", &out, "-q"], text.as_bytes()).ok();
    let kept = std::fs::read_to_string(format!("{out}/experiment.toml")).expect("an experiment");
    assert!(kept.contains("trace = \"-\"") && !kept.contains("sha256"), "{kept}");
}

#[test]
fn several_files_are_one_trace() {
    let scratch = Scratch::new("several");
    let header = "arrival_ns,device,op,offset_bytes,length_bytes\n";
    let lines = |range: std::ops::Range<u64>, start: u64| -> String {
        range
            .map(|n| format!("{},{},write,{},4096\n", start + n * 1000, n % 2, n % 300 * 4096))
            .collect()
    };
    let whole = scratch.file("whole.csv", format!("{header}{}", lines(0..900, 5000)));
    let parts = [0..300, 300..600, 600..900].map(|range| {
        scratch.file(&format!("{}.csv", range.start), format!("{header}{}", lines(range, 5000)))
    });
    let own = scratch.file("own.csv", format!("{header}{}", lines(0..300, 0)));
    let options = ["--capacity", "8MiB", "--schemes", "fsr", "--json"];
    let run = |files: &[&str]| {
        let arguments = ["compare"].iter().chain(files).chain(&options);
        serde_json::from_str::<Value>(&ftlkit(arguments).ok()).expect("JSON")
    };
    let [a, b, c] = parts.each_ref().map(String::as_str);
    let (one, several) = (run(&[&whole]), run(&[a, b, c]));
    assert_eq!(one["schemes"], several["schemes"], "the clock goes on");
    // Clocks that overlap, in both ways; the header says which, and an experiment keeps it.
    let elapsed = |more: &[&str]| {
        let mixed = run(&[&[a, &own][..], more].concat());
        assert_eq!(mixed["schemes"][0]["requests"], 600);
        mixed["workload"]["trace"]["duration_ns"].as_u64().expect("ns")
    };
    assert_eq!([elapsed(&[]), elapsed(&["--chain"])], [304_000, 598_000]);
    for (more, words) in [
        (vec![], "2 files, merged by time: one begins"),
        (vec!["--chain"], "2 files, one after the other"),
    ] {
        let line = [vec!["compare", a, &own, "--capacity", "8MiB", "--schemes", "fsr", "-q"], more]
            .concat();
        assert!(unwrapped(&ftlkit(&line).ok()).contains(words), "{line:?}");
        let toml = ftlkit([&line[..], &["--dry-run"]].concat()).ok();
        let file = scratch.file("two.toml", &toml);
        assert!(unwrapped(&ftlkit(["run", &file, "-q"]).ok()).contains(words), "{toml}");
    }
    ftlkit(["compare", a, "--chain"]).refused(&["--chain", "read by itself"]);
    // `trace` takes them for the same one.
    let info = ftlkit(["trace", "info", a, &own, "--as-one", "--json"]).json();
    assert_eq!(
        (&info["traces"][0]["duration_ns"], info["traces"].as_array().map(Vec::len)),
        (&304_000.into(), Some(1))
    );
    let both = scratch.at("both.csv");
    ftlkit(["trace", "convert", a, &own, &both]).ok();
    assert_eq!(run(&[&both])["schemes"], run(&[a, &own])["schemes"]);
    ftlkit(["compare", a, "no-such-file"]).refused(&["no-such-file", "sweep"]);
    let msr = scratch.file("t.msr", "128166372003061629,hm,1,Read,383496192,32768,413\n");
    ftlkit(["compare", a, &msr]).refused(&["one format", "csv", "msr"]);
}

#[test]
fn units_are_as_asked_for_and_odd_ones_are_told() {
    let scratch = Scratch::new("units");
    let lines: String = (0..100).map(|n| format!("0,{},8,W,0.{n:03}\n", n * 8)).collect();
    let file = scratch.file("t.spc", lines);
    let info = unwrapped(&ftlkit(["trace", "info", &file]).ok());
    assert!(info.contains("100 % of the lengths of writes are no multiple of 512 bytes"), "{info}");
    assert!(info.contains("--size-unit sectors"), "{info}");
    let mended = ftlkit(["trace", "info", &file, "--size-unit", "sectors", "--json"]).json();
    assert_eq!(mended["traces"][0]["mean_bytes"], 4096.0);
    assert_eq!(mended["traces"][0]["warnings"].as_array().map(Vec::len), Some(0));
    let pages =
        ftlkit(["trace", "info", &file, "--size-unit", "4k", "--lba-unit", "bytes", "--json"])
            .json();
    assert_eq!(pages["traces"][0]["mean_bytes"], 32768.0);
    assert_eq!(pages["traces"][0]["devices"][0]["end_byte"], 99 * 8 + 32768);
    let csv = scratch.file("t.csv", csv_trace(10));
    ftlkit(["trace", "info", &csv, "--size-unit", "sectors"])
        .refused(&["--size-unit", "the csv format says them itself"]);
    ftlkit(["trace", "info", &file, "--size-unit", "feet"]).refused(&["bytes, sectors"]);
    // A run tells it, too, however quiet.
    let run = unwrapped(&ftlkit(["compare", &file, "--capacity", "8MiB", "-q"]).ok());
    assert!(run.contains("warning:"), "{run}");
    assert!(run.contains("is the trace read right? 100 % of the lengths"), "{run}");
}

#[test]
fn a_conversion_tells_what_it_took_for_granted() {
    let scratch = Scratch::new("convert-told");
    let rows: String = (0..100).map(|n| format!("{n},W,{},8\n", n * 4096)).collect();
    let file = scratch.file("t.csv", format!("time,op,offset,size\n{rows}7,W,0,0\n"));
    let out = scratch.at("out.csv");
    let line = ["trace", "convert", &file, &out, "--force"];
    let told = ftlkit(line).ended(0);
    assert!(told.stdout.starts_with("100 requests written"), "{}", told.stdout);
    for words in [
        "note: of 101 records 1 dropped (zero length)",
        "note: `time` names no unit: its times were taken as s",
        "note: `size` names no unit: taken as bytes",
        "note: is the trace read right? 100 % of the lengths of writes are no multiple of 512",
    ] {
        assert!(told.stderr.contains(words), "{words}: {}", told.stderr);
    }
    let quiet = ftlkit(line.iter().chain(&["-q"])).ended(0);
    assert_eq!(quiet.stderr, "");
    let json = ftlkit(line.iter().chain(&["-q", "--json"])).json();
    let info = &ftlkit(["trace", "info", &file, "--json"]).json()["traces"][0];
    for key in ["counts", "notes", "warnings"] {
        assert_eq!(json["done"][key], info[key], "{key}");
    }
    let one = scratch.file("one.csv", "op,offset_bytes,length_bytes\nread,0,512\n");
    let told = ftlkit(["trace", "convert", &one, &out, "--force"]).ended(0);
    assert!(told.stdout.starts_with("1 request written"), "{}", told.stdout);
    assert_eq!(told.stderr, "");
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_is_read_and_written_and_arrow_is_refused() {
    let scratch = Scratch::new("parquet-traces");
    let csv = scratch.file("t.csv", csv_trace(700));
    let [parquet, back] = ["t.parquet", "back.csv"].map(|name| scratch.at(name));
    ftlkit(["trace", "convert", &csv, &parquet]).ok();
    assert!(std::fs::read(&parquet).expect("a file").starts_with(b"PAR1"));
    ftlkit(["trace", "convert", &parquet, &back]).ok();
    let options = ["--capacity", "8MiB", "--schemes", "fsr", "--json"];
    let [one, other] = [&csv, &parquet]
        .map(|file| schemes(&ftlkit(["compare", file].into_iter().chain(options)).ok()));
    assert_eq!(one, other);
    let piped: Vec<&str> = ["compare", "-"].into_iter().chain(options).collect();
    let bytes = std::fs::read(&parquet).expect("a file");
    assert_eq!(schemes(&with_input(&piped, &bytes).ok()), one);
    let arrow = scratch.at("t.arrow");
    ftlkit(["trace", "convert", &csv, &arrow]).refused(&["Arrow", ".parquet"]);
    assert!(!std::path::Path::new(&arrow).exists());
    ftlkit(["trace", "convert", &csv, &parquet, "--to", "spc", "--force"])
        .refused(&["Parquet holds", "spc"]);
    // What is no file stays what it is.
    let pipe = scratch.at("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|s| s.success()));
    ftlkit(["trace", "convert", &csv, &pipe, "--to", "csv"]).refused(&["pipe", "is no file"]);
    ftlkit(["trace", "convert", &csv, "/dev/full", "--to", "csv"])
        .refused(&["/dev/full", "is no file"]);
    let kept = std::fs::metadata(&pipe).expect("a pipe");
    assert!(std::os::unix::fs::FileTypeExt::is_fifo(&kept.file_type()));
    scratch.file("t.arrow", b"ARROW1\0\0");
    ftlkit(["trace", "info", &arrow]).refused(&["Arrow IPC", "Parquet"]);
}

#[test]
fn a_name_without_a_folder_stands_for_the_files_of_all_processors() {
    let scratch = Scratch::new("per-processor");
    let sample = workload::formats::find("blktrace").expect("a format").sample;
    scratch.file("sda.blktrace.0", sample);
    scratch.file("sda.blktrace.1", sample);
    let words = ["compare", "sda", "--capacity", "8MiB", "--schemes", "fsr", "--json"];
    let compared = command().args(words).current_dir(scratch.path()).output().expect("it runs");
    ran(compared).ok();
}

#[cfg(unix)]
#[test]
fn paths_need_not_be_unicode() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::new("paths");
    let odd = scratch.path().join(OsStr::from_bytes(b"t\xff.csv"));
    std::fs::write(&odd, csv_trace(300)).expect("a file");
    let out = scratch.path().join(OsStr::from_bytes(b"out\xfe"));
    let arguments = [OsStr::new("compare"), odd.as_os_str(), OsStr::new("--out"), out.as_os_str()];
    let found = ftlkit(arguments).ended(0);
    assert!(found.stderr.contains("no experiment.toml: the trace's path"), "{}", found.stderr);
    assert!(out.join("report.json").exists());
    ftlkit([OsStr::new("trace"), OsStr::new("info"), odd.as_os_str()]).ok();
}

#[test]
fn a_curve_is_the_most_that_arrives_within_each_window() {
    let scratch = Scratch::new("curve");
    let header = "arrival_ns,op,offset_bytes,length_bytes\n";
    // Two pages at once, another 3 us later; a write of a part of a page is a read, too; a trim takes the page that it covers.
    let text =
        "0,write,0,8192\n3000,write,8192,4096\n5000000,write,512,512\n5000000,trim,100,8192\n";
    let file = scratch.file("t.csv", format!("{header}{text}"));
    let shown = ftlkit(["trace", "curve", &file]).ok();
    let rows = |shown: &str| -> Vec<Vec<String>> {
        let cells = |line: &str| {
            line.split("  ")
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
                .map(str::to_owned)
                .collect()
        };
        shown.lines().map(cells).collect()
    };
    for row in [
        ["at once", "2", "1", "1"],
        ["within 1 µs", "2", "1", "1"],
        ["within 10 µs", "3", "1", "1"],
        ["within 1 ms", "3", "1", "1"],
        ["in all", "4", "1", "1"],
        ["476.8", "3", "1", "1"],
    ] {
        assert!(rows(&shown).iter().any(|cells| cells[..] == row), "{row:?}: {shown}");
    }
    let json = ftlkit(["trace", "curve", &file, "--json"]).ok();
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let writes = &json["curves"]["writes"];
    let windows = serde_json::json!([[1, 0], [2, 0], [3, 3000], [4, 5_000_000]]);
    assert_eq!((&writes["shortest_windows"], &json["requests"]), (&windows, &4.into()));
    let larger = ftlkit(["trace", "curve", &file, "--page", "16KiB"]).ok();
    assert!(rows(&larger).iter().any(|cells| cells[..] == ["at once", "1", "1", "0"]), "{larger}");

    for (arguments, why) in [
        (
            vec!["trace", "curve", &file, "--page", "100"],
            "--page 100 B: a page has 512 bytes to 64 KiB",
        ),
        (
            vec![
                "trace",
                "curve",
                &scratch.file("n.csv", "op,offset_bytes,length_bytes\nread,0,1\n"),
            ],
            "has no arrival times",
        ),
    ] {
        let told = ftlkit(arguments).ended(2);
        assert!(unwrapped(&told.stderr).contains(why), "{}", told.stderr);
    }
}
