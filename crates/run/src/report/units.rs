//! Quantities in readable form, each with its unit.

/// A time: `850 ns`, `2220.9 µs`, `38.12 ms`, `12.3 s`, `4.2 h`.
///
/// Microseconds up to 10 ms, as in data sheets and deadlines; milliseconds up to 10 s; then s and h.
pub fn time(ns: f64) -> String {
    match ns {
        n if n < 1e3 => format!("{n:.0} ns"),
        n if n < 1e7 => format!("{:.1} µs", n / 1e3),
        n if n < 1e10 => format!("{:.2} ms", n / 1e6),
        n if n < 1e13 => format!("{:.1} s", n / 1e9),
        n => format!("{:.1} h", n / 3.6e12),
    }
}

/// A count: exact below 100,000, then `123.5 k`, `1.23 M`, `1.23 G` (powers of 1000).
pub fn count(n: u64) -> String {
    let x = n as f64;
    match n {
        0..100_000 => grouped(n),
        // Up to the value that would round to 1000 of its unit.
        100_000..999_950 => format!("{:.1} k", x / 1e3),
        999_950..999_995_000 => format!("{:.2} M", x / 1e6),
        _ => format!("{:.2} G", x / 1e9),
    }
}

/// A number with its noun: `1 run`, `1,200 runs`.
pub fn counted(n: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// All digits, in groups of three.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A size in bytes: `512 B`, `12.5 KiB`, `3.4 MiB` (powers of 1024).
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if n < 1024 {
        return format!("{n} B");
    }
    let mut size = n as f64 / 1024.0;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    format!("{size:.1} {}", UNITS[unit])
}

/// An energy: `0 nJ`, `12.3 µJ`, `1.2 mJ`, `3.4 J`.
pub fn energy(nj: f64) -> String {
    match nj {
        e if e < 1e3 => format!("{e:.0} nJ"),
        e if e < 1e6 => format!("{:.1} µJ", e / 1e3),
        e if e < 1e9 => format!("{:.1} mJ", e / 1e6),
        e => format!("{:.1} J", e / 1e9),
    }
}

/// A rate: `812 /s`, `4.5 k/s`, `1.2 M/s`.
pub fn rate(per_second: f64) -> String {
    match per_second {
        r if r < 1e3 => format!("{r:.0} /s"),
        r if r < 1e6 => format!("{:.2} k/s", r / 1e3),
        r => format!("{:.2} M/s", r / 1e6),
    }
}

/// A plain number: three decimals below 100, one below 10,000, otherwise none.
pub fn number(x: f64) -> String {
    match x.abs() {
        a if a < 100.0 => format!("{x:.3}"),
        a if a < 10_000.0 => format!("{x:.1}"),
        _ => format!("{x:.0}"),
    }
}

/// A share: `12.3 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A share that is 0 only if nothing had it: `12.3 %`, `0.04 %`, `2.0e-5 %`.
pub fn rare(share: f64) -> String {
    match share * 100.0 {
        percent if percent <= 0.0 => "0 %".into(),
        percent if percent < 0.001 => format!("{percent:.1e} %"),
        percent if percent < 0.01 => format!("{percent:.3} %"),
        percent if percent < 0.1 => format!("{percent:.2} %"),
        percent => format!("{percent:.1} %"),
    }
}

/// A time on an axis, without needless decimals: `20 µs`, `1 ms`, `1.5 s`.
pub fn short_time(ns: f64) -> String {
    let (scale, unit) = match ns {
        0.0 => return "0".to_owned(),
        n if n < 1e3 => (1.0, "ns"),
        n if n < 1e6 => (1e3, "µs"),
        n if n < 1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!("{} {unit}", short(ns / scale))
}

/// A number on an axis: at most three decimals, without trailing zeros.
pub fn short(x: f64) -> String {
    let text = format!("{x:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A share by which something is above a reference: `+12.3 %`.
pub fn above(share: f64) -> String {
    // Adding 0 makes a negative zero positive.
    format!("{:+.1} %", (share * 1000.0).round() / 10.0 + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let seen: Vec<_> =
            [0.0, 850.0, 25_000.0, 2_220_900.0, 38_123_000.0, 12_345_678_900.0, 3.6e13]
                .map(time)
                .into();
        assert_eq!(
            seen,
            ["0 ns", "850 ns", "25.0 µs", "2220.9 µs", "38.12 ms", "12.3 s", "10.0 h"]
        );
        assert_eq!(
            [0.0, 1e3, 2e4, 1e6, 1.5e9].map(short_time),
            ["0", "1 µs", "20 µs", "1 ms", "1.5 s"]
        );
    }

    #[test]
    fn a_number_has_its_noun() {
        assert_eq!([0, 1, 1200].map(|n| counted(n, "run")), ["0 runs", "1 run", "1,200 runs"]);
    }

    #[test]
    fn a_share_of_something_is_not_0() {
        assert_eq!(
            [0.0, 2e-7, 9.9e-6, 4.4e-5, 9.6e-5, 4.2e-4, 9.6e-4, 0.0123, 1.0].map(rare),
            [
                "0 %", "2.0e-5 %", "9.9e-4 %", "0.004 %", "0.010 %", "0.04 %", "0.10 %", "1.2 %",
                "100.0 %"
            ]
        );
    }

    #[test]
    fn counts_and_sizes() {
        assert_eq!(
            [0, 999, 1_000, 99_999, 100_000, 999_999, 2_345_678, 999_999_999, 7_000_000_000]
                .map(count),
            ["0", "999", "1,000", "99,999", "100.0 k", "1.00 M", "2.35 M", "1.00 G", "7.00 G"]
        );
        assert_eq!(
            [0, 1023, 1024, 1 << 20, 3 << 30, u64::MAX].map(bytes),
            ["0 B", "1023 B", "1.0 KiB", "1.0 MiB", "3.0 GiB", "16777216.0 TiB"]
        );
        assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!([0.0, 4_070.0, 2.5e6, 7e9].map(energy), ["0 nJ", "4.1 µJ", "2.5 mJ", "7.0 J"]);
        assert_eq!([0.0, 4_526.0, 2.5e6].map(rate), ["0 /s", "4.53 k/s", "2.50 M/s"]);
        assert_eq!(
            [0.0, 14.2, 1_234.56, 123_456.7].map(number),
            ["0.000", "14.200", "1234.6", "123457"]
        );
    }
}
