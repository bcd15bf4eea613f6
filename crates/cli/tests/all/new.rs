//! `ftlkit new`: what it writes is the example in `examples/own-scheme`, and compiles.

use crate::common::{Ran, Scratch, command, ran};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the checkout")
}

fn example(file: &str) -> String {
    std::fs::read_to_string(root().join("examples/own-scheme").join(file)).expect("the example")
}

/// `ftlkit new` with these words, in this folder.
fn new(words: &[&str], folder: &Path) -> Ran {
    ran(command().arg("new").args(words).current_dir(folder).output().expect("ftlkit starts"))
}

/// Kind, file of the example, its name there, and what `--schemes` calls the new one.
const KINDS: [(&str, &str, &str, &str); 3] = [
    ("policy", "second_look", "second-look", "page-level+victim=my-own"),
    ("placement", "quick", "quick", "page-level+placement=my-own"),
    ("scheme", "paced", "paced", "my-own"),
];

#[test]
fn each_kind_is_the_example_and_compiles() {
    for (kind, module, called, schemes) in KINDS {
        let scratch = Scratch::new(&format!("new-{kind}"));
        let said = new(&[kind, "my-own", "--path", &root().display().to_string()], scratch.path());
        let said = said.ok();
        assert!(said.contains("cd my-own && cargo test\n"), "{said}");
        let last = format!("cargo run --release -- compare --schemes page-level,{schemes}\n");
        assert!(said.ends_with(&last), "{said}");

        let folder = scratch.path().join("my-own");
        let read = |file: &str| std::fs::read_to_string(folder.join(file)).expect("a file");
        let back = |text: String| {
            text.replace("\"my-own\"", &format!("\"{called}\""))
                .replace("`my-own[", &format!("`{called}["))
                .replace("my_own", "own_scheme")
        };
        assert_eq!(back(read(&format!("src/{kind}.rs"))), example(&format!("src/{module}.rs")));
        assert_eq!(back(read("src/main.rs")), example("src/main.rs"));
        // Each line of the others is one of the example, with the module under its name there.
        for file in ["src/lib.rs", "tests/suites.rs"] {
            let (text, whole) = (read(file), example(file).replace(module, kind));
            let is_there = |line: &str| whole.lines().any(|of| of == back(line.to_owned()));
            let strange: Vec<_> = text.lines().filter(|line| !is_there(line)).collect();
            assert!(strange.is_empty(), "{file}: {strange:?}");
        }
        for suite in ["suite::conformance", "suite::cut_everywhere", "suite::promises"] {
            assert!(read("tests/suites.rs").contains(suite));
        }

        // Without warnings, of the versions that this workspace is locked to.
        let mut check = Command::new(env!("CARGO"));
        check.args(["check", "--quiet", "--offline", "--all-targets"]).current_dir(&folder);
        check.env("CARGO_TARGET_DIR", root().join("target/new")).env("RUSTFLAGS", "-D warnings");
        let checked = check.output().expect("cargo starts");
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    }
}

#[test]
fn the_checkout_is_found_and_named_from_the_crate() {
    let scratch = Scratch::new("new-checkout");
    let inner = scratch.path().join("checkout/a/b");
    std::fs::create_dir_all(scratch.path().join("checkout/crates/cli")).expect("a folder");
    std::fs::create_dir_all(&inner).expect("a folder");
    scratch.file("checkout/crates/cli/Cargo.toml", "[package]\nname = \"ftlkit\"\n");
    let has = |folder: &Path, path: &str| {
        let text = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let line = format!("ftlkit = {{ path = \"{path}/crates/cli\" }}");
        assert!(text.contains(&line), "{line} in {text}");
    };
    new(&["policy", "inside"], &inner).ok();
    has(&inner.join("inside"), "../../..");
    new(&["policy", "beside", "--path", "checkout"], scratch.path()).ok();
    has(&scratch.path().join("beside"), "../checkout");
    // Nothing is written over.
    let again = new(&["policy", "beside", "--path", "checkout"], scratch.path());
    again.refused(&["beside", "take another NAME", "nothing is written over"]);
}

#[test]
fn names_and_places_that_cannot_be_are_refused() {
    let scratch = Scratch::new("new-refused");
    let path = root().display().to_string();
    let cases = [
        ("policy", "My-Policy", "joined by `-`"),
        ("policy", "my_policy", "joined by `-`"),
        ("policy", "my--policy", "joined by `-`"),
        ("policy", "2nd", "joined by `-`"),
        ("policy", "../mine", "joined by `-`"),
        ("policy", "match", "Rust, Cargo or ftlkit uses that name"),
        ("policy", "ftlkit", "Rust, Cargo or ftlkit uses that name"),
        ("policy", "fifo", "has a victim policy of that name"),
        ("placement", "sepbit", "has a placement policy of that name"),
        ("scheme", "lazy-rtgc", "has a scheme of that name"),
    ];
    for (kind, name, said) in cases {
        let quoted = format!("`{name}`");
        new(&[kind, name, "--path", &path], scratch.path()).refused(&["NAME", &quoted, said]);
    }
    new(&["policy", "mine"], scratch.path()).refused(&["no repository", "add --path DIR"]);
    new(&["policy", "mine", "--path", "."], scratch.path()).refused(&["--path .", "README.md"]);
    let left = std::fs::read_dir(scratch.path()).expect("a folder").count();
    assert_eq!(left, 0, "a refused crate is not begun");
}
