//! `ftlkit list schemes`: the table, the settings, and a page per scheme.

use crate::failure::Failure;
use crate::output::{self, micros, table};
use crate::result_file::regenerate;
use flash::parts;
use ftl::Preset;
use lab::catalogue;
use lab::config::{DEFAULT_PART, SCHEME_SETTINGS, SchemeSetting, SchemeTable};
use lab::division::{Division, kind_of_promise, own_blocks};
use lab::lists;
use lab::report::Table;
use std::path::Path;

pub(super) fn text() -> String {
    let columns = ["<scheme", "<description"];
    let rows =
        catalogue::schemes().iter().map(|preset| [preset.name.into(), preset.summary.into()]);
    let mut text = table(columns, rows);
    text.push_str("\n\nSettings, added to a name with `+`:\n");
    let columns = ["<setting", "<effect", "<of"];
    let rows = SCHEME_SETTINGS
        .iter()
        .filter_map(|setting| Some([setting.usage(), setting.doc.into(), owners(setting)?]));
    text.push_str(&table(columns, rows));
    let victims = catalogue::victims().iter();
    let victims = victims.map(|policy| [policy.to_string(), policy.summary.into()]);
    let placements = catalogue::placements().iter();
    let placements = placements.map(|policy| [policy.to_string(), policy.summary.into()]);
    text.push_str("\n\nVictim policies, as in `victim=fifo`:\n");
    text.push_str(&table(["<policy", "<description"], victims));
    text.push_str("\n\nPlacement policies, as in `placement=sepbit`:\n");
    text.push_str(&table(["<policy", "<description"], placements));
    text.push_str(&output::wrapped(
        "\n\nA scheme's page has its algorithm, costs, source, and the values of its settings: ftlkit list schemes \
         lazy-rtgc\n\
         For example: --schemes page-level+victim=fifo+share=0.8,lazy-rtgc+idle",
    ));
    text
}

/// Names of the schemes that have the setting; `None` if no scheme has it.
fn owners(setting: &SchemeSetting) -> Option<String> {
    let has = |preset: &&&Preset| preset.settings.contains(&setting.key);
    let names: Vec<&str> =
        catalogue::schemes().iter().filter(has).map(|preset| preset.name).collect();
    match setting.of_all() || names.len() == catalogue::schemes().len() {
        true => Some("all".into()),
        false => (!names.is_empty()).then(|| names.join(", ")),
    }
}

/// Prints the page of one scheme.
///
/// # Errors
/// If no scheme has this name.
pub(super) fn print(name: &str, as_json: bool) -> Result<(), Failure> {
    let table = SchemeTable { name: name.into(), ..SchemeTable::default() };
    let preset = table.find_preset()?;
    if !as_json {
        return output::text(&lists::page(preset));
    }
    let mut value = lists::scheme(preset);
    value["page"] = lists::page(preset).into();
    output::json(&value)
}

/// Writes all pages and their overview.
///
/// # Errors
/// If the directory or a file cannot be written.
pub(super) fn write_pages(directory: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(directory)
        .map_err(|error| Failure::input(format!("{}: {error}", directory.display())))?;
    let pages = catalogue::schemes()
        .iter()
        .map(|preset| (format!("{}.md", preset.name), lists::page(preset)));
    for (name, text) in pages.chain([("README.md".to_owned(), overview())]) {
        let path = directory.join(name);
        regenerate(&path, &text)
            .map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
    }
    output::text(&format!(
        "{} pages and README.md in {}",
        catalogue::schemes().len(),
        directory.display()
    ))
}

/// The table of all schemes.
fn overview() -> String {
    let part = parts::CATALOGUE.iter().find(|part| part.name == DEFAULT_PART);
    let divisions = part.map_or_else(Vec::new, |part| Division::all(part, own_blocks(part)));
    let columns = ["<scheme", "<description", "<bound", "response ≤ µs", "<settings", "<source"];
    let rows = catalogue::schemes().iter().map(|preset| {
        let plan = divisions.iter().find(|row| row.scheme() == preset.name);
        let promise = plan.and_then(Division::plan).map(|plan| plan.guarantee).unwrap_or_default();
        let settings: Vec<String> = preset.settings.iter().map(|key| format!("`{key}`")).collect();
        [
            format!("[{0}]({0}.md)", preset.name),
            preset.summary.into(),
            kind_of_promise(&promise).into(),
            promise.response_ns.map_or_else(|| "–".into(), micros),
            settings.join(", "),
            preset.source.into(),
        ]
    });
    format!(
        "# Schemes\n\nResponse: the bound on a whole `{DEFAULT_PART}`; [../promises.md](../promises.md) \
         compares the real-time ones on every part. Every scheme has the settings `share`, `spare`, `label`, \
         `copy`, `copy_cache`, `wear`, `dynamic_wear` and those of write buffers. Real-time (one step): at most one collection step per task. Whole-victim worst case: a task may wait for whole victims, folds or merges.\n\n{}\nThese pages are the headers of the schemes' modules; `ftlkit list schemes --pages \
         docs/schemes` writes them.\n",
        Table::new(columns, rows).markdown()
    )
}
