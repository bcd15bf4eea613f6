//! The part of an experiment: a catalogue name, or the user's own data sheet.

use super::error::{ConfigError, with_suggestion};
use super::normalise::normalise;
use super::part_keys::{check_types, located};
use super::quoted::quoted;
use super::text_or_table::{Text, TextOrTable};
use super::through_text::{table_of, value_of};
use flash::{Part, Power, parts};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::fmt::{self, Display};
use std::io::{Error, ErrorKind};
use std::path::Path;
use std::str::FromStr;
use workload::nearest::did_you_mean;
use workload::quantity::Count;

/// A part: a name of the catalogue, or a table of data-sheet figures.
///
/// The table has the fields of [`Part`]; `base` names the catalogue part whose figures are the defaults.
/// Without `base`, the shape and the three times are required (`page_bytes`, `pages_per_block`, `t_r_ns`,
/// `t_prog_ns`, `t_bers_ns`). Keys that end in `_bytes` or `_ns` accept texts such as `"4KiB"` and
/// `"220.9us"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PartTable(pub toml::Table);

/// A part's name or description.
pub type PartChoice = TextOrTable<PartTable>;

/// Default part of an experiment.
pub const DEFAULT_PART: &str = "evaluation-slc";

/// Key of the catalogue part that gives the missing figures.
const BASE: &str = "base";

/// Keys of the table `power`.
const POWER_KEYS: [&str; 4] = ["vcc_mv", "read_ua", "program_ua", "erase_ua"];

/// A factor on times of a data sheet: `tPROG=1.5`, `all=2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    keys: &'static [&'static str],
    /// The factor × 10⁶: exact in decimal, as it is written.
    millionths: u64,
}

impl Margin {
    /// Rejects two factors of one name; one of `all` and one of a single time multiply.
    ///
    /// # Errors
    /// The two.
    pub fn check(margins: &[Self]) -> Result<(), ConfigError> {
        for (at, margin) in margins.iter().enumerate() {
            let same = |other: &&Self| other.keys == margin.keys;
            if let Some(other) = margins[..at].iter().find(same) {
                let reason = format!("and {other} are two factors on one time; give one");
                return Err(ConfigError::setting(format!("--margin {margin}"), reason));
            }
        }
        Ok(())
    }
}

/// Names of times, and the keys that each stands for.
const TIMES: [(&str, &[&str]); 4] = [
    ("tR", &["t_r_ns", "t_r_oob_ns"]),
    ("tPROG", &["t_prog_ns"]),
    ("tBERS", &["t_bers_ns"]),
    ("all", &["t_r_ns", "t_r_oob_ns", "t_prog_ns", "t_bers_ns"]),
];

impl Display for Margin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = TIMES.iter().find(|(_, keys)| *keys == self.keys).map_or("", |(name, _)| name);
        write!(f, "{name}={}", self.millionths as f64 / 1e6)
    }
}

