//! Every file that declares a format or generator is in the list of those, and every list entry is complete.

use ftlkit_workload::formats::FORMATS;
use ftlkit_workload::{BUILTIN, Kind};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Rust files below a folder of the sources.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] });
    files.collect()
}

/// Names of the declarations `static …: ty = ty { name: "…", … }` below `folder`.
fn declared(folder: &str, ty: &str) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder);
    let mut names = BTreeSet::new();
    for file in files(&folder) {
        let text = std::fs::read_to_string(&file).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap();
        for declaration in text.split("static ").skip(1) {
            let (_, declaration) = declaration.split_once(": ").unwrap_or_default();
            let Some(fields) = declaration.strip_prefix(&format!("{ty} = {ty} {{")) else {
                continue;
            };
            let name = fields.trim_start().strip_prefix("name: \"").unwrap_or_else(|| {
                panic!("{}: a {ty} begins with its name as a text", file.display())
            });
            let name = name.split('"').next().unwrap();
            assert!(names.insert(name.to_owned()), "{name} is declared twice");
        }
    }
    names
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let mut set = BTreeSet::new();
    for name in names {
        assert!(set.insert(name.to_owned()), "{name} is listed twice");
    }
    set
}

#[test]
fn every_format_that_is_declared_is_listed_and_described() {
    let names = FORMATS.iter().map(|info| info.name);
    assert_eq!(declared("formats", "FormatInfo"), listed(names), "FORMATS in formats/mod.rs");
    for info in FORMATS {
        for text in [info.summary, info.fields, info.units, info.detection] {
            assert!(text.len() > 8, "{}", info.name);
        }
        assert!(!info.sample.is_empty(), "{}", info.name);
        assert!(info.writing.is_none_or(|writing| writing.holds.len() > 8), "{}", info.name);
    }
}

#[test]
fn every_generator_that_is_declared_is_listed_and_described() {
    let names = BUILTIN.iter().map(|info| info.name);
    assert_eq!(
        declared("generators", "BuiltinInfo"),
        listed(names),
        "BUILTIN in generators/mod.rs"
    );
    for info in BUILTIN {
        assert!(info.summary.len() > 8 && info.source.len() > 8, "{}", info.name);
        let parameters = listed(info.all_parameters().map(|parameter| parameter.name));
        assert!(parameters.contains("rate") || parameters.contains("bandwidth"), "{}", info.name);
        for parameter in info.all_parameters() {
            let what = format!("{} of {}", parameter.name, info.name);
            assert!(parameter.summary.len() > 8 && !parameter.range().is_empty(), "{what}");
            let number = matches!(parameter.kind, Kind::Count { .. } | Kind::Bytes);
            assert!(!number || !parameter.unit.is_empty(), "{what} has no unit");
            assert!(!parameter.default.is_empty(), "{what}");
        }
    }
}
