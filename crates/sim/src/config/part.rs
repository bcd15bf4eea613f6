//! The part of an experiment: a catalogue name, or a data sheet of one's own.

use super::error::ConfigError;
use super::nearest::did_you_mean;
use super::quantity::normalise;
use super::text_or_table::{Text, TextOrTable};
use flash::{Part, parts};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::path::Path;
use std::str::FromStr;

/// A part: a name of the catalogue, or a table of data-sheet figures.
///
/// The table has the fields of [`Part`]; `base` names the catalogue part that gives the figures left out.
/// Without `base` the shape and the three times must be there (`page_bytes`, `pages_per_block`,
/// `capacity_bytes`, `t_r_ns`, `t_prog_ns`, `t_bers_ns`). Keys that end in `_bytes` or `_ns` take texts
/// such as `"4KiB"` and `"220.9us"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PartTable(pub toml::Table);

/// How a part is named or described.
pub type PartChoice = TextOrTable<PartTable>;

/// Key of the catalogue part that gives what is left out.
const BASE: &str = "base";

/// Figures that nothing can stand in for.
const REQUIRED: [&str; 6] =
    ["page_bytes", "pages_per_block", "capacity_bytes", "t_r_ns", "t_prog_ns", "t_bers_ns"];

impl FromStr for PartTable {
    type Err = Infallible;

    fn from_str(name: &str) -> Result<Self, Infallible> {
        Ok(Self::named(name))
    }
}

impl PartTable {
    /// The catalogue part of this name.
    pub fn named(name: &str) -> Self {
        Self([(BASE.to_owned(), toml::Value::String(name.into()))].into_iter().collect())
    }

    /// Reads a part file: the table alone, as TOML.
    ///
    /// # Errors
    /// Where it cannot be read or is no TOML.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ConfigError::Io { path: path.into(), source })?;
        let place = path.display().to_string();
        let mut table: toml::Table =
            toml::from_str(&text).map_err(|error| ConfigError::toml(&place, &text, &error))?;
        if let Some(stem) = path.file_stem().and_then(|stem| stem.to_str())
            && !table.contains_key("name")
        {
            table.insert("name".into(), stem.into());
        }
        Ok(Self(table))
    }

    /// The data sheet, checked.
    ///
    /// # Errors
    /// An unknown name, an unknown or missing figure, or one outside its range.
    pub fn resolve(&self) -> Result<Part, ConfigError> {
        let mut table = self.0.clone();
        let fault = |reason: String| ConfigError::setting("part", reason);
        let base = match table.remove(BASE) {
            None => None,
            Some(toml::Value::String(name)) => Some(by_name(&name)?),
            Some(other) => return Err(fault(format!("`base` is a catalogue name, not {other}"))),
        };
        if let (Some(part), true) = (base, table.is_empty()) {
            return Ok(part.clone());
        }
        normalise(&mut table).map_err(|(key, error)| fault(format!("{key}: {error}")))?;
        if base.is_none()
            && let Some(missing) = REQUIRED.iter().find(|key| !table.contains_key(**key))
        {
            return Err(fault(format!(
                "`{missing}` is missing; give it, or `base = \"evaluation-slc\"` (or another part) to take \
                 what is left out from"
            )));
        }
        let filled = overlay(base, table).map_err(|error| fault(error.to_string()))?;
        let part: Part = toml::from_str(&filled)
            .map_err(|error| fault(ConfigError::toml("part", &filled, &error).to_string()))?;
        part.validate().map_err(|error| fault(error.to_string()))?;
        Ok(part)
    }
}

impl Text for PartTable {
    type Error = Infallible;

    fn from_text(text: &str) -> Result<Self, Infallible> {
        text.parse()
    }

    fn text(&self) -> Option<String> {
        let base = self.0.get(BASE).filter(|_| self.0.len() == 1)?;
        base.as_str().map(str::to_owned)
    }
}

