//! §VII: GFTL for soft real-time, with a threshold of the collection queue and with a priority queue.

use super::cells::{Cell, Cells, Load, OF_ORDERS, Ran, Reading, every_pages_per_block};
use super::paper::{PAGES_PER_BLOCK, THRESHOLD_PERCENT, UTILISATIONS};
use super::table_6::counted;
use crate::matrix::{Cell as Figures, Matrix};
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

/// Thresholds that are tried, percent.
const THRESHOLDS: [u8; 4] = [20, 50, 80, 95];

/// Readings of the text, utilisations and thresholds.
fn tried() -> impl Iterator<Item = (Reading, u32, u8)> {
    let readings = [Reading::TEXT, Reading::EVALUATION].into_iter();
    let states = readings.flat_map(|reading| UTILISATIONS.map(|of| (reading, of)));
    states.flat_map(|(reading, of)| THRESHOLDS.map(|threshold| (reading, of, threshold)))
}

fn of_consumer((reading, utilisation, threshold): (Reading, u32, u8), pages: u32) -> [Cell; 2] {
    let cell =
        Cell { utilisation, threshold, ..Cell::gftl(Load::Consumer, pages).read_as(reading) };
    [Cell { threshold: THRESHOLD_PERCENT, ..cell }, cell.of("gftl-threshold")]
}

/// The runs of the thresholds.
pub(super) fn thresholds_needed() -> Vec<Cell> {
    tried().flat_map(|of| PAGES_PER_BLOCK.map(|pages| of_consumer(of, pages))).flatten().collect()
}

/// What a threshold saves of the energy of writes and of reads.
pub(super) fn thresholds(cells: &Cells, to: &mut Sheet) -> Outcome {
    let name = |(reading, utilisation, threshold): (Reading, u32, u8)| {
        format!("gftl{}, {utilisation} % used, threshold {threshold} %", reading.settings())
    };
    let names: Vec<String> = tried().map(name).collect();
    let columns = PAGES_PER_BLOCK.map(|pages| format!("π = {pages}"));
    let changes = [
        ("energy of a write with its step, change, % (−4)", write_change as fn([&Ran; 2]) -> f64),
        ("energy of a read, change, % (+1.4)", read_change),
    ];
    for (title, change) in changes {
        let tried: Vec<_> = tried().collect();
        to.matrices.push(Matrix::of(title, &names, &columns, |row, column| {
            let [gftl, other] = of_consumer(tried[row], PAGES_PER_BLOCK[column]);
            let ran = cells.get(gftl).ok().zip(cells.get(other).ok());
            Figures::ours(ran.map(|(gftl, other)| change([gftl, other])), 1)
        }));
    }
    Ok(())
}

fn mean(of: impl ExactSizeIterator<Item = u64>) -> f64 {
    let count = of.len().max(1);
    of.sum::<u64>() as f64 / count as f64
}

/// Mean length of the write queue, pages.
fn mean_queue(ran: &Ran) -> f64 {
    mean(ran.measured.samples.iter().map(|sample| sample.queue_pages))
}

/// Mean number of live pages in it.
fn mean_live(ran: &Ran) -> f64 {
    mean(ran.measured.live_pages.iter().copied())
}

/// The orders of collection: that of the queue, and the dirtiest first.
const ORDERS: [&str; 2] = ["gftl", "gftl-priority"];

fn orders(load: Load, pages: u32) -> [Cell; 2] {
    ORDERS.map(|scheme| Cell::gftl(load, pages).of(scheme))
}

/// The runs of these orders.
pub(super) fn orders_needed() -> Vec<Cell> {
    let loads = OF_ORDERS.into_iter();
    loads.flat_map(|load| PAGES_PER_BLOCK.map(|pages| orders(load, pages))).flatten().collect()
}

/// The write queue by the order of collection.
pub(super) fn by_order(cells: &Cells, to: &mut Sheet) -> Outcome {
    let columns = PAGES_PER_BLOCK.map(|pages| format!("π = {pages}"));
    type Quantity = (&'static str, fn(&Ran) -> f64, usize);
    let quantities: [Quantity; 3] = [
        ("mean length of the write queue, pages", mean_queue, 0),
        ("mean number of live pages in it", mean_live, 0),
        ("valid pages of a victim", |ran| ran.measured.victim_valid_mean, 1),
    ];
    for load in OF_ORDERS {
        for (what, of, decimals) in quantities {
            let title = format!("{}: {what}", load.name());
            to.matrices.push(Matrix::of(&title, &ORDERS, &columns, |row, column| {
                let cell = orders(load, PAGES_PER_BLOCK[column])[row];
                Figures::ours(cells.get(cell).ok().map(of), decimals)
            }));
        }
    }
    Ok(())
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
    to.put("write-falls", write_change(ran));
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
    let [gftl, mean] = ran.map(mean_queue);
    let [live_before, live] = ran.map(mean_live);
    to.say("dirtiest", dirtiest).say("fifo", fifo);
    to.say("live", live / live_before.max(f64::MIN_POSITIVE));
    // A reading only where its figure is as the text has it.
    to.made(if live < live_before { "priority-reading" } else { "priority" }, |what, unit| {
        let over = mean / gftl.max(f64::MIN_POSITIVE);
        Row::limit(what, unit, Limit::Below(1.0), over).unless_idle(gftl == mean)
    });
    to.counts_if(ran[0].cell.pages_per_block == PAGES_PER_BLOCK[1]);
    if live_before > 0.0 {
        to.put("live-queue", live / live_before);
        to.counts_if(ran[0].cell.pages_per_block == PAGES_PER_BLOCK[1]);
    }
    to.put("mean-queue", gftl);
    let [gftl, most] = ran.map(|ran| ran.measured.queue_pages_most);
    to.put("longest-queue", most as f64 / gftl.max(1) as f64);
}
