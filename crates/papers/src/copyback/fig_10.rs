//! Fig. 10: check that the destination can latch the data that the source drives.

use super::ours::{MOST, timings};
use crate::error::ReproduceError;
use crate::row::{Limit, Row};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use bounds::copyback::{CopyPath, CopyTimings, Waits};
use ddt::control::{ControlUnit, Cost, Transaction};
use ddt::{CopyJob, CopyRunError, Way, alone, channels_timing};
use flash::channels::{Addressing, ChannelsError, Policy};
use flash::pins::{Interface, WindowCheck, windows};

/// The timing mode with the paper's cycle of 25 ns.
const MODE: u8 = 4;

pub(super) fn fig_10(to: &mut Sheet) -> Outcome {
    let timing = channels_timing(&timings()?);
    let interface = Interface::of_timing(&timing, MODE)
        .map_err(|error| CopyRunError::from(ChannelsError::from(error)))?;
    let check = windows(&interface, &interface);
    let asked = &check.asked;
    let ns = |ns: u64| ns as f64;
    let why =
        "the paper names no t_WP, t_DS and t_REA of its part; of mode 4 the equation gives 18 ns";
    let skew = Row::exact("t_DL = t_REA + t_DS − t_WP", "ns", "20", ns(asked.t_dl_ns))
        .because(Reason::MissingDetail(why.into()));
    let drw = ns(asked.drw_ns());
    let narrow = match check.widened {
        Some(wider) => format!(
            "by the least that mode 4 guarantees data are valid for {} ns of a cycle of 25 ns, and {drw} ns are required: \
             at 25 ns direct transfers work only with devices better than the mode; {} ns is the shortest cycle that \
             works by it",
            asked.dvw_ns(),
            wider.t_rwc_ns,
        ),
        None => "no cycle works".into(),
    };
    to.rows = vec![
        skew,
        Row::limit(
            "DVW at 25 ns, not below DRW",
            "ns",
            Limit::Above(drw - 1.0),
            ns(asked.dvw_ns()),
        )
        .because(Reason::MissingDetail(narrow.clone()))
        .headline("§IV.B", "a direct transfer at 25 ns meets DVW ≥ DRW"),
        Row::evidence("DRW = t_DS + t_DH", "ns", drw, 0),
    ];
    if let Some(wider) = check.widened {
        to.rows.push(Row::evidence("shortest cycle that works", "ns", ns(wider.t_rwc_ns), 0));
        to.rows.extend(costs(&check, timing));
        to.rows.extend(savings(wider.t_rwc_ns, wider.t_dl_ns)?);
    }
    Ok(())
}

/// Rows with the cost of the wider cycle for a transaction of a whole block.
fn costs(check: &WindowCheck, timing: flash::channels::Timing) -> Vec<Row> {
    let unit = ControlUnit { timing, ways: 2, policy: Policy::Fifo };
    let wrong_bytes = [0; 128];
    let mut rows = Vec::new();
    for (cache_program, cached) in [(false, "no cache"), (true, "cache")] {
        let transaction = Transaction {
            source: 0,
            destination: 1,
            planes: 1,
            cache_program,
            addressing: Addressing::AfterRead,
            wrong_bytes: &wrong_bytes,
            most_wrong_bytes: 0,
        };
        let what = format!("what it adds to 128 pages, one plane, {cached}");
        rows.push(match Cost::of(check, &unit, &transaction) {
            Ok(cost) => {
                let added = cost.map_or(0.0, |cost| cost.added_ppm() as f64 / 1e4);
                Row::evidence(&what, "%", added, 2)
            }
            Err(error) => Row::missing(&what, "%", None, error),
        });
    }
    rows
}

/// Fig. 12's savings with the wider cycle, against ICB at the paper's cycle.
fn savings(t_rwc_ns: u64, t_dl_ns: u64) -> Result<Vec<Row>, ReproduceError> {
    let t = timings()?;
    let wide = CopyTimings { waits: Waits { direct_cycle_ns: t_rwc_ns, t_dl_ns, ..t.waits }, ..t };
    let whole = CopyJob::whole(MOST, MOST);
    let icb = alone(&t, Way::new(CopyPath::Icb, false, 1), whole)?.end_ns as f64;
    let mut rows = Vec::new();
    for (cache, printed) in [(false, "4.63"), (true, "17.92")] {
        let way = Way::new(CopyPath::Dgcb, cache, 1);
        let ours = (1.0 - alone(&wide, way, whole)?.end_ns as f64 / icb) * 100.0;
        let what = format!("{} at that cycle below ICB at 25 ns, 128 pages, one plane", way.name());
        let at_25 = (1.0 - alone(&t, way, whole)?.end_ns as f64 / icb) * 100.0;
        let why = format!(
            "at the paper's 25 ns, too short for the pins of mode 4, it is {at_25:.2} %; without cache program \
             nothing hides the longer transfer"
        );
        rows.push(Row::measured(&what, "%", printed, ours, 2.0).because(Reason::Reading(why)));
    }
    Ok(rows)
}
