//! What configurations may name, as data: parts, schemes, workloads, captured traces, trace formats, victim policies.

use crate::catalogue;
use crate::config::{ConfigError, SchemeSetting, SchemeTable};
use ::run::ssd::HostInterface;
use flash::parts::CATALOGUE;
use ftl::Preset;
use serde_json::{Value, json};
use workload::formats::{FORMATS, FormatInfo};
use workload::{BUILTIN, BuiltinInfo, CAPTURED, CapturedTrace};

/// Parts of the catalogue, with their data-sheet values.
pub fn parts() -> Value {
    json!(CATALOGUE)
}

/// Schemes with their settings.
pub fn schemes() -> Vec<Value> {
    catalogue::schemes().iter().copied().map(scheme).collect()
}

/// One scheme with its settings.
pub fn scheme(preset: &Preset) -> Value {
    let settings: Vec<Value> = SchemeSetting::of(preset)
        .map(|setting| {
            json!({
                "key": setting.key,
                "toml_key": setting.long_key,
                "example": setting.usage_of(preset),
                "values": setting.values_of(preset),
                "summary": setting.doc,
            })
        })
        .collect();
    json!({
        "name": preset.name,
        "summary": preset.summary,
        "source": preset.source,
        "settings": settings,
    })
}

/// The page of the scheme of this name, as Markdown.
///
/// # Errors
/// If no scheme has this name.
pub fn scheme_page(name: &str) -> Result<String, ConfigError> {
    let table = SchemeTable { name: name.into(), ..SchemeTable::default() };
    table.find_preset().map(page)
}

/// A scheme's page: the header of its module, and its settings.
pub fn page(preset: &Preset) -> String {
    let mut text = format!("# {}\n\n{}\n", preset.name, without_links(preset.page).trim_end());
    text.push_str("\n## Settings\n\nAll settings are optional.\n\n");
    for setting in SchemeSetting::of(preset) {
        let toml = match setting.long_key == setting.key {
            true => String::new(),
            false => format!(", in a TOML table `{}`", setting.long_key),
        };
        text.push_str(&format!(
            "- `+{}`{toml} ({}): {}.\n",
            setting.usage_of(preset),
            setting.values_of(preset),
            setting.doc
        ));
    }
    text.push_str(&format!("\nRun it: `ftlkit compare --schemes {}`.\n", preset.name));
    text
}

/// Replaces intra-doc links by their text, because they lead nowhere outside the code's documentation.
fn without_links(header: &str) -> String {
    header.replace("[`", "`").replace("`]", "`")
}

/// Captured traces with their contents.
///
/// # Errors
/// As [`CapturedTrace::info`].
pub fn traces() -> Result<Vec<Value>, ConfigError> {
    CAPTURED.iter().map(trace).collect()
}

/// One captured trace with its contents.
///
/// # Errors
/// As [`CapturedTrace::info`].
pub fn trace(trace: &CapturedTrace) -> Result<Value, ConfigError> {
    Ok(json!({
        "name": trace.name,
        "summary": trace.summary,
        "page": trace.page,
        "bytes": trace.bytes.len(),
        "info": trace.info()?,
    }))
}

/// Built-in workloads with their parameters.
pub fn workloads() -> Vec<Value> {
    BUILTIN.iter().map(|info| workload(info)).collect()
}

/// One workload with its parameters.
pub fn workload(info: &BuiltinInfo) -> Value {
    let parameters: Vec<Value> = info
        .all_parameters()
        .map(|parameter| {
            json!({
                "name": parameter.name,
                "summary": parameter.summary,
                "unit": parameter.unit,
                "range": parameter.range(),
                "default": parameter.default,
            })
        })
        .collect();
    json!({
        "name": info.name,
        "summary": info.summary,
        "source": info.source,
        "requests": info.requests,
        "parameters": parameters,
    })
}

/// Trace formats.
pub fn formats() -> Vec<Value> {
    FORMATS.iter().map(|info| format(info)).collect()
}

/// One trace format.
pub fn format(info: &FormatInfo) -> Value {
    json!({
        "name": info.name,
        "summary": info.summary,
        "fields": info.fields,
        "units": info.units,
        "detection": info.detection,
    })
}

/// Victim policies.
pub fn victim_policies() -> Vec<Value> {
    let all = catalogue::victims().iter();
    all.map(|of| policy(of.name, of, of.summary, of.source)).collect()
}

/// Placement policies.
pub fn placement_policies() -> Vec<Value> {
    let all = catalogue::placements().iter();
    all.map(|of| policy(of.name, of, of.summary, of.source)).collect()
}

/// A policy; its usage is its name with its numbers.
fn policy(name: &str, usage: impl ToString, summary: &str, source: &str) -> Value {
    json!({ "name": name, "usage": usage.to_string(), "summary": summary, "source": source })
}

/// Bytes of a small and of a large request, for rates.
const SIZES: [u64; 2] = [4 << 10, 128 << 10];

/// Rates of user data over a link, bytes/s: reads and writes of 4 KiB, then of 128 KiB.
pub fn user_rates(interface: &HostInterface) -> [f64; 4] {
    let [small, large] = SIZES.map(|bytes| interface.user_rates(bytes));
    [small[0], small[1], large[0], large[1]]
}

/// Links between host and SSD.
pub fn interfaces() -> Vec<Value> {
    let one = |interface: &HostInterface| {
        let [read, write, long_read, long_write] = user_rates(interface);
        json!({
            "name": interface.name,
            "bytes_per_second": interface.bytes_per_second,
            "most_depth": interface.most_depth,
            "payload_bytes": interface.packets.map(|packets| packets.payload_bytes),
            "full_duplex": interface.packets.is_some(),
            "read_4k_bytes_per_second": read,
            "write_4k_bytes_per_second": write,
            "read_128k_bytes_per_second": long_read,
            "write_128k_bytes_per_second": long_write,
            "source": interface.source(),
        })
    };
    HostInterface::ALL.iter().map(one).collect()
}
