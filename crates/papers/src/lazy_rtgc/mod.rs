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
mod open_arrivals;
mod real_traces;
mod sweeps;
mod task_set;
mod traces;

use crate::declared::Declared;
use crate::error::ReproduceError;
use crate::observer::ReproductionObserver;
use crate::paper::{Inputs, Paper, Study};
use crate::settings::Settings;
use evaluation::{Evaluation, Size};
use std::sync::LazyLock;

static DATA: LazyLock<Declared> = LazyLock::new(|| Declared::read(include_str!("paper.toml")));

pub(crate) static PAPER: &dyn Paper = &Study::<Option<Evaluation>> {
    data: &DATA,
    exhibits: &[
        ("table-1", |_, to| closed_forms::table_1(to)),
        ("task-sets", |of, to| task_set::task_sets(of.settings.seed, of.watch, to)),
        ("fig-1", |_, to| examples::fig_1(to)),
        ("fig-2", |_, to| examples::fig_2(to)),
        ("table-2", |_, to| closed_forms::table_2(to)),
        ("table-3", |_, to| closed_forms::table_3(to)),
        ("fig-3", |_, to| equations::fig_3(to)),
        ("fig-4", |of, to| fig_4::fig_4(of.settings.seed, to)),
        ("eqs-15-19", |_, to| equations::equations(to)),
        ("table-5", |of, to| traces::table_5(of.settings, of.watch, to)),
        ("fig-6", |of, to| figures::section("fig-6", measured(of), to)),
        ("fig-7", |of, to| figures::section("fig-7", measured(of), to)),
        ("open-arrivals", |of, to| open_arrivals::open_arrivals(of.settings, of.watch, to)),
        ("rftl-trigger", |of, to| sweeps::rftl_trigger(of.settings, of.watch, to)),
        ("page-level-fill", |of, to| sweeps::page_level_fill(of.settings, of.watch, to)),
        ("fig-8", |of, to| on_demand::fig_8(of.settings, of.watch, to)),
        ("fig-9", |of, to| figures::section("fig-9", measured(of), to)),
        ("fig-10", |of, to| figures::section("fig-10", measured(of), to)),
        ("translation-pages", |of, to| on_demand::translation_pages(of.settings, of.watch, to)),
        ("on-demand-state", |of, to| on_demand::on_demand_state(of.settings, of.watch, to)),
        ("fig-11", |_, to| memory::fig_11(to)),
        ("table-6", |_, to| memory::table_6(to)),
        ("table-7", |_, to| memory::table_7(to)),
    ],
    of_traces: &["fig-8"],
    run: evaluate,
    conclude: |evaluation, found| {
        if let Some(evaluation) = evaluation {
            found.runs.splice(0..0, evaluation.records());
            found.notes.extend_from_slice(&DATA.method);
        }
        found.notes.extend_from_slice(&DATA.errata);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Unwatched;
    use crate::row::Row;
    use crate::testing::*;
    use crate::verdict::Verdict;

    #[test]
    fn closed_forms_are_as_printed() {
        let rows = rows(PAPER, &["table-1", "table-2", "table-3", "fig-1", "fig-11"]);
        let equal = rows.iter().filter(|row| row.verdict == Verdict::Equal).count();
        let inputs: Vec<_> = rows.iter().filter(|row| row.verdict == Verdict::Input).collect();
        assert!(equal >= 24 && inputs.len() >= 25, "{equal} equal, {} inputs", inputs.len());
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
        let differing: Vec<String> = rows(PAPER, &["table-7"])
            .into_iter()
            .filter(|row| row.verdict == Verdict::Differs)
            .map(|row| row.what)
            .collect();
        assert_eq!(
            differing,
            [
                "lazy-rtgc-on-demand: RAM of the maps at 32 GiB",
                "gftl: RAM of the maps at 32 GiB",
                "RAM of the maps on demand against page-level",
                "RAM of the maps on demand against gftl",
            ]
        );
        assert!(!rows(PAPER, &["table-7"]).iter().any(Row::is_open));
    }

    #[test]
    fn the_generators_have_the_figures_of_table_5() {
        for row in rows(PAPER, &["table-5"]) {
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

    #[test]
    fn what_an_interruption_leaves_out_cannot_be_compared() {
        let only = vec!["fig-6".into(), "fig-8".into(), "fig-9".into(), "fig-10".into()];
        let settings = Settings { only, ..Settings::default() };
        let found = PAPER.reproduce(&settings, &Stopping::after(4)).unwrap();
        assert!(found.interrupted && found.runs.iter().all(|run| !run.missing.is_empty()));
        for row in found.sections.iter().flat_map(|section| &section.rows) {
            if row.paper.is_some() {
                assert_eq!(row.verdict, Verdict::CannotBeCompared, "{row:?}");
                assert!(!row.is_open(), "{row:?}");
            }
        }
    }
}
