//! Schemes of an experiment: a name, a compact text or a table.

use super::channel::CopyChoice;
use super::error::ConfigError;
use super::scheme_settings::SchemeTable;
use super::scheme_settings::{OVER_PROVISIONING, SCHEME_SETTINGS, SchemeSetting, share_of_op};
use super::text_or_table::{Text, TextOrTable};
use crate::catalogue;
use flash::Geometry;
use ftl::{Preset, SchemeConfig};
use std::fmt;
use std::str::FromStr;
use workload::nearest::did_you_mean;

impl FromStr for SchemeTable {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let fault = |reason: String| ConfigError::setting("schemes", format!("`{text}`: {reason}"));
        let mut parts = text.split('+');
        let mut scheme = Self { name: parts.next().unwrap_or("").trim().into(), ..Self::default() };
        if scheme.name.is_empty() && !text.trim().is_empty() {
            return Err(fault("there is no name before `+`".into()));
        }
        let mut set = Vec::new();
        for part in parts {
            let (key, value) = match part.split_once('=') {
                Some((key, value)) => (key.trim(), Some(value.trim())),
                None => (part.trim(), None),
            };
            let setting = scheme.set(key, value).map_err(fault)?;
            if set.contains(&setting) {
                return Err(fault(format!("{setting} is set twice")));
            }
            set.push(setting);
        }
        Ok(scheme)
    }
}

