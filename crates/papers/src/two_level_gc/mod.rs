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
mod synthetic;
#[cfg(test)]
mod tests;
mod waf;
mod work;

use crate::paper::{Exhibit, Paper, Study};

pub(crate) const PAPER: &dyn Paper = &Study::<()> {
    name: "2lgc",
    title: "2LGC: An Atomic-Unit Garbage Collection Scheme with a Two-Level List for NAND Flash Storage",
    source: "S. Jung, Y. H. Song, Hanyang University",
    exhibits: &[
        Exhibit("fig-2", "Map entries: what their widths reach, and the board of Table 1", |_| {
            Ok(map_entries::map_entries())
        }),
        Exhibit(
            "victim-work",
            "Entries touched per victim selection over the number of blocks (§3.2: O(N log N) for the search)",
            |of| work::work(of.settings, of.watch),
        ),
        Exhibit(
            "waf",
            "Write amplification of every policy against closed forms and mean-field models",
            |of| waf::waf(of.settings, of.watch),
        ),
        Exhibit(
            "fig-6",
            "Page commands per second over time, and what greedy in O(1) and choices make of it",
            |of| fig_6::fig_6(of.settings, of.watch),
        ),
        Exhibit("parts", "The advantage of Fig. 6 in its parts, each changed alone", |of| {
            parts::parts(of.settings, of.watch)
        }),
        Exhibit(
            "fractions",
            "§5.1: threshold and lists of other sizes than 3/4, 1/20 and 1/10",
            |of| fractions::fractions(of.settings, of.watch),
        ),
        Exhibit("idle", "§2.2 and §4.3: collection in idle time", |of| {
            idle::idle(of.settings, of.watch)
        }),
    ],
    of_traces: &[],
    run: |_, _, _| Ok(()),
    conclude: |(), _| (),
};
