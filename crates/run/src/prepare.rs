//! Precondition of the array: sequential fill, then random or sequential overwrites, then the workload itself.

use super::error::RunError;
use super::medium::counts;
use super::observer::{Observer, Phase};
use super::rounds::Rounds;
use super::setup::Setup;
use super::tasks::Cutter;
use crate::precondition::{Fill, Preconditioning};
use ftl::{AnyScheme, Asks, Done, FtlError, HostClock, PageTask, TaskKind};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use workload::Op;

/// Page writes between two calls of the observer.
const BATCH: usize = 512;

/// Page tasks of the workload between two looks at whether the scheme has collected: few, so that the measured part
/// begins soon after.
const AGING_BATCH: usize = 32;

/// Reads that are run of those without a write in between. Collection behind reads has caught up by then, and further
/// reads would take most of the time of a workload that hardly writes.
const READS: u32 = 64;

/// Requests per fill from the workload.
const REQUESTS: usize = 4096;

/// Page writes of the workload after which the wait for a collection ends, as a multiple of the array's pages.
const MOST_TIMES: u64 = 4;

/// The same where write amplification is to settle.
const MOST_TIMES_STEADY: u64 = 16;

/// Fills and ages the array. Returns whether write amplification has settled, if that was asked for.
pub fn prepare(
    scheme: &mut AnyScheme,
    setup: &Setup,
    label: &str,
    observer: &dyn Observer,
) -> Result<Option<bool>, RunError> {
    let pages = match setup.precondition.fill {
        Fill::Full => scheme.logical_pages(),
        Fill::Footprint => setup.space_pages,
        Fill::None => 0,
    };
    let overwrites = (f64::from(pages) * setup.precondition.age).round() as u64;
    let total = u64::from(pages) + overwrites;
    let mut aging = Overwrites {
        random: Pcg64::seed_from_u64(setup.seed ^ 0x005e_ed0f_a9e5),
        pages,
        sequential: setup.precondition.sequential,
        next: 0,
    };
    let mut work = Vec::with_capacity(BATCH);
    let mut writer = Writer {
        scheme,
        observer,
        label,
        clock: HostClock { still: true, ..HostClock::default() },
        outcomes: vec![Done::default(); BATCH],
        done: 0,
        total: total + setup.aging_writes(),
    };
    while writer.done < total {
        let done = writer.done;
        work.clear();
        let count = (total - done).min(BATCH as u64);
        let filling = u64::from(pages).saturating_sub(done).min(count);
        work.extend((done..done + filling).map(|lpn| PageTask::page(TaskKind::Write, lpn as u32)));
        work.extend((filling..count).map(|_| PageTask::page(TaskKind::Write, aging.next())));
        writer.write(&work)?;
    }
    let mut rounds = Rounds::begin(writer.scheme.logical_pages(), counts(writer.scheme.flash()));
    if setup.precondition.by_workload() {
        age_by_workload(&mut writer, setup, &mut rounds, &mut work)?;
    }
    let settled = setup.precondition.steady.then(|| rounds.is_steady());
    let done = writer.done;
    rest(scheme).map_err(|source| RunError::Scheme {
        scheme: label.into(),
        source,
        task: done,
        phase: "preconditioning",
        requests: None,
    })?;
    if scheme.telemetry().buffer.is_none() {
        return Ok(settled);
    }
    // The buffer must be empty, so that none of these pages is written in the measured part.
    scheme.flush().map_err(|source| RunError::Scheme {
        scheme: label.into(),
        source,
        task: done,
        phase: "preconditioning",
        requests: None,
    })?;
    Ok(settled)
}

/// Gives the scheme all the idle time that it asks for: a device rests before a measurement, and an SLC cache is empty
/// then.
fn rest(scheme: &mut AnyScheme) -> Result<(), FtlError> {
    while scheme.idles_on() && scheme.idle()? {}
    Ok(())
}

/// A scheme that is written while time does not count.
struct Writer<'a> {
    scheme: &'a mut AnyScheme,
    observer: &'a dyn Observer,
    label: &'a str,
    clock: HostClock,
    outcomes: Vec<Done>,
    /// Page writes so far, and expected.
    done: u64,
    total: u64,
}

