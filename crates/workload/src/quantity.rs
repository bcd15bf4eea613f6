//! Quantities with units: `32GiB`, `4KiB`, `500us`. Integers stay exact.

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

/// Number of bytes.
///
/// Text accepts `KiB`, `MiB`, … and `k`, `M`, … (as in fio), powers of 1024, and `KB`, `MB`, …, powers of 1000, all in any
/// case. A bare integer is bytes.
pub type Bytes = Quantity<ByteUnits>;

/// Time. Text accepts `ns`, `us`, `ms`, `s`, `min`, `h`, `d`; a bare integer is nanoseconds.
pub type Duration = Quantity<TimeUnits>;

/// Number of things. Text accepts `1M` and `20k` (powers of 1000), `1e6`, and `_` between digits.
pub type Count = Quantity<CountUnits>;

/// An exact count of a unit, with its usual notation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantity<U>(pub u64, PhantomData<U>);

/// Notation of one kind of quantity.
pub trait Units {
    /// Name of the quantity in errors.
    const WHAT: &'static str;
    /// A valid example.
    const EXAMPLE: &'static str;
    /// List of the units.
    const KNOWN: &'static str;
    /// Suffixes in lower case with their factors; the empty suffix is the base unit.
    const SUFFIXES: &'static [(&'static str, u64)];
    /// Suffixes for printing, largest first; the last has factor 1.
    const PRINTED: &'static [(&'static str, u64)];
    /// True if a power of ten may follow the number: `1e6`.
    const EXPONENTS: bool = false;
}

/// Notation of [`Bytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteUnits;

/// Notation of [`Duration`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeUnits;

/// Notation of [`Count`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountUnits;

impl Units for ByteUnits {
    const WHAT: &'static str = "a size";
    const EXAMPLE: &'static str = "`32GiB`, `4KiB`, `512` (bytes)";
    const KNOWN: &'static str = "B, KiB, MiB, GiB and TiB (powers of 1024; k, M, G and T are the same), KB, MB, GB and TB (powers of 1000)";
    const SUFFIXES: &'static [(&'static str, u64)] = &[
        ("", 1),
        ("b", 1),
        ("k", 1 << 10),
        ("kib", 1 << 10),
        ("kb", 1_000),
        ("m", 1 << 20),
        ("mib", 1 << 20),
        ("mb", 1_000_000),
        ("g", 1 << 30),
        ("gib", 1 << 30),
        ("gb", 1_000_000_000),
        ("t", 1 << 40),
        ("tib", 1 << 40),
        ("tb", 1_000_000_000_000),
    ];
    const PRINTED: &'static [(&'static str, u64)] =
        &[("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];
}

impl Units for TimeUnits {
    const WHAT: &'static str = "a time";
    const EXAMPLE: &'static str = "`500us`, `2ms`, `29000ns`";
    const KNOWN: &'static str = "ns, us, ms, s, min, h and d";
    const SUFFIXES: &'static [(&'static str, u64)] = &[
        ("", 1),
        ("ns", 1),
        ("us", 1_000),
        ("µs", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("min", 60_000_000_000),
        ("h", 3_600_000_000_000),
        ("d", 86_400_000_000_000),
    ];
    const PRINTED: &'static [(&'static str, u64)] = &[
        ("d", 86_400_000_000_000),
        ("s", 1_000_000_000),
        ("ms", 1_000_000),
        ("us", 1_000),
        ("ns", 1),
    ];
}

impl Units for CountUnits {
    const WHAT: &'static str = "a whole number from 0 to 18446744073709551615";
    const EXAMPLE: &'static str = "`200000`, `200k`, `1.5M`, `1e6`";
    const KNOWN: &'static str = "k, M and G (powers of 1000)";
    const SUFFIXES: &'static [(&'static str, u64)] =
        &[("", 1), ("k", 1_000), ("m", 1_000_000), ("g", 1_000_000_000)];
    const PRINTED: &'static [(&'static str, u64)] = &[("", 1)];
    const EXPONENTS: bool = true;
}

/// A decimal number, or a share of one in per cent: `0.99`, `99%` or `1e-3`.
pub fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse().ok().map(|percent: f64| percent / 100.0),
        None => text.parse().ok(),
    }
}

