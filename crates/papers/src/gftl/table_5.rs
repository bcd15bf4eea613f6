//! Table V: service times, wear and overhead of GFTL.

use super::cells::{Cell, Cells, Load, Ran, Reading, every_pages_per_block, part};
use super::closed_forms::us;
use super::paper::{PAGES_PER_BLOCK, TableV, Times, UTILISATIONS};
use crate::row::{Row, TOLERANCE};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::{Reason, Verdict};
use bounds::gftl;

const SEARCH: &str = "where the trace's reads lie is not printed: a read takes 50 µs from the write queue, and up to \
                      π·T_rdoob + T_rdpg from a block";
const HOT: &str = "how unevenly blocks are erased depends on which sectors the trace writes again, which is not \
                   printed";
const SWAPPED: &str = "in the line at 100 %, which is the same run but for the utilisation";

pub(super) fn table_5(cells: &Cells, to: &mut Sheet) -> Outcome {
    for load in [Load::Synthetic, Load::Consumer] {
        for utilisation in UTILISATIONS {
            for (pages_per_block, printed) in PAGES_PER_BLOCK.into_iter().zip(&load.trace().rows) {
                let cell = Cell { utilisation, ..Cell::gftl(load, pages_per_block) };
                to.rows.extend(match cells.get(cell) {
                    Ok(ran) => line(ran, printed, &locality(cells, cell)),
                    Err(why) => vec![Row::missing(&cell.name(), "", None, why)],
                });
            }
        }
        for pages_per_block in PAGES_PER_BLOCK {
            to.rows.push(full_blocks(load, pages_per_block));
            to.rows.extend(independence(cells, Cell::gftl(load, pages_per_block)));
        }
    }
    for cell in every_pages_per_block("gftl", Load::OneBlock) {
        if let Ok(ran) = cells.get(cell) {
            let what = format!("all writes to one block, π = {}: mean write", cell.pages_per_block);
            let mean = ran.measured.write.service.mean_us();
            to.rows.push(Row::evidence(&what, "µs", mean, 0));
        }
    }
    Ok(())
}

/// What decides the mean write: how soon the trace returns to a block, between the two ends that were run.
fn locality(cells: &Cells, cell: Cell) -> String {
    let one_block = cells.get(Cell::gftl(Load::OneBlock, cell.pages_per_block));
    let text = cells.get(Cell { utilisation: 100, ..cell.read_as(Reading::TEXT) });
    let mean = |ran: Result<&Ran, &str>| {
        ran.map_or("unknown".into(), |ran| {
            format!("{:.0} µs", ran.measured.write.service.mean_us())
        })
    };
    format!(
        "the sooner a trace returns to a block, the more of its writes RAM takes: {} if all go to one block, 300 µs if \
         none returns; which blocks the trace writes again is not printed. Mean with RAM in the read and erase states \
         alone, at 100 %: {}",
        mean(one_block),
        mean(text)
    )
}

/// Rows for one row of the table.
fn line(ran: &Ran, printed: &TableV, locality: &str) -> Vec<Row> {
    let (cell, measured) = (ran.cell, &ran.measured);
    let name =
        format!("{}, {} %, π = {}", cell.load.name(), cell.utilisation, cell.pages_per_block);
    let what = |figure: &str| format!("{name}: {figure}");
    let shown = cell.utilisation == 100;
    let claimed = |row: Row, claim: &str| match shown {
        true if cell.load == Load::Synthetic => row.headline(
            "Table V",
            &format!("{}, π = {}: {claim}", cell.load.name(), cell.pages_per_block),
        ),
        _ => row,
    };
    let mean = |figure: &str, printed: &str, ours: f64| {
        Row::measured(&what(figure), "µs", printed, ours, TOLERANCE)
            .because(Reason::StandIn(locality.into()))
    };
    let (read, write) = (&measured.read, &measured.write);
    let mut rows = vec![
        claimed(mean("mean write", printed.write.mean, write.service.mean_us()), "mean write"),
        Row::exact(&what("worst write"), "µs", printed.write.max, us(write.longest_ns)),
        mean("σ of writes", printed.write.sigma, write.service.sigma_us()),
    ];
    let swapped = printed.read_at_50.filter(|_| cell.utilisation == 50);
    rows.extend(reads(&what, &printed.read, ran, swapped));
    if swapped.is_some() {
        let bound = us(gftl::read_ns(&ran.device.part)).to_string();
        let ours = us(read.longest_ns);
        rows.push(Row::exact(&what("worst read against its bound"), "µs", &bound, ours));
    }
    rows.extend(wear_and_overhead(&what, ran, printed));
    let late = measured.late as f64;
    rows.push(Row::exact(&what("requests that took longer than L(p)"), "", "0", late));
    if read.unmapped > 0 {
        let what = what("reads of pages never written");
        rows.push(Row::evidence(&what, "requests", read.unmapped as f64, 0));
    }
    rows
}

