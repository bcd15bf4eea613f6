//! Buffer-aware garbage collection: worked examples, evaluation and additional studies.
//!
//! Source: S. Lee, D. Shin, J. Kim, Buffer-Aware Garbage Collection for NAND Flash Memory-Based Storage
//! Systems, 2008.

mod ablation;
mod all_ftls;
mod buffers;
mod equations;
mod example;
mod fig_1;
mod fig_3;
mod fig_7;
mod figures;
mod log_blocks;
mod mechanism;
mod migrations;
mod normalised;
mod parameters;
mod regions;
mod runs;
mod schemes;
#[cfg(test)]
mod tests;
mod times;
mod write_hits;

use crate::declared::Declared;
use crate::paper::{Paper, Study};
use runs::Runs;
use std::sync::LazyLock;

static DATA: LazyLock<Declared> = LazyLock::new(|| Declared::read(include_str!("paper.toml")));

pub(crate) static PAPER: &dyn Paper = &Study::<Runs> {
    data: &DATA,
    exhibits: &[
        ("fig-1", |_, to| fig_1::fig_1(to)),
        ("fig-3", |_, to| fig_3::fig_3(to)),
        ("equations", |_, to| equations::equations(to)),
        ("fig-5", |of, to| figures::fig_5(&of.ran, to)),
        ("fig-6", |of, to| figures::fig_6(&of.ran, to)),
        ("fig-7", |of, to| fig_7::fig_7(&of.ran, to)),
        ("mechanism", |of, to| mechanism::mechanism(&of.ran, to)),
        ("migrations", |of, to| migrations::migrations(&of.ran, to)),
        ("write-hits", |of, to| write_hits::write_hits(&of.ran, to)),
        ("ablation", |of, to| ablation::ablation(&of.ran, to)),
        ("regions", |of, to| regions::regions(&of.ran, to)),
        ("parameters", |of, to| parameters::parameters(&of.ran, to)),
        ("log-blocks", |of, to| log_blocks::log_blocks(&of.ran, to)),
        ("all-ftls", |of, to| all_ftls::all_ftls(&of.ran, to)),
        ("buffers", |of, to| buffers::buffers(&of.ran, to)),
    ],
    of_traces: &[],
    run: Runs::run,
    conclude: |runs, found| {
        found.runs = runs.records();
        if !found.runs.is_empty() {
            found.notes.extend_from_slice(&DATA.method);
        }
        found.notes.extend_from_slice(&DATA.errata);
    },
};
