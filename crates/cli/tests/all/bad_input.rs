//! Every user error is reported on one screen, with a remedy, before anything runs: exit code 2.

#[cfg(target_os = "linux")]
use crate::common::ran;
use crate::common::{Scratch, csv_trace, ftlkit, words};

#[test]
fn unknown_names() {
    let scratch = Scratch::new("unknown-names");
    let trace = scratch.file("t.csv", csv_trace(10));
    ftlkit(["compare", &trace, "--format", "mssr"]).refused(&["mssr", "did you mean `msr`?"]);
    ftlkit(["trace", "info", &trace, "--format", "mssr"]).refused(&["did you mean `msr`?"]);
}

#[test]
fn options_without_effect() {
    let scratch = Scratch::new("no-effect");
    let trace = scratch.file("t.csv", csv_trace(10));
    ftlkit(["compare", &trace, "--set", "size=4k"]).refused(&["no parameters"]);
    ftlkit(["compare", &trace, "--action", "Q"]).refused(&["blkparse"]);
}

#[test]
fn channels_and_copies() {
    let on_ddt = |rest: &str| words(&format!("compare uniform --part ddt-mlc {rest}"));
    on_ddt("--schemes fsr+copy=dgbc").refused(&["copy path", "did you mean `dgcb`?"]);
    on_ddt("--schemes fsr+copy=dgcb").refused(&[
        "fsr+copy=dgcb",
        "the channel has one",
        "--ways 4",
    ]);
    on_ddt("--schemes fsr+copy=gcb+label=x").refused(&[
        "scheme `x`: copy",
        "the channel has one",
        "`lcb`",
    ]);
    on_ddt("--ways 0").refused(&["--ways", "must be 1 to 64"]);
    on_ddt("--ways -1").refused(&["--ways"]);
    on_ddt("--planes 5").refused(&["--planes", "must be 1 to 4"]);
    on_ddt("--bit-errors 193").refused(&["bit_errors", "corrects 192 per page"]);
    on_ddt("--bit-errors some").refused(&["--bit-errors", "wear:BASE,PER_ERASE,PER_READ"]);
    on_ddt("--bit-errors 8+ecc=0").refused(&["ecc must be 1 to 512 bits"]);
    on_ddt("--bit-errors tlc-72-laye").refused(&["did you mean `tlc-72-layer`?"]);
    on_ddt("--bit-errors power:1,2").refused(&["nine figures"]);
    on_ddt("--read-retry 90,80")
        .refused(&["--read-retry", "must read more than the one before it"]);
    on_ddt("--read-retry 90").refused(&["read_retry", "no effect without bit errors"]);
    let aged = |retry: &str| {
        let errors = "--bit-errors tlc-72-layer+cycles=3000+ecc=72 --read-retry";
        on_ddt(&format!("{errors} {retry}"))
    };
    aged("72,90").refused(&["read_retry", "up to 72 bit errors", "the ECC corrects 72"]);
    aged("90,120+until=3000,365d,1000").refused(&["the last step reads 120", "state less"]);
    on_ddt("--bit-errors wear:1,2,3 --read-retry 90+until=1,1d,1").refused(&["`until` needs"]);
    let advice = ["evaluation-slc", "t_rc_ns", "ddt-mlc", "--set part.t_rc_ns=25ns"];
    words("compare uniform --ways 2").refused(&advice);
    words("compare uniform --planes 2").refused(&advice);
    words("compare uniform --schemes fsr+copy=icb").refused(&advice);
    words("compare uniform --schemes fsr+copy_cache").refused(&advice);
}

#[test]
fn experiment_files() {
    let scratch = Scratch::new("experiment-files");
    let run = |name: &str, text: &str| ftlkit(["run", &scratch.file(name, text)]);
    run("key.toml", "seed = 3\nschemas = ['fsr']").refused(&[
        "key.toml:2",
        "no key `schemas`",
        "did you mean `schemes`?",
    ]);
    run("type.toml", "seed = 'one'").refused(&["type.toml:1", "string \"one\""]);
    run("syntax.toml", "seed = ").refused(&["syntax.toml:1"]);
    run("workload.toml", "[workload]\nname = 'uniform'\nrequest = 5")
        .refused(&["`request`", "did you mean `requests`?"]);
    run("part.toml", "[part]\npage_bytes = 4096").refused(&["missing field", "base"]);
    ftlkit(["run", &scratch.file("binary.toml", [0xff, 0xfe, 0, 1])])
        .refused(&["TOML", "--dry-run"]);
    ftlkit(["run", &scratch.at("none.toml")]).refused(&["none.toml", "No such file"]);
}

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
        with(&scratch.file("cut.csv.gz", gzip)).refused(&["cut.csv.gz", "truncated"]);
        let five = "0 0 8 8 1\n10 0 16 8 0\n";
        with(&scratch.file("five.txt", five)).refused(&["disksim, ssdsim and mqsim"]);
    }
    let wrong = scratch.file("t.csv", csv_trace(5));
    ftlkit(["compare", &wrong, "--format", "disksim"]).refused(&["t.csv:1", "disksim"]);
    ftlkit(["trace", "convert", &wrong, &wrong]).refused(&["into itself"]);
    let unwritable = scratch.at("no/such/dir/out.csv");
    ftlkit(["trace", "convert", &wrong, &unwritable]).refused(&["no/such/dir"]);
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
}

