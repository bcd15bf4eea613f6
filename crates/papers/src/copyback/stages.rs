//! Table II and Eqs 1 to 8, compared with the bus tenures of the engine.

use super::ours::{PLANES, timings};
use crate::ddt::{CopyJob, Way, logged};
use crate::error::ReproduceError;
use crate::sheet::{Outcome, Sheet};
use bounds::copyback::{CopyPath, Stages};
use flash::channels::{Grant, Segment};
use flash::parts::DDT_MLC;

fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

pub(super) fn table_2(to: &mut Sheet) -> Outcome {
    let t = timings()?;
    to.put("t-r", us(t.t_r_ns));
    to.put("t-prog", us(t.t_prog_ns));
    to.put("t-bers", us(t.t_bers_ns) / 1e3);
    to.put("cycles", t.t_rwc_ns());
    to.put("t-dl", t.waits.t_dl_ns);
    to.put("bits", t.most_corrected_bytes());
    to.put("page", DDT_MLC.page_bytes + DDT_MLC.oob_bytes);
    for (planes, on) in PLANES {
        let stages = Stages::of(&t, planes, 0);
        to.say("on", on).put("t-do", us(stages.t_do_ns));
        to.put("t-di", us(stages.t_di_ns));
        to.put("t-dio", us(stages.t_dio_ns));
        to.put("t-di-ec", us(Stages::of(&t, planes, t.most_corrected_bytes()).t_di_ec_ns));
        to.put("t-sr-set", us(stages.t_sr_set_ns));
        to.put("t-sp-set", us(stages.t_sp_set_ns));
    }
    tenures(to)
}

/// Compares the engine's bus tenures with the equations.
fn tenures(to: &mut Sheet) -> Outcome {
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
    let names: Vec<&str> = apart.map(|(name, ..)| *name).collect();
    to.say("names", names.join(", ")).put("apart", names.len());
    Ok(())
}
