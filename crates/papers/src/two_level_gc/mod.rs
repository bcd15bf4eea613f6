//! Two-level-list collection: what choosing a victim costs as devices grow, what the lists, and every other policy, make of
//! write amplification, and page commands a second of a whole SSD.
//!
//! Source: S. Jung, Y. H. Song, 2LGC: an atomic-unit garbage collection scheme with a two-level list for NAND flash storage.

mod fig_6;
mod fig_6_notes;
mod fig_6_rows;
mod map_entries;
mod synthetic;
#[cfg(test)]
mod tests;
mod waf;
mod work;

use crate::error::ReproduceError;
use crate::paper::Paper;
use crate::reproduction::Reproduction;
use crate::settings::Settings;
use crate::watch::Watch;

/// The paper.
pub const PAPER: Paper = Paper {
    name: "2lgc",
    title: "2LGC: An Atomic-Unit Garbage Collection Scheme with a Two-Level List for NAND Flash Storage",
    source: "S. Jung, Y. H. Song, Hanyang University",
    sections: &[
        ("fig-2", "Map entries: what their widths reach, and the board of Table 1"),
        (
            "victim-work",
            "Work a victim over the number of blocks (§3.2: O(N log N) for the search)",
        ),
        ("waf", "Write amplification of every policy against closed forms and mean-field models"),
        (
            "fig-6",
            "Page commands a second over time, and what greedy in O(1) and choices make of it",
        ),
    ],
    run,
};

fn run(settings: &Settings, watch: &dyn Watch) -> Result<Reproduction, ReproduceError> {
    let mut found = PAPER.begin(settings);
    for (id, _) in PAPER.sections.iter().filter(|(id, _)| settings.wants(id)) {
        let section = match *id {
            "fig-2" => map_entries::map_entries(),
            "victim-work" => work::work(settings, watch)?,
            "waf" => waf::waf(settings, watch)?,
            _ => fig_6::fig_6(settings, watch, &mut found)?,
        };
        found.sections.push(section);
    }
    found.interrupted = watch.stop();
    Ok(found)
}