impl FromStr for Margin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "write it TIME=FACTOR, as in tPROG=1.5: tR, tPROG, tBERS or all, and 1 to 100"
                .to_owned()
        };
        let (name, factor) = text.split_once('=').ok_or_else(wrong)?;
        let known = |(known, _): &&(&str, _)| known.eq_ignore_ascii_case(name.trim());
        let (_, keys) = TIMES.iter().find(known).ok_or_else(wrong)?;
        let factor: f64 = factor.trim().parse().map_err(|_| wrong())?;
        if !(1.0..=100.0).contains(&factor) {
            return Err(wrong());
        }
        Ok(Self { keys, millionths: (factor * 1e6).round() as u64 })
    }
}

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

    /// The catalogue part, and the figures changed as [`PartTable::set`] takes them; `None` if these do not say it all.
    pub(super) fn changes(&self) -> Option<(&str, Vec<(String, String)>)> {
        let base = self.0.get(BASE)?.as_str()?;
        let mut changes = leaves(&self.0, "");
        changes.retain(|(key, _)| key != BASE);
        let mut again = Self::named(base);
        for (key, value) in &changes {
            again.set(key, value).ok().filter(|()| !value.contains(char::is_whitespace))?;
        }
        (again == *self).then_some((base, changes))
    }

    /// The options of a command that give this part; `None` if a name and figures one by one do not.
    pub fn options(&self) -> Option<String> {
        let (base, changes) = self.changes()?;
        let set = |(key, value): &(String, String)| format!(" --set part.{key}={}", quoted(value));
        Some(format!("--part {}{}", quoted(base), changes.iter().map(set).collect::<String>()))
    }

    /// The text of a figure that it sets itself, besides what `base` gives.
    pub(super) fn text_of(&self, key: &str) -> Option<String> {
        leaves(&self.0, "").into_iter().find(|(of, _)| of == key).map(|(_, text)| text)
    }

    /// Sets one figure, given as text: a whole number, or a number with a unit if the key's name ends in one.
    ///
    /// # Errors
    /// If the key lies within a figure that is no table.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), ConfigError> {
        // `1M` bytes are no million; of a time or size only a power of ten is a bare number.
        let has_unit = key.ends_with("_ns") || key.ends_with("_bytes");
        let plain = |text: &str| !has_unit || text.to_lowercase().contains('e');
        let count = Some(value).filter(|value| plain(value)).and_then(|value| {
            let count = value.parse::<Count>().ok()?;
            i64::try_from(count.0).ok()
        });
        let parsed = match value.replace('_', "").parse::<i64>().ok().or(count) {
            _ if key.ends_with("_by_page_ns") => {
                let times = value.split(',').map(|time| toml::Value::String(time.trim().into()));
                toml::Value::Array(times.collect())
            }
            Some(number) => toml::Value::Integer(number),
            None => match value.parse() {
                Ok(switch) => toml::Value::Boolean(switch),
                Err(_) => toml::Value::String(value.into()),
            },
        };
        let mut table = &mut self.0;
        let (path, last) =
            key.rsplit_once('.').map_or((None, key), |(path, last)| (Some(path), last));
        for step in path.iter().flat_map(|path| path.split('.')) {
            let inner = table.entry(step).or_insert_with(|| toml::Value::Table(toml::Table::new()));
            let toml::Value::Table(inner) = inner else {
                return Err(ConfigError::setting(
                    format!("part.{key}"),
                    format!("`{step}` is a value and has no keys of its own"),
                ));
            };
            table = inner;
        }
        table.insert(last.to_owned(), parsed);
        Ok(())
    }

    /// Multiplies a time of the data sheet, such as `tPROG` by 1.5, to calculate with more than its typical value.
    ///
    /// # Errors
    /// If the part does not resolve.
    pub fn apply(&mut self, margin: &Margin) -> Result<(), ConfigError> {
        let part = self.resolve()?;
        let scaled = |ns: u64| {
            let scaled = (u128::from(ns) * u128::from(margin.millionths)).div_ceil(1_000_000);
            toml::Value::Integer(i64::try_from(scaled).unwrap_or(i64::MAX))
        };
        for (key, ns) in [
            ("t_r_ns", part.t_r_ns),
            ("t_r_oob_ns", part.t_r_oob_ns),
            ("t_prog_ns", part.t_prog_ns),
            ("t_bers_ns", part.t_bers_ns),
        ] {
            if margin.keys.contains(&key) {
                self.0.insert(key.into(), scaled(ns));
            }
        }
        for (key, one, times) in [
            ("t_r_by_page_ns", "t_r_ns", part.t_r_by_page_ns),
            ("t_prog_by_page_ns", "t_prog_ns", part.t_prog_by_page_ns),
        ] {
            if margin.keys.contains(&one) && !times.is_empty() {
                let times = times.as_slice().iter().map(|ns| scaled(*ns)).collect();
                self.0.insert(key.into(), toml::Value::Array(times));
            }
        }
        if let Some(slc) = part.slc {
            let times = [
                ("t_r_ns", slc.t_r_ns),
                ("t_prog_ns", slc.t_prog_ns),
                ("t_bers_ns", slc.t_bers_ns),
            ];
            let factor = |(key, ns): (&str, u64)| {
                let one = if margin.keys.contains(&key) { scaled(ns) } else { as_integer(ns) };
                (key.to_owned(), one)
            };
            let slc = times.into_iter().map(factor).collect();
            self.0.insert("slc".into(), toml::Value::Table(slc));
        }
        Ok(())
    }

    /// Reads a part file: the table alone, as TOML.
    ///
    /// If the file cannot be read, is not TOML, or has an invalid figure (with its line). Missing figures are no
    /// error here: they may be set later, and [`PartTable::resolve`] reports them.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        let fault = |source| ConfigError::Io { path: path.into(), source };
        let refused = |why| fault(Error::new(ErrorKind::InvalidData, why));
        // Devices may give bytes without an end.
        if !std::fs::metadata(path).map_err(fault)?.is_file() {
            return Err(refused("it is no file; a part file is TOML"));
        }
        let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
            ErrorKind::InvalidData => refused("it is no text; a part file is TOML"),
            _ => fault(error),
        })?;
        let place = path.display().to_string();
        let mut table: toml::Table =
            toml::from_str(&text).map_err(|error| ConfigError::toml(&place, &text, &error))?;
        if let Some(stem) = path.file_stem().and_then(|stem| stem.to_str())
            && !table.contains_key("name")
        {
            table.insert("name".into(), name_from(stem).into());
        }
        let table = Self(table);
        match table.resolve() {
            Err(error) if !is_missing(&error) => Err(located(&place, &text, &error)),
            _ => Ok(table),
        }
    }

    /// True if supply and currents of `part`, to which this table resolves, are the assumed [`Power::DEFAULT`].
    /// They are not assumed if the table gives all of them, or if the base's source is GFTL, which prints them.
    pub fn power_is_assumed(&self, part: &Part) -> bool {
        let given = match self.0.get("power") {
            Some(toml::Value::Table(power)) => {
                POWER_KEYS.iter().all(|key| power.contains_key(*key))
            }
            _ => false,
        };
        let base = self.0.get(BASE).and_then(toml::Value::as_str).and_then(parts::by_name);
        let printed = base.is_some_and(|base| base.source.contains("(GFTL)"));
        part.power == Power::DEFAULT && !given && !printed
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
        check_types(&table).map_err(fault)?;
        let filled = match base {
            Some(part) => overlay(part, table).map_err(fault)?,
            None => {
                table.entry("name").or_insert_with(|| "custom".into());
                table
            }
        };
        value_of(&filled).map_err(|message| fault(said(&message)))
    }
}

