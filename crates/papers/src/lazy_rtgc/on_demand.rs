//! Fig. 8 and the statements of §6.2 on the map on demand.

use super::evaluation::{Before, CMT_KIB, Evaluation, WORKLOADS, on_demand_label};
use super::figures::{COLLECTION, pages_moved};
use crate::error::ReproduceError;
use crate::reproduction::{PlotFile, Section};
use crate::row::{Limit, Row};
use crate::settings::Scale;
use crate::verdict::Reason;
use sim::report::plots::{Curve, Curves, Drawn};
use sim::report::{SchemeReport, units};

/// Index of the workload whose random reads miss the cached mapping table.
const WEBSEARCH: usize = 0;
const FINANCIAL: usize = 1;

/// State with enough collections to compare, even with only 844 page writes of websearch.
const STATE: Before = Before::Collecting;

/// Fig. 8: hit ratio and mean response over the size of the cached mapping table.
pub(super) fn fig_8(evaluation: &Evaluation, scale: Scale) -> Result<Section, ReproduceError> {
    let mut section = Section::default();
    let report = |workload: usize, kib: u64| {
        evaluation.report(Before::Full, workload, &on_demand_label(kib))
    };
    let hits = |workload, kib| report(workload, kib).and_then(hit_ratio);
    let mean = |workload, kib| report(workload, kib).map(|report| report.response_ns.mean / 1e3);
    for (workload, limit, of) in [
        (WEBSEARCH, Limit::Below(20.0), "random reads should miss it"),
        (
            FINANCIAL,
            Limit::Above(50.0),
            "the stand-in has no more locality than its figures tell, and addresses a thirty-second of the space: more than this table maps",
        ),
    ] {
        for kib in CMT_KIB {
            let what = format!("hit ratio, {}, {kib} KiB", WORKLOADS[workload]);
            section.rows.push(match hits(workload, kib) {
                Some(hits) => {
                    Row::limit(&what, "%", limit, hits).because(Reason::MissingDetail(of.into()))
                }
                None => Row::incomparable(
                    &what,
                    "%",
                    None,
                    None,
                    Reason::MissingDetail(why_not(evaluation, kib)),
                ),
            });
        }
    }
    let changes: Option<Vec<f64>> = (0..WORKLOADS.len())
        .map(|at| Some((mean(at, 1024)? / mean(at, 64)? - 1.0) * 100.0))
        .collect();
    let what = "mean response with 1024 KiB against 64 KiB, mean of the workloads";
    section.rows.push(match changes {
        Some(changes) => {
            let ours = changes.iter().sum::<f64>() / changes.len() as f64;
            Row::changed(what, "-7.50", ours, 15.0).because(Reason::StandIn(
                "the stand-ins' places are drawn anew, the traces' recur".into(),
            ))
        }
        None => Row::incomparable(
            what,
            "%",
            Some("-7.50"),
            None,
            Reason::MissingDetail(why_not(evaluation, 1024)),
        ),
    });
    for (at, name) in WORKLOADS.iter().enumerate() {
        for kib in CMT_KIB {
            if let (Some(hits), Some(mean)) = (hits(at, kib), mean(at, kib)) {
                let what = |what: &str| format!("{what}, {name}, {kib} KiB");
                section.rows.push(Row::evidence(&what("hits"), "%", hits, 2));
                section.rows.push(Row::evidence(&what("mean response"), "µs", mean, 1));
            }
        }
    }
    if scale == Scale::Quick {
        let sizes: Vec<String> =
            CMT_KIB.iter().map(|kib| units::bytes(evaluation.size.cmt_bytes(*kib))).collect();
        section.notes.push(format!(
            "sizes are those at 32 GiB; on the smaller array the cached mapping table is smaller alike: {}",
            sizes.join(", ")
        ));
    }
    section.plots.push(curves("fig-8a.svg", "hit ratio, %", &hits)?);
    section.plots.push(curves("fig-8b.svg", "mean response of a page task, µs", &mean)?);
    Ok(section)
}

fn hit_ratio(report: &SchemeReport) -> Option<f64> {
    report.map_cache.as_ref()?.hit_share.map(|share| share * 100.0)
}

