//! A scheme as an experiment asks for it: a name, a compact text or a table.

use super::error::ConfigError;
use super::nearest::did_you_mean;
use super::text_or_table::{Text, TextOrTable};
use flash::Geometry;
use ftl::{SchemeConfig, VictimKind, registry};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One scheme of an experiment.
///
/// In TOML a text (`"fsr"`, `"lazy-rtgc+victim=fifo+share=0.8+idle"`) or a table with these fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchemeTable {
    /// Preset of the registry.
    pub name: String,
    /// Victim selection (`greedy`, `fifo`, `random`, `choices:D`), where not the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub victim: Option<Victim>,
    /// Logical pages / physical pages, above 0 and below 1, where not the preset's own choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_share: Option<f64>,
    /// Collect in idle time as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idle_collection: bool,
    /// Blocks held back to replace blocks that go bad.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub spare_blocks: u32,
    /// Name in the report, where not the compact text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

fn is_zero(blocks: &u32) -> bool {
    *blocks == 0
}

/// Settings that the compact text knows.
const SETTINGS: [&str; 5] = ["victim", "share", "idle", "spare", "label"];

/// The key as the compact text prints it.
fn short_key(key: &str) -> &str {
    match key {
        "logical_share" => "share",
        "idle_collection" => "idle",
        "spare_blocks" => "spare",
        key => key,
    }
}

impl FromStr for SchemeTable {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let mut parts = text.split('+');
        let mut scheme = Self { name: parts.next().unwrap_or("").trim().into(), ..Self::default() };
        if scheme.name.is_empty() && !text.trim().is_empty() {
            return Err(ConfigError::setting(
                "schemes",
                format!("`{text}`: there is no name before `+`"),
            ));
        }
        let mut set = Vec::new();
        for part in parts {
            let (key, value) = match part.split_once('=') {
                Some((key, value)) => (key.trim(), Some(value.trim())),
                None => (part.trim(), None),
            };
            scheme.set(text, key, value)?;
            let short = short_key(key);
            if set.contains(&short) {
                return Err(ConfigError::setting(
                    "schemes",
                    format!("`{text}`: {short} is set twice"),
                ));
            }
            set.push(short);
        }
        Ok(scheme)
    }
}

impl SchemeTable {
    fn set(&mut self, text: &str, key: &str, value: Option<&str>) -> Result<(), ConfigError> {
        let fault = |reason: String| ConfigError::setting("schemes", format!("`{text}`: {reason}"));
        let needed = |example: &str| {
            value
                .filter(|value| !value.is_empty())
                .ok_or_else(|| fault(format!("`{key}` takes a value, as in `{key}={example}`")))
        };
        match key {
            "victim" => self.victim = Some(needed("fifo")?.parse().map_err(fault)?),
            "share" | "logical_share" => {
                let share = needed("0.8")?;
                self.logical_share = Some(share.parse().map_err(|_| {
                    fault(format!("share must be a number such as 0.8, not `{share}`"))
                })?);
            }
            "idle" | "idle_collection" => {
                self.idle_collection = match value {
                    None | Some("true") => true,
                    Some("false") => false,
                    Some(other) => {
                        return Err(fault(format!("idle is `true` or `false`, not `{other}`")));
                    }
                }
            }
            "spare" | "spare_blocks" => {
                let blocks = needed("4")?;
                self.spare_blocks = blocks
                    .parse()
                    .map_err(|_| fault(format!("spare is a count of blocks, not `{blocks}`")))?;
            }
            "label" => self.label = Some(needed("mine")?.into()),
            _ => {
                return Err(fault(format!(
                    "no setting is called `{key}`; {}",
                    did_you_mean(key, SETTINGS)
                )));
            }
        }
        Ok(())
    }

    /// How the report names it.
    pub fn label(&self) -> String {
        self.label.clone().unwrap_or_else(|| self.to_string())
    }

    /// The configuration that `ftl` takes, on this array.
    ///
    /// # Errors
    /// An unknown preset, or a share that leaves no page to the host or none to the collector.
    pub fn to_config(&self, geometry: &Geometry, seed: u64) -> Result<SchemeConfig, ConfigError> {
        let preset = registry::by_name(&self.name).map_err(|_| self.unknown())?;
        let logical_pages = match self.logical_share {
            None => None,
            Some(share) if share > 0.0 && share < 1.0 => {
                let pages = (f64::from(geometry.pages()) * share).floor() as u32;
                if pages == 0 {
                    return Err(self.fault(
                        "logical_share",
                        &format!(
                            "{share} of {} pages is no page; use a larger share or a larger device",
                            geometry.pages()
                        ),
                    ));
                }
                Some(pages)
            }
            Some(share) => {
                return Err(self.fault("logical_share", &format!(
                    "must be above 0 and below 1 (1 would leave nothing to collect into), not {share}"
                )));
            }
        };
        Ok(SchemeConfig {
            victim: self.victim.map(|victim| victim.0),
            logical_pages,
            idle_collection: self.idle_collection,
            spare_blocks: self.spare_blocks,
            seed,
            ..SchemeConfig::preset(preset)
        })
    }

