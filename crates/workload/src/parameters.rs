//! Parameters of generators: what there is, what each may be, and the values that a user gave.

use crate::error::WorkloadError;
use crate::units;
use std::collections::BTreeMap;

/// What values a parameter takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// 0 to 1, as `0.25` or `25%`.
    Share,
    /// A decimal number between two bounds, both allowed.
    Number {
        /// Least.
        min: f64,
        /// Most.
        max: f64,
    },
    /// A whole number between two bounds, both allowed.
    Count {
        /// Least.
        min: u64,
        /// Most.
        max: u64,
    },
    /// Bytes, at least one, as `4096`, `4k` or `4KiB`.
    Bytes,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A text of this form.
    Text(&'static str),
}

/// One parameter of a built-in workload.
#[derive(Clone, Copy, Debug)]
pub struct ParameterInfo {
    /// Its key.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// Its unit; empty where it has none.
    pub unit: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it is where nothing is said. A word that is none of `kind`'s values (`page`, `none`) is a
    /// value too, and means what `summary` says.
    pub default: &'static str,
}

impl ParameterInfo {
    /// A share.
    pub const fn share(name: &'static str, default: &'static str, summary: &'static str) -> Self {
        Self { name, summary, unit: "share", kind: Kind::Share, default }
    }

    /// A number of bytes.
    pub const fn bytes(name: &'static str, default: &'static str, summary: &'static str) -> Self {
        Self { name, summary, unit: "bytes", kind: Kind::Bytes, default }
    }

    /// The range, for people.
    pub fn range(&self) -> String {
        let range = match self.kind {
            Kind::Share => "a share, 0 to 1 or 0% to 100%".to_owned(),
            Kind::Number { min, max } => format!("{min} to {max}"),
            Kind::Count { min, max: u64::MAX } => format!("a whole number from {min}"),
            Kind::Count { min, max } => format!("a whole number, {min} to {max}"),
            Kind::Bytes => "bytes, from 1 (512, 4k, 1MiB)".to_owned(),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::Text(form) => form.to_owned(),
        };
        if self.allows(self.default) { range } else { format!("{range}, or `{}`", self.default) }
    }

    fn allows(&self, value: &str) -> bool {
        match self.kind {
            Kind::Share => units::share(value).is_some(),
            Kind::Number { min, max } => {
                value.trim().parse::<f64>().is_ok_and(|v| v >= min && v <= max)
            }
            Kind::Count { min, max } => units::count(value).is_some_and(|v| v >= min && v <= max),
            Kind::Bytes => units::bytes(value).is_some_and(|v| v > 0),
            Kind::Choice(words) => words.contains(&value),
            Kind::Text(_) => !value.is_empty(),
        }
    }
}

/// The parameters of one workload, every default filled in and every value in its range.
#[derive(Clone, Debug)]
pub(crate) struct Parameters {
    workload: &'static str,
    infos: &'static [&'static [ParameterInfo]],
    values: BTreeMap<String, String>,
}

impl Parameters {
    /// Fills in the defaults of `infos` and checks what was `given`.
    pub(crate) fn resolve(
        workload: &'static str,
        infos: &'static [&'static [ParameterInfo]],
        given: &BTreeMap<String, String>,
    ) -> Result<Self, WorkloadError> {
        let all = || infos.iter().copied().flatten();
        for (name, value) in given {
            let Some(info) = all().find(|info| info.name == name) else {
                return Err(unknown(workload, name, all()));
            };
            if value != info.default && !info.allows(value) {
                return Err(parameter_error(workload, name, info.range(), value));
            }
        }
        let value_of = |info: &ParameterInfo| {
            given.get(info.name).cloned().unwrap_or_else(|| info.default.to_owned())
        };
        let values = all().map(|info| (info.name.to_owned(), value_of(info))).collect();
        Ok(Self { workload, infos, values })
    }

    /// Every parameter with its value.
    pub(crate) fn values(&self) -> &BTreeMap<String, String> {
        &self.values
    }

    /// The text of a parameter. A name that was not declared is a mistake in this crate, which the test
    /// that opens every built-in workload would find.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.values.get(name).map_or_else(
            || unreachable!("{}: {name} is not declared", self.workload),
            String::as_str,
        )
    }

    /// A share, 0 to 1.
    pub(crate) fn share(&self, name: &str) -> f64 {
        units::share(self.text(name)).unwrap_or_default()
    }

    /// A number; none where it is the default's word.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.text(name).trim().parse().ok()
    }

    /// A whole number; none where it is the default's word.
    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        units::count(self.text(name))
    }

    /// Bytes; none where it is the default's word (`page`, `size`).
    pub(crate) fn bytes(&self, name: &str) -> Option<u64> {
        units::bytes(self.text(name))
    }

    /// True where the word is `yes`.
    pub(crate) fn yes(&self, name: &str) -> bool {
        self.text(name) == "yes"
    }

    /// The error for a value that cannot work here, though it is in its range.
    pub(crate) fn refuse(&self, name: &str, expected: impl Into<String>) -> WorkloadError {
        debug_assert!(self.infos.iter().copied().flatten().any(|info| info.name == name));
        parameter_error(self.workload, name, expected.into(), self.text(name))
    }
}

fn unknown<'a>(
    workload: &str,
    name: &str,
    infos: impl Iterator<Item = &'a ParameterInfo>,
) -> WorkloadError {
    let names: Vec<_> = infos.map(|info| info.name).collect();
    let hint = match units::nearest(name, names.iter().copied()) {
        Some(nearest) => format!(" (did you mean {nearest}?)"),
        None => String::new(),
    };
    let expected = if names.is_empty() {
        "omitted: this workload takes none".to_owned()
    } else {
        format!("one of {}{hint}", names.join(", "))
    };
    parameter_error(workload, "a parameter", expected, name)
}

fn parameter_error(
    workload: &str,
    parameter: &str,
    expected: String,
    found: &str,
) -> WorkloadError {
    WorkloadError::Parameter {
        workload: workload.to_owned(),
        parameter: parameter.to_owned(),
        expected,
        found: format!("`{found}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static INFOS: &[&[ParameterInfo]] = &[&[
        ParameterInfo::bytes("size", "page", ""),
        ParameterInfo {
            name: "theta",
            summary: "",
            unit: "",
            kind: Kind::Number { min: 0.0, max: 10.0 },
            default: "1",
        },
    ]];

    fn resolve(pairs: &[(&str, &str)]) -> Result<Parameters, WorkloadError> {
        let given = pairs.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
        Parameters::resolve("test", INFOS, &given)
    }

    #[test]
    fn defaults_are_filled_in_and_words_are_no_numbers() {
        let parameters = resolve(&[]).unwrap();
        assert_eq!(parameters.bytes("size"), None);
        assert_eq!(parameters.number("theta"), Some(1.0));
        assert_eq!(resolve(&[("size", "8k")]).unwrap().bytes("size"), Some(8192));
        assert_eq!(resolve(&[("size", "page")]).unwrap().bytes("size"), None);
    }

    #[test]
    fn what_is_unknown_or_out_of_range_is_refused_with_what_is_right() {
        let error = |pairs: &[(&str, &str)]| resolve(pairs).unwrap_err().to_string();
        assert!(error(&[("thta", "1")]).contains("did you mean theta?"));
        assert!(error(&[("theta", "11")]).contains("theta must be 0 to 10, not `11`"));
        assert!(error(&[("theta", "nan")]).contains("0 to 10"));
        assert!(error(&[("size", "0")]).contains("bytes, from 1"));
        assert!(error(&[("size", "0")]).contains("or `page`"));
    }
}
