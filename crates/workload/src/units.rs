//! Quantities in text: bytes with a suffix, shares as a fraction or in per cent.

pub(crate) use crate::nearest::nearest;
use crate::quantity::{self, Bytes, Count};

/// Bytes: `4096`, `4k`, `4KiB`, `1.5MiB`. Suffixes as of [`Bytes`].
pub(crate) fn bytes(text: &str) -> Option<u64> {
    text.parse().ok().map(|Bytes { 0: bytes, .. }| bytes)
}

/// A share of one: `0.25` or `25%`.
pub(crate) fn share(text: &str) -> Option<f64> {
    quantity::share(text).ok().filter(|value| (0.0..=1.0).contains(value))
}

/// A whole number: `1000000`, `1_000_000`, `1M` or `1e6`.
pub(crate) fn count(text: &str) -> Option<u64> {
    text.parse().ok().map(|Count { 0: count, .. }| count)
}

/// A number with its noun: `1 request`, `2 requests`.
pub(crate) fn counted(n: u64, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// A year, ns.
pub(crate) const YEAR_NS: u64 = 365 * 86_400_000_000_000;

const UNITS: [&str; 7] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/// Bytes rounded to a tenth of the unit: `512 bytes`, `5.3 KiB`.
pub(crate) fn round_bytes(bytes: f64) -> String {
    let (mut value, mut unit) = (bytes, 0);
    // Values that would round up to 1024.0 use the next unit.
    while unit + 1 < UNITS.len() && value >= 1023.95 {
        value /= 1024.0;
        unit += 1;
    }
    match unit {
        0 if value == 1.0 => "1 byte".to_owned(),
        0 if value.fract() == 0.0 => format!("{value} bytes"),
        _ => format!("{value:.1} {}", UNITS[unit]),
    }
}

/// Bytes as `4 KiB` or `1.5 GiB`, or the exact number if rounding would lose some.
pub(crate) fn show_bytes(bytes: u64) -> String {
    let mut unit = 0;
    while unit + 1 < UNITS.len() && bytes >= 1 << (10 * (unit + 1)) {
        unit += 1;
    }
    let scale = 1u64 << (10 * unit);
    if bytes.is_multiple_of(scale) {
        format!("{} {}", bytes / scale, UNITS[unit])
    } else {
        format!("{:.2} {} ({bytes} bytes)", bytes as f64 / scale as f64, UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::decimal;

    #[test]
    fn bytes_take_suffixes_and_refuse_what_is_no_whole_byte() {
        for (text, value) in
            [("512", 512), ("4k", 4096), ("4 KiB", 4096), ("1.5M", 1_572_864), ("2TiB", 2 << 40)]
        {
            assert_eq!(bytes(text), Some(value), "{text}");
        }
        for text in ["", "k", "4x", "-1", "1.0001k", "99999999T", "0x10"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }

    #[test]
    fn shares_are_fractions_or_per_cent() {
        assert_eq!(share("0.25"), Some(0.25));
        assert_eq!(share("25 %"), Some(0.25));
        for text in ["1.01", "-0.1", "101%", "nan", "inf", "x"] {
            assert_eq!(share(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_as_people_write_them() {
        assert_eq!(
            [decimal("0.99"), decimal("99%"), decimal("1e-2")],
            [Some(0.99), Some(0.99), Some(0.01)]
        );
        assert_eq!([count("1e6"), count("1M"), count("1_000_000")], [Some(1_000_000); 3]);
        assert_eq!((decimal("x%"), count("1.5")), (None, None));
    }

    #[test]
    fn sizes_are_shown_exactly() {
        assert_eq!(show_bytes(4096), "4 KiB");
        assert_eq!(show_bytes(0), "0 bytes");
        assert_eq!(show_bytes(1_572_864), "1.50 MiB (1572864 bytes)");
        assert_eq!(show_bytes(1 << 63), "8 EiB");
    }

    #[test]
    fn sizes_are_rounded_in_a_unit_that_fits() {
        for (bytes, text) in [
            (0.0, "0 bytes"),
            (1.0, "1 byte"),
            (512.0, "512 bytes"),
            (712.5, "712.5 bytes"),
            (1023.97, "1.0 KiB"),
            (1024.0, "1.0 KiB"),
            (1_048_575.0, "1.0 MiB"),
            (18_446_744_073_709_551_616.0, "16.0 EiB"),
        ] {
            assert_eq!(round_bytes(bytes), text);
        }
    }

    #[test]
    fn one_thing_is_no_plural() {
        assert_eq!((counted(0, "trim"), counted(1, "trim")), ("0 trims".into(), "1 trim".into()));
    }

    #[test]
    fn only_slips_have_a_nearest_name() {
        let names = || ["uniform", "zipf", "hot-cold"].into_iter();
        assert_eq!(nearest("unifrom", names()), Some("uniform"));
        assert_eq!(nearest("hotcold", names()), Some("hot-cold"));
        assert_eq!(nearest("completely-else", names()), None);
    }
}
