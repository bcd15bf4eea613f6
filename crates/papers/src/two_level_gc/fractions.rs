//! The fractions of §5.1 swept: threshold T, candidate list C and garbage list G, with what else changes by them.

use super::fig_6_board::{AT_ONE_POSITION, Controller, IN_ORDER, WORKLOADS, Workload};
use super::fig_6_rows::{Listed, Of, host_pages, mean, p99_9};
use crate::matrix::{Cell, Matrix};
use crate::observer::ReproductionObserver;
use crate::row::Row;
use crate::runs::{Ran, run_all};
use crate::settings::Settings;
use crate::sheet::{Outcome, Sheet};

/// The paper's T, C and G in percent.
const PAPER: [u16; 3] = [75, 5, 10];

/// Sweep: its workload, which fraction, its values.
const SWEEPS: [(Workload, usize, &[u16]); 5] = [
    (AT_ONE_POSITION.sized("4GiB", "16GiB", 250), 0, &[10, 25, 50, 60, 75, 85, 95]),
    (WORKLOADS[2].sized("4GiB", "16GiB", 50), 0, &[2, 5, 8, 10, 25, 75]),
    (AT_ONE_POSITION.sized("4GiB", "16GiB", 250), 1, &[1, 2, 5, 10, 20]),
    (IN_ORDER[1].sized("4GiB", "16GiB", 250), 1, &[1, 5, 20]),
    (IN_ORDER[1].sized("4GiB", "16GiB", 250), 2, &[1, 10, 30]),
];

const NAMES: [&str; 3] = ["threshold T", "candidate list C", "garbage list G"];

/// Figures of a run: name, unit, decimals.
const FIGURES: [(&str, &str, usize, Of); 5] = [
    ("page commands per second", "/s", 0, mean),
    ("host pages per second", "/s", 0, host_pages),
    ("write amplification", "", 3, |scheme| scheme.waf),
    ("entries per victim", "", 0, |scheme| scheme.victim_work.as_ref()?.entries_per_victim),
    ("request, p99.9, ns", "ns", 0, p99_9),
];

pub(super) fn fractions(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let scale = (settings.scale, settings.seed);
    let planned = SWEEPS.iter().map(|(workload, which, values)| {
        let schemes: Vec<(String, String)> =
            values.iter().map(|value| scheme(*which, *value)).collect();
        let suffix = format!(", {}", NAMES[*which]);
        workload.planned((&suffix, &schemes), Controller::BOARD, None, scale)
    });
    let ran = run_all(planned.collect(), watch)?;
    for (ran, (_, which, values)) in ran.iter().zip(SWEEPS) {
        to.rows.extend(values.iter().map(|value| row(ran, &scheme(which, *value).0)));
        to.matrices.push(matrix(ran, which, values));
    }
    to.notes = vec![
        format!(
            "percent; the paper's are {} (3/4 of a block's pages, 1/20 and 1/10 of the blocks), which the others keep; 4 GiB at \
             quick scale. As settings: `victim=two-level-list:T%:C%:G%`",
            PAPER.map(|percent| percent.to_string()).join(", ")
        ),
        "below the invalid share of the best blocks, a threshold fills the candidate list, which is then sorted for each block \
         that enters; above it the lists are empty and all blocks are searched"
            .into(),
    ];
    to.runs = ran.into_iter().map(|ran| ran.record).collect();
    Ok(())
}

/// Label and scheme with this value of a fraction.
fn scheme(which: usize, value: u16) -> (String, String) {
    let mut percentages = PAPER;
    percentages[which] = value;
    let [t, c, g] = percentages;
    let label = format!("{} = {value} %", ["T", "C", "G"][which]);
    (label, format!("2lgc+victim=two-level-list:{t}%:{c}%:{g}%"))
}

fn row(ran: &Ran, label: &str) -> Row {
    let what = format!("{}: victims from the lists, {label}", ran.name);
    match Listed::of_scheme(ran, label) {
        Some(listed) => Row::evidence(&what, "%", listed.share() * 100.0, 1),
        None => {
            let why = ran.why_not(label).unwrap_or("no victim");
            Row::missing(&what, "%", None, why)
        }
    }
}

fn matrix(ran: &Ran, which: usize, values: &[u16]) -> Matrix {
    let labels: Vec<String> = values.iter().map(|value| scheme(which, *value).0).collect();
    let mut heads = vec!["victims from the lists, %"];
    heads.extend(FIGURES.iter().map(|(name, ..)| *name));
    Matrix::of(&ran.name, &labels, &heads, |line, column| {
        let label = &labels[line];
        let Some((.., decimals, of)) = column.checked_sub(1).map(|at| FIGURES[at]) else {
            let share = Listed::of_scheme(ran, label).map(|listed| listed.share() * 100.0);
            return Cell::ours(share, 1);
        };
        Cell::ours(ran.scheme(label).and_then(of), decimals)
    })
}
