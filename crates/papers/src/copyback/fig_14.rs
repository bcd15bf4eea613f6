//! Fig. 14: channel use during a transaction.

use super::ours::{
    MOST, PATHS, PLANES, chart, curve, named, over_sizes, points, timings, transaction,
};
use crate::error::ReproduceError;
use crate::row::{Limit, Row};
use crate::sheet::{Outcome, Sheet};
use bounds::copyback::CopyPath;
use ddt::{CopyRunError, Way};

/// Share of time in which the bus is held, %.
fn used(way: Way, operations: u32) -> Result<f64, CopyRunError> {
    let ran = transaction(way, operations)?;
    Ok(ran.bus.busy_ns() as f64 * 100.0 / ran.copies_ns as f64)
}

/// Copy method as in the figure, which shows DGCB at the highest error rate.
fn of_figure(path: CopyPath, cache: bool, planes: u32) -> Result<Way, CopyRunError> {
    let way = Way::new(path, cache, planes);
    Ok(match path {
        CopyPath::Dgcb => way.with_corrected_bytes(timings()?.corrected_bytes_at(100)),
        _ => way,
    })
}

pub(super) fn fig_14(to: &mut Sheet) -> Outcome {
    to.rows.extend(sixty()?);
    let mut files = Vec::new();
    for (planes, on) in PLANES {
        to.rows.extend(halves(planes, on)?);
        let mut curves = Vec::new();
        for (path, cache, name) in PATHS {
            let way = of_figure(path, cache, planes)?;
            curves.push(curve(name, planes, &over_sizes(|n| used(way, n))?));
        }
        files.extend(named(on, &curves));
        let file = format!("fig-14-{}", on.replace(' ', "-"));
        let caption = format!("Fig. 14: channel use, DGCB with 192 bit errors per page, {on}");
        to.plots.push(chart(&file, caption, "time in which the channel is taken, %", curves));
    }
    to.curves.push(points("fig-14", "pages of a transaction", &files));
    Ok(())
}

/// "Exceeded 60 % when the transaction size was 16 pages or more."
fn sixty() -> Result<Vec<Row>, ReproduceError> {
    let way = Way::new(CopyPath::Gcb, true, 2);
    let over = over_sizes(|n| used(way, n))?;
    let least = over[7..].iter().copied().fold(100.0, f64::min);
    Ok(vec![
        Row::limit(
            "GCB + cache, two planes: the least from 16 pages on",
            "%",
            Limit::Above(60.0),
            least,
        )
        .headline("§VI.E", "channel use of GCB + cache on two planes, 16 pages or more"),
        Row::limit(
            "GCB + cache, two planes: 8 pages, the size before",
            "%",
            Limit::AtMost(60.0),
            over[3],
        ),
        Row::evidence("GCB + cache, two planes: 256 pages", "%", over[MOST as usize - 1], 2),
    ])
}

/// Rows comparing DGCB with GCB, and ICB with both.
fn halves(planes: u32, on: &str) -> Result<Vec<Row>, ReproduceError> {
    let mut rows = Vec::new();
    for (cache, cached) in [(false, ""), (true, " + cache")] {
        let busy = |path| -> Result<f64, CopyRunError> {
            Ok(transaction(Way::new(path, cache, planes), MOST)?.bus.busy_ns() as f64)
        };
        let share = busy(CopyPath::Dgcb)? / busy(CopyPath::Gcb)? * 100.0;
        let what = format!("{on}: channel time of DGCB{cached} without errors, of GCB's");
        let row = Row::exact(&what, "%", "50", share);
        rows.push(match (planes, cache) {
            (1, false) => row.headline("§III.C", "channel time of DGCB without errors, of GCB's"),
            _ => row,
        });
        let with =
            transaction(of_figure(CopyPath::Dgcb, cache, planes)?, MOST)?.bus.busy_ns() as f64;
        let what = format!("{on}: the same with 192 bit errors per page");
        rows.push(Row::evidence(&what, "%", with / busy(CopyPath::Gcb)? * 100.0, 1));
        let value = |path| -> Result<Option<f64>, CopyRunError> {
            Ok(Some(used(of_figure(path, cache, planes)?, MOST)?))
        };
        let ours = [
            ("ICB", Some(used(Way::new(CopyPath::Icb, false, planes), MOST)?)),
            ("DGCB", value(CopyPath::Dgcb)?),
            ("GCB", value(CopyPath::Gcb)?),
        ];
        let what = format!("{on}: order of channel use{cached}, largest transaction");
        rows.push(Row::order(&what, &[&["ICB"], &["DGCB"], &["GCB"]], &ours));
    }
    Ok(rows)
}
