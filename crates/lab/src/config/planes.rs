//! Use of the planes of a die: as one, or each with writes of its own.

use super::error::ConfigError;
use super::notation::{Notation, named};
use flash::Part;
use flash::channels::{MultiPlane, PlaneRule};
use std::fmt;

/// Most planes of a die that operate at once.
const MOST: u32 = flash::channels::MAX_PLANES as u32;

/// Use of the planes of a die.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlaneUse {
    /// They operate together: a page of the array is one page of each.
    #[default]
    Ganged,
    /// Each has writes of its own. Operations on several of them run as one by this rule; `None`: one at a time.
    Own(Option<PlaneRule>),
}

impl PlaneUse {
    const ALL: [Self; 4] = [
        Self::Ganged,
        Self::Own(Some(PlaneRule::SamePage)),
        Self::Own(Some(PlaneRule::SamePlace)),
        Self::Own(None),
    ];

    /// Name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ganged => "ganged",
            Self::Own(Some(PlaneRule::SamePage)) => "own",
            Self::Own(Some(PlaneRule::SamePlace)) => "own:same-place",
            Self::Own(None) => "own:single",
        }
    }

    /// Planes that operate together, and planes with writes of their own, of `planes` planes.
    ///
    /// # Errors
    /// Planes of their own, but only one, or too many.
    pub(super) fn split(self, planes: u32) -> Result<[u32; 2], ConfigError> {
        match self {
            Self::Ganged => Ok([planes, 1]),
            Self::Own(_) if (2..=MOST).contains(&planes) => Ok([1, planes]),
            Self::Own(_) => Err(ConfigError::setting(
                "plane_use",
                format!(
                    "`{}` needs planes, 2 to {MOST} of a die, as in --planes 2, not {planes}; or omit it (`ganged`)",
                    self.name()
                ),
            )),
        }
    }

    /// How operations on planes of this part run as one.
    pub(super) fn multi_plane(self, part: &Part) -> Option<MultiPlane> {
        let Self::Own(Some(rule)) = self else { return None };
        Some(MultiPlane { rule, independent_reads: part.independent_plane_reads })
    }
}

impl Notation for PlaneUse {
    fn read(word: &str) -> Result<Self, String> {
        named("plane use", word, &Self::ALL.map(|choice| (choice.name(), choice)))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
