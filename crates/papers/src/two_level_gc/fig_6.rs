//! Fig. 6: page commands per second over time on the paper's board, and comparisons that the paper does not make.

use super::fig_6_board::{
    Controller, GREEDY, IN_ORDER, LISTS, ROOMY, SCHEMES, SEARCH, WORKLOADS, Workload,
};
use super::fig_6_notes::notes;
use super::fig_6_rows::{
    Of, TOLD, against_greedy, claims, claims_in_order, figures, host_pages, least, mean, stall,
    victims_at_once, where_lists_act,
};
use crate::matrix::{Cell, Matrix};
use crate::observer::ReproductionObserver;
use crate::reproduction::{CurvesFile, PlotFile};
use crate::runs::{Planned, Ran, run_all};
use crate::settings::Settings;
use crate::sheet::{Outcome, Sheet};
use lab::report::SchemeReport;
use lab::report::plots::{Curve, Curves, Drawn};

pub(super) fn fig_6(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let planned = |workload: &Workload| {
        let scale = (settings.scale, settings.seed);
        workload.planned(("", &SCHEMES), Controller::BOARD, None, scale)
    };
    let workloads = WORKLOADS.iter().chain(&IN_ORDER).chain([&ROOMY]);
    let planned: Vec<Planned> = workloads.map(planned).collect();
    let ran = run_all(planned, watch)?;
    let (of_table, others) = ran.split_at(WORKLOADS.len());
    let (in_order, of_lists) = others.split_at(IN_ORDER.len());
    to.rows.extend(of_table.iter().flat_map(claims));
    to.rows.extend(in_order.iter().flat_map(claims_in_order));
    let parts: [fn(&Ran) -> Vec<_>; 3] = [against_greedy, victims_at_once, figures];
    for rows in parts {
        to.rows.extend(of_table.iter().chain(in_order).flat_map(rows));
    }
    to.rows.extend(of_lists.iter().flat_map(where_lists_act));
    to.matrices = IN_MATRICES.map(|(title, decimals, of)| matrix(title, decimals, of, &ran)).into();
    for (at, of) in (1..).zip(of_table) {
        to.plots.push(plot(of, &format!("fig-6-workload-{at}")));
    }
    for (of, name) in in_order.iter().zip(["2-in-order", "4-in-order", "4-at-one-position"]) {
        to.plots.push(plot(of, &format!("fig-6-workload-{name}")));
    }
    to.curves.push(windows(&ran));
    to.curves.push(table(&ran));
    to.notes = notes(settings.scale, of_table, of_lists);
    to.runs = ran.into_iter().map(|ran| ran.record).collect();
    Ok(())
}

/// Figures shown as workload × scheme.
const IN_MATRICES: [(&str, usize, Of); 4] = [
    ("page commands per second, mean", 0, mean),
    ("page commands per second, least window", 0, least),
    ("host pages per second", 0, host_pages),
    ("longest stall, ms", 1, |scheme| Some(stall(scheme)? / 1e6)),
];

fn matrix(title: &str, decimals: usize, of: Of, ran: &[Ran]) -> Matrix {
    let names: Vec<&str> = ran.iter().map(|ran| ran.name.as_str()).collect();
    let labels = SCHEMES.map(|(label, _)| label);
    Matrix::of(title, &names, &labels, |run, scheme| {
        Cell::ours(ran[run].scheme(labels[scheme]).and_then(of), decimals)
    })
}

fn plot(ran: &Ran, name: &str) -> PlotFile {
    let curve = |label: &&str| {
        let report = ran.scheme(label);
        let points = report.map(rates).unwrap_or_default();
        let note = report.and_then(|report| {
            Some(format!("mean {:.0}, least {:.0}", mean(report)?, least(report)?))
        });
        Curve {
            name: (*label).into(),
            note: note.unwrap_or_default(),
            points: points.into_iter().map(|(at, commands, _)| (at, commands)).collect(),
            drawn: Drawn::Line,
        }
    };
    let mut workloads = WORKLOADS.iter().chain(&IN_ORDER);
    let words = workloads.find(|workload| workload.name == ran.name).map_or("", |w| w.words);
    let chart = Curves {
        caption: format!("Page commands per second, {}: {words}", ran.name),
        x_label: "time, s",
        y_label: "page reads and programs per second",
        log_x: false,
        log_y: false,
        curves: [SEARCH, LISTS, GREEDY].iter().map(curve).collect(),
    };
    PlotFile { name: format!("{name}.svg"), figure: chart.into() }
}

/// For each whole window: its middle in s, page commands per second, and host pages per second.
fn rates(report: &SchemeReport) -> Vec<(f64, f64, f64)> {
    let Some(ssd) = &report.ssd else { return Vec::new() };
    let seconds = ssd.window_ns as f64 / 1e9;
    let whole = report.series.windows.iter().take(ssd.windows as usize);
    let rate = |window: &lab::report::WindowSample| {
        let middle = window.start_ns as f64 / 1e9 + seconds / 2.0;
        (middle, window.page_commands as f64 / seconds, window.host_pages as f64 / seconds)
    };
    whole.map(rate).collect()
}

fn windows(ran: &[Ran]) -> CurvesFile {
    let mut csv = String::from("workload,scheme,time_s,page_commands_per_s,host_pages_per_s\n");
    for of in ran {
        for (label, report) in of.schemes.iter() {
            for (at, commands, host) in report.as_ref().map(rates).unwrap_or_default() {
                csv.push_str(&format!("{},\"{label}\",{at},{commands},{host}\n", of.name));
            }
        }
    }
    CurvesFile { name: "fig-6.csv".into(), csv }
}

fn table(ran: &[Ran]) -> CurvesFile {
    let mut csv = String::from("workload,scheme");
    TOLD.iter().for_each(|(what, unit, ..)| csv.push_str(&format!(",\"{what} {unit}\"")));
    csv.push('\n');
    for of in ran {
        for (label, report) in &of.schemes {
            csv.push_str(&format!("{},\"{label}\"", of.name));
            for (.., value) in TOLD {
                let value = report.as_ref().ok().and_then(value);
                csv.push_str(&value.map_or_else(|| ",".into(), |value| format!(",{value}")));
            }
            csv.push('\n');
        }
    }
    CurvesFile { name: "fig-6-table.csv".into(), csv }
}
