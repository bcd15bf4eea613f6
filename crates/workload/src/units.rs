//! Quantities as people write them: bytes with a suffix, shares as a fraction or in per cent.

/// Bytes: `4096`, `4k`, `4KiB`, `1.5MiB`. Suffixes are powers of 1024, in any case.
pub(crate) fn bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits =
        text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    let (number, suffix) = text.split_at(digits);
    let shift = match suffix.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return None,
    };
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(1 << shift);
    }
    let value = number.parse::<f64>().ok()? * (1u64 << shift) as f64;
    (value.fract() == 0.0 && value < (1u64 << 53) as f64).then_some(value as u64)
}

/// A share of one: `0.25` or `25%`.
pub(crate) fn share(text: &str) -> Option<f64> {
    let text = text.trim();
    let value = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok()? / 100.0,
        None => text.parse().ok()?,
    };
    (0.0..=1.0).contains(&value).then_some(value)
}

/// A whole number; `_` may group digits.
pub(crate) fn count(text: &str) -> Option<u64> {
    text.trim().replace('_', "").parse().ok()
}

/// A number of things: `1 request`, `2 requests`.
pub(crate) fn counted(n: u64, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

const UNITS: [&str; 7] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/// Bytes for people, rounded to a tenth of the unit: `512 bytes`, `5.3 KiB`.
pub(crate) fn round_bytes(bytes: f64) -> String {
    let (mut value, mut unit) = (bytes, 0);
    // What would be rounded up to 1024.0 is given in the next unit.
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

/// Bytes for people: `4 KiB`, `1.5 GiB`, and the exact number where rounding would lose some.
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

/// The nearest of `names` to `name` by edit distance, where it is near enough to be a slip.
pub(crate) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .min_by_key(|&(distance, _)| distance)
        .filter(|&(distance, candidate)| distance <= 1 + candidate.len() / 3)
        .map(|(_, candidate)| candidate)
}

fn edit_distance(a: &str, b: &str) -> usize {
    // A name of thousands of letters is no slip; do not spend a second on it.
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

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