/// A share of one: `0.8` or `80%`. One above 1, such as a ratio, is in per cent: a bare `7` is hardly ever 700 %.
///
/// # Errors
/// Why it is none, and how it would be right; the caller checks the range.
pub fn share(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let share = decimal(text).filter(|share| share.is_finite());
    let share =
        share.ok_or_else(|| format!("`{text}` is not a share, a number such as 0.8 or 80%"))?;
    if share > 100.0 {
        return Err(format!("`{text}` is more than 100 %: write a share such as 0.8 or 80%"));
    }
    match share > 1.0 && !text.ends_with('%') {
        // Rounded: 7.3 / 100 has seventeen digits.
        true => Err(format!(
            "`{text}` is above 1: write `{text}%` or `{}`",
            (share * 1e8).round() / 1e10
        )),
        false => Ok(share),
    }
}

/// Reads a [`share`] from a file, in which it is a number or a text.
///
/// # Errors
/// As [`share`].
pub fn read_share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a share such as 0.8 or \"80%\"")]
    enum Share {
        Number(f64),
        Text(String),
    }
    let text = match Share::deserialize(deserializer)? {
        Share::Number(number) => number.to_string(),
        Share::Text(text) => text,
    };
    share(&text).map_err(de::Error::custom)
}

/// Reason why a text is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not {what}: {reason}; write it like {example}")]
pub struct QuantityError {
    found: String,
    what: &'static str,
    reason: String,
    example: &'static str,
}

impl<U> Quantity<U> {
    /// A quantity of `count` base units.
    pub const fn new(count: u64) -> Self {
        Self(count, PhantomData)
    }
}

impl<U: Units> Quantity<U> {
    /// Rounds down to whole units, for messages; the result is at most a thousandth smaller.
    #[must_use]
    pub fn rounded_down(self) -> Self {
        let unit = U::PRINTED.iter().find(|(_, factor)| self.0 / factor >= 1000);
        Self::new(unit.map_or(self.0, |(_, factor)| self.0 / factor * factor))
    }
}

impl<U: Units> FromStr for Quantity<U> {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let error = |reason: String| QuantityError {
            found: text.chars().take(40).collect(),
            what: U::WHAT,
            reason,
            example: U::EXAMPLE,
        };
        let trimmed = text.trim();
        let digits = trimmed
            .find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_')
            .unwrap_or(trimmed.len());
        let (number, suffix) = trimmed.split_at(digits);
        let suffix = suffix.trim().to_lowercase();
        let factor =
            U::SUFFIXES.iter().find(|(name, _)| *name == suffix).map(|(_, factor)| *factor);
        let power = suffix.strip_prefix('e').filter(|_| U::EXPONENTS);
        let power = power.map(|power| power.trim_start_matches('+'));
        let power = power.filter(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
        let factor = factor.or_else(|| 10u64.checked_pow(power?.parse().ok()?));
        if trimmed.starts_with('-') {
            return Err(error("it is below 0".into()));
        }
        if number.is_empty() {
            return Err(error("it does not begin with a number".into()));
        }
        let factor = factor.ok_or_else(|| match power {
            Some(_) => error("it is too large".into()),
            None => error(format!("there is no unit `{suffix}`; the units are {}", U::KNOWN)),
        })?;
        scaled(&number.replace('_', ""), factor)
            .map(Self::new)
            .map_err(|reason| error(reason.into()))
    }
}

/// `number` (digits, optional decimal point) × `factor`, exact.
fn scaled(number: &str, factor: u64) -> Result<u64, &'static str> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = fraction.trim_end_matches('0');
    if whole.is_empty() || !(whole.to_owned() + fraction).bytes().all(|b| b.is_ascii_digit()) {
        return Err("it is not a decimal number");
    }
    let too_large = "it is too large";
    let scale = u32::try_from(fraction.len()).ok().and_then(|places| 10u128.checked_pow(places));
    let scale = scale.ok_or("it has too many decimals")?;
    let digits: u128 = (whole.to_owned() + fraction).parse().map_err(|_| too_large)?;
    let product = digits.checked_mul(factor.into()).ok_or(too_large)?;
    if product % scale != 0 {
        return Err("it is not a whole number of the base unit");
    }
    u64::try_from(product / scale).map_err(|_| too_large)
}

impl<U: Units> fmt::Display for Quantity<U> {
    /// Prints the exact value in the largest unit that divides it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit =
            U::PRINTED.iter().find(|(_, factor)| self.0 != 0 && self.0.is_multiple_of(*factor));
        let (suffix, factor) = unit.or(U::PRINTED.last()).copied().unwrap_or(("", 1));
        write!(f, "{}{suffix}", self.0 / factor)
    }
}

