//! Periodic tasks: `bounds --tasks` and the run that confirms it.

use crate::common::{Scratch, ftlkit, unwrapped};
use serde_json::Value;

const TASKS: &str = "requests = 20_000

[[tasks]]
name = 'log'
operation = 'write'
period = '6ms'
deadline = '5ms'
pages = 2

[[tasks]]
name = 'play'
operation = 'read'
period = '5ms'
pages = 2
";

/// Scheme `name` of a command's JSON, which ends with `code`.
fn scheme(args: &[&str], code: i32, name: &str) -> Value {
    let ran = ftlkit(args.iter().copied()).ended(code);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    let schemes = json["schemes"].as_array().unwrap().clone();
    let named = |row: &Value| row["scheme"] == name || row["name"] == name;
    schemes.into_iter().find(named).unwrap_or_else(|| panic!("{name}: {json:#}"))
}

#[test]
fn the_analysis_and_its_run_agree() {
    let scratch = Scratch::new("tasks");
    let file = scratch.file("tasks.toml", TASKS);
    let bounds = ["bounds", "--tasks", &file, "--blocks", "64", "--json", "--schemes"];
    let compare = [
        "compare",
        "--tasks",
        &file,
        "--capacity",
        "8MiB",
        "--precondition",
        "full+age=1",
        "--json",
        "--quiet",
        "--schemes",
    ];
    // (scheme, exit code, schedulable)
    for (name, code, fits) in [("lazy-rtgc", 0, true), ("gftl", 1, false)] {
        let computed = scheme(&[&bounds[..], &[name]].concat(), code, name);
        assert_eq!(computed["schedulable"], fits, "{computed:#}");
        assert_eq!(computed["worst_case_miss"].is_null(), fits);
        let ran = scheme(&[&compare[..], &[name]].concat(), code, name);
        let deadlines = &ran["deadlines"];
        assert_eq!(deadlines["schedulable"], fits, "{deadlines:#}");
        assert_eq!(deadlines["misses"] == 0, fits, "{deadlines:#}");
        assert_eq!(deadlines["first_miss"].is_null(), fits);
        assert_eq!(ran["violations"], 0);
        for at in 0..2 {
            let computed = &computed["tasks"][at]["response_ns"];
            assert_eq!(*computed, deadlines["tasks"][at]["worst_case_ns"]);
            if let Some(worst) = computed.as_u64() {
                assert!(deadlines["tasks"][at]["longest_ns"].as_u64().unwrap() <= worst);
            }
        }
    }
    // One that keeps them is enough where no scheme is named.
    let computed = scheme(&bounds[..6], 0, "gftl");
    assert_eq!(computed["schedulable"], false);
}

#[test]
fn the_text_says_why_and_how_to_confirm_it() {
    let scratch = Scratch::new("tasks-text");
    let file = scratch.file("tasks.toml", TASKS);
    let shown = ftlkit(["bounds", "--tasks", &file, "--schemes", "lazy-rtgc,gftl"]).ended(1).stdout;
    for said in [
        "yes, at any phases: U ≤ 1, and R ≤ deadline for",
        "no: U > 1, the queue grows without limit",
        "gftl: in the worst case job 0 of `log`: released at 0 ns, complete at",
        "--part evaluation-slc --precondition full+age=1 --share own --schemes lazy-rtgc,gftl",
    ] {
        // Long cells are on several lines.
        let flat = unwrapped(&shown);
        assert!(flat.contains(said), "{said}: {shown}");
    }
    let small = ["--capacity", "8MiB", "--precondition", "full+age=1", "--schemes", "gftl"];
    let shown = ftlkit(["compare", "--tasks", &file].into_iter().chain(small)).ended(1).stdout;
    assert!(shown.contains("DEADLINE MISSED, first by job"), "{shown}");
}

#[test]
fn bad_task_files_are_refused_with_their_line() {
    let scratch = Scratch::new("bad-tasks");
    let refused = |text: &str, said: &[&str]| {
        let file = scratch.file("bad.toml", text);
        ftlkit(["bounds", "--tasks", &file]).refused(said);
        ftlkit(["compare", "--tasks", &file]).refused(said);
    };
    refused(
        &TASKS.replace("'6ms'", "'6 weeks'"),
        &["bad.toml:6", "`6 weeks` is not a time", "`2ms`"],
    );
    refused(&TASKS.replace("'read'", "'trim'"), &["bad.toml:12", "there are `read` and `write`"]);
    refused(&TASKS.replace("pages = 2", "pages = 0"), &["bad.toml:8", "1 to 65536, not 0"]);
    refused("tasks = [", &["bad.toml:1"]);
    refused("", &["missing field `tasks`", "[[tasks]]"]);
}
