//! A setting of schemes is declared once, as a field of [`SchemeTable`] with its help and its rules, by `scheme_settings!` in
//! `scheme_table.rs`. From there come the compact text, the TOML table, the configuration of `ftl`, the keys of a sweep,
//! `ftlkit list schemes`, help, and the schemes' pages.

use super::notation::{Notation, Word};
pub use super::scheme_table::SCHEME_SETTINGS;
use super::scheme_table::SchemeTable;
use ftl::Preset;
use std::fmt::Display;
use workload::quantity::{Count, Quantity, Units, decimal};

/// Schemes that have a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Those whose preset names it.
    Named,
    /// All but those with zones, which neither copy pages nor buffer them.
    Unzoned,
    /// All.
    All,
}

/// One setting of a scheme.
pub struct SchemeSetting {
    /// Name in the compact text.
    pub key: &'static str,
    /// Name in a TOML table.
    pub long_key: &'static str,
    /// A valid value; `None` if the name alone sets it.
    pub example: Option<&'static str>,
    /// Values that it accepts.
    pub values: fn() -> String,
    /// One line of help.
    pub doc: &'static str,
    /// Schemes that have it.
    pub of: Of,
    /// True if a bare number is refused: it would be nanoseconds, which users who omit the unit hardly ever mean.
    pub(super) needs_unit: bool,
    /// Parses a value and stores it.
    pub(super) read: fn(&mut SchemeTable, &str, &Self) -> Result<(), String>,
    /// The value if it is set.
    pub(super) text: fn(&SchemeTable) -> Option<String>,
}

/// A field of a scheme's table.
pub(super) trait Value {
    /// The field in a configuration of `ftl`.
    type Plain;

    /// Values that it accepts.
    fn values() -> String;

    fn read(&mut self, text: &str, of: &SchemeSetting) -> Result<(), String>;

    /// The value if it is set.
    fn text(&self) -> Option<String>;

    fn plain(&self) -> Self::Plain;
}

/// Leaves a field out of a table if it is not set.
pub(super) fn is_unset(field: &impl Value) -> bool {
    field.text().is_none()
}

/// A value of a setting that has no value by default.
pub(super) trait Given: Clone + Display {
    type Plain;

    fn values() -> String {
        String::new()
    }

    fn read(text: &str, of: &SchemeSetting) -> Result<Self, String>;

    fn plain(self) -> Self::Plain;
}

impl<T: Given> Value for Option<T> {
    type Plain = Option<T::Plain>;

    fn values() -> String {
        T::values()
    }

    fn read(&mut self, text: &str, of: &SchemeSetting) -> Result<(), String> {
        *self = Some(T::read(text, of)?);
        Ok(())
    }

    fn text(&self) -> Option<String> {
        self.as_ref().map(T::to_string)
    }

    fn plain(&self) -> Self::Plain {
        self.clone().map(T::plain)
    }
}

impl<N: Notation + Clone> Given for Word<N> {
    type Plain = N;

    fn values() -> String {
        N::values()
    }

    fn read(text: &str, _: &SchemeSetting) -> Result<Self, String> {
        text.parse()
    }

    fn plain(self) -> N {
        self.0
    }
}

impl<U: Units + Clone> Given for Quantity<U> {
    type Plain = u64;

    fn values() -> String {
        U::WHAT.into()
    }

    fn read(text: &str, _: &SchemeSetting) -> Result<Self, String> {
        text.parse().map_err(|error: workload::quantity::QuantityError| error.to_string())
    }

    fn plain(self) -> u64 {
        self.0
    }
}

/// Values that are themselves in a configuration, and how they are read.
macro_rules! plain {
    ($($Type:ty, $text:ident, $of:ident => $read:expr, $fault:expr, $values:literal;)*) => {$(
        impl Given for $Type {
            type Plain = Self;

            fn values() -> String {
                $values.into()
            }

            fn read($text: &str, $of: &SchemeSetting) -> Result<Self, String> {
                let read: Option<Self> = $read;
                read.ok_or_else(|| format!("{} {}, not `{}`", $of.key, $fault, $text))
            }

            fn plain(self) -> Self {
                self
            }
        }
    )*};
}
plain! {
    bool, text, of => text.parse().ok(), "is `true` or `false`", "true or false";
    f64, text, of => text.parse().ok(), format!("must be a number such as {}", of.example.unwrap_or_default()), "";
    // What is counted, without the range.
    u32, text, of => text.parse::<Count>().ok().and_then(|count| count.0.try_into().ok()),
        format!("is {}", (of.values)().split(',').next().unwrap_or_default()), "";
    String, text, of => Some(text.into()), "", "";
}

/// Settings that are `false` or 0 by default.
macro_rules! nothing_by_default {
    ($($Type:ty),*) => {$(
        impl Value for $Type {
            type Plain = Self;

            fn values() -> String {
                <Self as Given>::values()
            }

            fn read(&mut self, text: &str, of: &SchemeSetting) -> Result<(), String> {
                *self = Given::read(text, of)?;
                Ok(())
            }

            fn text(&self) -> Option<String> {
                (*self != Self::default()).then(|| self.to_string())
            }

            fn plain(&self) -> Self {
                *self
            }
        }
    )*};
}
nothing_by_default!(bool, u32);

