//! Table I and Fig. 9: messages of the control unit. PROG_INIT is sent while the source reads, which Eqs 11 and 13 do
//! not assume.

use super::ours::{PLANES, timings};
use crate::ddt::control::{ControlUnit, Event, EventKind, Transaction};
use crate::ddt::{CopyJob, Way, alone, channels_timing, logged};
use crate::sheet::{Outcome, Sheet};
use bounds::copyback::CopyPath;
use flash::channels::{Addressing, Grant, Policy, Segment};
use std::collections::BTreeMap;

/// Operations per transaction (one page each on one plane).
const OPERATIONS: u32 = 8;

pub(super) fn fig_9(to: &mut Sheet) -> Outcome {
    let during = CopyJob { addressing: Addressing::DuringRead, ..CopyJob::transaction(OPERATIONS) };
    let way = Way::new(CopyPath::Dgcb, true, 1);
    let log = logged(&timings()?, way, during)?.watch;
    messages(to)?;
    order_of(&log, to);
    for (planes, on) in PLANES {
        for (cache, equation) in [(false, "Eq. 11"), (true, "Eq. 13")] {
            let way = Way::new(CopyPath::Dgcb, cache, planes);
            let serial = alone(&timings()?, way, CopyJob::transaction(OPERATIONS))?.copies_ns;
            let early = alone(&timings()?, way, during)?.copies_ns;
            to.say("equation", equation).say("on", on).put("gain", serial.abs_diff(early));
        }
    }
    Ok(())
}

/// Rows from the control unit's log of a transaction in which some pages have bytes in error.
fn messages(to: &mut Sheet) -> Outcome {
    let t = timings()?;
    let unit = ControlUnit { timing: channels_timing(&t), ways: 2, policy: Policy::Fifo };
    let wrong_bytes: Vec<u32> = (0..OPERATIONS).map(|page| page % 4).collect();
    let transaction = Transaction {
        source: 0,
        destination: 1,
        planes: 1,
        cache_program: true,
        addressing: Addressing::DuringRead,
        wrong_bytes: &wrong_bytes,
        most_wrong_bytes: t.most_corrected_bytes(),
    };
    let mut log: Vec<Event> = Vec::new();
    let outcome = match unit.run(&transaction, &[], &mut log) {
        Ok(outcome) => outcome,
        Err(error) => {
            to.missing("the control unit", error);
            return Ok(());
        }
    };
    let mut kinds = BTreeMap::new();
    for event in &log {
        if let EventKind::Message { message, .. } = event.kind {
            *kinds.entry(message.name()).or_insert(0u32) += 1;
        }
    }
    let count = |name: &str| f64::from(kinds.get(name).copied().unwrap_or(0));
    let wrong = wrong_bytes.iter().filter(|&&bytes| bytes > 0).count();
    let way = Way::new(CopyPath::Dgcb, true, 1);
    let form = way.closed_form(&t).map_err(crate::ddt::CopyRunError::from)?;
    let drawn = form.drawn_ns(&wrong_bytes).map_err(crate::ddt::CopyRunError::from)?;
    let apart = (drawn - form.early_prog_init_gain_ns()).abs_diff(outcome.total_ns);
    to.put("kinds", kinds.len());
    to.put("retransmit", count("ERR_RETRANSMIT") - wrong as f64);
    to.put("time", apart);
    Ok(())
}

/// Rows that check the order of the messages for every page.
fn order_of(log: &[Grant], to: &mut Sheet) {
    let tenures = |way: u16, segment| {
        log.iter().filter(move |grant| grant.die.way == way && grant.segment == segment)
    };
    let reads: Vec<&Grant> = tenures(0, Segment::Command).collect();
    let data: Vec<&Grant> = tenures(1, Segment::Direct).collect();
    let commands: Vec<&Grant> = tenures(1, Segment::Command).collect();
    let inits: Vec<&&Grant> = commands.iter().step_by(2).collect();
    let starts: Vec<&&Grant> = commands.iter().skip(1).step_by(2).collect();
    let broken = |holds: &dyn Fn(usize) -> bool| {
        (0..OPERATIONS as usize).filter(|&page| !holds(page)).count() as f64
    };
    let whole = [&reads, &data].iter().all(|of| of.len() == OPERATIONS as usize)
        && inits.len() == starts.len()
        && starts.len() == OPERATIONS as usize;
    if !whole {
        return to.put("not-there", OPERATIONS);
    }
    let ended = |page: usize| reads[page].array_end_ns;
    let first = reads[0].end_ns <= inits[0].begin_ns && inits[0].end_ns <= ended(0);
    to.put("init", f64::from(!first));
    to.put("begin", broken(&|page| data[page].begin_ns >= ended(page).max(inits[page].end_ns)));
    to.put("start", broken(&|page| starts[page].begin_ns >= data[page].end_ns));
    let last = OPERATIONS as usize - 1;
    to.put("next", broken(&|page| page == last || ended(page + 1) <= starts[page].array_end_ns));
}
