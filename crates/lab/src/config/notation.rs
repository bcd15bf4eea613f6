//! Text notation of the values of scheme settings: `fifo`, `slru`, `80%`.

use crate::catalogue::{self, Listed};
use flash::{CopyPath, WearRule};
use ftl::{
    AgeClock, BufferPolicy, BufferUnit, CleanUnits, CmtEviction, CmtPolicy, CollectionRam, Enqueue,
    FrontierSharing, PolicyKind, PolicyNumber, Probability, Regions, RftlTrigger, SlcSize,
    WhenFull, WriteQueue, placement::PlacementPolicy,
};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::iter::repeat;
use std::marker::PhantomData;
use std::str::FromStr;
use workload::{nearest::did_you_mean, quantity::decimal};

/// A value that is written as a word.
pub trait Notation: Sized {
    /// Parses the word.
    ///
    /// # Errors
    /// The fault and the valid words.
    fn read(word: &str) -> Result<Self, String>;

    /// Writes the word that [`Notation::read`] parses.
    ///
    /// # Errors
    /// The formatter's error.
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// The words, for help; empty if the setting's own help names them.
    fn values() -> String {
        String::new()
    }
}

/// A value in its [`Notation`], used in the compact text and in TOML.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word<T>(pub T);

impl<T: Notation> FromStr for Word<T> {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        T::read(word).map(Self)
    }
}

impl<T: Notation> fmt::Display for Word<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f)
    }
}

impl<T: Notation> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, T: Notation> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read<T>(PhantomData<T>);
        impl<T: Notation> Visitor<'_> for Read<T> {
            type Value = Word<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a word")
            }
            fn visit_str<E: de::Error>(self, word: &str) -> Result<Self::Value, E> {
                word.parse().map_err(E::custom)
            }
            // A share in percent may be a bare number.
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
                self.visit_str(&number.to_string())
            }
        }
        deserializer.deserialize_any(Read(PhantomData))
    }
}

/// The value of this name.
pub(super) fn named<T: Copy>(
    what: &str,
    word: &str,
    known: &[(&'static str, T)],
) -> Result<T, String> {
    known.iter().find(|(name, _)| *name == word).map(|(_, value)| *value).ok_or_else(|| {
        let names = known.iter().map(|(name, _)| *name);
        format!("no {what} is called `{word}`; {}", did_you_mean(word, names))
    })
}

/// Implements [`Notation`] for an enum of plain words.
macro_rules! words {
    ($($choice:ty, $what:literal: $($word:literal = $value:ident),*;)*) => {$(
        impl Notation for $choice {
            fn read(word: &str) -> Result<Self, String> {
                named($what, word, &[$(($word, Self::$value)),*])
            }

            fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$value => $word,)*
                })
            }

            fn values() -> String {
                enumerated([$($word.into()),*].into_iter(), "or")
            }
        }
    )*};
}
words! {
    CmtPolicy, "policy of the map cache": "lru" = Lru, "slru" = SegmentedLru;
    CmtEviction, "eviction from the map cache": "clean" = Clean, "page" = Page, "reads" = Reads,
        "mapping" = Mapping;
    WriteQueue, "length of the write queue": "printed" = Printed, "proven" = Proven;
    CollectionRam, "RAM of a collection": "states" = States, "collection" = Collection;
    Enqueue, "time of queueing": "full" = Full, "overflow" = Overflow;
    FrontierSharing, "frontier mode": "split" = Split, "shared" = Shared;
    BufferUnit, "buffer unit": "page" = Page, "block" = Block;
    CleanUnits, "place of clean units": "order" = InOrder, "first" = First;
    AgeClock, "clock of dirty data": "device" = Device, "arrival" = Arrival;
    WhenFull, "way": "direct" = Direct, "fold" = Fold;
}

/// A word, or pages of the buffer block.
impl Notation for RftlTrigger {
    fn read(word: &str) -> Result<Self, String> {
        match word.parse() {
            Ok(pages) => Ok(Self::Pages(pages)),
            Err(_) => {
                named("trigger", word, &[("primary-full", Self::PrimaryFull), ("late", Self::Late)])
            }
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PrimaryFull => f.write_str("primary-full"),
            Self::Pages(pages) => write!(f, "{pages}"),
            Self::Late => f.write_str("late"),
        }
    }

