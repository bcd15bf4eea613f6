//! What is on the array before anything is measured: filled in order, then aged by overwrites, random or in order.

use super::{Observer, Phase, RunError, Setup};
use crate::precondition::Fill;
use ftl::{Prefetch, Scheme};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Writes between two looks at the observer.
const BATCH: usize = 4096;

/// Writes ahead at which the lines of a random write are fetched.
const FAR: usize = 24;
const NEAR: usize = 12;

pub(crate) fn precondition<S: Scheme>(
    scheme: &mut S,
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
    let mut lpns = Vec::with_capacity(BATCH);
    let mut done = 0;
    while done < total {
        observer.progress(label, Phase::Precondition, done, Some(total));
        if observer.stop() {
            return Err(RunError::Stopped);
        }
        lpns.clear();
        let count = (total - done).min(BATCH as u64);
        let filling = u64::from(pages).saturating_sub(done).min(count);
        lpns.extend((done..done + filling).map(|lpn| lpn as u32));
        lpns.extend((filling..count).map(|_| aging.next()));
        write_all(scheme, &lpns).map_err(|(at, source)| RunError::Scheme {
            scheme: label.into(),
            source,
            task: done + at as u64,
            phase: "preconditioning",
        })?;
        done += count;
    }
    if scheme.buffer_log().is_none() {
        return Ok(());
    }
    // Nothing of it is to be written in the measured part.
    scheme.flush().map_err(|source| RunError::Scheme {
        scheme: label.into(),
        source,
        task: done,
        phase: "preconditioning",
    })
}

/// What ages the array.
struct Overwrites {
    random: Pcg64,
    pages: u32,
    /// Share of those in order.
    sequential: f64,
    /// The next of these.
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

fn write_all<S: Scheme>(scheme: &mut S, lpns: &[u32]) -> Result<(), (usize, ftl::FtlError)> {
    for (at, lpn) in lpns.iter().enumerate() {
        if let Some(ahead) = lpns.get(at + FAR) {
            scheme.prefetch(flash::Lpn(*ahead), Prefetch::Map);
        }
        if let Some(ahead) = lpns.get(at + NEAR) {
            scheme.prefetch(flash::Lpn(*ahead), Prefetch::Block);
        }
        scheme.write(flash::Lpn(*lpn), &[]).map_err(|error| (at, error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overwrites_are_in_order_as_often_as_asked() {
        let of = |sequential| {
            let random = Pcg64::seed_from_u64(1);
            let mut aging = Overwrites { random, pages: 1000, sequential, next: 0 };
            (0..4000).map(|_| aging.next()).collect::<Vec<u32>>()
        };
        assert!(of(1.0).iter().copied().eq((0..4000).map(|n| n % 1000)));
        // As many of them as continue the pass; a page that is drawn does so by chance in one of a thousand.
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
