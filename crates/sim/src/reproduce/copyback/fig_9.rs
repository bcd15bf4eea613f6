//! Fig. 9: PROG_INIT goes out while the source reads, which Eqs 11 and 13 do not say.

use super::PAPER;
use super::ours::{PLANES, timings};
use crate::copyback::{Collection, Way, alone, logged};
use crate::reproduce::{ReproduceError, Row, Section};
use bounds::copyback::CopyPath;
use flash::channels::{Addressing, Grant, Segment};

/// Pages of the transaction that is looked at.
const OPERATIONS: u32 = 8;

pub(super) fn fig_9() -> Result<Section, ReproduceError> {
    let mut section = PAPER.section("fig-9");
    let during =
        Collection { addressing: Addressing::DuringRead, ..Collection::transaction(OPERATIONS) };
    let way = Way::new(CopyPath::Dgcb, true, 1);
    let log = logged(&timings()?, way, during)?.watch;
    section.rows.extend(order_of(&log));
    let why = "erratum: Eqs 11 and 13 let t_SP_SET begin when the page is in the source's register; by Fig. 9 its \
               command, address and t_ADL pass beside t_R, once a transaction";
    for (planes, on) in PLANES {
        for (cache, equation) in [(false, "Eq. 11"), (true, "Eq. 13")] {
            let way = Way::new(CopyPath::Dgcb, cache, planes);
            let serial = alone(&timings()?, way, Collection::transaction(OPERATIONS))?.copies_ns;
            let early = alone(&timings()?, way, during)?.copies_ns;
            let what = format!("{equation} less Fig. 9's order, {on}");
            let gain = serial.abs_diff(early) as f64;
            section.rows.push(Row::exact(&what, "ns", "0", gain, why));
        }
    }
    Ok(section)
}

/// What must come before what, of every page.
fn order_of(log: &[Grant]) -> Vec<Row> {
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
    let why = "the engine does not do as the figure says";
    let row = |what: &str, found: f64| Row::exact(what, "pages", "0", found, why);
    let whole = [&reads, &data].iter().all(|of| of.len() == OPERATIONS as usize)
        && inits.len() == starts.len()
        && starts.len() == OPERATIONS as usize;
    if !whole {
        return vec![row("pages whose messages are not all there", OPERATIONS.into())];
    }
    let ended = |page: usize| reads[page].array_end_ns;
    vec![
        row(
            "PROG_INIT of the first page while the source reads it: pages for which not",
            f64::from(!(reads[0].end_ns <= inits[0].begin_ns && inits[0].end_ns <= ended(0))),
        ),
        row(
            "DDT_BEGIN before READ_END or before DIN_READY",
            broken(&|page| data[page].begin_ns >= ended(page).max(inits[page].end_ns)),
        ),
        row(
            "PROG_START before DDT_DONE",
            broken(&|page| starts[page].begin_ns >= data[page].end_ns),
        ),
        row(
            "next page not read while this one is programmed",
            broken(&|page| {
                page + 1 == OPERATIONS as usize || ended(page + 1) <= starts[page].array_end_ns
            }),
        ),
    ]
}