    fn unknown(&self) -> ConfigError {
        let names = registry::REGISTRY.iter().map(|preset| preset.name);
        ConfigError::Unknown {
            what: "scheme",
            name: self.name.clone(),
            hint: format!(
                "{} (`ftlkit list schemes` shows them all)",
                did_you_mean(&self.name, names)
            ),
        }
    }

    pub(super) fn fault(&self, setting: &str, reason: &str) -> ConfigError {
        ConfigError::Setting {
            setting: format!("scheme `{}`: {setting}", self.label()),
            reason: reason.into(),
        }
    }
}

impl fmt::Display for SchemeTable {
    /// The compact text, label apart.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(victim) = self.victim {
            write!(f, "+victim={victim}")?;
        }
        if let Some(share) = self.logical_share {
            write!(f, "+share={share}")?;
        }
        if self.idle_collection {
            f.write_str("+idle")?;
        }
        if self.spare_blocks > 0 {
            write!(f, "+spare={}", self.spare_blocks)?;
        }
        Ok(())
    }
}

impl Text for SchemeTable {
    type Error = ConfigError;

    fn from_text(text: &str) -> Result<Self, ConfigError> {
        text.parse()
    }

    fn text(&self) -> Option<String> {
        self.label.is_none().then(|| self.to_string())
    }
}

/// Victim selection with its notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Victim(pub VictimKind);

/// Most blocks that `choices:D` may draw.
const MOST_CHOICES: u8 = 64;

impl FromStr for Victim {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let kind = match text {
            "greedy" => VictimKind::Greedy,
            "fifo" => VictimKind::Fifo,
            "random" => VictimKind::Random,
            _ => match text.strip_prefix("choices:").map(str::parse) {
                Some(Ok(d @ 1..=MOST_CHOICES)) => VictimKind::Choices(d),
                Some(_) => {
                    return Err(format!("`{text}`: D of `choices:D` is 1 to {MOST_CHOICES}"));
                }
                None => {
                    let known = ["greedy", "fifo", "random", "choices:4"];
                    return Err(format!(
                        "no victim selection is called `{text}`; {}",
                        did_you_mean(text, known)
                    ));
                }
            },
        };
        Ok(Self(kind))
    }
}

impl fmt::Display for Victim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            VictimKind::Greedy => f.write_str("greedy"),
            VictimKind::Fifo => f.write_str("fifo"),
            VictimKind::Random => f.write_str("random"),
            VictimKind::Choices(d) => write!(f, "choices:{d}"),
        }
    }
}

impl Serialize for Victim {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Victim {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A [`SchemeTable`] in either notation.
pub type SchemeChoice = TextOrTable<SchemeTable>;

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> SchemeTable {
        text.parse().unwrap()
    }

    #[test]
    fn compact_text_round_trips() {
        for text in [
            "page-level",
            "lazy-rtgc+victim=fifo+share=0.8+idle",
            "fsr+victim=choices:4+spare=3",
            "fsr+victim=random",
        ] {
            assert_eq!(parse(text).to_string(), text);
        }
        assert_eq!(parse("fsr+share=0.5+label=half").label(), "half");
        assert_eq!(parse("fsr+idle=true").label(), "fsr+idle");
        assert_eq!(parse("fsr+idle=false").label(), "fsr");
    }

    #[test]
    fn faults_name_the_setting_and_what_is_right() {
        for (text, said) in [
            ("fsr+victm=fifo", "did you mean `victim`?"),
            ("fsr+victim=lifo", "did you mean `fifo`?"),
            ("fsr+victim", "as in `victim=fifo`"),
            ("fsr+victim=choices:0", "1 to 64"),
            ("fsr+share=much", "such as 0.8"),
            ("fsr+spare=-1", "a count of blocks"),
            ("fsr+idle=maybe", "`true` or `false`"),
            ("fsr+share=0.5+share=0.6", "share is set twice"),
            ("fsr+idle+idle_collection=false", "idle is set twice"),
            ("+idle", "no name before `+`"),
        ] {
            let error = text.parse::<SchemeTable>().unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
        let geometry = Geometry::new(64, 64, 2048).unwrap();
        for (text, said) in [
            ("fsr+share=1", "below 1"),
            ("fsr+share=0", "above 0"),
            ("fsr+share=-0.5", "above 0"),
            ("fsr+share=nan", "above 0"),
            ("fsr+share=0.0001", "larger share"),
            ("lazyrtgc", "did you mean `lazy-rtgc`?"),
            ("", "page-level"),
        ] {
            let error = parse(text).to_config(&geometry, 1).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn share_becomes_pages() {
        let geometry = Geometry::new(64, 64, 2048).unwrap();
        let config = parse("fsr+share=0.75+idle+spare=2").to_config(&geometry, 7).unwrap();
        assert_eq!(config.logical_pages, Some(3072));
        assert!(config.idle_collection);
        assert_eq!((config.spare_blocks, config.seed), (2, 7));
    }
}
