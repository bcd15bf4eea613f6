//! Commands without a test file of their own.

use crate::common::{Scratch, csv_trace, ftlkit, words};

#[test]
fn help_teaches() {
    for line in [
        "--help",
        "compare --help",
        "run --help",
        "bounds --help",
        "list --help",
        "trace info --help",
    ] {
        let text = words(line).ok();
        assert!(text.contains("Examples:"), "{line}");
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{line}");
    }
}

#[test]
fn bounds_tell_what_each_copy_path_allows() {
    let line = "bounds --part ddt-mlc --ways 4 --copy all";
    let json = words(&format!("{line} --json")).json();
    let ways = json["channels"][0]["ways"].as_array().expect("a list");
    assert_eq!(ways.len(), 10);
    let share = |copy: &str, cache: bool| {
        let way = ways.iter().find(|way| way["copy"] == copy && way["cache_program"] == cache);
        let schemes = way.expect(copy)["schemes"].as_array().expect("a list");
        let lazy = schemes.iter().find(|row| row["scheme"] == "lazy-rtgc").expect("lazy-rtgc");
        lazy["logical_share"].as_f64().expect("a share")
    };
    // A step of one erase holds two copies over DGCB with cache program, and one over GCB.
    assert!(share("dgcb", true) > 0.62 && share("gcb", true) < 0.51 && share("dgcb", false) < 0.51);
    let one = words("bounds --part ddt-mlc --ways 4 --copy dgcb --copy-cache --json").json();
    let space = &one["parts"][0]["lazy_rtgc_space"];
    assert_eq!((&space["alpha"], &space["alpha_far"]), (&1.into(), &2.into()));
    assert_eq!(space["logical_share"].as_f64(), Some(share("dgcb", true)));
}

#[test]
fn bounds_print_what_the_paper_prints() {
    let text = words("bounds --part all").ok();
    let row = |part: &str, after: &str| {
        let rest = &text[text.find(after).expect(after)..];
        let line = rest.lines().find(|line| line.starts_with(part)).expect(part);
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        row("toshiba-slc", "Table II)")[1..],
        ["25", "300", "3000", "64", "9", "88.59", "88.6"]
    );
    let shares = row("toshiba-tlc", "Table III)");
    assert_eq!(shares[3..], ["33.33", "33.3", "59.64", "59.6", "49.74", "49.7"]);
    let json = words("bounds --json").json();
    let services = json["parts"][0]["table_i"].as_array().expect("a list");
    let response = |scheme: &str| {
        let row = services.iter().find(|row| row["scheme"] == scheme).expect(scheme);
        row["response_ns"].as_u64()
    };
    assert_eq!(response("lazy-rtgc"), Some(2_220_900));
    assert_eq!(response("rftl"), Some(2_249_900));
    assert_eq!(response("gftl"), Some(3_885_000));
    let json = words("bounds --blocks 100 --json").json();
    assert_eq!(json["parts"][0]["lazy_rtgc_space"]["blocks"], 100);
    assert_eq!(json["parts"][0]["lazy_rtgc_space"]["threshold_pages"], 64);
}

#[test]
fn bounds_say_what_compare_finds() {
    let found =
        words("compare uniform --capacity 16MiB --share own --requests 9000 -q --json --schemes page-level,2lgc,lazy-rtgc").json();
    let sheet = words("bounds --blocks 128 --json").json()["parts"][0].clone();
    let (said, found) = (&sheet["schemes"], &found["schemes"]);
    let (said, found) = (said.as_array().expect("a list"), found.as_array().expect("a list"));
    assert_eq!(found.len(), 3);
    for found in found {
        let said = said.iter().find(|row| row["scheme"] == found["name"]).expect("a row");
        assert_eq!(said["response_ns"], found["bound_ns"]);
        assert_eq!(said["real_time"], found["real_time"]);
        assert_eq!(said["logical_share"], found["logical_share"]);
        for part in ["map", "blocks"] {
            assert_eq!(said["ram"][part], found["ram"][part], "{part}");
        }
        // The list of free blocks, 4 B per entry, varies in length.
        let victims = |of: &serde_json::Value| of["ram"]["victims"].as_u64().expect("bytes");
        assert!((0..=128 * 4).contains(&(victims(found) - victims(said))));
    }
    // What `bounds` calls kept, `compare` calls proved.
    let schemes =
        "--schemes page-level,ba-gc,ba-gc+buffer_age=0,gftl,gftl+queue=printed --deadline 2000s";
    let said = words(&format!("bounds --capacity 16MiB --json {schemes}")).json();
    let load = "zipf --capacity 256MiB --requests 300 -q";
    let found = words(&format!("compare {load} {schemes}")).ok();
    let found = found.split_whitespace().collect::<Vec<_>>().join(" ");
    for row in said["parts"][0]["schemes"].as_array().expect("a list") {
        let start =
            format!("{}: deadline 2000s kept in this run", row["scheme"].as_str().expect("a name"));
        let rest = found.split_once(&start).expect("a verdict").1;
        assert_eq!(row["keeps_deadline"], rest.starts_with("; the bound"), "{rest}");
    }
    let text = words("bounds --blocks 3").ok();
    for (name, least) in [("gftl", 6), ("dftl", 6), ("fast", 4)] {
        let line = text.lines().find(|line| line.starts_with(&format!("{name} cannot work:")));
        let least = format!("at least {least} are needed");
        assert!(line.is_some_and(|line| line.contains(&least)), "{name}: {text}");
    }
    // Schemes that are named are told, not refused.
    let text = words("bounds --blocks 3 --schemes dftl").ok();
    assert!(text.contains("dftl cannot work: "), "{text}");
    let table = words("bounds --json").json()["table_vii"].clone();
    let lazy = table.as_array().expect("a list").iter().find(|row| row["scheme"] == "lazy-rtgc");
    let lazy = lazy.expect("a row");
    assert_eq!(lazy["ram_bytes"], lazy["printed_bytes"]);
}

