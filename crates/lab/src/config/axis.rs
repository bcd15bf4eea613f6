//! Axes of a sweep: a key, and the values that it takes, listed or as ranges.

use super::error::ConfigError;
use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

/// Largest number of values of one axis.
const MOST_VALUES: usize = 100_000;

/// Keys with a second name.
const ALIASES: [(&str, &str); 8] = [
    ("depth", "queue_depth"),
    ("seeds", "seed"),
    ("workload", "trace"),
    ("schemes", "scheme"),
    ("policy", "victim"),
    ("parts", "part"),
    ("traces", "trace"),
    ("logical_share", "share"),
];

/// A key of an experiment, and its values in a sweep.
///
/// As text: `share=0.6..0.9:0.05`, `victim=greedy,cost-benefit`, `queue_depth=1..64:x2`. Where a value contains a comma,
/// semicolons stand between values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The key.
    pub key: String,
    /// Its values as texts, each once.
    pub values: Vec<String>,
}

impl Axis {
    /// An axis of these values; ranges among them are written out.
    ///
    /// # Errors
    /// No value, a range that is none, or one value twice.
    pub fn new<'a>(
        key: &str,
        given: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, ConfigError> {
        let fault = |reason: String| ConfigError::setting(format!("sweep over `{key}`"), reason);
        let mut values: Vec<String> = Vec::new();
        let mut known = HashSet::new();
        for text in given {
            let text = text.trim();
            let more = match Range::read(text) {
                None => vec![text.to_owned()],
                Some(range) => range.and_then(|range| range.values()).map_err(fault)?,
            };
            for value in more {
                if value.is_empty() {
                    return Err(fault("has an empty value".into()));
                }
                if !known.insert(value.clone()) {
                    return Err(fault(format!("has the value `{value}` twice")));
                }
                values.push(value);
            }
        }
        if values.is_empty() {
            return Err(fault("has no value".into()));
        }
        // As its option is written: `queue-depth`.
        let key = &*key.trim().replace('-', "_");
        let alias = ALIASES.iter().find(|(alias, _)| *alias == key);
        Ok(Self { key: alias.map_or(key, |alias| alias.1).to_owned(), values })
    }

    /// An axis of the values of a list.
    ///
    /// # Errors
    /// As [`Axis::new`].
    pub fn of_list(key: &str, list: &str) -> Result<Self, ConfigError> {
        Self::new(key, split(list))
    }
}

/// The values of a list: between semicolons if there are any, else between commas.
fn split(list: &str) -> std::str::Split<'_, char> {
    list.split(if list.contains(';') { ';' } else { ',' })
}

impl FromStr for Axis {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        match text.split_once('=') {
            Some((key, list)) if !key.trim().is_empty() => Self::of_list(key, list),
            _ => Err(ConfigError::setting(
                format!("sweep over `{text}`"),
                "write KEY=VALUES, as in share=0.6..0.9:0.05 or victim=greedy,cost-benefit",
            )),
        }
    }
}

/// `from..to:step`: equal steps, or with `x` before the step equal factors. The end belongs to it.
struct Range {
    /// Values in units of 10^-decimals.
    from: i128,
    to: i128,
    step: Step,
    decimals: u32,
    unit: String,
}

#[derive(Clone, Copy)]
enum Step {
    Add(i128),
    Times(i128),
}

/// The power of ten of text such as `e3`, and what follows.
fn exponent(text: &str) -> Option<(i32, &str)> {
    let rest = text.strip_prefix(['e', 'E'])?;
    let is_power = |(at, c): (usize, char)| c.is_ascii_digit() || at == 0 && (c == '-' || c == '+');
    let end = rest.char_indices().find(|at| !is_power(*at)).map_or(rest.len(), |(at, _)| at);
    Some((rest[..end].parse().ok()?, &rest[end..]))
}

/// A number with its decimals and its unit.
struct Number<'a> {
    digits: i128,
    decimals: u32,
    unit: &'a str,
}

impl<'a> Number<'a> {
    /// Reads `0.6`, `1e3`, `4GiB`.
    fn read(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let is_number = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
        let end = text.find(|c| !is_number(c)).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let (power, unit) = exponent(unit).unwrap_or((0, unit));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let mut digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let mut decimals = i32::try_from(fraction.len()).ok()?.checked_sub(power)?;
        if decimals < 0 {
            digits = digits.checked_mul(10i128.checked_pow(decimals.unsigned_abs())?)?;
            decimals = 0;
        }
        (decimals <= 12).then_some(())?;
        Some(Self { digits, decimals: decimals.unsigned_abs(), unit: unit.trim() })
    }

    /// True if its unit is a multiple, such as `k`: without it, the number could well be meant as it stands.
    fn is_multiple(&self) -> bool {
        self.unit.len() == 1 && self.unit.chars().all(char::is_alphabetic)
    }

