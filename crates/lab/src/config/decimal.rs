//! Rates and clocks in decimal units; [`Bytes`](super::Bytes) has binary units, too.

use std::fmt;

/// Bytes per second.
pub(super) struct Rate(pub(super) u64);

impl Rate {
    const UNITS: [(&'static str, u64); 4] =
        [("gb/s", 1_000_000_000), ("mb/s", 1_000_000), ("kb/s", 1_000), ("b/s", 1)];

    /// Parses a number with its unit.
    pub(super) fn read(text: &str) -> Option<Self> {
        scaled(text, &Self::UNITS).filter(|rate| (1_000..=1 << 50).contains(rate)).map(Self)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [("GB/s", 1_000_000_000), ("MB/s", 1_000_000), ("kB/s", 1_000), ("B/s", 1)];
        f.write_str(&spaced(self.0, &names))
    }
}

/// Clock in kHz.
pub(super) struct Clock(pub(super) u32);

impl Clock {
    const UNITS: [(&'static str, u64); 3] = [("ghz", 1_000_000), ("mhz", 1_000), ("khz", 1)];

    /// Parses a number with its unit.
    pub(super) fn read(text: &str) -> Option<Self> {
        let khz = scaled(text, &Self::UNITS).filter(|khz| (1..=100_000_000).contains(khz))?;
        u32::try_from(khz).ok().map(Self)
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [("GHz", 1_000_000), ("MHz", 1_000), ("kHz", 1)];
        f.write_str(&spaced(self.0.into(), &names))
    }
}

/// Parses a number with one of the units into the smallest unit; `None` if that is not a whole number.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let (number, factor) = units
        .iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?.trim_end(), *factor)))?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    if whole.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let scale = 10u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let product = digits.parse::<u128>().ok()?.checked_mul(factor.into())?;
    let whole = product.is_multiple_of(scale).then_some(product / scale)?;
    u64::try_from(whole).ok()
}

/// The exact number in the largest unit that gives at least 1.
fn spaced(count: u64, units: &[(&str, u64)]) -> String {
    let fallback = units.last().copied().unwrap_or(("", 1));
    let (unit, factor) =
        units.iter().copied().find(|(_, factor)| count >= *factor).unwrap_or(fallback);
    let (whole, rest) = (count / factor, count % factor);
    if rest == 0 {
        return format!("{whole} {unit}");
    }
    let decimals = format!("{:0width$}", rest, width = factor.ilog10() as usize);
    format!("{whole}.{} {unit}", decimals.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read_again(rate in 1_000..=1u64 << 50, khz in 1..=100_000_000u32) {
            prop_assert_eq!(Rate::read(&Rate(rate).to_string()).map(|rate| rate.0), Some(rate));
            prop_assert_eq!(Clock::read(&Clock(khz).to_string()).map(|clock| clock.0), Some(khz));
        }

        #[test]
        fn any_text_is_a_number_or_none(text: String) {
            let _ = (Rate::read(&text), Clock::read(&text));
        }
    }
}
