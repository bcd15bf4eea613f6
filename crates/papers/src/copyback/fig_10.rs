//! Fig. 10: check that the destination can latch the data that the source drives.

use super::ours::{MOST, timings};
use crate::ddt::control::{ControlUnit, Cost, Transaction};
use crate::ddt::{CopyJob, CopyRunError, Way, alone, channels_timing};
use crate::sheet::{Outcome, Sheet};
use bounds::copyback::{CopyPath, CopyTimings, Waits};
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
    to.say("t_dl", ns(asked.t_dl_ns)).put("t-dl", asked.t_dl_ns);
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
    to.say("limit", drw - 1.0).say("narrow", narrow).put("dvw", asked.dvw_ns());
    to.put("drw", drw);
    if let Some(wider) = check.widened {
        to.put("shortest", wider.t_rwc_ns);
        costs(&check, timing, to);
        savings(wider.t_rwc_ns, wider.t_dl_ns, to)?;
    }
    Ok(())
}

/// Rows with the cost of the wider cycle for a transaction of a whole block.
fn costs(check: &WindowCheck, timing: flash::channels::Timing, to: &mut Sheet) {
    let unit = ControlUnit { timing, ways: 2, policy: Policy::Fifo };
    let wrong_bytes = [0; 128];
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
        let cost = Cost::of(check, &unit, &transaction);
        let added = cost.map(|cost| cost.map_or(0.0, |cost| cost.added_ppm() as f64 / 1e4));
        to.say("cached", cached).put("adds", added);
    }
}

/// Fig. 12's savings with the wider cycle, against ICB at the paper's cycle.
fn savings(t_rwc_ns: u64, t_dl_ns: u64, to: &mut Sheet) -> Outcome {
    let t = timings()?;
    let wide = CopyTimings { waits: Waits { direct_cycle_ns: t_rwc_ns, t_dl_ns, ..t.waits }, ..t };
    let whole = CopyJob::whole(MOST, MOST);
    let icb = alone(&t, Way::new(CopyPath::Icb, false, 1), whole)?.end_ns as f64;
    for (cache, printed) in [(false, "4.63"), (true, "17.92")] {
        let way = Way::new(CopyPath::Dgcb, cache, 1);
        let saved =
            |t| Ok::<_, CopyRunError>((1.0 - alone(t, way, whole)?.end_ns as f64 / icb) * 100.0);
        to.say("way", way.name()).say("printed", printed).say("at_25", saved(&t)?);
        to.put("saving", saved(&wide)?);
    }
    Ok(())
}
