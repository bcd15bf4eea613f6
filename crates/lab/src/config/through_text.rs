//! Settings as tables of TOML and back, by way of their text: so one writer and one reader of TOML are compiled for each type.

use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::Table;

/// The keys of `value`.
///
/// # Errors
/// If TOML cannot express it.
pub(super) fn table_of(value: &impl Serialize) -> Result<Table, String> {
    let text = toml::to_string(value).map_err(|error| error.to_string())?;
    toml::from_str(&text).map_err(|error| error.message().to_owned())
}

/// What these keys say.
///
/// # Errors
/// The reader's message, without a place.
pub(super) fn value_of<T: DeserializeOwned>(table: &Table) -> Result<T, String> {
    let text = toml::to_string(table).map_err(|error| error.to_string())?;
    toml::from_str(&text).map_err(|error| error.message().to_owned())
}
