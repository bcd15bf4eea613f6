//! Figures of a table, as printed in a paper or measured.

use serde::{Serialize, Serializer};
use std::fmt;

/// Figure in a table: a number with its printed decimals, or words.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// A number.
    Number {
        /// Value at full precision.
        value: f64,
        /// Decimals to print.
        decimals: usize,
    },
    /// Words, such as an order of schemes.
    Words(String),
}

impl Figure {
    /// Number printed with `decimals` decimals.
    pub fn number(value: f64, decimals: usize) -> Self {
        Self::Number { value, decimals }
    }

    /// Parses a number as printed in a paper, keeping its number of decimals. Other text becomes words.
    pub fn printed(text: &str) -> Self {
        match text.replace('−', "-").parse() {
            Ok(value) => {
                Self::Number { value, decimals: text.rsplit_once('.').map_or(0, |(_, d)| d.len()) }
            }
            Err(_) => Self::Words(text.to_owned()),
        }
    }

    /// The value if the figure is a number.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Number { value, .. } => Some(*value),
            Self::Words(_) => None,
        }
    }
}

impl fmt::Display for Figure {
    /// Prints numbers with a proper minus sign (U+2212).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(words),
            Self::Number { value, decimals } => f.write_str(&decimal(*value, *decimals)),
        }
    }
}

impl Serialize for Figure {
    /// Serializes a number or a string.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number { value, .. } => serializer.serialize_f64(*value),
            Self::Words(words) => serializer.serialize_str(words),
        }
    }
}

/// Number with `decimals` decimals, a proper minus sign (U+2212) and no negative zero.
pub(crate) fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_as_people_write_them() {
        assert_eq!(Figure::printed("−0.5"), Figure::Number { value: -0.5, decimals: 1 });
        assert_eq!(Figure::printed("N/A"), Figure::Words("N/A".into()));
        assert_eq!(decimal(-0.001, 2), "0.00");
        assert_eq!(decimal(-42.834, 2), "−42.83");
    }
}
