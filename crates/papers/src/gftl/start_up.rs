//! §VI: durations of start-up and shutdown, in closed form and simulated.

use super::cells::part;
use super::drive::Device;
use super::paper::{START_UP_BYTES, START_UP_PAGES_PER_BLOCK};
use crate::chip::chip;
use crate::observer::ReproductionObserver;
use crate::sheet::{Outcome, Sheet};
use bounds::gftl::{
    Steps, mount_after_cut_ns, paper_steps, queue_pages, shutdown_ns, start_up_ns, whole_steps,
};
use flash::{AnyArray, Cause, Lpn, Operation};
use ftl::{AnyScheme, FtlError, SchemeConfig, WriteQueue, registry};
use lab::run::RunError;

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
    to.put("n", blocks);
    to.put("l", pages);
    to.put("start-up", ms(start_up_ns(&part, blocks, pages)));
    to.put("shutdown", ms(shutdown_ns(&part, blocks, pages)));
    let whole = whole_steps(&part, bounds::gftl::CollectionRam::States).ok().map(of);
    to.say("whole_l", whole.map(|pages| pages as f64)).say("whole_cut", whole.map(after_cut));
    to.put("cut", after_cut(pages));
    to.put_some("l-whole", whole);
    to.put_some("cut-whole", whole.map(after_cut));
    for (name, queue) in [("printed", WriteQueue::Printed), ("proven", WriteQueue::Proven)] {
        match simulate(blocks, queue, watch) {
            Ok(simulated) => {
                let Simulated { shutdown, start_up, after_cut } = &simulated;
                to.say("queue", name).put("simulated-start-up", ms(start_up.ns));
                to.put("reads", start_up.reads);
                to.put("simulated-shutdown", ms(shutdown.ns));
                to.put("programs", shutdown.programs);
                to.put("simulated-cut", ms(after_cut.ns) / 1e3);
                to.put("oob-reads", after_cut.oob_reads);
            }
            Err(error) => to.missing(&format!("simulated, {name} queue"), error),
        }
    }
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
