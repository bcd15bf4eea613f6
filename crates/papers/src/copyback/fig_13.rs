//! Fig. 13: cost of corrected bytes in direct transfers.

use super::ours::{MOST, PLANES, named, over_sizes, points, timings, transaction_ns};
use crate::ddt::{CopyRunError, Way};
use crate::error::ReproduceError;
use crate::sheet::{Outcome, Sheet, line};
use bounds::copyback::CopyPath;
use lab::report::plots::Curve;

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
        to.say("on", on).say("file", on.replace(' ', "-")).say("fitted", FITTED);
        plain(planes, to)?;
        cached(planes, to)?;
        let mut curves = Vec::new();
        for cache in [false, true] {
            // A single program is never a cache program.
            for &operations in &DRAWN[usize::from(cache)..] {
                curves.push(curve(cache, planes, operations)?);
            }
        }
        files.extend(named(on, &curves));
        to.curves("fig-13-{file}", curves);
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
    Ok(line(name, points?))
}

const FITTED: &str =
    "t_CCS, which the paper does not print, is chosen so that the four printed losses come out";

/// Rows without cache program.
fn plain(planes: u32, to: &mut Sheet) -> Outcome {
    let lost = losses(false, planes)?;
    let (first, last) = (lost[0], lost[MOST as usize - 1]);
    // The printed figure belongs to the smallest transaction on one plane, and to the largest on two.
    let (printed, at, pages, key) = match planes {
        1 => ("2.71", first, planes, "most"),
        _ => ("4.86", last, MOST * planes, "most-fitted"),
    };
    to.say("printed", printed).say("pages", pages).put("lost", at);
    to.say("least", first).say("most", last);
    to.put(key, lost.iter().copied().fold(0.0, f64::max));
    to.put("grows", last - first);
    Ok(())
}

/// Rows with cache program, which requires at least two programs.
fn cached(planes: u32, to: &mut Sheet) -> Outcome {
    let lost = &losses(true, planes)?[1..];
    to.say("printed", if planes == 1 { "1.51" } else { "2.77" });
    to.put("most-cache", lost.iter().copied().fold(0.0, f64::max));
    to.put("rises", lost.windows(2).filter(|pair| pair[1] > pair[0]).count());
    Ok(())
}
