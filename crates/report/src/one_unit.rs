//! One unit for all quantities of a column.

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

/// `number` in a unit that is `factor` times smaller, with as many digits as it had.
fn scaled(number: &str, factor: f64) -> String {
    let value = number.parse::<f64>().unwrap_or(0.0) * factor;
    if value == 0.0 {
        return "0".into();
    }
    let digits = number.trim_start_matches(['0', '.']).bytes().filter(u8::is_ascii_digit).count();
    let decimals = digits as i32 - 1 - value.abs().log10().floor() as i32;
    format!("{value:.*}", decimals.max(0) as usize)
}

/// True for a number with a unit, which a line must not part.
pub(crate) fn is_quantity(cell: &str) -> bool {
    parts(cell).is_some_and(|(.., unit, _)| !unit.contains([' ', '\n']))
}

/// Writes the quantities of one kind among these cells in one unit: that of most of them, or the smaller one. Whole sizes
/// are exact, and stay so in the smallest unit.
pub(crate) fn one_unit(cells: Vec<&mut String>) {
    for kind in KINDS {
        let place = |cell: &str| {
            let (.., unit, _) = parts(cell)?;
            kind.iter().position(|(name, _)| *name == unit)
        };
        let mut counts = vec![0; kind.len()];
        cells.iter().filter_map(|cell| place(cell)).for_each(|at| counts[at] += 1);
        if counts.iter().filter(|count| **count > 0).count() < 2 {
            continue;
        }
        let is_exact = kind[0].0 == "B"
            && cells.iter().any(|cell| {
                place(cell).is_some()
                    && parts(cell).is_some_and(|(number, ..)| !number.contains('.'))
            });
        let most = if is_exact { None } else { counts.iter().max().copied() };
        let is_unit = |at: &usize| most.map_or(counts[*at] > 0, |most| counts[*at] == most);
        let units: Vec<usize> = (0..kind.len()).filter(is_unit).collect();
        // The smallest of sizes; of as many cells in each of several units, the middle one.
        let to = units[if is_exact { 0 } else { (units.len() - 1) / 2 }];
        for cell in cells {
            let Some(from) = place(cell).filter(|from| *from != to) else { continue };
            if let Some((number, blanks, _, interval)) = parts(cell) {
                let number = scaled(&number, kind[from].1 / kind[to].1);
                *cell = format!("{number}{blanks}{}{interval}", kind[to].0);
            }
        }
        return;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_has_the_unit_of_most_cells() {
        for (given, expected) in [
            (vec!["220.9 µs", "20.77 ms", "16.28 ms"], vec!["0.2209 ms", "20.77 ms", "16.28 ms"]),
            (vec!["25.0 µs", "58.3 s", "–"], vec!["25.0 µs", "58300000 µs", "–"]),
            (vec!["512MiB", "16GiB"], vec!["512MiB", "16384MiB"]),
            (vec!["455.8 MiB", "2.0 GiB", "1.5 GiB"], vec!["0.4451 GiB", "2.0 GiB", "1.5 GiB"]),
            (vec!["0.0 ns", "1.5 ms", "2.0 ms"], vec!["0 ms", "1.5 ms", "2.0 ms"]),
            (vec!["512B", "2KiB", "16KiB"], vec!["512B", "2048B", "16384B"]),
            (
                vec!["16.20 ms", "2,220,950 ns", "2220.9 µs"],
                vec!["16200 µs", "2220.950 µs", "2220.9 µs"],
            ),
            (
                vec!["498.1 µs ±5.3%", "11.63 ms", "1.2 µs"],
                vec!["498.1 µs ±5.3%", "11630 µs", "1.2 µs"],
            ),
            (vec!["1.5 µs", "11.63 ms ±2%", "2.0 µs"], vec!["1.5 µs", "11630 µs ±2%", "2.0 µs"]),
            (vec!["3.8 MB", "10.9 MB"], vec!["3.8 MB", "10.9 MB"]),
            (vec!["a 1 ms", "2 µs", "3 %"], vec!["a 1 ms", "2 µs", "3 %"]),
        ] {
            let mut cells: Vec<String> = given.iter().map(|cell| (*cell).to_owned()).collect();
            one_unit(cells.iter_mut().collect());
            assert_eq!(cells, expected);
        }
    }
}
