//! The generated pages of `docs/` match the code.

use crate::common::{Scratch, ftlkit, words};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn docs(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(path)
}

/// Name and text of every file of a directory.
fn files(directory: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("text"))
        })
        .collect()
}

#[test]
fn the_pages_of_the_schemes_are_their_headers() {
    let scratch = Scratch::new("pages");
    ftlkit(["list", "schemes", "--pages", &scratch.at("")]).ok();
    let (is, should) = (files(&docs("schemes")), files(scratch.path()));
    let names = is.keys().chain(should.keys());
    let stale: Vec<_> = names.filter(|name| is.get(*name) != should.get(*name)).collect();
    assert!(
        stale.is_empty(),
        "stale in docs/schemes: {stale:?}; write them with `cargo run -p ftlkit -- list schemes --pages \
         docs/schemes`, and remove those of schemes that are gone"
    );
}

#[test]
fn the_readme_shows_what_its_first_command_prints() {
    let readme = std::fs::read_to_string(docs("../README.md")).expect("README.md");
    let (_, shown) = readme.split_once("```text\n").expect("a block of output");
    let (shown, _) = shown.split_once("```").expect("its end");
    assert_eq!(shown, words("compare").ok(), "README.md: the output of `ftlkit compare`");
}

#[test]
fn the_promises_are_those_of_the_schemes() {
    let is = std::fs::read_to_string(docs("promises.md")).expect("docs/promises.md");
    assert!(
        is == words("bounds --part all --markdown").ok(),
        "docs/promises.md is stale; write it with `cargo run -p ftlkit -- bounds --part all --markdown \
         > docs/promises.md`"
    );
}

/// Blocks of output in `docs/usage.md`, each behind the block of its command; a block may leave out what is around it.
#[test]
fn usage_shows_what_its_commands_print() {
    let text = std::fs::read_to_string(docs("usage.md")).expect("docs/usage.md");
    let blocks: Vec<&str> = text.split("\n```").collect();
    let mut shown = 0;
    for pair in blocks.windows(3).filter(|pair| pair[2].starts_with("text\n")) {
        let command = pair[0].trim().replace("\\\n", " ");
        let command = command.strip_prefix("ftlkit ").expect("a command before its output");
        let output = pair[2].trim_start_matches("text\n");
        let printed = words(command).ok();
        assert!(printed.contains(output), "docs/usage.md: {command}\n{printed}");
        shown += 1;
    }
    assert_eq!(shown, 1, "blocks of output");
}

/// What the pages say of placement policies agrees with the catalogue.
#[test]
fn python_has_the_placement_policies() {
    let text = std::fs::read_to_string(docs("python.md")).expect("docs/python.md");
    assert!(!text.contains("no placement policies") && text.contains("placement=\"sepbit\""));
    let line =
        "compare uniform --capacity 8MiB --requests 500 --schemes page-level+placement=sepbit";
    words(line).ok();
}
