//! The advantage of 2LGC over the search on demand in its parts: each changed alone, on the paper's board.

use super::fig_6_board::{
    AT_ONE_POSITION, Controller, LISTS, Labelled, SEARCH, SEARCH_SHARED, WORKLOADS, Workload,
};
use super::fig_6_rows::{Of, host_pages, longest_request, mean, stall};
use crate::matrix::{Cell, Matrix};
use crate::observer::ReproductionObserver;
use crate::row::Row;
use crate::runs::{Ran, run_all};
use crate::settings::Settings;
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;

const LISTS_ALONE: &str = "lists-on-demand";
const PREEMPTION_ALONE: &str = "search-pre-emptive";

/// On the board. In the others only the paper's two.
const SCHEMES: [Labelled; 5] = [
    (SEARCH, "page-level+victim=greedy-scan+frontiers=split"),
    (LISTS, "2lgc+frontiers=shared"),
    (SEARCH_SHARED, "page-level+victim=greedy-scan+frontiers=shared"),
    (LISTS_ALONE, "page-level+victim=two-level-list+frontiers=split"),
    (PREEMPTION_ALONE, "2lgc+victim=greedy-scan+frontiers=shared"),
];

const CONTROLLERS: [(&str, Controller); 3] = [
    ("", Controller::BOARD),
    (", no processor time", Controller { cpu: "none", ..Controller::BOARD }),
    (", per die", Controller { collection: "per-die", ..Controller::BOARD }),
];

const OF: [Workload; 2] = [WORKLOADS[2], AT_ONE_POSITION];

/// A scheme under one of [`CONTROLLERS`].
type At = (usize, &'static str);

/// Part: name, what it changes, and what it is compared with.
const PARTS: [(&str, At, At); 8] = [
    ("all of it: 2LGC / search", (0, LISTS), (0, SEARCH)),
    ("processor time alone: search without it / with it", (1, SEARCH), (0, SEARCH)),
    (LISTS_ONLY, (0, LISTS_ALONE), (0, SEARCH)),
    (
        "copies in the host's blocks alone (Fig. 3b): search so / search",
        (0, SEARCH_SHARED),
        (0, SEARCH),
    ),
    (PREEMPTION_ONLY, (0, PREEMPTION_ALONE), (0, SEARCH_SHARED)),
    ("collection per die alone: search so / exclusive", (2, SEARCH), (0, SEARCH)),
    ("what is left of it without processor time: 2LGC / search", (1, LISTS), (1, SEARCH)),
    (PER_DIE, (2, LISTS), (2, SEARCH)),
];

const PER_DIE: &str = "what is left of it per die: 2LGC / search";
const LISTS_ONLY: &str = "lists alone: collected on demand / search";
const PREEMPTION_ONLY: &str =
    "pre-emption alone: search pre-emptive / on demand, both with copies in the host's blocks";

/// Parts on the first screen, with their claims: page commands under the first workload.
const ON_FIRST_SCREEN: [(&str, &str); 3] = [
    (LISTS_ONLY, "ablation: lists alone, page commands per second / search"),
    (PREEMPTION_ONLY, "ablation: pre-emption alone, page commands per second / search"),
    (
        PER_DIE,
        "both with collection per die, not exclusive: page commands per second, 2LGC / search",
    ),
];

pub(super) fn parts(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let mut planned = Vec::new();
    for workload in &OF {
        for (at, (suffix, controller)) in CONTROLLERS.iter().enumerate() {
            let schemes = if at == 0 { &SCHEMES[..] } else { &SCHEMES[..2] };
            let scale = (settings.scale, settings.seed);
            planned.push(workload.planned((suffix, schemes), *controller, None, scale));
        }
    }
    let ran = run_all(planned, watch)?;
    let of_workloads: Vec<&[Ran]> = ran.chunks(CONTROLLERS.len()).collect();
    for of in &of_workloads {
        for (what, over, under) in PARTS {
            let name = of.first().map_or("", |ran| &ran.name);
            to.rows.extend(FIGURES.iter().map(|(figure, unit, of_it)| {
                let row = row(of, &format!("{what}: {figure}"), unit, [over, under], *of_it);
                let part = ON_FIRST_SCREEN.iter().find(|(part, _)| *part == what);
                match part.filter(|_| (name, *figure) == (OF[0].name, FIGURES[0].0)) {
                    Some((_, claim)) => row.headline("Fig. 6(c)", claim),
                    None => row,
                }
            }));
        }
    }
    let names: Vec<&str> = OF.iter().map(|workload| workload.name).collect();
    to.matrices = FIGURES
        .iter()
        .map(|(figure, _, of_it)| {
            let parts: Vec<&str> = PARTS.iter().map(|(what, ..)| *what).collect();
            Matrix::of(&format!("{figure}, ratio"), &parts, &names, |part, workload| {
                let (_, over, under) = PARTS[part];
                Cell::ours(ratio(of_workloads[workload], [over, under], *of_it), 2)
            })
        })
        .collect();
    to.notes = vec![
        format!(
            "each part is changed alone, with all else as in Fig. 6: {}. Parts do not multiply to the whole: where several \
             dies collect, a search delays them less",
            OF.map(|workload| format!("{} ({})", workload.name, workload.words)).join("; ")
        ),
        "2LGC lets the host in between any two page operations, so that exclusive and per-die collection are one for it".into(),
    ];
    to.runs = ran.into_iter().map(|ran| ran.record).collect();
    Ok(())
}

/// Figures that are split. A stall and a longest request are better where they are below 1.
const FIGURES: [(&str, &str, Of); 4] = [
    ("page commands per second", "×", mean),
    ("host pages per second", "×", host_pages),
    ("longest stall", "×", stall),
    ("longest request", "×", longest_request),
];

fn ratio(of: &[Ran], [over, under]: [At; 2], figure: Of) -> Option<f64> {
    let value = |(at, label): At| of.get(at)?.scheme(label).and_then(figure);
    value(over)
        .zip(value(under))
        .filter(|(_, under)| *under > 0.0)
        .map(|(over, under)| over / under)
}

fn row(of: &[Ran], what: &str, unit: &str, ratio_of: [At; 2], figure: Of) -> Row {
    let what = format!("{}: {what}", of.first().map_or("", |ran| &ran.name));
    match ratio(of, ratio_of, figure) {
        Some(ratio) => Row::evidence(&what, unit, ratio, 2),
        None => {
            let why = ratio_of.iter().find_map(|(at, label)| of.get(*at)?.why_not(label));
            let cause = Reason::MissingDetail(why.unwrap_or("a figure is missing or 0").into());
            Row::incomparable(&what, unit, None, None, cause)
        }
    }
}
