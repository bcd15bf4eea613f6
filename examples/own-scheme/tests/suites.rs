//! Runs ftlkit's own test suites on the additions.

use ftlkit::ftl::registry::by_name;
use ftlkit::ftl::{Preset, SchemeConfig};
use own_scheme::{block_per_page, paced, quick, second_look};
use std::process::{Command, Output};
use testkit::operations::Pattern;
use testkit::power_cut::Case;
use testkit::shape::Shape;
use testkit::suite;

/// The additional schemes, and the additional victim policy below schemes that accept any policy.
fn additions() -> Vec<SchemeConfig> {
    let with = |preset: &'static Preset| SchemeConfig {
        victim: second_look::POLICY.kind(&[]),
        spare_blocks: 1,
        ..SchemeConfig::preset(preset)
    };
    let plain = |preset| SchemeConfig { victim: None, ..with(preset) };
    let page_level = by_name("page-level").expect("it is registered");
    vec![
        plain(&block_per_page::PRESET),
        plain(&paced::PRESET),
        with(&paced::PRESET),
        with(page_level),
        SchemeConfig { placement: quick::POLICY.kind(&[]), ..SchemeConfig::preset(page_level) },
    ]
}

#[test]
fn they_read_back_what_was_written_and_keep_their_promises() {
    let passed = suite::conformance(&additions()).unwrap_or_else(|failed| panic!("{failed}"));
    println!("{passed:?}");
}

#[test]
fn they_survive_power_cuts_at_every_operation() {
    let shape = Shape::new(8, 4, 1);
    let patterns = [Pattern::Uniform, Pattern::FillThenOverwrite];
    let cases: Vec<Case> = additions()
        .into_iter()
        .flat_map(|scheme| patterns.map(|pattern| Case::new(scheme.clone(), shape, pattern, 1)))
        .map(|case| Case { operations: 60, go_on: 40, ..case })
        .collect();
    let tally = suite::cut_everywhere(&cases).unwrap_or_else(|failed| panic!("{failed}"));
    println!("{tally:?}");
    assert!(tally.cuts > 400);
}

#[test]
fn no_order_of_requests_breaks_a_promise() {
    let reached = suite::promises(&additions()).unwrap_or_else(|failed| panic!("{failed}"));
    println!("{}", reached.join("\n"));
}

fn command(arguments: &[&str]) -> Output {
    let ran = Command::new(env!("CARGO_BIN_EXE_own-scheme")).args(arguments).output();
    ran.expect("the command was built")
}

const ALL: &str = "page-level,page-level+victim=second-look,page-level+placement=quick,paced,paced+victim=second-look,block-per-page";

#[test]
fn they_stand_beside_ours_in_the_command() {
    let compared = command(&[
        "compare",
        "uniform",
        "--capacity",
        "16MiB",
        "--requests",
        "20000",
        "--schemes",
        ALL,
        "--json",
    ]);
    let text = String::from_utf8_lossy(&compared.stdout);
    assert!(compared.status.success(), "{}", String::from_utf8_lossy(&compared.stderr));
    for scheme in ALL.split(',') {
        assert!(text.contains(&format!("\"name\": \"{scheme}\"")), "{scheme}: {text}");
    }
    let listed = command(&["list", "schemes"]);
    assert!(String::from_utf8_lossy(&listed.stdout).contains("second-look"));
    let unknown = command(&["compare", "--schemes", "block-a-pag"]);
    let said = String::from_utf8_lossy(&unknown.stderr);
    assert!(!unknown.status.success() && said.contains("block-per-page"), "{said}");
}

#[test]
fn bench_measures_them() {
    let measured = command(&["bench", "--scheme", "paced", "--capacity", "64MiB", "--json", "-q"]);
    assert!(String::from_utf8_lossy(&measured.stdout).contains("\"paced\""));
}

/// Each addition has at most 160 lines including its explanation, as `docs/own-scheme.md` says.
#[test]
fn each_addition_is_short() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/own-scheme.md")).unwrap();
    for file in ["second_look", "quick", "paced", "block_per_page"] {
        let source = root.join(format!("examples/own-scheme/src/{file}.rs"));
        let lines = std::fs::read_to_string(source).unwrap().lines().count();
        assert!(lines <= 160, "{file}.rs has {lines} lines");
        let row = format!("| `src/{file}.rs` | {lines} |");
        assert!(page.contains(&row), "docs/own-scheme.md lacks {row}");
    }
}
