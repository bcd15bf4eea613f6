//! Bit errors of an experiment's array, and the ECC that corrects them.

use super::notation::Notation;
use super::read_retry::seconds;
use flash::faults::{POWER_LAWS, PowerLaw};
use std::fmt;
use workload::nearest::did_you_mean;
use workload::quantity::Duration;

/// Bit errors, the age of the array at the start, and the strength of the ECC. Text: `off`, `8`, `wear:1000000,2000,10`,
/// `tlc-72-layer` or `power:…`; all but the first also with `+ecc=24`, the last three with `+cycles=3000`, the last two
/// with `+age=90d`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BitErrorSettings {
    /// Bit errors of a page.
    pub errors: PageErrors,
    /// Program/erase cycles of every block before the run.
    pub cycles: u32,
    /// Time that data written before the measured part have lain, s.
    pub age_s: u32,
    /// Bits that ECC corrects per 1 KiB, 1 to 512; default: those of the part.
    pub ecc_bits_per_kib: Option<u32>,
}

/// Bit errors of a page when it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageErrors {
    /// None.
    #[default]
    Off,
    /// This number per page of one plane, from its program on.
    ByHand(u32),
    /// A rate, in errors per 10¹² bits, that grows as a page ages.
    Wear {
        /// Rate of a page just programmed in a block never erased.
        base: u64,
        /// Added by each erase of the block.
        per_erase: u64,
        /// Added by each read of the page.
        per_read: u64,
    },
    /// A rate that grows with wear, retention time and reads of the block.
    Law(PowerLaw),
}

impl BitErrorSettings {
    /// True if there are no bit errors.
    pub fn are_off(&self) -> bool {
        self.errors == PageErrors::Off
    }
}

/// Description of the notation, for error messages.
const EXPECTED: &str = "bit errors must be `off`, bit errors per page such as `8`, or \
    `wear:BASE,PER_ERASE,PER_READ` in errors per 10^12 bits such as `wear:1000000,2000,10`, a published fit such as \
    `tlc-72-layer`, or `power:E,A,K,B,M,N,G,P,Q`; `+ecc=BITS` overrides the part's ECC strength per 1 KiB, \
    `+cycles=N` states the wear at the start, `+age=TIME` the retention time of a fit or a power law";

impl Notation for BitErrorSettings {
    fn read(word: &str) -> Result<Self, String> {
        let fault = |reason: &str| format!("`{word}`: {reason}{EXPECTED}");
        let mut parts = word.split('+').map(str::trim);
        let first = parts.next().unwrap_or("");
        let errors = read_errors(first).ok_or_else(|| fault(&unknown(first)))?;
        let mut ecc_bits_per_kib = None;
        let mut age: [Option<u32>; 2] = [None; 2];
        for part in parts {
            if let Some((at, key, value)) =
                ["cycles", "age"].iter().enumerate().find_map(|(at, key)| {
                    Some((at, key, part.strip_prefix(*key)?.trim().strip_prefix('=')?))
                })
            {
                let value = match at {
                    0 => value.trim().replace('_', "").parse().ok(),
                    _ => seconds(value),
                };
                if age[at].is_some() {
                    return Err(fault(&format!("{key} is set twice; ")));
                }
                let needed = ["", ", which has a unit, such as 90d (0 or 1s to 49710d)"][at];
                let wrong = || fault(&format!("`{part}` is no {key}{needed}; "));
                age[at] = Some(value.ok_or_else(wrong)?);
                continue;
            }
            let bits = part.strip_prefix("ecc=").and_then(|bits| bits.trim().parse().ok());
            match bits {
                Some(_) if ecc_bits_per_kib.is_some() => return Err(fault("ecc is set twice; ")),
                Some(bits @ 1..=512) => ecc_bits_per_kib = Some(bits),
                Some(_) => return Err(fault("ecc must be 1 to 512 bits; ")),
                None => return Err(fault("")),
            }
        }
        if errors == PageErrors::Off && ecc_bits_per_kib.is_some() {
            return Err(fault("ecc has no effect without bit errors; "));
        }
        let law = matches!(errors, PageErrors::Law(_));
        if age[0].is_some() && !law && !matches!(errors, PageErrors::Wear { .. }) {
            return Err(fault("cycles have no effect on a fixed number of bit errors; "));
        }
        if age[1].is_some() && !law {
            return Err(fault("age has no effect without a fit or a power law; "));
        }
        let [cycles, age_s] = age.map(Option::unwrap_or_default);
        Ok(Self { errors, cycles, age_s, ecc_bits_per_kib })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.errors {
            PageErrors::Off => f.write_str("off")?,
            PageErrors::ByHand(bits) => write!(f, "{bits}")?,
            PageErrors::Wear { base, per_erase, per_read } => {
                write!(f, "wear:{base},{per_erase},{per_read}")?;
            }
            PageErrors::Law(law) => match POWER_LAWS.iter().find(|known| known.law == law) {
                Some(known) => f.write_str(known.name)?,
                None => {
                    let figures = law.figures().map(|figure| figure.to_string());
                    write!(f, "power:{}", figures.join(","))?;
                }
            },
        }
        if self.cycles > 0 {
            write!(f, "+cycles={}", self.cycles)?;
        }
        if self.age_s > 0 {
            write!(f, "+age={}", Duration::new(u64::from(self.age_s) * 1_000_000_000))?;
        }
        match self.ecc_bits_per_kib {
            Some(bits) => write!(f, "+ecc={bits}"),
            None => Ok(()),
        }
    }
}

