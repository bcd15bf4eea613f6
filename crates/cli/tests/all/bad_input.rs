//! Every user error is reported on one screen, with a remedy, before anything runs: exit code 2.

#[cfg(target_os = "linux")]
use crate::common::ran;
use crate::common::{Scratch, csv_trace, ftlkit, unwrapped, words};

#[test]
fn devices_beyond_the_memory_of_the_machine() {
    // The two runs need 36 and 28 GiB per scheme; a larger machine would run them.
    if lab::memory::available_bytes().is_none_or(|bytes| bytes >= 24 << 30) {
        return;
    }
    let needs = ["capacity", "GiB of memory", "available", "smaller --capacity"];
    words("compare uniform --schemes page-level,fsr,lazy-rtgc --capacity 8191GiB").refused(&needs);
    words("compare uniform --schemes page-level,fsr,lazy-rtgc --capacity 8191GiB --dry-run").ok();
    words("choose uniform --deadline 3ms --capacity 8191GiB --parts evaluation-slc")
        .refused(&needs);
    let scratch = Scratch::new("memory");
    let mut text = csv_trace(10);
    text.push_str("20000000,write,5497558138880,4096\n");
    let trace = scratch.file("far.csv", text);
    ftlkit(["compare", "--schemes", "fsr,lazy-rtgc", &trace, "--addresses", "spaces"])
        .refused(&needs);
    ftlkit(["compare", "--schemes", "fsr,lazy-rtgc", &trace, "--addresses", "spaces"])
        .refused(&["--addresses dense"]);
}

#[test]
fn traces_that_are_none() {
    let scratch = Scratch::new("no-traces");
    for arguments in [["compare"].as_slice(), ["trace", "info"].as_slice()] {
        let with = |path: &str| ftlkit(arguments.iter().copied().chain([path]));
        with(&scratch.file("empty.csv", "")).refused(&["empty.csv", "empty"]);
        with(&scratch.at("./none.csv")).refused(&["none.csv", "No such file"]);
        with(&scratch.file("prose.txt", "It was a dark and stormy night.\n"))
            .refused(&["prose.txt", "format"]);
        let noise: Vec<u8> =
            (0..4000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        with(&scratch.file("noise.bin", noise)).refused(&["noise.bin", "binary"]);
        let directory = scratch.path().display().to_string();
        with(&directory).refused(&[&directory, "directory"]);
        let cut = csv_trace(50).trim_end().trim_end_matches("4096").to_owned();
        with(&scratch.file("cut.csv", cut)).refused(&["cut.csv:51", "length"]);
        let gzip = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 0x4c];
        with(&scratch.file("cut.csv.gz", gzip)).refused(&["cut.csv.gz", "cut off or damaged"]);
        let five = "0 0 8 8 1\n10 0 16 8 0\n";
        with(&scratch.file("five.txt", five)).refused(&["disksim, ssdsim and mqsim"]);
    }
    ftlkit(["run", &scratch.file("binary.toml", [0xff, 0xfe, 0, 1])])
        .refused(&["TOML", "--dry-run"]);
}