    fn values() -> String {
        "primary-full, late or a count of pages, at least 1".into()
    }
}

/// A policy's name, followed by its numbers, each after a colon.
impl<P: Listed> Notation for PolicyKind<P> {
    fn read(word: &str) -> Result<Self, String> {
        let mut words = word.split(':');
        let name = words.next().unwrap_or_default();
        let known: Vec<_> = P::all().iter().map(|policy| (policy.name(), *policy)).collect();
        let policy = named(P::WHAT, name, &known)?;
        let units = policy.numbers().iter().map(|number| number.unit).chain(repeat(""));
        let number = |(text, unit): (&str, &str)| text.strip_suffix(unit)?.parse().ok();
        let numbers: Option<Vec<u16>> = words.zip(units).map(number).collect();
        let kind = numbers.and_then(|numbers| Self::of(policy, &numbers));
        kind.ok_or_else(|| match policy.numbers() {
            [] => format!("`{word}`: `{name}` takes no number"),
            known => {
                let range = |of: &PolicyNumber| {
                    let PolicyNumber { letter, most, unit, .. } = of;
                    format!("{letter} of `{policy}` is 1{unit} to {most}{unit}")
                };
                format!("`{word}`: {}", known.iter().map(range).collect::<Vec<_>>().join(", "))
            }
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A rule of static wear levelling, or `off`.
impl Notation for Option<WearRule> {
    fn read(word: &str) -> Result<Self, String> {
        if word == "off" { Ok(None) } else { word.parse().map(Some) }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            None => f.write_str("off"),
            Some(rule) => write!(f, "{rule}"),
        }
    }

    fn values() -> String {
        "off, bet:T[:K] or gap:N, T and N at least 1, K from 0 to 16".into()
    }
}

/// A write buffer, or `none`.
impl Notation for Option<&'static BufferPolicy> {
    fn read(word: &str) -> Result<Self, String> {
        let policies = catalogue::buffers().iter().map(|policy| (policy.name, Some(*policy)));
        let known: Vec<_> = [("none", None)].into_iter().chain(policies).collect();
        named("write buffer", word, &known)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.map_or("none", |policy| policy.name))
    }

    fn values() -> String {
        let policies = catalogue::buffers().iter().map(|policy| policy.name.into());
        enumerated(["none".into()].into_iter().chain(policies), "or")
    }
}

impl Notation for CopyPath {
    fn read(word: &str) -> Result<Self, String> {
        named("copy path", word, &Self::ALL.map(|path| (path.name(), path)))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }

    fn values() -> String {
        enumerated(Self::ALL.iter().map(|path| path.name().into()), "or")
    }
}

impl Notation for Regions {
    fn read(word: &str) -> Result<Self, String> {
        if word == "adaptive" {
            return Ok(Self::ADAPTIVE);
        }
        let limits = word.strip_prefix("adaptive:");
        match (limits, percents(limits.unwrap_or(word))) {
            (None, Some([initial, updated])) => Ok(Self::Fixed { initial, updated }),
            (Some(_), Some([least, most])) => Ok(Self::Adaptive { least, most }),
            _ => Err(format!(
                "buffer regions must be `adaptive` or I:U in percent, such as `25%:50%`, or `adaptive:` and the limits \
                 of each, such as `adaptive:5%:10%`, not `{word}`"
            )),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            &Self::ADAPTIVE => f.write_str("adaptive"),
            Self::Adaptive { least, most } => write!(f, "adaptive:{least}%:{most}%"),
            Self::Fixed { initial, updated } => write!(f, "{initial}%:{updated}%"),
        }
    }