#[test]
fn bounds_take_a_part_of_ones_own() {
    let scratch = Scratch::new("own-part");
    let text = "page_bytes = '4KiB'\npages_per_block = 64\nt_r_ns = '25us'\nt_prog_ns = '200us'\n\
                t_bers_ns = '2ms'\n";
    let file = scratch.file("My Part_1.toml", text);
    let json = ftlkit(["bounds", "--part-file", &file, "--json"]).json();
    assert_eq!(json["parts"][0]["part"], "my-part-1");
    assert_eq!(json["parts"][0]["table_ii"]["logical_share"], 0.875);
}

#[test]
fn lists() {
    for (what, one) in [
        ("parts", "evaluation-slc"),
        ("schemes", "lazy-rtgc"),
        ("workloads", "uniform"),
        ("formats", "msr"),
    ] {
        assert!(words(&format!("list {what}")).ok().contains(one), "{what}");
        let json = words(&format!("list {what} --json")).json();
        let names: Vec<_> =
            json[what].as_array().expect("a list").iter().map(|x| &x["name"]).collect();
        assert!(names.iter().any(|name| **name == one), "{what}: {names:?}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let scratch = Scratch::new("man");
    ftlkit(["man", "--pages", &scratch.at("pages")]).ok();
    for name in ["ftlkit", "ftlkit-compare", "ftlkit-trace-info"] {
        let page = std::fs::read_to_string(scratch.at(&format!("pages/{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
    }
    // Own pages are replaced; another's file and a link are not.
    ftlkit(["man", "--pages", &scratch.at("pages")]).ok();
    let page = scratch.at("pages/ftlkit-compare.1");
    std::fs::write(&page, "mine").unwrap();
    ftlkit(["man", "--pages", &scratch.at("pages")]).refused(&["ftlkit-compare.1", "another's"]);
    assert_eq!(std::fs::read_to_string(&page).unwrap(), "mine");
    #[cfg(unix)]
    {
        let own = scratch.at("pages/ftlkit-run.1");
        std::fs::remove_file(&page).unwrap();
        std::os::unix::fs::symlink(own, &page).unwrap();
        ftlkit(["man", "--pages", &scratch.at("pages")]).refused(&["ftlkit-compare.1"]);
    }
    ftlkit(["man", "--pages", &scratch.file("file", "")]).refused(&["file"]);
    let version = words("--version").ok();
    assert!(version.starts_with(concat!("ftlkit ", env!("CARGO_PKG_VERSION"))), "{version}");
}

/// Without a terminal a table is 100 columns wide at most.
#[test]
fn lists_fit_a_pipe() {
    for what in ["parts", "schemes", "workloads", "workloads snia", "formats"] {
        let text = words(&format!("list {what}")).ok();
        let longest = text.lines().take_while(|line| !line.is_empty());
        let longest = longest.map(|line| line.chars().count()).max();
        assert!(longest <= Some(100), "{what}: {longest:?}");
    }
    assert!(words("list workloads").ok().lines().count() < 70);
    let links = words("list interfaces --json").json();
    for link in links["interfaces"].as_array().expect("a list") {
        assert!(link["read_4k_bytes_per_second"].as_f64() <= link["bytes_per_second"].as_f64());
        assert!(link["source"].as_str().expect("a text").contains("coding"), "{link}");
    }
}

#[test]
fn a_scheme_has_a_page_and_its_settings_are_told() {
    let page = words("list schemes lazy-rtgc").ok();
    let json = words("list schemes lazy-rtgc --json").json();
    assert_eq!(json["page"], page);
    let keys = json["settings"].as_array().expect("a list").iter().map(|setting| &setting["key"]);
    let keys: Vec<&str> = keys.filter_map(|key| key.as_str()).collect();
    assert_eq!(keys[..6], ["victim", "idle", "frontiers", "aware", "share", "buffer"]);
    assert_eq!(keys[keys.len() - 2..], ["spare", "label"]);
    // Settings of some schemes are not listed for the others.
    let json = words("list schemes nftl --json").json();
    let keys = json["settings"].as_array().expect("a list").iter().map(|setting| &setting["key"]);
    assert!(keys.into_iter().all(|key| key != "aware" && key != "victim"), "{json}");
}

#[test]
fn a_write_buffer_is_a_setting_of_any_scheme() {
    let schemes = "nftl,nftl+buffer=fab+buffer_size=256KiB,ba-gc+buffer_size=256KiB";
    let line = format!("compare uniform --requests 3000 --capacity 16MiB --schemes {schemes}");
    let json = words(&format!("{line} --json")).json();
    let buffer = |at: usize| &json["schemes"][at]["buffer"];
    assert!(buffer(0).is_null());
    assert_eq!((&buffer(1)["policy"], &buffer(1)["capacity_pages"]), (&"fab".into(), &128.into()));
    // nftl does not report moved pages; ba-gc does, and takes dirty pages from the buffer instead.
    assert!(buffer(1)["moved_in_vain"].is_null(), "{json}");
    assert_eq!(buffer(2)["moved_in_vain"], 0);
    assert!(buffer(2)["collected"].as_u64() > Some(0), "{json}");
}

#[test]
fn the_example_of_the_schemes_is_one() {
    let text = words("list schemes").ok();
    let example = text.split("--schemes ").nth(1).and_then(|rest| rest.split_whitespace().next());
    let line = format!("compare --dry-run --schemes {}", example.expect("an example"));
    assert!(words(&line).ok().contains("fifo"));
}

#[test]
fn traces_are_told_of_and_converted() {
    let scratch = Scratch::new("traces");
    let trace = scratch.file("t.csv", csv_trace(100));
    let text = ftlkit(["trace", "info", &trace]).ok();
    assert!(text.contains("100 read, 100 kept"), "{text}");
    let json = ftlkit(["trace", "info", &trace, &trace, "--json"]).json();
    assert_eq!(json["traces"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["traces"][0]["counts"]["kept"], 100);

    let spc = scratch.at("t.spc");
    assert!(ftlkit(["trace", "convert", &trace, &spc]).ok().contains("100 requests written"));
    let back = scratch.at("back.csv");
    ftlkit(["trace", "convert", &spc, &back]).ok();
    let info = |path: &str| ftlkit(["trace", "info", path, "--json"]).json()["traces"][0].clone();
    let (first, last) = (info(&trace), info(&back));
    for key in ["ops", "bytes", "footprint_bytes", "duration_ns", "sequential_percent"] {
        assert_eq!(first[key], last[key], "{key}");
    }
}

#[test]
fn what_a_format_cannot_hold_is_not_lost_silently() {
    let scratch = Scratch::new("loss");
    let text = "arrival_ns,op,offset_bytes,length_bytes\n0,write,0,4096\n5,flush,0,0\n";
    let trace = scratch.file("t.csv", text);
    let spc = scratch.at("t.spc");
    ftlkit(["trace", "convert", &trace, &spc]).refused(&["flush", "--allow-loss"]);
    assert!(!std::path::Path::new(&spc).exists());
    let done = ftlkit(["trace", "convert", &trace, &spc, "--allow-loss", "--json"]).json();
    assert_eq!((&done["done"]["written"], &done["done"]["left_out"]), (&1.into(), &1.into()));

    let flushes = "arrival_ns,op,offset_bytes,length_bytes\n0,flush,0,0\n5,flush,0,0\n";
    let flushes = scratch.file("flushes.csv", flushes);
    let before = std::fs::read(&spc).expect("the conversion");
    for out in [&spc, &scratch.at("t.msr")] {
        ftlkit(["trace", "convert", &flushes, out, "--allow-loss", "--force"])
            .refused(&["no request can be written as", "2 requests"]);
    }
    assert_eq!(std::fs::read(&spc).expect("still there"), before);
    let mut left: Vec<_> = std::fs::read_dir(scratch.path())
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["flushes.csv", "t.csv", "t.spc"]);
}

#[test]
fn a_conversion_replaces_no_file_without_leave_and_follows_no_link() {
    let scratch = Scratch::new("force");
    let [a, b] = ["a.csv", "b.csv"].map(|name| scratch.file(name, csv_trace(10)));
    let (mine, empty) = (scratch.file("mine.csv", "mine"), scratch.file("empty.csv", ""));
    let [link, dangling] = ["link.csv", "dangling.csv"].map(|name| scratch.at(name));
    std::os::unix::fs::symlink(&mine, &link).expect("a link");
    std::os::unix::fs::symlink(scratch.at("nothing"), &dangling).expect("a link");
    ftlkit(["trace", "convert", &a, &mine]).refused(&["mine.csv", "the file is there", "--force"]);
    for more in [&[][..], &["--force"], &["--force", "--allow-loss"]] {
        for link in [&link, &dangling] {
            let line = [&["trace", "convert", &a, link][..], more].concat();
            ftlkit(line).refused(&["is a symbolic link, and none is followed"]);
        }
    }
    assert_eq!(std::fs::read_to_string(&mine).expect("a file"), "mine");
    // Neither is a source replaced, whichever of several.
    ftlkit(["trace", "convert", &a, &b, &b, "--force"]).refused(&["into itself"]);
    ftlkit(["trace", "convert", &a, &empty]).ok();
    ftlkit(["trace", "convert", &a, &mine, "--force"]).ok();
    assert_eq!(std::fs::read(&mine).expect("a file"), std::fs::read(&empty).expect("a file"));
    // Nothing is left over.
    assert_eq!(std::fs::read_dir(scratch.path()).expect("a directory").count(), 6);
}

#[test]
fn names_that_promise_what_is_not_written_are_refused() {
    let scratch = Scratch::new("names");
    let trace = scratch.file("t.csv", csv_trace(10));
    for (name, why) in [
        ("t.csv.bz2", "`.bz2` is read but not written; .gz, .zst, .xz are"),
        ("t.zstd", "`.zstd` is read but not written"),
        ("t.blkparse", "`blkparse` is read but not written"),
        ("t.blkparse.gz", "`blkparse` is read but not written"),
    ] {
        ftlkit(["trace", "convert", &trace, &scratch.at(name)]).refused(&[why, ".spc, .msr"]);
    }
    ftlkit(["trace", "convert", &trace, "-"]).refused(&["standard output"]);
    let text = ftlkit(["trace", "convert", &trace, &scratch.at("log.txt")]).ok();
    assert!(text.contains("(csv to csv)"), "{text}");
    ftlkit(["trace", "convert", &trace, &scratch.at("t.blkparse"), "--to", "spc"]).ok();
    ftlkit(["trace", "convert", &trace, &trace, "--allow-loss"]).refused(&["into itself"]);
}

#[test]
fn bench_measures_what_it_is_asked_to() {
    let json = words("bench --scheme page-level --capacity 64MiB --json").json();
    let rows = json["rows"].as_array().expect("a list");
    assert_eq!(rows.len(), 1);
    assert_eq!(json["roofline"].as_array().map(Vec::len), Some(1));
    for key in [
        "scheme",
        "capacity_bytes",
        "page_bytes",
        "ns_per_flash_op",
        "ratio_to_roofline",
        "waf",
        "ram_bytes_per_page",
    ] {
        assert!(!rows[0][key].is_null(), "{key}");
    }
}

/// Memory for the program, but not for the stacks of many threads: one does all runs. What is left when a stack is refused
/// differs from time to time.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_the_system_refuses_are_done_without() {
    // With 64 threads, among them those at which all stacks fit and nothing else does.
    let limits = (105_000..300_000).step_by(6500).map(|limit| limit.to_string());
    for (limit, threads) in limits.flat_map(|limit| [(limit.clone(), "64"), (limit, "400")]) {
        let run = std::process::Command::new("sh")
            .args(["-c", "ulimit -v $0 && exec \"$@\"", &limit, env!("CARGO_BIN_EXE_ftlkit")])
            .args(["compare", "uniform", "--requests", "1000", "--capacity", "4MiB"])
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(!said.contains("panicked"), "{limit}: {said}");
        assert_eq!(run.status.code(), Some(0), "{limit}: {said}");
    }
}

#[test]
fn parts_whose_blocks_are_larger_than_the_array_are_named() {
    let ran = words("bounds --part all --capacity 32MiB");
    let left_out: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(left_out.len(), 2, "{}", ran.stderr);
    assert!(left_out[0].contains("`aero-tlc` left out: one of its blocks has 33.0 MiB"));
    assert!(left_out[1].contains("`zn540-tlc` left out"));
    // Of one part that is an error.
    words("bounds --part aero-tlc --capacity 32MiB")
        .refused(&["--capacity: 32MiB, part `aero-tlc`"]);
}
