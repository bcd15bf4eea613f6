//! A setting of an experiment is declared once, as a field with its help and its rules, by `settings!` in `experiment.rs`.
//! From there come the key of an experiment's file, the option of the command and its help, the axis of a sweep, the setting of a
//! flash image, the check of its range, and the options that repeat an experiment.

use super::error::ConfigError;
use super::notation::{Notation, Word};
use super::precondition_notation::PreconditionChoice;
use super::text_or_table::Text;
use std::fmt::Display;
use std::ops::RangeInclusive;
use workload::quantity::{Count, Duration, Quantity, QuantityError, Units};

/// What settings are about: headings of help, in their order there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// The array.
    Device,
    /// Placement of the host's streams.
    Placement,
    /// What is done before the measured run.
    Precondition,
    /// Devices and bus of a channel, bit errors.
    Channel,
    /// Refresh and read reclaim.
    Refresh,
    /// Channels, the host's queues, the controller.
    Ssd,
    /// Clock and seed.
    Replay,
    /// Deadline of requests.
    Deadline,
}

impl Group {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Device,
        Self::Placement,
        Self::Precondition,
        Self::Channel,
        Self::Refresh,
        Self::Ssd,
        Self::Replay,
        Self::Deadline,
    ];

    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Device => "Device and schemes",
            Self::Placement => "Placement",
            Self::Precondition => "Precondition",
            Self::Channel => "Channel",
            Self::Refresh => "Refresh",
            Self::Ssd => "SSD",
            Self::Replay => "Replay",
            Self::Deadline => "Deadline",
        }
    }
}

/// One setting of an experiment `E`.
pub struct SettingOf<E: 'static> {
    /// Key in an experiment's file, and of a sweep.
    pub key: &'static str,
    /// Option of the command, without dashes; empty: the key, with dashes between words.
    pub(super) option: &'static str,
    /// Placeholder of its value in help.
    pub value: &'static str,
    /// What it is about.
    pub group: Group,
    /// Lines of help.
    pub(super) doc: &'static [&'static str],
    /// Range of a number.
    pub(super) range: Option<RangeInclusive<u32>>,
    /// True if it has no meaning without `channels`.
    pub needs_ssd: bool,
    /// True if it belongs to a device, whose image keeps it.
    pub of_device: bool,
    /// True if a bare number is refused: it would be nanoseconds, which hardly anyone means.
    pub(super) needs_unit: bool,
    /// True if an option of its own form sets it, or several do.
    pub has_own_option: bool,
    pub(super) field: fn(&E) -> &dyn Field,
    pub(super) field_mut: fn(&mut E) -> &mut dyn Field,
}

impl<E> std::fmt::Debug for SettingOf<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setting").field("key", &self.key).finish_non_exhaustive()
    }
}

impl<E> SettingOf<E> {
    /// Option of the command, without dashes.
    pub fn option(&self) -> String {
        if self.option.is_empty() { self.key.replace('_', "-") } else { self.option.to_owned() }
    }

    /// Help: what it does, its values, its default.
    pub fn help(&self) -> String {
        let lines: Vec<&str> = self.doc.iter().map(|line| line.trim()).collect();
        lines.join(" ")
    }

    /// Sets it in an experiment.
    ///
    /// # Errors
    /// Why the text is none of its values; the experiment is as before.
    pub fn read(&self, experiment: &mut E, text: &str) -> Result<(), String> {
        let before = self.text(experiment);
        self.read_any(experiment, text)?;
        let Some(fault) = self.fault(experiment) else { return Ok(()) };
        let field = (self.field_mut)(experiment);
        field.unset();
        before.map_or(Ok(()), |before| field.read(&before))?;
        Err(fault)
    }

    /// As [`SettingOf::read`], of any range: one point of a sweep may be impossible.
    pub(super) fn read_any(&self, experiment: &mut E, text: &str) -> Result<(), String> {
        if self.needs_unit {
            with_unit(text)?;
        }
        let read = (self.field_mut)(experiment).read(text);
        read.map_err(|reason| match &self.range {
            Some(range) => {
                format!("`{text}` is not a whole number from {} to {}", range.start(), range.end())
            }
            None => reason,
        })
    }

