//! Quantities in TOML tables.

use std::str::FromStr;
use workload::quantity::{Bytes, Duration, QuantityError};

/// Turns texts under keys that end in `_bytes` or `_ns` into integers, in all nested tables. Any such key of
/// an experiment or a part may be written as `"4KiB"` or `"500us"`.
///
/// # Errors
/// The key and the fault of its text.
pub(super) fn normalise(table: &mut toml::Table) -> Result<(), (String, QuantityError)> {
    for (key, value) in table.iter_mut() {
        match value {
            toml::Value::Table(inner) => normalise(inner)?,
            toml::Value::String(text) => {
                let parsed = if key.ends_with("_bytes") {
                    Bytes::from_str(text).map(|bytes| bytes.0)
                } else if key.ends_with("_ns") {
                    Duration::from_str(text).map(|time| time.0)
                } else {
                    continue;
                };
                let count = parsed.map_err(|error| (key.clone(), error))?;
                *value = i64::try_from(count)
                    .map_or_else(|_| toml::Value::String(count.to_string()), toml::Value::Integer);
            }
            _ => {}
        }
    }
    Ok(())
}
