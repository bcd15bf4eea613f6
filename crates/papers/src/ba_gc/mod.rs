//! Buffer-aware garbage collection: worked examples, evaluation and additional studies.
//!
//! Source: S. Lee, D. Shin, J. Kim, Buffer-Aware Garbage Collection for NAND Flash Memory-Based Storage
//! Systems, 2008.

mod conditions;
mod equations;
mod example;
mod fig_1;
mod fig_3;
mod figures;
mod measure;
mod studies;
#[cfg(test)]
mod tests;

use crate::declared::Declared;
use crate::paper::{Paper, Study};
use crate::runs::Runs;

use std::sync::LazyLock;

static DATA: LazyLock<Declared> = LazyLock::new(|| {
    let mut data = Declared::read(include_str!("paper.toml"));
    data.runs.extend(conditions::groups());
    data
});

pub(crate) static PAPER: &dyn Paper = &Study::<Runs> {
    data: &DATA,
    exhibits: &[
        ("fig-1", |_, to| fig_1::fig_1(to)),
        ("fig-3", |_, to| fig_3::fig_3(to)),
        ("equations", |_, to| equations::equations(to)),
        ("fig-5", |of, to| figures::fig_5(&of.ran, to)),
        ("fig-6", |of, to| figures::fig_6(&of.ran, to)),
        ("fig-7", |of, to| studies::fig_7(&of.ran, to)),
        ("mechanism", |of, to| studies::mechanism(&of.ran, to)),
        ("migrations", |of, to| studies::migrations(&of.ran, to)),
        ("write-hits", |of, to| studies::hits(&of.ran, to)),
        ("ablation", |of, to| studies::ablation(&of.ran, to)),
        ("conditions", |of, to| conditions::conditions(&of.ran, to)),
        ("regions", |of, to| studies::regions(&of.ran, to)),
        ("parameters", |of, to| studies::parameters(&of.ran, to)),
        ("log-blocks", |of, to| studies::log_blocks(&of.ran, to)),
        ("all-ftls", |of, to| studies::all_ftls(&of.ran, to)),
        ("buffers", |of, to| studies::buffers(&of.ran, to)),
    ],
    of_traces: &[],
    run: |wanted, settings, watch| Runs::run(&DATA, wanted, settings, watch),
    conclude: |runs, found| {
        found.runs = runs.records();
        if !found.runs.is_empty() {
            found.notes.extend_from_slice(&DATA.method);
        }
        found.notes.extend_from_slice(&DATA.errata);
    },
};
