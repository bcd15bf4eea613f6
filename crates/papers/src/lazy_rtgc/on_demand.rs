//! Fig. 8 and the statements of §6.2 on the map on demand.

use super::evaluation::{EVALUATION_CMT_KIB, WORKLOADS};
use super::figures::{COLLECTION, pages_moved};
use super::hits::{alternatives, evidence, hit_row, hits, mean, missing};
use super::on_demand_runs::{
    CMT_KIB, EVICTIONS, FINANCIAL, Reading, Runs, WEBSEARCH, collecting, evictions, table_sizes,
};
use super::real_traces;
use crate::matrix::{Cell, Matrix};
use crate::observer::ReproductionObserver;
use crate::reproduction::PlotFile;
use crate::row::{Limit, Row, TOLERANCE};
use crate::settings::{Scale, Settings};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use flash::parts::EVALUATION_SLC;
use lab::config::Preconditioning;
use lab::report::SchemeReport;
use lab::report::plots::{Curve, Curves, Drawn};
use std::ops::Range;

/// Fig. 8: hit ratio and mean response over the size of the cached mapping table.
pub(super) fn fig_8(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let traces = real_traces::find(settings.traces.as_deref())?;
    let runs = table_sizes(settings.scale, settings.seed, watch)?;
    to.runs = runs.records();
    for reading in Reading::ALL {
        let rows = hit_rows(&runs, reading).into_iter().chain([improvement(&runs, reading)]);
        to.rows.extend(rows.map(|row| once(row, reading)));
    }
    to.matrices.push(Matrix::of(
        "mean response with 1024 KiB against 64 KiB, %",
        &WORKLOADS,
        &Reading::ALL.map(Reading::setting),
        |at, reading| Cell::ours(change_of_mean(&runs, at, Reading::ALL[reading]), 2),
    ));
    for reading in Reading::ALL {
        for (at, name) in WORKLOADS.iter().enumerate() {
            to.rows.extend(evidence(&runs, at, name, reading));
        }
    }
    to.notes.push(
        "cmt_evict=clean: dirty mappings stay until TW writes them back in groups, as the bound of §5 needs. mapping: the \
         mapping used least recently is replaced, and written back alone if it is dirty, which Eq. 15 counts. reads: the \
         same for those that a read replaces; dirty mappings of the same page go with one that a write replaces"
            .into(),
    );
    if settings.scale == Scale::Quick {
        to.notes.push(
            "1 GiB with a thirty-second of each table and footprint; financial-like: 4 GiB with the printed tables, the \
             footprint in bytes of 32 GiB, and an eighth of the requests, since the distances at which it comes back to \
             a page do not shrink with an array"
                .into(),
        );
    }
    real_traces::add(to, traces, settings, watch)?;
    let plots = [
        ("fig-8a.svg", "hit ratio, %", hits as fn(&Runs, usize, &str) -> Option<f64>),
        ("fig-8b.svg", "mean response of a page task, µs", mean),
    ];
    for (file, label, value) in plots {
        to.plots.push(curves(&runs, file, label, value));
    }
    Ok(())
}

/// A printed figure counts once, under the reading of the first screen.
fn once(row: Row, reading: Reading) -> Row {
    if reading == Reading::ALL[0] { row } else { row.as_evidence() }
}

fn hit_rows(runs: &Runs, reading: Reading) -> Vec<Row> {
    let claims = [
        (WEBSEARCH, Limit::Below(20.0), "random reads miss the cached mapping table"),
        (FINANCIAL, Limit::Above(50.0), "more than half of the lookups hit it"),
    ];
    let row = |(at, limit, claim)| {
        let row = hit_row(runs, at, WORKLOADS[at], limit, reading);
        if reading == Reading::ALL[0] { row.headline("§6.2(2)", claim) } else { row }
    };
    claims.into_iter().map(row).collect()
}

