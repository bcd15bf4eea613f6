//! Fig. 12: the whole collection; and the early erase of §III.A.

use super::ours::{
    MOST, PATHS, PLANES, count, curve, named, over_sizes, points, timings, transaction,
};
use crate::ddt::{CopyJob, EraseAt, Way, alone};
use crate::error::ReproduceError;
use crate::sheet::{Outcome, Sheet};
use bounds::copyback::CopyPath;

/// Time to copy a whole block per plane, `each` operations per transaction, and to erase it, ns.
fn collection_ns(way: Way, each: u32, erase: EraseAt) -> Result<f64, crate::ddt::CopyRunError> {
    let collection = CopyJob { erase: Some(erase), ..CopyJob::whole(MOST, each) };
    Ok(alone(&timings()?, way, collection)?.end_ns as f64)
}

/// Time saved against ICB's collection, %.
fn saving(path: CopyPath, cache: bool, planes: u32, erase: EraseAt) -> Result<f64, ReproduceError> {
    let icb = collection_ns(Way::new(CopyPath::Icb, false, planes), MOST, EraseAt::End)?;
    Ok((1.0 - collection_ns(Way::new(path, cache, planes), MOST, erase)? / icb) * 100.0)
}

/// The paths beside ICB.
const OTHERS: [(CopyPath, bool); 4] = [
    (CopyPath::Gcb, false),
    (CopyPath::Dgcb, false),
    (CopyPath::Gcb, true),
    (CopyPath::Dgcb, true),
];

pub(super) fn fig_12(to: &mut Sheet) -> Outcome {
    for ((path, cache), printed) in OTHERS.into_iter().zip(["4.52", "4.63", "17.81", "17.92"]) {
        to.say("way", Way::new(path, cache, 1).name()).say("printed", printed);
        to.put("saving", saving(path, cache, 1, EraseAt::End)?);
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
        to.say("on", on).say("file", on.replace(' ', "-")).say("pages", MOST * planes);
        crossover(planes, &values[0], &values[1], to);
        let curves: Vec<_> =
            PATHS.iter().zip(&values).map(|((.., name), v)| curve(name, planes, v)).collect();
        files.extend(named(on, &curves));
        to.curves("fig-12-{file}", curves);
    }
    for (path, cache) in OTHERS {
        to.say("way", Way::new(path, cache, 2).name());
        to.put("saving-two", saving(path, cache, 2, EraseAt::End)?);
    }
    to.curves.push(points("fig-12", "pages of a transaction", &files));
    Ok(())
}

/// Rows with the largest size at which GCB is behind ICB, and with the sizes at which ICB's time changes.
fn crossover(planes: u32, icb: &[f64], gcb: &[f64], to: &mut Sheet) {
    let behind = |sizes: &dyn Fn(u32) -> bool| {
        let of = (1..=MOST).filter(|&n| sizes(n) && gcb[n as usize - 1] > icb[n as usize - 1]);
        of.max().unwrap_or(0) * planes
    };
    to.say("doubling", behind(&|n| MOST.is_multiple_of(n)));
    to.say("printed", if planes == 1 { "8" } else { "16" }).put("behind", behind(&|_| true));
    to.put("changes", count(icb, |ms| *ms != icb[0]));
}

pub(super) fn early_erase(to: &mut Sheet) -> Outcome {
    for (path, cache) in OTHERS {
        to.say("way", Way::new(path, cache, 1).name());
        to.put("saving", saving(path, cache, 1, EraseAt::SourceFree)?);
    }
    for (planes, on) in PLANES {
        let free = |path| -> Result<f64, ReproduceError> {
            Ok(transaction(Way::new(path, false, planes), MOST)?.source_free_ns as f64)
        };
        let (gcb, dgcb) = (free(CopyPath::Gcb)?, free(CopyPath::Dgcb)?);
        let icb = free(CopyPath::Icb)?;
        to.say("on", on).say("pages", MOST * planes);
        to.put("free", vec![("GCB", Some(gcb)), ("DGCB", Some(dgcb)), ("ICB", Some(icb))]);
        to.put("later", (dgcb - gcb) / 1e3);
    }
    Ok(())
}
