//! The share of the flash that is exported, swept: how many of 2LGC's victims come from its lists, and what it is ahead of
//! searches of K victims, with exclusive collection and per die.

use super::fig_6_board::{AT_ONE_POSITION, Controller, LISTS, Labelled, WORKLOADS, Workload};
use super::fig_6_rows::{Listed, mean};
use crate::matrix::{Cell, Matrix};
use crate::observer::ReproductionObserver;
use crate::runs::{Ran, run_all};
use crate::settings::Settings;
use crate::sheet::{Outcome, Sheet};

const SHARES: [f64; 5] = [0.6, 0.7, 0.8, 0.87, 0.93];

const SCHEMES: [Labelled; 4] = [
    (LISTS, "2lgc+frontiers=shared"),
    ("K = 1", "page-level+victim=greedy-scan:1+frontiers=split"),
    ("K = 4", "page-level+victim=greedy-scan+frontiers=split"),
    ("K = 16", "page-level+victim=greedy-scan:16+frontiers=split"),
];

const CONTROLLERS: [(&str, &str); 2] = [("exclusive", ""), ("per-die", ", per die")];

const OF: [Workload; 2] =
    [WORKLOADS[2].sized("4GiB", "16GiB", 20), AT_ONE_POSITION.sized("4GiB", "16GiB", 100)];

pub(super) fn shares(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let scale = (settings.scale, settings.seed);
    let mut planned = Vec::new();
    for workload in OF {
        for (collection, words) in CONTROLLERS {
            let controller = Controller { collection, ..Controller::BOARD };
            planned.extend(SHARES.map(|share| {
                let name = format!(", {:.0} % exported{words}", share * 100.0);
                workload.exporting(share).planned((&name, &SCHEMES), controller, None, scale)
            }));
        }
    }
    let ran = run_all(planned, watch)?;
    let lines = SHARES.map(|share| format!("{:.0} % exported", share * 100.0));
    let columns = ["from the lists, %", "2LGC / K = 1", "/ K = 4", "/ K = 16"];
    for (at, of) in ran.chunks(SHARES.len()).enumerate() {
        let words = CONTROLLERS[at % CONTROLLERS.len()].0;
        let title =
            format!("{}, collection {words}: page commands", OF[at / CONTROLLERS.len()].name);
        to.matrices.push(Matrix::of(&title, &lines, &columns, |line, column| {
            let of = &of[line];
            match column {
                0 => Cell::ours(Listed::of(of).map(|listed| listed.share() * 100.0), 0),
                other => Cell::ours(ratio(of, SCHEMES[other].0), 2),
            }
        }));
    }
    to.notes.push(
        "K victims per search; Fig. 6 has 93 % exported, K = 4 and exclusive collection, none of which the paper gives".into(),
    );
    to.runs = ran.into_iter().map(|ran| ran.record).collect();
    Ok(())
}

fn ratio(ran: &Ran, search: &str) -> Option<f64> {
    let of = |label: &str| ran.scheme(label).and_then(mean);
    Some(of(LISTS)? / of(search)?)
}
