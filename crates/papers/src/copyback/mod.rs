//! Copy-back by direct data transfer: equations, evaluation in the event-driven engine, and the effect on a host on
//! the same channel.
//!
//! Source: J. Jeong, Y. H. Song, A technique to improve garbage collection performance for NAND flash-based storage
//! systems, IEEE Trans. Consumer Electronics 58(2), 2012.

mod equations;
mod fig_10;
mod fig_11;
mod fig_12;
mod fig_13;
mod fig_14;
mod fig_9;
mod host_load;
mod ours;
mod ssd;
mod stages;
#[cfg(test)]
mod tests;

use crate::declared::Declared;
use crate::paper::{Paper, Study};
use std::sync::LazyLock;

static DATA: LazyLock<Declared> = LazyLock::new(|| Declared::read(include_str!("paper.toml")));

pub(crate) static PAPER: &dyn Paper = &Study::<()> {
    data: &DATA,
    exhibits: &[
        ("table-2", |_, to| stages::table_2(to)),
        ("equations", |_, to| equations::equations(to)),
        ("fig-9", |_, to| fig_9::fig_9(to)),
        ("fig-10", |_, to| fig_10::fig_10(to)),
        ("fig-11", |_, to| fig_11::fig_11(to)),
        ("fig-12", |_, to| fig_12::fig_12(to)),
        ("erase", |_, to| fig_12::early_erase(to)),
        ("fig-13", |_, to| fig_13::fig_13(to)),
        ("fig-14", |_, to| fig_14::fig_14(to)),
        ("host-load", |of, to| host_load::host_load(of.settings, of.watch, to)),
        ("ssd", |of, to| ssd::ssd(of.settings, of.watch, to)),
    ],
    of_traces: &[],
    run: |_, _, _| Ok(()),
    conclude: |(), found| {
        found.notes.extend_from_slice(&DATA.method);
        found.notes.extend_from_slice(&DATA.errata);
    },
};
