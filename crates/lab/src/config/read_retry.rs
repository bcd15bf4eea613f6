//! Read retry of an experiment's array: its steps, their times, and the age up to which bounds include them.

use super::notation::Notation;
use flash::Ns;
use flash::faults::{AgeLimit, ReadRetry};
use std::fmt;
use workload::quantity::Duration;

/// Longest decoding, and longest time to set voltages: 100 µs, the longest wait of a bus.
const LONGEST_NS: Ns = 100_000;
/// Most reads of a soft decoding.
const MOST_SOFT_READS: u8 = 64;
/// Most repeated reads of a page.
const MOST_READS: usize = 255;

/// Read retry and decoding times. Text: `off`, `90-210:20`, `90,120+soft=240,3,80us+decode=20us+set=1us` or `none`, which
/// has no step, with `+decode=20us`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadRetrySettings {
    /// Bit errors per 1 KiB, at the default voltages, up to which each step reads a page.
    pub limits: Vec<u16>,
    /// Soft decoding as the last step.
    pub soft: Option<SoftDecoding>,
    /// Hard decoding of each read, ns.
    pub decode_ns: Ns,
    /// Time to set the voltages before each repeated read, ns.
    pub set_ns: Ns,
    /// Wear, age and reads up to which bounds hold; default: bounds include every step.
    pub until: Option<AgeLimit>,
}

/// Decoding with soft information from several reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoftDecoding {
    /// Bit errors per 1 KiB up to which it reads a page.
    pub bits: u16,
    /// Reads that it takes, 1 to 64.
    pub reads: u8,
    /// Decoding after these reads, ns.
    pub decode_ns: Ns,
}

impl ReadRetrySettings {
    /// True if reads are not repeated, and decoding takes no time.
    pub fn are_off(&self) -> bool {
        *self == Self::default()
    }

    /// The steps.
    pub fn steps(&self) -> ReadRetry {
        ReadRetry { limits: self.limits.clone(), soft: self.soft.map(|soft| soft.bits) }
    }
}

/// Description of the notation, for error messages.
const EXPECTED: &str = "a read retry must be `off`, or the bit errors per 1 KiB up to which each step reads a page, rising, \
    such as `90,120,150` or `90-210:20`, or `none`; then `+soft=BITS,READS,TIME`, `+decode=TIME`, `+set=TIME` and \
    `+until=CYCLES,AGE,READS` as wanted";

impl Notation for ReadRetrySettings {
    fn read(word: &str) -> Result<Self, String> {
        let fault = |reason: &str| format!("`{word}`: {reason}{EXPECTED}");
        if word.trim() == "off" {
            return Ok(Self::default());
        }
        let mut parts = word.split('+').map(str::trim);
        let mut read = Self {
            limits: limits(parts.next().unwrap_or("")).map_err(|reason| fault(&reason))?,
            ..Self::default()
        };
        let mut given: Vec<&str> = Vec::new();
        for part in parts {
            let Some((key, value)) = part.split_once('=') else { return Err(fault("")) };
            let key = key.trim();
            if given.contains(&key) {
                return Err(fault(&format!("{key} is set twice; ")));
            }
            given.push(key);
            match key {
                "decode" => read.decode_ns = time(value).map_err(|reason| fault(&reason))?,
                "set" => read.set_ns = time(value).map_err(|reason| fault(&reason))?,
                "soft" => read.soft = Some(soft(value).map_err(|reason| fault(&reason))?),
                "until" => read.until = Some(until(value).ok_or_else(|| fault(""))?),
                _ => return Err(fault("")),
            }
        }
        let reads = read.limits.len() + read.soft.map_or(0, |soft| soft.reads.into());
        if reads > MOST_READS {
            return Err(fault(&format!("{reads} repeated reads are more than {MOST_READS}; ")));
        }
        if read.limits.is_empty() && read.soft.is_none() {
            if read.set_ns > 0 || read.until.is_some() {
                return Err(fault("set and until have no effect without steps; "));
            }
            if read.decode_ns == 0 {
                return Err(fault("`none` needs `+decode=TIME` or `+soft=…`; "));
            }
        }
        Ok(read)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.are_off() {
            return f.write_str("off");
        }
        match &self.limits[..] {
            [] => f.write_str("none")?,
            limits => {
                let texts: Vec<String> = limits.iter().map(u16::to_string).collect();
                f.write_str(&texts.join(","))?;
            }
        }
        if let Some(SoftDecoding { bits, reads, decode_ns }) = self.soft {
            write!(f, "+soft={bits},{reads},{}", Duration::new(decode_ns))?;
        }
        for (key, ns) in [("decode", self.decode_ns), ("set", self.set_ns)] {
            if ns > 0 {
                write!(f, "+{key}={}", Duration::new(ns))?;
            }
        }
        match self.until {
            None => Ok(()),
            Some(AgeLimit { cycles, age_s, reads }) => {
                let age = Duration::new(u64::from(age_s) * 1_000_000_000);
                write!(f, "+until={cycles},{age},{reads}")
            }
        }
    }
}

