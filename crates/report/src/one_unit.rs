//! One unit for the quantities of a column, but for those far below it.

/// Units of one kind, the smallest first, each with its factor on the first.
const KINDS: [&[(&str, f64)]; 3] = [
    &[("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)],
    &[
        ("B", 1.0),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("TiB", 1_099_511_627_776.0),
    ],
    &[("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("PB", 1e15)],
];

/// Smallest rounded number that is written in a unit that is not its own.
const LEAST: f64 = 0.001;

/// A number without marks between its thousands, the blanks behind it, its unit, and the interval about it.
fn parts(cell: &str) -> Option<(String, &str, &str, &str)> {
    let end = cell.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')?;
    let (number, rest) = cell.split_at(end);
    let (number, unit) = (number.replace(',', ""), rest.trim_start());
    number.parse::<f64>().ok()?;
    let blanks = &rest[..rest.len() - unit.len()];
    let (unit, interval) = unit.split_at(unit.find(" ±").unwrap_or(unit.len()));
    Some((number, blanks, unit, interval))
}

/// Decimals of a number in a unit that is `factor` times smaller, whose last digit there stands for no less than its last
/// digit here: below 0 where digits would be made up.
fn decimals(number: &str, factor: f64) -> i32 {
    let given = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    // Powers of ten are not exact as logarithms.
    (given as f64 - factor.log10() + 1e-9).floor() as i32
}

/// True for a unit of times, sizes or shares.
pub(crate) fn is_unit(text: &str) -> bool {
    text == "%" || KINDS.iter().copied().flatten().any(|(unit, _)| *unit == text)
}

/// True for a number with a unit, which a line must not part.
pub(crate) fn is_quantity(cell: &str) -> bool {
    parts(cell).is_some_and(|(.., unit, _)| !unit.contains([' ', '\n']))
}

/// Writes the quantities of one kind among these cells in one unit. Whole sizes are exact, and stay so in the smallest unit;
/// a rounded number gets no digit that it had not, so that its unit is never a much smaller one. Among the units left,
/// that of most cells, and of as many cells in each of several units, the larger one. A rounded number below a thousandth of it
/// keeps its own; several have one.
pub(crate) fn one_unit(cells: Vec<&mut String>) {
    for kind in KINDS {
        let place = |cell: &str| {
            let (.., unit, _) = parts(cell)?;
            kind.iter().position(|(name, _)| *name == unit)
        };
        let is_exact = |number: &str| kind[0].0 == "B" && !number.contains('.');
        // Place of the unit, number and value, of each cell.
        let given: Vec<(usize, String, f64)> = cells
            .iter()
            .filter_map(|cell| {
                let number = parts(cell)?.0;
                let value = number.parse().ok()?;
                Some((place(cell)?, number, value))
            })
            .collect();
        if given.iter().all(|(at, ..)| *at == given[0].0) {
            continue;
        }
        let has_value: Vec<_> = given.iter().filter(|(.., value)| *value > 0.0).collect();
        let count = |to: usize| has_value.iter().filter(|(at, ..)| *at == to).count();
        let is_sound = |to: &usize| {
            has_value.iter().all(|(from, number, _)| {
                let factor = kind[*from].1 / kind[*to].1;
                from == to || is_exact(number) || decimals(number, factor) >= 0
            })
        };
        let units = (0..kind.len()).filter(|to| count(*to) > 0);
        let to = match has_value.iter().all(|(_, number, _)| is_exact(number)) {
            true => units.min(),
            false => units.filter(is_sound).max_by_key(|to| (count(*to), *to)),
        };
        let to = to.unwrap_or(given[0].0);
        let mut far_below = Vec::new();
        for cell in cells {
            let Some(from) = place(cell).filter(|from| *from != to) else { continue };
            let Some((number, blanks, _, interval)) = parts(cell) else { continue };
            let factor = kind[from].1 / kind[to].1;
            let value = number.parse().unwrap_or(0.0) * factor;
            // The true number may be larger by a tenth: `1.0 KiB` may be 1.09.
            if value > 0.0 && value < 0.9 * LEAST && !is_exact(&number) {
                far_below.push(cell);
                continue;
            }
            let decimals = match (value == 0.0, is_exact(&number)) {
                (true, _) => 0,
                (_, false) => decimals(&number, factor).max(0),
                (_, true) if from > to => 0,
                // An exact size has any digits.
                (_, true) => decimals(&number, factor).max(2 - value.log10().floor() as i32),
            };
            *cell = format!("{value:.*}{blanks}{}{interval}", decimals as usize, kind[to].0);
        }
        if !far_below.is_empty() {
            one_unit(far_below);
        }
        return;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::run::report::units;

    fn shown<T: AsRef<str>>(cells: &[T]) -> Vec<String> {
        let mut cells: Vec<String> = cells.iter().map(|cell| cell.as_ref().to_owned()).collect();
        one_unit(cells.iter_mut().collect());
        cells
    }

    #[test]
    fn a_column_has_one_unit_and_no_digit_is_made_up() {
        for (given, expected) in [
            (vec!["220.9 µs", "20.77 ms", "16.28 ms"], vec!["0.2209 ms", "20.77 ms", "16.28 ms"]),
            (vec!["220.9 µs", "2220.9 µs", "16.22 ms"], vec!["0.2209 ms", "2.2209 ms", "16.22 ms"]),
            (vec!["25.0 µs", "58.3 s", "–"], vec!["25.0 µs", "58.3 s", "–"]),
            (
                vec!["2.5 µs", "25.0 µs", "850 ns", "58.3 s"],
                vec!["2.5 µs", "25.0 µs", "0.850 µs", "58.3 s"],
            ),
            (vec!["850 ns", "220.9 µs", "0 ns"], vec!["0.850 µs", "220.9 µs", "0 µs"]),
            (vec!["512MiB", "16GiB"], vec!["512MiB", "16384MiB"]),
            (vec!["455.8 MiB", "2.0 GiB", "1.5 GiB"], vec!["0.4451 GiB", "2.0 GiB", "1.5 GiB"]),
            (vec!["0.0 ns", "1.5 ms", "2.0 ms"], vec!["0 ms", "1.5 ms", "2.0 ms"]),
            (vec!["0 B", "31.0 KiB", "5 B"], vec!["0 KiB", "31.0 KiB", "0.00488 KiB"]),
            (vec!["0B", "0KiB", "16GiB"], vec!["0GiB", "0GiB", "16GiB"]),
            (vec!["512B", "2KiB", "16KiB"], vec!["512B", "2048B", "16384B"]),
            (
                vec!["16.20 ms", "2,220,950 ns", "2220.9 µs"],
                vec!["16.20 ms", "2.220950 ms", "2.2209 ms"],
            ),
            (
                vec!["498.1 µs ±5.3%", "11.63 ms", "1.2 µs"],
                vec!["0.4981 ms ±5.3%", "11.63 ms", "0.0012 ms"],
            ),
            (vec!["3.8 MB", "10.9 MB"], vec!["3.8 MB", "10.9 MB"]),
            (vec!["a 1 ms", "2 µs", "3 %"], vec!["a 1 ms", "2 µs", "3 %"]),
        ] {
            assert_eq!(shown(&given), expected);
        }
    }

    /// Half of the last digit of a time, and all of it for a size, whose units are not 1000 apart.
    #[test]
    fn what_is_shown_is_the_true_number() {
        let check = |true_ones: &[u64], cells: Vec<String>, digits: f64| {
            let cells = shown(&cells);
            let factor_of = |cell: &String| {
                let unit = parts(cell).unwrap().2.to_owned();
                KINDS.concat().into_iter().find(|(name, _)| *name == unit).unwrap().1
            };
            let largest = cells.iter().map(factor_of).fold(0.0, f64::max);
            for (cell, true_one) in cells.iter().zip(true_ones) {
                let (number, factor) = (parts(cell).unwrap().0, factor_of(cell));
                assert!(factor == largest || (*true_one as f64) < LEAST * largest, "{cells:?}");
                let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
                let error = number.parse::<f64>().unwrap() - *true_one as f64 / factor;
                let last = 0.1f64.powi(decimals as i32);
                assert!(
                    error.abs() <= digits * last * 1.000_001,
                    "{cell} of {true_one}: {cells:?}"
                );
            }
        };
        let mut x = 1u64;
        for _ in 0..2000 {
            let column: Vec<u64> = (0..4)
                .map(|_| {
                    x = x
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    (x >> 32) % 10u64.pow(1 + (x >> 60) as u32 % 12)
                })
                .collect();
            check(&column, column.iter().map(|ns| units::time(*ns as f64)).collect(), 0.5);
            check(&column, column.iter().map(|bytes| units::bytes(*bytes)).collect(), 1.0);
        }
        check(&[31_764, 8128, 980], [31_764, 8128, 980].map(units::bytes).into(), 1.0);
    }
}