fn why_not(evaluation: &Evaluation, kib: u64) -> String {
    let label = on_demand_label(kib);
    let why = evaluation.of(Before::Full).iter().find_map(|ran| ran.why_not(&label));
    why.unwrap_or("no mapping was looked up").to_owned()
}

fn curves(
    file: &str,
    label: &'static str,
    value: &dyn Fn(usize, u64) -> Option<f64>,
) -> Result<PlotFile, ReproduceError> {
    let curve = |(at, name): (usize, &&str)| Curve {
        name: (*name).to_owned(),
        note: String::new(),
        points: CMT_KIB.iter().filter_map(|kib| Some((*kib as f64, value(at, *kib)?))).collect(),
        drawn: Drawn::Line,
    };
    let chart = Curves {
        caption: format!("Fig. 8: on-demand Lazy-RTGC, {label}"),
        x_label: "cached mapping table at 32 GiB, KiB",
        y_label: label,
        log_y: false,
        curves: WORKLOADS.iter().enumerate().map(curve).collect(),
    };
    Ok(PlotFile { name: file.into(), svg: chart.svg()? })
}

/// §6.2 (3): share of translation pages among the copies.
pub(super) fn translation_copies(evaluation: &Evaluation) -> Vec<Row> {
    let share = |at: usize| {
        let report = evaluation.report(STATE, at, "lazy-rtgc-on-demand")?;
        let translation = pages_moved(report, &["translation-collection"]);
        let all = pages_moved(report, &COLLECTION);
        (all > 0.0).then_some(translation / all * 100.0)
    };
    let name = WORKLOADS[WEBSEARCH];
    let what = format!("on demand: share of copies that are translation pages, {name}");
    let why = "TW writes translation pages in batches, so hardly a valid one is left where a \
               translation block is collected; the paper's figure needs evictions one at a time";
    let none = "no page was copied";
    let mut rows = vec![match share(WEBSEARCH) {
        Some(ours) => Row::measured(&what, "%", "56.26", ours, 15.0)
            .because(Reason::MissingDetail(why.into())),
        None => {
            Row::incomparable(&what, "%", Some("56.26"), None, Reason::MissingDetail(none.into()))
        }
    }];
    let others: Vec<f64> = (1..WORKLOADS.len()).filter_map(share).collect();
    let what = "on demand: the same, mean of the other workloads";
    rows.push(match others.is_empty() {
        true => {
            Row::incomparable(what, "%", Some("3.98"), None, Reason::MissingDetail(none.into()))
        }
        false => {
            let ours = others.iter().sum::<f64>() / others.len() as f64;
            Row::measured(what, "%", "3.98", ours, 15.0).because(Reason::MissingDetail(why.into()))
        }
    });
    for (at, name) in WORKLOADS.iter().enumerate().skip(1) {
        if let Some(ours) = share(at) {
            rows.push(Row::evidence(&format!("on demand: the same, {name}"), "%", ours, 2));
        }
    }
    rows
}

/// §6.2 (4): erases of the map on demand against Lazy-RTGC with its map in RAM.
pub(super) fn erases(evaluation: &Evaluation) -> Vec<Row> {
    let change = |at: usize| {
        let erases = |scheme| Some(evaluation.report(STATE, at, scheme)?.erases as f64);
        let base = erases("lazy-rtgc")?;
        (base > 0.0).then_some((erases("lazy-rtgc-on-demand")? / base - 1.0) * 100.0)
    };
    let name = WORKLOADS[WEBSEARCH];
    let what = format!("on demand against lazy-rtgc, {name}");
    let mut rows = vec![match change(WEBSEARCH) {
        Some(ours) => Row::changed(&what, "43.59", ours, 15.0).because(Reason::MissingDetail(
            "the trace writes 844 pages, so a handful of blocks decide".into(),
        )),
        None => Row::incomparable(
            &what,
            "%",
            Some("43.59"),
            None,
            Reason::MissingDetail("lazy-rtgc erased no block".into()),
        ),
    }];
    for (at, name) in WORKLOADS.iter().enumerate().skip(1) {
        let what = format!("on demand against lazy-rtgc, {name} (\"close\")");
        if let Some(ours) = change(at) {
            rows.push(Row::evidence(&what, "%", ours, 2));
        }
    }
    rows
}
