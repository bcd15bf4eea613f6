//! Table VI's energies and Table V's wear over one knob of locality at a time, which the unknown order of the trace leaves open.

use super::cells::{Cell, Cells, Load, Ran};
use super::paper::{PAGES_PER_BLOCK, SYNTHETIC, TABLE_VI};
use super::table_6::counted;
use crate::matrix::{Cell as Figures, Matrix};
use crate::sheet::{Outcome, Sheet};

/// In thousandths.
const SEQUENTIAL: [u32; 8] = [0, 900, 930, 950, 960, 970, 990, 1000];
const HOT: [u32; 7] = [100, 500, 900, 950, 970, 980, 990];

const BETWEEN: &str = "sequential, RAM as printed";

fn loads() -> impl Iterator<Item = (String, Load)> {
    let share = |of: u32| f64::from(of) / 1e3;
    let sequential = SEQUENTIAL.map(|of| (format!("sequential, {}", share(of)), Load::Mixed(of)));
    let hot = HOT.map(|of| (format!("in a tenth, {}", share(of)), Load::Hot(of)));
    [("synthetic".to_owned(), Load::Synthetic)].into_iter().chain(sequential).chain(hot)
}

/// The runs that this section needs.
pub(super) fn needed() -> Vec<Cell> {
    loads().flat_map(|(_, load)| PAGES_PER_BLOCK.map(|pages| Cell::gftl(load, pages))).collect()
}

/// Writes that RAM takes, %, from the mean of all and the time of those that it does not.
fn in_ram(mean_us: f64, longest_us: f64) -> f64 {
    (1.0 - mean_us / longest_us) * 100.0
}

type Quantity = (&'static str, fn(&Ran) -> f64, usize);

pub(super) fn locality(cells: &Cells, to: &mut Sheet) -> Outcome {
    let quantities: [Quantity; 4] = [
        (
            "in RAM, %",
            |ran| {
                let service = &ran.measured.write.service;
                in_ram(service.mean_us(), service.most_us())
            },
            1,
        ),
        ("write, nJ", |ran| counted(ran).1.with_step, 0),
        ("without RAM's, nJ", |ran| counted(ran).1.behind_flash, 0),
        ("wear index", |ran| ran.measured.wear.index, 2),
    ];
    let loads: Vec<(String, Load)> = loads().collect();
    let names: Vec<&String> = loads.iter().map(|of| &of.0).collect();
    for (at, pages) in PAGES_PER_BLOCK.into_iter().enumerate() {
        let printed = &SYNTHETIC.rows[at];
        let [mean, most] = [printed.write.mean, printed.write.max];
        let [mean, most] = [mean, most].map(|us| us.parse().unwrap_or(f64::NAN));
        let energy = TABLE_VI
            .iter()
            .find(|column| (column.trace.name, column.pages_per_block) == (SYNTHETIC.name, pages));
        let energy = energy.map_or("–", |column| column.write_nj);
        let ram = format!("{:.1}", in_ram(mean, most));
        let printed = [&ram, energy, energy, printed.wear[1]];
        let heads = [0, 1, 2, 3].map(|at| format!("{} ({})", quantities[at].0, printed[at]));
        let value = |row: usize, column: usize| {
            let ran = cells.get(Cell::gftl(loads[row].1, pages)).ok();
            ran.map(quantities[column].1)
        };
        // Between the sequential shares beside which RAM takes what is printed.
        let wanted = in_ram(mean, most);
        let between = |column: usize| {
            (1..SEQUENTIAL.len()).find_map(|row| {
                let [low, high] = [value(row, 0)?, value(row + 1, 0)?];
                let part = (wanted - low) / (high - low);
                let [from, to] = [value(row, column)?, value(row + 1, column)?];
                (low..high).contains(&wanted).then_some(from + (to - from) * part)
            })
        };
        let lines: Vec<&str> = names.iter().map(|name| name.as_str()).chain([BETWEEN]).collect();
        to.matrices.push(Matrix::of(&format!("π = {pages}"), &lines, &heads, |row, column| {
            let value = if row < loads.len() { value(row, column) } else { between(column) };
            Figures::ours(value, quantities[column].2)
        }));
    }
    Ok(())
}
