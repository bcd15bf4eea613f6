//! What is on the array before anything is measured.

use super::error::ConfigError;
use super::nearest::did_you_mean;
use super::text_or_table::{Text, TextOrTable};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What is written, sequentially, before the measured part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    /// Every logical page: the state that a device reaches in use, and the worst for its collector.
    #[default]
    Full,
    /// The pages that the workload can address.
    Footprint,
    /// Nothing: a device fresh from the box. Collection may never run.
    None,
}

/// Fill and age. As text: `full`, `footprint+age=2`, `none`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preconditioning {
    /// What is written once, sequentially.
    #[serde(default)]
    pub fill: Fill,
    /// After that: uniform random overwrites of what was filled, as a multiple of its size.
    #[serde(default)]
    pub age: f64,
}

/// A [`Preconditioning`] in either notation.
pub type PreconditionChoice = TextOrTable<Preconditioning>;

/// Most times that the space is overwritten: beyond it a typing error is likelier than intent.
const MOST_AGE: f64 = 1000.0;

impl FromStr for Preconditioning {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let fault =
            |reason: String| ConfigError::setting("precondition", format!("`{text}`: {reason}"));
        let mut parts = text.split('+').map(str::trim);
        let fill = match parts.next().unwrap_or("") {
            "full" => Fill::Full,
            "footprint" => Fill::Footprint,
            "none" => Fill::None,
            other => {
                return Err(fault(format!(
                    "no fill is called `{other}`; {}",
                    did_you_mean(other, ["full", "footprint", "none"])
                )));
            }
        };
        let mut age = None;
        for part in parts {
            let given = part
                .strip_prefix("age=")
                .and_then(|age| age.trim().parse().ok())
                .ok_or_else(|| fault(format!("expected `age=` and a number, not `{part}`")))?;
            if age.replace(given).is_some() {
                return Err(fault("age is set twice".into()));
            }
        }
        let out = Self { fill, age: age.unwrap_or(0.0) };
        out.check().map(|()| out)
    }
}

impl Preconditioning {
    /// Checks the range of `age`, and that there is something to age.
    ///
    /// # Errors
    /// Where it is negative, beyond 1000, or set without a fill.
    pub fn check(&self) -> Result<(), ConfigError> {
        if !(0.0..=MOST_AGE).contains(&self.age) {
            return Err(ConfigError::setting(
                "precondition.age",
                format!(
                    "must be 0 to {MOST_AGE} times the space that was filled, not {}",
                    self.age
                ),
            ));
        }
        if self.fill == Fill::None && self.age > 0.0 {
            return Err(ConfigError::setting(
                "precondition.age",
                "overwrites what was filled, and `none` fills nothing; use `full` or `footprint`",
            ));
        }
        Ok(())
    }
}

impl fmt::Display for Preconditioning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.fill {
            Fill::Full => "full",
            Fill::Footprint => "footprint",
            Fill::None => "none",
        })?;
        if self.age > 0.0 { write!(f, "+age={}", self.age) } else { Ok(()) }
    }
}

impl Text for Preconditioning {
    type Error = ConfigError;

    fn from_text(text: &str) -> Result<Self, ConfigError> {
        text.parse()
    }

    fn text(&self) -> Option<String> {
        Some(self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notation() {
        for text in ["full", "none", "footprint+age=2.5"] {
            assert_eq!(text.parse::<Preconditioning>().unwrap().to_string(), text);
        }
        for (text, said) in [
            ("ful", "did you mean `full`?"),
            ("none+age=1", "fills nothing"),
            ("full+age=-1", "0 to 1000"),
            ("full+age=inf", "0 to 1000"),
            ("full+old", "`age=`"),
            ("full+age=1+age=2", "age is set twice"),
        ] {
            let error = text.parse::<Preconditioning>().unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
