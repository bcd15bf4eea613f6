//! Suspension of operations by host reads: notation, and check against the part.

use super::error::ConfigError;
use super::notation::{Notation, named};
use flash::Part;
use flash::channels::Suspend;
use std::fmt;

/// Operations that a host read suspends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SuspendChoice {
    /// Nothing.
    #[default]
    None,
    /// Erases.
    Erase,
    /// Erases and programs.
    Program,
}

impl SuspendChoice {
    const ALL: [Self; 3] = [Self::None, Self::Erase, Self::Program];

    /// Name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Erase => "erase",
            Self::Program => "program",
        }
    }

    pub(super) fn of_what(self) -> &'static str {
        match self {
            Self::None => "nothing",
            Self::Erase => "erases",
            Self::Program => "erases and programs",
        }
    }

    /// The suspension with this part's times.
    ///
    /// # Errors
    /// If the part does not give the times.
    pub(super) fn of(self, part: &Part) -> Result<Suspend, ConfigError> {
        let times = [
            ("t_erase_suspend_ns", part.t_erase_suspend_ns, self != Self::None),
            ("t_program_suspend_ns", part.t_program_suspend_ns, self == Self::Program),
        ];
        if let Some((key, ..)) = times.iter().find(|(_, ns, needed)| *needed && *ns == 0) {
            return Err(ConfigError::setting(
                "suspend",
                format!(
                    "{} needs {key}, which part `{}` does not have (0: no suspension); omit it (`none`), or set \
                    the time from the suspend command to the start of a read: {key} in a part file, or, with commands that \
                    take --set, --set part.{key}=100us",
                    self.name(),
                    part.name
                ),
            ));
        }
        let (erase_ns, program_ns) = (part.t_erase_suspend_ns, part.t_program_suspend_ns);
        Ok(match self {
            Self::None => Suspend::Never,
            Self::Erase => Suspend::Erases { erase_ns },
            Self::Program => Suspend::ErasesAndPrograms { erase_ns, program_ns },
        })
    }
}

impl From<Suspend> for SuspendChoice {
    fn from(suspend: Suspend) -> Self {
        match suspend {
            Suspend::Never => Self::None,
            Suspend::Erases { .. } => Self::Erase,
            Suspend::ErasesAndPrograms { .. } => Self::Program,
        }
    }
}

impl Notation for SuspendChoice {
    fn read(word: &str) -> Result<Self, String> {
        named("suspend", word, &Self::ALL.map(|choice| (choice.name(), choice)))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
