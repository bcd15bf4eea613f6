//! Lazy-RTGC: its bounds, its worked examples and its evaluation.
//!
//! Source: Q. Zhang, X. Li, L. Wang, T. Zhang, Y. Wang, Z. Shao, Lazy-RTGC, ACM TODAES 20(3):43, 2015.

mod closed_forms;
mod evaluation;
mod examples;
mod figures;
mod memory;
mod on_demand;
mod traces;

use super::{Paper, ReproduceError, Reproduction, Section, Settings, Watch};
use evaluation::Evaluation;

/// The paper.
pub const PAPER: Paper = Paper {
    name: "lazy-rtgc",
    title: "Lazy-RTGC: A Real-Time Lazy Garbage Collection Mechanism with Jointly Optimizing Average and \
            Worst Performance for NAND Flash Memory Storage Systems",
    source: "Q. Zhang, X. Li, L. Wang, T. Zhang, Y. Wang, Z. Shao, ACM TODAES 20(3):43, 2015",
    sections: &[
        ("table-1", "Bounds of the service guarantee, on the evaluation's part"),
        ("fig-1", "How the valid pages of a victim decide a response"),
        ("fig-2", "A schedule of partial collection tasks, run"),
        ("table-2", "Space configuration U(σ) of five parts"),
        ("table-3", "Space utilisation of five parts"),
        ("table-5", "Workloads"),
        ("fig-6", "Worst response"),
        ("fig-7", "Mean response"),
        ("fig-8", "Map on demand: hit ratio and mean response over the cached mapping table"),
        ("fig-9", "Valid pages copied"),
        ("fig-10", "Blocks erased"),
        ("fig-11", "Space utilisation in the evaluation"),
        ("table-7", "RAM and energy of an access to it"),
    ],
    run,
};

fn run(settings: &Settings, watch: &dyn Watch) -> Result<Reproduction, ReproduceError> {
    let mut found = PAPER.begin(settings);
    let measured = ["fig-6", "fig-7", "fig-8", "fig-9", "fig-10"];
    let evaluation = match measured.iter().any(|id| settings.wants(id)) {
        true => Some(Evaluation::run(settings, watch)?),
        false => None,
    };
    for (id, _) in PAPER.sections {
        if settings.wants(id) {
            found.sections.push(section(id, evaluation.as_ref(), settings, watch)?);
        }
    }
    if let Some(evaluation) = evaluation {
        let runs = evaluation.full.into_iter().chain(evaluation.footprint);
        found.runs = runs.map(|ran| ran.record).collect();
        found.notes.extend(METHOD.iter().map(|note| (*note).to_owned()));
    }
    found.notes.extend(ERRATA.iter().map(|note| (*note).to_owned()));
    found.interrupted = watch.stop();
    Ok(found)
}

fn section(
    id: &str,
    evaluation: Option<&Evaluation>,
    settings: &Settings,
    watch: &dyn Watch,
) -> Result<Section, ReproduceError> {
    match (id, evaluation) {
        ("table-1", _) => closed_forms::table_1(),
        ("table-2", _) => closed_forms::table_2(),
        ("table-3", _) => closed_forms::table_3(),
        ("table-5", _) => traces::table_5(settings, watch),
        ("table-7", _) => memory::table_7(),
        ("fig-1", _) => examples::fig_1(),
        ("fig-2", _) => examples::fig_2(),
        ("fig-11", _) => memory::fig_11(),
        ("fig-8", Some(evaluation)) => on_demand::fig_8(evaluation, settings.scale),
        (id, Some(evaluation)) => {
            let metric = figures::METRICS.iter().find(|metric| metric.section == id);
            let mut section = figures::section(metric.expect("is a figure"), evaluation)?;
            section.rows.extend(match id {
                "fig-9" => on_demand::translation_copies(evaluation),
                "fig-10" => on_demand::erases(evaluation),
                _ => Vec::new(),
            });
            Ok(section)
        }
        (id, None) => unreachable!("{id} needs no run"),
    }
}

/// How it was done.
const METHOD: [&str; 1] = ["method"];

/// Where the paper disagrees with itself.
const ERRATA: [&str; 6] = [
    "Eq. 7 prints ⌈t_er/(t_rd+t_wr)⌉; Tables II and III and α = 8 come out with ⌊·⌋ only, and a step of ⌈·⌉ \
     pages would last longer than t_er",
    "Table III cuts GFTL's 92.97 % off to 92.9 %; §6.2 gives 92.18 % where 1 − (κ+1)/2π is 92.19 %",
    "§4.3 speaks of six parts, Tables II and III have five",
    "§1 has mean responses 94.08 % and 66.54 % lower than GFTL's and RFTL's, §6.2 94.56 % and 50.84 %; the \
     latter are compared here",
    "§6.2 puts Lazy-RTGC's extra space 80.77 % below RFTL's: with 33.3 % of RFTL it is 81.25 %",
    "§6.3 says GFTL takes 79.2 % more energy than RFTL; that is what RFTL saves, GFTL takes 380 % more",
];
