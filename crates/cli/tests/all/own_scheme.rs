//! The example crate with its own schemes, built and tested as its author does.

use std::path::Path;
use std::process::Command;

#[test]
fn a_crate_outside_the_workspace_brings_a_policy_a_collector_and_a_scheme() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Beside this test's own build, so that dependencies are built only once.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("..");
    let tested = Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--manifest-path"])
        .arg(root.join("examples/own-scheme/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .output()
        .expect("cargo runs, since it runs this test");
    let said = String::from_utf8_lossy(&tested.stdout);
    print!("{said}");
    assert!(tested.status.success(), "{said}{}", String::from_utf8_lossy(&tested.stderr));
    assert!(said.contains("5 passed"), "{said}");
}

/// Each addition has at most 160 lines including its explanation, as `docs/own-scheme.md` says.
#[test]
fn each_addition_is_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/own-scheme.md")).unwrap();
    for file in ["second_look", "paced", "block_per_page"] {
        let source = root.join(format!("examples/own-scheme/src/{file}.rs"));
        let lines = std::fs::read_to_string(source).unwrap().lines().count();
        assert!(lines <= 160, "{file}.rs has {lines} lines");
        let row = format!("| `src/{file}.rs` | {lines} |");
        assert!(page.contains(&row), "docs/own-scheme.md lacks {row}");
    }
}
