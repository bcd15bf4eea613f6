//! Bit errors of an experiment's array, and the ECC that corrects them.

use super::notation::Notation;
use std::fmt;

/// Bit errors, and the strength of the ECC. Text: `off`, `8` or `wear:1000000,2000,10`; the last two also
/// with `+ecc=24`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BitErrorSettings {
    /// Bit errors of a page.
    pub errors: PageErrors,
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
}

impl BitErrorSettings {
    /// True if there are no bit errors.
    pub fn are_off(&self) -> bool {
        self.errors == PageErrors::Off
    }
}

/// Description of the notation, for error messages.
const EXPECTED: &str = "bit errors must be `off`, bit errors per page such as `8`, or \
    `wear:BASE,PER_ERASE,PER_READ` in errors per 10^12 bits such as `wear:1000000,2000,10`; `+ecc=BITS` after \
    the last two overrides the part's ECC strength per 1 KiB";

impl Notation for BitErrorSettings {
    fn read(word: &str) -> Result<Self, String> {
        let fault = |reason: &str| format!("`{word}`: {reason}{EXPECTED}");
        let mut parts = word.split('+').map(str::trim);
        let errors = read_errors(parts.next().unwrap_or("")).ok_or_else(|| fault(""))?;
        let mut ecc_bits_per_kib = None;
        for part in parts {
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
        Ok(Self { errors, ecc_bits_per_kib })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.errors {
            PageErrors::Off => f.write_str("off")?,
            PageErrors::ByHand(bits) => write!(f, "{bits}")?,
            PageErrors::Wear { base, per_erase, per_read } => {
                write!(f, "wear:{base},{per_erase},{per_read}")?;
            }
        }
        match self.ecc_bits_per_kib {
            Some(bits) => write!(f, "+ecc={bits}"),
            None => Ok(()),
        }
    }
}

fn read_errors(text: &str) -> Option<PageErrors> {
    let number = |text: &str| text.trim().replace('_', "").parse::<u64>().ok();
    if text == "off" {
        return Some(PageErrors::Off);
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
        for text in ["off", "8", "8+ecc=40", "wear:1000000,2000,10", "wear:0,0,0+ecc=1"] {
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
        ] {
            let error = BitErrorSettings::read(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
