//! Table VI: energy of a read and a write, with four hypotheses of the operations that the paper counted.

use super::against_nftl;
use super::cells::{Cell, Cells, Load, Ran, Reading, every_pages_per_block};
use super::paper::{CONSUMER, PAGES_PER_BLOCK, TABLE_VI, TableVi, UTILISATIONS};
use crate::row::{Row, TOLERANCE};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Verdict;
use bounds::gftl;
use flash::Part;

/// Energy of every operation, nJ per µs: 3.3 V and 10 mA.
pub(super) const NJ_PER_US: f64 = 33.0;

/// Energy per access in nJ, counted in four ways.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    /// Operations of the request only.
    pub(super) alone: f64,
    /// Operations of the request and of the step after it.
    pub(super) with_step: f64,
    /// The same without the steps behind requests that RAM serves.
    pub(super) behind_flash: f64,
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
            behind_flash: kind.of_flash.sum_ns() as f64 / count * nj_a_ns,
            with_share: (own / count + steps / ran.measured.requests().max(1) as f64) * nj_a_ns,
        }
    };
    (of(read), of(write))
}

/// Orders of writes between which a trace lies: what RAM takes of them, from all that it can to hardly any.
const ORDERS: [(&str, Load); 3] =
    [("one_block", Load::OneBlock), ("in_order", Load::InOrder), ("at_random", Load::AtRandom)];

/// The runs of these orders.
pub(super) fn orders() -> Vec<Cell> {
    ORDERS.iter().flat_map(|(_, load)| every_pages_per_block("gftl", *load)).collect()
}

pub(super) fn table_6(cells: &Cells, to: &mut Sheet) -> Outcome {
    for pages in [TABLE_VI[0], TABLE_VI[1]].map(|printed| printed.pages_per_block) {
        for (_, load) in ORDERS {
            let ran = cells.get(Cell::gftl(load, pages)).ok();
            let energy = ran.map(|ran| counted(ran).1.with_step);
            to.say("load", load.name()).say("pages", pages).put_some("write-order", energy);
        }
    }
    for printed in &TABLE_VI {
        for (word, load) in ORDERS {
            let ran = cells.get(Cell::gftl(load, printed.pages_per_block)).ok();
            to.say(word, ran.map(|ran| counted(ran).1.with_step));
        }
        let load =
            if printed.trace.name == CONSUMER.name { Load::Consumer } else { Load::Synthetic };
        let cell = Cell::gftl(load, printed.pages_per_block);
        to.say("load", load.name()).say("pages", printed.pages_per_block);
        match cells.get(cell) {
            Ok(ran) => column(printed, ran, cells.get(cell.read_as(Reading::TEXT)).ok(), to),
            Err(why) => to.missing(&cell.name(), why),
        }
        independence(cells, cell, to);
    }
    against_nftl::energy(cells, to);
    Ok(())
}

/// Mean step of a collection of π valid pages in the printed κ steps, µs.
fn whole_step_us(part: &Part) -> f64 {
    let pages = u64::from(part.pages_per_block);
    let ns = (2 * pages - 1) * part.t_r_ns + pages * part.t_prog_ns + part.t_bers_ns;
    ns as f64 / 1e3 / f64::from(gftl::paper_steps(part).total())
}

fn column(printed: &TableVi, ran: &Ran, text: Option<&Ran>, to: &mut Sheet) {
    let measured = &ran.measured;
    let (read, write) = counted(ran);
    let us = |nj: &str| nj.parse().unwrap_or(f64::NAN) / NJ_PER_US;
    let at = PAGES_PER_BLOCK.iter().position(|pages| *pages == printed.pages_per_block);
    to.say("mean", at.map_or("", |at| printed.trace.rows[at].read.mean));
    to.say("printed", printed.read_nj).say("printed_us", us(printed.read_nj));
    to.put("read", read.alone);
    to.put("read-step", read.with_step);
    to.put("read-share", read.with_share);
    // A write depends on how often a step follows it.
    let left = us(printed.write_nj) - measured.write.service.mean_us();
    let whole = whole_step_us(&ran.device.part);
    let none = measured.by_steps[0] as f64 / measured.requests().max(1) as f64 * 100.0;
    to.say("share", 100.0 - none).say("step", measured.write.step.mean_us()).say("left", left);
    to.say("whole", whole).say("after", left / whole * 100.0).say("printed", printed.write_nj);
    to.say("text", text.map_or("unknown".into(), |of| format!("{:.0}", counted(of).1.with_step)));
    to.put("write", write.alone);
    let is_reading = Row::measured("", "", printed.write_nj, write.behind_flash, TOLERANCE);
    let is_reading = is_reading.verdict != Verdict::Differs;
    to.say("flash", write.behind_flash);
    to.put(if is_reading { "write-step-reading" } else { "write-step" }, write.with_step);
    to.put("write-flash", write.behind_flash);
    to.put("write-share", write.with_share);
    to.put("all", measured.energy_pj as f64 / measured.requests().max(1) as f64 / 1e3);
}

/// "Independent of the utilization".
fn independence(cells: &Cells, full: Cell, to: &mut Sheet) {
    let [half, full] = UTILISATIONS.map(|utilisation| cells.get(Cell { utilisation, ..full }));
    let (Ok(half), Ok(full)) = (half, full) else { return };
    let (half, full) = (counted(half), counted(full));
    to.put("half-read", (half.0.with_step / full.0.with_step - 1.0) * 100.0);
    to.put("half-write", (half.1.with_step / full.1.with_step - 1.0) * 100.0);
}
