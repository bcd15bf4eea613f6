//! Keys of a part's table: their values and their positions in a file.

use super::error::ConfigError;
use std::ops::Range;
use toml::Value;
use toml::de::{DeTable, DeValue};

/// Description of the accepted values, with all keys that accept them.
const TAKES: [(&str, &[&str]); 10] = [
    (
        "a time from 1 ns to 1 hour, such as \"220.9us\"",
        &["t_r_ns", "t_r_oob_ns", "t_prog_ns", "t_bers_ns"],
    ),
    (
        "a time from 0 ns to 1 hour, such as \"25ns\"",
        &["t_rc_ns", "t_wc_ns", "t_erase_suspend_ns", "t_program_suspend_ns"],
    ),
    (
        "a list of times, such as [\"50us\", \"75us\"], or with --set 50us,75us",
        &["t_r_by_page_ns", "t_prog_by_page_ns"],
    ),
    (
        "a time from 1 ns to 1 hour, such as \"25us\"",
        &["slc.t_r_ns", "slc.t_prog_ns", "slc.t_bers_ns"],
    ),
    ("a whole number from 0 to 100000 (MT/s)", &["bus_mts"]),
    ("a whole number from 2 to 1048576", &["page_bytes", "pages_per_block"]),
    ("a whole number from 0 to 1048576", &["oob_bytes"]),
    ("a whole number from 1 to 100000", &["power.vcc_mv"]),
    ("a whole number from 0 to 10000000", &["power.read_ua", "power.program_ua", "power.erase_ua"]),
    ("a whole number of 1 or more", &["capacity_bytes", "endurance_cycles", "ecc_bits_per_kib"]),
];

/// Checks that every figure is a number that fits its field; the part itself checks the narrower ranges.
///
/// # Errors
/// The first key with another value, the values it accepts and the value found.
pub(super) fn check_types(table: &toml::Table) -> Result<(), String> {
    let tables = [("power", "vcc_mv and currents"), ("slc", "t_r_ns, t_prog_ns and t_bers_ns")];
    for (key, of) in tables {
        if let Some(value) = table.get(key).filter(|value| !value.is_table()) {
            return Err(format!("{key} must be a table of {of}, not {value}"));
        }
    }
    for (takes, key) in
        TAKES.iter().flat_map(|(takes, keys)| keys.iter().map(move |key| (takes, key)))
    {
        let holder = match key.split_once('.') {
            Some((outer, inner)) => {
                table.get(outer).and_then(Value::as_table).and_then(|table| table.get(inner))
            }
            None => table.get(*key),
        };
        let Some(value) = holder else { continue };
        let most = if key.ends_with("_ns") || *key == "capacity_bytes" {
            i64::MAX
        } else {
            i64::from(u32::MAX)
        };
        let is_count =
            |value: &Value| value.as_integer().is_some_and(|number| (0..=most).contains(&number));
        let fits = match value {
            Value::Array(list) => key.ends_with("_by_page_ns") && list.iter().all(is_count),
            value => !key.ends_with("_by_page_ns") && is_count(value),
        };
        if !fits {
            return Err(format!("{key} must be {takes}, not {value}"));
        }
    }
    Ok(())
}

/// The error of a part in a file, with the line of the key that the message names, if it names one.
pub(super) fn located(place: &str, text: &str, error: &ConfigError) -> ConfigError {
    let message = match error {
        ConfigError::Setting { reason, .. } => reason.clone(),
        ConfigError::Unknown { .. } => format!("base: {error}"),
        other => other.to_string(),
    };
    let keys = DeTable::parse(text).map(|table| spans(table.get_ref(), "")).unwrap_or_default();
    let is_key = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut words = message.split(|c| !is_key(c));
    let span = words.find_map(|word| {
        let named = |key: &str| key == word || key.rsplit('.').next() == Some(word);
        keys.iter().find(|(key, _)| named(key)).map(|(_, span)| span.clone())
    });
    ConfigError::Toml { place: place.into(), text: text.into(), span, message }
}

/// Every key (keys of inner tables as `outer.inner`) with the byte range of the key and its value.
fn spans(table: &DeTable<'_>, within: &str) -> Vec<(String, Range<usize>)> {
    let mut out = Vec::new();
    for (key, value) in table {
        let name = format!("{within}{}", key.get_ref());
        if let DeValue::Table(inner) = value.get_ref() {
            out.extend(spans(inner, &format!("{name}.")));
        }
        out.push((name, key.span().start..value.span().end));
    }
    out
}
