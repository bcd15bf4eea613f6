//! Quantities in tables of TOML.

use std::str::FromStr;
use workload::quantity::{Bytes, Duration, QuantityError};

/// Turns texts under keys that end in `_bytes` or `_ns` into integers, through all tables: any such key
/// of an experiment or a part may be written `"4KiB"` or `"500us"`.
///
/// # Errors
/// The key and what is wrong with its text.
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
