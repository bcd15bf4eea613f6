//! Closed forms of write amplification that a plot shows beside what was measured.

use bounds::waf::{self, Selection, WafError, Writes};
use std::fmt;
use std::str::FromStr;

/// Write amplification of a victim selection under uniform writes, in an array of many blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// [`waf::greedy`].
    Greedy,
    /// [`waf::fifo`].
    Fifo,
    /// [`waf::random_passing_over`].
    Random,
    /// [`waf::mean_field()`] of [`Selection::ChoicesPassingOver`] so many blocks.
    Choices(u32),
}

impl Model {
    /// Pages programmed per page written.
    ///
    /// # Errors
    /// [`WafError`].
    pub(super) fn waf(self, share: f64, pages_per_block: u32) -> Result<f64, WafError> {
        match self {
            Self::Greedy => waf::greedy(share, pages_per_block),
            Self::Fifo => waf::fifo(share),
            Self::Random => waf::random_passing_over(share, pages_per_block),
            Self::Choices(blocks) => {
                let selection = Selection::ChoicesPassingOver(blocks);
                let found = waf::mean_field(share, pages_per_block, Writes::Uniform, selection)?;
                Ok(found.write_amplification)
            }
        }
    }

    /// Its source.
    pub(super) fn source(self) -> &'static str {
        match self {
            Self::Greedy => "Bux and Iliadis 2010",
            Self::Fifo => "Desnoyers 2012",
            Self::Random | Self::Choices(_) => "Van Houdt 2013",
        }
    }
}

impl FromStr for Model {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let blocks = |count: &str| count.parse().ok().filter(|count| (1..=1000).contains(count));
        match (text, text.strip_prefix("choices:").and_then(blocks)) {
            ("greedy", _) => Ok(Self::Greedy),
            ("fifo", _) => Ok(Self::Fifo),
            ("random", _) => Ok(Self::Random),
            (_, Some(blocks)) => Ok(Self::Choices(blocks)),
            _ => Err(format!(
                "no model of WAF is called `{text}`; there are greedy, fifo, random and choices:D (D: 1 to 1000 blocks)"
            )),
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Greedy => f.write_str("greedy"),
            Self::Fifo => f.write_str("fifo"),
            Self::Random => f.write_str("random"),
            Self::Choices(blocks) => write!(f, "choices:{blocks}"),
        }
    }
}