impl<U: Units> fmt::Debug for Quantity<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<U: Units> Serialize for Quantity<U> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, U: Units> Deserialize<'de> for Quantity<U> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read<U>(PhantomData<U>);
        impl<U: Units> Visitor<'_> for Read<U> {
            type Value = Quantity<U>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{} such as {}", U::WHAT, U::EXAMPLE)
            }
            fn visit_u64<E: de::Error>(self, count: u64) -> Result<Self::Value, E> {
                Ok(Quantity::new(count))
            }
            fn visit_i64<E: de::Error>(self, count: i64) -> Result<Self::Value, E> {
                u64::try_from(count)
                    .map(Quantity::new)
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(count), &self))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Read(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(text: &str) -> Result<u64, QuantityError> {
        text.parse::<Bytes>().map(|q| q.0)
    }

    #[test]
    fn sizes() {
        for (text, expected) in [
            ("0", 0),
            ("512", 512),
            ("4KiB", 4096),
            ("4k", 4096),
            ("4 KiB", 4096),
            ("4KB", 4000),
            ("1.5 mb", 1_500_000),
            ("4GB", 4_000_000_000),
            ("2TB", 2_000_000_000_000),
            ("3m", 3 << 20),
            ("5G", 5 << 30),
            ("1t", 1 << 40),
            ("1.5GiB", 3 << 29),
            ("32GiB", 32 << 30),
            ("1_000B", 1000),
            ("2TiB", 2 << 40),
        ] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in
            ["", "GiB", "-1", "4XiB", "0.3B", "1.2.3K", "99999999999999999999", "20000000TiB"]
        {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn counts() {
        let count = |text: &str| text.parse::<Count>().map(|q| q.0);
        for (text, expected) in [
            ("7", 7),
            ("1e6", 1_000_000),
            ("1.5E3", 1500),
            ("1e+3", 1000),
            ("200k", 200_000),
            ("1.5M", 1_500_000),
            ("2G", 2_000_000_000),
            ("1_000", 1000),
        ] {
            assert_eq!(count(text), Ok(expected), "{text}");
        }
        for text in ["", "M", "-1", "1.5", "1e-3", "1e30", "1MiB", "e6", "1e1.5"] {
            assert!(count(text).is_err(), "{text}");
        }
        for text in ["1e30", "1e99999999999"] {
            let told = text.parse::<Count>().unwrap_err().to_string();
            assert!(told.contains("it is too large"), "{told}");
        }
        assert_eq!(Count::new(1_000_000).to_string(), "1000000");
        assert!("1e6".parse::<Bytes>().is_err());
    }

    #[test]
    fn units_are_told() {
        let error = bytes("1EiB").unwrap_err().to_string();
        assert!(error.contains("no unit `eib`; the units are B, KiB, MiB, GiB and TiB"), "{error}");
        assert!(bytes("-5").unwrap_err().to_string().contains("below 0"));
        let round = |count| Bytes::new(count).rounded_down().to_string();
        assert_eq!([round(5), round(1025), round((8 << 40) - 1)], ["5B", "1025B", "8191GiB"]);
    }

    #[test]
    fn a_share_above_1_is_in_per_cent() {
        for (text, expected) in
            [("0.8", 0.8), ("80%", 0.8), ("80 %", 0.8), ("1", 1.0), ("150%", 1.5), ("0", 0.0)]
        {
            assert_eq!(share(text), Ok(expected), "{text}");
        }
        for (text, said) in [
            ("7", "`7` is above 1: write `7%` or `0.07`"),
            ("80", "write `80%` or `0.8`"),
            ("7.3", "write `7.3%` or `0.073`"),
            ("101", "`101` is more than 100 %: write a share such as 0.8 or 80%"),
            ("inf", "not a share"),
            ("x", "`x` is not a share, a number such as 0.8 or 80%"),
        ] {
            let told = share(text).unwrap_err();
            assert!(told.contains(said), "{told}");
        }
    }

    #[test]
    fn times() {
        let ns = |text: &str| text.parse::<Duration>().map(|q| q.0);
        assert_eq!(ns("220.9us"), Ok(220_900));
        assert_eq!(ns("29µs"), Ok(29_000));
        assert_eq!(ns("2ms"), Ok(2_000_000));
        assert_eq!(Duration::new(220_900).to_string(), "220900ns");
        assert!(ns("3 fortnights").is_err());
    }

    proptest! {
        #[test]
        fn printed_is_read_back(count: u64) {
            prop_assert_eq!(Bytes::new(count).to_string().parse::<Bytes>().unwrap(), Bytes::new(count));
            prop_assert_eq!(Duration::new(count).to_string().parse::<Duration>().unwrap(), Duration::new(count));
        }

        #[test]
        fn any_text_is_a_number_or_an_error(text: String) {
            let _ = bytes(&text);
        }
    }
}