/// Change of a workload's mean response from the smallest table to the largest, %.
fn change_of_mean(runs: &Runs, at: usize, reading: Reading) -> Option<f64> {
    let mean = |kib| mean(runs, at, &reading.label(kib));
    Some((mean(1024)? / mean(64)? - 1.0) * 100.0)
}

fn improvement(runs: &Runs, reading: Reading) -> Row {
    let change = |reading: Reading| -> Option<f64> {
        let changes = (0..WORKLOADS.len()).map(|at| change_of_mean(runs, at, reading));
        let changes: Option<Vec<f64>> = changes.collect();
        changes.map(|changes| changes.iter().sum::<f64>() / changes.len() as f64)
    };
    let each = WORKLOADS
        .iter()
        .enumerate()
        .filter_map(|(at, name)| Some(format!("{name} {:.2}", change_of_mean(runs, at, reading)?)));
    let each = each.collect::<Vec<_>>().join(", ");
    let what = format!(
        "mean response with 1024 KiB against 64 KiB, mean of the workloads, {}",
        reading.setting()
    );
    let row = match change(reading) {
        Some(ours) => Row::changed(&what, "-7.50", ours, TOLERANCE)
            .because(alternatives(reading, -7.5, change))
            .noting(&each),
        None => missing(&what, Some("-7.50"), runs.why_not(&reading.label(1024))),
    };
    match reading {
        Reading::Replaced => {
            row.headline("§6.2(2)", "mean response with 1024 KiB of RAM against 64 KiB")
        }
        _ => row,
    }
}

fn curves(
    runs: &Runs,
    file: &str,
    label: &'static str,
    value: fn(&Runs, usize, &str) -> Option<f64>,
) -> PlotFile {
    let curve = |(at, name): (usize, &&str)| {
        let point =
            |kib: &u64| Some((*kib as f64, value(runs, at, &Reading::Replaced.label(*kib))?));
        Curve {
            name: (*name).to_owned(),
            note: String::new(),
            points: CMT_KIB.iter().filter_map(point).collect(),
            drawn: Drawn::Line,
        }
    };
    let chart = Curves {
        caption: format!("Fig. 8: on-demand Lazy-RTGC, {label}"),
        x_label: "cached mapping table at 32 GiB, KiB",
        y_label: label,
        log_x: false,
        log_y: false,
        curves: WORKLOADS.iter().enumerate().map(curve).collect(),
    };
    PlotFile { name: file.into(), figure: chart.into() }
}

/// §6.2(3) and (4): translation pages among the copies, and erases against Lazy-RTGC with its map in RAM.
pub(super) fn translation_pages(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let runs = collecting(settings.scale, settings.seed, watch)?;
    to.runs = runs.records();
    for reading in Reading::ALL {
        let rows = shares(&runs, reading).into_iter().chain([most_of_websearch(&runs, reading)]);
        let rows = rows.chain(erases(&runs, reading));
        to.rows.extend(rows.map(|row| once(row, reading)));
    }
    to.rows.extend(longest_service(&runs));
    Ok(())
}

/// The state of the array and what the table evicts, swept: shares of translation pages among the copies, and erases.
pub(super) fn on_demand_state(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let columns =
        ["websearch (56.26)", "others, mean (3.98)", "erases, websearch (+43.59)", "their number"];
    let aged = |age| Preconditioning { age, ..Preconditioning::default() };
    let states = [
        ("full+collecting", Preconditioning { collecting: true, ..Preconditioning::default() }),
        ("full+age=0.34", aged(0.34)),
        ("full+age=2", aged(2.0)),
    ];
    for state in states {
        let runs = evictions(settings, state, watch)?;
        let share = |at: usize, label: &str| {
            let [translation, all] = copies_of(&runs, at, label)?;
            (all > 0.0).then_some(translation / all * 100.0)
        };
        let erases = |label: &str| Some(runs.report(WEBSEARCH, label)?.erases as f64);
        let cell = |line: usize, column: usize| {
            let label = EVICTIONS[line].0;
            let others = (1..WORKLOADS.len()).filter_map(|at| share(at, label));
            match column {
                0 => Cell::ours(share(WEBSEARCH, label), 1),
                1 => {
                    let others: Vec<f64> = others.collect();
                    let mean = others.iter().sum::<f64>() / others.len() as f64;
                    Cell::ours((!others.is_empty()).then_some(mean), 1)
                }
                2 => {
                    let change = erases(label).zip(erases("lazy-rtgc").filter(|of| *of > 0.0));
                    Cell::ours(change.map(|(ours, base)| (ours / base - 1.0) * 100.0), 0)
                }
                _ => Cell::ours(erases(label), 0),
            }
        };
        let title = format!(
            "{}: translation pages among the copies, and erases against lazy-rtgc, %",
            state.0
        );
        let lines = EVICTIONS.map(|(label, _)| label);
        to.matrices.push(Matrix::of(&title, &lines, &columns, cell));
        to.runs.extend(runs.records());
    }
    Ok(())
}