/// `table` over the figures of `base`, as TOML. Without a base, over what may be left out: the OOB read
/// takes as long as the page read, power as in the catalogue where a source gives none.
fn overlay(base: Option<&Part>, mut table: toml::Table) -> Result<String, toml::ser::Error> {
    let mut out = match base {
        Some(part) => toml::Table::try_from(part)?,
        None => {
            let model = &parts::EVALUATION_SLC;
            let mut out = toml::Table::try_from(model)?;
            for required in REQUIRED {
                out.remove(required);
            }
            if let Some(t_r) = table.get("t_r_ns") {
                out.insert("t_r_oob_ns".into(), t_r.clone());
            }
            out
        }
    };
    // The words of the model are not true of what differs from it.
    let name = base.map_or_else(|| "custom".to_owned(), |part| format!("{}-modified", part.name));
    let description = match base {
        Some(part) => format!("{} with own figures", part.name),
        None => "own part".to_owned(),
    };
    out.insert("name".into(), name.into());
    out.insert("description".into(), description.into());
    out.insert("source".into(), "the experiment".into());
    if let (Some(toml::Value::Table(power)), Some(toml::Value::Table(own))) =
        (out.get("power").cloned(), table.get_mut("power"))
    {
        for (key, value) in power {
            own.entry(key).or_insert(value);
        }
    }
    out.extend(table);
    toml::to_string(&out)
}

/// The catalogue part of this name.
///
/// # Errors
/// [`ConfigError::Unknown`] with the nearest name.
pub fn by_name(name: &str) -> Result<&'static Part, ConfigError> {
    parts::by_name(name).ok_or_else(|| ConfigError::Unknown {
        what: "part",
        name: name.into(),
        hint: format!(
            "{} (`ftlkit list parts` shows them all)",
            did_you_mean(name, parts::CATALOGUE.iter().map(|part| part.name.as_ref()))
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> PartTable {
        PartTable(toml::from_str(text).unwrap())
    }

    #[test]
    fn a_name_is_the_catalogue_part() {
        assert_eq!(PartTable::named("evaluation-slc").resolve().unwrap(), parts::EVALUATION_SLC);
        let error = PartTable::named("evaluation-scl").resolve().unwrap_err().to_string();
        assert!(error.contains("did you mean `evaluation-slc`?"), "{error}");
    }

    #[test]
    fn a_base_gives_what_is_left_out() {
        let part =
            table("base = 'evaluation-slc'\nt_bers_ns = '3ms'\npower.vcc_mv = 1800").resolve();
        let part = part.unwrap();
        assert_eq!(part.t_bers_ns, 3_000_000);
        assert_eq!(part.t_prog_ns, 220_900);
        assert_eq!(part.power.vcc_mv, 1800);
        assert_eq!(part.power.read_ua, parts::EVALUATION_SLC.power.read_ua);
        assert_eq!(part.name, "evaluation-slc-modified");
    }

    #[test]
    fn an_own_part_needs_its_shape_and_times() {
        let text = "page_bytes = '4KiB'\npages_per_block = 256\ncapacity_bytes = '1GiB'\nt_r_ns = '50us'\n\
                    t_prog_ns = '600us'\nt_bers_ns = '3ms'";
        let part = table(text).resolve().unwrap();
        assert_eq!((part.page_bytes, part.t_r_oob_ns), (4096, 50_000));
        for (text, said) in [
            ("page_bytes = 4096", "`pages_per_block` is missing"),
            ("base = 'evaluation-slc'\nt_porg_ns = 1", "did you mean `t_prog_ns`?"),
            ("base = 'evaluation-slc'\nt_prog_ns = '1 fortnight'", "t_prog_ns"),
            ("base = 'evaluation-slc'\nt_prog_ns = 0", "t_prog_ns must be"),
            ("base = 'evaluation-slc'\ncapacity_bytes = 1", "at least 1 block"),
            ("base = 3", "catalogue name"),
        ] {
            let error = table(text).resolve().unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
