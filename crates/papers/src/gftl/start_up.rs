//! §VI: durations of start-up and shutdown, in closed form and simulated.

use super::cells::part;
use super::drive::Device;
use super::paper::{
    AFTER_CUT_S, SHUTDOWN_MS, START_UP_BYTES, START_UP_MS, START_UP_PAGES_PER_BLOCK,
};
use crate::chip::chip;
use crate::observer::ReproductionObserver;
use crate::row::{Row, TOLERANCE};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use bounds::gftl::{
    Steps, mount_after_cut_ns, paper_steps, queue_pages, shutdown_ns, start_up_ns, whole_steps,
};
use flash::{AnyArray, Cause, Lpn, Operation};
use ftl::{AnyScheme, FtlError, SchemeConfig, WriteQueue, registry};
use sim::run::RunError;

const CUT: &str = "1.8432 s comes out with L = 65,536, κ = 15, which is what whole operations per step \
                   give; 13.6 and 163 ms need κ = 13";

/// Rounds over all blocks after the array is full, so that the write queue and the collection queue are in use.
const ROUNDS: u32 = 2;

fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

pub(super) fn start_up(watch: &dyn ReproductionObserver, to: &mut Sheet) -> Outcome {
    let part = part(START_UP_PAGES_PER_BLOCK);
    let block = u64::from(part.page_bytes) * u64::from(part.pages_per_block);
    let blocks = (START_UP_BYTES / block) as u32;
    let of = |steps: Steps| queue_pages(blocks, steps);
    let pages = of(paper_steps(&part));
    let after_cut = |pages: u64| ms(mount_after_cut_ns(&part, blocks, pages)) / 1e3;
    let cut = "start-up after a power cut";
    to.rows.extend([
        Row::evidence("N", "blocks", blocks.into(), 0),
        Row::evidence("L with κ = 13, as printed", "pages", pages as f64, 0),
        Row::exact("start-up", "ms", START_UP_MS, ms(start_up_ns(&part, blocks, pages))),
        Row::exact("shutdown", "ms", SHUTDOWN_MS, ms(shutdown_ns(&part, blocks, pages))),
        Row::exact(cut, "s", AFTER_CUT_S, after_cut(pages)).because(Reason::PaperError(CUT.into())),
    ]);
    if let Ok(whole) = whole_steps(&part, bounds::gftl::CollectionRam::States) {
        let pages = of(whole);
        let what = format!("{cut}, κ = 15");
        to.rows.extend([
            Row::evidence("L with κ = 15, of whole operations", "pages", pages as f64, 0),
            Row::exact(&what, "s", AFTER_CUT_S, after_cut(pages)),
        ]);
    }
    for (name, queue) in [("printed", WriteQueue::Printed), ("proven", WriteQueue::Proven)] {
        to.rows.extend(match simulate(blocks, queue, watch) {
            Ok(simulated) => simulated_rows(name, &simulated),
            Err(error) => {
                let what = format!("simulated, {name} queue");
                vec![Row::missing(&what, "", None, error)]
            }
        });
    }
    to.notes.push(format!(
        "Simulated after the array is filled in the order of §IV-D and {ROUNDS} rounds more. A shutdown first \
         finishes the collection under way and erases what an earlier one has saved; a start-up reads the \
         pages that the closed form counts, looks that none was programmed behind them, and programs one \
         page there, so that they are known to be out of date. After a power cut the last OOB of each data \
         block is read as well (the closed form has the first only), of the write queue only what is written, \
         and one collection is run through."
    ));
    Ok(())
}

/// Simulated durations.
#[derive(Clone, Copy, Debug)]
struct Simulated {
    shutdown: Took,
    start_up: Took,
    after_cut: Took,
}

/// Time and operations of one start-up or shutdown.
#[derive(Clone, Copy, Debug)]
struct Took {
    ns: u64,
    /// Programs for the saved maps at a shutdown.
    programs: u64,
    reads: u64,
    oob_reads: u64,
}

impl Took {
    fn since(before: &AnyArray, after: &AnyArray) -> Self {
        let (before, after) = (chip(before), chip(after));
        let counts = after.counts().since(before.counts());
        Self {
            ns: after.busy_ns() - before.busy_ns(),
            programs: counts.get(Operation::Program, Cause::Mount),
            reads: counts.get(Operation::Read, Cause::Mount),
            oob_reads: counts.get(Operation::ReadOob, Cause::Mount),
        }
    }
}