/// Declares a scheme's table and its settings.
///
/// A setting is its help as a doc comment, `key (rules of serde): type => field of SchemeConfig via function`, and in braces
/// whatever of [`SchemeSetting`] differs.
macro_rules! scheme_settings {
    ($(
        $(#[doc = $doc:literal])+
        $field:ident $(($($serde:tt)*))?: $Type:ty $(=> $($to:ident).+ $(via $via:path)?)?,
            { $($rule:ident: $value:expr),* $(,)? }
    )*) => {
        /// One scheme of an experiment.
        ///
        /// In TOML it is a text (`"fsr"`, `"lazy-rtgc+victim=fifo+share=0.8+idle"`) or a table with these fields.
        /// Values of each field: [`SCHEME_SETTINGS`].
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct SchemeTable {
            /// Preset of the registry.
            pub name: String,
            $(
                $(#[doc = $doc])+
                #[serde(default, skip_serializing_if = "is_unset" $(, $($serde)*)?)]
                pub $field: $Type,
            )*
        }

        impl SchemeTable {
            /// Sets what a field of the configuration says as it is.
            pub(super) fn configure(&self, config: &mut SchemeConfig) {
                $($(config.$($to).+ = $($via)?(self.$field.plain());)?)*
            }
        }

        const DECLARED: [SchemeSetting; [$(stringify!($field)),*].len()] = [$(SchemeSetting {
            $($rule: $value,)*
            ..SchemeSetting {
                key: stringify!($field),
                long_key: stringify!($field),
                example: None,
                values: <$Type as Value>::values,
                doc: concat!($($doc),+).trim_ascii(),
                of: Of::Named,
                needs_unit: false,
                read: |scheme, text, of| scheme.$field.read(text, of),
                text: |scheme| scheme.$field.text(),
            }
        }),*];
    };
}
pub(super) use scheme_settings;

/// Key of the other notation of `share`: user pages and their over-provisioning, as data sheets give them.
pub(super) const OVER_PROVISIONING: &str = "op";

/// The share of an over-provisioning ratio, (physical − logical) / logical, in millionths: `28%` is 0.78125.
///
/// # Errors
/// If it is no ratio above 0.
pub(super) fn share_of_op(text: &str) -> Result<f64, String> {
    let ratio = decimal(text).filter(|ratio| *ratio > 0.0 && ratio.is_finite());
    let ratio = ratio.ok_or_else(|| {
        format!(
            "op is (physical - logical) / logical pages, above 0, such as 28% or 0.28, not `{text}`"
        )
    })?;
    Ok((1e6 / (1.0 + ratio)).round() / 1e6)
}

impl SchemeSetting {
    /// True if every scheme has the setting, but for those with zones; otherwise only schemes whose preset names it have it.
    pub fn of_all(&self) -> bool {
        self.of != Of::Named
    }

    /// Sets it.
    ///
    /// # Errors
    /// Why the text is none of its values.
    pub(super) fn set(&self, scheme: &mut SchemeTable, text: &str) -> Result<(), String> {
        if self.needs_unit && text != "0" && text.bytes().all(|byte| byte.is_ascii_digit()) {
            let key = self.key;
            return Err(format!("{key} takes a time with its unit, as `{text}s` or `{text}us`"));
        }
        (self.read)(scheme, text, self)
    }

    /// The setting of this short or long name.
    pub(super) fn by_name(name: &str) -> Option<&'static Self> {
        SCHEME_SETTINGS.iter().find(|setting| setting.key == name || setting.long_key == name)
    }

    /// The settings of a scheme: its own, then those that all schemes have.
    pub fn of(preset: &Preset) -> impl Iterator<Item = &'static Self> {
        let settings = preset.settings;
        let own = SCHEME_SETTINGS.iter().filter(|setting| settings.contains(&setting.key));
        let zoned = preset.is_zoned();
        own.chain(
            SCHEME_SETTINGS.iter().filter(move |setting| {
                setting.of == Of::All || setting.of == Of::Unzoned && !zoned
            }),
        )
    }

    /// Values that the setting accepts for a scheme.
    pub fn values_of(&self, preset: &Preset) -> String {
        let victims = preset.victims.filter(|_| self.key == "victim");
        victims.map_or_else(self.values, String::from)
    }

    /// Notation after a scheme's name: `victim=fifo`, `idle`.
    pub fn usage(&self) -> String {
        match self.example {
            Some(example) => format!("{}={example}", self.key),
            None => self.key.into(),
        }
    }

    /// As [`SchemeSetting::usage`], with a victim policy that this scheme accepts.
    pub fn usage_of(&self, preset: &Preset) -> String {
        let accepted = preset.victims.filter(|_| self.key == "victim").unwrap_or_default();
        match accepted.split([' ', ',']).next_back() {
            Some(last) if !last.is_empty() && !accepted.contains("fifo") => {
                format!("{}={last}", self.key)
            }
            _ => self.usage(),
        }
    }
}

