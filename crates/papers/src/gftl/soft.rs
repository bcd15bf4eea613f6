//! §VII: GFTL for soft real-time, with a threshold of the collection queue and with a priority queue.

use super::cells::{Cell, Cells, Load, Ran, Reading, every_pages_per_block};
use super::paper::{PAGES_PER_BLOCK, THRESHOLD_READS, THRESHOLD_WRITES};
use super::table_6::counted;
use crate::figure::Figure;
use crate::reproduction::PlotFile;
use crate::row::{Limit, Row};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use sim::report::plots::{Curve, Curves, Drawn};

/// Loads on which both queues are compared.
const COMPARED: [Load; 2] = [Load::Synthetic, Load::Consumer];

pub(super) fn soft(cells: &Cells, to: &mut Sheet) -> Outcome {
    for pages_per_block in PAGES_PER_BLOCK {
        let cell = Cell::gftl(Load::Consumer, pages_per_block);
        to.rows.extend(match (cells.get(cell), cells.get(cell.of("gftl-threshold"))) {
            (Ok(gftl), Ok(threshold)) => {
                let text = cell.read_as(Reading::TEXT);
                let text = cells.get(text).ok().zip(cells.get(text.of("gftl-threshold")).ok());
                threshold_rows(gftl, threshold, text)
            }
            (Err(why), _) | (_, Err(why)) => {
                vec![Row::missing(&cell.of("gftl-threshold").name(), "", None, why)]
            }
        });
    }
    for pages_per_block in PAGES_PER_BLOCK {
        let cell = Cell::gftl(Load::Synthetic, pages_per_block);
        if let (Ok(gftl), Ok(threshold)) = (cells.get(cell), cells.get(cell.of("gftl-threshold"))) {
            to.rows.extend(long_run(gftl, threshold));
        }
    }
    for load in COMPARED {
        for pages_per_block in PAGES_PER_BLOCK {
            let cell = Cell::gftl(load, pages_per_block);
            to.rows.extend(match (cells.get(cell), cells.get(cell.of("gftl-priority"))) {
                (Ok(gftl), Ok(priority)) => priority_rows(gftl, priority),
                (Err(why), _) | (_, Err(why)) => {
                    vec![Row::missing(&cell.of("gftl-priority").name(), "", None, why)]
                }
            });
        }
    }
    let ran = cells.all(&[
        Cell::gftl(Load::Synthetic, PAGES_PER_BLOCK[1]),
        Cell::gftl(Load::Synthetic, PAGES_PER_BLOCK[1]).of("gftl-priority"),
    ]);
    to.plots.push(PlotFile { name: "priority-queue.svg".into(), figure: growth(&ran).into() });
    Ok(())
}

/// The runs that this section needs.
pub(super) fn needed() -> Vec<Cell> {
    let mut cells = Vec::new();
    for load in COMPARED {
        cells.extend(every_pages_per_block("gftl", load));
        cells.extend(every_pages_per_block("gftl-threshold", load));
        cells.extend(every_pages_per_block("gftl-priority", load));
    }
    for scheme in ["gftl", "gftl-threshold"] {
        let text = |cell: Cell| cell.read_as(Reading::TEXT);
        cells.extend(every_pages_per_block(scheme, Load::Consumer).map(text));
    }
    cells
}

