//! What is published of the settings: `docs/settings.md`, and keyword arguments of the Python package with their docs. Both
//! are made of the declarations; the test fails while they are of others.

use super::experiment::Setting;
use super::setting::Group;
use std::path::Path;

/// A page with a table per group.
fn page() -> String {
    let row = |setting: &Setting| {
        let option = format!("--{} {}", setting.option(), setting.value);
        let [option, help] =
            [option.trim().to_owned(), setting.help()].map(|text| text.replace('|', "\\|"));
        format!("| `{}` | `{option}` | {help} |\n", setting.key)
    };
    let table = |group: &Group| {
        let settings = Setting::ALL.iter().filter(|setting| setting.group == *group);
        let rows: String = settings.map(row).collect();
        let title = group.title();
        format!("\n## {title}\n\n| key | option | what it sets |\n| --- | --- | --- |\n{rows}")
    };
    let tables: String = Group::ALL.iter().map(table).collect();
    format!(
        "# Settings of an experiment\n\nEach is a key of an experiment's file, of `--vary` and of the Python package, and an option of \
         `ftlkit compare`.\nSettings of a scheme (`+share=`, …) are in [usage.md](usage.md) and on the schemes' pages. This page is \
         generated;\n[CONTRIBUTING.md](../CONTRIBUTING.md#generated-pages) says how.\n{tables}"
    )
}

/// A module of the Python package with a type that has a key per setting.
fn python() -> String {
    let field = |setting: &Setting| {
        let of = if setting.range.is_some() { "Whole" } else { "Value" };
        let lines: Vec<&str> = setting.doc.iter().map(|line| line.trim()).collect();
        format!("    {}: {of}\n    \"\"\"{}\"\"\"\n", setting.key, lines.join("\n    "))
    };
    let fields: String = Setting::ALL.iter().map(field).collect();
    format!(
        r#""""Settings of an experiment as keyword arguments. Generated from their declarations: CONTRIBUTING.md says how."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, SupportsIndex, TypedDict, Union

#: A text as the command takes it, or a number, or a table of an experiment's file.
Value = Union[str, float, Mapping[str, Any], None]
Whole = Union[str, SupportsIndex, None]


class Settings(TypedDict, total=False):
    """Keys of an experiment's file besides workload, schemes and `out`. Options that the docs name are keys without dashes."""

    part: Any
    """A name of the catalogue (`ftlkit.parts()`), a `Part`, or a table of a data sheet."""
    part_file: str | os.PathLike[str] | None
    """File with the part's data sheet, instead of `part`."""
{fields}"#
    )
}

#[test]
fn what_is_published_is_of_these_settings() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files =
        [("docs/settings.md", page()), ("crates/python/python/ftlkit/_settings.py", python())];
    for (name, text) in files {
        let path = root.join(name);
        if std::env::var_os("FTLKIT_WRITE_SETTINGS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap_or_default();
        let told = "is of other settings; write it with \
                    FTLKIT_WRITE_SETTINGS=1 cargo test -p ftlkit-lab --lib what_is_published";
        assert!(published == text, "{name} {told}");
    }
}
