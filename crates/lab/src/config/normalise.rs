//! Quantities in TOML tables.

use std::str::FromStr;
use workload::quantity::{Bytes, Duration, QuantityError};

/// Turns texts under keys that end in `_bytes` or `_ns` into integers, in all nested tables and lists of times. Any such key of
/// an experiment or a part may be written as `"4KiB"` or `"500us"`.
///
/// # Errors
/// The key and the fault of its text.
pub(super) fn normalise(table: &mut toml::Table) -> Result<(), (String, QuantityError)> {
    table.iter_mut().try_for_each(|(key, value)| normalise_value(key, value))
}

fn normalise_value(key: &str, value: &mut toml::Value) -> Result<(), (String, QuantityError)> {
    match value {
        toml::Value::Table(inner) => normalise(inner),
        toml::Value::Array(list) if key.ends_with("_ns") => {
            list.iter_mut().try_for_each(|value| normalise_value(key, value))
        }
        toml::Value::String(text) => {
            let parsed = if key.ends_with("_bytes") {
                Bytes::from_str(text).map(|bytes| bytes.0)
            } else if key.ends_with("_ns") {
                Duration::from_str(text).map(|time| time.0)
            } else {
                return Ok(());
            };
            let count = parsed.map_err(|error| (key.to_owned(), error))?;
            *value = i64::try_from(count)
                .map_or_else(|_| toml::Value::String(count.to_string()), toml::Value::Integer);
            Ok(())
        }
        _ => Ok(()),
    }
}