/// Translation pages among the copies, percent; `None` if nothing was copied.
fn share(runs: &Runs, at: usize, reading: Reading) -> Option<f64> {
    let [translation, all] = copies(runs, at, reading)?;
    (all > 0.0).then_some(translation / all * 100.0)
}

fn copies(runs: &Runs, at: usize, reading: Reading) -> Option<[f64; 2]> {
    copies_of(runs, at, &reading.label(EVALUATION_CMT_KIB))
}

/// Translation pages copied, and all pages.
fn copies_of(runs: &Runs, at: usize, label: &str) -> Option<[f64; 2]> {
    let report = runs.report(at, label)?;
    let [translation, all] = [&["translation-collection"][..], &COLLECTION];
    Some([pages_moved(report, translation), pages_moved(report, all)])
}

/// The mean share of the workloads other than Websearch.
fn share_of_others(runs: &Runs, reading: Reading) -> Option<f64> {
    let others: Vec<f64> = (1..WORKLOADS.len()).filter_map(|at| share(runs, at, reading)).collect();
    (!others.is_empty()).then(|| others.iter().sum::<f64>() / others.len() as f64)
}

/// The order of the two printed shares, 3.98 and 56.26 %.
fn most_of_websearch(runs: &Runs, reading: Reading) -> Row {
    let what = format!("order of the share of translation pages, {}", reading.setting());
    let ours = [
        ("others", share_of_others(runs, reading)),
        (WORKLOADS[WEBSEARCH], share(runs, WEBSEARCH, reading)),
    ];
    Row::order(&what, &[&["others"], &[WORKLOADS[WEBSEARCH]]], &ours)
}

fn shares(runs: &Runs, reading: Reading) -> Vec<Row> {
    let others = |reading| share_of_others(runs, reading);
    let web = |reading| share(runs, WEBSEARCH, reading);
    type Figure<'a> = (&'a str, &'a str, &'a str, &'a dyn Fn(Reading) -> Option<f64>, Range<usize>);
    let figures: [Figure<'_>; 2] = [
        (
            WORKLOADS[WEBSEARCH],
            "56.26",
            "translation pages among the copies, Websearch",
            &web,
            0..1,
        ),
        (
            "mean of the other workloads",
            "3.98",
            "the same, mean of the other traces",
            &others,
            1..5,
        ),
    ];
    let mut rows = Vec::new();
    for (name, printed, claim, of, ats) in figures {
        let what =
            format!("share of translation pages in the copies, {name}, {}", reading.setting());
        let row = match of(reading) {
            Some(ours) => {
                let of_row: Vec<[f64; 2]> =
                    ats.filter_map(|at| copies(runs, at, reading)).collect();
                let sum = |which: usize| of_row.iter().map(|counts| counts[which]).sum();
                Row::measured(&what, "%", printed, ours, TOLERANCE)
                    .because(alternatives(reading, printed.parse().expect("a number"), of))
                    .of_events(sum(0), sum(1))
            }
            None => missing(&what, Some(printed), "no page was copied".into()),
        };
        let first = reading == Reading::Replaced;
        rows.push(if first { row.headline("§6.2(3)", claim) } else { row });
    }
    for (at, name) in WORKLOADS.iter().enumerate().skip(1) {
        if let Some(ours) = share(runs, at, reading) {
            let what = format!("the same, {name}, {}", reading.setting());
            rows.push(Row::evidence(&what, "%", ours, 2));
        }
    }
    rows
}

