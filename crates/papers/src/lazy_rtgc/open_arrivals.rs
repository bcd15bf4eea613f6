//! Mean responses where requests arrive by themselves: the evaluation takes the next request when one is done, DiskSim by the
//! trace's clock, and a mean that waits counts its queue. The traces' rates are not printed: each is swept.

use super::evaluation::{Before, Size, WORKLOADS, planned};
use crate::figure::decimal;
use crate::matrix::{Cell, Matrix};
use crate::observer::ReproductionObserver;
use crate::row::Row;
use crate::runs::{Planned, Ran, run_all};
use crate::settings::Settings;
use crate::sheet::{Outcome, Sheet};
use lab::config::TextOrTable;

/// Requests per second, Poisson.
const RATES: [u32; 6] = [4, 8, 12, 16, 20, 24];

/// State of the array, the other scheme, those that make up the space beside it, and the printed change of the mean.
const AGAINST: [(Before, &str, &[&str], &str); 2] = [
    (Before::Wide, "gftl", &["fsr", "gftl", "lazy-rtgc"], "-94.56"),
    (Before::Aged, "rftl", &["rftl", "lazy-rtgc"], "-50.84"),
];

pub(super) fn open_arrivals(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let size = Size::of(settings.scale);
    let cell = |before, schemes: &[&str], workload: &str, rate: u32| {
        let Planned { name, mut experiment } = planned(workload, before, size, settings.seed);
        let wanted = |label: &Option<String>| {
            label.as_ref().is_some_and(|label| schemes.contains(&label.as_str()))
        };
        experiment.schemes.retain(|TextOrTable(scheme)| {
            wanted(&scheme.label) || scheme.label.is_none() && schemes.contains(&&*scheme.name)
        });
        let TextOrTable(of) = experiment.workload;
        experiment.workload = TextOrTable(of.with("rate", rate).with("arrivals", "poisson"));
        Planned { name: format!("{name}, {rate} requests/s"), experiment }
    };
    let mut plans = Vec::new();
    for (before, _, schemes, _) in AGAINST {
        for rate in RATES {
            plans.extend(WORKLOADS.map(|workload| cell(before, schemes, workload, rate)));
        }
    }
    let ran = run_all(plans, watch)?;
    let of_pairs: Vec<&[Ran]> = ran.chunks(RATES.len() * WORKLOADS.len()).collect();
    let mean = |ran: &Ran, scheme: &str| Some(ran.scheme(scheme)?.request_completion_ns.mean / 1e3);
    for ((_, base, _, printed), of_pair) in AGAINST.into_iter().zip(of_pairs) {
        let at = |rate: usize, workload: usize| &of_pair[rate * WORKLOADS.len() + workload];
        let change = |rate: usize, workload: usize| {
            let ran = at(rate, workload);
            Some((mean(ran, "lazy-rtgc")? / mean(ran, base)? - 1.0) * 100.0)
        };
        // As in the evaluation: the mean of the workloads' means.
        let of_all = |rate: usize| {
            let all = |scheme: &str| {
                (0..WORKLOADS.len()).map(|of| mean(at(rate, of), scheme)).sum::<Option<f64>>()
            };
            Some((all("lazy-rtgc")? / all(base)? - 1.0) * 100.0)
        };
        let target: f64 = printed.parse().expect("a number");
        let far = |ours: f64| (ours - target).abs();
        let nearest = (0..RATES.len()).filter_map(|rate| Some((rate, of_all(rate)?)));
        let what = format!("mean completion against {base} with open arrivals");
        match nearest.min_by(|a, b| far(a.1).total_cmp(&far(b.1))) {
            Some((rate, ours)) => {
                let each: Vec<String> = (0..WORKLOADS.len())
                    .filter_map(|of| {
                        Some(format!("{} {}", WORKLOADS[of], decimal(change(rate, of)?, 1)))
                    })
                    .collect();
                let row = Row::changed(&what, printed, ours, 15.0).as_evidence();
                let note = format!(
                    "{} requests/s, the nearest of {RATES:?}; {}",
                    RATES[rate],
                    each.join(", ")
                );
                let claim = format!("{what}, the nearest rate");
                to.rows.push(row.noting(&note).headline("§6.2(2)", &claim));
            }
            None => to.missing(&what, "not run"),
        }
        let columns: Vec<String> = RATES.iter().map(|rate| format!("{rate}/s")).collect();
        let lines: Vec<&str> = WORKLOADS.into_iter().chain(["mean of the means"]).collect();
        let title = format!(
            "lazy-rtgc against {base}, change of the mean completion, % (printed {})",
            decimal(target, 2)
        );
        to.matrices.push(Matrix::of(&title, &lines, &columns, |line, rate| {
            let ours = if line < WORKLOADS.len() { change(rate, line) } else { of_all(rate) };
            Cell::ours(ours, 1)
        }));
    }
    to.runs = ran.into_iter().map(|ran| ran.record).collect();
    Ok(())
}