/// Mean, worst and σ of reads; `swapped` holds the misprinted values at 50 %.
fn reads(
    what: &dyn Fn(&str) -> String,
    printed: &Times,
    ran: &Ran,
    swapped: Option<Times>,
) -> Vec<Row> {
    let read = &ran.measured.read;
    let ours = [read.service.mean_us(), us(read.longest_ns), read.service.sigma_us()];
    let names = ["mean read", "worst read", "σ of reads"];
    let right = [printed.mean, printed.max, printed.sigma];
    let shown = swapped.unwrap_or(*printed);
    let shown = [shown.mean, shown.max, shown.sigma];
    (0..3)
        .map(|at| {
            let row = |printed: &str| match at {
                1 => Row::exact(&what(names[at]), "µs", printed, ours[at]),
                _ => Row::measured(&what(names[at]), "µs", printed, ours[at], TOLERANCE),
            };
            if shown[at] == right[at] {
                let row = row(right[at]).because(Reason::StandIn(SEARCH.into()));
                let shown = ran.cell == Cell::gftl(Load::Synthetic, PAGES_PER_BLOCK[1]);
                return match (at, shown) {
                    (0, true) => row.headline(
                        "Table V",
                        &format!("synthetic, π = {}: {}", ran.cell.pages_per_block, names[at]),
                    ),
                    _ => row,
                };
            }
            let why = format!("{} is printed, {} {SWAPPED}", shown[at], right[at]);
            row(shown[at]).judged(Verdict::Differs).because(Reason::PaperError(why))
        })
        .collect()
}

fn wear_and_overhead(what: &dyn Fn(&str) -> String, ran: &Ran, printed: &TableV) -> Vec<Row> {
    let part = &ran.device.part;
    let wear = printed.wear[usize::from(ran.cell.utilisation == 100)];
    let steps = gftl::paper_steps(part);
    let formula = gftl::queue_share(part, steps).as_f64() * 100.0;
    let why = format!("L/π/N is {formula:.2} %; the notes have what gives the printed figures");
    let mut rows = vec![
        Row::measured(&what("wear index"), "", wear, ran.measured.wear.index, TOLERANCE)
            .because(Reason::Open(HOT.into())),
        Row::exact(&what("Δ, L/π/N with the printed κ"), "%", printed.overhead, formula)
            .as_input()
            .noting(&why),
    ];
    if let Ok(whole) = gftl::whole_steps(part, gftl::CollectionRam::States) {
        let share = gftl::queue_share(part, whole).as_f64() * 100.0;
        rows.push(Row::evidence(&what("Δ, L/π/N with κ of whole operations"), "%", share, 2));
    }
    let ours = ran.device.overhead_percent();
    let why = "the printed length of the queue overflows in another order of writes (section `fig-8`), so the array has the \
               proven one";
    rows.push(
        Row::measured(&what("Δ of the array that was run"), "%", printed.overhead, ours, TOLERANCE)
            .because(Reason::PaperError(why.into())),
    );
    rows
}

/// Mean read of blocks that hold each page once, all equally likely, for comparison with the printed mean.
fn full_blocks(load: Load, pages_per_block: u32) -> Row {
    let part = part(pages_per_block);
    let oobs = (f64::from(pages_per_block) + 1.0) / 2.0;
    let mean = oobs * us(part.t_r_oob_ns) + us(part.t_r_ns);
    let what = format!(
        "{}, π = {pages_per_block}: mean read, were it even over blocks that hold each page once",
        load.name()
    );
    Row::evidence(&what, "µs", mean, 1)
}

/// Rows that check that the figures do not depend on utilisation.
fn independence(cells: &Cells, full: Cell) -> Vec<Row> {
    let half = Cell { utilisation: 50, ..full };
    let (Ok(full), Ok(half)) = (cells.get(full), cells.get(half)) else { return Vec::new() };
    let name = format!("{}, π = {}", full.cell.load.name(), full.cell.pages_per_block);
    let row = |what: &str, half: f64, full: f64| {
        let what = format!("{name}: {what} at 50 % against 100 %");
        Row::change(&what, "0", half, full, 1.0)
    };
    let (half, full) = (&half.measured, &full.measured);
    vec![
        row("mean write", half.write.service.mean_us(), full.write.service.mean_us()),
        row("mean read", half.read.service.mean_us(), full.read.service.mean_us()),
    ]
}
