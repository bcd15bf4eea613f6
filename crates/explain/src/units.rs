//! Times for people.

use flash::Ns;

/// A time with at most one decimal: `220.9 µs`, `2 ms`.
pub(crate) fn time(ns: Ns) -> String {
    let (unit, name) = match ns {
        0..1_000 => return format!("{ns} ns"),
        1_000..10_000_000 => (1_000, "µs"),
        10_000_000..10_000_000_000 => (1_000_000, "ms"),
        _ => (1_000_000_000, "s"),
    };
    let tenths = (u128::from(ns) * 10 + unit / 2) / unit;
    match tenths % 10 {
        0 => format!("{} {name}", tenths / 10),
        rest => format!("{}.{rest} {name}", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let texts = [999, 29_000, 220_900, 249_900, 2_000_000, 16_220_000].map(time);
        assert_eq!(texts, ["999 ns", "29 µs", "220.9 µs", "249.9 µs", "2000 µs", "16.2 ms"]);
    }
}
