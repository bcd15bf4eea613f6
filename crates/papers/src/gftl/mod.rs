//! GFTL: closed forms, evaluation, and variants for soft real-time.
//!
//! Source: S. Choudhuri, T. Givargis, Deterministic Service Guarantees for NAND Flash using Partial Block
//! Cleaning, CODES+ISSS 2008 and its journal version.

mod against_nftl;
mod cells;
mod closed_forms;
mod drive;
mod paper;
mod period;
mod queue;
mod readings;
mod related;
mod soft;
mod spread;
mod start_up;
mod table_4;
mod table_5;
mod table_6;
#[cfg(test)]
mod tests;

use crate::paper::{Exhibit, Paper, Study, note};
use crate::settings::Scale;
use cells::{Cell, Cells, Load, every_pages_per_block};

pub(crate) const PAPER: &dyn Paper = &Study::<Cells> {
    name: "gftl",
    title: "Deterministic Service Guarantees for NAND Flash using Partial Block Cleaning",
    source: "S. Choudhuri, T. Givargis, CODES+ISSS 2008 and its journal version",
    exhibits: &[
        Exhibit("table-1", "Data sheets of the two parts", |_| Ok(closed_forms::table_1())),
        Exhibit("fig-2", "Write times of NFTL", |of| against_nftl::fig_2(&of.ran)),
        Exhibit("table-3", "Bounds of the service guarantee, on the large-block part", |_| {
            Ok(closed_forms::table_3())
        }),
        Exhibit("fig-6", "Growth of the write queue in the worst order, modelled", |_| {
            queue::fig_6()
        }),
        Exhibit("table-4", "Characteristics of the benchmarks", |of| {
            Ok(table_4::table_4(of.settings, of.watch))
        }),
        Exhibit("table-5", "Performance of GFTL", |of| Ok(table_5::table_5(&of.ran))),
        Exhibit(
            "readings",
            "Readings of the text: RAM of a collection, and when a block is queued",
            |of| Ok(readings::readings(&of.ran)),
        ),
        Exhibit("fig-7", "Time spent in each period", |of| period::fig_7(&of.ran)),
        Exhibit("fig-8", "Growth of the write queue, simulated", |of| queue::fig_8(&of.ran)),
        Exhibit("fig-9", "NFTL against GFTL: writes", |of| against_nftl::fig_9(&of.ran)),
        Exhibit("fig-10", "NFTL against GFTL: reads", |of| against_nftl::fig_10(&of.ran)),
        Exhibit("table-6", "Average energy an access", |of| Ok(table_6::table_6(&of.ran))),
        Exhibit("start-up", "Start-up and shutdown of 1 GiB (§VI)", |of| {
            Ok(start_up::start_up(of.watch))
        }),
        Exhibit("soft-real-time", "Threshold and priority of the collection queue (§VII)", |of| {
            soft::soft(&of.ran)
        }),
        Exhibit("related", "Collection as a task of its own (§VIII)", |of| {
            Ok(related::related(&of.ran))
        }),
    ],
    of_traces: &[],
    run: |wanted, settings, watch| Ok(Cells::run(&needed(wanted), settings, watch)),
    conclude: |cells, found| {
        // The paper's arrays are small enough to run at full size.
        found.scale = Scale::Full;
        found.runs = cells.records;
        note(found, &METHOD);
    },
};

/// Notes on the method.
const METHOD: [&str; 1] = [
    "Quick and full are the same here: the paper's flash sizes and all of its 4.4 million requests. Requests come \
     every L(p), and each of GFTL's is served within it, so no request waits for another.",
];

/// Runs that the requested sections need, without duplicates, the longest first.
fn needed(wanted: &[&str]) -> Vec<Cell> {
    let synthetic = |scheme| every_pages_per_block(scheme, Load::Synthetic).to_vec();
    let of = |id: &str| match id {
        "table-5" => {
            let one_block = every_pages_per_block("gftl", Load::OneBlock);
            [cells::table_v(), one_block.to_vec(), readings::needed()].concat()
        }
        "readings" => readings::needed(),
        "table-6" => {
            let nftl = synthetic("nftl").into_iter().map(Cell::half_used);
            [cells::table_v(), readings::needed(), nftl.collect()].concat()
        }
        "fig-2" => {
            let one = synthetic("nftl").into_iter().map(Cell::fold_by_fold);
            one.chain(synthetic("nftl")).collect()
        }
        "fig-9" => {
            let half = synthetic("nftl").into_iter().map(Cell::half_used);
            [half.collect(), synthetic("nftl"), synthetic("gftl")].concat()
        }
        "fig-10" | "related" => [synthetic("nftl"), synthetic("gftl")].concat(),
        "fig-7" => {
            let consumer = every_pages_per_block("gftl", Load::Consumer);
            [synthetic("gftl"), consumer.to_vec()].concat()
        }
        "fig-8" => {
            let orders = [Load::WorstOrder, Load::QueueOrder];
            orders.map(|order| every_pages_per_block("gftl", order)).concat()
        }
        "soft-real-time" => soft::needed(),
        _ => Vec::new(),
    };
    let mut cells: Vec<Cell> = Vec::new();
    for id in wanted {
        for cell in of(id) {
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
    }
    cells.sort_by_key(|cell| cell.load != Load::Synthetic);
    cells
}