fn simulated_rows(queue: &str, simulated: &Simulated) -> Vec<Row> {
    let Simulated { shutdown, start_up, after_cut } = simulated;
    let what = |figure: &str| format!("simulated, {queue} queue: {figure}");
    let why = "the image of the proven queue is larger";
    let count = |figure: &str, value: u64| Row::evidence(&what(figure), "", value as f64, 0);
    vec![
        Row::measured(&what("start-up"), "ms", START_UP_MS, ms(start_up.ns), TOLERANCE)
            .because(Reason::MissingDetail(why.into())),
        count("pages read by a start-up", start_up.reads),
        Row::measured(&what("shutdown"), "ms", SHUTDOWN_MS, ms(shutdown.ns), TOLERANCE)
            .because(Reason::MissingDetail(why.into())),
        count("pages programmed by a shutdown, a collection's among them", shutdown.programs),
        Row::measured(
            &what("start-up after a power cut"),
            "s",
            AFTER_CUT_S,
            ms(after_cut.ns) / 1e3,
            TOLERANCE,
        )
        .because(Reason::MissingDetail(
            "the closed form has the whole of L read, and the first OOB of each block only".into(),
        )),
        count("OOBs read after a power cut", after_cut.oob_reads),
    ]
}

fn simulate(
    blocks: u32,
    queue: WriteQueue,
    watch: &dyn ReproductionObserver,
) -> Result<Simulated, RunError> {
    let gftl = registry::by_name("gftl")?;
    let gftl = &SchemeConfig::preset(gftl);
    let device = Device::smallest(gftl, &part(START_UP_PAGES_PER_BLOCK), blocks)?;
    let config = SchemeConfig { write_queue: Some(queue), ..device.config(gftl) };
    let scheme = registry::format(&config, device.array())?;
    StartUp { config: &config, device: &device, watch }.run(scheme)
}

struct StartUp<'a> {
    config: &'a SchemeConfig,
    device: &'a Device,
    watch: &'a dyn ReproductionObserver,
}

impl StartUp<'_> {
    /// Fills the array with one page of each block in turn, then continues for [`ROUNDS`] rounds.
    fn fill(&self, scheme: &mut AnyScheme) -> Result<(), RunError> {
        let (blocks, pages) = (self.device.logical_blocks, self.device.part.pages_per_block);
        for round in 0..pages + ROUNDS {
            if self.watch.stop() {
                return Err(RunError::Stopped);
            }
            for block in 0..blocks {
                scheme.write(Lpn(block * pages + round % pages), None)?;
            }
        }
        Ok(())
    }

    /// Measures a mount.
    fn mount(&self, flash: AnyArray) -> Result<Took, FtlError> {
        let before = flash.clone();
        let scheme = registry::mount(self.config, flash)?;
        Ok(Took::since(&before, scheme.flash()))
    }

    fn run(&self, mut scheme: Box<AnyScheme>) -> Result<Simulated, RunError> {
        self.fill(&mut *scheme)?;
        let after_cut = self.mount(scheme.flash().clone())?;
        let before = scheme.flash().clone();
        scheme.shutdown()?;
        let shutdown = Took::since(&before, scheme.flash());
        let start_up = self.mount(scheme.into_flash())?;
        Ok(Simulated { shutdown, start_up, after_cut })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Unwatched;

    #[test]
    fn a_start_up_reads_what_the_closed_form_counts() {
        for (blocks, queue) in [(16, WriteQueue::Printed), (16, WriteQueue::Proven)] {
            let simulated = simulate(blocks, queue, &Unwatched).unwrap();
            let part = part(START_UP_PAGES_PER_BLOCK);
            // The page after the maps is also read (OOB only) and programmed.
            let more = part.t_r_oob_ns + part.t_prog_ns;
            let reads = simulated.start_up.reads * part.t_r_ns;
            assert!((reads..=reads + more).contains(&simulated.start_up.ns), "{simulated:?}");
            if queue == WriteQueue::Printed {
                let gftl = &SchemeConfig::preset(registry::by_name("gftl").unwrap());
                let device = Device::smallest(gftl, &part, blocks).unwrap();
                let config = SchemeConfig { write_queue: Some(queue), ..device.config(gftl) };
                let plan =
                    registry::plan(&config, &part, &device.geometry, device.geometry.blocks());
                let ftl::Layout::Gftl(layout) = plan.unwrap().layout else { panic!() };
                let pages = u64::from(layout.queue_blocks * part.pages_per_block);
                assert_eq!(reads, start_up_ns(&part, blocks, pages));
            }
            assert!(simulated.shutdown.ns > reads && simulated.after_cut.oob_reads > 16);
        }
    }
}
