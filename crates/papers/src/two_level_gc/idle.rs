//! Collection in idle time (§2.2, §4.3): requests that arrive at low and at high intensity, with and without it.

use super::fig_6_board::{AT_ONE_POSITION, Controller, Labelled, SEARCH, Workload};
use super::fig_6_rows::{Of, longest_request, p99_9};
use crate::matrix::{Cell, Matrix};
use crate::observer::ReproductionObserver;
use crate::row::{Limit, Row};
use crate::runs::{Ran, run_all};
use crate::settings::Settings;
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use lab::report::SchemeReport;

const BUSY: &str = "2lgc";
const IDLE: &str = "2lgc+idle";
const SCHEMES: [Labelled; 3] = [
    (SEARCH, "page-level+victim=greedy-scan+frontiers=split"),
    (BUSY, "2lgc+frontiers=shared"),
    ("2lgc-idle", "2lgc+frontiers=shared+idle"),
];
const IDLE_LABEL: &str = SCHEMES[2].0;

/// Requests per second: the board does 9,155 at most (its link).
const RATES: [u32; 4] = [50, 200, 1000, 4000];

const OF: Workload = AT_ONE_POSITION.sized("4GiB", "16GiB", 60);

/// Victims that were emptied or erased in idle time, of all such works. A victim of idle time counts when it is emptied and
/// when it is erased.
fn in_idle_time(scheme: &SchemeReport) -> Option<f64> {
    let of = &scheme.collection;
    (of.victims > 0).then(|| of.idle as f64 / of.victims as f64 * 100.0)
}

const FIGURES: [(&str, usize, Of); 5] = [
    ("victims emptied or erased in idle time, %", 1, in_idle_time),
    ("write amplification", 3, |scheme| scheme.waf),
    ("request, p99.9, ms", 2, |scheme| Some(p99_9(scheme)? / 1e6)),
    ("request, longest, ms", 2, |scheme| Some(longest_request(scheme)? / 1e6)),
    ("erases", 0, |scheme| Some(scheme.erases as f64)),
];

pub(super) fn idle(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let scale = (settings.scale, settings.seed);
    let planned = RATES.map(|rate| {
        let suffix = format!(", {rate} requests/s");
        OF.planned((&suffix, &SCHEMES), Controller::BOARD, Some(rate), scale)
    });
    let ran = run_all(planned.to_vec(), watch)?;
    if let [calm, .., busy] = &ran[..] {
        to.rows.push(saved(calm).headline(
            "§2.2",
            "a large part of the collection cost is saved in idle time: victims collected then, low intensity",
        ));
        to.rows.push(longest(calm).headline(
            "§2.2",
            "responsiveness at low intensity: longest request, with idle collection / without",
        ));
        to.rows.push(saved(busy));
    }
    let labels: Vec<&str> = SCHEMES.iter().map(|(label, _)| *label).collect();
    let names: Vec<&str> = ran.iter().map(|ran| ran.name.as_str()).collect();
    to.matrices = FIGURES
        .iter()
        .map(|(what, decimals, of)| {
            Matrix::of(what, &names, &labels, |run, scheme| {
                Cell::ours(ran[run].scheme(labels[scheme]).and_then(of), *decimals)
            })
        })
        .collect();
    to.notes = vec![
        format!(
            "{}, arrivals by a Poisson process; idle collection runs where no request is outstanding and the next one is as far \
             away as it takes at most: the simulator looks ahead, which a device cannot",
            OF.words
        ),
        "in idle time a block is emptied at once, as its copies have no request between them, and goes to the garbage list; its \
         erase is a use of idle time of its own. Such a victim counts twice"
            .into(),
        "what it costs: blocks are emptied before more of their pages are invalid, which write amplification tells".into(),
    ];
    to.runs = ran.into_iter().map(|ran| ran.record).collect();
    Ok(())
}

fn saved(ran: &Ran) -> Row {
    let what = format!("{}: {IDLE}, victims collected in idle time", ran.name);
    match ran.scheme(IDLE_LABEL).and_then(in_idle_time) {
        Some(share) => Row::evidence(&what, "%", share, 2),
        None => missing(ran, &what, "%"),
    }
}

fn longest(ran: &Ran) -> Row {
    let what = format!("{}: longest request, {IDLE} / {BUSY}", ran.name);
    let of = |label| ran.scheme(label).and_then(longest_request);
    match of(IDLE_LABEL).zip(of(BUSY)) {
        Some((idle, busy)) => Row::limit(&what, "×", Limit::Below(1.0), idle / busy)
            .because(Reason::Reading(format!("{:.2} against {:.2} ms", idle / 1e6, busy / 1e6))),
        None => missing(ran, &what, "×"),
    }
}

fn missing(ran: &Ran, what: &str, unit: &str) -> Row {
    let why = ran.why_not(IDLE_LABEL).or_else(|| ran.why_not(BUSY)).unwrap_or("no victim");
    Row::missing(what, unit, None, why)
}
