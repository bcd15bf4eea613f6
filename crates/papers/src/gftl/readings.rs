//! What each reading of the text gives for Tables V and VI and Fig. 7.

use super::cells::{Cell, Cells, Load, Ran, Reading};
use super::paper::{PAGES_PER_BLOCK, TABLE_VI};
use super::table_6::counted;
use crate::matrix::{Cell as Figures, Matrix};
use crate::sheet::{Outcome, Sheet};

/// Traces of the comparison.
const LOADS: [Load; 2] = [Load::Synthetic, Load::Consumer];

/// The runs that this section needs.
pub(super) fn needed() -> Vec<Cell> {
    let each = |reading| {
        LOADS.into_iter().flat_map(move |load| {
            PAGES_PER_BLOCK.map(|pages| Cell::gftl(load, pages).read_as(reading))
        })
    };
    Reading::ALL.into_iter().flat_map(each).collect()
}

/// Quantity: name with unit, its value, and the printed figure at a π.
type Quantity = (&'static str, fn(&Ran) -> f64, fn(Load, usize) -> Option<&'static str>);

const QUANTITIES: [Quantity; 6] = [
    (
        "mean write, µs (Table V)",
        |ran| ran.measured.write.service.mean_us(),
        |load, at| Some(load.trace().rows[at].write.mean),
    ),
    (
        "σ of writes, µs (Table V)",
        |ran| ran.measured.write.service.sigma_us(),
        |load, at| Some(load.trace().rows[at].write.sigma),
    ),
    (
        "mean read, µs (Table V)",
        |ran| ran.measured.read.service.mean_us(),
        |load, at| Some(load.trace().rows[at].read.mean),
    ),
    (
        "collection per request, µs (Fig. 7)",
        |ran| ran.measured.read.step.and(&ran.measured.write.step).mean_us(),
        |_, _| None,
    ),
    (
        "energy of a write with its step, nJ (Table VI)",
        |ran| counted(ran).1.with_step,
        |load, at| printed_energy(load, at).map(|printed| printed.1),
    ),
    (
        "energy of a read with its step, nJ (Table VI)",
        |ran| counted(ran).0.with_step,
        |load, at| printed_energy(load, at).map(|printed| printed.0),
    ),
];

fn printed_energy(load: Load, at: usize) -> Option<(&'static str, &'static str)> {
    let column = TABLE_VI.iter().find(|column| {
        column.trace.name == load.trace().name && column.pages_per_block == PAGES_PER_BLOCK[at]
    })?;
    Some((column.read_nj, column.write_nj))
}

pub(super) fn readings(cells: &Cells, to: &mut Sheet) -> Outcome {
    let names = Reading::ALL.map(|reading| format!("gftl{}", reading.settings()));
    let columns = PAGES_PER_BLOCK.map(|pages| format!("π = {pages}"));
    for load in LOADS {
        for (what, of, printed) in QUANTITIES {
            let title = format!("{}: {what}", load.name());
            to.matrices.push(Matrix::of(&title, &names, &columns, |row, column| {
                let cell = Cell::gftl(load, PAGES_PER_BLOCK[column]).read_as(Reading::ALL[row]);
                let ours = Figures::ours(cells.get(cell).ok().map(of), 0);
                printed(load, column).map_or(ours.clone(), |printed| ours.beside(printed))
            }));
        }
    }
    Ok(())
}