#[test]
fn addresses_beyond_the_device() {
    let scratch = Scratch::new("beyond");
    let mut text = csv_trace(10);
    text.push_str("20000000,write,1099511627776,4096\n");
    let trace = scratch.file("far.csv", text);
    let compare =
        |policy: &str| ftlkit(["compare", &trace, "--capacity", "16MiB", "--addresses", policy]);
    compare("exact").refused(&["far.csv", "beyond", "dense"]);
    assert!(compare("dense").ok().contains("bound kept"));
    compare("wrap").ok();
}

#[test]
fn out_that_cannot_be_written() {
    let scratch = Scratch::new("out");
    let file = scratch.file("taken", "x");
    ftlkit(["list", "schemes", "--pages", &file]).refused(&["taken: "]);
    ftlkit(["compare", "--out", &file])
        .refused(&["taken is a file", "--out takes a writable directory"]);
    let below = scratch.at("taken/results");
    ftlkit(["compare", "--out", &below])
        .refused(&["taken/results", "--out takes a writable directory"]);
    if cfg!(target_os = "linux") {
        words("compare --out /proc/ftlkit-results").refused(&["/proc/ftlkit-results"]);
    }
}

#[test]
fn settings_of_other_schemes() {
    for (setting, key) in [
        ("cmt=256KiB", "cmt"),
        ("cmt_policy=slru", "cmt_policy"),
        ("threshold=80%", "threshold"),
        ("queue=printed", "queue"),
    ] {
        words(&format!("compare --schemes fsr+{setting}")).refused(&[
            &format!("scheme `fsr+{setting}`: {key}"),
            "is no setting of `fsr`; besides share and spare it has victim, idle",
        ]);
    }
    let scratch = Scratch::new("settings");
    let text = "schemes = [{ name = 'fsr', cmt_bytes = 4096, label = 'mine' }]";
    ftlkit(["run", &scratch.file("e.toml", text)]).refused(&["`mine`: cmt", "victim, idle"]);
    let text = "schemes = [{ name = 'fsr', cmt_byts = 4096 }]";
    ftlkit(["run", &scratch.file("e.toml", text)])
        .refused(&["e.toml:1", "did you mean `cmt_bytes`?"]);
}

#[test]
fn values_that_are_none() {
    for (scheme, said) in [
        ("dftl+cmt=much", "`4KiB`"),
        ("dftl+cmt", "`cmt=256KiB`"),
        ("dftl+cmt_policy=fifo", "there are `lru` and `slru`"),
        ("gftl-threshold+threshold=120%", "`0%` to `100%`, not `120%`"),
        ("gftl+queue=short", "there are `printed` and `proven`"),
        ("gftl+queue_=printed", "did you mean `queue`?"),
    ] {
        words(&format!("compare --schemes {scheme}")).refused(&[scheme, said]);
    }
}

#[cfg(unix)]
#[test]
fn pipes_are_no_traces() {
    let said = ["a trace must be a regular file", "more than once"];
    words("compare /dev/null").refused(&said);
}

#[test]
fn part_files() {
    let scratch = Scratch::new("part-files");
    ftlkit(["bounds", "--part-file", &scratch.at("none.toml")]).refused(&["none.toml"]);
    let bad = scratch.file("bad.toml", "page_bytes = 4096\nt_r_ns = 'soon'");
    ftlkit(["bounds", "--part-file", &bad]).refused(&["t_r_ns", "500us"]);
    let typed = scratch.file("typed.toml", "page_bytes = 4096\npages_per_block = 'x'\n");
    for command in ["bounds", "compare"] {
        ftlkit([command, "--part-file", &typed])
            .refused(&["typed.toml:2", "pages_per_block must be a whole number from 2 to 1048576"]);
    }
    let zero = scratch.file("zero.toml", "base = 'toshiba-slc'\nt_prog_ns = 0");
    ftlkit(["compare", "--part-file", &zero]).refused(&["t_prog_ns", "1 ns"]);
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