    fn values() -> String {
        "adaptive, adaptive:LEAST:MOST or I:U, shares in percent".into()
    }
}

/// Shares in percent with colons between them.
fn percents<const N: usize>(word: &str) -> Option<[u8; N]> {
    let shares = word.split(':').map(|share| Percent::read(share.trim()).map(|share| share.0));
    shares.collect::<Result<Vec<_>, _>>().ok()?.try_into().ok()
}

/// P(U) of the three regions, in whole percent.
impl Notation for [Probability; 3] {
    fn read(word: &str) -> Result<Self, String> {
        let shares = percents::<3>(word);
        let shares = shares
            .map(|shares| shares.map(|share| Probability::thousandths(u16::from(share) * 10)));
        shares.ok_or_else(|| {
            format!("buffer updates must be I:U:E in percent, such as `30%:100%:0%`, not `{word}`")
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [initial, updated, evicted] = self.map(|share| share.in_thousandths() / 10);
        write!(f, "{initial}%:{updated}%:{evicted}%")
    }

    fn values() -> String {
        "I:U:E, in percent".into()
    }
}

impl Notation for Option<SlcSize> {
    fn read(word: &str) -> Result<Self, String> {
        let fault = || {
            format!(
                "an SLC cache is `none`, `dynamic` or a share of the blocks above 0% and below 100%, as in \
                `static:10%`, not `{word}`"
            )
        };
        match word.split_once(':') {
            None if word == "none" => Ok(None),
            None if word == "dynamic" => Ok(Some(SlcSize::Dynamic)),
            Some(("static", share)) => {
                let all = f64::from(SlcSize::ALL_BLOCKS);
                let millionths = decimal(share).map(|share| (share * all).round());
                let within = millionths.filter(|of| (1.0..all).contains(of)).ok_or_else(fault)?;
                Ok(Some(SlcSize::Static(within as u32)))
            }
            _ => Err(fault()),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            None => f.write_str("none"),
            Some(SlcSize::Dynamic) => f.write_str("dynamic"),
            Some(SlcSize::Static(millionths)) => {
                // Exact: a millionth is four decimals of a percent.
                let (whole, rest) = (millionths / 10_000, millionths % 10_000);
                let rest = if rest == 0 { String::new() } else { format!(".{rest:04}") };
                write!(f, "static:{whole}{}%", rest.trim_end_matches('0'))
            }
        }
    }

    fn values() -> String {
        "none, static:SHARE or dynamic, SHARE above 0% and below 100% of the blocks".into()
    }
}

/// A share in whole percent, 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Percent(pub u8);

impl Notation for Percent {
    fn read(word: &str) -> Result<Self, String> {
        match word.strip_suffix('%').unwrap_or(word).trim_end().parse() {
            Ok(percent @ 0..=100) => Ok(Self(percent)),
            _ => Err(format!("expected a share in whole percent, `0%` to `100%`, not `{word}`")),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0)
    }

    fn values() -> String {
        "0% to 100%".into()
    }
}

/// The policies and the ranges of their numbers; numbers with the same range are listed together.
pub(super) fn victim_values() -> String {
    let policies = catalogue::victims().iter();
    let numbers: Vec<_> = policies.clone().flat_map(|policy| policy.numbers).collect();
    let mut ranges: Vec<_> = numbers.iter().map(|number| (number.most, number.unit)).collect();
    ranges.sort_unstable();
    ranges.dedup();
    let range = |(most, unit)| {
        let of_it = numbers.iter().filter(|number| (number.most, number.unit) == (most, unit));
        let mut letters: Vec<String> = of_it.map(|number| number.letter.to_string()).collect();
        letters.dedup();
        let letters = enumerated(letters.into_iter(), "and");
        format!(", {letters} from 1{unit} to {most}{unit}")
    };
    enumerated(policies.map(ToString::to_string), "or")
        + &ranges.into_iter().map(range).collect::<String>()
}

/// The placement policies.
pub(super) fn placement_values() -> String {
    let range = |policy: &&PlacementPolicy| {
        let numbers = policy.numbers.iter();
        let numbers = numbers
            .map(|of| format!(", {} from 1{} to {}{}", of.letter, of.unit, of.most, of.unit));
        format!("{policy}{}", numbers.collect::<String>())
    };
    enumerated(catalogue::placements().iter().map(range), "or")
}

/// `a`, `a or b`, `a, b or c`.
fn enumerated(words: impl Iterator<Item = String>, last: &str) -> String {
    let words: Vec<_> = words.collect();
    match words.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{} {last} {end}", rest.join(", ")),
        _ => words.concat(),
    }
}
