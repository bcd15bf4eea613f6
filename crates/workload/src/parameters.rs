//! Parameters of generators: declarations, ranges and the values that a user gave.

use crate::error::WorkloadError;
use crate::quantity::{self, decimal};
use crate::units;
use std::collections::BTreeMap;

/// Values that a parameter accepts.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// 0 to 1, as `0.25` or `25%`.
    Share,
    /// A decimal number between two bounds, inclusive.
    Number {
        /// Minimum.
        min: f64,
        /// Maximum.
        max: f64,
    },
    /// A whole number between two bounds, inclusive.
    Count {
        /// Minimum.
        min: u64,
        /// Maximum.
        max: u64,
    },
    /// Bytes, at least one, as `4096`, `4k` or `4KiB`.
    Bytes,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Text of this form.
    Text(&'static str),
}

/// One parameter of a built-in workload.
#[derive(Clone, Copy, Debug)]
pub struct ParameterInfo {
    /// Key of the parameter.
    pub name: &'static str,
    /// Effect of the parameter.
    pub summary: &'static str,
    /// Unit; empty if it has none.
    pub unit: &'static str,
    /// Accepted values.
    pub kind: Kind,
    /// Default value.
    ///
    /// A word outside `kind`'s values (`page`, `none`) is also accepted and has the meaning given in
    /// `summary`.
    pub default: &'static str,
}

impl ParameterInfo {
    /// Declares a share.
    pub const fn share(name: &'static str, default: &'static str, summary: &'static str) -> Self {
        Self { name, summary, unit: "share", kind: Kind::Share, default }
    }

    /// Declares a number of bytes.
    pub const fn bytes(name: &'static str, default: &'static str, summary: &'static str) -> Self {
        Self { name, summary, unit: "bytes", kind: Kind::Bytes, default }
    }

    /// Description of the range for error texts and lists.
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
            Kind::Number { min, max } => decimal(value).is_some_and(|v| v >= min && v <= max),
            Kind::Count { min, max } => units::count(value).is_some_and(|v| v >= min && v <= max),
            Kind::Bytes => units::bytes(value).is_some_and(|v| v > 0),
            Kind::Choice(words) => words.contains(&value),
            Kind::Text(_) => !value.is_empty(),
        }
    }
}

/// The parameters of one workload, including defaults, with every value in its range.
#[derive(Clone, Debug)]
pub(crate) struct Parameters {
    workload: &'static str,
    infos: &'static [&'static [ParameterInfo]],
    values: BTreeMap<String, String>,
}

impl Parameters {
    /// Adds the defaults of `infos` and checks the `given` values.
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
                let range = match quantity::share(value) {
                    // How a number above 1 would be right.
                    Err(why) if matches!(info.kind, Kind::Share) => {
                        format!("{}: {why}", info.range())
                    }
                    _ => info.range(),
                };
                return Err(parameter_error(workload, name, range, value));
            }
        }
        let value_of = |info: &ParameterInfo| {
            given.get(info.name).cloned().unwrap_or_else(|| info.default.to_owned())
        };
        let values = all().map(|info| (info.name.to_owned(), value_of(info))).collect();
        Ok(Self { workload, infos, values })
    }

    /// All parameters with their values.
    pub(crate) fn values(&self) -> &BTreeMap<String, String> {
        &self.values
    }

    /// Text of a parameter.
    ///
    /// An undeclared name is a bug in this crate; the test that opens every built-in workload would find it.
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

    /// A number; `None` if the value is the default's word.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        decimal(self.text(name))
    }

    /// A whole number; `None` if the value is the default's word.
    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        units::count(self.text(name))
    }

    /// Bytes; `None` if the value is the default's word (`page`, `size`).
    pub(crate) fn bytes(&self, name: &str) -> Option<u64> {
        units::bytes(self.text(name))
    }

    /// True if the value is `yes`.
    pub(crate) fn yes(&self, name: &str) -> bool {
        self.text(name) == "yes"
    }

    /// Error for a value that is in its range but cannot work here.
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
