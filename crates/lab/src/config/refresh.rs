//! Refresh and read reclaim of an experiment: from which age, bit errors and reads on pages are moved.

use super::notation::Notation;
use super::read_retry::seconds;
use flash::faults::ReadRetry;
use std::fmt;
use workload::quantity::{Count, Duration};

/// Limits of data from which on they are rewritten. Text: `off`, `age=30d`, `errors=60` or `age=30d+errors=60`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefreshSettings {
    /// Time since the program of a block's first page, s.
    pub age_s: Option<u32>,
    /// Bit errors per 1 KiB that a read finds.
    pub bits_per_kib: Option<u32>,
}

/// Description of the notation, for error messages.
const EXPECTED: &str = "a refresh must be `off`, `age=TIME` of 1 s or more, such as `age=30d`, `errors=BITS` per 1 KiB, such as \
    `errors=60`, or both, such as `age=30d+errors=60`";

impl Notation for RefreshSettings {
    fn read(word: &str) -> Result<Self, String> {
        let fault = |reason: &str| format!("`{word}`: {reason}{EXPECTED}");
        let mut read = Self::default();
        if word.trim() == "off" {
            return Ok(read);
        }
        for part in word.split('+') {
            let (key, value_text) = part.split_once('=').ok_or_else(|| fault(""))?;
            let (value, place) = match key.trim() {
                "age" => (seconds(value_text).filter(|age| *age > 0), &mut read.age_s),
                "errors" => {
                    let bits = value_text.trim().parse().ok();
                    let most = u32::from(ReadRetry::MOST_BITS);
                    (bits.filter(|bits| (1..=most).contains(bits)), &mut read.bits_per_kib)
                }
                _ => return Err(fault("")),
            };
            if place.is_some() {
                return Err(fault(&format!("{} is set twice; ", key.trim())));
            }
            let most = ReadRetry::MOST_BITS;
            let wrong = match key.trim() {
                "age" => "no age of 1s to 49710d with its unit; ".to_owned(),
                _ => format!("no number of 1 to {most} bit errors; "),
            };
            let fault = || fault(&format!("`{}` is {wrong}", value_text.trim()));
            *place = Some(value.ok_or_else(fault)?);
        }
        Ok(read)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let age = self.age_s.map(|age_s| Duration::new(u64::from(age_s) * 1_000_000_000));
        match (age, self.bits_per_kib) {
            (None, None) => f.write_str("off"),
            (Some(age), None) => write!(f, "age={age}"),
            (None, Some(bits)) => write!(f, "errors={bits}"),
            (Some(age), Some(bits)) => write!(f, "age={age}+errors={bits}"),
        }
    }
}

/// Reads of a block since its erase from which on its pages are moved. Text: `off`, `100000` or `100k`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadReclaim(pub Option<u32>);

impl Notation for ReadReclaim {
    fn read(word: &str) -> Result<Self, String> {
        if word.trim() == "off" {
            return Ok(Self(None));
        }
        let reads = word.trim().parse::<Count>().ok().and_then(|reads| u32::try_from(reads.0).ok());
        match reads {
            Some(reads @ 1..) => Ok(Self(Some(reads))),
            _ => Err(format!(
                "`{word}`: a read reclaim must be `off`, or reads of a block since its erase, 1 to 4294967295, such as `100k`"
            )),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("off"),
            Some(reads) => write!(f, "{reads}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::notation::Word;
    use super::*;

    #[test]
    fn notation() {
        for text in ["off", "age=3600s", "age=30d", "errors=60", "age=30d+errors=60"] {
            assert_eq!(text.parse::<Word<RefreshSettings>>().unwrap().to_string(), text);
        }
        let both = RefreshSettings { age_s: Some(5400), bits_per_kib: Some(8) };
        assert_eq!(RefreshSettings::read("errors = 8 + age = 1.5h"), Ok(both));
        for (text, said) in [
            ("", "`off`"),
            ("30d", "`age=30d`"),
            ("age:30d", "`age=30d`"),
            ("age=old", "`old` is no age of 1s to 49710d with its unit"),
            ("age=0s", "1 s or more"),
            ("age=999ms", "1 s or more"),
            ("age=90", "`90` is no age of 1s"),
            ("errors=0", "`0` is no number of 1 to"),
            ("errors=-3", "`-3` is no number"),
            ("errors=99999", "`99999` is no number of 1 to"),
            ("age=1d+age=2d", "age is set twice"),
            ("age=1d+", "`off`"),
        ] {
            let error = RefreshSettings::read(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
        for (text, again) in [("off", "off"), ("1", "1"), ("100k", "100000")] {
            assert_eq!(text.parse::<Word<ReadReclaim>>().unwrap().to_string(), again);
        }
        for text in ["", "0", "-1", "4294967296", "many"] {
            let error = ReadReclaim::read(text).unwrap_err();
            assert!(error.contains("such as `100k`"), "{text}: {error}");
        }
    }
}
