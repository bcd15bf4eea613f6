//! Lazy-RTGC: closed forms, worked examples and evaluation.
//!
//! Source: Q. Zhang, X. Li, L. Wang, T. Zhang, Y. Wang, Z. Shao, Lazy-RTGC, ACM TODAES 20(3):43, 2015.

mod closed_forms;
mod equations;
mod evaluation;
mod examples;
mod fig_4;
mod figures;
mod hits;
mod memory;
mod on_demand;
mod on_demand_runs;
mod real_traces;
mod task_set;
mod traces;

use crate::error::ReproduceError;
use crate::observer::ReproductionObserver;
use crate::paper::{Exhibit, Inputs, Paper, Study, note};
use crate::settings::Settings;
use evaluation::{Evaluation, Size};

pub(crate) const PAPER: &dyn Paper = &Study::<Option<Evaluation>> {
    name: "lazy-rtgc",
    title: "Lazy-RTGC: A Real-Time Lazy Garbage Collection Mechanism with Jointly Optimizing Average and \
            Worst Performance for NAND Flash Memory Storage Systems",
    source: "Q. Zhang, X. Li, L. Wang, T. Zhang, Y. Wang, Z. Shao, ACM TODAES 20(3):43, 2015",
    exhibits: &[
        Exhibit("table-1", "Bounds of the service guarantee, on the evaluation's part", |_| {
            closed_forms::table_1()
        }),
        Exhibit(
            "task-sets",
            "Task sets of §2.1: which schemes keep their deadlines, and runs",
            |of| task_set::task_sets(of.settings.seed, of.watch),
        ),
        Exhibit("fig-1", "How the valid pages of a victim decide a response", |_| {
            examples::fig_1()
        }),
        Exhibit("fig-2", "A schedule of partial collection tasks, run", |_| examples::fig_2()),
        Exhibit("table-2", "Space configuration U(σ) of five parts", |_| closed_forms::table_2()),
        Exhibit("table-3", "Space utilisation of five parts", |_| closed_forms::table_3()),
        Exhibit("fig-3", "Space for the three tasks of the map on demand", |_| equations::fig_3()),
        Exhibit("fig-4", "Steps of the map on demand, run", |of| fig_4::fig_4(of.settings.seed)),
        Exhibit(
            "eqs-15-19",
            "Map on demand: Eqs 15, 16, 18 and 19, on the evaluation's part",
            |_| equations::equations(),
        ),
        Exhibit("table-5", "Workloads", |of| traces::table_5(of.settings, of.watch)),
        Exhibit("fig-6", "Worst response", |of| figures::section("fig-6", measured(of))),
        Exhibit("fig-7", "Mean response", |of| figures::section("fig-7", measured(of))),
        Exhibit(
            "fig-8",
            "Map on demand: hit ratio and mean response over the cached mapping table",
            |of| on_demand::fig_8(of.settings, of.watch),
        ),
        Exhibit("fig-9", "Valid pages copied", |of| figures::section("fig-9", measured(of))),
        Exhibit("fig-10", "Blocks erased", |of| figures::section("fig-10", measured(of))),
        Exhibit(
            "translation-pages",
            "Map on demand: translation pages among the copies, and erases (§6.2(3), (4))",
            |of| on_demand::translation_pages(of.settings, of.watch),
        ),
        Exhibit("fig-11", "Space utilisation in the evaluation", |_| memory::fig_11()),
        Exhibit("table-6", "Parameters of the RAM's energy model", |_| memory::table_6()),
        Exhibit("table-7", "RAM and energy of an access to it", |_| memory::table_7()),
    ],
    of_traces: &["fig-8"],
    run: evaluate,
    conclude: |evaluation, found| {
        if let Some(evaluation) = evaluation {
            found.runs.splice(0..0, evaluation.records());
            note(found, &METHOD);
        }
        note(found, &ERRATA);
    },
};

/// Runs the evaluation if a figure needs it.
fn evaluate(
    wanted: &[&str],
    settings: &Settings,
    watch: &dyn ReproductionObserver,
) -> Result<Option<Evaluation>, ReproduceError> {
    if wanted.contains(&"fig-8") {
        // Refused before the runs that come first.
        real_traces::find(settings.traces.as_deref())?;
    }
    let measured = ["fig-6", "fig-7", "fig-9", "fig-10"];
    let run = || Evaluation::run(Size::of(settings.scale), settings.seed, watch);
    wanted.iter().any(|id| measured.contains(id)).then(run).transpose()
}

fn measured<'a>(of: &'a Inputs<'_, Option<Evaluation>>) -> &'a Evaluation {
    of.ran.as_ref().expect("a figure that measures has been asked for")
}