impl Writer<'_> {
    /// Runs at most [`BATCH`] page tasks.
    fn write(&mut self, work: &[PageTask]) -> Result<(), RunError> {
        let shown = self.done.min(self.total);
        self.observer.progress(self.label, Phase::Precondition, shown, Some(self.total));
        if self.observer.stop() {
            return Err(RunError::Stopped);
        }
        let run = self.scheme.run(work, 0..work.len(), &mut self.clock, &mut self.outcomes);
        run.map_err(|(at, source)| RunError::Scheme {
            scheme: self.label.into(),
            source,
            task: self.done + at as u64,
            phase: "preconditioning",
            requests: None,
        })?;
        let refused = |at: &usize| self.outcomes[*at].notes.refused.is_some();
        if let Some(at) = (0..work.len()).find(refused)
            && let Some(refusal) = self.outcomes[at].notes.refused
        {
            return Err(RunError::Scheme {
                scheme: self.label.into(),
                source: FtlError::Refused(refusal),
                task: self.done + at as u64,
                phase: "preconditioning",
                requests: None,
            });
        }
        self.done += work.len() as u64;
        Ok(())
    }

    fn has_collected(&self) -> bool {
        self.scheme.telemetry().collections.started > 0
    }
}

/// Runs the workload, pass after pass, until the precondition is reached. A pass without writes ends it.
fn age_by_workload(
    writer: &mut Writer<'_>,
    setup: &Setup,
    rounds: &mut Rounds,
    work: &mut Vec<PageTask>,
) -> Result<(), RunError> {
    let Some(passes) = &setup.passes else { return Ok(()) };
    let least = setup.aging_writes();
    let times = if setup.precondition.steady { MOST_TIMES_STEADY } else { MOST_TIMES };
    let most = least.max(times * u64::from(setup.geometry.pages()));
    let Preconditioning { collecting, steady, .. } = setup.precondition;
    let mut is_done = |writer: &Writer<'_>, writes: u64| {
        if steady {
            rounds.look(writes, counts(writer.scheme.flash()));
        }
        let is_so = (!collecting || writer.has_collected()) && (!steady || rounds.is_steady());
        writes >= least && (is_so || writes >= most)
    };
    let mut requests = Vec::with_capacity(REQUESTS);
    let (mut writes, mut reads, mut pass) = (0, 0, 0);
    while !is_done(writer, writes) {
        let (mut source, before) = (passes.open(setup.seed, pass)?, writes);
        let mut cutter = Cutter::new(setup.geometry.page_bytes())
            .with_free_partial_pages(true)
            .with_zones(writer.scheme.zones());
        loop {
            requests.clear();
            if source.fill(&mut requests, REQUESTS)? == 0 {
                break;
            }
            if writer.observer.stop() {
                return Err(RunError::Stopped);
            }
            requests.retain(|request| {
                reads = if request.op == Op::Read { reads + 1 } else { 0 };
                request.op != Op::Flush && reads <= READS
            });
            let mut used = 0;
            loop {
                work.clear();
                used += cutter.cut(&requests[used..], AGING_BATCH, work);
                if work.is_empty() {
                    break;
                }
                work.retain(|task| !matches!(task.asks, Asks::Flush | Asks::Nothing));
                let is_write = |task: &&PageTask| task.asks.kind() == Some(TaskKind::Write);
                writes += work.iter().filter(is_write).count() as u64;
                writer.write(work)?;
                if is_done(writer, writes) {
                    return Ok(());
                }
            }
        }
        if writes == before {
            return Ok(());
        }
        pass += 1;
    }
    Ok(())
}

/// Overwrites that age the array.
struct Overwrites {
    random: Pcg64,
    pages: u32,
    /// Share of sequential overwrites.
    sequential: f64,
    /// Page of the next sequential overwrite.
    next: u32,
}