    fn in_units(&self, decimals: u32) -> Option<i128> {
        self.digits.checked_mul(10i128.checked_pow(decimals.checked_sub(self.decimals)?)?)
    }
}

impl Range {
    /// `None` if the text is no range, such as a name or the path `../a.csv`.
    fn read(text: &str) -> Option<Result<Self, String>> {
        let (from, rest) = text.split_once("..")?;
        let (to, step) = rest.split_once(':').map_or((rest, None), |(to, step)| (to, Some(step)));
        let (first, last) = (Number::read(from)?, Number::read(to)?);
        let wrong = |reason: &str| Some(Err(format!("`{text}` {reason}")));
        if first.unit != last.unit && (!first.unit.is_empty() || last.is_multiple()) {
            return wrong("begins and ends with different units; write both ends in one");
        }
        let (times, step) = match step.map(str::trim) {
            Some(step) => match step.strip_prefix(['x', '*']) {
                Some(factor) => (true, factor),
                None => (false, step),
            },
            None if first.decimals + last.decimals == 0 && last.unit.is_empty() => (false, "1"),
            None => return wrong("needs a step, as in 0.6..0.9:0.05"),
        };
        let Some(step) = Number::read(step) else {
            return wrong("has a step that is no number; write it as in 0.6..0.9:0.05 or 1..64:x2");
        };
        if !(step.unit.is_empty() || !times && step.unit == last.unit) {
            return wrong("has a step of another unit");
        }
        let by = if times { 0 } else { step.decimals };
        let decimals = first.decimals.max(last.decimals).max(by);
        let whole = |number: &Number<'_>| number.in_units(decimals);
        let (Some(from), Some(to)) = (whole(&first), whole(&last)) else {
            return wrong("has too large numbers");
        };
        let step = match times {
            true if step.decimals == 0 && step.digits > 1 && from > 0 => Step::Times(step.digits),
            true => return wrong("needs a whole factor above 1 and a start above 0"),
            false => match whole(&step) {
                Some(step) if step > 0 => Step::Add(step),
                _ => return wrong("needs a step above 0"),
            },
        };
        if from > to {
            return wrong("ends before it begins");
        }
        Some(Ok(Self { from, to, step, decimals, unit: last.unit.into() }))
    }

    fn values(&self) -> Result<Vec<String>, String> {
        let mut values = Vec::new();
        let mut at = Some(self.from);
        while let Some(value) = at.filter(|value| *value <= self.to) {
            if values.len() == MOST_VALUES {
                return Err(format!("has more than {MOST_VALUES} values"));
            }
            values.push(self.text(value));
            at = match self.step {
                Step::Add(step) => value.checked_add(step),
                Step::Times(factor) => value.checked_mul(factor),
            };
        }
        Ok(values)
    }

    /// Decimal text without zeroes at its end.
    fn text(&self, value: i128) -> String {
        let places = self.decimals as usize;
        let digits = format!("{:0width$}", value.unsigned_abs(), width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let fraction = fraction.trim_end_matches('0');
        let sign = if value < 0 { "-" } else { "" };
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{sign}{whole}{point}{fraction}{}", self.unit)
    }
}

/// The axes of a sweep: in a file the table `[sweep]`, in the order of its keys' names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Axes(pub Vec<Axis>);

impl Axes {
    /// True if nothing is varied.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds an axis.
    ///
    /// # Errors
    /// If its key has one already.
    pub fn add(&mut self, axis: Axis) -> Result<(), ConfigError> {
        if self.0.iter().any(|other| other.key == axis.key) {
            let reason = "is given twice; write all its values as one list";
            return Err(ConfigError::setting(format!("sweep over `{}`", axis.key), reason));
        }
        self.0.push(axis);
        Ok(())
    }

    /// The values of a key, to change them.
    pub(super) fn values_mut(&mut self, key: &str) -> impl Iterator<Item = &mut String> {
        self.0.iter_mut().filter(move |axis| axis.key == key).flat_map(|axis| &mut axis.values)
    }

    /// Takes out the axis of a key.
    pub fn take(&mut self, key: &str) -> Option<Axis> {
        let at = self.0.iter().position(|axis| axis.key == key)?;
        Some(self.0.remove(at))
    }
}

impl Serialize for Axes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for axis in &self.0 {
            map.serialize_entry(&axis.key, &axis.values)?;
        }
        map.end()
    }
}

