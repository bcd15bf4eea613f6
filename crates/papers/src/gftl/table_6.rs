//! Table VI: energy of a read and a write, with three hypotheses of the operations that the paper counted.

use super::against_nftl;
use super::cells::{Cell, Cells, Load, Ran, Reading};
use super::paper::{CONSUMER, PAGES_PER_BLOCK, TABLE_VI, TableVi, UTILISATIONS};
use crate::row::{Row, TOLERANCE};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use bounds::gftl;
use flash::Part;

/// Energy of every operation, nJ per µs: 3.3 V and 10 mA.
pub(super) const NJ_PER_US: f64 = 33.0;

/// Energy per access in nJ, counted in three ways.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    /// Operations of the request only.
    pub(super) alone: f64,
    /// Operations of the request and of the step after it.
    pub(super) with_step: f64,
    /// Operations of the request, plus an equal share of all steps, whatever request they follow.
    pub(super) with_share: f64,
}

/// Energies of reads and writes in a run.
///
/// All operations of the part draw the same power, so energy is proportional to time: 33 pJ per ns.
pub(super) fn counted(ran: &Ran) -> (Counted, Counted) {
    let part = &ran.device.part;
    let nj_a_ns = part.erase_pj() as f64 / part.t_bers_ns as f64 / 1e3;
    let (read, write) = (&ran.measured.read, &ran.measured.write);
    let steps = (read.step.sum_ns() + write.step.sum_ns()) as f64;
    let of = |kind: &super::drive::Kind| {
        let count = kind.response.count.max(1) as f64;
        let own = (kind.response.sum_ns() - kind.step.sum_ns()) as f64;
        Counted {
            alone: own / count * nj_a_ns,
            with_step: kind.response.sum_ns() as f64 / count * nj_a_ns,
            with_share: (own / count + steps / ran.measured.requests().max(1) as f64) * nj_a_ns,
        }
    };
    (of(read), of(write))
}

pub(super) fn table_6(cells: &Cells, to: &mut Sheet) -> Outcome {
    for printed in &TABLE_VI {
        let load =
            if printed.trace.name == CONSUMER.name { Load::Consumer } else { Load::Synthetic };
        let cell = Cell::gftl(load, printed.pages_per_block);
        to.rows.extend(match cells.get(cell) {
            Ok(ran) => column(printed, ran, cells.get(cell.read_as(Reading::TEXT)).ok()),
            Err(why) => vec![Row::missing(&cell.name(), "", None, why)],
        });
        to.rows.extend(independence(cells, cell));
    }
    to.rows.extend(against_nftl::energy(cells));
    Ok(())
}

/// Cause of a difference: a printed read cannot be of Table V's reads; a write depends on how often a step follows it.
fn cause(kind: &str, printed: &TableVi, figure: &str, ran: &Ran, text: Option<&Ran>) -> Reason {
    let us = |nj: f64| nj / NJ_PER_US;
    let printed_us = us(figure.parse().unwrap_or(f64::NAN));
    if kind == "read" {
        let at = PAGES_PER_BLOCK.iter().position(|pages| *pages == printed.pages_per_block);
        let mean = at.map_or("", |at| printed.trace.rows[at].read.mean);
        return Reason::PaperError(format!(
            "at 33 nJ per µs the printed energy is a read of {printed_us:.0} µs; Table V prints a mean of {mean} µs"
        ));
    }
    let measured = &ran.measured;
    let step = measured.write.step.mean_us();
    let share = 100.0 - measured.by_steps[0] as f64 / measured.requests().max(1) as f64 * 100.0;
    let text = text.map_or("unknown".into(), |ran| format!("{:.0}", counted(ran).1.with_step));
    let left = printed_us - measured.write.service.mean_us();
    let whole = whole_step_us(&ran.device.part);
    Reason::StandIn(format!(
        "how often a step follows a write is the trace's: one follows {share:.1} % of our requests, {step:.0} µs per \
         write in the mean; the printed energy leaves {left:.0} µs per write, which is a step of the printed κ \
         ({whole:.0} µs) after {:.1} %; blocks queued when full give {text} nJ",
        left / whole * 100.0
    ))
}

/// Mean step of a collection of π valid pages in the printed κ steps, µs.
fn whole_step_us(part: &Part) -> f64 {
    let pages = u64::from(part.pages_per_block);
    let ns = (2 * pages - 1) * part.t_r_ns + pages * part.t_prog_ns + part.t_bers_ns;
    ns as f64 / 1e3 / f64::from(gftl::paper_steps(part).total())
}

fn column(printed: &TableVi, ran: &Ran, text: Option<&Ran>) -> Vec<Row> {
    let (read, write) = counted(ran);
    let name = format!("{}, π = {}", printed.trace.name, printed.pages_per_block);
    let mut rows = Vec::new();
    for (kind, figure, ours) in
        [("read", printed.read_nj, read), ("write", printed.write_nj, write)]
    {
        for (counting, value) in [
            ("request alone", ours.alone),
            ("with the step behind it", ours.with_step),
            ("with its share of all steps", ours.with_share),
        ] {
            let what = format!("{name}: {kind}, {counting}");
            // The synthetic writes can only have the step counted, the reads only the request.
            let judged = (kind == "read") == (counting == "request alone")
                && counting != "with its share of all steps";
            rows.push(match judged {
                true => {
                    let row = Row::measured(&what, "nJ", figure, value, TOLERANCE)
                        .because(cause(kind, printed, figure, ran, text));
                    match (kind, printed.pages_per_block) {
                        ("write", 32) => row.headline(
                            "Table VI",
                            &format!("{name}: energy of a write and its step"),
                        ),
                        _ => row,
                    }
                }
                false => Row::evidence(&what, "nJ", value, 0),
            });
        }
    }
    let all = ran.measured.energy_pj as f64 / ran.measured.requests().max(1) as f64 / 1e3;
    rows.push(Row::evidence(&format!("{name}: all operations per request"), "nJ", all, 0));
    rows
}

/// "Independent of the utilization".
fn independence(cells: &Cells, full: Cell) -> Vec<Row> {
    let [half, full] = UTILISATIONS.map(|utilisation| cells.get(Cell { utilisation, ..full }));
    let (Ok(half), Ok(full)) = (half, full) else { return Vec::new() };
    let name = format!("{}, π = {}", full.cell.load.name(), full.cell.pages_per_block);
    let (half, full) = (counted(half), counted(full));
    [("read", half.0, full.0), ("write", half.1, full.1)]
        .map(|(kind, half, full)| {
            let percent = (half.with_step / full.with_step - 1.0) * 100.0;
            let what = format!("{name}: {kind} with its step, 50 % over 100 %");
            Row::changed(&what, "0", percent, 1.0)
        })
        .into()
}