/// Rows with the energy of the threshold variant against GFTL.
fn threshold_rows(gftl: &Ran, threshold: &Ran, text: Option<(&Ran, &Ran)>) -> Vec<Row> {
    let name = format!("threshold of 80 %, consumer, π = {}", gftl.cell.pages_per_block);
    let (before, after) = (counted(gftl), counted(threshold));
    let percent = |before: f64, after: f64| (after / before - 1.0) * 100.0;
    let (writes, reads) =
        (percent(before.1.with_step, after.1.with_step), percent(before.0.alone, after.0.alone));
    let by_text = |of: fn(&Ran) -> f64| {
        let change = text.map(|(gftl, threshold)| percent(of(gftl), of(threshold)));
        let change =
            change.map_or("unknown".into(), |change| Figure::number(change, 1).to_string());
        Reason::Reading(format!(
            "queued when full and with RAM in two states (§IV-A, Algorithm 1) it is {change} %; the paper names neither \
             π nor utilisation"
        ))
    };
    let claimed = |row: Row, claim: &str| match gftl.cell.pages_per_block {
        16 => row.headline("§VII-A", &format!("threshold of 80 %, consumer, π = 16: {claim}")),
        _ => row,
    };
    vec![
        claimed(
            Row::changed(
                &format!("{name}: energy per write, with its step"),
                THRESHOLD_WRITES,
                writes,
                1.0,
            )
            .because(by_text(|ran| counted(ran).1.with_step)),
            "energy of a write",
        ),
        Row::changed(&format!("{name}: energy per read"), THRESHOLD_READS, reads, 1.0)
            .because(by_text(|ran| counted(ran).0.alone)),
        Row::evidence(
            &format!("{name}: blocks collected, of GFTL's"),
            "%",
            threshold.measured.victims as f64 / gftl.measured.victims.max(1) as f64 * 100.0,
            1,
        ),
        Row::evidence(
            &format!("{name}: longest write queue"),
            "pages",
            threshold.measured.queue_pages_most as f64,
            0,
        ),
    ]
}

/// Rows with the threshold on a trace long enough to reach it.
fn long_run(gftl: &Ran, threshold: &Ran) -> [Row; 2] {
    let name = format!("threshold of 80 %, synthetic, π = {}", gftl.cell.pages_per_block);
    let (before, after) = (counted(gftl), counted(threshold));
    let percent = |before: f64, after: f64| (after / before - 1.0) * 100.0;
    let row = |what: &str, percent: f64| Row::evidence(&format!("{name}: {what}"), "%", percent, 1);
    [
        row("energy per write, with its step", percent(before.1.with_step, after.1.with_step)),
        row("energy per read", percent(before.0.alone, after.0.alone)),
    ]
}

/// Rows comparing the priority queue with first in, first out.
fn priority_rows(gftl: &Ran, priority: &Ran) -> Vec<Row> {
    let name =
        format!("priority queue, {}, π = {}", gftl.cell.load.name(), gftl.cell.pages_per_block);
    let mean = |ran: &Ran| {
        let lengths = ran.measured.samples.iter().map(|sample| sample.queue_pages as f64);
        lengths.sum::<f64>() / ran.measured.samples.len().max(1) as f64
    };
    let [fifo, dirtiest] = [gftl, priority].map(|ran| ran.measured.victim_valid_mean);
    let why =
        format!("the victims have {dirtiest:.1} valid pages in the mean, in queue order {fifo:.1}");
    vec![
        Row::limit(
            &format!("{name}: mean write queue over that of GFTL"),
            "",
            Limit::Below(1.0),
            mean(priority) / mean(gftl).max(f64::MIN_POSITIVE),
        )
        .because(Reason::Open(why))
        .unless_idle(mean(gftl) == mean(priority)),
        Row::evidence(&format!("{name}: mean write queue of GFTL"), "pages", mean(gftl), 0),
        Row::evidence(
            &format!("{name}: longest write queue over that of GFTL"),
            "",
            priority.measured.queue_pages_most as f64
                / gftl.measured.queue_pages_most.max(1) as f64,
            3,
        ),
    ]
}

fn growth(ran: &[&Ran]) -> Curves {
    let curve = |ran: &&Ran| {
        let point =
            |sample: &super::drive::Sample| (sample.requests as f64, sample.queue_pages as f64);
        Curve {
            name: ran.cell.scheme.into(),
            note: String::new(),
            points: ran.measured.samples.iter().map(point).collect(),
            drawn: Drawn::Line,
        }
    };
    Curves {
        caption: format!("Write queue, synthetic, π = {}", PAGES_PER_BLOCK[1]),
        x_label: "requests",
        y_label: "pages of the write queue",
        log_x: false,
        log_y: false,
        curves: ran.iter().map(curve).collect(),
    }
}
