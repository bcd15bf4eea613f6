//! Precondition of the array: sequential fill, then random or sequential overwrites.

use super::error::RunError;
use super::observer::{Observer, Phase};
use super::setup::Setup;
use crate::precondition::Fill;
use flash::Probe;
use ftl::{Done, HostClock, PageTask, Scheme, TaskKind};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Page writes between two calls of the observer.
const BATCH: usize = 512;

pub(crate) fn precondition<F: Probe>(
    scheme: &mut dyn Scheme<Flash = F>,
    setup: &Setup,
    label: &str,
    observer: &dyn Observer,
) -> Result<(), RunError> {
    let pages = match setup.precondition.fill {
        Fill::Full => scheme.logical_pages(),
        Fill::Footprint => setup.space_pages,
        Fill::None => return Ok(()),
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
    let mut outcomes = vec![Done::default(); BATCH];
    let mut clock = HostClock { still: true, ..HostClock::default() };
    let mut done = 0;
    while done < total {
        observer.progress(label, Phase::Precondition, done, Some(total));
        if observer.stop() {
            return Err(RunError::Stopped);
        }
        work.clear();
        let count = (total - done).min(BATCH as u64);
        let filling = u64::from(pages).saturating_sub(done).min(count);
        work.extend((done..done + filling).map(|lpn| PageTask::page(TaskKind::Write, lpn as u32)));
        work.extend((filling..count).map(|_| PageTask::page(TaskKind::Write, aging.next())));
        let written = scheme.run(&work, 0..work.len(), &mut clock, &mut outcomes);
        written.map_err(|(at, source)| RunError::Scheme {
            scheme: label.into(),
            source,
            task: done + at as u64,
            phase: "preconditioning",
            requests: None,
        })?;
        done += count;
    }
    if scheme.telemetry().buffer.is_none() {
        return Ok(());
    }
    // The buffer must be empty, so that none of these pages is written in the measured part.
    scheme.flush().map_err(|source| RunError::Scheme {
        scheme: label.into(),
        source,
        task: done,
        phase: "preconditioning",
        requests: None,
    })
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
    use crate::precondition::Preconditioning;
    use crate::run::medium::{array_of, levelled};
    use crate::run::observer::Unobserved;
    use flash::{Cause, Geometry, Lpn, Operation, Part, Serial, SerialArray, parts};
    use ftl::{SchemeConfig, registry};

    /// `fsr` on so many blocks of four pages, after preconditioning as the text says; the workload addresses the first 7
    /// pages.
    fn prepared(blocks: u32, fill: Fill, age: f64) -> Box<dyn Scheme<Flash = SerialArray>> {
        let part = Part { pages_per_block: 4, ..parts::EVALUATION_SLC.clone() };
        let precondition = Preconditioning { fill, age, sequential: 0.0 };
        let geometry = Geometry::new(blocks, 4, 2048).unwrap();
        let setup = Setup { precondition, ..Setup::new(part, geometry, 7) };
        let config = SchemeConfig::preset(registry::by_name("fsr").unwrap());
        let array = levelled(&config, Serial::new(array_of(&setup).unwrap()));
        let mut scheme = registry::format(&config, array).unwrap();
        super::precondition(&mut *scheme, &setup, "fsr", &Unobserved).unwrap();
        scheme
    }

    #[test]
    fn a_fill_writes_each_page_of_its_range_once_the_last_one_too() {
        // Fewer pages than one batch, and several batches of which the last is not full.
        for (blocks, logical) in [(6, 18), (400, 1200)] {
            for (fill, filled) in [(Fill::Full, logical), (Fill::Footprint, 7), (Fill::None, 0)] {
                let mut scheme = prepared(blocks, fill, 0.0);
                assert_eq!(scheme.logical_pages(), logical);
                let written = scheme.flash().counts().get(Operation::Program, Cause::Host);
                assert_eq!(written, u64::from(filled), "{fill:?} of {logical} pages");
                for lpn in 0..logical {
                    let present = scheme.read(Lpn(lpn), None).unwrap();
                    assert_eq!(present, lpn < filled, "page {lpn}: {fill:?} of {logical} pages");
                }
            }
        }
        let aged = prepared(6, Fill::Full, 1.5);
        assert_eq!(aged.flash().counts().get(Operation::Program, Cause::Host), 18 + 27);
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
}
