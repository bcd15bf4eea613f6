//! §VII: GFTL for soft real-time, with a threshold of the collection queue and with a priority queue.

use super::cells::{Cell, Cells, Load, Ran, Reading, every_pages_per_block};
use super::paper::PAGES_PER_BLOCK;
use super::table_6::counted;
use crate::row::{Limit, Row};
use crate::sheet::{Outcome, Sheet, line};

/// Loads on which both queues are compared.
const COMPARED: [Load; 2] = [Load::Synthetic, Load::Consumer];

pub(super) fn soft(cells: &Cells, to: &mut Sheet) -> Outcome {
    let with = |cell: Cell, scheme| {
        let [gftl, other] = [cells.get(cell), cells.get(cell.of(scheme))];
        Ok::<_, &str>([gftl?, other?])
    };
    for pages in PAGES_PER_BLOCK {
        let cell = Cell::gftl(Load::Consumer, pages);
        to.say("pages", pages);
        match with(cell, "gftl-threshold") {
            Ok(ran) => {
                let text = with(cell.read_as(Reading::TEXT), "gftl-threshold").ok();
                threshold(ran, text, to);
            }
            Err(why) => to.missing(&cell.of("gftl-threshold").name(), why),
        }
    }
    for pages in PAGES_PER_BLOCK {
        // A trace that is long enough to reach the threshold.
        if let Ok(ran) = with(Cell::gftl(Load::Synthetic, pages), "gftl-threshold") {
            to.say("pages", pages).put("long-write", write_change(ran));
            to.put("long-read", read_change(ran));
        }
    }
    for load in COMPARED {
        for pages in PAGES_PER_BLOCK {
            let cell = Cell::gftl(load, pages);
            to.say("load", load.name()).say("pages", pages);
            match with(cell, "gftl-priority") {
                Ok(ran) => priority(ran, to),
                Err(why) => to.missing(&cell.of("gftl-priority").name(), why),
            }
        }
    }
    let plotted = Cell::gftl(Load::Synthetic, PAGES_PER_BLOCK[1]);
    let curves = cells.all(&[plotted, plotted.of("gftl-priority")]).into_iter().map(|ran| {
        let samples = ran.measured.samples.iter();
        line(ran.cell.scheme, samples.map(|of| (of.requests as f64, of.queue_pages as f64)))
    });
    to.curves("priority-queue", curves.collect());
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

/// Change of the energy of a write with its step, %.
fn write_change(ran: [&Ran; 2]) -> f64 {
    let [before, after] = ran.map(|ran| counted(ran).1.with_step);
    (after / before - 1.0) * 100.0
}

/// Change of the energy of a read, %.
fn read_change(ran: [&Ran; 2]) -> f64 {
    let [before, after] = ran.map(|ran| counted(ran).0.alone);
    (after / before - 1.0) * 100.0
}

/// Rows with the energy of the threshold variant against GFTL.
fn threshold(ran: [&Ran; 2], text: Option<[&Ran; 2]>, to: &mut Sheet) {
    for (word, change) in
        [("text_write", write_change as fn([&Ran; 2]) -> f64), ("text_read", read_change)]
    {
        match text {
            Some(text) => to.say(word, change(text)),
            None => to.say(word, "unknown"),
        };
    }
    // One figure is printed each, without π.
    let first = ran[0].cell.pages_per_block == PAGES_PER_BLOCK[0];
    to.put("write", write_change(ran));
    to.counts_if(first);
    to.put("read", read_change(ran));
    to.counts_if(first);
    let [gftl, threshold] = ran.map(|ran| &ran.measured);
    to.put("victims", threshold.victims as f64 / gftl.victims.max(1) as f64 * 100.0);
    to.put("longest", threshold.queue_pages_most);
}

/// Rows comparing the priority queue with first in, first out.
fn priority(ran: [&Ran; 2], to: &mut Sheet) {
    let [fifo, dirtiest] = ran.map(|ran| ran.measured.victim_valid_mean);
    let [gftl, mean] = ran.map(|ran| {
        let lengths = ran.measured.samples.iter().map(|sample| sample.queue_pages as f64);
        lengths.sum::<f64>() / ran.measured.samples.len().max(1) as f64
    });
    to.say("dirtiest", dirtiest).say("fifo", fifo);
    to.made("priority", |what, unit| {
        let over = mean / gftl.max(f64::MIN_POSITIVE);
        Row::limit(what, unit, Limit::Below(1.0), over).unless_idle(gftl == mean)
    });
    to.counts_if(ran[0].cell.pages_per_block == PAGES_PER_BLOCK[1]);
    to.put("mean-queue", gftl);
    let [gftl, most] = ran.map(|ran| ran.measured.queue_pages_most);
    to.put("longest-queue", most as f64 / gftl.max(1) as f64);
}