/// Notes on the method.
const METHOD: [&str; 8] = [
    "requests: all schemes of a run see the same, over the smallest of their logical spaces. \
     How the paper ran 32 GiB workloads on RFTL is not stated",
    "before measuring, each scheme writes all that it exports in order, and then the workload runs until it has \
     written as many pages as it addresses, and on to the scheme's first collection: counters start there (§6.1). \
     Claims against page-level, FSR and GFTL are of runs without RFTL, over FSR's space; those against RFTL over \
     RFTL's third of the array. Of websearch-like, which writes 844 pages, over FSR's space only until the first \
     collection",
    "two more states show how far the figures depend on this: all that a scheme exports overwritten at random by \
     0.34 of it, and only the workload's footprint written before the first collection",
    "against RFTL the signs turn where both change: after random overwrites Lazy-RTGC has few empty victims, and a \
     late trigger saves RFTL four fifths of its copies; with either alone Lazy-RTGC stays ahead (copies per page \
     written in Fig. 9, `--verbose`)",
    "page-level is filled over all that it exports, (N−1)π−1 pages, as §6.1 says; every write then needs a \
     victim with π − 1 valid pages. Beside it, page-level 95 % full. FSR takes the next block with at most \
     U(λ) = 48 valid pages, as free-page replenishment does; beside it the greedy choice",
    "valid pages copied are those moved by collection, by copy or by read and program, translation pages \
     among them",
    "lazy-rtgc runs with σ = 0.875 as in §6.2 although 0.8906 keeps the bound on the evaluation part; on-demand \
    Lazy-RTGC with the 256 KiB of the paper, which void its real-time bound: the worst case \
     needs a larger table (`ftlkit bounds`)",
    "--quick: an array of 1 GiB, a thirty-second of the requests of Table V and of the cached mapping table; \
     of websearch all requests, since its writes are few",
];

/// Contradictions in the paper.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Unwatched;
    use crate::row::Row;
    use crate::verdict::Verdict;
    use std::sync::atomic::{AtomicU64, Ordering};

    fn rows(only: &[&str]) -> Vec<Row> {
        let only = only.iter().map(|id| (*id).to_owned()).collect();
        let found = PAPER.reproduce(&Settings { only, ..Settings::default() }, &Unwatched).unwrap();
        found.sections.into_iter().flat_map(|section| section.rows).collect()
    }

    #[test]
    fn closed_forms_are_as_printed() {
        let rows = rows(&["table-1", "table-2", "table-3", "fig-1", "fig-11"]);
        let equal = rows.iter().filter(|row| row.verdict == Verdict::Equal).count();
        let inputs: Vec<_> = rows.iter().filter(|row| row.verdict == Verdict::Input).collect();
        assert!(equal >= 30 && inputs.len() >= 20, "{equal} equal, {} inputs", inputs.len());
        assert!(inputs.iter().all(|row| row.is_as_printed()), "{inputs:?}");
        for row in &rows {
            let compared = !matches!(
                row.verdict,
                Verdict::Evidence | Verdict::Input | Verdict::CannotBeCompared
            );
            let agrees = matches!(row.verdict, Verdict::Equal | Verdict::Within(_));
            assert!(!compared || agrees, "{row:?}");
        }
    }

    #[test]
    fn only_known_errata_differ_in_table_7() {
        let differing: Vec<String> = rows(&["table-7"])
            .into_iter()
            .filter(|row| row.verdict == Verdict::Differs)
            .map(|row| row.what)
            .collect();
        assert_eq!(
            differing,
            ["lazy-rtgc-on-demand: RAM of the maps at 32 GiB", "gftl: RAM of the maps at 32 GiB"]
        );
        assert!(!rows(&["table-7"]).iter().any(Row::is_open));
    }

    #[test]
    fn the_generators_have_the_figures_of_table_5() {
        for row in rows(&["table-5"]) {
            assert_eq!(row.verdict, Verdict::Input, "{row:?}");
            assert!((row.ratio.unwrap() - 1.0).abs() < 0.01, "{row:?}");
        }
    }

    #[test]
    fn unknown_sections_are_refused() {
        let only = vec!["fig-66".to_owned()];
        let settings = Settings { only, ..Settings::default() };
        let error = PAPER.reproduce(&settings, &Unwatched).unwrap_err().to_string();
        assert!(error.contains("did you mean `fig-6`?"), "{error}");
    }

    /// Stops after a few calls.
    struct Stopping(AtomicU64);

    impl ReproductionObserver for Stopping {
        fn planned(&self, _: u64) {}

        fn done(&self, _: u64) {}

        fn stop(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) > 3
        }
    }

    #[test]
    fn what_an_interruption_leaves_out_cannot_be_compared() {
        let only = vec!["fig-6".into(), "fig-8".into(), "fig-9".into(), "fig-10".into()];
        let settings = Settings { only, ..Settings::default() };
        let found = PAPER.reproduce(&settings, &Stopping(AtomicU64::new(0))).unwrap();
        assert!(found.interrupted && found.runs.iter().all(|run| !run.missing.is_empty()));
        for row in found.sections.iter().flat_map(|section| &section.rows) {
            if row.paper.is_some() {
                assert_eq!(row.verdict, Verdict::CannotBeCompared, "{row:?}");
                assert!(!row.is_open(), "{row:?}");
            }
        }
    }
}