/// Eq. 15 against the longest task, without its steps.
fn longest_service(runs: &Runs) -> Option<Row> {
    let longest = |at: usize| {
        let report = runs.report(at, &Reading::Alone.label(EVALUATION_CMT_KIB))?;
        Some(report.service_ns.max)
    };
    let longest = (0..WORKLOADS.len()).filter_map(longest).max()?;
    let bound = bounds::lazy_rtgc::on_demand::mean_response_ns(&EVALUATION_SLC) as f64 / 1e3;
    let what = format!("Eq. 15: longest service of a task, {}", Reading::Alone.setting());
    let ours = longest as f64 / 1e3;
    Some(Row::limit(&what, "µs", Limit::AtMost(bound), ours).because(Reason::MissingDetail(format!(
        "an eviction may also need a translation block collected at once: {:.1} µs more than the bound",
        ours - bound
    ))))
}

/// Valid pages per victim among data and among translation blocks.
fn valid_pages(report: &SchemeReport) -> Option<[f64; 2]> {
    let per_victim = |cause: &str| {
        let count = report.counts.iter().find(|count| count.cause == cause)?;
        let moved = pages_moved(report, &[cause]);
        (count.erases > 0).then(|| moved / count.erases as f64)
    };
    Some([per_victim("collection")?, per_victim("translation-collection")?])
}

fn erases(runs: &Runs, reading: Reading) -> Vec<Row> {
    let of = |at: usize, label: &str| runs.report(at, label).map(|report| report.erases as f64);
    let label = |reading: Reading| reading.label(EVALUATION_CMT_KIB);
    let change = |at: usize, reading: Reading| {
        let base = of(at, "lazy-rtgc").filter(|base| *base > 0.0)?;
        Some((of(at, &label(reading))? / base - 1.0) * 100.0)
    };
    let what = format!(
        "erases, on demand against lazy-rtgc, {}, {}",
        WORKLOADS[WEBSEARCH],
        reading.setting()
    );
    let mut rows = Vec::new();
    let (ours, base) = (of(WEBSEARCH, &label(reading)), of(WEBSEARCH, "lazy-rtgc"));
    rows.push(match (ours, base) {
        (Some(ours), Some(base)) => {
            let row = Row::change(&what, "43.59", ours, base, TOLERANCE)
                .because(alternatives(reading, 43.59, |reading| change(WEBSEARCH, reading)))
                .of_events(ours, base);
            match reading {
                Reading::Replaced => {
                    row.headline("§6.2(4)", "erases on demand against Lazy-RTGC, Websearch")
                }
                _ => row,
            }
        }
        _ => missing(&what, Some("43.59"), runs.why_not(&label(reading))),
    });
    if let Some([data, translation]) = runs.report(WEBSEARCH, &label(reading)).and_then(valid_pages)
    {
        for (kind, valid) in [("data", data), ("translation", translation)] {
            let what = format!(
                "valid pages per {kind} victim, {}, {}",
                WORKLOADS[WEBSEARCH],
                reading.setting()
            );
            rows.push(Row::evidence(&what, "", valid, 1));
        }
    }
    for (at, name) in WORKLOADS.iter().enumerate().skip(1) {
        let what = format!(
            "erases, on demand against lazy-rtgc, {name} (\"close\"), {}",
            reading.setting()
        );
        if let Some(percent) = change(at, reading) {
            let [ours, base] =
                [&*label(reading), "lazy-rtgc"].map(|scheme| of(at, scheme).unwrap_or(0.0));
            rows.push(Row::evidence(&what, "%", percent, 2).of_events(ours, base));
        }
    }
    rows
}
