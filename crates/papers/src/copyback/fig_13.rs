//! Fig. 13: cost of corrected bytes in direct transfers.

use super::ours::{MOST, PLANES, named, over_sizes, points, timings, transaction_ns};
use crate::error::ReproduceError;
use crate::reproduction::PlotFile;
use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use bounds::copyback::CopyPath;
use ddt::{CopyRunError, Way};
use sim::report::plots::{Curve, Curves, Drawn};

/// Tolerance for a percentage, percent of it.
const TOLERANCE: f64 = 2.0;
/// Operations per transaction of the curves drawn.
const DRAWN: [u32; 4] = [1, 2, 8, MOST];

/// Throughput at an error rate relative to that without errors.
fn normalised(
    cache: bool,
    planes: u32,
    operations: u32,
    percent: u32,
) -> Result<f64, CopyRunError> {
    let clean = Way::new(CopyPath::Dgcb, cache, planes);
    let wrong = clean.with_corrected_bytes(timings()?.corrected_bytes_at(percent));
    Ok(transaction_ns(clean, operations)? as f64 / transaction_ns(wrong, operations)? as f64)
}

/// Throughput lost at the highest error rate, %, at each transaction size.
fn losses(cache: bool, planes: u32) -> Result<Vec<f64>, CopyRunError> {
    over_sizes(|n| Ok((1.0 - normalised(cache, planes, n, 100)?) * 100.0))
}

pub(super) fn fig_13(to: &mut Sheet) -> Outcome {
    let mut files = Vec::new();
    for (planes, on) in PLANES {
        to.rows.extend(plain(planes, on)?);
        to.rows.extend(cached(planes, on)?);
        let mut curves = Vec::new();
        for cache in [false, true] {
            // A single program is never a cache program.
            for &operations in &DRAWN[usize::from(cache)..] {
                curves.push(curve(cache, planes, operations)?);
            }
        }
        files.extend(named(on, &curves));
        let chart = Curves {
            caption: format!("Fig. 13: throughput that DGCB loses to corrections, {on}"),
            x_label: "error rate, % of 192 bits per page",
            y_label: "throughput lost, %",
            log_x: false,
            log_y: false,
            curves,
        };
        let name = format!("fig-13-{}.svg", on.replace(' ', "-"));
        to.plots.push(PlotFile { name, figure: chart.into() });
    }
    to.curves.push(points("fig-13", "error rate, %", &files));
    Ok(())
}

fn curve(cache: bool, planes: u32, operations: u32) -> Result<Curve, ReproduceError> {
    let t = timings()?;
    let most = f64::from(t.most_corrected_bytes());
    let points: Result<Vec<_>, CopyRunError> = (0..=100)
        .step_by(5)
        .map(|rate| {
            let lost = (1.0 - normalised(cache, planes, operations, rate)?) * 100.0;
            // The error rate after rounding to whole bytes.
            Ok((f64::from(t.corrected_bytes_at(rate)) * 100.0 / most, lost))
        })
        .collect();
    let cached = if cache { ", cache" } else { "" };
    let pages = operations * planes;
    let name = format!("{pages} {}{cached}", if pages == 1 { "page" } else { "pages" });
    Ok(Curve { name, note: String::new(), points: points?, drawn: Drawn::Line })
}

const FITTED: &str =
    "t_CCS, which the paper does not print, is chosen so that the four printed losses come out";

/// Rows without cache program.
fn plain(planes: u32, on: &str) -> Result<Vec<Row>, ReproduceError> {
    let lost = losses(false, planes)?;
    let (first, last) = (lost[0], lost[MOST as usize - 1]);
    let printed = if planes == 1 { "2.71" } else { "4.86" };
    let why = "by Eq. 11 the loss grows with the transaction, since the first read is paid once; the text has it the same for \
               all; no t_DI_EC makes the four printed losses maxima over the same transactions";
    let row = |what: &str, ours| {
        Row::measured(&format!("{on}, no cache: {what}"), "%", printed, ours, TOLERANCE)
            .because(Reason::PaperError(why.into()))
    };
    let fitted = |row: Row| row.as_input().noting(FITTED);
    let most = row("the most lost, of all sizes", lost.iter().copied().fold(0.0, f64::max));
    // The printed figure belongs to the smallest transaction on one plane, and to the largest on two.
    let at = if planes == 1 { (first, planes) } else { (last, MOST * planes) };
    let what = format!("{on}, no cache: loss of the longest less that of the shortest transaction");
    Ok(vec![
        fitted(row(&format!("lost at 192 bits per page, {} pages", at.1), at.0))
            .headline("§VI.D", &format!("throughput lost to corrections, no cache, {on}")),
        if planes == 1 { most } else { fitted(most) },
        Row::exact(&what, "points", "0.00", last - first).because(Reason::PaperError(why.into())),
    ])
}

/// Rows with cache program, which requires at least two programs.
fn cached(planes: u32, on: &str) -> Result<Vec<Row>, ReproduceError> {
    let lost = &losses(true, planes)?[1..];
    let most = lost.iter().copied().fold(0.0, f64::max);
    let printed = if planes == 1 { "1.51" } else { "2.77" };
    let what = format!("{on}, cache: the most lost, of two programs or more");
    let rises = lost.windows(2).filter(|pair| pair[1] > pair[0]).count();
    let falls = format!("{on}, cache: larger transactions that lose more");
    Ok(vec![
        Row::measured(&what, "%", printed, most, TOLERANCE)
            .as_input()
            .noting(FITTED)
            .headline("§VI.D", &format!("throughput lost to corrections, cache program, {on}")),
        Row::exact(&falls, "", "0", rises as f64),
    ])
}