    /// The value as [`SettingOf::read`] takes it; `None` if it is not set.
    pub fn text(&self, experiment: &E) -> Option<String> {
        (self.field)(experiment).text()
    }

    /// `--option value`, if it differs from that of another experiment, such as the default one.
    pub fn given(&self, experiment: &E, default: &E) -> Option<String> {
        let text = self.text(experiment).filter(|text| Some(text) != self.text(default).as_ref());
        text.map(|text| format!("--{} {text}", self.option()))
    }

    /// Why the value is none of its range.
    pub(super) fn fault(&self, experiment: &E) -> Option<String> {
        let range = self.range.as_ref()?;
        let number: u32 = self.text(experiment)?.parse().ok()?;
        let found = Some(number).filter(|number| !range.contains(number))?;
        Some(format!("must be {} to {}, not {found}", range.start(), range.end()))
    }
}

/// A time with its unit: a bare number would be nanoseconds, which hardly anyone means.
///
/// # Errors
/// No time, or no unit.
pub fn with_unit(text: &str) -> Result<Duration, String> {
    let is_digit = |b: u8| b.is_ascii_digit() || b == b'.' || b == b'_';
    if !text.is_empty() && text.bytes().all(is_digit) {
        return Err(format!("`{text}` has no unit: write {text}ms, {text}us, {text}ns or {text}s"));
    }
    text.parse::<Duration>().map_err(|error| error.to_string())
}

/// A field of an experiment as a setting.
pub(super) trait Field {
    /// Reads a value; an error leaves the field as it was.
    fn read(&mut self, text: &str) -> Result<(), String>;

    /// The value as [`Field::read`] takes it; `None` if it is not set.
    fn text(&self) -> Option<String>;

    /// Makes it as if it had never been set.
    fn unset(&mut self);
}

/// Leaves a field out of an experiment's file if it is not set.
pub(super) fn is_unset(field: &impl Field) -> bool {
    field.text().is_none()
}

/// Leaves no field out.
pub(super) fn is_never<T>(_field: &T) -> bool {
    false
}

/// A value with one notation, in which it is read and printed.
pub(super) trait Written: Sized + Display {
    /// Reads it.
    fn read(text: &str) -> Result<Self, String>;
}

impl Written for u32 {
    fn read(text: &str) -> Result<Self, String> {
        let count = text.parse::<Count>().map_err(|error| error.to_string())?;
        Self::try_from(count.0).map_err(|_| format!("`{text}` is too large"))
    }
}

impl Written for u64 {
    fn read(text: &str) -> Result<Self, String> {
        text.parse::<Count>().map(|count| count.0).map_err(|error| error.to_string())
    }
}

impl Written for f64 {
    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| "must be a number".to_owned())
    }
}

impl<U: Units> Written for Quantity<U> {
    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error: QuantityError| error.to_string())
    }
}

impl<T: Notation> Written for Word<T> {
    fn read(text: &str) -> Result<Self, String> {
        text.parse()
    }
}

impl<T: Written> Field for Option<T> {
    fn read(&mut self, text: &str) -> Result<(), String> {
        *self = Some(T::read(text)?);
        Ok(())
    }

    fn text(&self) -> Option<String> {
        self.as_ref().map(ToString::to_string)
    }

    fn unset(&mut self) {
        *self = None;
    }
}

/// Numbers that are 1 if nothing is said.
macro_rules! one_by_default {
    ($($Number:ty),*) => {$(
        impl Field for $Number {
            fn read(&mut self, text: &str) -> Result<(), String> {
                *self = Written::read(text)?;
                Ok(())
            }

            fn text(&self) -> Option<String> {
                (*self != Self::from(1u8)).then(|| self.to_string())
            }

            fn unset(&mut self) {
                *self = Self::from(1u8);
            }
        }
    )*};
}
one_by_default!(u32, u64, f64);