impl SchemeTable {
    /// Sets the setting that the compact text calls `key`; returns the key as that text prints it.
    pub(super) fn set(&mut self, key: &str, value: Option<&str>) -> Result<&'static str, String> {
        if key == OVER_PROVISIONING {
            let share = share_of_op(value.unwrap_or_default())?;
            return self.set("share", Some(&share.to_string()));
        }
        let setting = SchemeSetting::by_name(key).ok_or_else(|| {
            let known = SCHEME_SETTINGS.iter().map(|setting| setting.key);
            format!("no setting is called `{key}`; {}", did_you_mean(key, known))
        })?;
        let value = match (value.filter(|value| !value.is_empty()), setting.example) {
            (Some(value), _) => value,
            (None, None) => "true",
            (None, Some(example)) => {
                return Err(format!("`{key}` takes a value, as in `{key}={example}`"));
            }
        };
        setting.set(self, value)?;
        Ok(setting.key)
    }

    /// Name in the report.
    pub fn label(&self) -> String {
        self.label.clone().unwrap_or_else(|| self.to_string())
    }

    /// Copy settings.
    pub fn copies(&self) -> CopyChoice {
        CopyChoice { path: self.copy.map(|path| path.0), cache_program: self.copy_cache }
    }

    /// Configuration for `ftl` on this array.
    ///
    /// # Errors
    /// An unknown preset, or a share that leaves no page to the host or none to the collector.
    pub fn to_config(&self, geometry: &Geometry, seed: u64) -> Result<SchemeConfig, ConfigError> {
        let preset = self.find_preset()?;
        let logical_pages = match self.logical_share {
            None => None,
            Some(share) if share > 0.0 && share < 1.0 => {
                let pages = (f64::from(geometry.pages()) * share).floor() as u32;
                if pages == 0 {
                    return Err(self.fault(
                        "logical_share",
                        &format!(
                            "{share} of {} pages is less than one page; use a larger share or a larger device",
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
        let mut config = SchemeConfig { logical_pages, seed, ..SchemeConfig::preset(preset) };
        self.configure(&mut config);
        config.alpha_thousandths = match self.alpha {
            None => None,
            Some(alpha) if (0.0..=1000.0).contains(&alpha) => Some((alpha * 1000.0).round() as u32),
            Some(alpha) => {
                return Err(self.fault("alpha", &format!("must be 0 to 1000, not {alpha}")));
            }
        };
        Ok(config)
    }

    /// The preset of this name.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one.
    pub fn find_preset(&self) -> Result<&'static Preset, ConfigError> {
        ftl::registry::among(catalogue::schemes(), &self.name).map_err(|_| self.unknown())
    }

    fn unknown(&self) -> ConfigError {
        let names = catalogue::schemes().iter().map(|preset| preset.name);
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
    /// The compact text, without the label.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for setting in SCHEME_SETTINGS {
            match (setting.text)(self) {
                None => {}
                Some(value) if value == "true" => write!(f, "+{}", setting.key)?,
                Some(value) => {
                    match self.logical_share.filter(|_| setting.key == "share").and_then(op_of) {
                        Some(op) => write!(f, "+{OVER_PROVISIONING}={op}")?,
                        None => write!(f, "+{}={value}", setting.key)?,
                    }
                }
            }
        }
        Ok(())
    }
}

/// The over-provisioning in per cent of a share that was given so: one that has more than four digits itself.
fn op_of(share: f64) -> Option<String> {
    let op = format!("{}%", ((1.0 / share - 1.0) * 1e3).round() / 10.0);
    (share.to_string().len() > 6 && share_of_op(&op) == Ok(share)).then_some(op)
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

/// A [`SchemeTable`] in either notation.
pub type SchemeChoice = TextOrTable<SchemeTable>;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            "fsr+victim=greedy-scan",
            "fsr+victim=greedy-scan:8",
            "page-level+victim=cost-benefit",
            "page-level+victim=two-level-list",
            "2lgc+victim=two-level-list:60%",
            "2lgc+victim=two-level-list:75%:20%:30%",
            "page-level+victim=windowed-greedy:32",
            "dftl+cmt=256KiB+cmt_policy=slru",
            "gftl-threshold+threshold=80%",
            "gftl+queue=printed",
            "nftl+folds=8",
            "fast+log_blocks=64+spare=2",
            "page-level+buffer=lru+buffer_size=1MiB+buffer_unit=block+aware",
            "nftl+buffer=cflru+buffer_age=5s+buffer_time=200ns+buffer_reads=false+buffer_window=40%",
            "ba-gc+buffer_regions=25%:50%+aware=false",
            "ba-gc+alpha=0.5+buffer_clock=arrival+buffer_clean=first+buffer_regions=adaptive:10%:40%+buffer_updates=30%:100%:0%",
            "ba-gc+buffer=none",
            "gftl+buffer=three-region+buffer_regions=adaptive",
            "page-level+copy=dgcb+copy_cache",
            "fast+copy=icb-unchecked+copy_cache=false",
            "page-level+wear=gap:50+dynamic_wear=false",
            "nftl+wear=bet:100:3",
            "fsr+wear=off+dynamic_wear",
            "page-level+slc=static:7.5%+slc_full=fold",
            "fsr+slc=dynamic",
            "fsr+slc=none",
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
            ("fsr+victim=choices:0", "D of `choices:D` is 1 to 64"),
            ("fsr+victim=choices", "D of `choices:D` is 1 to 64"),
            ("fsr+victim=greedy-scan:65", "K of `greedy-scan[:K]` is 1 to 64"),
            ("fsr+victim=windowed-greedy:70000", "W of `windowed-greedy:W` is 1 to 65535"),
            ("2lgc+victim=two-level-list:75", "T of `two-level-list[:T[:C[:G]]]` is 1% to 99%"),
            (
                "2lgc+victim=two-level-list:75%:0%",
                "C of `two-level-list[:T[:C[:G]]]` is 1% to 100%",
            ),
            ("2lgc+victim=two-level-list:75%:5%:10%:1%", "1% to 100%"),
            ("fsr+victim=fifo:2", "`fifo` takes no number"),
            ("fsr+victim=cost-benefits", "did you mean `cost-benefit`?"),
            ("dftl+cmt=much", "`4KiB`"),
            ("dftl+cmt=-1", "below 0"),
            ("dftl+cmt", "as in `cmt=256KiB`"),
            ("dftl+cmt_policy=lfu", "did you mean `lru`?"),
            ("gftl-threshold+threshold=0.8", "`0%` to `100%`"),
            ("gftl-threshold+threshold=101%", "`0%` to `100%`"),
            ("gftl+queue=prined", "did you mean `printed`?"),
            ("dftl+cmt=4KiB+cmt_bytes=8KiB", "cmt is set twice"),
            ("nftl+folds=few", "a count of logical blocks"),
            ("fast+log_blocks=few", "a count of blocks"),
            ("fsr+wear=gap", "bet:T[:K] or gap:N"),
            ("fsr+wear", "as in `wear=gap:50`"),
            ("fsr+dynamic_wear=much", "`true` or `false`"),
            ("fsr+slc=static", "`static:10%`"),
            ("fsr+slc=static:0%", "`static:10%`"),
            ("fsr+slc=static:100%", "`static:10%`"),
            ("fsr+slc=dynamical", "`static:10%`"),
            ("fsr+slc", "as in `slc=static:10%`"),
            ("fsr+slc_full=folds", "did you mean `fold`?"),
            ("fsr+buffer=lur", "did you mean `lru`?"),
            ("fsr+buffer", "as in `buffer=three-region`"),
            ("fsr+buffer=lru+buffer_unit=pages", "did you mean `page`?"),
            ("fsr+buffer=lru+buffer_age=soon", "a time"),
            ("fsr+buffer=lru+buffer_age=30", "as `30s`"),
            ("fsr+buffer=lru+buffer_reads=maybe", "`true` or `false`"),
            ("ba-gc+buffer_regions=25", "`adaptive` or I:U"),
            ("ba-gc+buffer_regions=25%:200%", "`adaptive` or I:U"),
            ("ba-gc+buffer_regions=adaptive:5%", "`adaptive` or I:U"),
            ("ba-gc+buffer_updates=25%:20%", "I:U:E"),
            ("ba-gc+buffer_clock=wall", "`device` and `arrival`"),
            ("ba-gc+alpha=few", "such as 1.125"),
            ("fsr+share=much", "such as 0.8"),
            ("fsr+share=nan", "such as 0.8"),
            ("fsr+copy=dgbc", "did you mean `dgcb`?"),
            ("fsr+copy", "as in `copy=dgcb`"),
            ("fsr+copy_cache=maybe", "`true` or `false`"),
            ("fsr+spare=-1", "a count of blocks"),
            ("fsr+idle=maybe", "`true` or `false`"),
            ("fsr+share=0.5+share=0.6", "share is set twice"),
            ("fsr+share=0.5+op=28%", "share is set twice"),
            ("fsr+op", "such as 28%"),
            ("fsr+op=7", "write `7%` or `0.07`"),
            ("fsr+op=1.5", "write `1.5%` or `0.015`, or `150%`"),
            ("fsr+share=80", "write `80%` or `0.8`"),
            ("fsr+op=0", "above 0"),
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
            ("fsr+share=0.0001", "larger share"),
            ("lazyrtgc", "did you mean `lazy-rtgc`?"),
            ("", "page-level"),
        ] {
            let error = parse(text).to_config(&geometry, 1).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn shares_are_as_people_write_them() {
        for (text, share) in [
            ("fsr+share=80%", 0.8),
            ("fsr+share=87.5 %", 0.875),
            ("fsr+op=28%", 0.78125),
            ("fsr+op=0.07", 0.934_579),
            ("fsr+op=100%", 0.5),
        ] {
            assert_eq!(parse(text).logical_share, Some(share), "{text}");
        }
        // A name in a report is as it was given, where the share has more digits.
        for (text, name) in [
            ("fsr+op=28%", "fsr+op=28%"),
            ("fsr+op=0.07", "fsr+op=7%"),
            ("fsr+op=12.5%", "fsr+op=12.5%"),
            ("fsr+op=25%", "fsr+share=0.8"),
            ("fsr+share=0.875", "fsr+share=0.875"),
            ("fsr+share=0.123456789", "fsr+share=0.123456789"),
        ] {
            assert_eq!(parse(text).to_string(), name);
            assert_eq!(parse(name), parse(text));
        }
        assert_eq!(
            parse("fast+log_blocks=1k+spare=1e1").to_string(),
            "fast+log_blocks=1000+spare=10"
        );
    }

    #[test]
    fn share_becomes_pages() {
        let geometry = Geometry::new(64, 64, 2048).unwrap();
        let config = parse("fsr+share=0.75+idle+spare=2").to_config(&geometry, 7).unwrap();
        assert_eq!(config.logical_pages, Some(3072));
        assert!(config.idle_collection);
        assert_eq!((config.spare_blocks, config.seed), (2, 7));
    }

    #[test]
    fn a_table_takes_words_and_numbers() {
        let table = |text: &str| toml::from_str::<SchemeTable>(text).map_err(|e| e.to_string());
        let text = "name = 'dftl'\ncmt_bytes = 262144\ncmt_policy = 'slru'\nqueue_threshold = 80\n\
                    write_queue = 'proven'";
        let read = table(text).unwrap();
        assert_eq!(read.to_string(), "dftl+cmt=256KiB+cmt_policy=slru+threshold=80%+queue=proven");
        for text in ["share = 0.8", "share = '80%'", "logical_share = 0.8"] {
            assert_eq!(table(&format!("name = 'fsr'\n{text}")).unwrap().logical_share, Some(0.8));
        }
        for (text, said) in [
            ("name = 'dftl'\nshare = 'most'", "such as 0.8"),
            ("name = 'dftl'\ncmt = 3", "cmt"),
            ("name = 'dftl'\ncmt_bytes = -3", "integer `-3`"),
            ("name = 'dftl'\ncmt_policy = 3", "no policy of the map cache is called `3`"),
            ("name = 'dftl'\nqueue_threshold = 0.8", "not `0.8`"),
            ("name = 'dftl'\nwrite_queue = true", "a word"),
        ] {
            let error = table(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    /// Any of the values that each setting takes.
    fn any_scheme() -> impl Strategy<Value = SchemeTable> {
        let of_each = |setting: &SchemeSetting| {
            let words: Vec<String> = (setting.values)()
                .split([',', ' '])
                .chain(setting.example)
                .map(String::from)
                .collect();
            let word = proptest::sample::select(words);
            let number = (any::<u32>(), 0..=100u32, word.clone());
            let number = number.prop_flat_map(|(large, small, word)| {
                let (name, _) = word.split_once([':', '[']).unwrap_or((&word, ""));
                proptest::sample::select(vec![
                    large.to_string(),
                    format!("0.{large}"),
                    format!("{large}ns"),
                    format!("{small}%"),
                    format!("{small}%:{small}%"),
                    format!("{name}:{large}:{}", small % 17),
                    format!("{name}:{small}"),
                    format!("{name}:{small}%"),
                    format!("{name}:{small}%:9%"),
                ])
            });
            proptest::option::of(prop_oneof![word, number])
        };
        let values: Vec<_> = SCHEME_SETTINGS.iter().map(of_each).collect();
        ("[a-z][a-z-]{0,11}", values, proptest::option::of("[a-z +=,]{1,8}")).prop_map(
            |(name, values, label)| {
                let mut scheme = SchemeTable { name, ..SchemeTable::default() };
                for (setting, value) in SCHEME_SETTINGS.iter().zip(values) {
                    // What is none of its values leaves the default.
                    let _ = value.map(|value| setting.set(&mut scheme, &value));
                }
                SchemeTable { label, ..scheme }
            },
        )
    }

    proptest! {
        #[test]
        fn whatever_is_set_is_read_back(scheme in any_scheme()) {
            let unnamed = SchemeTable { label: None, ..scheme.clone() };
            prop_assert_eq!(&parse(&unnamed.label()), &unnamed);
            #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
            struct File {
                scheme: SchemeChoice,
            }
            let file = File { scheme: TextOrTable(scheme) };
            let text = toml::to_string(&file).unwrap();
            prop_assert_eq!(toml::from_str::<File>(&text).unwrap(), file, "{}", text);
        }
    }
}
