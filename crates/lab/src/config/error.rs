//! Errors in experiments.

use std::path::PathBuf;
use workload::nearest::did_you_mean;

/// Reason why an experiment cannot run; found before the run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file of the experiment cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// A text that is not an experiment or part: syntax, unknown key, wrong type.
    #[error("{place}{}: {message}", line_of(text, span.as_ref()))]
    Toml {
        /// File or other source of the text.
        place: String,
        /// The whole text, to find the line.
        text: String,
        /// Byte range of the fault in the text.
        span: Option<std::ops::Range<usize>>,
        /// The fault and a valid alternative.
        message: String,
    },
    /// A setting that cannot work.
    #[error("{setting}: {reason}")]
    Setting {
        /// The setting at fault.
        setting: String,
        /// The fault and a valid value.
        reason: String,
    },
    /// An unknown name.
    #[error("no {what} is called `{name}`; {hint}")]
    Unknown {
        /// Kind of thing that the name should denote.
        what: &'static str,
        /// The name.
        name: String,
        /// The nearest name, and how to list them.
        hint: String,
    },
    /// The workload is at fault.
    #[error(transparent)]
    Workload(#[from] workload::WorkloadError),
}

impl ConfigError {
    /// A setting at fault, with a valid value or what to do.
    pub fn setting(setting: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Setting { setting: setting.into(), reason: reason.into() }
    }

    /// From an error of the TOML reader; suggests the nearest known key for an unknown one.
    pub(super) fn toml(place: &str, text: &str, error: &toml::de::Error) -> Self {
        Self::Toml {
            place: place.into(),
            text: text.into(),
            span: error.span(),
            message: with_suggestion(error.message()),
        }
    }

    /// From a message of the TOML reader on a table that is no text of the user's; likewise.
    pub(super) fn unplaced(place: &str, message: &str) -> Self {
        let (place, text) = (place.into(), String::new());
        Self::Toml { place, text, span: None, message: with_suggestion(message) }
    }
}

/// `:3` if the position is known, otherwise empty.
fn line_of(text: &str, span: Option<&std::ops::Range<usize>>) -> String {
    let before = span.and_then(|span| text.get(..span.start));
    before.map_or_else(String::new, |before| format!(":{}", before.matches('\n').count() + 1))
}

/// Rewrites a message on an unknown key or value: names the nearest of the expected ones if one is near,
/// otherwise all of them.
pub(super) fn with_suggestion(message: &str) -> String {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let what = [("unknown field ", "key"), ("unknown variant ", "value")]
        .iter()
        .find_map(|(start, what)| message.starts_with(start).then_some(what));
    match (what, quoted.as_slice()) {
        (Some(what), [unknown, expected @ ..]) => {
            format!(
                "there is no {what} `{unknown}`; {}",
                did_you_mean(unknown, expected.iter().copied())
            )
        }
        _ => message.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::with_suggestion;

    #[test]
    fn unknown_keys_get_the_nearest_known_one() {
        let message = "unknown field `schemas`, expected one of `part`, `schemes`, `seed`";
        assert_eq!(with_suggestion(message), "there is no key `schemas`; did you mean `schemes`?");
        let message = "unknown variant `x`, expected `trace` or `closed`";
        assert_eq!(
            with_suggestion(message),
            "there is no value `x`; there are `trace` and `closed`"
        );
        assert_eq!(with_suggestion("invalid type: `x`"), "invalid type: `x`");
    }
}