impl Overwrites {
    fn next(&mut self) -> u32 {
        if self.sequential > 0.0 && self.random.random_bool(self.sequential) {
            let lpn = self.next;
            self.next = if lpn + 1 == self.pages { 0 } else { lpn + 1 };
            return lpn;
        }
        self.random.random_range(0..self.pages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::medium::{array_of, levelled};
    use crate::observer::Unobserved;
    use crate::precondition::Preconditioning;
    use crate::setup::Passes;
    use flash::{Cause, Geometry, Lpn, Operation, Part, Serial, parts};
    use ftl::{SchemeConfig, registry};
    use workload::{Space, WorkloadSpec};

    /// `fsr` on the array of `setup`, after its preconditioning.
    fn prepared_fsr(setup: &Setup) -> Box<AnyScheme> {
        let config = SchemeConfig::preset(registry::by_name("fsr").unwrap());
        let array = levelled(&config, Serial::new(array_of(setup).unwrap()));
        let mut scheme = registry::format(&config, array).unwrap();
        super::prepare(&mut *scheme, setup, "fsr", &Unobserved).unwrap();
        scheme
    }

    /// `fsr` on so many blocks of four pages, after preconditioning as the text says; the workload addresses the first 7
    /// pages.
    fn prepared(blocks: u32, fill: Fill, age: f64) -> Box<AnyScheme> {
        let part = Part { pages_per_block: 4, ..parts::EVALUATION_SLC.clone() };
        let precondition = Preconditioning { fill, age, ..Preconditioning::default() };
        let geometry = Geometry::new(blocks, 4, 2048).unwrap();
        let setup = Setup { precondition, ..Setup::new(part, geometry, 7) };
        prepared_fsr(&setup)
    }

    #[test]
    fn a_fill_writes_each_page_of_its_range_once_the_last_one_too() {
        // Fewer pages than one batch, and several batches of which the last is not full.
        for (blocks, logical) in [(6, 18), (400, 1200)] {
            for (fill, filled) in [(Fill::Full, logical), (Fill::Footprint, 7), (Fill::None, 0)] {
                let mut scheme = prepared(blocks, fill, 0.0);
                assert_eq!(scheme.logical_pages(), logical);
                let written = counts(scheme.flash()).get(Operation::Program, Cause::Host);
                assert_eq!(written, u64::from(filled), "{fill:?} of {logical} pages");
                for lpn in 0..logical {
                    let present = scheme.read(Lpn(lpn), None).unwrap();
                    assert_eq!(present, lpn < filled, "page {lpn}: {fill:?} of {logical} pages");
                }
            }
        }
        let aged = prepared(6, Fill::Full, 1.5);
        assert_eq!(counts(aged.flash()).get(Operation::Program, Cause::Host), 18 + 27);
    }

    #[test]
    fn overwrites_are_in_order_as_often_as_asked() {
        let of = |sequential| {
            let random = Pcg64::seed_from_u64(1);
            let mut aging = Overwrites { random, pages: 1000, sequential, next: 0 };
            (0..4000).map(|_| aging.next()).collect::<Vec<u32>>()
        };
        assert!(of(1.0).iter().copied().eq((0..4000).map(|n| n % 1000)));
        // Overwrites that continue the sequential pass; a random page does so with probability 1/1000.
        let continuing = |lpns: &[u32]| {
            let mut next = 0;
            lpns.iter()
                .filter(|lpn| {
                    **lpn == next && {
                        next = (next + 1) % 1000;
                        true
                    }
                })
                .count()
        };
        assert!((1900..2100).contains(&continuing(&of(0.5))), "{}", continuing(&of(0.5)));
        assert!(continuing(&of(0.0)) < 40);
        let mut random = Pcg64::seed_from_u64(1);
        assert!(of(0.0).iter().all(|lpn| *lpn == random.random_range(0..1000)), "no draw besides");
    }

    /// `fsr` on 400 blocks of four pages, filled and then aged by passes of ten requests of `uniform`.
    fn aged(precondition: Preconditioning, write_share: f64) -> Box<AnyScheme> {
        let part = Part { pages_per_block: 4, ..parts::EVALUATION_SLC.clone() };
        let geometry = Geometry::new(400, 4, 2048).unwrap();
        let space = Space { bytes: 1000 * 2048, page_bytes: 2048, pages_per_block: 4 };
        let workload =
            WorkloadSpec::builtin("uniform").limited(10).with("write_share", write_share);
        let facts = workload.check(space).unwrap();
        let setup = Setup {
            precondition,
            passes: Some(Passes { workload, facts }),
            ..Setup::new(part, geometry, 1000)
        };
        prepared_fsr(&setup)
    }

    #[test]
    fn the_workload_ages_until_the_first_collection_and_no_further() {
        let writes =
            |scheme: &AnyScheme| counts(scheme.flash()).get(Operation::Program, Cause::Host);
        let plain = Preconditioning::default();
        let half = aged(Preconditioning { workload: 0.05, ..plain }, 0.5);
        assert!((1250..1250 + AGING_BATCH as u64).contains(&writes(&*half)), "{}", writes(&*half));
        assert_eq!(half.telemetry().collections.started, 0);

        // 400 pages are free behind the fill: the first collection comes within them.
        let collecting = aged(Preconditioning { collecting: true, ..plain }, 0.5);
        let (count, victims) = (writes(&*collecting), collecting.telemetry().collections.started);
        assert!((1550..1620).contains(&count), "{count}");
        assert!((1..=AGING_BATCH as u64).contains(&victims), "{victims}");

        // Passes differ: more pages are overwritten than ten requests have.
        let valid_pages = |scheme: &mut AnyScheme| {
            let mut scheme = scheme.fork();
            (0..1200).filter(|lpn| scheme.read(Lpn(*lpn), None).unwrap()).count()
        };
        let mut fresh = aged(Preconditioning { fill: Fill::None, collecting: true, ..plain }, 0.5);
        assert!(valid_pages(&mut *fresh) > 500);

        let reading = aged(Preconditioning { collecting: true, ..plain }, 0.0);
        assert_eq!(writes(&*reading), 1200, "a workload that writes nothing ends at once");
    }
}
