//! GFTL: its bounds, its evaluation, and its variants for soft real-time.
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
mod soft;
mod spread;
mod start_up;
mod table_4;
mod table_5;
mod table_6;
#[cfg(test)]
mod tests;

use crate::error::ReproduceError;
use crate::paper::Paper;
use crate::reproduction::Reproduction;
use crate::settings::{Scale, Settings};
use crate::watch::Watch;
use cells::{Cell, Cells, Load, every_pages_per_block};

/// The paper.
pub const PAPER: Paper = Paper {
    name: "gftl",
    title: "Deterministic Service Guarantees for NAND Flash using Partial Block Cleaning",
    source: "S. Choudhuri, T. Givargis, CODES+ISSS 2008 and its journal version",
    sections: &[
        ("table-1", "Data sheets of the two parts"),
        ("fig-2", "Write times of NFTL"),
        ("table-3", "Bounds of the service guarantee, on the large-block part"),
        ("fig-6", "Growth of the write queue in the worst order, modelled"),
        ("table-4", "Characteristics of the benchmarks"),
        ("table-5", "Performance of GFTL"),
        ("fig-7", "Time spent in each period"),
        ("fig-8", "Growth of the write queue, simulated"),
        ("fig-9", "NFTL against GFTL: writes"),
        ("fig-10", "NFTL against GFTL: reads"),
        ("table-6", "Average energy an access"),
        ("start-up", "Start-up and shutdown of 1 GiB (§VI)"),
        ("soft-real-time", "Threshold and priority of the collection queue (§VII)"),
    ],
    run,
};

fn run(settings: &Settings, watch: &dyn Watch) -> Result<Reproduction, ReproduceError> {
    let mut found = PAPER.begin(settings);
    // The paper's arrays are small enough to run at their size.
    found.scale = Scale::Full;
    found.notes.push(
        "Quick and full are the same here: the paper's flash sizes and all of its 4.4 million requests. Requests \
         come every L(p), and each of GFTL's is served within it, so no request waits for another."
            .into(),
    );
    let cells = Cells::run(&needed(settings), settings, watch);
    for (id, _) in PAPER.sections.iter().filter(|(id, _)| settings.wants(id)) {
        let section = match *id {
            "table-1" => closed_forms::table_1(),
            "table-3" => closed_forms::table_3(),
            "table-4" => table_4::table_4(settings, watch),
            "table-5" => table_5::table_5(&cells),
            "table-6" => table_6::table_6(&cells),
            "fig-2" => against_nftl::fig_2(&cells)?,
            "fig-6" => queue::fig_6()?,
            "fig-7" => period::fig_7(&cells)?,
            "fig-8" => queue::fig_8(&cells)?,
            "fig-9" => against_nftl::fig_9(&cells)?,
            "fig-10" => against_nftl::fig_10(&cells)?,
            "start-up" => start_up::start_up(watch),
            _ => soft::soft(&cells)?,
        };
        found.sections.push(section);
    }
    found.interrupted = watch.stop();
    found.runs = cells.records;
    Ok(found)
}

/// The runs of the sections that are asked for, each once, the longest first.
fn needed(settings: &Settings) -> Vec<Cell> {
    let synthetic = |scheme| every_pages_per_block(scheme, Load::Synthetic).to_vec();
    let of = |id: &str| match id {
        "table-5" => {
            let one_block = every_pages_per_block("gftl", Load::OneBlock);
            [cells::table_v(), one_block.to_vec()].concat()
        }
        "table-6" => cells::table_v(),
        "fig-2" => synthetic("nftl"),
        "fig-9" | "fig-10" => [synthetic("nftl"), synthetic("gftl")].concat(),
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
    for (id, _) in PAPER.sections.iter().filter(|(id, _)| settings.wants(id)) {
        for cell in of(id) {
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
    }
    cells.sort_by_key(|cell| cell.load != Load::Synthetic);
    cells
}
