//! Runs ftlkit's own test suites on what this crate adds.

use ftlkit::ftl::SchemeConfig;
use ftlkit::ftl::registry::by_name;
use testkit::operations::Pattern;
use testkit::power_cut::Case;
use testkit::shape::Shape;
use testkit::suite;

/// What the suites run: schemes of this crate, and its policies below a scheme that takes any.
fn additions() -> Vec<SchemeConfig> {
    let of = |preset| SchemeConfig { spare_blocks: 1, ..SchemeConfig::preset(preset) };
    let page_level = || of(by_name("page-level").expect("it is registered"));
    let paced = || of(&own_scheme::paced::PRESET);
    vec![
        SchemeConfig { victim: own_scheme::second_look::POLICY.kind(&[]), ..page_level() },
        SchemeConfig { placement: own_scheme::quick::POLICY.kind(&[]), ..page_level() },
        paced(),
        SchemeConfig { victim: own_scheme::second_look::POLICY.kind(&[]), ..paced() },
        of(&own_scheme::block_per_page::PRESET),
    ]
}

/// Random and adversarial operations, on many shapes of arrays, beside a reference model.
#[test]
fn they_read_back_what_was_written_and_keep_their_bounds() {
    let passed = suite::conformance(&additions()).unwrap_or_else(|failed| panic!("{failed}"));
    println!("{passed}");
}

/// A cut at every program, copy and erase, and at those of the mount after it.
#[test]
fn they_survive_power_cuts_at_every_operation() {
    let patterns = [Pattern::Uniform, Pattern::FillThenOverwrite];
    let cases = additions().into_iter().flat_map(|scheme| {
        patterns.map(|pattern| Case::new(scheme.clone(), Shape::new(8, 4, 1), pattern, 1))
    });
    let cases = cases.map(|case| Case { operations: 60, go_on: 40, ..case }).collect::<Vec<_>>();
    let tally = suite::cut_everywhere(&cases).unwrap_or_else(|failed| panic!("{failed}"));
    println!("{tally:?}");
    assert!(tally.cuts > 40 * cases.len() as u64);
}

/// A search for the order of requests that exceeds a bound.
#[test]
fn no_order_of_requests_exceeds_a_bound() {
    let reached = suite::promises(&additions()).unwrap_or_else(|failed| panic!("{failed}"));
    println!("{}", reached.join("\n"));
}

// From here on: tests of this example alone, which `ftlkit new` leaves out.

use std::process::{Command, Output};

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
