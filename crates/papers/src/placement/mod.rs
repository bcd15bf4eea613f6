//! Placement policies: SSD-iq's figures for 2R and that of MiDAS' simulator, write amplification of all policies against the
//! oracle on synthetic loads and captured traces, SepBIT's order, and how long each needs to adapt.
//!
//! Sources: G. Haas, B. Lee, P. Bonnet, V. Leis, SSD-iq, PVLDB 18(11), 2025, measured with its simulator; Q. Wang, J. Li,
//! P. P. C. Lee et al., SepBIT, FAST 2022; S. Oh, J. Kim et al., MiDAS, FAST 2024.

mod adaptation;
mod loads;
mod measure;
mod midas;
mod ssd_iq;
mod table;
mod traces;

use crate::paper::{Exhibit, Paper, Study};

pub(crate) const PAPER: &dyn Paper = &Study::<()> {
    name: "placement",
    title: "Placement of pages: 2R, SepBIT, MiDAS and others against known times of invalidation",
    source: "Haas et al., SSD-iq, PVLDB 18(11), 2025; Wang et al., SepBIT, FAST 2022; Oh et al., MiDAS, FAST 2024",
    exhibits: &[
        Exhibit("ssd-iq", "SSD-iq: write amplification of greedy collection and of 2R", |of| {
            Ok(ssd_iq::ssd_iq(of.settings, of.watch))
        }),
        Exhibit(
            "waf",
            "Write amplification of every placement, and SepBIT's order of them on skewed loads",
            |of| Ok(table::waf(of.settings, of.watch)),
        ),
        Exhibit("midas", "MiDAS: write amplification that its simulator's README has", |of| {
            Ok(midas::midas(of.settings, of.watch))
        }),
        Exhibit(
            "adaptation",
            "Writes until each placement has adapted to another distribution",
            |of| Ok(adaptation::adaptation(of.settings, of.watch)),
        ),
        Exhibit(
            "traces",
            "Write amplification of every placement on the captured traces, against the oracle",
            |of| Ok(traces::traces(of.watch)),
        ),
    ],
    of_traces: &[],
    run: |_, _, _| Ok(()),
    conclude: |(), _| (),
};
