//! Two-level-list collection: cost of victim selection over the device size, write amplification of all victim
//! policies, and page commands per second of a whole SSD.
//!
//! Source: S. Jung, Y. H. Song, 2LGC: an atomic-unit garbage collection scheme with a two-level list for NAND flash storage.

mod fig_6;
mod fig_6_board;
mod fig_6_notes;
mod fig_6_rows;
mod fractions;
mod idle;
mod map_entries;
mod parts;
mod policies;
mod shares;
mod synthetic;
#[cfg(test)]
mod tests;
mod waf;
mod work;

use crate::declared::Declared;
use crate::paper::{Paper, Study};
use std::sync::LazyLock;

static DATA: LazyLock<Declared> = LazyLock::new(|| Declared::read(include_str!("paper.toml")));

pub(crate) static PAPER: &dyn Paper = &Study::<()> {
    data: &DATA,
    exhibits: &[
        ("fig-2", |_, to| map_entries::map_entries(to)),
        ("victim-work", |of, to| work::work(of.settings, of.watch, to)),
        ("waf", |of, to| waf::waf(of.settings, of.watch, to)),
        ("fig-6", |of, to| fig_6::fig_6(of.settings, of.watch, to)),
        ("parts", |of, to| parts::parts(of.settings, of.watch, to)),
        ("fractions", |of, to| fractions::fractions(of.settings, of.watch, to)),
        ("shares", |of, to| shares::shares(of.settings, of.watch, to)),
        ("idle", |of, to| idle::idle(of.settings, of.watch, to)),
    ],
    of_traces: &[],
    run: |_, _, _| Ok(()),
    conclude: |(), _| (),
};
