//! What can be wrong with an experiment.

use std::path::PathBuf;
use workload::nearest::did_you_mean;

/// Why an experiment cannot be run; found before anything is.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file of the experiment cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A text that is no experiment or part: syntax, unknown key, wrong type.
    #[error("{place}{}: {message}", line_of(text, span.as_ref()))]
    Toml {
        /// File or other place that the text comes from.
        place: String,
        /// The whole text, for showing the line.
        text: String,
        /// Bytes of the text that are at fault.
        span: Option<std::ops::Range<usize>>,
        /// What is wrong, and what would be right.
        message: String,
    },
    /// A setting that cannot work.
    #[error("{setting}: {reason}")]
    Setting {
        /// The setting at fault.
        setting: String,
        /// What is wrong with it and what would be right.
        reason: String,
    },
    /// A name that is not known.
    #[error("no {what} is called `{name}`; {hint}")]
    Unknown {
        /// What it should name.
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
    pub(super) fn setting(setting: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Setting { setting: setting.into(), reason: reason.into() }
    }

    /// From an error of the TOML reader, with the nearest known key where one was not known.
    pub(super) fn toml(place: &str, text: &str, error: &toml::de::Error) -> Self {
        Self::Toml {
            place: place.into(),
            text: text.into(),
            span: error.span(),
            message: with_suggestion(error.message()),
        }
    }
}

/// `:3`, where the place is known.
fn line_of(text: &str, span: Option<&std::ops::Range<usize>>) -> String {
    let before = span.and_then(|span| text.get(..span.start));
    before.map_or_else(String::new, |before| format!(":{}", before.matches('\n').count() + 1))
}

/// Of a message on an unknown key or value: the nearest of those that were expected, where one is near,
/// else all of them.
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
