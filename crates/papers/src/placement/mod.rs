//! Placement policies: SSD-iq's figures for 2R and that of MiDAS' simulator, write amplification of all policies against the
//! oracle on synthetic loads and captured traces, SepBIT's order, and how long each needs to adapt.
//!
//! Sources: G. Haas, B. Lee, P. Bonnet, V. Leis, SSD-iq, PVLDB 18(11), 2025, measured with its simulator; Q. Wang, J. Li,
//! P. P. C. Lee et al., SepBIT, FAST 2022; S. Oh, J. Kim et al., MiDAS, FAST 2024.

mod adaptation;
mod changing;
mod loads;
mod measure;
mod midas;
mod ssd_iq;
mod table;
mod traces;

use crate::declared::Declared;
use crate::paper::{Paper, Study};
use std::sync::LazyLock;

static DATA: LazyLock<Declared> = LazyLock::new(|| Declared::read(include_str!("paper.toml")));

pub(crate) static PAPER: &dyn Paper = &Study::<()> {
    data: &DATA,
    exhibits: &[
        ("ssd-iq", |of, to| ssd_iq::ssd_iq(of.settings, of.watch, to)),
        ("waf", |of, to| table::waf(of.settings, of.watch, to)),
        ("midas", |of, to| midas::midas(of.settings, of.watch, to)),
        ("adaptation", |of, to| adaptation::adaptation(of.settings, of.watch, to)),
        ("changing", |of, to| changing::changing(of.settings, of.watch, to)),
        ("traces", |of, to| traces::traces(of.watch, to)),
    ],
    of_traces: &[],
    run: |_, _, _| Ok(()),
    conclude: |(), _| (),
};