/// What may have been meant by a text that is none of the kinds.
fn unknown(text: &str) -> String {
    match text.strip_prefix("power:") {
        Some(_) => {
            "a power law has nine figures, coefficients of 0 to 1 and exponents of 0 to 10; ".into()
        }
        None if text.starts_with(|first: char| first.is_ascii_alphabetic()) => {
            let names = POWER_LAWS.iter().map(|law| law.name).chain(["off", "wear:", "power:"]);
            format!("{}; ", did_you_mean(text, names))
        }
        None => String::new(),
    }
}

fn read_errors(text: &str) -> Option<PageErrors> {
    let number = |text: &str| text.trim().replace('_', "").parse::<u64>().ok();
    if text == "off" {
        return Some(PageErrors::Off);
    }
    if let Some(known) = POWER_LAWS.iter().find(|known| known.name == text) {
        return Some(PageErrors::Law(known.law));
    }
    if let Some(figures) = text.strip_prefix("power:") {
        let figures: Option<Vec<f64>> = figures.split(',').map(|f| f.trim().parse().ok()).collect();
        let law = PowerLaw::of(figures?.try_into().ok()?);
        return law.is_valid().then_some(PageErrors::Law(law));
    }
    let Some(rates) = text.strip_prefix("wear:") else {
        // The number 0 means no bit errors.
        return match u32::try_from(number(text)?).ok()? {
            0 => Some(PageErrors::Off),
            bits => Some(PageErrors::ByHand(bits)),
        };
    };
    let mut rates = rates.split(',').map(number);
    let (base, per_erase, per_read) = (rates.next()??, rates.next()??, rates.next()??);
    rates.next().is_none().then_some(PageErrors::Wear { base, per_erase, per_read })
}

#[cfg(test)]
mod tests {
    use super::super::notation::Word;
    use super::*;

    #[test]
    fn notation() {
        for text in [
            "off",
            "8",
            "8+ecc=40",
            "wear:1000000,2000,10",
            "wear:0,0,0+ecc=1",
            "wear:1,2,3+cycles=500",
            "tlc-72-layer+cycles=3000+age=90d+ecc=72",
            "power:0.0001,0.5,2,0,0,0,0,0,0+age=3600s",
        ] {
            assert_eq!(text.parse::<Word<BitErrorSettings>>().unwrap().to_string(), text);
        }
        let read = |text| BitErrorSettings::read(text).unwrap().errors;
        assert_eq!(read("0"), PageErrors::Off);
        assert_eq!(
            read("wear:1_000, 2, 3"),
            PageErrors::Wear { base: 1000, per_erase: 2, per_read: 3 }
        );
        for (text, said) in [
            ("", "`off`"),
            ("many", "bit errors per page such as"),
            ("-3", "bit errors per page such as"),
            ("4294967296", "bit errors per page such as"),
            ("wear:1", "`wear:BASE,PER_ERASE,PER_READ`"),
            ("wear:1,2,3,4", "`wear:BASE,PER_ERASE,PER_READ`"),
            ("8+ecc=0", "ecc must be 1 to 512 bits"),
            ("8+ecc=513", "ecc must be 1 to 512 bits"),
            ("8+ecc=4+ecc=4", "set twice"),
            ("off+ecc=4", "ecc has no effect"),
            ("8+acc=4", "`+ecc=BITS`"),
            ("tlc-72-laye", "did you mean `tlc-72-layer`?"),
            ("power:1,2,3", "nine figures"),
            ("power:2,0,0,0,0,0,0,0,0", "coefficients of 0 to 1"),
            ("power:nan,0,0,0,0,0,0,0,0", "coefficients of 0 to 1"),
            ("8+cycles=3", "no effect on a fixed number"),
            ("wear:1,2,3+age=1d", "no effect without a fit"),
            ("tlc-72-layer+age=old", "is no age"),
            ("tlc-72-layer+age=90", "`age=90` is no age, which has a unit, such as 90d"),
            ("tlc-72-layer+age=20ms", "is no age"),
            ("tlc-72-layer+cycles=-1", "is no cycles"),
            ("tlc-72-layer+age=1d+age=1d", "age is set twice"),
        ] {
            let error = BitErrorSettings::read(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
