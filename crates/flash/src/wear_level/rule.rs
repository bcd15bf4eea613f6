//! Rules for moving cold data onto worn blocks.

use alloc::{format, string::String};
use core::{fmt, str::FromStr};

/// A rule of static wear levelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WearRule {
    /// Block Erasing Table: one bit per set of 2^`set_bits` blocks says whether one of them was erased since
    /// the table was last cleared. Data of a set whose bit is clear are moved while there are at least
    /// `threshold` erases per set bit.
    BlockErasingTable {
        /// T: erases per set bit, 1 or more.
        threshold: u32,
        /// K: 2^K blocks share a bit; at most [`WearRule::MOST_SET_BITS`].
        set_bits: u8,
    },
    /// Moves data of the least worn block onto a block that was erased more often by more than this number; 1
    /// or more.
    Gap(u32),
}

impl WearRule {
    /// The largest K of a Block Erasing Table.
    pub const MOST_SET_BITS: u8 = 16;

    /// Syntax and ranges of a rule as text.
    pub const VALUES: &str = "bet:T[:K] or gap:N, T and N from 1 to 4294967295, K from 0 to 16";
}

impl fmt::Display for WearRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BlockErasingTable { threshold, set_bits: 0 } => write!(f, "bet:{threshold}"),
            Self::BlockErasingTable { threshold, set_bits } => {
                write!(f, "bet:{threshold}:{set_bits}")
            }
            Self::Gap(erases) => write!(f, "gap:{erases}"),
        }
    }
}

impl FromStr for WearRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            let values = Self::VALUES;
            format!("static wear levelling must be {values}, as in gap:50, not `{text}`")
        };
        let positive = |number: &str| number.parse().ok().filter(|number: &u32| *number > 0);
        let (name, number) = text.split_once(':').ok_or_else(wrong)?;
        let rule = match name {
            "gap" => positive(number).map(Self::Gap),
            "bet" => {
                let (threshold, set_bits) = number.split_once(':').unwrap_or((number, "0"));
                let set_bits =
                    set_bits.parse().ok().filter(|bits: &u8| *bits <= Self::MOST_SET_BITS);
                positive(threshold)
                    .zip(set_bits)
                    .map(|(threshold, set_bits)| Self::BlockErasingTable { threshold, set_bits })
            }
            _ => None,
        };
        rule.ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn rules_as_texts() {
        for text in ["gap:1", "gap:4294967295", "bet:1", "bet:100:3", "bet:7:16"] {
            assert_eq!(text.parse::<WearRule>().unwrap().to_string(), text);
        }
        assert_eq!("bet:8:0".parse::<WearRule>().unwrap().to_string(), "bet:8");
        for wrong in
            ["", "gap", "gap:", "gap:0", "gap:-1", "bet", "bet:0", "bet:1:17", "bet:1:1:1", "bat:1"]
        {
            let error = wrong.parse::<WearRule>().unwrap_err();
            assert!(error.contains("bet:T[:K] or gap:N") && error.contains(wrong), "{error}");
        }
    }
}
