//! Lazy-RTGC: its bounds, its worked examples and its evaluation.
//!
//! Source: Q. Zhang, X. Li, L. Wang, T. Zhang, Y. Wang, Z. Shao, Lazy-RTGC, ACM TODAES 20(3):43, 2015.

mod closed_forms;

use super::{Paper, ReproduceError, Reproduction, Settings, Watch};

/// The paper.
pub const PAPER: Paper = Paper {
    name: "lazy-rtgc",
    title: "Lazy-RTGC: A Real-Time Lazy Garbage Collection Mechanism with Jointly Optimizing Average and \
            Worst Performance for NAND Flash Memory Storage Systems",
    source: "Q. Zhang, X. Li, L. Wang, T. Zhang, Y. Wang, Z. Shao, ACM TODAES 20(3):43, 2015",
    sections: &[
        ("table-1", "Bounds of the service guarantee, on the evaluation's part"),
        ("table-2", "Space configuration U(σ) of five parts"),
        ("table-3", "Space utilisation of five parts"),
    ],
    run,
};

fn run(settings: &Settings, _watch: &dyn Watch) -> Result<Reproduction, ReproduceError> {
    let mut found = PAPER.begin(settings);
    for (id, section) in [
        ("table-1", closed_forms::table_1 as fn() -> Result<_, ReproduceError>),
        ("table-2", closed_forms::table_2),
        ("table-3", closed_forms::table_3),
    ] {
        if settings.wants(id) {
            found.sections.push(section()?);
        }
    }
    Ok(found)
}
