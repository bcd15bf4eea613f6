//! Fig. 12: the whole collection; and the early erase of §III.A.

use super::ours::{
    MOST, PATHS, PLANES, chart, count, curve, named, over_sizes, points, timings, transaction,
};
use crate::error::ReproduceError;
use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use bounds::copyback::CopyPath;
use ddt::{CopyJob, EraseAt, Way, alone};

/// Tolerance for a percentage, percent of it.
const TOLERANCE: f64 = 2.0;

/// Time to copy a whole block per plane, `each` operations per transaction, and to erase it, ns.
fn collection_ns(way: Way, each: u32, erase: EraseAt) -> Result<f64, ddt::CopyRunError> {
    let collection = CopyJob { erase: Some(erase), ..CopyJob::whole(MOST, each) };
    Ok(alone(&timings()?, way, collection)?.end_ns as f64)
}

/// Time saved against ICB's collection, %.
fn saving(path: CopyPath, cache: bool, planes: u32, erase: EraseAt) -> Result<f64, ReproduceError> {
    let icb = collection_ns(Way::new(CopyPath::Icb, false, planes), MOST, EraseAt::End)?;
    Ok((1.0 - collection_ns(Way::new(path, cache, planes), MOST, erase)? / icb) * 100.0)
}

pub(super) fn fig_12(to: &mut Sheet) -> Outcome {
    for (path, cache, printed) in [
        (CopyPath::Gcb, false, "4.52"),
        (CopyPath::Dgcb, false, "4.63"),
        (CopyPath::Gcb, true, "17.81"),
        (CopyPath::Dgcb, true, "17.92"),
    ] {
        let what = format!("{} below ICB, 128 pages, one plane", Way::new(path, cache, 1).name());
        let ours = saving(path, cache, 1, EraseAt::End)?;
        let claim = format!("collection saved by {} against ICB", Way::new(path, cache, 1).name());
        to.rows.push(
            Row::measured(&what, "%", printed, ours, TOLERANCE).headline("§VI.C, Fig. 12", &claim),
        );
    }
    let mut files = Vec::new();
    for (planes, on) in PLANES {
        let values: Result<Vec<_>, _> = PATHS
            .iter()
            .map(|&(path, cache, _)| {
                let way = Way::new(path, cache, planes);
                over_sizes(|each| Ok(collection_ns(way, each, EraseAt::End)? / 1e6))
            })
            .collect();
        let values = values?;
        to.rows.extend(crossover(planes, on, &values[0], &values[1]));
        let curves: Vec<_> =
            PATHS.iter().zip(&values).map(|((.., name), v)| curve(name, planes, v)).collect();
        files.extend(named(on, &curves));
        let file = format!("fig-12-{}", on.replace(' ', "-"));
        let caption = format!("Fig. 12: {} valid pages copied and the erase, {on}", MOST * planes);
        to.plots.push(chart(&file, caption, "whole collection, ms", curves));
    }
    for (path, cache) in [
        (CopyPath::Gcb, false),
        (CopyPath::Dgcb, false),
        (CopyPath::Gcb, true),
        (CopyPath::Dgcb, true),
    ] {
        let what = format!(
            "{} below ICB, 256 pages, two planes (\"a similar trend\")",
            Way::new(path, cache, 2).name()
        );
        to.rows.push(Row::evidence(&what, "%", saving(path, cache, 2, EraseAt::End)?, 2));
    }
    to.curves.push(points("fig-12", "pages of a transaction", &files));
    Ok(())
}

/// Rows with the largest size at which GCB is behind ICB, and with the sizes at which ICB's time changes.
fn crossover(planes: u32, on: &str, icb: &[f64], gcb: &[f64]) -> Vec<Row> {
    let behind = |sizes: &dyn Fn(u32) -> bool| {
        let of = (1..=MOST).filter(|&n| sizes(n) && gcb[n as usize - 1] > icb[n as usize - 1]);
        f64::from(of.max().unwrap_or(0) * planes)
    };
    let divides = |n: u32| MOST.is_multiple_of(n);
    let doubling = behind(&divides);
    let why = format!(
        "by Eqs 9 and 10 GCB is ahead where N·(t_SR − t_DI) > t_SR; of the sizes that divide the block, it is \
         behind up to {doubling}"
    );
    let printed = if planes == 1 { "8" } else { "16" };
    let ours = behind(&|_| true);
    let changes = count(icb, |ms| *ms != icb[0]);
    vec![
        Row::exact(&format!("{on}: GCB behind ICB up to"), "pages", printed, ours)
            .because(Reason::PaperError(why)),
        Row::exact(&format!("{on}: sizes at which ICB takes another time"), "", "0", changes),
    ]
}

pub(super) fn early_erase(to: &mut Sheet) -> Outcome {
    let why = "Fig. 12's percentages are those of an erase after the last program";
    for (path, cache) in [
        (CopyPath::Gcb, false),
        (CopyPath::Dgcb, false),
        (CopyPath::Gcb, true),
        (CopyPath::Dgcb, true),
    ] {
        let name = Way::new(path, cache, 1).name();
        let ours = saving(path, cache, 1, EraseAt::SourceFree)?;
        let what = format!("{name} below ICB, one plane, erase when the source is read");
        to.rows.push(Row::evidence(&what, "%", ours, 2).noting(why));
    }
    for (planes, on) in PLANES {
        let free = |path| -> Result<f64, ReproduceError> {
            Ok(transaction(Way::new(path, false, planes), MOST)?.source_free_ns as f64)
        };
        let (gcb, dgcb) = (free(CopyPath::Gcb)?, free(CopyPath::Dgcb)?);
        let icb = free(CopyPath::Icb)?;
        let ours = [("GCB", Some(gcb)), ("DGCB", Some(dgcb)), ("ICB", Some(icb))];
        let what =
            format!("{on}: order in which the source is free, {} pages, no cache", MOST * planes);
        to.rows.push(Row::order(&what, &[&["GCB"], &["DGCB"], &["ICB"]], &ours));
        let what = format!("{on}: source free later by DGCB than by GCB");
        to.rows.push(Row::evidence(&what, "µs", (dgcb - gcb) / 1e3, 1));
    }
    Ok(())
}
