//! `compare` and `run`: their output, and its reproducibility.

use crate::common::{Scratch, command, csv_trace, ftlkit, ran, schema, unwrapped, words};
use serde_json::Value;

const SMALL: &str = "compare uniform --capacity 16MiB --requests 20000 --seed 7";

#[test]
fn json_has_the_keys_that_scripts_read() {
    let report = words(&format!("{SMALL} --json")).json();
    assert_eq!(report["seed"], 7);
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["interrupted"], false);
    assert_eq!(report["configuration"]["experiment"]["capacity"], "16MiB");
    assert_eq!(report["configuration"]["device"]["blocks"], 128);
    assert_eq!(report["workload"]["workload"], "uniform");
    let schemes = report["schemes"].as_array().expect("a list");
    let names: Vec<&Value> = schemes.iter().map(|scheme| &scheme["name"]).collect();
    assert_eq!(names, ["page-level", "2lgc+frontiers=split", "lazy-rtgc+frontiers=split"]);
    for scheme in schemes {
        assert_eq!(scheme["violations"], 0);
        assert_eq!(scheme["requests"], 20_000);
        for times in ["service_ns", "step_ns", "response_ns", "completion_ns"] {
            for key in
                ["mean", "p50", "p90", "p99", "p99.9", "p99.99", "p99.999", "p99.9999", "max"]
            {
                assert!(scheme[times].get(key).is_some(), "{times}.{key}");
            }
            assert!(scheme[times]["p99.9999"].is_null(), "20,000 tasks are too few for it");
        }
        for key in [
            "tasks",
            "bound_ns",
            "copies",
            "erases",
            "waf",
            "waf_by_cause",
            "logical_share",
            "ram_bytes",
            "energy_nj",
            "wear_index",
            "collection",
        ] {
            assert!(!scheme[key].is_null(), "{key}");
        }
    }
    assert_eq!(schemes[2]["bound_ns"], 2_220_900);
    assert!(schemes[2]["response_ns"]["max"].as_u64() <= Some(2_220_900));
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let schemes =
        "--schemes page-level,lazy-rtgc,fsr+victim=random --precondition full+age=0.5 --json";
    let run = |line: &str| words(&format!("{line} {schemes}")).ok();
    let first = run(SMALL);
    assert_eq!(run(SMALL), first);
    assert_ne!(run(&SMALL.replace("--seed 7", "--seed 8")), first);
}