fn as_integer(ns: u64) -> toml::Value {
    toml::Value::Integer(i64::try_from(ns).unwrap_or(i64::MAX))
}

/// Turns a file's name into a part's name: lower-case letters, digits and hyphens.
fn name_from(stem: &str) -> String {
    let allowed = |c: char| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' };
    stem.to_ascii_lowercase().chars().take(64).map(allowed).collect()
}

/// True if the error is a missing figure.
fn is_missing(error: &ConfigError) -> bool {
    matches!(error, ConfigError::Setting { reason, .. } if reason.starts_with("missing field"))
}

/// The reader's message, with the nearest key for an unknown one and a remedy for a missing one.
fn said(message: &str) -> String {
    let message = with_suggestion(message);
    if message.starts_with("missing field") {
        return format!(
            "{message}; set it, or start from a part of the catalogue with `base = \
             \"evaluation-slc\"`"
        );
    }
    message
}

/// The keys of a table and of those in it, with their values.
fn leaves(table: &toml::Table, within: &str) -> Vec<(String, String)> {
    let text =
        |value: &toml::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let of_key = |(key, value): (&String, &toml::Value)| match value {
        toml::Value::Table(inner) => leaves(inner, &format!("{within}{key}.")),
        toml::Value::Array(list) => {
            let values: Vec<String> = list.iter().map(text).collect();
            vec![(format!("{within}{key}"), values.join(","))]
        }
        value => vec![(format!("{within}{key}"), text(value))],
    };
    table.iter().flat_map(of_key).collect()
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

/// `own` over the figures of `base`; replaces the base's name, description and source, which no longer apply.
fn overlay(base: &Part, mut own: toml::Table) -> Result<toml::Table, String> {
    let mut out = table_of(base)?;
    out.insert("name".into(), format!("{}-modified", base.name).into());
    out.insert("description".into(), format!("{} with own figures", base.name).into());
    out.insert("source".into(), "the experiment".into());
    for inner in ["power", "slc"] {
        if let (Some(toml::Value::Table(base)), Some(toml::Value::Table(own))) =
            (out.get(inner).cloned(), own.get_mut(inner))
        {
            for (key, value) in base {
                own.entry(key).or_insert(value);
            }
        }
    }
    // One time for all pages replaces times by page, and the reverse.
    for (one, by_page) in [("t_r_ns", "t_r_by_page_ns"), ("t_prog_ns", "t_prog_by_page_ns")] {
        if own.contains_key(one) != own.contains_key(by_page) {
            out.remove(one);
            out.remove(by_page);
        }
    }
    out.extend(own);
    Ok(out)
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
    fn figures_are_set_one_by_one() {
        let mut table = PartTable::named(DEFAULT_PART);
        table.set("t_bers_ns", "3ms").unwrap();
        table.set("power.vcc_mv", "1_800").unwrap();
        let part = table.resolve().unwrap();
        assert_eq!((part.t_bers_ns, part.power.vcc_mv), (3_000_000, 1800));
        assert!(table.set("t_bers_ns.max", "3ms").is_err());
        table.set("t_prog_ns", "soon").unwrap();
        assert!(table.resolve().unwrap_err().to_string().contains("t_prog_ns"));
    }

    #[test]
    fn margins_multiply_times_and_round_up() {
        let mut table = PartTable::named(DEFAULT_PART);
        table.set("t_bers_ns", "3ms").unwrap();
        for margin in ["tPROG=1.5", "tbers=1.1", "tR=1.00001"] {
            table.apply(&margin.parse().unwrap()).unwrap();
        }
        let part = table.resolve().unwrap();
        assert_eq!((part.t_prog_ns, part.t_bers_ns), (331_350, 3_300_000));
        assert_eq!((part.t_r_ns, part.t_r_oob_ns), (29_001, 29_001));
        for wrong in ["tPROG", "tPROG=0.5", "tWC=2", "all=x", "all=NaN", "all=inf"] {
            assert!(wrong.parse::<Margin>().unwrap_err().contains("tPROG=1.5"), "{wrong}");
        }
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
    fn supply_and_currents_are_assumed_where_no_source_gives_them() {
        let assumed = |text: &str| {
            let table = table(text);
            table.power_is_assumed(&table.resolve().unwrap())
        };
        assert!(assumed("base = 'evaluation-slc'"));
        assert!(assumed("base = 'evaluation-slc'\nt_bers_ns = '3ms'"));
        assert!(assumed("base = 'evaluation-slc'\npower.vcc_mv = 3300"));
        assert!(!assumed("base = 'evaluation-slc'\npower.vcc_mv = 1800"));
        assert!(!assumed("base = 'samsung-small-block'"));
        assert!(!assumed("base = 'samsung-small-block'\nt_bers_ns = '3ms'"));
        let all =
            "power = { vcc_mv = 3300, read_ua = 10000, program_ua = 10000, erase_ua = 10000 }";
        assert!(!assumed(&format!("base = 'evaluation-slc'\n{all}")));
    }

    #[test]
    fn an_own_part_needs_its_shape_and_times() {
        let text = "page_bytes = '4KiB'\npages_per_block = 256\ncapacity_bytes = '1GiB'\nt_r_ns = '50us'\n\
                    t_prog_ns = '600us'\nt_bers_ns = '3ms'";
        let part = table(text).resolve().unwrap();
        assert_eq!((part.page_bytes, part.t_r_oob_ns), (4096, 50_000));
        for (text, said) in [
            ("page_bytes = 4096", "missing field `pages_per_block`; set it, or"),
            ("base = 'evaluation-slc'\nt_porg_ns = 1", "did you mean `t_prog_ns`?"),
            ("base = 'evaluation-slc'\nt_prog_ns = '1 fortnight'", "t_prog_ns"),
            ("base = 'evaluation-slc'\nt_prog_ns = 0", "t_prog_ns must be"),
            ("base = 'evaluation-slc'\ncapacity_bytes = 1", "at least 1 block"),
            ("base = 3", "catalogue name"),
            (
                "pages_per_block = 'x'",
                "pages_per_block must be a whole number from 2 to 1048576, not",
            ),
            ("base = 'evaluation-slc'\nt_r_ns = -1", "t_r_ns must be a time from 1 ns to 1 hour"),
            (
                "base = 'evaluation-slc'\npower.read_ua = 0.5",
                "power.read_ua must be a whole number",
            ),
            ("base = 'evaluation-slc'\npower = 3", "power must be a table"),
            ("base = 'evaluation-slc'\npage_bytes = 5000000000", "page_bytes must be a whole"),
        ] {
            let error = table(text).resolve().unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
