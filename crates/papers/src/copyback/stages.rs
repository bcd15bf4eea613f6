//! Table II and Eqs 1 to 8, compared with the bus tenures of the engine.

use super::ours::{PLANES, timings};
use crate::error::ReproduceError;
use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use bounds::copyback::{CopyPath, Stages};
use ddt::{CopyJob, Way, logged};
use flash::channels::{Grant, Segment};
use flash::parts::DDT_MLC;

fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

pub(super) fn table_2(to: &mut Sheet) -> Outcome {
    let t = timings()?;
    let bytes = f64::from(DDT_MLC.page_bytes + DDT_MLC.oob_bytes);
    to.rows = vec![
        Row::evidence("t_R", "µs", us(t.t_r_ns), 0),
        Row::evidence("t_PROG", "µs", us(t.t_prog_ns), 0),
        Row::evidence("t_BERS", "ms", us(t.t_bers_ns) / 1e3, 0),
        Row::evidence("t_RC, t_WC and t_RWC", "ns", t.t_rwc_ns() as f64, 0),
        Row::evidence("t_DL", "ns", t.waits.t_dl_ns as f64, 0),
        Row::exact("bits that ECC corrects per page", "", "192", t.most_corrected_bytes().into())
            .as_input(),
        Row::evidence("pageSize, spare bytes included", "bytes", bytes, 0),
    ];
    for (planes, name) in PLANES {
        let stages = Stages::of(&t, planes, 0);
        let row = |what: &str, ns: u64| Row::evidence(&format!("{name}: {what}"), "µs", us(ns), 3);
        let corrected = Stages::of(&t, planes, t.most_corrected_bytes());
        to.rows.extend([
            row("t_DO (Eq. 1)", stages.t_do_ns),
            row("t_DI (Eq. 2)", stages.t_di_ns),
            row("t_DIO without errors (Eq. 3)", stages.t_dio_ns),
            row("t_DI_EC of 192 bits per page", corrected.t_di_ec_ns),
            row("t_SR_SET: commands, addresses and waits of a read", stages.t_sr_set_ns),
            row("t_SP_SET: the same of a program", stages.t_sp_set_ns),
        ]);
    }
    to.rows.extend(tenures()?);
    Ok(())
}

/// Compares the engine's bus tenures with the equations.
fn tenures() -> Result<Vec<Row>, ReproduceError> {
    let t = timings()?;
    let stages = Stages::of(&t, 1, 0);
    let length = |path, segment, part: fn(&Grant) -> u64| -> Result<u64, ReproduceError> {
        let ran = logged(&t, Way::new(path, false, 1), CopyJob::transaction(1))?;
        let found = ran.watch.iter().find(|grant| grant.segment == segment);
        Ok(found.map_or(0, part))
    };
    let held = |grant: &Grant| grant.end_ns - grant.begin_ns;
    let cells = |grant: &Grant| grant.array_end_ns - grant.array_begin_ns;
    let init = stages.t_sp_set_ns - t.waits.t_wb_ns;
    let found = [
        ("t_DO", stages.t_do_ns, length(CopyPath::Gcb, Segment::DataOut, held)?),
        (
            "t_DI",
            stages.t_di_ns,
            length(CopyPath::Gcb, Segment::DataIn, held)?.saturating_sub(init),
        ),
        ("t_DIO", stages.t_dio_ns, length(CopyPath::Dgcb, Segment::Direct, held)?),
        ("t_R", stages.t_r_ns, length(CopyPath::Gcb, Segment::Command, cells)?),
        ("t_PROG", stages.t_prog_ns, length(CopyPath::Gcb, Segment::DataIn, cells)?),
    ];
    let apart = found.iter().filter(|(_, equation, engine)| equation != engine);
    let names: Vec<&str> = apart.clone().map(|(name, ..)| *name).collect();
    let what = "stages of the engine's log that are not the equations'";
    Ok(vec![Row::evidence(what, "", apart.count() as f64, 0).noting(&names.join(", "))])
}
