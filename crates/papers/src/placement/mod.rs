//! Placement policies: SSD-iq's figures for 2R, write amplification of all policies against the oracle, and SepBIT's order.
//!
//! Sources: G. Haas, B. Lee, P. Bonnet, V. Leis, SSD-iq, PVLDB 18(11), 2025, measured with its simulator; Q. Wang, J. Li,
//! P. P. C. Lee et al., SepBIT, FAST 2022.

mod loads;
mod measure;
mod ssd_iq;
mod table;

use crate::paper::{Exhibit, Paper, Study};

pub(crate) const PAPER: &dyn Paper = &Study::<()> {
    name: "placement",
    title: "Placement of pages: 2R, SepBIT and others against known times of invalidation",
    source: "Haas et al., SSD-iq, PVLDB 18(11), 2025; Wang et al., SepBIT, FAST 2022",
    exhibits: &[
        Exhibit("ssd-iq", "SSD-iq: write amplification of greedy collection and of 2R", |of| {
            Ok(ssd_iq::ssd_iq(of.settings, of.watch))
        }),
        Exhibit(
            "waf",
            "Write amplification of every placement, and SepBIT's order of them on skewed loads",
            |of| Ok(table::waf(of.settings, of.watch)),
        ),
    ],
    of_traces: &[],
    run: |_, _, _| Ok(()),
    conclude: |(), _| (),
};
