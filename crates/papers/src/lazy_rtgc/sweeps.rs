//! Readings that the paper leaves open, swept: what Lazy-RTGC is ahead of RFTL by when RFTL begins to collect, and of page-level
//! by how full page-level is and how many victims a page task waits for.

use super::evaluation::{Before, Evaluation, LAZY, Size};
use super::figures::mean_change;
use crate::matrix::{Cell, Matrix};
use crate::observer::ReproductionObserver;
use crate::settings::Settings;
use crate::sheet::{Outcome, Sheet};

/// Figure, and its words with the printed change of Lazy-RTGC's mean.
type Printed = (&'static str, &'static str);

/// Against RFTL: when a collection begins, in pages of the buffer block.
pub(super) fn rftl_trigger(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let triggers = [1, 8, 16, 24, 32, 40, 48, 56];
    let others = triggers.map(|pages| (format!("{pages} pages"), format!("rftl+trigger={pages}")));
    let printed = [
        ("fig-7", "mean response (−50.84)"),
        ("fig-9", "copies (−86.11)"),
        ("fig-10", "erases (−67.38)"),
    ];
    sweep("rftl", &[Before::Aged, Before::Collecting], &others, &printed, settings, watch, to)
}

/// Against page-level: how full it is, and how many victims a page task waits for.
pub(super) fn page_level_fill(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let victims = [
        ("one victim", ""),
        ("two", "+victim=greedy-scan:2"),
        ("until a block is back", "+refill=1"),
    ];
    let others = ["0.93", "0.94", "0.95", "0.96", "0.97"].map(|share| {
        victims.map(|(words, text)| {
            let full = share.trim_start_matches("0.");
            let text = format!("page-level+frontiers=shared+share={share}{text}");
            (format!("{full} % full, {words}"), text)
        })
    });
    let printed = [
        ("fig-6", "worst response (−90.58)"),
        ("fig-9", "copies (−60.51)"),
        ("fig-7", "mean response"),
        ("fig-10", "erases"),
    ];
    let states = [Before::Wide, Before::Collecting];
    sweep("page-level", &states, others.as_flattened(), &printed, settings, watch, to)
}

fn sweep(
    base: &str,
    states: &[Before],
    others: &[(String, String)],
    printed: &[Printed],
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    // FSR has the space of the state without RFTL, and GFTL is what Figs 9 and 10 divide by.
    let always = ["fsr+frontiers=shared+label=fsr", "gftl", LAZY].map(str::to_owned);
    let texts = |_| {
        let swept =
            others.iter().enumerate().map(|(at, (_, text))| format!("{text}+label=at-{at}"));
        always.iter().cloned().chain(swept).collect()
    };
    let size = Size::of(settings.scale);
    let evaluation = Evaluation::of_schemes(states, texts, size, settings.seed, watch)?;
    let lines: Vec<&str> = others.iter().map(|(words, _)| words.as_str()).collect();
    let columns: Vec<&str> = printed.iter().map(|(_, words)| *words).collect();
    for before in states {
        let title = format!("lazy-rtgc against {base}, {}: change of the mean, %", before.words());
        to.matrices.push(Matrix::of(&title, &lines, &columns, |line, column| {
            let label = format!("at-{line}");
            Cell::ours(mean_change(printed[column].0, &evaluation, *before, &label), 1)
        }));
    }
    to.runs = evaluation.records();
    Ok(())
}
