//! Eqs 9 to 13 against the engine: one and two planes, all transaction sizes, all error rates.

use super::ours::{MOST, PATHS, PLANES, timings};
use crate::ddt::{CopyJob, Way, alone};
use crate::error::ReproduceError;
use crate::sheet::{Outcome, Sheet};
use bounds::copyback::CopyPath;

/// Error rates of Fig. 13, percent.
const RATES: [u32; 6] = [0, 20, 40, 60, 80, 100];

pub(super) fn equations(to: &mut Sheet) -> Outcome {
    let (mut apart, mut all) = (0u32, 0u32);
    for (planes, on) in PLANES {
        for (path, cache, name) in PATHS {
            let (differ, of) = differences(Way::new(path, cache, planes))?;
            (apart, all) = (apart + differ, all + of);
            to.say("equation", equation(path, cache)).say("name", name).say("on", on);
            to.say("of", of).put("apart", differ);
        }
    }
    to.say("agree", all - apart).say("all", all);
    Ok(())
}

fn equation(path: CopyPath, cache: bool) -> &'static str {
    match (path, cache) {
        (CopyPath::Gcb, false) => "Eq. 10",
        (CopyPath::Dgcb, false) => "Eq. 11",
        (CopyPath::Gcb, true) => "Eq. 12",
        (CopyPath::Dgcb, true) => "Eq. 13",
        _ => "Eq. 9",
    }
}

/// Number of transactions whose engine time differs from the printed equation, and number of all transactions.
fn differences(way: Way) -> Result<(u32, u32), ReproduceError> {
    let t = timings()?;
    let mut found = (0, 0);
    for rate in RATES {
        let way = way.with_corrected_bytes(t.corrected_bytes_at(rate));
        let form = way.closed_form(&t).map_err(crate::ddt::CopyRunError::from)?;
        for operations in 1..=MOST {
            let engine = alone(&t, way, CopyJob::transaction(operations))?.copies_ns;
            found.0 += u32::from(form.printed_ns(operations * way.planes) != Ok(engine));
            found.1 += 1;
        }
    }
    Ok(found)
}