/// The limits of the steps: a list, `from-to:step`, or `none`.
fn limits(text: &str) -> Result<Vec<u16>, String> {
    if text == "none" {
        return Ok(Vec::new());
    }
    let number = |text: &str| text.trim().parse::<u16>().ok();
    let range = text.split_once('-').map(|(from, rest)| {
        let (to, step) = rest.split_once(':')?;
        Some((number(from)?, number(to)?, number(step).filter(|step| *step > 0)?))
    });
    let limits: Vec<u16> = match range {
        Some(None) => return Err(String::new()),
        Some(Some((from, to, step))) => (from..=to).step_by(step.into()).collect(),
        None => text.split(',').map(number).collect::<Option<_>>().ok_or_else(String::new)?,
    };
    let most = ReadRetry::MOST_BITS;
    let rise = limits.windows(2).all(|pair| pair[0] < pair[1]);
    match limits.last() {
        None => Err("the range is empty; ".into()),
        Some(last) if *last > most => Err(format!("{last} is more than {most} bits; ")),
        Some(_) if !rise => Err("each step must read more than the one before it; ".into()),
        Some(_) => Ok(limits),
    }
}

fn time(text: &str) -> Result<Ns, String> {
    match text.trim().parse::<Duration>() {
        Ok(time) if time.0 <= LONGEST_NS => Ok(time.0),
        Ok(time) => Err(format!("{time} is more than {}; ", Duration::new(LONGEST_NS))),
        Err(error) => Err(format!("{error}; ")),
    }
}

fn soft(text: &str) -> Result<SoftDecoding, String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let [bits, reads, decode] = parts[..] else { return Err(String::new()) };
    let decode_ns = time(decode)?;
    let bits = bits.parse().ok().filter(|bits| (1..=ReadRetry::MOST_BITS).contains(bits));
    let reads = reads.parse().ok().filter(|reads| (1..=MOST_SOFT_READS).contains(reads));
    match (bits, reads) {
        (Some(bits), Some(reads)) => Ok(SoftDecoding { bits, reads, decode_ns }),
        _ => Err("soft decoding takes 1 to 512 bits and 1 to 64 reads; ".into()),
    }
}

fn until(text: &str) -> Option<AgeLimit> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let [cycles, age, reads] = parts[..] else { return None };
    Some(AgeLimit {
        cycles: cycles.replace('_', "").parse().ok()?,
        age_s: seconds(age)?,
        reads: reads.replace('_', "").parse().ok()?,
    })
}

/// Whole seconds of a time, up to 136 years. `None` for less than one, as for a number without a unit, but 0.
pub(super) fn seconds(text: &str) -> Option<u32> {
    let ns = text.trim().parse::<Duration>().ok()?.0;
    u32::try_from(ns / 1_000_000_000).ok().filter(|seconds| *seconds > 0 || ns == 0)
}

#[cfg(test)]
mod tests {
    use super::super::notation::Word;
    use super::*;

    #[test]
    fn notation() {
        for (text, written) in [
            ("off", "off"),
            ("90,120", "90,120"),
            ("90-150:30", "90,120,150"),
            ("none+decode=20us", "none+decode=20us"),
            ("none+soft=99,2,1us", "none+soft=99,2,1us"),
            (
                "80+set=1us+decode=5us+soft=100,3,70us+until=3_000,365d,10000",
                "80+soft=100,3,70us+decode=5us+set=1us+until=3000,365d,10000",
            ),
        ] {
            let read = text.parse::<Word<ReadRetrySettings>>().unwrap();
            assert_eq!(read.to_string(), written);
            assert_eq!(written.parse::<Word<ReadRetrySettings>>().unwrap(), read);
        }
    }

    #[test]
    fn faults_are_told() {
        for (text, said) in [
            ("", "a read retry must be `off`"),
            ("90,80", "must read more"),
            ("90,90", "must read more"),
            ("90-80:10", "the range is empty"),
            ("90-200:0", "`90-210:20`"),
            ("500,600", "600 is more than 512 bits"),
            ("90+decode=1ms", "1ms is more than 100us"),
            ("90+decode=fast", "is not a time"),
            ("90+soft=100", "`+soft=BITS,READS,TIME`"),
            ("90+soft=100,65,1us", "1 to 64 reads"),
            ("90+soft=600,2,1us", "1 to 512 bits"),
            ("90+until=3000,1d", "`+until=CYCLES,AGE,READS`"),
            ("90+set=1us+set=1us", "set is set twice"),
            ("90+steps=3", "`+set=TIME`"),
            ("none", "needs `+decode=TIME`"),
            ("none+decode=1us+set=1us", "no effect without steps"),
            ("1-250:1+soft=300,9,1us", "259 repeated reads"),
        ] {
            let error = ReadRetrySettings::read(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