impl<T: Notation + Default> Field for Word<T> {
    fn read(&mut self, text: &str) -> Result<(), String> {
        *self = text.parse()?;
        Ok(())
    }

    fn text(&self) -> Option<String> {
        let text = self.to_string();
        (text != Self::default().to_string()).then_some(text)
    }

    fn unset(&mut self) {
        *self = Self::default();
    }
}

impl Field for PreconditionChoice {
    fn read(&mut self, text: &str) -> Result<(), String> {
        *self = text.parse().map_err(|error| match error {
            // The caller names the setting.
            ConfigError::Setting { setting, reason } if setting == "precondition" => reason,
            error => error.to_string(),
        })?;
        Ok(())
    }

    fn text(&self) -> Option<String> {
        self.0.text().filter(|text| Some(text) != Self::default().0.text().as_ref())
    }

    fn unset(&mut self) {
        *self = Self::default();
    }
}

/// Declares an experiment: fields that are no settings, then groups of settings, then more fields.
///
/// A setting is its help as a doc comment, `key: type = default`, and in braces whatever of [`SettingOf`] differs. `"is_unset"`
/// before a group leaves what is not set out of a file; `"is_never"` writes it always.
macro_rules! settings {
    (
        $(#[$of_experiment:meta])*
        $Experiment:ident
        fields { $($(#[$of_first:meta])* $first:ident: $First:ty = $default_first:expr,)* }
        $($skip:literal $group:ident {
            $($(#[doc = $doc:literal])+
            $key:ident $(alias $alias:literal)?: $Type:ty = $default:expr,
                { $($rule:ident: $value:expr),* $(,)? })*
        })*
        fields { $($(#[$of_last:meta])* $last:ident: $Last:ty = $default_last:expr,)* }
    ) => {
        $(#[$of_experiment])*
        pub struct $Experiment {
            $($(#[$of_first])* pub $first: $First,)*
            $($(
                $(#[doc = $doc])+
                #[serde(skip_serializing_if = $skip $(, alias = $alias)?)]
                pub $key: $Type,
            )*)*
            $($(#[$of_last])* pub $last: $Last,)*
        }

        impl Default for $Experiment {
            /// The experiment of `ftlkit compare` without options.
            fn default() -> Self {
                Self {
                    $($first: $default_first,)*
                    $($($key: $default,)*)*
                    $($last: $default_last,)*
                }
            }
        }

        impl SettingOf<$Experiment> {
            /// All settings, as they are declared.
            pub const ALL: &'static [Self] = &[$($(Self {
                $($rule: $value,)*
                ..Self {
                    key: stringify!($key),
                    option: "",
                    value: "",
                    group: Group::$group,
                    doc: &[$($doc),+],
                    range: None,
                    needs_ssd: false,
                    of_device: false,
                    needs_unit: false,
                    has_own_option: false,
                    field: |experiment| &experiment.$key,
                    field_mut: |experiment| &mut experiment.$key,
                }
            }),*),*];
        }
    };
}
pub(super) use settings;

#[cfg(test)]
mod tests {
    use super::super::experiment::{Experiment, Setting};

    /// A range is of whole numbers: a time, whose text has a unit, would never be found outside.
    #[test]
    fn every_range_is_checked() {
        for setting in Setting::ALL.iter().filter(|setting| setting.range.is_some()) {
            let range = setting.range.clone().unwrap();
            let mut experiment = Experiment::default();
            let mut read = |number: u32| setting.read(&mut experiment, &number.to_string());
            assert_eq!(read(*range.end()), Ok(()), "{}", setting.key);
            let beyond = range.end().checked_add(1).map(&mut read);
            assert!(beyond.is_none_or(|beyond| beyond.is_err()), "{}", setting.key);
            assert_eq!(setting.text(&experiment), Some(range.end().to_string()), "{}", setting.key);
        }
    }
}
