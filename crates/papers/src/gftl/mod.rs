//! GFTL: closed forms, evaluation, and variants for soft real-time.
//!
//! Source: S. Choudhuri, T. Givargis, Deterministic Service Guarantees for NAND Flash using Partial Block
//! Cleaning, CODES+ISSS 2008 and its journal version.

mod against_nftl;
mod cells;
mod closed_forms;
mod drive;
mod locality;
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

use crate::declared::Declared;
use crate::paper::{Paper, Study};
use crate::settings::Scale;
use cells::{Cell, Cells, Load, every_pages_per_block};
use std::sync::LazyLock;

static DATA: LazyLock<Declared> = LazyLock::new(|| Declared::read(include_str!("paper.toml")));

pub(crate) static PAPER: &dyn Paper = &Study::<Cells> {
    data: &DATA,
    exhibits: &[
        ("table-1", |_, to| closed_forms::table_1(to)),
        ("fig-2", |of, to| against_nftl::fig_2(&of.ran, to)),
        ("table-3", |_, to| closed_forms::table_3(to)),
        ("fig-6", |_, to| queue::fig_6(to)),
        ("table-4", |of, to| table_4::table_4(of.settings, of.watch, to)),
        ("table-5", |of, to| table_5::table_5(&of.ran, to)),
        ("readings", |of, to| readings::readings(&of.ran, to)),
        ("fig-7", |of, to| period::fig_7(&of.ran, to)),
        ("fig-8", |of, to| queue::fig_8(&of.ran, to)),
        ("fig-9", |of, to| against_nftl::fig_9(&of.ran, to)),
        ("fig-10", |of, to| against_nftl::fig_10(&of.ran, to)),
        ("table-6", |of, to| table_6::table_6(&of.ran, to)),
        ("locality", |of, to| locality::locality(&of.ran, to)),
        ("start-up", |of, to| start_up::start_up(of.watch, to)),
        ("soft-real-time", |of, to| soft::soft(&of.ran, to)),
        ("threshold", |of, to| soft::thresholds(&of.ran, to)),
        ("priority", |of, to| soft::by_order(&of.ran, to)),
        ("related", |of, to| related::related(&of.ran, to)),
    ],
    of_traces: &[],
    run: |wanted, settings, watch| Ok(Cells::run(&needed(wanted), settings, watch)),
    conclude: |cells, found| {
        // The paper's arrays are small enough to run at full size.
        found.scale = Scale::Full;
        found.runs = cells.records;
        found.notes.extend_from_slice(&DATA.method);
    },
};

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
            [cells::table_v(), readings::needed(), table_6::orders(), nftl.collect()].concat()
        }
        "fig-2" => {
            let one = synthetic("nftl").into_iter().map(Cell::fold_by_fold);
            one.chain(synthetic("nftl")).collect()
        }
        "fig-9" => {
            let half = synthetic("nftl").into_iter().map(Cell::half_used);
            let one = synthetic("nftl").into_iter().map(Cell::fold_by_fold).collect();
            [half.collect(), one, synthetic("nftl"), synthetic("gftl")].concat()
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
        "locality" => locality::needed(),
        "soft-real-time" => soft::needed(),
        "threshold" => soft::thresholds_needed(),
        "priority" => soft::orders_needed(),
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