#[test]
fn a_bad_line_is_named_and_may_be_skipped() {
    let scratch = Scratch::new("bad-line");
    let mut lines = csv_trace(200);
    lines.push_str("5,write,soon,4096\n");
    let trace = scratch.file("t.csv", lines);
    let small = ["--capacity", "16MiB"];
    ftlkit(["compare", &trace].into_iter().chain(small)).refused(&["t.csv:202", "soon", "offset"]);
    let skipped = ["compare", &trace, "--on-bad-line", "skip", "--json"];
    let report = ftlkit(skipped.into_iter().chain(small)).json();
    let counts = &report["workload"]["trace"]["counts"];
    assert_eq!((&counts["read"], &counts["kept"]), (&201.into(), &200.into()), "{counts}");
    let sweep = ["sweep", &trace, "--on-bad-line", "skip", "--schemes", "fsr", "-q"];
    let told = unwrapped(&ftlkit(sweep.into_iter().chain(small)).ok());
    assert!(told.contains("1 of 1 runs: 1 of 201 records was skipped"), "{told}");
    let line = ["choose", &trace, "--on-bad-line", "skip", "--schemes", "fsr", "-q"];
    let on = ["--parts", "evaluation-slc", "--shares", "0.6", "--deadline"];
    // Of a deadline that is kept, and of one that nothing keeps.
    for (deadline, code) in [("10s", 0), ("1ms", 1)] {
        let ran = ftlkit(line.into_iter().chain(small).chain(on).chain([deadline]));
        let told = unwrapped(&ran.ended(code).stdout);
        assert!(told.contains("1 of 201 records was skipped, since it could not"), "{told}");
    }
    // A curve without it is told to be one, also where a bound is proved of it; its file says so, too.
    let skip = ["--on-bad-line", "skip"];
    let curve = ["trace", "curve", &trace];
    ftlkit(curve).refused(&["t.csv:202"]);
    let told = unwrapped(&ftlkit(curve.into_iter().chain(skip)).ok());
    assert!(told.contains("200 requests in 199.00 ms"), "{told}");
    assert!(told.contains("1 of 201 records was skipped"), "{told}");
    assert!(told.contains(" in all 200 0 0 "), "{told}");
    let json = ftlkit(curve.into_iter().chain(skip).chain(["--page", "2KiB", "--json"])).ok();
    let file = scratch.file("curve.json", json);
    let bounds = ["bounds", "--schemes", "fsr", "--arrivals"];
    ftlkit(bounds.into_iter().chain([&trace[..]])).refused(&["t.csv:202"]);
    for arrivals in [vec![&trace[..], "--on-bad-line", "skip"], vec![&file[..]]] {
        let told = unwrapped(&ftlkit(bounds.into_iter().chain(arrivals)).ok());
        assert!(told.contains("1 of 201 records was skipped"), "{told}");
    }
    ftlkit(bounds.into_iter().chain([&file[..]]).chain(skip)).refused(&["this is none"]);
    ftlkit(["bounds", "--on-bad-line", "skip"]).refused(&["--on-bad-line", "--arrivals"]);
    // What a compressed file has lost at its end is more than a record.
    let packed = scratch.at("t.csv.gz");
    ftlkit(["trace", "convert", &scratch.file("good.csv", csv_trace(2000)), &packed]).ok();
    let bytes = std::fs::read(&packed).expect("is written");
    let cut = scratch.file("cut.csv.gz", &bytes[..bytes.len() * 3 / 4]);
    let skipped = ["compare", &cut, "--on-bad-line", "skip", "--schemes", "fsr"];
    let told = unwrapped(&ftlkit(skipped.into_iter().chain(small)).ok());
    assert!(told.contains("requests at ") && told.contains("are missing"), "{told}");
}

/// What does not fit into a limit of the process is refused before the run, with its setting.
#[cfg(target_os = "linux")]
#[test]
fn what_the_limits_of_the_process_do_not_hold_is_refused() {
    let scratch = Scratch::new("limits");
    let trace = scratch
        .file("one.csv", "arrival_us,op,offset_bytes,length_bytes\n0,write,0,1099511627776\n");
    let limited = |kib: u64, line: &str| {
        let program = env!("CARGO_BIN_EXE_ftlkit");
        let shell = format!("ulimit -v {kib}; exec '{program}' {line}");
        let mut command = std::process::Command::new("sh");
        ran(command.args(["-c", &shell]).env("NO_COLOR", "1").output().expect("sh starts"))
    };
    let line = format!("compare {trace} --schemes page-level");
    limited(4_000_000, &line).refused(&[
        "capacity: 1.3 TiB (the trace takes 1.0 TiB) needs about",
        "available",
        "--addresses wrap",
    ]);
    limited(4_000_000, "compare uniform --capacity 2TiB").refused(&["capacity", "--capacity"]);
    // It tells the need without a run.
    let told = limited(4_000_000, &format!("{line} --dry-run")).ok();
    assert!(told.contains("# memory of the largest scheme: about 8."), "{told}");
    // What is not foreseen ends with an error as well, not with a signal.
    for kib in [60_000, 100_000, 150_000] {
        let held = limited(kib, "compare uniform --capacity 16MiB --requests 1000");
        let told = held.stderr.contains("error: out of memory: ");
        assert!(held.code == Some(0) || held.code == Some(1) && told, "{kib} {}", held.stderr);
    }
}

/// What is named twice would be counted, or multiplied, twice.
#[test]
fn what_is_named_twice_is_refused() {
    let choose = "choose uniform --capacity 16MiB --deadline 1s";
    words("bounds --schemes lazy-rtgc,lazy-rtgc").refused(&["two schemes are labelled"]);
    words(&format!("{choose} --parts evaluation-slc --schemes fsr,fsr"))
        .refused(&["two schemes are labelled"]);
    words(&format!("{choose} --parts evaluation-slc,toshiba-slc,evaluation-slc --schemes fsr"))
        .refused(&["`evaluation-slc` is named twice"]);
    let margins = "--margin tPROG=2 --margin tPROG=1.5";
    for line in ["bounds", &format!("{choose} --schemes fsr"), "compare uniform --requests 9"] {
        words(&format!("{line} {margins}"))
            .refused(&["--margin tPROG=1.5", "tPROG=2 are two factors on one time"]);
    }
    words("bounds --schemes fsr --margin tPROG=2 --margin tBERS=2 --margin all=1.5").ok();
}
