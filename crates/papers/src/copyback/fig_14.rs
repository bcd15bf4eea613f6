//! Fig. 14: channel use during a transaction.

use super::ours::{MOST, PATHS, PLANES, curve, named, over_sizes, points, timings, transaction};
use crate::ddt::{CopyRunError, Way};
use crate::sheet::{Outcome, Sheet};
use bounds::copyback::CopyPath;

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
    let over = over_sizes(|n| used(Way::new(CopyPath::Gcb, true, 2), n))?;
    // "Exceeded 60 % when the transaction size was 16 pages or more."
    to.put("sixty", over[7..].iter().copied().fold(100.0, f64::min));
    to.put("before", over[3]);
    to.put("most", over[MOST as usize - 1]);
    let mut files = Vec::new();
    for (planes, on) in PLANES {
        to.say("on", on).say("file", on.replace(' ', "-"));
        halves(planes, to)?;
        let mut curves = Vec::new();
        for (path, cache, name) in PATHS {
            let way = of_figure(path, cache, planes)?;
            curves.push(curve(name, planes, &over_sizes(|n| used(way, n))?));
        }
        files.extend(named(on, &curves));
        to.curves("fig-14-{file}", curves);
    }
    to.curves.push(points("fig-14", "pages of a transaction", &files));
    Ok(())
}

/// Rows comparing DGCB with GCB, and ICB with both.
fn halves(planes: u32, to: &mut Sheet) -> Outcome {
    for (cache, cached) in [(false, ""), (true, " + cache")] {
        let busy =
            |way| -> Result<f64, CopyRunError> { Ok(transaction(way, MOST)?.bus.busy_ns() as f64) };
        let gcb = busy(Way::new(CopyPath::Gcb, cache, planes))?;
        to.say("cached", cached);
        to.put("half", busy(Way::new(CopyPath::Dgcb, cache, planes))? / gcb * 100.0);
        to.counts_if(planes == 1 && !cache);
        to.put("errors", busy(of_figure(CopyPath::Dgcb, cache, planes)?)? / gcb * 100.0);
        let value = |path| -> Result<Option<f64>, CopyRunError> {
            Ok(Some(used(of_figure(path, cache, planes)?, MOST)?))
        };
        let icb = Some(used(Way::new(CopyPath::Icb, false, planes), MOST)?);
        let ours = [("ICB", icb), ("DGCB", value(CopyPath::Dgcb)?), ("GCB", value(CopyPath::Gcb)?)];
        to.put("order", ours.to_vec());
    }
    Ok(())
}