/// All lines except the notes on defaults, which are given explicitly in the second run.
fn settings(toml: &str) -> Vec<&str> {
    toml.lines().filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn a_dry_run_prints_an_experiment_that_gives_the_same_report() {
    let scratch = Scratch::new("dry-run");
    let trace = scratch.file("t.csv", csv_trace(3000));
    let lines = [
        SMALL.to_owned(),
        "compare zipf --capacity 16MiB --requests 3000 --set theta=1.2 --set part.t_bers_ns=1.5ms \
         --schemes lazy-rtgc+idle+share=0.7+label=mine,fsr+victim=choices:3 --precondition none --closed"
            .into(),
        format!("compare {trace} --loops 2 --addresses wrap --capacity 8MiB --time-scale 0.5"),
        format!("compare {trace} --on-bad-line skip --format csv"),
        "compare uniform --part ddt-mlc --ways 3 --planes 2 --bit-errors wear:1000000,2000,10+ecc=16 \
         --capacity 64MiB --requests 1000 --schemes fsr+copy=dgcb+copy_cache,page-level"
            .into(),
        format!("compare uniform --capacity 16MiB --requests 100 --seed {}", u64::MAX),
    ];
    for line in lines {
        let toml = words(&format!("{line} --dry-run")).ok();
        let file = scratch.file("experiment.toml", &toml);
        let again = ftlkit(["run", &file, "--dry-run"]).ok();
        assert_eq!(settings(&again), settings(&toml), "{line}");
        let direct = words(&format!("{line} --json")).ok();
        let by_file = ftlkit(["run", &file, "--json"]).ok();
        let read = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        assert_eq!(read(&by_file)["schemes"], read(&direct)["schemes"], "{line}");
    }
}

#[test]
fn every_report_is_of_the_published_schema() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/report.schema.json");
    let schema = std::fs::read_to_string(path).expect("the published schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let scratch = Scratch::new("schema");
    let trace = scratch.file("t.csv", csv_trace(300));
    let lines = [
        format!("{SMALL} --deadline 1ms --cpu arm7"),
        format!("compare {trace} --capacity 8MiB --loops 3 --schemes fast,dftl,page-level+share=0.3,ba-gc"),
        "compare uniform --part ddt-mlc --channels 2 --ways 2 --bit-errors 30 --capacity 128MiB --requests 2000 \
         --schemes fsr+copy=icb-unchecked,lazy-rtgc --deadline 1ms --suspend none --interface sata2"
            .into(),
    ];
    for line in lines {
        let report = words(&format!("{line} --json")).json();
        assert_eq!(schema::check(&schema, &schema, &report, "report"), Ok(()), "{line}");
        // The check notices what is missing, too much, and of another type.
        let mut broken = [report.clone(), report.clone(), report.clone()];
        broken[0]["schemes"][0].as_object_mut().expect("an object").remove("waf");
        broken[1]["schemes"][0]["more"] = 1.into();
        broken[2]["schemes"][0]["response_ns"]["max"] = "long".into();
        for report in &broken {
            assert!(schema::check(&schema, &schema, report, "report").is_err(), "{line}");
        }
    }
}

#[test]
fn plots_are_in_the_formats_size_and_font_asked_for() {
    let scratch = Scratch::new("plots");
    let out = scratch.at("results");
    let line = "compare uniform --capacity 16MiB --requests 300 --schemes fsr,page-level -q \
                --plot-format png,svg,pdf,png --plot-size 500x320 --no-plot-title --out";
    ftlkit(
        line.split_whitespace().chain([out.as_str()]).chain(["--plot-font", "Times New Roman:9"]),
    )
    .ok();
    let read = |name: &str| std::fs::read(format!("{out}/{name}")).expect(name);
    assert!(read("waf.pdf").starts_with(b"%PDF-") && read("waf.png").starts_with(b"\x89PNG"));
    let svg = String::from_utf8(read("response_ccdf.svg")).expect("text");
    assert!(svg.starts_with("<svg width=\"500\"") && svg.contains("'Times New Roman'"), "{svg}");
    assert!(!svg.contains("Response: uniform"), "no title");
}

#[test]
fn a_kept_experiment_runs_from_anywhere_with_the_trace_that_it_was_written_for() {
    let scratch = Scratch::new("kept-experiment");
    let trace = scratch.file("t.csv", csv_trace(3000));
    let (out, moved) = (scratch.at("results"), scratch.at("moved"));
    ftlkit(["compare", &trace, "--capacity", "16MiB", "--out", &out, "-q"]).ok();
    std::fs::rename(&out, &moved).expect("a folder beside the old one");
    let file = format!("{moved}/experiment.toml");
    let text = std::fs::read_to_string(&file).expect("an experiment");
    assert!(text.contains("trace = \"../t.csv\"") && !text.contains("out ="), "{text}");
    let json = ftlkit(["run", &file, "--json"]).ok();
    let of = |json: &str| serde_json::from_str::<Value>(json).expect("JSON")["schemes"].clone();
    let kept = std::fs::read_to_string(format!("{moved}/report.json")).expect("a report");
    assert_eq!(of(&json), of(&kept));
    // Of another version the figures may differ.
    let other = text.replacen("ftlkit ", "ftlkit 0.0.", 1);
    std::fs::write(&file, &other).expect("a file");
    let told = ftlkit(["run", &file, "--dry-run"]).ended(0);
    assert!(told.stderr.contains("was written by ftlkit 0.0."), "{}", told.stderr);
    scratch.file("t.csv", csv_trace(2999));
    let said = ["sha256", "is not the trace of which the experiment was written"];
    ftlkit(["run", &file]).refused(&said);
}

#[test]
fn copies_by_path_and_bit_errors_are_told_in_every_form() {
    let scratch = Scratch::new("copy-paths");
    let out = scratch.at("results");
    let line = "compare uniform --part ddt-mlc --ways 4 --planes 2 --bit-errors 6 --capacity 64MiB \
                --t-rwc 25ns --requests 3000 --schemes fsr+copy=dgcb+copy_cache,fsr+copy=icb";
    let text = unwrapped(&words(&format!("{line} --details --out {out}")).ok());
    for said in [
        "4 devices on one channel; 2 planes as one; 6 bit errors per page of each plane",
        "between devices dgcb with cache 1814.3 µs per page, 1300.0 µs for each further page",
        "of them dgcb",
        "bits corrected",
        "bytes sent again",
        "bound kept",
    ] {
        assert!(text.contains(said), "`{said}` is not in: {text}");
    }
    let report = words(&format!("{line} --json")).json();
    assert_eq!(report["configuration"]["device"]["ways"], 4);
    assert_eq!(report["configuration"]["device"]["page_bytes"], 16384);
    for (scheme, far) in [(0, "dgcb"), (1, "gcb")] {
        let scheme = &report["schemes"][scheme];
        let copies = scheme["copies_by_path"].as_array().expect("a list");
        let count = |at: usize| copies[at]["copies"].as_u64().expect("a count");
        assert_eq!(copies[1]["path"], far);
        assert_eq!(scheme["copies"], count(0) + count(1));
        assert!(scheme["bit_errors"]["corrected_bits"].as_u64() > Some(0));
        assert_eq!(scheme["bit_errors"]["uncorrectable_reads"], 0);
    }
    let summary = std::fs::read_to_string(format!("{out}/summary.csv")).expect("summary.csv");
    let header = summary.lines().next().expect("a header");
    for column in ["copies_by_path.lcb_pages", "copies_by_path.dgcb_pages", "bit_errors.lost_pages"]
    {
        assert!(header.contains(column), "{column}: {header}");
    }
}

#[test]
fn a_trace_without_capacity_gets_a_device_that_it_nearly_fills() {
    let scratch = Scratch::new("sized");
    let trace = scratch.file("t.csv", csv_trace(5000));
    let report = ftlkit(["compare", &trace, "--json"]).json();
    let space = report["configuration"]["workload_space_bytes"].as_f64().expect("a number");
    let share = 5000.0 * 4096.0 / space;
    assert!((0.80..=0.85).contains(&share), "{share}");
    let text = unwrapped(&ftlkit(["compare", &trace, "--details"]).ok());
    assert!(text.contains("at most 85 %"), "{text}");
    assert!(text.contains("5,000 read, 5,000 kept"), "{text}");
    assert!(text.contains("units in the header") && !text.contains("arrival_ns"), "{text}");
    assert!(
        text.contains("energy: the part's supply voltage and currents are assumed: 3.3 V, 10 mA")
    );
    let exact = ftlkit(["compare", &trace, "--addresses", "exact"]).ok();
    assert!(exact.contains("the trace's address span"), "{exact}");
}

#[test]
fn the_table_says_what_was_run_and_whether_promises_held() {
    let text = words(SMALL).ok();
    for words in
        ["device", "16.0 MiB = 128 blocks", "20,000 requests", "bound kept", "2.2209 ms", "seed 7"]
    {
        assert!(text.contains(words), "`{words}` is not in: {text}");
    }
}

#[test]
fn out_holds_the_report_its_series_and_the_experiment() {
    let scratch = Scratch::new("results");
    let out = scratch.at("deep/results");
    let done = words(&format!("{SMALL} --out {out} --json"));
    assert!(done.stderr.contains(&out), "{}", done.stderr);
    let direct = done.ok();
    let read = |name: &str| std::fs::read_to_string(format!("{out}/{name}")).expect(name);
    assert_eq!(read("report.json"), direct);
    let names: Vec<String> = std::fs::read_dir(&out)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    for end in [".csv", ".svg", ".toml", ".json"] {
        assert!(names.iter().any(|name| name.ends_with(end)), "{end}: {names:?}");
    }
    assert!(read("experiment.toml").contains("seed = 7"));
}

#[test]
fn quiet_is_quiet_and_a_pipe_gets_no_bar() {
    let scratch = Scratch::new("quiet");
    let out = scratch.at("results");
    let done = words(&format!("{SMALL} --quiet --out {out}"));
    assert_eq!(done.stderr, "");
    done.ok();
    assert_eq!(words(SMALL).stderr, "");
    let notes = |line: &str| words(line).ok().lines().filter(|l| l.starts_with("note ")).count();
    // That on other shares changes a decision; that on energy is of the details.
    assert_eq!((notes(SMALL), notes(&format!("{SMALL} --details"))), (1, 2));
    assert_eq!(notes(&format!("{SMALL} --details -q")), 0);
}

#[test]
fn the_first_screen_has_a_line_per_scheme_and_the_details_the_rest() {
    let line =
        "compare uniform --requests 3000 --capacity 16MiB --schemes page-level,lazy-rtgc,dftl";
    let (short, long) = (words(line).ok(), words(&format!("{line} --details")).ok());
    for name in ["page-level ", "lazy-rtgc ", "dftl "] {
        assert_eq!(short.lines().filter(|line| line.starts_with(name)).count(), 1, "{short}");
    }
    assert!(short.lines().all(|line| line.chars().count() <= 100), "{short}");
    assert!(short.contains("requests: 3,000 taken, all completed"), "{short}");
    assert!(unwrapped(&short).contains("bound kept: page-level, dftl (whole-victim worst case);"));
    assert!(!short.contains("wear") && long.contains("wear max/mean"), "{short}{long}");
    let terms = words("help terms").ok();
    assert_eq!(words("terms").ok(), terms.split_once("\nUsage:").expect("usage").0);
    for term in ["WAF", "longest collection pause", "entries touched per victim choice"] {
        assert!(terms.lines().any(|line| line.contains(term)), "{term}: {terms}");
    }
}

#[test]
fn results_of_another_run_are_not_replaced_without_force() {
    let scratch = Scratch::new("force");
    let out = scratch.at("results");
    let line = format!("{SMALL} --out {out}");
    words(&line).ok();
    words(&line).refused(&["results holds the results of another run", "--force"]);
    words(&format!("{line} --force")).ok();
    let copyback = format!("copyback --out {out}/paths");
    words(&copyback).ok();
    words(&copyback).refused(&["copyback.csv", "--force"]);
}

/// Only what the program wrote is replaced, and no link is followed.
#[cfg(unix)]
#[test]
fn files_of_others_are_not_replaced() {
    let scratch = Scratch::new("others");
    let victim = scratch.file("victim", "mine");
    std::fs::create_dir(scratch.at("d")).unwrap();
    let line = "compare uniform --capacity 8MiB --requests 500 --schemes page-level -q";
    let out = format!("{line} --out {}", scratch.at("d"));
    let mine = |name: &str| std::fs::read_to_string(scratch.at(name)).unwrap() == "mine";
    scratch.file("d/summary.csv", "mine");
    words(&out).refused(&["d/summary.csv is there", "--force replaces it"]);
    std::fs::remove_file(scratch.at("d/summary.csv")).unwrap();
    std::os::unix::fs::symlink(&victim, scratch.at("d/summary.csv")).unwrap();
    words(&out).refused(&["d/summary.csv is there", "--force replaces it"]);
    assert!(mine("victim") && !std::path::Path::new(&scratch.at("d/report.json")).exists());
    words(&format!("{out} --force")).ok();
    assert!(mine("victim") && !mine("d/summary.csv"));
    // Pages: of this program, and no links.
    let page = |name: &str| words(&format!("{line} --html {}", scratch.at(name)));
    scratch.file("own.html", "<!DOCTYPE html><html><body>mine</body></html>");
    page("own.html").refused(&["own.html: the file is there, and is not an HTML page of ftlkit"]);
    std::os::unix::fs::symlink(&victim, scratch.at("link.html")).unwrap();
    page("link.html").refused(&["link.html: this is a link"]);
    page("new.html").ok();
    page("new.html").ok();
    assert!(mine("victim"));
    // Pages of a reference.
    scratch.file("d/README.md", "mine");
    words(&format!("list schemes --pages {}", scratch.at("d")))
        .refused(&["README.md", "another's"]);
    assert!(mine("d/README.md"));
}

/// A terminal takes no command from a name.
#[test]
fn control_characters_of_names_are_escaped() {
    let scratch = Scratch::new("control");
    let bad = scratch.file("a\u{1b}[2J.toml", "schemes = ['x\u{1b}]0;y\u{7}']\nseed = -1");
    let label = |rest: &str| {
        format!("compare uniform --capacity 8MiB --schemes page-level+label=\u{1b}[31mred{rest}")
    };
    for line in [
        format!("run {bad}"),
        "compare no\u{1b}[2J.csv".into(),
        label("\u{9b} --requests 500"),
        label(" --requests 500 --details"),
        label(",fsr+share=0.3 --dry-run"),
    ] {
        let ran = words(&line);
        for text in [&ran.stdout, &ran.stderr] {
            assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{line:?}: {text:?}");
        }
        assert!((ran.stdout + &ran.stderr).contains('\\'), "{line:?}");
    }
}

/// No line is wider than the terminal, and no word or number is broken: the words are those of a wide terminal.
#[test]
fn tables_fit_the_terminal() {
    let lines = [
        "list parts",
        "list schemes",
        "list traces",
        "list workloads",
        "list formats",
        "list interfaces",
        "trace info postgres-pgbench",
        "trace info maildir",
        "explain lazy-rtgc --text",
        "explain gftl --text",
        "bounds --part toshiba-slc",
        "bounds --part ddt-mlc --copy all",
        "compare uniform --capacity 8MiB --requests 2000 --schemes page-level,nftl,page-level+victim=fifo+placement=sepbit",
        "compare uniform --capacity 8MiB --requests 2000 --details",
        "sweep uniform --capacity 8MiB --requests 2000 --vary op=20%,28% --schemes page-level,nftl -q",
    ];
    for line in lines {
        let at = |columns: &str| {
            let mut command = command();
            command.env("COLUMNS", columns).env("TERM", "dumb").args(line.split_whitespace());
            ran(command.output().expect("it starts")).ok()
        };
        let words = |text: &str| -> std::collections::BTreeSet<String> {
            let words = text.split_whitespace().filter(|word| !word.starts_with('─'));
            words.map(str::to_owned).collect()
        };
        let is_drawn = line.starts_with("trace info") || line.starts_with("explain");
        let whole = words(&at("160"));
        for columns in ["0", "60", "80", "200"] {
            let text = at(columns);
            assert!(!text.contains('\u{1b}'));
            let most =
                columns.parse().map_or(100, |width: usize| if width == 0 { 100 } else { width });
            // Prose is wrapped as far as its words allow; what is drawn is as wide as there is room.
            let is_row = |line: &&str| line.contains("  ") || line.starts_with('─');
            let wide = text.lines().filter(is_row).find(|line| line.chars().count() > most);
            assert!(wide.is_none(), "{line} at {columns}: {wide:?}\n{text}");
            if is_drawn {
                continue;
            }
            // Names break behind their marks.
            const MARKS: [char; 6] = ['+', '-', '=', ':', ',', ' '];
            let is_piece = |word: &String| {
                whole.iter().any(|whole| {
                    whole.match_indices(word.as_str()).any(|(at, _)| {
                        let rest = &whole[at + word.len()..];
                        let begins = at == 0 || whole[..at].ends_with(MARKS);
                        begins && (rest.is_empty() || word.ends_with(MARKS))
                    })
                })
            };
            let broken: Vec<_> = words(&text).into_iter().filter(|word| !is_piece(word)).collect();
            assert!(broken.is_empty(), "{line} at {columns}: {broken:?}\n{text}");
        }
    }
}