/// Values of an axis in a file: a list or one text, of texts and numbers.
#[derive(Deserialize)]
#[serde(untagged)]
enum Values {
    One(Value),
    List(Vec<Value>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Value {
    Flag(bool),
    Whole(i64),
    Decimal(f64),
    Text(String),
}

impl Value {
    fn into_text(self) -> String {
        match self {
            Self::Flag(value) => value.to_string(),
            Self::Whole(value) => value.to_string(),
            Self::Decimal(value) => value.to_string(),
            Self::Text(value) => value,
        }
    }
}

impl<'de> Deserialize<'de> for Axes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Axes;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of keys and their values")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Axes, A::Error> {
                let mut axes = Axes::default();
                while let Some((key, values)) = map.next_entry::<String, Values>()? {
                    let axis = match values {
                        Values::One(value) => Axis::of_list(&key, &value.into_text()),
                        Values::List(list) => {
                            let texts: Vec<_> = list.into_iter().map(Value::into_text).collect();
                            Axis::new(&key, texts.iter().map(String::as_str))
                        }
                    };
                    axis.and_then(|axis| axes.add(axis)).map_err(de::Error::custom)?;
                }
                Ok(axes)
            }
        }
        deserializer.deserialize_map(Read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(text: &str) -> String {
        text.parse::<Axis>().map_or_else(|error| error.to_string(), |axis| axis.values.join(" "))
    }

    #[test]
    fn lists_and_ranges_are_written_out() {
        for (text, expected) in [
            ("share=0.6..0.9:0.05", "0.6 0.65 0.7 0.75 0.8 0.85 0.9"),
            ("op=7%..28%:7%", "7% 14% 21% 28%"),
            ("capacity=1GiB..4GiB:1GiB", "1GiB 2GiB 3GiB 4GiB"),
            ("capacity=1..4GiB:x2", "1GiB 2GiB 4GiB"),
            ("seed=1..5", "1 2 3 4 5"),
            ("requests=1..1e3:x10", "1 10 100 1000"),
            ("requests=5e2..2e3:5e2", "500 1000 1500 2000"),
            ("requests=1k..3k:1k", "1k 2k 3k"),
            ("rate=1e-1..1.5e0:7e-1", "0.1 0.8 1.5"),
            ("seed=1..1e1", "1 2 3 4 5 6 7 8 9 10"),
            ("capacity=1e0..2GiB:1", "1GiB 2GiB"),
            ("depth=1..64:x2,100", "1 2 4 8 16 32 64 100"),
            ("x=-0.1..0.1:0.1", "-0.1 0 0.1"),
            ("victim=greedy, cost-benefit", "greedy cost-benefit"),
            ("bit_errors=wear:1,1,0+ecc=4;off", "wear:1,1,0+ecc=4 off"),
            ("trace=../a.csv,../b..c.csv", "../a.csv ../b..c.csv"),
        ] {
            assert_eq!(values(text), expected, "{text}");
        }
        assert_eq!("policy=fifo".parse::<Axis>().unwrap().key, "victim");
        assert_eq!("queue-depth=1,2".parse::<Axis>().unwrap().key, "queue_depth");
    }

    #[test]
    fn faults_name_the_axis_and_what_is_right() {
        for (text, said) in [
            ("share", "write KEY=VALUES"),
            ("=1,2", "write KEY=VALUES"),
            ("share=", "empty value"),
            ("share=0.5,,0.6", "empty value"),
            ("share=0.5,0.5", "`0.5` twice"),
            ("share=0.6..0.9", "needs a step"),
            ("share=0.9..0.6:0.1", "ends before it begins"),
            ("share=0.6..0.9:0", "step above 0"),
            ("share=0.6..0.9:x1", "factor above 1"),
            ("share=0.6..0.9:little", "step that is no number"),
            ("capacity=1MiB..1GiB:1MiB", "different units"),
            ("capacity=1GiB..4GiB:512MiB", "another unit"),
            ("requests=500..2k:500", "different units; write both ends in one"),
            ("seed=1..1000000", "more than 100000"),
        ] {
            assert!(values(text).contains(said), "{text}: {}", values(text));
        }
    }

    #[test]
    fn a_file_gives_them_as_a_table() {
        #[derive(Deserialize, Serialize)]
        struct File {
            sweep: Axes,
        }
        let text = "[sweep]\nshare = '0.6..0.7:0.1'\nseed = [1, '3..4']\naware = [true, false]\n";
        let file: File = toml::from_str(text).unwrap();
        let of =
            |key: &str| file.sweep.0.iter().find(|axis| axis.key == key).unwrap().values.join(" ");
        assert_eq!(
            (of("share"), of("seed"), of("aware")),
            ("0.6 0.7".into(), "1 3 4".into(), "true false".into())
        );
        let again: File = toml::from_str(&toml::to_string(&file).unwrap()).unwrap();
        assert_eq!(again.sweep, file.sweep);
        let twice = toml::from_str::<File>("[sweep]\npolicy = 'fifo'\nvictim = 'fifo'").map(|_| ());
        assert!(twice.unwrap_err().to_string().contains("given twice"));
    }

    proptest! {
        #[test]
        fn any_text_is_an_axis_or_an_error(text: String, step in "[0-9.x:]{0,9}") {
            let _ = text.parse::<Axis>();
            let _ = format!("a=1..9{step}").parse::<Axis>();
        }
    }
}