impl std::fmt::Debug for SchemeSetting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SchemeSetting").field("key", &self.key).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use ftl::registry::REGISTRY;
    use ftl::{BUFFER_POLICIES, BufferPolicy, BufferUnit};

    #[test]
    fn every_policy_is_among_the_values() {
        let values = |key| (SchemeSetting::by_name(key).unwrap().values)();
        let victims = values("victim");
        let words: Vec<_> = victims.split([',', ' ']).collect();
        for policy in catalogue::victims() {
            assert!(words.contains(&&*policy.to_string()), "{policy}");
            for number in policy.numbers {
                let most = format!("{}{}", number.most, number.unit);
                assert!(words.contains(&&*most), "{policy}");
            }
        }
        let numbers = ", K and D from 1 to 64, T from 1% to 99%, C, G, U and R from 1% to 100%, B from 1 to 255, M and W from 1 to 65535";
        assert!(victims.ends_with(numbers), "{victims}");
        assert_eq!(values("buffer"), "none, lru, cflru, fab, bplru or three-region");
    }

    /// The help of each buffer setting names exactly the policies that declare the setting.
    #[test]
    fn help_names_the_policies_that_it_is_about() {
        type Is = fn(&BufferPolicy) -> bool;
        let about: [(&str, Is); 5] = [
            ("buffer_unit", |policy| policy.default_unit() == BufferUnit::Page),
            ("buffer_reads", |policy| policy.reads),
            ("buffer_window", |policy| policy.settings.contains(&"buffer_window")),
            ("buffer_regions", |policy| policy.settings.contains(&"buffer_regions")),
            ("buffer_updates", |policy| policy.settings.contains(&"buffer_updates")),
        ];
        for (key, is_it) in about {
            let doc = SchemeSetting::by_name(key).unwrap().doc;
            let words: Vec<_> = doc.split([' ', ',', ':', ';']).collect();
            for policy in BUFFER_POLICIES {
                assert_eq!(words.contains(&policy.name), is_it(policy), "{policy:?}: {doc}");
            }
        }
    }

    /// A scheme accepts a policy if and only if its documented values name it.
    #[test]
    fn a_scheme_takes_the_policies_that_its_values_name() {
        let part = &flash::parts::EVALUATION_SLC;
        let geometry = flash::Geometry::new(256, part.pages_per_block, part.page_bytes).unwrap();
        let setting = SchemeSetting::by_name("victim").unwrap();
        for preset in REGISTRY.iter().filter(|preset| preset.settings.contains(&"victim")) {
            let values = setting.values_of(preset);
            let words: Vec<_> = values.split([',', ' ']).collect();
            for policy in catalogue::victims() {
                // Of percentages a scheme may refuse some.
                let given = [&[][..], &[1], &[3]];
                let given = given.iter().take(if policy.numbers.len() > 1 { 1 } else { 3 });
                for kind in given.filter_map(|numbers| policy.kind(numbers)) {
                    let config = ftl::SchemeConfig {
                        victim: Some(kind),
                        ..ftl::SchemeConfig::preset(preset)
                    };
                    let taken = ftl::registry::plan(&config, part, &geometry, 256).is_ok();
                    let named = words.contains(&&*policy.to_string())
                        || words.contains(&&*kind.to_string());
                    assert_eq!(taken, named, "{kind} of {}: {values}", preset.name);
                }
            }
        }
    }

    #[test]
    fn every_setting_of_a_preset_is_known() {
        for preset in crate::catalogue::schemes() {
            for key in preset.settings {
                let known = SCHEME_SETTINGS.iter().any(|setting| setting.key == *key);
                assert!(known, "`{key}` of `{}`", preset.name);
            }
            let of_all = match preset.is_zoned() {
                true => SCHEME_SETTINGS.iter().filter(|setting| setting.of == Of::All).count(),
                false => SCHEME_SETTINGS.iter().filter(|setting| setting.of_all()).count(),
            };
            assert_eq!(SchemeSetting::of(preset).count(), preset.settings.len() + of_all);
        }
    }

    #[test]
    fn the_table_takes_every_setting_and_the_examples_are_right() {
        let mut table = SchemeTable { name: "any".into(), ..SchemeTable::default() };
        for setting in SCHEME_SETTINGS {
            setting.set(&mut table, setting.example.unwrap_or("true")).unwrap();
        }
        let text = toml::Table::try_from(&table).unwrap();
        let keys: std::collections::BTreeSet<_> = text.keys().map(String::as_str).collect();
        let long = SCHEME_SETTINGS.iter().map(|setting| setting.long_key);
        assert_eq!(keys, long.chain(["name"]).collect());
        assert_eq!(text.try_into(), Ok(table));
    }
}
